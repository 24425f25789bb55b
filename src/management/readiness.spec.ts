import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { processTimeMs } from '../../test/support/process-time.js';
import { createTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.js';
import { openTestPool } from '../../test/support/test-pool.js';
import { Readiness } from './readiness.js';

let database: TestDatabase;
let proxy: TcpProxy;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await createTcpProxy(database.url);
});
afterAll(async () => {
  await proxy.close();
  await database.drop();
});

it('is reported within a second while the database says nothing', async () => {
  await proxy.mode('black-hole');
  const pool = openTestPool(proxy.url, { connectionTimeoutMillis: 10_000 });
  const readiness = new Readiness();
  readiness.serve({ main: pool, all: [pool], waiting: 0 });
  const beganAtMs = processTimeMs();
  const { isReady, checks } = await readiness.check();
  expect(processTimeMs() - beganAtMs).toBeLessThan(1000);
  expect({ isReady, database: checks.database }).toEqual({ isReady: false, database: 'no response' });
  await proxy.close();
  await pool.end();
});
