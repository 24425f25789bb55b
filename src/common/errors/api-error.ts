import { ERROR_CODES, type ErrorCode } from './error-codes.js';

/**
 * An error that stands for a response, not for a bug: its message says everything. Capturing a stack would be a quarter of the
 * cost of a rejection by an overloaded replica.
 */
export abstract class StacklessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

interface ApiErrorOptions {
  /** Headers of this response, such as `Allow` or `Retry-After`, by their lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The internal reason: for the log, never for the client. */
  readonly cause?: unknown;
}

/** A response that is not a success, thrown by its code. `message` is public: it names the value, never internals. */
export class ApiError extends StacklessError {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

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
