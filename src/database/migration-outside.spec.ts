import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createEmptyDatabase, type TestDatabase } from '../../test/support/database.js';
import { eventually } from '../../test/support/eventually.js';
import { MIGRATIONS_DIRECTORY } from './migration-files.js';
import { migrate } from './migrations.js';

/** For what is meant to run out of time. */
const AT_ONCE_MS = 50;
/** For what would otherwise wait for good. */
const DEADLINE = '30s';

const OUTSIDE = '-- migrate: outside a transaction\n';
const BUILD = `${OUTSIDE}create unique index concurrently if not exists "Cats key" on cats (name);`;

let folder: string;
let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'migration-outside-spec-'));
});
beforeEach(async () => {
  database = await createEmptyDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('create table cats (id int generated always as identity primary key, name text)');
});
afterEach(async () => {
  await client.end();
  await database.drop();
});
afterAll(() => rm(folder, { recursive: true }));

/** Brings the database to a release that consists of this migration. */
async function migrateTo(sql: string, lockTimeoutMs?: number): Promise<string[]> {
  const directory = await mkdtemp(join(folder, 'release-'));
  await mkdir(join(directory, '1_cats'));
  await writeFile(join(directory, '1_cats', 'migration.sql'), sql);
  return await migrate({
    connectionString: database.url,
    directory,
    ...(lockTimeoutMs !== undefined && { lockTimeoutMs }),
  });
}

/** Looks at what others may do while a migration waits for the row that `client` holds, and lets the row go. */
async function beside(look: (other: Client) => Promise<void>): Promise<void> {
  const other = new Client({ connectionString: database.url });
  await other.connect();
  try {
    await look(other);
  } finally {
    await other.end();
    await client.query('commit');
  }
}

/** How many sessions wait in a batch for a row that another holds. */
async function waitingForRow(other: Client): Promise<number | null> {
  const { rowCount } = await other.query(
    `select from pg_stat_activity
     where query like '%do $$%' and wait_event_type = 'Lock' and pid <> pg_backend_pid()
       and datname = current_database()`,
  );
  return rowCount;
}

/** Each index by name, and whether it is valid. */
async function indexes(): Promise<Record<string, boolean>> {
  const { rows } = await client.query<{ name: string; valid: boolean }>(
    `select relname as name, indisvalid as valid from pg_index join pg_class on oid = indexrelid
     where indrelid = 'cats'::regclass and not indisprimary`,
  );
  return Object.fromEntries(rows.map(({ name, valid }) => [name, valid]));
}

describe('a migration that runs outside a transaction', () => {
  it('builds an index and is recorded, once', async () => {
    expect(await migrateTo(BUILD)).toEqual(['1_cats']);
    expect(await migrateTo(BUILD)).toEqual([]);
    expect(await indexes()).toEqual({ 'Cats key': true });
  });

  it('is applied by one of any number of replicas', async () => {
    const results = await Promise.all(Array.from({ length: 6 }, () => migrateTo(BUILD)));
    expect(results.flat()).toEqual(['1_cats']);
    expect(await indexes()).toEqual({ 'Cats key': true });
  });

  it('lets others write while it waits for those who began earlier', async () => {
    await client.query(`begin; insert into cats (name) values ('Tom')`);
    const outcome = migrateTo(BUILD);
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await eventually(async () => {
      const { rowCount } = await other.query(
        `select from pg_stat_activity where query like '%concurrently%' and wait_event_type = 'Lock'
           and datname = current_database()`,
      );
      expect(rowCount).toBe(1);
    });
    // Blocked it would wait for the commit below, and fail.
    await other.query(`set lock_timeout = '${DEADLINE}'; insert into cats (name) values ('Kitty')`);
    await other.end();
    await client.query('commit');
    expect(await outcome).toEqual(['1_cats']);
    expect(await indexes()).toEqual({ 'Cats key': true });
  });

  it('leaves no broken index when it fails, and succeeds when its cause is gone', async () => {
    await client.query(`insert into cats (name) values ('Tom'), ('Tom')`);
    await expect(migrateTo(BUILD)).rejects.toThrow(
      /^Migration 1_cats failed and may be there in part, and is tried again: could not create unique index/,
    );
    expect(await indexes()).toEqual({});
    await client.query('delete from cats where id = 1');
    expect(await migrateTo(BUILD)).toEqual(['1_cats']);
  });

  it('takes away the broken index of an attempt whose process ended', async () => {
    await client.query(`insert into cats (name) values ('Tom'), ('Tom')`);
    const killed = client.query('create unique index concurrently "Cats key" on cats (name)');
    await expect(killed).rejects.toThrow('could not create unique index');
    expect(await indexes()).toEqual({ 'Cats key': false });
    await client.query('delete from cats where id = 1');
    await migrateTo(BUILD);
    expect(await indexes()).toEqual({ 'Cats key': true });
  });

  it('gives up when a transaction keeps it waiting, and says so', async () => {
    await client.query(`begin; insert into cats (name) values ('Tom')`);
    await expect(migrateTo(BUILD, AT_ONCE_MS)).rejects.toThrow(
      'Migration 1_cats was given up, because another transaction held what it needs for 50 ms',
    );
    await client.query('commit');
    expect(await migrateTo(BUILD)).toEqual(['1_cats']);
  });

  it('changes many rows in batches, each committed by itself', async () => {
    await client.query(`insert into cats (name) select 'Cat' from generate_series(1, 10)`);
    await migrateTo(`${OUTSIDE}do $$
      begin
        loop
          update cats set name = 'Cat ' || id where id in (select id from cats where name = 'Cat' limit 4);
          exit when not found;
          commit;
        end loop;
      end
      $$;`);
    const { rows } = await client.query(
      'select count(distinct xmin::text)::int as transactions, count(distinct name)::int as names from cats',
    );
    expect(rows).toEqual([{ transactions: 3, names: 10 }]);
  });

  it('keeps the rows of a batch for a moment only when another is locked, and succeeds when it is free', async () => {
    await client.query(`insert into cats (name) select 'Cat' from generate_series(1, 3)`);
    await client.query('begin; select from cats where id = 3 for update');
    const outcome = migrateTo(`${OUTSIDE}do $$
      begin
        loop
          update cats set name = 'Tom' where id in (select id from cats where name = 'Cat' limit 3);
          exit when not found;
          commit;
        end loop;
      end
      $$;`);
    await beside(async (other) => {
      // Less than the minute that a migration waits in all.
      await other.query(`set statement_timeout = '${DEADLINE}'`);
      for (let nth = 0; nth < 2; nth += 1) {
        await eventually(async () => expect(await waitingForRow(other)).toBe(1));
        await other.query('select from cats where id = 1 for update');
      }
    });
    expect(await outcome).toEqual(['1_cats']);
    const { rows } = await client.query('select distinct name from cats');
    expect(rows).toEqual([{ name: 'Tom' }]);
  });

  it('passes by a locked row as the README says, and comes back for it', async () => {
    await client.query(`insert into cats (name) select 'Cat' from generate_series(1, 10)`);
    await client.query('begin; select from cats where id = 2 for update');
    const readme = await readFile(join(MIGRATIONS_DIRECTORY, 'README.md'), 'utf8');
    const [, recipe = ''] = /```sql\n(-- migrate: outside a transaction\ndo [^]*?)```/.exec(readme) ?? [];
    const outcome = migrateTo(
      recipe
        .replaceAll('pets', 'cats')
        .replaceAll('nick is null', `name = 'Cat'`)
        .replaceAll(`nick = ''`, `name = 'Tom'`)
        .replace('limit 1000', 'limit 4'),
    );
    await beside(async (other) => {
      await eventually(async () => expect(await waitingForRow(other)).toBe(1));
      // All that are not locked are changed, and free.
      const { rowCount } = await other.query(`select from cats where name = 'Tom' for update nowait`);
      expect(rowCount).toBe(9);
    });
    expect(await outcome).toEqual(['1_cats']);
    const { rows } = await client.query('select distinct name from cats');
    expect(rows).toEqual([{ name: 'Tom' }]);
  });

  it('waits for a locked row also after batches that took longer than it may wait', async () => {
    await client.query(`insert into cats (name) select 'Cat' from generate_series(1, 2)`);
    await client.query('begin; select from cats where id = 2 for update');
    const outcome = migrateTo(
      `${OUTSIDE}do $$
      begin
        if exists (select from cats where name = 'Cat' and id = 1) then
          perform pg_sleep(1.6);
          update cats set name = 'Tom' where id in (select 1 limit 1);
          commit;
        end if;
        update cats set name = 'Tom' where id = 2;
      end
      $$;`,
      1500,
    );
    await beside(async (other) => {
      for (const sessions of [1, 0]) {
        await eventually(async () => expect(await waitingForRow(other)).toBe(sessions));
      }
    });
    expect(await outcome).toEqual(['1_cats']);
  });

  it.each([
    ['nothing', OUTSIDE],
    ['two statements', `${OUTSIDE}create index a on cats (id); create index b on cats (name);`],
  ])('is one statement: not %s', async (_what, sql) => {
    await expect(migrateTo(sql)).rejects.toThrow('and has to be one statement');
    expect(await indexes()).toEqual({});
  });

  it('takes as long as it needs, whatever the time-outs of its role', async () => {
    const settings = encodeURIComponent('-c statement_timeout=50 -c idle_in_transaction_session_timeout=50');
    const directory = await mkdtemp(join(folder, 'release-'));
    await mkdir(join(directory, '1_slow'));
    await writeFile(
      join(directory, '1_slow', 'migration.sql'),
      `${OUTSIDE}do $$ begin perform pg_sleep(0.2); end $$`,
    );
    const connectionString = `${database.url}${database.url.includes('?') ? '&' : '?'}options=${settings}`;
    expect(await migrate({ connectionString, directory })).toEqual(['1_slow']);
  });
});
