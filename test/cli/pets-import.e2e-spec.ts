import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { openTestPool } from '../support/test-pool.js';
import { json, type Petstore, petstoreOn } from './support/petstore.js';
import { createStockFiles, type StockFiles } from './support/stock-files.js';

interface Report {
  readonly rows: number;
  readonly refused: number;
  readonly imported: number;
  readonly refusals: readonly { readonly line: number; readonly message: string }[];
}

let database: TestDatabase;
let pool: Pool;
let petstore: Petstore;
let files: StockFiles;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, { max: 2 });
  petstore = petstoreOn(database.url);
  files = await createStockFiles();
});
beforeEach(() => pool.query('truncate pets, orders restart identity'));
afterAll(async () => {
  await pool.end();
  await database.drop();
  await files.remove();
});

const importText = (text: string | Buffer | Readable, format: 'csv' | 'ndjson', ...args: string[]) =>
  petstore(['pets', 'import', '-', '--format', format, ...args], { stdin: text });

const importFile = (...args: readonly string[]) => petstore(['pets', 'import', ...args]);

const stored = async (): Promise<readonly unknown[]> =>
  (await pool.query('select id, name, category_id, status from pets order by id')).rows;

const inventory = async (): Promise<unknown> => (await pool.query('select * from pet_inventory()')).rows[0];

describe('petstore pets import', () => {
  it('adds the animals of NDJSON, as POST /v1/pets takes them', async () => {
    const lines = [
      '{"name":"Rex","categoryId":9007199254740993,"status":"available"}',
      '',
      '  {"categoryId":7.0,"name":"a\\tb\\\\c\\nd","other":{"deep":[1]}}\r',
      '{"name":" Mieze 🐈 ","categoryId":-9223372036854775808,"status":"sold"}',
    ];
    expect(await json(importText(lines.join('\n'), 'ndjson', '--json'))).toEqual({
      rows: 3,
      refused: 0,
      imported: 3,
      refusals: [],
    });
    expect(await stored()).toEqual([
      { id: '1', name: 'Rex', category_id: '9007199254740993', status: 'available' },
      { id: '2', name: 'a\tb\\c\nd', category_id: '7', status: null },
      { id: '3', name: ' Mieze 🐈 ', category_id: '-9223372036854775808', status: 'sold' },
    ]);
    expect(await inventory()).toEqual({ available: '1', pending: '0', sold: '1' });
  });

  it('adds the animals of CSV, whatever the order of its columns, as spreadsheets write it', async () => {
    const text =
      '\ufeffstatus,"categoryId",note,name\r\n,9223372036854775807,x,"Rex, ""the"" dog"\r\nsold,7e0,,"two\nlines"\r\n';
    const path = await files.write('stock.CSV', text);
    expect(await petstore(['pets', 'import', path])).toEqual({
      code: 0,
      stdout: 'Imported 2 animals.\n',
      stderr: '',
    });
    expect(await stored()).toEqual([
      { id: '1', name: 'Rex, "the" dog', category_id: '9223372036854775807', status: null },
      { id: '2', name: 'two\nlines', category_id: '7', status: 'sold' },
    ]);
  });

  it('adds nothing when a row is refused, and tells every such row by its line', async () => {
    const lines = [
      'name,categoryId,status',
      'Rex,1,available',
      ',1,available',
      '"a',
      'b",2',
      'Rex,9223372036854775808,gone',
      'Rex,05,',
      'R"ex,1,',
      'Hansi,1,sold',
      'Mieze,"',
    ];
    const outcome = await importText(lines.join('\n'), 'csv');
    expect(outcome.code).toBe(1);
    expect(outcome.stdout).toBe('');
    expect(outcome.stderr.split('\n')).toEqual([
      expect.stringMatching(/^line 3: name must be a string of 1 to 255 characters/),
      'line 4: The row has 2 values, and the first line names 3.',
      'line 6: categoryId must be an integer of 64 bits. status must be one of available, pending, sold.',
      'line 7: categoryId must be an integer of 64 bits.',
      'line 8: A quote stands within a value: put the value in quotes, and each quote in it twice.',
      'line 10: A value in quotes begins here and does not end.',
      'Nothing was imported: 6 of 8 rows were refused.',
      'Mend them, or give --skip-invalid to add the others.',
      '',
    ]);
    expect(await stored()).toEqual([]);
    expect(await inventory()).toEqual({ available: '0', pending: '0', sold: '0' });
  });

  it('leaves refused rows out when that is asked for', async () => {
    const lines = [
      '{"name":"a","categoryId":1}',
      '{"name":"b"}',
      '[]',
      '{',
      'nul',
      '{"name":"c","categoryId":2}',
    ];
    const report = await json<Report>(importText(lines.join('\n'), 'ndjson', '--skip-invalid', '--json'));
    expect(report).toMatchObject({ rows: 6, refused: 4, imported: 2 });
    expect(report.refusals).toEqual([
      { line: 2, message: 'categoryId must be an integer of 64 bits.' },
      { line: 3, message: 'The row must be a JSON object.' },
      { line: 4, message: 'The row is not valid JSON.' },
      { line: 5, message: 'The row is not valid JSON.' },
    ]);
    expect((await stored()).length).toBe(2);
    expect((await importText('{"name":""}', 'ndjson', '--skip-invalid')).stdout).toBe(
      'Imported 0 animals; 1 rows were refused.\n',
    );
  });

  it('refuses bytes that are no UTF-8 in either format', async () => {
    const name = Buffer.from([0x22, 0xff, 0x22]);
    const ndjson = Buffer.concat([Buffer.from('{"name":'), name, Buffer.from(',"categoryId":1}')]);
    expect((await importText(ndjson, 'ndjson')).stderr).toMatch(/^line 1: The row is not valid UTF-8\.\n/);
    const csv = Buffer.concat([Buffer.from('name,categoryId\n'), name, Buffer.from(',1')]);
    expect((await importText(csv, 'csv')).stderr).toMatch(/^line 2: The row is not valid UTF-8\.\n/);
  });

  it('tells the first hundred refused rows, and all of them to a file', async () => {
    const text = '{}\n'.repeat(250);
    const path = files.path('refused.ndjson');
    const { stderr } = await importText(text, 'ndjson', '--report', path);
    expect(stderr.match(/^line /gm)).toHaveLength(100);
    expect(stderr).toContain(`… and 150 more: all are in ${path}.\n`);
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(250);
    expect(JSON.parse(lines[249] ?? '')).toEqual({ line: 250, message: expect.stringMatching(/^name must/) });
    expect(await importText(text, 'ndjson', '--report', files.path('no/such/folder'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The report cannot be written: /),
    });
  });

  it('only looks when it is asked to', async () => {
    const good = await importText('{"name":"a","categoryId":1}', 'ndjson', '--dry-run');
    expect(good).toEqual({ code: 0, stdout: '1 animals could be imported.\n', stderr: '' });
    expect(await importText('{}', 'ndjson', '--dry-run')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Nothing would be imported: 1 of 1 rows/),
    });
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['', /The file is empty/],
    ['name,status\nRex,sold\n', /no column categoryId/],
    ['name;categoryId\nRex;1\n', /no column name/],
    ['name,categoryId,name\n', /a column twice/],
  ])('says what is wrong with CSV that begins %j', async (text, wrong) => {
    expect(await importText(text, 'csv')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(wrong),
    });
  });

  it('says what is wrong with the file itself', async () => {
    expect(await importFile(files.path('none.csv'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be read: ENOENT/),
    });
    expect(await importFile(files.path('.'), '--format', 'csv')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is a directory/),
    });
    expect(await importFile('stock.xlsx')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--format ndjson or --format csv/),
    });
    expect(await importFile('-', '--format', 'xml')).toMatchObject({ code: 2 });
    expect((await importText('', 'ndjson')).stdout).toBe('Imported 0 animals.\n');
  });

  it('leaves nothing when reading breaks off', async () => {
    const breaking = Readable.from(
      (function* () {
        yield Buffer.from('{"name":"a","categoryId":1}\n'.repeat(5000));
        throw new Error('the disk is gone');
      })(),
    );
    expect(await importText(breaking, 'ndjson')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/the disk is gone/),
    });
    expect(await stored()).toEqual([]);
  });

  it('leaves nothing when the connection is lost', async () => {
    const { rows } = await pool.query<{ begunAt: string }>(`select clock_timestamp()::text as "begunAt"`);
    const begunAt = rows[0]?.begunAt;
    const losing = Readable.from(
      (async function* () {
        yield Buffer.from('{"name":"a","categoryId":1}\n'.repeat(5000));
        // This import's connection, and not that of a test before, which the server may still have.
        await eventually(async () => {
          const { rowCount } = await pool.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and application_name = 'petstore cli'
               and backend_start > $1 and query ~* '^\\s*copy'`,
            [begunAt],
          );
          expect(rowCount).toBe(1);
        });
        for (let chunk = 0; chunk < 100; chunk += 1)
          yield Buffer.from('{"name":"a","categoryId":1}\n'.repeat(5000));
      })(),
    );
    const { code, stderr } = await importText(losing, 'ndjson');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]*(?:terminat|lost)[^\n]*\n$/);
    expect(await stored()).toEqual([]);
  });

  it('is not hurried by the time-outs of its role', async () => {
    const role = new URL(database.url).username;
    const name = new URL(database.url).pathname.slice(1);
    await pool.query(`alter role ${role} in database "${name}" set statement_timeout = '150ms'`);
    const slow = Readable.from(
      (async function* () {
        yield Buffer.from('{"name":"a","categoryId":1}\n');
        await pool.query('set statement_timeout = 0; select pg_sleep(0.4)');
        yield Buffer.from('{"name":"b","categoryId":1}\n');
      })(),
    );
    const { code } = await importText(slow, 'ndjson');
    await pool.query(`alter role ${role} in database "${name}" reset statement_timeout`);
    expect(code).toBe(0);
    expect(await stored()).toHaveLength(2);
  });
});
