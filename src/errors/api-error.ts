import { ERROR_CODES, type ErrorCode, type ErrorRow } from './error-codes.js';

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

/** What is wrong with one member of the body, by its JSON pointer, or with one query parameter. */
export type Fault =
  | { readonly pointer: string; readonly detail: string }
  | { readonly parameter: string; readonly detail: string };

interface ApiErrorOptions {
  /** Headers of this response, such as `Allow` or `Retry-After`, by their lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is wrong with each field, for a form that marks them; the member that the code names, unless given. */
  readonly faults?: readonly Fault[];
  /** The internal reason: for the log, never for the client. */
  readonly cause?: unknown;
}

/** A response that is not a success, thrown by its code. `message` is public: it names the value, never internals. */
export class ApiError extends StacklessError {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];

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
