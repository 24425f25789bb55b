import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, LOGGER } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { Idempotency } from '../idempotency/idempotency.service.js';
import { ManagementModule } from '../management/management.module.js';
import { PrismaService } from '../prisma/prisma.service.js';
import { deleteExpiredUsage } from '../throttling/usage-retention.js';
import { Housekeeping } from './housekeeping.js';
import { Shutdown } from './shutdown.js';
import { StartReport } from './start-report.js';

/** Rows that one statement deletes: about a millisecond of work, so that nobody notices. */
const USAGE_BATCH = 1000;
const IDEMPOTENCY_BATCH = 100;

/** What the service does at its start, once an hour, and at its end. */
@Module({
  imports: [ManagementModule, IdempotencyModule],
  providers: [
    {
      provide: Housekeeping,
      inject: [PrismaService, Idempotency, CONFIG, LOGGER],
      useFactory: createHousekeeping,
    },
    StartReport,
    Shutdown,
  ],
})
export class LifecycleModule {}

/** Deletes old days of usage and expired idempotency keys. */
function createHousekeeping(
  prisma: PrismaService,
  idempotency: Idempotency,
  { limits }: Config,
  logger: Logger,
): Housekeeping {
  return new Housekeeping({
    work: async (signal) => {
      const retentionDays = limits.usageRetentionDays;
      await deleteExpiredUsage(prisma, { retentionDays, batchSize: USAGE_BATCH, signal });
      let deleted = IDEMPOTENCY_BATCH;
      while (!signal.aborted && deleted === IDEMPOTENCY_BATCH) {
        deleted = await idempotency.deleteExpired(IDEMPOTENCY_BATCH);
      }
    },
    onError: (err) => logger.warn({ err }, 'deleting old rows failed; the next run retries'),
    random: Math.random,
  });
}
