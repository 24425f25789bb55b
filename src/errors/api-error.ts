import { ERROR_CODES, type ErrorCode, type ErrorRow } from './error-codes.js';

/**
 * An error that represents a response, not a bug, so it needs no stack trace. Capturing one would be a quarter of the
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

/** What is wrong with one member of the body, by its JSON pointer, or with one query parameter. */
export type FieldError =
  | { readonly pointer: string; readonly detail: string }
  | { readonly parameter: string; readonly detail: string };

interface ApiErrorOptions {
  /** Headers of this response, such as `Allow` or `Retry-After`, by their lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is wrong with each field, for forms; defaults to the member that belongs to the code. */
  readonly faults?: readonly FieldError[];
  /** The internal reason: logged, never sent to clients. */
  readonly cause?: unknown;
}

/** An error response, thrown by its code. `message` is public: it names the value, never internals. */
export class ApiError extends StacklessError {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly faults: readonly FieldError[];

  constructor(
    readonly code: ErrorCode,
    message: string = ERROR_CODES[code].message,
    { headers = {}, faults, cause }: ApiErrorOptions = {},
  ) {
    super(message, { cause });
    const { member }: ErrorRow = ERROR_CODES[code];
    this.status = ERROR_CODES[code].status;
    this.headers = headers;
    this.faults = faults ?? (member === undefined ? [] : [{ pointer: `#/${member}`, detail: message }]);
  }
}

/** Headers of a response, by their lower-case names. */
export type Headers = Readonly<Record<string, string>>;
