import { ApiError } from '../errors/api-error.js';

/** The codes of a 401. */
export type AuthenticationErrorCode =
  'missing_api_key' | 'invalid_api_key' | 'expired_api_key' | 'revoked_api_key';

const CHALLENGE = 'Bearer realm="petstore"';

/** A 401 with its challenge (RFC 6750 section 3): no error attribute when no key was sent. */
export function authenticationError(code: AuthenticationErrorCode): ApiError {
  const plain = new ApiError(code);
  const challenge =
    code === 'missing_api_key'
      ? CHALLENGE
      : `${CHALLENGE}, error="invalid_token", error_description="${plain.message}"`;
  return new ApiError(code, plain.message, { headers: { 'www-authenticate': challenge } });
}
