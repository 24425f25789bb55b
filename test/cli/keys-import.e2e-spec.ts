import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { eventually } from '../support/eventually.js';
import { holdOpen } from '../support/operators.js';
import { runProgram } from '../support/process.js';
import { createTcpProxy } from '../support/tcp-proxy.js';
import { json, petstoreOn } from './support/petstore.js';
import { usePetstore } from './support/use-petstore.js';

const { database, petstore, query } = usePetstore();

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

const count = async (): Promise<number> =>
  (await query<{ count: number }>('select count(*)::int from api_keys')).rows[0]?.count ?? 0;

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

  it('issues nothing after an error, and leaves no file', async () => {
    const before = await count();
    const table = await tableWith('name,plan', 'short,free', `${'x'.repeat(300)},free`);
    const to = newPath();
    expect(await importTo(table, to)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^None of the keys in ${to} is live, so it is removed\\.\n2 lines \\(2, 3\\): `),
      ),
    });
    await expect(stat(to)).rejects.toThrow('ENOENT');
    expect(await count()).toEqual(before);
  });

  it('overwrites no file, including that of another import', async () => {
    const table = await tableWith('name,plan', ...Array.from({ length: 50 }, (_, n) => `customer ${n},free`));
    const to = newPath();
    const before = await count();
    const outcomes = await Promise.all([importTo(table, to), importTo(table, to)]);
    expect(new Set(outcomes.map(({ code }) => code))).toEqual(new Set([0, 1]));
    expect(outcomes.map(({ stderr }) => stderr).join('')).toBe(
      `${to} exists already, and is not overwritten.\nName another file. To check if its keys are live: petstore keys find ${to}\n`,
    );
    expect(await count()).toBe(before + 50);
    expect((await idsOf((await readKeys(to)).map(({ key }) => key))).length).toBe(50);
  });

  it('has every key in the file, closed, before it commits', async () => {
    const table = await tableWith('name,plan', 'Acme,free', 'Globex,pro');
    const to = newPath();
    let found: unknown;
    const onCommitting = (): void => {
      found = parse(readFileSync(to), { bom: true, columns: true });
    };
    await petstore(['keys', 'import', table, '--to', to], { context: { onCommitting } });
    expect(found).toEqual(await readKeys(to));
    expect(await idsOf((found as readonly Issued[]).map(({ key }) => key))).toHaveLength(2);
  });

  it('has every live key in the file when it is killed while its commit waits', async () => {
    const table = await tableWith('name,plan', ...Array.from({ length: 40 }, (_, n) => `killed ${n},free`));
    const to = newPath();
    // As for a standby that is away.
    await query(
      `create function wait_in_commit() returns trigger language plpgsql as
         $$ begin perform pg_advisory_xact_lock(7); return null; end $$;
       create constraint trigger waits after insert on api_keys deferrable initially deferred
         for each row execute function wait_in_commit()`,
    );
    const holder = await holdOpen(database.url, 'select pg_advisory_xact_lock(7)', []);
    const { child, ended } = runProgram('cli/main.js', ['keys', 'import', table, '--to', to], {
      DATABASE_URL: database.url,
    });
    const live = `select count(*)::int from api_keys where name like 'killed %'`;
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query = 'commit'`;
    await eventually(async () => expect((await query(waiting)).rowCount).toBe(1));
    child.kill('SIGKILL');
    await ended;
    expect((await query(live)).rows).toEqual([{ count: 0 }]);
    await holder.stop();
    await eventually(async () => expect((await query(live)).rows).toEqual([{ count: 40 }]));
    await query('drop function wait_in_commit cascade');
    expect(await idsOf((await readKeys(to)).map(({ key }) => key))).toHaveLength(40);
    const found = await json<{ works: boolean }[]>(petstore(['keys', 'find', to, '--json']));
    expect(found.map(({ works }) => works)).toEqual(Array(40).fill(true));
  });

  it('keeps the file, and says how to check whether its keys are live, if the commit times out', async () => {
    const table = await tableWith('name,plan', 'Acme,free');
    const to = newPath();
    const proxy = await createTcpProxy(database.url);
    const { code, stderr } = await petstoreOn(proxy.url)(['keys', 'import', table, '--to', to], {
      context: { onCommitting: () => void proxy.mode('cut') },
    });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          `^Lost the connection to the database in the commit: .*The change may be in the database\\. To see it: petstore audit\nTo see whether the keys of ${to} are live: petstore keys find ${to}\n$`,
          's',
        ),
      ),
    ]);
    expect(await readKeys(to)).toHaveLength(1);
    await proxy.close();
  });

  it.each(['--resume', '--batch=1000'])('says that there is no %s any more, and the way', async (option) => {
    const to = newPath();
    expect(await importTo(await tableWith('name,plan', 'Acme,free'), to, option)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--batch and --resume were removed\.\n.*petstore keys find /),
    });
    await expect(stat(to)).rejects.toThrow('ENOENT');
  });

  it('rejects non-UTF-8, and reads UTF-8 exactly', async () => {
    const windows1252 = newPath();
    await writeFile(windows1252, Buffer.from('name,plan\r\nAcme,free\r\nM\u00FCller,free\r\n', 'latin1'));
    expect(await importTo(windows1252, newPath())).toMatchObject({
      code: 1,
      stderr: `Line 3 of ${windows1252} is not UTF-8.\nSave the file in UTF-8, and repeat the command.\n`,
    });
    const utf8 = newPath();
    await writeFile(utf8, '\uFEFFname,plan\r\nM\u00FCller\u2028大,free\r\n');
    const to = newPath();
    await json(importTo(utf8, to, '--json'));
    expect(await readKeys(to)).toMatchObject([{ name: 'M\u00FCller\u2028大' }]);
  });

  it.each([
    [['plan', 'free'], /has no column "name"\.$/m],
    [['name,plan,limit', 'a,free,1'], /has a column "limit"\.\nThe columns are name, customer, plan, /],
    [['name,plan', 'a,free', 'b,'], /^Line 3, column plan: it is empty\.$/m],
    [['name,plan,name', 'a,free,b'], /has two columns "name"\.$/m],
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
