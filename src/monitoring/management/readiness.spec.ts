import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { errorResponse, withFakePostgres } from '../../../test/support/fake-postgres.js';
import { processTimeMs } from '../../../test/support/process-time.js';
import { createTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.js';
import { openTestPool } from '../../../test/support/test-pool.js';
import { Readiness } from './readiness.js';
import { servingPools } from '../../../test/support/serving-pools.js';
import { useDatabase } from '../../../test/support/use-service.js';

const database = useDatabase();
let proxy: TcpProxy;

beforeAll(async () => {
  proxy = await createTcpProxy(database.url);
});
afterAll(() => proxy.close());

it('is reported within a second if the database hangs', async () => {
  await proxy.mode('black-hole');
  const pool = openTestPool(proxy.url, { connectionTimeoutMillis: 10_000 });
  const readiness = new Readiness();
  readiness.serve(servingPools(pool));
  const beganAtMs = processTimeMs();
  const { isReady, checks } = await readiness.check();
  expect(processTimeMs() - beganAtMs).toBeLessThan(1000);
  expect({ isReady, database: checks.database }).toEqual({
    isReady: false,
    database: 'no response in 800 ms',
  });
  readiness.drain();
  await proxy.close();
  await pool.end();
});

it('is cached for callers that must not query, until the replica drains', async () => {
  const pool = openTestPool(database.url);
  const readiness = new Readiness();
  expect(readiness.lastKnownReady).toBe(false);
  readiness.serve(servingPools(pool));
  await readiness.check();
  expect(readiness.lastKnownReady).toBe(true);
  readiness.drain();
  expect(readiness.lastKnownReady).toBe(false);
  await pool.end();
});

it('fails while prepared statements are lost, and names the setting', async () => {
  const pool = openTestPool(database.url);
  const readiness = new Readiness();
  readiness.serve({ ...servingPools(pool), losesStatements: true });
  expect(await readiness.check()).toMatchObject({
    isReady: false,
    checks: { database: expect.stringContaining('set DATABASE_NAMED_STATEMENTS=off'), migrations: 'ok' },
  });
  readiness.drain();
  await pool.end();
});

it('includes the server error', async () => {
  const rejected = errorResponse({ C: '28P01', M: 'password authentication failed for user "petstore"' });
  await withFakePostgres([rejected], async (port) => {
    const said: string[] = [];
    const pool = openTestPool(`postgresql://petstore:secret@127.0.0.1:${port}/petstore`);
    const readiness = new Readiness();
    readiness.serve(servingPools(pool, (line) => void said.push(line)));
    const { checks } = await readiness.check();
    expect(checks.database).toBe('password authentication failed for user "petstore"');
    expect(said).toEqual([`the database is away: ${checks.database}`]);
    readiness.drain();
    await pool.end();
  });
});
