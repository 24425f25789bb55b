import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { MIGRATIONS_DIRECTORY, readFolded } from '../src/database/migration-files.js';
import { migrate, pendingMigrations } from '../src/database/migrations.js';
import { catalogDifferences, catalogOf } from './support/catalog.js';
import {
  copyDatabase,
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from './support/database.js';
import { issueKeys } from './support/issue-keys.js';
import { grantRoles, onServer } from './support/operator-roles.js';
import { copyFoldedMigrations, FOLDED_RELEASE } from './support/release.js';
import { startReplica } from './support/replicas.js';
import { openTestPool } from './support/test-pool.js';

/** As the release left it, which this one upgrades: its migrations with their records. */
let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  folder = await copyFoldedMigrations();
  // With Turkish rules 1.1.0 cannot write its audit log.
  database = await createEmptyDatabase(`locale_provider libc locale 'C'`);
  await migrate({ connectionString: database.url, directory: folder });
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

async function onCopy<Result>(
  of: TestDatabase,
  work: (pool: Pool, url: string) => Promise<Result>,
): Promise<Result> {
  const copy = await copyDatabase(of.url);
  const pool = openTestPool(copy.url, { max: 1 });
  try {
    return await work(pool, copy.url);
  } finally {
    await pool.end();
    await copy.drop();
  }
}

/** The migrations of this release that run on such a database, in their order. */
async function laterMigrations(pool: Pool): Promise<readonly (readonly [name: string, sql: string])[]> {
  const into = (await readFolded(MIGRATIONS_DIRECTORY))?.into ?? [];
  const names = (await pendingMigrations(pool)).filter((name) => !into.includes(name));
  expect(names.length).toBeGreaterThan(0);
  return await Promise.all(
    names.map(
      async (name) =>
        [name, await readFile(join(MIGRATIONS_DIRECTORY, name, 'migration.sql'), 'utf8')] as const,
    ),
  );
}

const DEFAULTS = /alter table (\w+)\s[^;]*?add column (?:if not exists )?\w+[^,;]*? default /gs;

const FUNCTIONS_OF_ROW = `
  select oid::regprocedure::text as name from pg_proc
  where (select reltype from pg_class where oid = $1::regclass) = any (proargtypes)`;

/** The columns with a default that a migration adds to a table whose rows a function takes: PostgreSQL 17.12 rejects that. */
async function rejectedColumns(pool: Pool, sql: string): Promise<readonly string[]> {
  const rejected: string[] = [];
  for (const [, table = ''] of sql.matchAll(DEFAULTS))
    if ((await pool.query(FUNCTIONS_OF_ROW, [table])).rows.length > 0) rejected.push(table);
  return rejected;
}

const LOCKED = `
  select distinct c.relname as name from pg_locks l join pg_class c on c.oid = l.relation
  where l.pid = pg_backend_pid() and l.mode = 'AccessExclusiveLock'
    and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not c.relname = any ($1)`;

/** The statements of a migration behind its first on each table that it locks against reads; one of them should be its last. */
async function locksOf(pool: Pool, sql: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const made = [...sql.matchAll(/^create table (\w+)/gm)].map(([, name]) => name);
  await pool.query(`begin; ${sql}`);
  const { rows } = await pool.query<{ name: string }>(LOCKED, [made]);
  await pool.query('commit');
  return Object.fromEntries(
    rows.map(({ name }) => {
      const first = sql.search(new RegExp(`^(?:alter table ${name}|drop index)`, 'm'));
      return [name, sql.slice(first).match(/^[a-z]+ [a-z]+/gm) ?? []];
    }),
  );
}

describe(`a database of ${FOLDED_RELEASE}`, () => {
  it('adds no default columns to tables whose rows a function takes', () =>
    onCopy(database, async (pool) => {
      for (const [name, sql] of await laterMigrations(pool)) {
        expect([name, await rejectedColumns(pool, sql)]).toEqual([name, []]);
        await pool.query(sql);
      }
      expect(await rejectedColumns(pool, 'alter table pets\n  add column nick text default 1;')).toEqual([
        'pets',
      ]);
    }));

  it('blocks reads only briefly: one table per migration, in its last statements', () =>
    onCopy(database, async (pool) => {
      for (const [name, sql] of await laterMigrations(pool)) {
        const locks = Object.values(await locksOf(pool, sql));
        expect([name, locks.length]).toEqual([name, Math.min(locks.length, 1)]);
        expect(['alter table', 'drop index', 'comment on']).toEqual(expect.arrayContaining(locks.flat()));
      }
      const two = 'alter table pets add nick text;\nselect 1;\nalter table orders add note text;';
      expect(await locksOf(pool, two)).toEqual({
        pets: ['alter table', 'alter table'],
        orders: ['alter table'],
      });
    }));

  it('is migrated at the start of this release, and keeps its records', () =>
    onCopy(database, async (pool, databaseUrl) => {
      const [issued] = await issueKeys(pool, 1);
      await pool.query(
        `insert into pets (name, category_id, status) values ('Rex', 7, 'available'), ('Max', 7, 'available')`,
      );
      await pool.query('insert into orders (pet_id) values (1)');
      const replica = await startReplica({ databaseUrl });
      const get = async (path: string): Promise<unknown> =>
        await (
          await fetch(`${replica.origin}${path}`, { headers: { authorization: `Bearer ${issued?.key}` } })
        ).json();
      expect(await get('/v1/pets')).toEqual([
        { id: 1, name: 'Rex', categoryId: 7, status: 'pending' },
        { id: 2, name: 'Max', categoryId: 7, status: 'available' },
      ]);
      expect(await get('/v1/store/orders/1')).toMatchObject({ petId: 1, status: 'placed' });
      expect(await get('/v1/store/inventory')).toEqual({ available: 1, pending: 1, sold: 0 });
      await replica.stop();
    }));

  it('lets the same roles call functions with a new argument by the released calls', async () => {
    const role = `reports_${process.pid}`;
    await onServer(`create role ${role}`);
    await onCopy(database, async (pool, url) => {
      const mayCall = async (): Promise<unknown> =>
        (
          await pool.query(
            `select proname, has_function_privilege($1, oid, 'execute') as may_call,
               has_function_privilege($1, oid, 'execute with grant option') as may_grant
             from pg_proc
             where proname in ('busiest_api_keys_since', 'set_plan', 'issue_api_key', 'issue_api_keys')
             union all
             select attname, has_column_privilege($1, attrelid, attnum, 'select'), null from pg_attribute
             where attrelid = 'busiest_api_keys'::regclass and attname in ('name', 'plan_id', 'requests')
             order by proname`,
            [role],
          )
        ).rows;
      await pool.query(
        `grant execute on function set_plan(text, integer, integer, boolean) to ${role};
         grant execute on function issue_api_key(text, text, integer, integer, timestamptz) to ${role} with grant option;
         grant execute on function busiest_api_keys_since to ${role};
         grant select (name, requests) on busiest_api_keys to ${role}`,
      );
      const before = await mayCall();
      expect(before).toMatchObject(
        [true, true, false, true, false, true, true].map((may_call) => ({ may_call })),
      );
      await migrate({ connectionString: url });
      expect(await mayCall()).toEqual(before);
      for (const call of [
        `set_plan('pro', 600, 7000)`,
        `create_plan('new', 5, 50, false)`,
        `plan_change_preview('pro', 60, 700)`,
        `issue_api_key('a', 'pro', 5, 50, null)`,
        `issue_api_keys(array['b'], 'pro', 5, 50, null, 'read')`,
        `issue_customer_api_key('c', 'c', 'pro', 5, 50, null, 'read')`,
        `issue_customer_api_keys(array['d'], array['d'], 'pro', 5, 50, null, 'read')`,
        `set_api_key_limits(1, 6, null)`,
        `set_api_key_plan(1, 'enterprise', 6, 60)`,
      ])
        await pool.query(`select ${call}`);
    });
    await onServer(`drop role ${role}`);
  });

  it('takes the script of roles before its migrations, as deploy/postgres/roles.sh runs it, and gets the rights after', () =>
    onCopy(database, async (pool, url) => {
      await grantRoles(url, 'superuser', 'set petstore.before_migrations = on');
      await expect(grantRoles(url, 'superuser')).rejects.toMatchObject({
        message: 'the database is not migrated',
      });
      await migrate({ connectionString: url });
      await grantRoles(url, 'owner', 'set petstore.before_migrations = on');
      const { rows } = await pool.query(
        `select * from rights_that_differ() where difference not in ('unlisted', 'undecided')`,
      );
      expect(rows).toEqual([]);
    }));

  it('does not rerun what its own migrations made', () =>
    onCopy(database, async (pool, url) => {
      const later = (await laterMigrations(pool)).map(([name]) => name);
      expect(await migrate({ connectionString: url })).toEqual(later);
      expect(await migrate({ connectionString: url })).toEqual([]);
      expect(await pendingMigrations(pool)).toEqual([]);
    }));

  it('is rejected while some are missing, with a remedy', async () => {
    const half = await createEmptyDatabase();
    for (const name of ['20261128100000_usage_by_hour', '20261128110039_deletions_and_snapshots'])
      await rm(join(folder, name), { recursive: true });
    await migrate({ connectionString: half.url, directory: folder }).catch(() => undefined);
    await expect(migrate({ connectionString: half.url })).rejects.toThrow(
      /^The database has \d\d of the 66 migrations of 1\.1\.0\. Migrate it with release 1\.1\.0 first, then with this one\.$/,
    );
    await half.drop();
  });
});

describe('a new database', () => {
  let created: TestDatabase;
  let catalog: ReadonlyMap<string, string>;

  beforeAll(async () => {
    created = await createTestDatabase();
    await grantRoles(created.url, 'superuser');
    catalog = await onCopy(created, (pool) => catalogOf(pool));
  });
  afterAll(() => created.drop());

  it(`is what ${FOLDED_RELEASE} and an upgrade make, to the last right and record`, () =>
    onCopy(database, async (pool, url) => {
      await migrate({ connectionString: url });
      await grantRoles(url, 'superuser');
      expect(catalogDifferences(catalog, await catalogOf(pool))).toEqual({});
    }));

  it('reports any other difference by name', () =>
    onCopy(created, async (pool) => {
      await pool.query(
        `alter table pets add column nick text, drop constraint pets_name_length, alter column name drop not null;
         alter table plans disable trigger plans_audit_delete;
         create or replace function today() returns date language sql stable return current_date;
         alter view plan_overview set (security_invoker = true);
         comment on table pets is 'Other.';
         grant truncate on orders to petstore_support;
         update plans set requests_per_minute = 61 where id = 'free'`,
      );
      const names = Object.keys(catalogDifferences(catalog, await catalogOf(pool)));
      expect(names).toEqual(
        expect.arrayContaining([
          ...[
            'column nick of pets',
            'constraint pets_name_length of pets',
            'column name of pets',
            'table pets',
          ],
          ...[
            'trigger plans_audit_delete of plans',
            'function today()',
            'view plan_overview',
            'table orders',
          ],
          'rows of plans',
        ]),
      );
    }));

  it(`is one of a newer release for ${FOLDED_RELEASE}, which serves it on the way back`, async () => {
    const said: string[] = [];
    const release = await copyFoldedMigrations();
    const options = { connectionString: created.url, directory: release };
    expect(await migrate({ ...options, log: { info: (message) => said.push(message) } })).toEqual([]);
    expect(said).toEqual([expect.stringMatching(/^The database has migrations of a newer release: /)]);
    await rm(release, { recursive: true });
  });
});
