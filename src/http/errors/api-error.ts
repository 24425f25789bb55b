import { StacklessError } from '../../database/stackless-error.js';
import type { Headers } from '../headers.js';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';

export interface ApiErrorOptions {
  /** Headers that belong to this answer, such as `Allow` or `Retry-After`. */
  readonly headers?: Headers;
  /** What really happened: for the log, never for the caller. */
  readonly cause?: unknown;
}

/** An answer that is not a success, thrown by its code. `message` is public: it names the value, never the inside. */
export class ApiError extends StacklessError {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Headers;

  constructor(
    readonly code: ErrorCode,
    message: string = ERROR_CODES[code].message,
    { headers = {}, cause }: ApiErrorOptions = {},
  ) {
    super(message, { cause });
    this.status = ERROR_CODES[code].status;
    this.headers = headers;
  }

  /** The Error body of the interface: exactly its three members. */
  get body(): { readonly code: ErrorCode; readonly message: string; readonly status: number } {
    return { code: this.code, message: this.message, status: this.status };
  }
}
