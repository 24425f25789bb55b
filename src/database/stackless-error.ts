/**
 * An error that stands for an answer, not for a fault of the code: its message tells everything. To look where it was made
 * would be a quarter of what a refusal of an overloaded replica costs.
 */
export abstract class StacklessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
