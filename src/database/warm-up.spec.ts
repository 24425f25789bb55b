import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { eventually } from '../../test/support/eventually.js';
import { openTestPool } from '../../test/support/test-pool.js';
import { createTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.js';
import type { Pool } from 'pg';
import type { Statement } from './statement.js';
import { WarmUp } from './warm-up.js';

const HOT: Statement = { name: 'hot', text: 'select $1::int, $2::bigint[]', pool: 'main' };

let database: TestDatabase;
let proxy: TcpProxy;
let pool: Pool;
let warmUp: WarmUp;
const warnings: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await createTcpProxy(database.url);
});
afterAll(async () => {
  await proxy.close();
  await database.drop();
});
beforeEach(() => {
  warnings.splice(0);
  pool = openTestPool(proxy.url, { max: 3 });
});
afterEach(async () => {
  warmUp.close();
  await proxy.mode('pass');
  await pool.end();
});

const prepare = (...statements: readonly Statement[]): WarmUp => {
  warmUp = new WarmUp([{ pool, statements }], true, (message) => warnings.push(message));
  return warmUp;
};

const isSettled = async (promise: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([promise.then(() => true), new Promise(setImmediate)])) === true;

const preparedOnEach = async (): Promise<unknown[]> => {
  const query = 'select pg_backend_pid() as pid, array(select name from pg_prepared_statements) as names';
  const results = await Promise.all(Array.from({ length: 3 }, () => pool.query(query)));
  expect(new Set(results.map(({ rows }) => (rows[0] as { pid: number }).pid)).size).toBe(3);
  return results.map(({ rows }) => (rows[0] as { names: unknown }).names);
};

describe('the warm-up', () => {
  it('opens connections and prepares the statements on each of them', async () => {
    await prepare(HOT).onApplicationBootstrap();
    expect(pool.idleCount).toBe(3);
    expect(await preparedOnEach()).toEqual([['hot'], ['hot'], ['hot']]);
    expect(warnings).toEqual([]);
  });

  it('delays the start while the database is slow', async () => {
    await proxy.mode('black-hole');
    pool.options.connectionTimeoutMillis = 500;
    const starting = prepare(HOT).onApplicationBootstrap();
    await eventually(() => expect(warnings).toHaveLength(1));
    expect(await isSettled(starting)).toBe(false);
    delete pool.options.connectionTimeoutMillis;
    await proxy.mode('pass');
    await starting;
    expect(await preparedOnEach()).toEqual([['hot'], ['hot'], ['hot']]);
  });

  it('gives up after half a minute', async () => {
    await proxy.mode('close');
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const starting = prepare(HOT).onApplicationBootstrap();
      await eventually(() =>
        expect(warnings).toEqual([expect.stringMatching(/^the database is not ready: .*ECONNREFUSED/)]),
      );
      expect(await isSettled(starting)).toBe(false);
      jest.advanceTimersByTime(30_000);
      await starting;
    } finally {
      jest.useRealTimers();
    }
  });

  it('survives a rejected statement, and prepares the others', async () => {
    const rejected: Statement = { name: 'rejected', text: 'insert into nowhere values ($1)', pool: 'main' };
    await prepare(rejected, HOT).onApplicationBootstrap();
    expect(warnings).toEqual([expect.stringContaining('"nowhere" does not exist')]);
    expect(await preparedOnEach()).toEqual([['hot'], ['hot'], ['hot']]);
  });
});
