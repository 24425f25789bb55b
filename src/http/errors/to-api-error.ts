import { asUnavailable, UnavailableError } from '../../database/database-errors.js';
import { ApiError } from './api-error.js';
import type { ErrorCode } from './error-codes.js';

/** What the framework throws by itself, by its own codes. Anything else it throws is a fault of ours. */
const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_BAD_URL: 'malformed_request',
  FST_ERR_CTP_EMPTY_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_MAX_PARAM_LENGTH: 'uri_too_long',
  FST_ERR_NOT_FOUND: 'not_found',
};

/** The one place where whatever was thrown becomes an answer. What is not known is an `internal_error`. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const unavailable = asUnavailable(error);
  if (unavailable instanceof UnavailableError) {
    return new ApiError('service_unavailable', undefined, {
      headers: { 'retry-after': String(unavailable.retryAfterSeconds) },
      cause: unavailable,
    });
  }
  const code = frameworkCode(error);
  return new ApiError(code ?? 'internal_error', undefined, { cause: error });
}

function frameworkCode(error: unknown): ErrorCode | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? FRAMEWORK_CODES[error.code] : undefined;
}
