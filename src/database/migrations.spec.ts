import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, type QueryConfig } from 'pg';
import { createEmptyDatabase, type TestDatabase } from '../../test/support/database.js';
import { eventually } from '../../test/support/eventually.js';
import { CREATE_RECORDS_TABLE, INSERT_RECORD } from './migration-files.js';
import { migrate, pendingMigrations, type MigrateOptions } from './migrations.js';
import { beginTransaction } from './session-settings.js';

/** The lock that `prisma migrate deploy` holds while it works. */
const PRISMA_LOCK = 'select pg_advisory_lock(72707369)';
/** For what is meant to run out of time. */
const AT_ONCE_MS = 20;

let folder: string;
let database: TestDatabase;
let client: Client;
let messages: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'migrations-spec-'));
});
beforeEach(async () => {
  messages = [];
  database = await createEmptyDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes migrations by name and returns their directory. */
async function release(migrations: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(folder, 'release-'));
  for (const [name, sql] of Object.entries(migrations)) {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'migration.sql'), sql);
  }
  await writeFile(join(directory, 'migration_lock.toml'), 'provider = "postgresql"\n');
  return directory;
}

/** The same, with two of them that stand for TWO. */
async function folding(migrations: Record<string, string>): Promise<string> {
  const directory = await release(migrations);
  const folded = {
    ...{ release: '1.0.0', into: Object.keys(migrations).slice(0, 2) },
    migrations: Object.fromEntries(Object.entries(TWO).map(([name, sql]) => [name, checksumOf(sql)])),
  };
  await writeFile(join(directory, 'folded.json'), JSON.stringify(folded));
  return directory;
}

function migrateTo(directory: string, options: Partial<MigrateOptions> = {}): Promise<string[]> {
  return migrate({
    connectionString: database.url,
    directory,
    log: {
      info: (message) => messages.push(message),
    },
    ...options,
  });
}

async function column(sql: string): Promise<unknown[]> {
  const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
  return rows.map(([value]) => value);
}

const tables = () =>
  column(`select table_name from information_schema.tables
          where table_schema = 'public' and table_name <> '_prisma_migrations' order by 1`);
const recorded = () => column('select migration_name from _prisma_migrations order by started_at');

const checksumOf = (sql: string): string => createHash('sha256').update(sql).digest('hex');

const TWO = { '1_cats': 'create table cats (id int);', '2_dogs': 'create table dogs (id int);' };

describe('migrate', () => {
  it('applies the migrations in the order of their names and returns these', async () => {
    const directory = await release({ '2_fill': 'insert into cats values (1);', '1_cats': TWO['1_cats'] });
    const reported: string[] = [];
    const applied = await migrateTo(directory, { onApplied: (name) => reported.push(name) });
    expect(applied).toEqual(['1_cats', '2_fill']);
    expect(reported).toEqual(applied);
    expect(await column('select id from cats')).toEqual([1]);
  });

  it('applies nothing a second time', async () => {
    const directory = await release(TWO);
    await migrateTo(directory);
    expect(await migrateTo(directory)).toEqual([]);
    expect(messages).toEqual([]);
  });

  it("records what Prisma's command line expects", async () => {
    await migrateTo(await release({ '1_cats': TWO['1_cats'] }));
    const { rows } = await client.query('select * from _prisma_migrations');
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        checksum: checksumOf(TWO['1_cats']),
        started_at: expect.any(Date),
        finished_at: expect.any(Date),
        migration_name: '1_cats',
        logs: null,
        rolled_back_at: null,
        applied_steps_count: 1,
      },
    ]);
  });

  it.each([
    ['table orders', 'create table orders (id int)'],
    ['function today()', `create function today() returns date language sql return date '2026-01-01'`],
    ['type pet_status', `create type pet_status as enum ('alive', 'dead')`],
    ['view plan_overview', 'create view plan_overview as select 1 as one'],
  ])('changes nothing in a database of another program, which has a %s', async (object, statement) => {
    await client.query(statement);
    await expect(migrate({ connectionString: database.url })).rejects.toMatchObject({
      name: 'MigrationError',
      message: `The schema public of this database belongs to another program: it has a ${object}. Nothing was changed. Use a database of its own.`,
    });
    expect(
      await column(`select to_regclass('_prisma_migrations') is null and to_regclass('pets') is null`),
    ).toEqual([true]);
  });

  it('rolls back a failing migration, and reports its name and error in one line', async () => {
    const directory = await release({
      '1_cats': TWO['1_cats'],
      '2_bad': 'create table dogs (id int);\n-- 🐕\ninsert into wolves values (1);\n',
    });
    const error = await migrateTo(directory).catch((fault: unknown) => fault);
    expect(error).toMatchObject({
      name: 'MigrationError',
      message: 'Migration 2_bad failed: relation "wolves" does not exist (line 3, SQLSTATE 42P01)',
    });
    expect(String((error as Error).stack)).not.toContain('\n');
    expect(await tables()).toEqual(['cats']);
    expect(await recorded()).toEqual(['1_cats']);
  });

  it('rolls back a migration whose connection is cut', async () => {
    const cut = 'create table cats (id int); select pg_terminate_backend(pg_backend_pid());';
    const outcome = migrateTo(await release({ '1_cats': cut }));
    await expect(outcome).rejects.toThrow(/^Migration 1_cats failed: /);
    expect(await tables()).toEqual([]);
    expect(await migrateTo(await release(TWO))).toEqual(['1_cats', '2_dogs']);
  });

  it('runs squashed migrations in one transaction, and records all of them', async () => {
    const failing = await folding({
      '3_pets': 'create table pets (id int);',
      '4_bad': 'create tabel wolves',
    });
    await expect(migrateTo(failing)).rejects.toThrow(/^Migration 3_pets with 4_bad failed: /);
    expect(await tables()).toEqual([]);
    const directory = await folding({
      '3_pets': 'create table pets (id int);',
      '4_fill': 'insert into pets values (1);',
      '5_next': 'create table orders (id int);',
    });
    // Whichever comes first.
    const both = await Promise.all([migrateTo(directory), migrateTo(directory)]);
    expect(both.flat().toSorted()).toEqual(['3_pets', '4_fill', '5_next']);
    expect(await tables()).toEqual(['orders', 'pets']);
    expect(new Set(await recorded())).toEqual(new Set(['1_cats', '2_dogs', '3_pets', '4_fill', '5_next']));
    expect(await column('select count(*)::int from pets')).toEqual([1]);
  });

  it('does not run them if the originals were applied, or if Prisma applied them', async () => {
    await migrateTo(await release(TWO));
    const wrong = 'select 1 / 0;';
    const directory = await folding({
      '3_pets': wrong,
      '4_fill': wrong,
      '5_next': 'create table orders (id int);',
    });
    expect(await migrateTo(directory)).toEqual(['5_next']);
    expect(await column('select count(*)::int from _prisma_migrations')).toEqual([5]);
    await client.query(`delete from _prisma_migrations where migration_name < '3'`);
    expect(await migrateTo(directory)).toEqual([]);
    expect(await column('select count(*)::int from _prisma_migrations')).toEqual([5]);
    expect(await migrateTo(await release(TWO))).toEqual([]);
    expect(messages.at(-1)).toBe('The database has migrations of a newer release: 3_pets, 4_fill, 5_next.');
  });

  it('rejects a database with some of the originals, even if just applied', async () => {
    const directory = await folding({ '3_pets': 'select 1;', '4_fill': 'select 1;', '5_next': 'select 1;' });
    await client.query(PRISMA_LOCK);
    // It waits for the lock, and has seen an empty database.
    const outcome = expect(migrateTo(directory)).rejects.toThrow(
      'The database has 1 of the 2 migrations of 1.0.0. Migrate it with release 1.0.0 first, then with this one.',
    );
    await eventually(async () =>
      expect(
        await column(`select count(*)::int from pg_locks where locktype = 'advisory' and not granted`),
      ).not.toEqual([0]),
    );
    await client.query(CREATE_RECORDS_TABLE);
    await client.query(INSERT_RECORD, ['1_cats', checksumOf(TWO['1_cats'])]);
    await client.query('select pg_advisory_unlock_all()');
    await outcome;
    expect(await recorded()).toEqual(['1_cats']);
    await expect(migrateTo(directory)).rejects.toThrow('has 1 of the 2 migrations');
  });

  it('tries a migration that failed again at the next start', async () => {
    await expect(migrateTo(await release({ '1_cats': 'create tabel cats' }))).rejects.toThrow('1_cats');
    expect(await migrateTo(await release(TWO))).toEqual(['1_cats', '2_dogs']);
  });

  it('gives up if another process holds the migration lock', async () => {
    await client.query(PRISMA_LOCK);
    const outcome = migrateTo(await release(TWO), { lockTimeoutMs: AT_ONCE_MS });
    await expect(outcome).rejects.toThrow('another transaction held a lock that it needs for 20 ms');
    expect(await tables()).toEqual([]);
  });

  it('needs no lock when there is nothing to apply', async () => {
    const directory = await release(TWO);
    await migrateTo(directory);
    await client.query(PRISMA_LOCK);
    expect(await migrateTo(directory, { lockTimeoutMs: AT_ONCE_MS })).toEqual([]);
  });

  it('proceeds once the migration lock is released', async () => {
    const directory = await release(TWO);
    await client.query(PRISMA_LOCK);
    const outcome = migrateTo(directory);
    await client.query('select pg_advisory_unlock_all()');
    expect(await outcome).toEqual(['1_cats', '2_dogs']);
  });

  it('gives up if a transaction holds locks a migration needs, and rolls back', async () => {
    const directory = await release({
      ...TWO,
      '3_names': 'create table birds (id int); alter table cats add name text;',
    });
    await migrateTo(await release(TWO));
    await client.query('begin; lock table cats in access share mode');
    const outcome = migrateTo(directory, { lockTimeoutMs: AT_ONCE_MS });
    await expect(outcome).rejects.toThrow(
      /^Migration 3_names was rolled back, because another transaction held a lock that it needs for 20 ms: .*\. Session \d+ \(role \w+, program ".*"\) has locks on cats since \S+Z; to end it: select pg_terminate_backend\(\d+\)\.$/,
    );
    await client.query('commit');
    expect(await tables()).toEqual(['cats', 'dogs']);
    expect(await migrateTo(directory)).toEqual(['3_names']);
  });

  it("takes as long as it needs, whatever the role's time-outs, and writes to the schema public", async () => {
    const settings = encodeURIComponent(
      '-c statement_timeout=50 -c idle_in_transaction_session_timeout=1 -c search_path=pg_catalog -c default_transaction_isolation=serializable',
    );
    const directory = await release({ '1_slow': 'create table cats (id int); select pg_sleep(0.1);' });
    const connectionString = `${database.url}${database.url.includes('?') ? '&' : '?'}options=${settings}`;
    expect(await migrateTo(directory, { connectionString })).toEqual(['1_slow']);
    expect(await tables()).toEqual(['cats']);
  });

  it("is not ended by its role's idle time-out between the first two messages of a transaction", async () => {
    await client.query('set idle_in_transaction_session_timeout = 1');
    const timeouts: unknown[] = [];
    const observed = {
      query: async (query: QueryConfig, values?: unknown[]) => {
        await client.query(query, values);
        timeouts.push((await client.query('show idle_in_transaction_session_timeout')).rows);
      },
    };
    await beginTransaction(observed as unknown as Client, 1000, 1000);
    const off = [{ idle_in_transaction_session_timeout: '0' }];
    expect(timeouts).toEqual([off, off]);
  });

  it('rejects a database whose migration was edited after it had been applied, in one sentence', async () => {
    await migrateTo(await release(TWO));
    const edited = await release({ ...TWO, '2_dogs': 'create table wolves (id int);' });
    await expect(migrateTo(edited)).rejects.toThrow(
      /^Migration 2_dogs was edited after .* use a new database\.$/,
    );
  });

  it('ignores changed line endings', async () => {
    const lines = 'create table cats (\n  id int\n);\n';
    await migrateTo(await release({ '1_cats': lines }));
    await migrateTo(await release({ '1_cats': lines.replaceAll('\n', '\r\n') }));
    expect(messages).toEqual([]);
  });

  it('does not change a database that a newer release has migrated', async () => {
    await migrateTo(await release(TWO));
    const older = await release({ '1_cats': TWO['1_cats'] });
    expect(await migrateTo(older)).toEqual([]);
    expect(messages).toEqual(['The database has migrations of a newer release: 2_dogs.']);
  });

  it('rejects a database of other migrations, and does not change it', async () => {
    await migrateTo(await release(TWO));
    const other = await release({ '3_birds': 'create table birds (id int);' });
    await expect(migrateTo(other)).rejects.toThrow(
      'The database was migrated by a different set of migrations: it has 1_cats, 2_dogs, which this release does not have, but not 3_birds.',
    );
    expect(await tables()).toEqual(['cats', 'dogs']);
    expect(await recorded()).toEqual(['1_cats', '2_dogs']);
  });

  it('rejects an installation without migrations, or with half of one', async () => {
    await expect(migrateTo(join(folder, 'missing'))).rejects.toThrow('Cannot read the migrations');
    await expect(migrateTo(await release({}))).rejects.toThrow('There are no migrations in');
    const half = await release(TWO);
    await rm(join(half, '2_dogs/migration.sql'));
    await expect(migrateTo(half)).rejects.toThrow('Cannot read migration 2_dogs');
    expect(await tables()).toEqual([]);
  });
});

describe('pendingMigrations', () => {
  it('lists the missing migrations, in order', async () => {
    const directory = await release({ ...TWO, '3_birds': 'create table birds (id int);' });
    expect(await pendingMigrations(client, directory)).toEqual(['1_cats', '2_dogs', '3_birds']);
    await migrateTo(await release({ '1_cats': TWO['1_cats'] }));
    expect(await pendingMigrations(client, directory)).toEqual(['2_dogs', '3_birds']);
    await migrateTo(directory);
    expect(await pendingMigrations(client, directory)).toEqual([]);
  });

  it("finds this release's own migrations, and these can be applied", async () => {
    const names = await pendingMigrations(client);
    expect(names.length).toBeGreaterThan(0);
    expect(await migrate({ connectionString: database.url })).toEqual(names);
    expect(await pendingMigrations(client)).toEqual([]);
  });
});
