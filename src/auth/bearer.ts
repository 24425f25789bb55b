import { type ApiKeyHash, hashApiKey, hasApiKeyForm } from './api-key.js';

/** What an `Authorization` header holds: no bearer credential, one that cannot be a key, or a key's hash. */
export type Credential = 'none' | 'malformed' | ApiKeyHash;

const BEARER = /^bearer(?: +(.*))?$/i;

/**
 * Reads the bearer credential (RFC 6750 section 2.1), its scheme in any case. The server joins a repeated header with a
 * comma, so that it is a malformed one.
 */
export function readCredential(authorization: string | undefined): Credential {
  const bearer = BEARER.exec(authorization ?? '');
  if (bearer === null) return 'none';
  const token = bearer[1] ?? '';
  if (token === '') return 'none';
  return hasApiKeyForm(token) ? hashApiKey(token) : 'malformed';
}
