import { describe, expect, it } from '@jest/globals';
import type { Pool, PoolClient } from 'pg';
import { selectOne } from './support/sql-outcome.js';
import { useDatabase } from './support/use-service.js';

const WRITERS = 6;
const database = useDatabase(WRITERS + 2);

const KEPT = 'select available, pending, sold from pet_inventory()';
const COUNTED = `
  select count(*) filter (where status = 'available') as available,
         count(*) filter (where status = 'pending') as pending,
         count(*) filter (where status = 'sold') as sold
  from pets`;

const kept = (on: Pool | PoolClient = database.pool): Promise<object> => selectOne(on, KEPT);

async function expectExact(on: Pool | PoolClient = database.pool): Promise<void> {
  expect(await kept(on)).toEqual(await selectOne(on, COUNTED));
}

/** Works in a transaction that is rolled back unless the work ends it. */
async function inTransaction<Result>(
  begin: string,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await database.pool.connect();
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

/** Every kind of statement, on pets that the writers share. */
const some = (condition: string, lock = 'no key update'): string =>
  `where id in (select id from pets where ${condition} limit 3 for ${lock} skip locked)`;
const STATEMENTS: readonly string[] = [
  `insert into pets (name, category_id, status) values ('Pet', 1, 'available')`,
  `insert into pets (name, category_id, status) select 'Pet', 1, s from unnest('{available,pending,sold,null}'::pet_status[]) as s`,
  `update pets set status = 'sold' ${some('id % 5 = 1')}`,
  `update pets set status = 'pending' ${some('id % 7 = 2')}`,
  `update pets set status = null ${some('id % 11 = 3')}`,
  `update pets set name = 'Rex' ${some('id % 3 = 0')}`,
  `delete from pets ${some('id % 4 = 2', 'update')}`,
];

async function write(writer: number, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const client = await database.pool.connect();
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

describe('the counts of the inventory', () => {
  it('follow every kind of statement, and are seen with their own transaction', async () => {
    const { pool } = database;
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
    const before = await kept();
    await inTransaction('begin', async (client) => {
      await insert(client, 5, 'sold');
      await client.query(`delete from pets where status = 'pending'`);
      await expectExact(client);
      expect(await kept(client)).not.toEqual(before);
      expect(await kept()).toEqual(before);
    });
    expect(await kept()).toEqual(before);
  });

  it('are exact in every snapshot while many write at once, and no writer waits for a count', async () => {
    let writing = true;
    const watch = async (): Promise<number> => {
      let snapshots = 0;
      for (; writing; snapshots += 1)
        await inTransaction('begin isolation level repeatable read', expectExact);
      return snapshots;
    };
    const watching = watch();
    try {
      await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer, 40)));
    } finally {
      writing = false;
    }
    expect(await watching).toBeGreaterThan(0);
    await expectExact();
    // A transaction that stays open keeps its slot, and the others go on.
    await inTransaction('begin', async (client) => {
      await insert(client, 1, 'sold');
      // Sent at once, they are one transaction. Blocked it would wait for good.
      await database.pool.query(`
        set local lock_timeout = '30s';
        insert into pets (name, category_id, status) values ('Pet', 1, 'sold')`);
      await expectExact();
    });
    const select = 'select count(distinct slot)::int as slots from pet_counts';
    const { slots } = await selectOne<{ slots: number }>(database.pool, select);
    expect(slots).toBeGreaterThan(1);
    expect(slots).toBeLessThanOrEqual(WRITERS + 2);
  });

  it.each([
    ['whose snapshot is too old', ''],
    ['whose slot did not exist in its snapshot', 'truncate pets, orders'],
  ])('reject a writer %s, rather than lose what others counted', async (_what, before) => {
    await database.pool.query(before);
    await inTransaction('begin isolation level repeatable read', async (client) => {
      await client.query(COUNTED);
      await insert(database.pool, 1, 'available');
      await expect(insert(client, 1, 'available')).rejects.toMatchObject({ code: '40001' });
    });
    await expectExact();
  });

  it('begin at 0 when the pets are truncated', async () => {
    await insert(database.pool, 3, 'available');
    await database.pool.query('truncate pets, orders');
    expect(await kept()).toEqual({ available: '0', pending: '0', sold: '0' });
    await insert(database.pool, 2, 'sold');
    expect(await kept()).toEqual({ available: '0', pending: '0', sold: '2' });
  });

  it('are read and written without the row versions that a long snapshot keeps', async () => {
    await inTransaction('begin isolation level repeatable read', async (reporter) => {
      await reporter.query(COUNTED);
      await database.pool.query(`
        do $$ begin
          for n in 1..3000 loop
            insert into pets (name, category_id, status) values ('Pet', 1, 'available');
          end loop;
        end $$`);
      const { pages } = await selectOne<{ pages: number }>(
        database.pool,
        `select (pg_relation_size('pet_counts') / current_setting('block_size')::int)::int as pages`,
      );
      // One page holds about 120 versions.
      expect(pages).toBeGreaterThan(20);
      expect(await buffersOf(KEPT)).toBeLessThan(30);
      expect(await buffersOf('select pg_temp.add_pet()')).toBeLessThan(60);
    });
  });
});

/** An insert inside of a function, because a plan's own figures leave out triggers. */
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
      const explained = await selectOne<{ 'QUERY PLAN': readonly [{ Plan: Record<string, number> }] }>(
        client,
        `explain (analyze, buffers, format json) ${statement}`,
      );
      buffers = explained['QUERY PLAN'][0].Plan['Shared Hit Blocks'] ?? Number.NaN;
    }
    return buffers;
  });
}
