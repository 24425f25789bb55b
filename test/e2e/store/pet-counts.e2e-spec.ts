import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool, PoolClient } from 'pg';
import { MIGRATIONS_DIRECTORY, readMigrations } from '../../../src/prisma/migration-files.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/database.js';
import { openTestPool } from '../../support/test-pool.js';

const WRITERS = 6;

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, { max: WRITERS + 2 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

interface Counts {
  readonly available: string;
  readonly pending: string;
  readonly sold: string;
}

const KEPT = 'select available, pending, sold from pet_inventory()';
const COUNTED = `
  select count(*) filter (where status = 'available') as available,
         count(*) filter (where status = 'pending') as pending,
         count(*) filter (where status = 'sold') as sold
  from pets`;

async function one(on: Pool | PoolClient, text: string): Promise<Counts | undefined> {
  return (await on.query<Counts>(text)).rows[0];
}

async function expectExact(on: Pool | PoolClient = pool): Promise<void> {
  expect(await one(on, KEPT)).toEqual(await one(on, COUNTED));
}

/** Works in a transaction that the work itself ends, if at all. */
async function inTransaction<Result>(
  begin: string,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const insert = (on: Pool | PoolClient, count: number, status: string | null): Promise<unknown> =>
  on.query(`insert into pets (name, category_id, status) select 'Pet', 1, $2 from generate_series(1, $1)`, [
    count,
    status,
  ]);

/** A step of the writers below: every kind of statement, on animals that they share. */
const STATEMENTS: readonly string[] = [
  `insert into pets (name, category_id, status) values ('Pet', 1, 'available')`,
  `insert into pets (name, category_id, status) select 'Pet', 1, s from unnest('{available,pending,sold,null}'::pet_status[]) as s`,
  `update pets set status = 'sold' where id in (select id from pets where id % 5 = 1 limit 3 for no key update skip locked)`,
  `update pets set status = 'pending' where id in (select id from pets where id % 7 = 2 limit 3 for no key update skip locked)`,
  `update pets set status = null where id in (select id from pets where id % 11 = 3 limit 2 for no key update skip locked)`,
  `update pets set name = 'Rex' where id in (select id from pets where id % 3 = 0 limit 2 for no key update skip locked)`,
  `delete from pets where id in (select id from pets where id % 4 = 2 limit 2 for update skip locked)`,
];

async function write(writer: number, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      for (let n = 0; n < 1 + ((writer + round) % 3); n += 1) {
        await client.query(STATEMENTS[(writer * 3 + round * 5 + n) % STATEMENTS.length] ?? 'select');
      }
      await client.query((writer + round) % 4 === 0 ? 'rollback' : 'commit');
    } finally {
      client.release();
    }
  }
}

describe('the counts of animals', () => {
  it('follow every kind of statement, and their own transaction alone', async () => {
    await insert(pool, 10, 'available');
    await insert(pool, 4, null);
    await pool.query(`update pets set status = 'sold' where status is null`);
    await pool.query(`update pets set status = null where status = 'available' and id % 2 = 0`);
    await pool.query('delete from pets where id % 3 = 0');
    await pool.query(`
      insert into pets (id, name, category_id, status)
      overriding system value
      select id, name, 1, 'pending' from pets limit 3
      on conflict (id) do update set status = excluded.status`);
    await expectExact();
    const before = await one(pool, KEPT);
    await inTransaction('begin', async (client) => {
      await insert(client, 5, 'sold');
      await client.query(`delete from pets where status = 'pending'`);
      await expectExact(client);
      expect(await one(client, KEPT)).not.toEqual(before);
      expect(await one(pool, KEPT)).toEqual(before);
    });
    expect(await one(pool, KEPT)).toEqual(before);
  });

  it('are exact in every snapshot while many write at once, and nobody waits for a count', async () => {
    let writing = true;
    const watch = async (): Promise<number> => {
      let looks = 0;
      for (; writing; looks += 1) {
        await inTransaction('begin isolation level repeatable read', expectExact);
      }
      return looks;
    };
    const watching = watch();
    try {
      await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer, 40)));
    } finally {
      writing = false;
    }
    expect(await watching).toBeGreaterThan(0);
    await expectExact();
    // A transaction that stays open keeps its part, and the others go on.
    await inTransaction('begin', async (client) => {
      await insert(client, 1, 'sold');
      // Sent at once, they are one transaction. Blocked it would wait for good.
      await pool.query(`
        set local lock_timeout = '30s';
        insert into pets (name, category_id, status) values ('Pet', 1, 'sold')`);
      await expectExact();
    });
    const { rows } = await pool.query<{ slots: number }>(
      'select count(distinct slot)::int as slots from pet_counts',
    );
    expect(rows[0]?.slots).toBeGreaterThan(1);
    expect(rows[0]?.slots).toBeLessThanOrEqual(WRITERS + 2);
  });

  it('refuse a writer whose snapshot is too old, rather than lose what others counted', async () => {
    await inTransaction('begin isolation level repeatable read', async (client) => {
      await one(client, COUNTED);
      await insert(pool, 1, 'available');
      await expect(insert(client, 1, 'available')).rejects.toMatchObject({ code: '40001' });
    });
    await pool.query('truncate pets, orders');
    await inTransaction('begin isolation level repeatable read', async (client) => {
      await one(client, COUNTED);
      await insert(pool, 1, 'available');
      // Here the part that it may use was not even made when its snapshot was.
      await expect(insert(client, 1, 'available')).rejects.toMatchObject({ code: '40001' });
    });
    await expectExact();
  });

  it('begin anew when the animals are truncated', async () => {
    await insert(pool, 3, 'available');
    await pool.query('truncate pets, orders');
    expect(await one(pool, KEPT)).toEqual({ available: '0', pending: '0', sold: '0' });
    await insert(pool, 2, 'sold');
    expect(await one(pool, KEPT)).toEqual({ available: '0', pending: '0', sold: '2' });
  });

  it('are read and written without meeting the versions that a long snapshot keeps', async () => {
    await inTransaction('begin isolation level repeatable read', async (reporter) => {
      await one(reporter, COUNTED);
      await pool.query(`
        do $$ begin
          for n in 1..3000 loop
            insert into pets (name, category_id, status) values ('Pet', 1, 'available');
          end loop;
        end $$`);
      const { rows } = await pool.query<{ pages: string; kept: string }>(`
        select pg_relation_size('pet_counts') / current_setting('block_size')::int as pages,
               (select count(*) from pet_counts) as kept`);
      // What there would be to read: one page holds about 120 versions.
      expect(Number(rows[0]?.pages)).toBeGreaterThan(20);
      expect(await buffersOf(KEPT)).toBeLessThan(30);
      expect(await buffersOf('select pg_temp.add_pet()')).toBeLessThan(60);
    });
  });

  it('begin with the animals that were there before the migration', async () => {
    const old = await createEmptyDatabase();
    const itsPool = openTestPool(old.url);
    try {
      const migrations = await readMigrations(MIGRATIONS_DIRECTORY);
      const counts = migrations.findIndex(({ name }) => name.endsWith('_inventory'));
      for (const { sql } of migrations.slice(0, counts)) await itsPool.query(sql);
      await insert(itsPool, 5, 'available');
      await insert(itsPool, 4, 'sold');
      await insert(itsPool, 3, null);
      await itsPool.query(migrations[counts]?.sql ?? '');
      expect(await one(itsPool, KEPT)).toEqual({ available: '5', pending: '0', sold: '4' });
      await insert(itsPool, 1, 'pending');
      expect(await one(itsPool, KEPT)).toEqual({ available: '5', pending: '1', sold: '4' });
    } finally {
      await itsPool.end();
      await old.drop();
    }
  });
});

/** An insert inside of a function, because what triggers touch is no part of a plan's own figures. */
const ADD_PET = `
  create function pg_temp.add_pet() returns void language plpgsql as $$
  begin
    insert into pets (name, category_id, status) values ('Pet', 1, 'sold');
  end $$`;

/** The pages that a statement touches once the session has planned it. */
async function buffersOf(statement: string): Promise<number> {
  return await inTransaction('begin', async (client) => {
    await client.query(ADD_PET);
    let buffers = 0;
    for (let n = 0; n < 2; n += 1) {
      const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json) ${statement}`,
      );
      buffers = rows[0]?.['QUERY PLAN'][0].Plan['Shared Hit Blocks'] ?? Number.NaN;
    }
    return buffers;
  });
}
