import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MIGRATIONS_DIRECTORY } from '../src/database/migration-files.js';
import { migrate, pendingMigrations } from '../src/database/migrations.js';
import { copyDatabase, createEmptyDatabase, type TestDatabase } from './support/database.js';
import { issueKeys } from './support/issue-keys.js';
import { copyMigrationsOf } from './support/release.js';
import { startReplica } from './support/replicas.js';
import { openTestPool } from './support/test-pool.js';

const RELEASE = '1.0.0';

let database: TestDatabase;
let key: string;
let folder: string;

/** A database as the release left it: its migrations, which are frozen, with records. */
beforeAll(async () => {
  folder = await copyMigrationsOf(RELEASE);
  database = await createEmptyDatabase();
  await migrate({ connectionString: database.url, directory: folder });
  const pool = openTestPool(database.url, { max: 1 });
  key = (await issueKeys(pool, 1))[0]?.key ?? '';
  await pool.query(
    `insert into pets (name, category_id, status) values ('Rex', 7, 'available'), ('Max', 7, 'available')`,
  );
  await pool.query('insert into orders (pet_id) values (1)');
  await pool.end();
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const LOCKED = `
  select distinct c.relname as name from pg_locks l join pg_class c on c.oid = l.relation
  where l.pid = pg_backend_pid() and l.mode = 'AccessExclusiveLock' and c.relname = any($1)`;

const DEFAULTS = /alter table (\w+)\s[^;]*?add column (?:if not exists )?\w+[^,;]*? default /gs;

const FUNCTIONS_OF_ROW = `
  select oid::regprocedure::text as name from pg_proc
  where (select reltype from pg_class where oid = $1::regclass) = any (proargtypes)`;

describe(`a database of ${RELEASE}`, () => {
  it('gets no column with a default in a table whose rows a function takes: PostgreSQL 17.12 rejects that', async () => {
    const copy = await copyDatabase(database.url);
    const pool = openTestPool(copy.url, { max: 1 });
    let columns = 0;
    for (const name of await pendingMigrations(pool)) {
      const sql = await readFile(join(MIGRATIONS_DIRECTORY, name, 'migration.sql'), 'utf8');
      for (const [, table] of sql.matchAll(DEFAULTS)) {
        columns += 1;
        expect([name, table, (await pool.query(FUNCTIONS_OF_ROW, [table])).rows]).toEqual([name, table, []]);
      }
      await pool.query(sql);
    }
    expect(columns).toBeGreaterThan(0);
    await pool.end();
    await copy.drop();
  });

  it('is locked against reads for a moment only: one table by each migration, by its last statements', async () => {
    const copy = await copyDatabase(database.url);
    const pool = openTestPool(copy.url, { max: 1 });
    const { rows: tables } = await pool.query<{ tablename: string }>(
      `select tablename from pg_tables where schemaname = 'public'`,
    );
    const names = await pendingMigrations(pool);
    const locked: string[] = [];
    for (const name of names) {
      const sql = await readFile(join(MIGRATIONS_DIRECTORY, name, 'migration.sql'), 'utf8');
      await pool.query(`begin; ${sql}`);
      const { rows } = await pool.query<{ name: string }>(LOCKED, [tables.map((one) => one.tablename)]);
      await pool.query('commit');
      expect([name, rows.length]).toEqual([name, Math.min(rows.length, 1)]);
      for (const table of rows) {
        locked.push(table.name);
        const first = sql.search(new RegExp(`^(?:alter table ${table.name}|drop index)`, 'm'));
        const statements = sql.slice(first).match(/^[a-z]+ [a-z]+/gm);
        expect(['alter table', 'drop index', 'comment on']).toEqual(
          expect.arrayContaining(statements ?? ['none']),
        );
      }
    }
    expect(locked).toContain('api_key_counters');
    await pool.end();
    await copy.drop();
  });

  it('is migrated at the start of this release, and keeps its records', async () => {
    const replica = await startReplica({ databaseUrl: database.url });
    const get = async (path: string): Promise<unknown> =>
      await (await fetch(`${replica.origin}${path}`, { headers: { authorization: `Bearer ${key}` } })).json();
    expect(await get('/v1/pets')).toEqual([
      { id: 1, name: 'Rex', categoryId: 7, status: 'pending' },
      { id: 2, name: 'Max', categoryId: 7, status: 'available' },
    ]);
    expect(await get('/v1/store/orders/1')).toMatchObject({ petId: 1, status: 'placed' });
    expect(await get('/v1/store/inventory')).toEqual({ available: 1, pending: 1, sold: 0 });
    await replica.stop();
  });
});
