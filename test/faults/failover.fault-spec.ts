import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { type Replica, startReplicas } from '../support/replicas.js';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { openTestPool } from '../support/test-pool.js';
import { tell } from './support/figures.js';
import { checkHistory } from './support/history-checker.js';
import { startMixedLoad } from './support/mixed-load.js';
import {
  asSuperuser,
  createPetstoreDatabase,
  createPostgresServer,
  type PostgresServer,
} from './support/postgres-server.js';
import { createStandby, promote } from './support/standby.js';

jest.setTimeout(180_000);

const CALM_MS = 3000;
/** Two seconds; the rest is for a machine that has other things to do. */
const HEALED_MS = 3000;

let primary: PostgresServer;
let standby: PostgresServer;
let proxy: TcpProxy;
let replicas: readonly Replica[] = [];

beforeEach(async () => {
  primary = await createPostgresServer({ wal_level: 'replica' });
  await primary.start();
  await createPetstoreDatabase(primary);
  await primary.stop();
  standby = await createStandby(primary);
  await primary.start({ wal_level: 'replica', synchronous_standby_names: 'standby' });
  await standby.start();
  proxy = await createTcpProxy(primary.url);
  replicas = await startReplicas(3, { databaseUrl: proxy.url });
});

afterEach(async () => {
  await proxy.close();
  await Promise.allSettled(replicas.map((replica) => replica.stop()));
  await standby.remove();
  await primary.remove();
});

describe('the primary is lost, and a synchronous standby takes its place at the same address', () => {
  it('loses nothing that was acknowledged, and writes go on', async () => {
    // The animals and keys of the load come by the primary, the tables are read from the standby.
    const before = openTestPool(primary.url, { max: 1 });
    const load = await startMixedLoad({ pool: before, origins: replicas.map(({ origin }) => origin) });
    await delay(CALM_MS);
    const [state] = await asSuperuser(primary, 'select sync_state from pg_stat_replication');
    expect(state).toEqual({ sync_state: 'sync' });
    await primary.kill();
    await before.end();
    await promote(standby);
    await proxy.retarget(standby.url);
    const back = performance.now();
    await delay(CALM_MS);
    await load.stop();

    const { history } = load;
    const pool = openTestPool(standby.url, { max: 1 });
    const { lost, wrong } = await checkHistory(history, pool);
    await pool.end();
    const all = [...history.wrong, ...wrong];
    const healMs = history.healedAfter(back);
    await tell({
      fault: 'failover: `kill -9` of the primary, promotion of a synchronous standby at the same address',
      injected: 1,
      requests: history.requests,
      wrong: all.length,
      lost: lost.length,
      healMs,
      also: `slowest response ${Math.round(history.slowestMs)} ms, ${history.count(({ status }) => status === 503)} got 503`,
    });
    expect(lost).toEqual([]);
    expect(all).toEqual([]);
    expect(healMs).toBeLessThan(HEALED_MS);
    expect(history.count(({ status, sentAt }) => status === 201 && sentAt > back)).toBeGreaterThan(0);
  });
});
