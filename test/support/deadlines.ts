/**
 * Deadlines of a service whose test is about something else, in milliseconds: a busy machine takes seconds for anything. They end
 * before the test does, so that its failure is the service's own.
 */
export const LONG_DEADLINES = {
  waitMs: 200_000,
  connectTimeoutMs: 60_000,
  statementTimeoutMs: 90_000,
  probeTimeoutMs: 60_000,
};
