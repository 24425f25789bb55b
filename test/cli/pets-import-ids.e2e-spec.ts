import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pool, PoolClient } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { openTestPool } from '../support/test-pool.js';
import { json, type Petstore, petstoreOn } from './support/petstore.js';

let database: TestDatabase;
let pool: Pool;
let petstore: Petstore;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, { max: 2 });
  petstore = petstoreOn(database.url);
});
beforeEach(() => pool.query('truncate pets, orders restart identity'));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const importText = (text: string, format: 'csv' | 'ndjson', ...args: string[]) =>
  petstore(['pets', 'import', '-', '--format', format, ...args], { stdin: text });

/** NDJSON with an animal for each identifier, given as it is written. */
const rows = (...written: readonly (string | undefined)[]): string =>
  written
    .map((id, index) => `{${id === undefined ? '' : `"id":${id},`}"name":"n${index}","categoryId":1}\n`)
    .join('');

const ids = async (): Promise<readonly string[]> =>
  (await pool.query<{ id: string }>('select id from pets order by id')).rows.map(({ id }) => id);

const waitingForSequence = async (client: PoolClient): Promise<number | null> =>
  (await client.query(`select from pg_locks where relation = 'pets_id_seq'::regclass and not granted`))
    .rowCount;

describe('petstore pets import, with identifiers', () => {
  it('keeps them, and the next animal of the service comes after them', async () => {
    const given = ['-9223372036854775808', '41', '9223372036854775807', '7'];
    expect((await importText(rows(...given), 'ndjson')).stdout).toBe('Imported 4 animals.\n');
    expect(await ids()).toEqual(['-9223372036854775808', '7', '41', '9223372036854775807']);
    const { rows: next } = await pool.query(
      `insert into pets (name, category_id) values ('next', 1) returning id`,
    );
    expect(next).toEqual([{ id: '42' }]);
    // One that lies behind does not turn it back.
    expect((await importText(rows('9'), 'ndjson')).code).toBe(0);
    const { rows: after } = await pool.query(
      `insert into pets (name, category_id) values ('after', 1) returning id`,
    );
    expect(after).toEqual([{ id: '43' }]);
  });

  it('refuses those that are taken or come twice, by their lines', async () => {
    await importText(rows('1', '2', '3'), 'ndjson');
    const text = rows('10', '2', '11', '10', '1', '10');
    const outcome = await importText(text, 'ndjson');
    expect(outcome.code).toBe(1);
    expect(outcome.stderr.split('\n').slice(0, 5)).toEqual([
      'line 2: id 2 is taken: an animal has it already.',
      'line 4: id 10 is in the file before.',
      'line 5: id 1 is taken: an animal has it already.',
      'line 6: id 10 is in the file before.',
      'Nothing was imported: 4 of 6 rows were refused.',
    ]);
    expect(await ids()).toEqual(['1', '2', '3']);
    expect(await json(importText(text, 'ndjson', '--skip-invalid', '--json'))).toMatchObject({
      imported: 2,
      refused: 4,
    });
    expect(await ids()).toEqual(['1', '2', '3', '10', '11']);
    const { rows: kept } = await pool.query(`select name from pets where id = 10`);
    expect(kept).toEqual([{ name: 'n0' }]);
  });

  it('wants all of them or none', async () => {
    expect((await importText(rows('5', undefined), 'ndjson')).stderr).toMatch(/^line 2: id is missing/);
    expect((await importText(rows(undefined, '5'), 'ndjson')).stderr).toMatch(
      /^line 2: id must not be there/,
    );
    expect((await importText('id,name,categoryId\n5,a,1\n,b,1\n', 'csv')).stderr).toMatch(
      /^line 3: id is missing/,
    );
    expect((await importText(rows('"5"'), 'ndjson')).stderr).toMatch(
      /^line 1: id must be an integer of 64 bits\.\n/,
    );
    expect(await ids()).toEqual([]);
  });

  it('waits for who has drawn an identifier, and lets others draw meanwhile', async () => {
    const [holder, service] = [await pool.connect(), await pool.connect()];
    try {
      await holder.query(`begin; select nextval('pets_id_seq')`);
      let isDone = false;
      const outcome = importText(rows('41'), 'ndjson').finally(() => (isDone = true));
      // The holder stays: an insert that waited for it would wait for good.
      await service.query(`set statement_timeout = '30s'`);
      for (let nth = 0; nth < 3; nth += 1) {
        await eventually(async () => expect(await waitingForSequence(service)).toBe(1));
        await service.query(`insert into pets (name, category_id) values ('meanwhile', 1)`);
      }
      expect(isDone).toBe(false);
      await holder.query('commit');
      expect(await outcome).toMatchObject({ code: 0, stdout: 'Imported 1 animals.\n' });
      const { rows: next } = await service.query(
        `insert into pets (name, category_id) values ('next', 1) returning id`,
      );
      expect(next).toEqual([{ id: '42' }]);
    } finally {
      holder.release(true);
      service.release(true);
    }
  });

  it('gives new ones instead when that is asked for', async () => {
    await importText(rows('1'), 'ndjson');
    expect((await importText(rows('1', undefined, '"x"'), 'ndjson', '--new-ids')).code).toBe(0);
    expect(await ids()).toHaveLength(4);
  });
});
