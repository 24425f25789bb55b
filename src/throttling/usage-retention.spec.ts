import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import type { Statement } from '../prisma/statement.js';
import type { PrismaService } from '../prisma/prisma.service.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { openTestPool } from '../../test/support/test-pool.js';
import { deleteExpiredUsage } from './usage-retention.js';

const at = new Date('2026-11-20T23:59:59.999Z');

describe('deleteExpiredUsage', () => {
  let database: TestDatabase;
  let pool: Pool;
  let prisma: Pick<PrismaService, 'write'>;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openTestPool(database.url, { max: 5 });
    prisma = {
      write: async <Row extends object>({ text }: Statement, values: readonly unknown[]) =>
        (await pool.query<Row>(text, [...values])).rows,
    };
  });

  beforeEach(async () => {
    // Ten keys, with each of the hundred days before.
    await pool.query('truncate api_key_usage');
    await pool.query(
      `insert into api_key_usage (api_key_id, day, admitted, refused)
       select key, date '2026-11-20' - days, 1, 0
       from generate_series(1, 10) as key, generate_series(1, 100) as days`,
    );
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  async function left(): Promise<unknown> {
    const { rows } = await pool.query<{ days: number; oldest: number }>(
      `select count(*)::int as days, max(date '2026-11-20' - day)::int as oldest from api_key_usage`,
    );
    return rows[0];
  }

  it('deletes what is older than so many days, in as many batches as it takes, and nothing else', async () => {
    expect(await deleteExpiredUsage(prisma, { retentionDays: 30, batchSize: 64, at })).toBe(700);
    expect(await left()).toEqual({ days: 300, oldest: 30 });
    expect(await deleteExpiredUsage(prisma, { retentionDays: 30, batchSize: 64, at })).toBe(0);
  });

  it('deletes no more rows with a statement than a batch has, the oldest first', async () => {
    const signal = AbortSignal.abort();
    expect(await deleteExpiredUsage(prisma, { retentionDays: 30, batchSize: 50, signal, at })).toBe(50);
    expect(await left()).toEqual({ days: 950, oldest: 95 });
  });

  it('shares the work among replicas that do it at once, each row once', async () => {
    const replicas = Array.from({ length: 4 }, () =>
      deleteExpiredUsage(prisma, { retentionDays: 0, batchSize: 10, at }),
    );
    const deleted = (await Promise.all(replicas)).reduce((sum, count) => sum + count, 0);
    expect(await left()).toMatchObject({ days: 1000 - deleted });
    expect(deleted).toBeGreaterThan(0);
    await deleteExpiredUsage(prisma, { retentionDays: 0, batchSize: 1000, at });
    expect(await left()).toMatchObject({ days: 0 });
  });

  it('goes by the database’s clock when it is given no other', async () => {
    await pool.query('truncate api_key_usage');
    await pool.query(
      `insert into api_key_usage (api_key_id, day, admitted, refused)
       values (1, date '2000-01-01', 1, 0), (1, current_date + 2, 1, 0)`,
    );
    expect(await deleteExpiredUsage(prisma, { retentionDays: 0, batchSize: 1000 })).toBe(1);
  });

  it('does not wait for a row that somebody holds', async () => {
    const holder = await pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select from api_key_usage where api_key_id = 7 for update');
      expect(await deleteExpiredUsage(prisma, { retentionDays: 30, batchSize: 1000, at })).toBe(630);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });
});
