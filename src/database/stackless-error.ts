/**
 * An error that stands for an answer, not for a fault of the code: its message tells everything. To look where it was made
 * would cost a quarter of what refusing a request does.
 */
export abstract class StacklessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
