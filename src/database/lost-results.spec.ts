import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client, type Pool } from 'pg';
import { LONG_DEADLINES } from '../../test/support/deadlines.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { accept, errorResponse, type Reaction, withFakePostgres } from '../../test/support/fake-postgres.js';
import { createTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.js';
import { openTestPool } from '../../test/support/test-pool.js';
import { DATABASE_PROBE_MS } from '../config/config.js';
import { LostResults } from './lost-results.js';

/** Short, so that a statement of two seconds is long. */
const TIMEOUT_MS = 1350;

let database: TestDatabase;
let proxy: TcpProxy;
let pool: Pool;
let lostResults: LostResults;

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await createTcpProxy(database.url);
  pool = openTestPool(proxy.url, { max: 4, min: 4, application_name: 'petstore' });
  pool.on('error', () => undefined);
  watch();
});
afterEach(async () => {
  await proxy.close();
  lostResults.stop();
  await pool.end();
  await database.drop();
});

function watch(probeTimeoutMs = LONG_DEADLINES.probeTimeoutMs): void {
  lostResults = new LostResults(proxy.url, TIMEOUT_MS, probeTimeoutMs);
  lostResults.watch(pool);
}

describe('a statement that takes longer than the time-out', () => {
  it('keeps its connection while the server works on it', async () => {
    const { rows } = await pool.query(`select 'done' as result from pg_sleep(2)`);
    expect(rows).toEqual([{ result: 'done' }]);
    expect(pool.totalCount).toBe(1);
  });

  it('loses a half-open connection, after the server has ended the statements of others', async () => {
    await pool.query('select 1');
    await proxy.mode('half-open');
    const lost = pool.query('select 1');
    const working = pool.query(`select 'done' as result from pg_sleep(2)`);
    const first = await Promise.race([lost.catch(() => 'lost'), working.then(() => 'working')]);
    expect(first).toBe('working');
    await expect(lost).rejects.toThrow('Connection terminated');
    await expect(working).resolves.toMatchObject({ rows: [{ result: 'done' }] });
  });

  it('loses its connection whatever other programs do', async () => {
    const other = new Client({ connectionString: database.url, application_name: 'psql' });
    await other.connect();
    other.query('select pg_sleep(60)').catch(() => undefined);
    await pool.query('select 1');
    await proxy.mode('half-open');
    await expect(pool.query('select 1')).rejects.toThrow('Connection terminated');
    await other.end();
  });

  it.each(['black-hole', 'mute'] as const)(
    'loses its connection when the server cannot be reached (%s)',
    async (mode) => {
      lostResults.stop();
      watch(DATABASE_PROBE_MS);
      await pool.query('select 1');
      await proxy.mode(mode);
      await expect(pool.query('select 1')).rejects.toThrow('Connection terminated');
      expect(pool.totalCount).toBe(0);
    },
  );

  it('keeps its connection when its result comes just behind the response to the probe', async () => {
    const end = jest.fn(() => Promise.resolve());
    const [client, users] = [Object.assign(new EventEmitter(), { end }), new EventEmitter()];
    const connectionLost: Reaction = (socket) => {
      errorResponse({ C: '57P01' })(socket);
      setTimeout(() => users.emit('release', undefined, client), 5);
    };
    await withFakePostgres([accept, connectionLost], async (port) => {
      const { probeTimeoutMs } = LONG_DEADLINES;
      const url = `postgresql://petstore@127.0.0.1:${port}/petstore?sslmode=disable`;
      const looking = new LostResults(url, TIMEOUT_MS, probeTimeoutMs);
      looking.watch(users as Pool);
      users.emit('acquire', client);
      await once(users, 'release');
      looking.stop();
    });
    expect(end).not.toHaveBeenCalled();
  });

  it('loses its connection when the process ends, whatever the server does', async () => {
    const endless = pool.query('select pg_sleep(60)');
    endless.catch(() => undefined);
    lostResults.close();
    await expect(endless).rejects.toThrow('Connection terminated');
  });
});

describe('consecutive statements of one client of a connection', () => {
  it('each get the full time-out', async () => {
    const client = await pool.connect();
    for (let sent = 0; sent < 3; sent += 1) await client.query('select pg_sleep(0.5)');
    client.release();
    expect(pool.totalCount).toBe(1);
  });
});
