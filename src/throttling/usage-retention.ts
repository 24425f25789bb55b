import type { PrismaService } from '../prisma/prisma.service.js';
import { statement } from '../prisma/statement.js';

export interface ExpiredUsageOptions {
  /** Finished days that are kept, today (UTC) not counted. */
  readonly retentionDays: number;
  /** The most rows that one statement deletes, so that none holds locks for long. */
  readonly batchSize: number;
  /** Stops after the batch that is under way. */
  readonly signal?: AbortSignal;
  /** A test's clock in place of the database's. */
  readonly at?: Date;
}

const DELETE_EXPIRED_USAGE = statement(
  'delete_expired_usage',
  `
    delete from api_key_usage
    where ctid = any (array(
      select ctid
      from api_key_usage
      where day < (coalesce($3::timestamptz, now()) at time zone 'UTC')::date - $1::int
      order by day
      limit coalesce($2::int, 0)
      for update skip locked))
    returning day`,
);

/**
 * Deletes the finished days of all keys that are older than `retentionDays`, a batch at a time. Several replicas may do
 * so at once: each skips what another is deleting.
 *
 * @returns the number of rows that this call deleted
 */
export async function deleteExpiredUsage(
  prisma: Pick<PrismaService, 'write'>,
  { retentionDays, batchSize, signal, at }: ExpiredUsageOptions,
): Promise<number> {
  const values = [retentionDays, batchSize, at?.toISOString() ?? null];
  let deleted = 0;
  for (;;) {
    const { length } = await prisma.write(DELETE_EXPIRED_USAGE, values);
    deleted += length;
    if (length !== batchSize || signal?.aborted === true) return deleted;
  }
}
