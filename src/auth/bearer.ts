import { ApiError } from '../errors/api-error.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { type ApiKeyHash, hashApiKey, hasApiKeyForm } from './api-key.js';

/** What an `Authorization` header holds: no bearer credential, one that cannot be a key, or a key's hash. */
export type Credential = 'none' | 'malformed' | ApiKeyHash;

export type AuthenticationErrorCode =
  'missing_api_key' | 'invalid_api_key' | 'expired_api_key' | 'revoked_api_key';

const BEARER = /^bearer(?: +(.*))?$/i;
const CHALLENGE = 'Bearer realm="petstore"';

/**
 * Reads the bearer credential (RFC 6750 section 2.1), its scheme in any case. The server joins a repeated header with a
 * comma, so that it is a malformed one.
 */
export function readCredential(authorization = ''): Credential {
  const token = BEARER.exec(authorization)?.[1] ?? '';
  if (token === '') return 'none';
  return hasApiKeyForm(token) ? hashApiKey(token) : 'malformed';
}

/** A 401 with its challenge (RFC 6750 section 3): no error attribute when no key was sent. */
export function authenticationError(code: AuthenticationErrorCode): ApiError {
  const challenge =
    code === 'missing_api_key'
      ? CHALLENGE
      : `${CHALLENGE}, error="invalid_token", error_description="${ERROR_CODES[code].message}"`;
  return new ApiError(code, undefined, { headers: { 'www-authenticate': challenge } });
}
