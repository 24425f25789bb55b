import type { Logger } from 'pino';
import type { LimitsConfig } from './config/config.js';
import type { Database } from './database/database.js';
import { deleteExpiredAnswers } from './idempotency/expired-answers.js';
import { Housekeeping } from './operations/housekeeping.js';
import { deleteExpiredUsage } from './throttling/usage-retention.js';

/** Rows that one statement deletes: about a millisecond of work, so that nobody notices. */
const USAGE_BATCH = 1000;
const IDEMPOTENCY_BATCH = 100;

/** What is deleted by its age while the service runs: old days of use, and expired idempotency keys. */
export function createHousekeeping(database: Database, limits: LimitsConfig, logger: Logger): Housekeeping {
  return new Housekeeping({
    work: async (signal) => {
      const retentionDays = limits.usageRetentionDays;
      await deleteExpiredUsage(database.writes, { retentionDays, batchSize: USAGE_BATCH, signal });
      let deleted = IDEMPOTENCY_BATCH;
      while (!signal.aborted && deleted === IDEMPOTENCY_BATCH) {
        deleted = await deleteExpiredAnswers(database, IDEMPOTENCY_BATCH);
      }
    },
    onError: (err) => logger.warn({ err }, 'old rows could not be deleted; the next run tries again'),
    random: Math.random,
  });
}
