import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { issueKeys, ROOMY } from '../support/issue-keys.js';
import { holdOpen } from '../support/operators.js';
import { type Replica, startReplicas } from '../support/replicas.js';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { openTestPool } from '../support/test-pool.js';
import { type Deployment, expectUnharmed, failUnderLoad, startDeployment } from './support/deployment.js';
import { type Exchange, isSuccess } from './support/history.js';
import {
  asSuperuser,
  createPetstoreDatabase,
  createPostgresServer,
  type PostgresServer,
} from './support/postgres-server.js';
import { createAgent, send } from './support/send.js';
import { fillDisk, openSmallDisk, type SmallDisk } from './support/small-disk.js';
import { awaitAbsentStandby, awaitNoStandby, createStandby, promote } from './support/standby.js';

jest.setTimeout(180_000);

const FAULT_MS = 3000;

describe('under mixed load on three replicas', () => {
  let deployment: Deployment;
  let server: PostgresServer;
  let disk: SmallDisk;
  beforeAll(async () => {
    deployment = await startDeployment({ settings: { max_connections: '40' } });
    ({ server } = deployment);
    disk = await openSmallDisk(server);
  });
  afterAll(async () => {
    await deployment.close();
    await disk.close();
  });

  /** For a while the role has a setting; sessions that are opened then begin with it. */
  const withRoleSetting = (setting: string, value: string) => async (): Promise<void> => {
    await asSuperuser(server, `alter role petstore set ${setting} = ${value}`);
    await asSuperuser(
      server,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'petstore'`,
    );
    await delay(FAULT_MS);
    await asSuperuser(server, `alter role petstore reset ${setting}`);
  };

  const withLock = (tables: string, ms: number) => async (): Promise<void> => {
    const held = await holdOpen(server.url, `lock table ${tables} in access exclusive mode`, []);
    await delay(ms);
    await held.stop();
  };

  const FAULTS: readonly {
    readonly fault: string;
    readonly inject: () => Promise<void>;
    /** The line in the log of a replica. */
    readonly cause: RegExp;
  }[] = [
    {
      fault: '`max_connections` reached by others',
      inject: async () => {
        await deployment.proxy.mode('close');
        const others = await takeAllSessions(server);
        await deployment.proxy.mode('pass');
        await delay(FAULT_MS);
        await Promise.all(others.map((other) => other.end()));
      },
      cause: /too many clients|remaining connection slots/,
    },
    {
      fault: 'the disk of the tables is full',
      inject: async () => {
        const full = await fillDisk(server);
        await delay(FAULT_MS);
        await full.free();
      },
      cause: /could not extend file|No space left on device/,
    },
    {
      fault: 'the primary is read-only',
      inject: withRoleSetting('default_transaction_read_only', 'on'),
      cause: /read-only transaction/,
    },
    {
      fault: 'every statement runs out of its time',
      inject: withRoleSetting('statement_timeout', `'1ms'`),
      cause: /statement timeout/,
    },
    {
      fault: 'a lock is held on every table',
      inject: withLock('pets, orders, api_key_counters, idempotency_keys', FAULT_MS),
      cause: /session \d+ \(role petstore[^)]*\) holds the lock that statements wait for/,
    },
  ];

  it.each(FAULTS)('$fault: 503 that the log explains, then all heals', async ({ fault, inject, cause }) => {
    const outcome = await failUnderLoad(deployment, inject);
    const logs = deployment.replicas.map((replica) => replica.log()).join('\n');
    await expectUnharmed(fault, outcome);
    expect(outcome.history.count(({ status }) => status === 503)).toBeGreaterThan(0);
    expect(logs).toMatch(cause);
  });

  // A write that waits for a row or a table has 1.2 s. What begins and ends a stall takes time, too, on a busy machine 0.3 s.
  const STALL_MS = 800;

  it.each([
    [
      'stall: commits wait for 0.8 s, 5 times',
      async () => {
        await awaitAbsentStandby(server);
        await delay(STALL_MS);
        await awaitNoStandby(server);
      },
    ],
    ['stall: `lock table pets` for 0.8 s, 5 times', () => withLock('pets', STALL_MS)()],
    ['stall: `lock table orders` for 0.8 s, 5 times', () => withLock('orders', STALL_MS)()],
  ])('%s: no request is rejected', async (fault, stall) => {
    const outcome = await failUnderLoad(deployment, async () => {
      // Each finds other statements in flight.
      for (let time = 1; time <= 5; time += 1) {
        await stall();
        await delay(2000);
      }
    });
    await expectUnharmed(fault, outcome, { heals: false });
    expect(outcome.history.count(({ status }) => status === 503)).toBe(0);
  });

  it('a snapshot is held open for 30 s: no request is rejected', async () => {
    let versions = 0;
    const outcome = await failUnderLoad(deployment, async () => {
      const report = 'set transaction isolation level repeatable read; select count(*) from pets';
      const held = await holdOpen(server.url, report, []);
      await delay(30_000);
      const { rows } = await deployment.pool.query<{ dead: number }>(
        `select n_dead_tup::int as dead from pg_stat_user_tables where relname = 'api_key_counters'`,
      );
      versions = rows[0]?.dead ?? 0;
      await held.stop();
    });
    await expectUnharmed('a snapshot held open for 30 s', outcome, {
      heals: false,
      also: `${versions} former versions of counters`,
    });
    expect(versions).toBeGreaterThan(1000);
    expect(outcome.history.count(({ status }) => status === 503)).toBe(0);
  });

  it('a synchronous standby is away: sessions stay within the budget, reads go on, and all heals', async () => {
    // By default (DATABASE_POOL_MAX).
    const budget = 10 * deployment.replicas.length;
    let most = 0;
    const outcome = await failUnderLoad(deployment, async () => {
      await awaitAbsentStandby(server);
      const until = performance.now() + 60_000;
      while (performance.now() < until) {
        const [row] = await asSuperuser(
          server,
          `select count(*)::int as count from pg_stat_activity where application_name = 'petstore'`,
        );
        most = Math.max(most, Number(row?.['count']));
        await delay(100);
      }
      await awaitNoStandby(server);
    });
    const { history } = outcome;
    const reads = history.count(isRead);
    const rejected = history.count((one) => isRead(one) && one.status === 503);
    await expectUnharmed('a synchronous standby does not respond for 60 s', outcome, {
      also: `at most ${most} sessions of ${budget}, ${rejected} of ${reads} reads rejected`,
    });
    expect(most).toBeLessThanOrEqual(budget);
    expect(reads).toBeGreaterThan(0);
    expect(rejected).toBe(0);
  });
});

const isRead = ({ operation }: Exchange): boolean => /^(list|inventory|get-)/.test(operation);

/** Opens connections of another program until the server takes no more. */
async function takeAllSessions({ url }: PostgresServer): Promise<readonly Client[]> {
  const taken: Client[] = [];
  for (;;) {
    const client = new Client({ connectionString: url, application_name: 'others' });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch {
      return taken;
    }
    taken.push(client);
  }
}

describe('kill -9 of PostgreSQL, and its start', () => {
  it('loses no acknowledged write, duplicates none, and recovers without a restart', async () => {
    const deployment = await startDeployment();
    const { server } = deployment;
    const outcome = await failUnderLoad(deployment, async () => {
      for (let kill = 1; kill <= 4; kill += 1) {
        await server.kill();
        await delay(500 * kill);
        await server.start();
        if (kill < 4) await delay(2000);
      }
    });
    await expectUnharmed('`kill -9` of PostgreSQL, then start', outcome, {
      countsMayBeLost: true,
      also: `${outcome.limits.uncounted} counts missing`,
    });
    expect(outcome.limits.reached).toBeGreaterThan(0);
    await deployment.close();
  });
});

describe('rows that another session keeps locked, under mixed load on three replicas', () => {
  let deployment: Deployment;
  let key: string;
  beforeAll(async () => {
    deployment = await startDeployment();
    [{ key = '' } = {}] = await issueKeys(deployment.pool, 1, ROOMY);
  });
  afterAll(() => deployment.close());

  interface Order {
    readonly status: number;
    readonly endedAt: number;
  }

  /** Orders a pet again and again until the response is no 503. */
  async function orderUntilDecided(client: number, petId: string): Promise<readonly Order[]> {
    const agent = createAgent();
    const all: Order[] = [];
    do {
      const { status } = await send(deployment.origins[client % 3] ?? '', {
        ...{ method: 'POST', path: '/v1/store/orders', body: `{"petId":${petId}}`, agent },
        headers: {
          authorization: `Bearer ${key}`,
          ...(client % 2 === 0 && { 'idempotency-key': `${petId}-${client}` }),
        },
      });
      all.push({ status, endedAt: performance.now() });
      await delay(100);
    } while (all.at(-1)?.status === 503);
    agent.destroy();
    return all;
  }

  it.each([1, 100])('cost the orders of other pets nothing: %i of them', async (count) => {
    const { pool, server, replicas } = deployment;
    const { rows } = await pool.query<{ id: string }>(
      `insert into pets (name, category_id, status)
       select 'to be locked', 1, 'available' from generate_series(1, $1) returning id::text`,
      [count],
    );
    const pets = rows.map(({ id }) => id);
    let freeAt = 0;
    let orders: readonly Order[] = [];
    const outcome = await failUnderLoad(deployment, async () => {
      const held = await holdOpen(server.url, 'select from pets where id = any($1) for update', [pets]);
      const clients = Array.from({ length: 15 * Math.min(count, 3) }, (_, client) =>
        orderUntilDecided(client, pets[client % count] ?? ''),
      );
      await delay(5000);
      freeAt = performance.now();
      await held.stop();
      orders = (await Promise.all(clients)).flat();
      // The history of the load does not contain these orders. A pet can only be deleted together with its order.
      await pool.query(
        `with orders_too as (delete from orders where pet_id = any($1)) delete from pets where id = any($1)`,
        [pets],
      );
    });
    const placed = orders.filter(({ status }) => status === 201);
    const wanted = Math.min(count, 45);
    await expectUnharmed(`locked rows: ${count} of them locked by another session for 5 s`, outcome, {
      heals: false,
      also: `${orders.length} orders of these pets`,
    });
    expect(outcome.history.count(({ status }) => status === 503)).toBe(0);
    expect(replicas.map((replica) => replica.log()).join('\n')).toMatch(
      /session \d+ \(role petstore[^)]*\) holds the lock that statements wait for/,
    );
    // Each wanted pet went to one client, once it was free.
    expect(placed).toHaveLength(wanted);
    for (const { endedAt } of placed) expect(endedAt).toBeGreaterThan(freeAt);
  });
});

describe('the primary is lost, and a synchronous standby takes its place at the same address', () => {
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

  it('loses no acknowledged write, and writes continue', async () => {
    const pool = openTestPool(primary.url, { max: 1 });
    const poolAfter = openTestPool(standby.url, { max: 1 });
    const origins = replicas.map(({ origin }) => origin);
    const failover = async (): Promise<void> => {
      const [state] = await asSuperuser(primary, 'select sync_state from pg_stat_replication');
      expect(state).toEqual({ sync_state: 'sync' });
      await primary.kill();
      await promote(standby);
      await proxy.retarget(standby.url);
    };
    const outcome = await failUnderLoad({ pool, origins }, failover, { poolAfter });
    await Promise.all([pool.end(), poolAfter.end()]);
    const { history, endedAt } = outcome;
    await expectUnharmed(
      'failover: `kill -9` of the primary, promotion of a synchronous standby at the same address',
      outcome,
      { countsMayBeLost: true },
    );
    const isWrite = ({ status, operation, sentAt }: Exchange): boolean =>
      isSuccess(status) && operation === 'create' && sentAt > endedAt;
    expect(history.count(isWrite)).toBeGreaterThan(0);
  });
});
