import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { Client, type Pool } from 'pg';
import { Registry } from 'prom-client';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { grantRoles, loginAs, type TestLogin } from '../../../test/support/operator-roles.js';
import { openTestPool } from '../../../test/support/test-pool.js';
import { OldSnapshots } from './old-snapshots.js';
import { servingPools } from '../../../test/support/serving-pools.js';

const MINUTE_MS = 60_000;

let database: TestDatabase;
let login: TestLogin;
let owner: Pool;
let service: Pool;
const holders: Client[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  await grantRoles(database.url, 'superuser');
  login = await loginAs('petstore_service', database.url);
  owner = openTestPool(database.url, { max: 1 });
  service = openTestPool(login.url, { max: 2 });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(holders.splice(0).map((holder) => holder.end()));
});
afterAll(async () => {
  await service.end();
  await owner.end();
  await login.drop();
  await database.drop();
});

/** A session that has run statements. The end of the test ends it. */
async function hold(sql: string): Promise<Client> {
  const holder = new Client({ connectionString: database.url, application_name: 'report' });
  holders.push(holder);
  await holder.connect();
  await holder.query(sql);
  return holder;
}

/** A snapshot that keeps nothing back is no report. Transactions in the databases of other tests count too. */
const beginTransactions = (): Promise<unknown> =>
  owner.query('do $$ begin for n in 1..1000 loop perform pg_current_xact_id(); commit; end loop; end $$');

const look = (pool: Pool) =>
  pool.query(
    `select kind, since is null as "isHidden", remedy ~ '^select pg_terminate_backend' as "canEnd"
     from open_snapshots where transactions >= 1000`,
  );

/** The watch of a replica, with a clock that the test sets. */
function watch(pool: Pool) {
  let ms = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => ms);
  const pools = servingPools(pool);
  const replica = { wasReady: true, pools };
  const warnings: string[] = [];
  const registry = new Registry();
  const snapshots = new OldSnapshots(
    replica,
    { warn: (message: unknown) => void warnings.push(String(message)) },
    registry,
  );
  return {
    snapshots,
    warnings,
    replica,
    lookAt: (minutes: number): Promise<void> => {
      ms = minutes * MINUTE_MS;
      return snapshots.look();
    },
    metric: async () => /^petstore_oldest_snapshot_seconds (\S+)$/m.exec(await registry.metrics())?.[1],
  };
}

it.each([
  ['a report', 'begin isolation level repeatable read; select count(*) from pets'],
  ['a forgotten change', `begin; update plans set requests_per_minute = 6 where id = 'free'`],
])('reports the session of %s once when its snapshot has been open for ten minutes', async (_, sql) => {
  const { snapshots, warnings, lookAt, metric } = watch(service);
  const holder = await hold(sql);
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
  await beginTransactions();
  await lookAt(2);
  await lookAt(11.9);
  expect([await metric(), warnings]).toEqual(['594', []]);
  await lookAt(12);
  await lookAt(13);
  const sentence = (minutes: number): string =>
    `session ${rows[0]?.pid} (role ${new URL(database.url).username}, program "report") has kept a snapshot open for ${minutes} minutes, ` +
    `so old versions of rows add up and everything becomes slower; to end it: select pg_terminate_backend(${rows[0]?.pid})`;
  expect([warnings, snapshots.problems()]).toEqual([[sentence(10)], [sentence(11)]]);
  await holder.query('rollback');
  await lookAt(14);
  expect([await metric(), snapshots.problems()]).toEqual(['0', []]);
});

it('reports no session whose transactions are new ones, although another one keeps their snapshots old, nor an idle one', async () => {
  const { snapshots, lookAt } = watch(service);
  const writer = await hold('begin; select pg_current_xact_id()');
  const busy = await hold('select 1');
  await hold('begin; select count(*) from pets');
  for (let minute = 1; minute < 15; minute += 1) {
    await busy.query('begin isolation level repeatable read; select count(*) from pets');
    await beginTransactions();
    await lookAt(minute);
    await busy.query('commit');
  }
  const { rows } = await writer.query<{ pid: number }>('select pg_backend_pid() as pid');
  expect(snapshots.problems()).toEqual([expect.stringMatching(`^session ${rows[0]?.pid} `)]);
});

it('keeps what it has seen while the database is away, and says nothing of a standby', async () => {
  const { snapshots, lookAt, replica } = watch(service);
  await hold('begin isolation level repeatable read; select 1');
  await beginTransactions();
  await lookAt(1);
  const away = openTestPool('postgresql://127.0.0.1:1/petstore');
  replica.pools.main = away;
  await lookAt(5);
  replica.pools.main = service;
  await away.end();
  replica.wasReady = false;
  await lookAt(8);
  replica.wasReady = true;
  await lookAt(11);
  expect(snapshots.problems()).toHaveLength(1);
});

it('are visible to each role, and their times to roles that may see them', async () => {
  await hold('begin isolation level repeatable read; select 1');
  await beginTransactions();
  expect((await look(service)).rows).toEqual([{ kind: 'session', isHidden: true, canEnd: true }]);
  expect((await look(owner)).rows).toEqual([{ kind: 'session', isHidden: false, canEnd: true }]);
});

it('are not those of a vacuum, nor of its parallel workers', async () => {
  await owner.query('create table big as select n as x, n as y from generate_series(1, 10000) as n');
  await owner.query('create index on big (x); create index on big (y); delete from big where x % 2 = 0');
  const vacuum = await hold(
    `set min_parallel_index_scan_size = 0; set vacuum_cost_delay = 20; set vacuum_cost_limit = 1`,
  );
  const { rows } = await vacuum.query<{ pid: number }>('select pg_backend_pid() as pid');
  const ended = vacuum.query('vacuum (parallel 2) big').catch((error: Error) => error.message);
  const workers = (): Promise<number | null> =>
    owner
      .query('select from pg_stat_activity where leader_pid = $1 and backend_xmin is not null', [
        rows[0]?.pid,
      ])
      .then(({ rowCount }) => rowCount);
  await eventually(async () => expect(await workers()).toBeGreaterThan(0));
  expect((await owner.query('select * from open_snapshots')).rows).toEqual([]);
  await owner.query('select pg_cancel_backend($1)', [rows[0]?.pid]);
  expect(await ended).toBe('canceling statement due to user request');
  await owner.query('drop table big');
});
