import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ApiError } from '../../errors/api-error.js';
import { ERROR_CODES } from '../../errors/error-codes.js';

/**
 * The SHA-256 of a key as clients send it: the only form stored or looked up. In PostgreSQL's bytea hex format
 * (`\x` and hex), its only destination.
 */
export type ApiKeyHash = string & { readonly __brand: 'ApiKeyHash' };

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The format of a key; its last six characters are a checksum. Documented for secret scanners: `docs/operations.md`. */
export const KEY_PATTERN = 'psk_[0-9A-Za-z]{38}';

const FORM = new RegExp(`^${KEY_PATTERN}$`);
/** `psk_` and 32 random characters; the six after them are their checksum. */
const BODY_LENGTH = 36;
const CHECKSUM_LENGTH = 6;

/** Whether a string can be a key, so that malformed keys cost no database work. */
export const hasApiKeyForm = (text: string): boolean =>
  FORM.test(text) && checksumOf(text.slice(0, BODY_LENGTH)) === text.slice(BODY_LENGTH);

export const hashApiKey = (plain: string): ApiKeyHash => `\\x${hash('sha256', plain)}` as ApiKeyHash;

/** CRC-32 in base62, left-padded; same as the database's `api_key_checksum`. */
export function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = '';
  while (text.length < CHECKSUM_LENGTH) {
    text = `${DIGITS[rest % DIGITS.length]}${text}`;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}

/** The content of an `Authorization` header: no bearer credential, one that cannot be a key, or a key's hash. */
export type Credential = 'none' | 'malformed' | ApiKeyHash;

export type AuthenticationErrorCode =
  'missing_api_key' | 'invalid_api_key' | 'expired_api_key' | 'revoked_api_key';

const BEARER = /^bearer(?: +(.*))?$/i;
const CHALLENGE = 'Bearer realm="petstore"';

/**
 * Reads the bearer credential (RFC 6750 section 2.1); the scheme is case-insensitive. The server joins repeated headers
 * with a comma, so they are malformed.
 */
export function readCredential(authorization = ''): Credential {
  const token = BEARER.exec(authorization)?.[1] ?? '';
  if (token === '') return 'none';
  return hasApiKeyForm(token) ? hashApiKey(token) : 'malformed';
}

/** The first 12 characters of a possible key: they identify it, and are stored. */
export const readPrefix = (authorization = ''): string => /psk_\w{8}/.exec(authorization)?.[0] ?? '';

/** A 401 with its challenge (RFC 6750 section 3): no error attribute when no key was sent. */
export function authenticationError(code: AuthenticationErrorCode): ApiError {
  const challenge =
    code === 'missing_api_key'
      ? CHALLENGE
      : `${CHALLENGE}, error="invalid_token", error_description="${ERROR_CODES[code].message}"`;
  return new ApiError(code, undefined, { headers: { 'www-authenticate': challenge } });
}
