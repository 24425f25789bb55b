import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg, { type Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { openTestPool } from '../../test/support/test-pool.js';

import { columnTypes, queryRows } from './query-rows.js';

let database: TestDatabase;
/** Of one connection, so that each test finds it as the one before left it. */
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, { max: 1, types: columnTypes });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe.each([true, false])('rows of a statement (named: %p)', (named) => {
  const rows = (name: string, text: string, values: unknown[] = []) =>
    queryRows({ queryable: pool, named }, { name, text }, values);

  it('are what the driver itself reads, value by value', async () => {
    const text = `
      select n, 7::int, n::text, n::float8, n % 2 = 0, null::int8, array[n], '\\x00ff'::bytea, jsonb_build_object('n', n),
        timestamptz '2026-11-20T12:00:00Z', n as n
      from generate_series($1::int8, $1::int8 + 2) as n`;
    const values = [9_007_199_254_740_993n];
    const { rows: expected } = await pool.query({ text, values, rowMode: 'array' });
    for (let run = 0; run < 3; run += 1) expect(await rows('values', text, values)).toEqual(expected);
    expect(expected[0]?.[0]).toBe(9_007_199_254_740_993n);
  });

  it('are none where there are none', async () => {
    expect(await rows('nothing', 'select 1 where $1', [false])).toEqual([]);
    expect(await rows('no_columns', 'select from generate_series(1, 2)')).toEqual([[], []]);
  });

  it("fail with the driver's error, also after the first of them, and leave the connection good", async () => {
    const text = 'select 1 / (2 - n) from generate_series(1, $1) as n';
    await expect(rows('late_failure', text, [3])).rejects.toMatchObject({ code: '22012' });
    expect(await rows('late_failure', text, [1])).toEqual([[1]]);
    await expect(rows('bad', 'select nothing')).rejects.toMatchObject({ code: '42703' });
    expect(await rows('good', 'select $1::text', ['a'])).toEqual([['a']]);
  });

  it('are each their own, however many are asked for at once', async () => {
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    const answers = numbers.map((n) => rows('echo', 'select $1::int', [n]));
    expect(await Promise.all(answers)).toEqual(numbers.map((n) => [[n]]));
  });

  it('are not waited for past the time-out of the connection', async () => {
    const impatient = openTestPool(database.url, { max: 1, query_timeout: 50 });
    const sleep = queryRows(
      { queryable: impatient, named },
      { name: 'sleep', text: 'select pg_sleep($1)' },
      [5],
    );
    await expect(sleep).rejects.toThrow('Query read timeout');
    await impatient.end();
  });
});

it('what cannot be read is an error of that statement alone', async () => {
  const UUID_OID = 2950;
  const known = pg.types.getTypeParser(UUID_OID);
  pg.types.setTypeParser(UUID_OID, () => {
    throw new Error('unreadable');
  });
  try {
    const statement = { name: 'unreadable', text: 'select gen_random_uuid()' };
    await expect(queryRows({ queryable: pool, named: true }, statement, [])).rejects.toThrow('unreadable');
  } finally {
    pg.types.setTypeParser(UUID_OID, known);
  }
  expect(await queryRows({ queryable: pool, named: true }, { name: 'one', text: 'select 1' }, [])).toEqual([
    [1],
  ]);
});

it('a statement with a name is prepared once a connection', async () => {
  const source = { queryable: pool, named: true };
  for (let run = 0; run < 3; run += 1) await queryRows(source, { name: 'prepared', text: 'select 1' }, []);
  const { rows } = await pool.query(
    `select (generic_plans + custom_plans)::int as runs from pg_prepared_statements where name = 'prepared'`,
  );
  expect(rows).toEqual([{ runs: 3 }]);
});
