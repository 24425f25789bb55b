import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, type Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { eventually } from '../../test/support/eventually.js';
import { grantRoles, loginAs, type TestLogin } from '../../test/support/operator-roles.js';
import { openTestPool } from '../../test/support/test-pool.js';

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

describe('the snapshots of the view', () => {
  it('are visible to each role, and their times to roles that may see them', async () => {
    await hold('begin isolation level repeatable read; select 1');
    await beginTransactions();
    expect((await look(service)).rows).toEqual([{ kind: 'session', isHidden: true, canEnd: true }]);
    expect((await look(owner)).rows).toEqual([{ kind: 'session', isHidden: false, canEnd: true }]);
  });

  it('exclude those of vacuum and its parallel workers', async () => {
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
});
