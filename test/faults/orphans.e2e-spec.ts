import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { holdOpen, type OperatorAtWork } from '../support/operators.js';
import { startService, type TestService } from '../support/service.js';
import { openTestPool } from '../support/test-pool.js';

/** Short, so that many statements are given up in a short test. */
const STATEMENT_TIMEOUT_MS = 500;
const LOCKED_MS = 4000;

let database: TestDatabase;
let service: TestService;
let operator: Pool;
let locked: OperatorAtWork<void> | undefined;

beforeEach(async () => {
  database = await createTestDatabase();
  operator = openTestPool(database.url, { max: 1 });
  service = await startService({
    databaseUrl: database.url,
    provokes503: true,
    environment: { DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS) },
  });
});

afterEach(async () => {
  await locked?.stop();
  await service.close();
  await operator.end();
  await database.drop();
});

const sessions = async (): Promise<number> => {
  const { rows } = await operator.query<{ sessions: number }>(
    `select count(*)::int as sessions
     from pg_stat_activity
     where datname = current_database() and application_name = 'petstore'`,
  );
  return rows[0]?.sessions ?? Number.NaN;
};

describe('a table that an operator keeps locked', () => {
  it('leaves no statement behind that waits for it and counts later, and no session', async () => {
    const { id, key } = await service.issueKey();
    expect((await service.fetch('/v1/pets', { key })).status).toBe(200);
    locked = await holdOpen(database.url, 'lock table api_key_counters in access exclusive mode', []);
    const until = performance.now() + LOCKED_MS;
    while (performance.now() < until) {
      await Promise.all(Array.from({ length: 5 }, () => service.fetch('/v1/pets', { key })));
      await delay(20);
    }
    expect(await sessions()).toBeLessThanOrEqual(service.config.database.poolMax);

    // Whatever still waits for the lock runs now.
    await locked.stop();
    locked = undefined;
    await eventually(async () => expect((await service.fetch('/v1/pets', { key })).status).toBe(200));
    const { rows } = await operator.query('select day_admitted from api_key_counters where api_key_id = $1', [
      id,
    ]);
    // The first request, the last one, and a group or two that had the lock when it was free.
    expect(Number(rows[0]?.['day_admitted'])).toBeLessThanOrEqual(2 + 2 * 5);
  });
});
