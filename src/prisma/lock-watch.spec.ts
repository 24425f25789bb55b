import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { eventually } from '../../test/support/eventually.js';
import { ConnectionPools } from './connection-pools.js';

let test: TestDatabase;
let connections: ConnectionPools;
let operator: Client;
let warnings: string[];

const openConnections = (): ConnectionPools =>
  new ConnectionPools({
    url: test.url,
    namedStatements: true,
    poolMax: 6,
    connectTimeoutMs: 5000,
    statementTimeoutMs: 5000,
    onConnectionLost: () => undefined,
    onBlocked: (message) => warnings.push(message),
  });

beforeEach(async () => {
  test = await createTestDatabase();
  warnings = [];
  connections = openConnections();
  operator = new Client({ connectionString: test.url, application_name: 'psql' });
  operator.on('error', () => undefined);
  await operator.connect();
});

afterEach(async () => {
  await operator.end();
  await connections.close();
  await test.drop();
});

describe('LockWatch', () => {
  it('names the session whose lock a statement waits for, once', async () => {
    const { rows } = await operator.query<{ pid: number }>('select pg_backend_pid() as pid');
    await operator.query('begin; lock table pets in access exclusive mode');
    await eventually(async () => {
      await Promise.allSettled(connections.all.map((pool) => pool.query('select from pets limit 1')));
      expect(warnings).toHaveLength(1);
    });
    expect(warnings[0]).toMatch(
      new RegExp(`lock of session ${rows[0]?.pid} \\(role \\w+, program "psql"\\)`),
    );
    await operator.query('commit');
  });

  it.each([
    ['pets', 'an update', `update pets set name = 'Held' where id = $1`],
    ['pets', 'a lock', 'select from pets where id = $1 for no key update'],
    ['orders', 'a lock', 'select from orders where id = $1 for update'],
  ] as const)('names the session that has locked a row of %s by %s', async (table, _how, statement) => {
    const { rows: pets } = await operator.query<{ id: string }>(
      `insert into pets (name, category_id, status) values ('Rex', 1, 'available') returning id`,
    );
    const { rows: orders } = await operator.query<{ id: string }>(
      'insert into orders (pet_id) values ($1) returning id',
      [pets[0]?.id],
    );
    const id = BigInt((table === 'pets' ? pets : orders)[0]?.id ?? '');
    const { rows } = await operator.query<{ pid: number }>('select pg_backend_pid() as pid');
    await operator.query('begin');
    await operator.query(statement, [id]);
    connections.reportLockedRow(table, id);
    await eventually(() => expect(warnings).toHaveLength(1));
    expect(warnings[0]).toMatch(
      new RegExp(`lock of session ${rows[0]?.pid} \\(role \\w+, program "psql"\\)`),
    );
    await operator.query('commit');
  });

  it('says nothing of a row that is free again', async () => {
    const { rows } = await operator.query<{ id: string }>(
      `insert into pets (name, category_id) values ('Rex', 1) returning id`,
    );
    await operator.query('begin');
    await operator.query(`update pets set name = 'Held' where id = $1`, [rows[0]?.id]);
    await operator.query('rollback');
    connections.reportLockedRow('pets', BigInt(rows[0]?.id ?? ''));
    // The pool serves queries in their order.
    await connections.main.query('select');
    await connections.close();
    expect(warnings).toEqual([]);
    connections = openConnections();
  });

  it('says nothing of a statement that waits in another database', async () => {
    const elsewhere = await createTestDatabase();
    const clients = ['psql', 'petstore'].map(
      (program) => new Client({ connectionString: elsewhere.url, application_name: program }),
    );
    const [holder, waiter] = clients as [Client, Client];
    await Promise.all(clients.map((client) => client.connect()));
    await holder.query('begin; lock table pets in access exclusive mode');
    const waiting = waiter.query('select from pets limit 1');
    // Slow enough for this watch to look.
    await connections.main.query('select pg_sleep(1.2)');
    expect(warnings).toEqual([]);
    await holder.query('commit');
    await waiting;
    await Promise.all(clients.map((client) => client.end()));
    await elsewhere.drop();
  });

  it('says nothing of a statement that is slow by itself', async () => {
    await connections.main.query('select pg_sleep(1.2)');
    expect(warnings).toEqual([]);
  });
});
