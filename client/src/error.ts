import { ERROR_CODES } from './generated/error-codes.js';

/** The error codes of the service. */
export type ServiceErrorCode = (typeof ERROR_CODES)[number];

/**
 * All error codes: those of the service, `connection_failed` if there was no complete response, and `unexpected_response` if
 * the response is not from the service but, for example, from a proxy.
 */
export type ErrorCode = ServiceErrorCode | 'connection_failed' | 'unexpected_response';

/** The window with the fewest requests remaining, after this request. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** When the window resets, in Unix seconds. */
  readonly resetUnixSeconds: number;
}

interface Details {
  readonly retryAfterSeconds?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly cause?: unknown;
}

/** The error of every failed call, except for the reason of an `AbortSignal`. */
export class PetStoreError extends Error {
  override readonly name = 'PetStoreError';
  readonly code: ErrorCode;
  /** The HTTP status; 0 for `connection_failed`. */
  readonly status: number;
  /** The seconds to wait before a retry, if the response has `Retry-After` (429 and 503). */
  readonly retryAfterSeconds: number | undefined;
  readonly rateLimit: RateLimit | undefined;

  constructor(code: ErrorCode, status: number, message: string, { cause, ...details }: Details = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.rateLimit = details.rateLimit;
  }
}

/** The error for a response that is not a success. */
export function errorOfResponse(status: number, headers: Headers, body: string): PetStoreError {
  const details = { retryAfterSeconds: integer(headers, 'retry-after'), rateLimit: rateLimitOf(headers) };
  const error = readError(body);
  return error === undefined
    ? new PetStoreError(
        'unexpected_response',
        status,
        `The response (HTTP ${status}) is not from the Pet Store Service.`,
        details,
      )
    : new PetStoreError(error.code, status, error.message, details);
}

function readError(body: string): { readonly code: ServiceErrorCode; readonly message: string } | undefined {
  try {
    const { code, message } = JSON.parse(body) as { readonly code?: unknown; readonly message?: unknown };
    const known = ERROR_CODES.find((one) => one === code);
    return known === undefined ? undefined : { code: known, message: String(message) };
  } catch {
    return undefined;
  }
}

function rateLimitOf(headers: Headers): RateLimit | undefined {
  const limit = integer(headers, 'x-ratelimit-limit');
  const remaining = integer(headers, 'x-ratelimit-remaining');
  const resetUnixSeconds = integer(headers, 'x-ratelimit-reset');
  return limit === undefined || remaining === undefined || resetUnixSeconds === undefined
    ? undefined
    : { limit, remaining, resetUnixSeconds };
}

function integer(headers: Headers, name: string): number | undefined {
  const text = headers.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}
