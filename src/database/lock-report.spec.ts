import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, type Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { eventually } from '../../test/support/eventually.js';
import { openTestPool } from '../../test/support/test-pool.js';
import { ConnectionPools } from './connection-pools.js';
import { LockReport } from './lock-report.js';
import { LONG_DEADLINES } from '../../test/support/deadlines.js';

let test: TestDatabase;
let pool: Pool;
let operator: Client;
let warnings: string[];
let report: LockReport;

const openOperator = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url, application_name: 'psql' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

const sessionOf = async (client: Client): Promise<RegExp> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return new RegExp(`^session ${rows[0]?.pid} \\(role \\w+, program "psql"\\) holds the lock`);
};

beforeEach(async () => {
  test = await createTestDatabase();
  warnings = [];
  pool = openTestPool(test.url, { application_name: 'petstore', max: 2 });
  report = new LockReport(pool, (message) => warnings.push(message));
  operator = await openOperator(test.url);
});

afterEach(async () => {
  await operator.end();
  await pool.end();
  await test.drop();
});

describe('a report of locks', () => {
  it('is written when a statement did not get its lock in time, once', async () => {
    const connections = new ConnectionPools({
      url: test.url,
      namedStatements: true,
      poolMax: 6,
      ...LONG_DEADLINES,
      statementTimeoutMs: 950,
      onConnectionLost: () => undefined,
      onWarning: (message) => warnings.push(message),
    });
    const session = await sessionOf(operator);
    await operator.query('begin; lock table pets in access exclusive mode');
    const blocked = connections.all.map((one) => one.query('select from pets limit 1'));
    for (const one of await Promise.allSettled(blocked)) expect(one.status).toBe('rejected');
    await eventually(() => expect(warnings).toEqual([expect.stringMatching(session)]));
    await operator.query('commit');
    await connections.close();
  });

  it.each([
    ['pets', 'an update', `update pets set name = 'Held' where id = $1`],
    ['pets', 'a lock', 'select from pets where id = $1 for no key update'],
    ['orders', 'a lock', 'select from orders where id = $1 for update'],
    ['categories', 'an update', `update categories set name = 'Held' where id = $1`],
  ] as const)('names the session that has locked a row of %s by %s', async (table, _how, statement) => {
    const { rows: pets } = await operator.query<{ id: string }>(
      `insert into pets (name, category_id, status) values ('Rex', 1, 'available') returning id`,
    );
    const { rows: orders } = await operator.query<{ id: string }>(
      'insert into orders (pet_id) values ($1) returning id',
      [pets[0]?.id],
    );
    const { rows: categories } = await operator.query<{ id: string }>(
      `insert into categories (name) values ('Dogs') on conflict do nothing returning id`,
    );
    const id = { pets, orders, categories }[table][0]?.id ?? '';
    const session = await sessionOf(operator);
    await operator.query('begin');
    await operator.query(statement, [id]);
    await report.write({ table, id });
    expect(warnings).toEqual([expect.stringMatching(session)]);
    await operator.query('rollback');
  });

  it('names the session that holds an order of the pet that cannot be deleted', async () => {
    await operator.query(
      `insert into pets (id, name, category_id, status) values (50, 'Rex', 1, 'available')`,
    );
    await operator.query('insert into orders (id, pet_id) values (60, 50)');
    const session = await sessionOf(operator);
    await operator.query('begin; select from orders where id = 60 for update');
    await report.write({ table: 'pets', id: 50n });
    expect(warnings).toEqual([expect.stringMatching(session)]);
    await operator.query('rollback');
  });

  it('names the session that a statement of the service waits for, whatever it has locked', async () => {
    await operator.query(`insert into pets (id, name, category_id) values (70, 'Rex', 1)`);
    const session = await sessionOf(operator);
    await operator.query(`begin; update pets set name = 'Max' where id = 70`);
    const waiting = pool.query(`update pets set name = 'Bo' where id = 70`);
    await eventually(async () => {
      // Not by the operator, whose transaction sees the sessions as they were.
      const { rows } = await pool.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      expect(rows).toHaveLength(1);
    }, 10_000);
    await report.write();
    expect(warnings).toEqual([expect.stringMatching(session)]);
    await operator.query('rollback');
    await waiting;
  });

  it('names no session that has locked other rows', async () => {
    await operator.query(`insert into pets (name, category_id) select 'Rex', 1 from generate_series(1, 9)`);
    await operator.query('begin; update pets set name = name where id > 1');
    await report.write({ table: 'pets', id: 1n });
    expect(warnings).toEqual([]);
    await operator.query('rollback');
  });

  it('omits sessions that only read or are idle outside a transaction', async () => {
    await operator.query(`begin; update pets set name = 'Held'; commit; begin; select count(*) from pets`);
    await report.write();
    expect(warnings).toEqual([]);
  });

  it('names no session of the service or of another database', async () => {
    const elsewhere = await createTestDatabase();
    const other = await openOperator(elsewhere.url);
    await other.query('begin; lock table pets in access exclusive mode');
    const own = await pool.connect();
    await own.query('begin; lock table pets in access exclusive mode');
    await report.write();
    expect(warnings).toEqual([]);
    await own.query('rollback');
    own.release();
    await other.end();
    await elsewhere.drop();
  });
});
