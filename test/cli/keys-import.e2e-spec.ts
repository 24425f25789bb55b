import { mkdtemp, readFile, rm, stat, writeFile, appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { json } from './support/petstore.js';
import { usePetstore } from './support/use-petstore.js';

const { petstore, query } = usePetstore();

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-import-'));
});
afterAll(() => rm(folder, { recursive: true }));

const newPath = (): string => join(folder, `file-${(files += 1)}.csv`);

async function tableWith(...lines: string[]): Promise<string> {
  const path = newPath();
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

type Issued = Readonly<Record<'line' | 'id' | 'name' | 'key' | 'plan_id' | 'requests_per_minute', string>>;

const readKeys = async (path: string): Promise<readonly Issued[]> =>
  parse<Issued>(await readFile(path), { bom: true, columns: true });

/** The ids of the keys whose secrets are these. */
async function idsOf(keys: readonly string[]): Promise<unknown[]> {
  const { rows } = await query<{ id: string }>(
    `select api_key_id as id from unnest($1::text[]) with ordinality as plain (key, place)
     join api_key_secrets on hash = sha256(convert_to(key, 'UTF8')) order by place`,
    [keys],
  );
  return rows.map(({ id }) => id);
}

const importTo = (table: string, to: string, ...more: string[]) =>
  petstore(['keys', 'import', table, '--to', to, ...more]);

describe('petstore keys import', () => {
  it('issues a key for each row, in their order, into a file that only its owner may read', async () => {
    const table = await tableWith(
      'plan,name,per_minute,expires,access,customer',
      'free,Acme,,,,',
      '',
      'pro,"Globex, ""the"" shop",7,2099-01-31T00:00:00Z,read,crm-7',
      'free,Acme,,,write,crm-8',
    );
    const to = newPath();
    expect(await json(importTo(table, to, '--json'))).toEqual({ issued: 3, file: to });
    expect((await stat(to)).mode & 0o777).toBe(0o600);
    const keys = await readKeys(to);
    expect(keys).toMatchObject([
      { line: '2', name: 'Acme', plan_id: 'free', customer: '' },
      { line: '4', name: 'Globex, "the" shop', plan_id: 'pro', requests_per_minute: '7', customer: 'crm-7' },
      { line: '5', name: 'Acme', plan_id: 'free', customer: 'crm-8' },
    ]);
    expect(await idsOf(keys.map(({ key }) => key))).toEqual(keys.map(({ id }) => id));
    const { rows } = await query(
      `select access, expires_at::text, customer from api_key_overview where id = any ($1) order by id`,
      [keys.map(({ id }) => id)],
    );
    expect(rows).toEqual(
      expect.arrayContaining([
        { access: 'read', expires_at: '2099-01-31 00:00:00+00', customer: 'crm-7' },
        { access: 'write', expires_at: null, customer: null },
        { access: 'write', expires_at: null, customer: 'crm-8' },
      ]),
    );
  });

  it('goes on where it failed, and issues no key twice', async () => {
    const lines = ['name,plan', ...Array.from({ length: 7 }, (_, n) => `customer ${n},free`)];
    const table = await tableWith(...lines, `${'x'.repeat(300)},free`);
    const to = newPath();
    const failed = await importTo(table, to, '--batch', '3');
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^2 lines \(8, 9\): /) });
    const before = await readKeys(to);
    expect(before.map(({ line }) => line)).toEqual(['2', '3', '4', '5', '6', '7']);
    // What failures leave: keys that were not committed, a part of a line, and a file that did not take the place of this one.
    await writeFile(`${to}.petstore-new`, 'line');
    await appendFile(
      to,
      `"8","9999","customer 6","free","psk_${'a'.repeat(38)}","psk_aaaaaaaa","","","",""\r\n"9","1`,
    );
    const corrected = await tableWith(...lines, 'short,free');
    expect(await importTo(corrected, to)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists already, and is not overwritten'),
    });
    expect(await json(importTo(corrected, to, '--resume', '--json'))).toEqual({ issued: 2, file: to });
    const keys = await readKeys(to);
    expect(keys.slice(0, 6)).toEqual(before);
    expect(keys.map(({ line }) => line)).toEqual(['2', '3', '4', '5', '6', '7', '8', '9']);
    expect(await idsOf(keys.map(({ key }) => key))).toEqual(keys.map(({ id }) => id));
    expect(await json(importTo(corrected, to, '--resume', '--json'))).toEqual({ issued: 0, file: to });
    expect((await stat(to)).mode & 0o777).toBe(0o600);
    const other = await tableWith('name,plan', 'somebody else,free');
    expect((await importTo(other, to, '--resume')).stderr).toMatch(
      /was written for another table: its line 2 /,
    );
  });

  it.each([
    [['plan', 'free'], /has no column "name"\.$/m],
    [['name,plan,limit', 'a,free,1'], /has a column "limit"\.\nThe columns are name, customer, plan, /],
    [['name,plan', 'a,free', 'b,'], /^Line 3, column plan: it is empty\.$/m],
    [['name,plan', 'a,gold'], /^Line 2, column plan: there is no plan "gold"\.\n/],
    [['name,plan,per_minute', 'a,free,0'], /^Line 2, column per_minute: It must be an integer from 1 /],
    [['name,plan,expires', 'a,free,tomorrow'], /^Line 2, column expires: It must be a valid time /],
    [['name,plan,access', 'a,free,admin'], /^Line 2, column access: It must be read or write\.$/m],
    [['name,plan', 'a,free,b'], /^The table cannot be read: .+ line 2$/m],
  ])('issues nothing of a table that is wrong: %j', async (lines, fault) => {
    const before = await query('select count(*) from api_keys');
    const to = newPath();
    const { code, stderr } = await importTo(await tableWith(...lines), to);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(fault) });
    await expect(stat(to)).rejects.toThrow('ENOENT');
    expect((await query('select count(*) from api_keys')).rows).toEqual(before.rows);
  });
});

describe('issue_api_keys', () => {
  it('issues a key for each name, in their order, also twice for one name', async () => {
    const names = Array.from({ length: 500 }, (_, n) => `customer ${n % 300}`);
    const { rows } = await query<{ id: string; key: string; name: string }>(
      `select * from issue_api_keys($1, plan => 'free')`,
      [names],
    );
    expect(rows.map(({ name }) => name)).toEqual(names);
    expect(await idsOf(rows.map(({ key }) => key))).toEqual(rows.map(({ id }) => id));
    expect((await query(`select * from issue_api_keys('{}', plan => 'free')`)).rows).toEqual([]);
  });

  it('issues each key once, however its columns are selected', async () => {
    const { rows } = await query<{ id: string }>(`select (issue_api_keys('{a,b}', plan => 'free')).*`);
    const { rows: all } = await query('select id from api_keys where id >= $1 order by id', [rows[0]?.id]);
    expect(all).toEqual(rows.map(({ id }) => ({ id })));
  });
});
