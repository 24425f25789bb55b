import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { MIGRATIONS_DIRECTORY } from '../../src/prisma/migration-files.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

let database: TestDatabase;
let clients: readonly [operator: Client, blocker: Client, other: Client];

beforeAll(async () => {
  database = await createTestDatabase();
  const connect = async (): Promise<Client> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    return client;
  };
  clients = [await connect(), await connect(), await connect()];
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await database.drop();
});

/** The statements that the README gives to operators. */
async function documented(begin: string): Promise<string> {
  const readme = await readFile(join(MIGRATIONS_DIRECTORY, 'README.md'), 'utf8');
  const block = readme.split('```sql\n').find((text) => text.startsWith(begin)) ?? '';
  return block.slice(0, block.indexOf('```'));
}

describe('what operators run on large tables before a release', () => {
  it('changes rows in batches, skips locked ones and comes back for them', async () => {
    const [operator, blocker, other] = clients;
    await operator.query('alter table pets add column nick text');
    await operator.query(`insert into pets (name, category_id) select 'Cat', 1 from generate_series(1, 10)`);
    await blocker.query('begin; select from pets where id = 2 for update');
    const recipe = await documented('do $$');
    const outcome = operator.query(recipe.replace('limit 1000', 'limit 4'));
    await eventually(async () => {
      const { rowCount } = await other.query(
        `select from pg_stat_activity
         where query like 'do $$%' and wait_event_type = 'Lock' and datname = current_database()`,
      );
      expect(rowCount).toBe(1);
    });
    // All others are changed and free.
    const { rowCount } = await other.query(`select from pets where nick = '' for update nowait`);
    expect(rowCount).toBe(9);
    await blocker.query('commit');
    await outcome;
    const { rows } = await other.query(
      'select count(*)::int as pets, count(distinct xmin::text)::int as transactions from pets where nick is not null',
    );
    expect(rows).toEqual([{ pets: 10, transactions: 4 }]);
  });

  it('builds an index while others write, and the migration leaves it as it is', async () => {
    const [operator, blocker, other] = clients;
    const [build, migration] = [
      await documented('create index concurrently'),
      await documented('-- Operators build'),
    ];
    await blocker.query(`begin; insert into pets (name, category_id) values ('Tom', 1)`);
    const outcome = operator.query(build);
    await eventually(async () => {
      const { rowCount } = await other.query(
        `select from pg_stat_activity
         where query like '%concurrently%' and wait_event_type = 'Lock' and datname = current_database()`,
      );
      expect(rowCount).toBe(1);
    });
    await other.query(`insert into pets (name, category_id) values ('Kitty', 1)`);
    await blocker.query('commit');
    await outcome;
    await operator.query(migration);
    const { rows } = await other.query(
      `select indisvalid from pg_index where indexrelid = 'pets_nick_idx'::regclass`,
    );
    expect(rows).toEqual([{ indisvalid: true }]);
  });
});
