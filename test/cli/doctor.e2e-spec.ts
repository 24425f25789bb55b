import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { escapeIdentifier, type Pool } from 'pg';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { HOSTILE_SETTINGS, setHostileSettings } from '../support/hostile-settings.js';
import { grantRoles, loginAs } from '../support/operator-roles.js';
import { startPooler } from '../support/pooler.js';
import { openTestPool } from '../support/test-pool.js';
import { type Petstore, petstoreOn, type RunOptions } from './support/petstore.js';

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly message: string;
}

let database: TestDatabase;
let pool: Pool;
let petstore: Petstore;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, { max: 1 });
  petstore = petstoreOn(database.url);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** What is found, but for what only the server that the tests run on decides: it may forget everything in a crash. */
async function examine(run = petstore, options?: RunOptions): Promise<Readonly<Record<string, Finding>>> {
  const { code, stdout } = await run(['doctor', '--json'], options);
  const findings = JSON.parse(stdout) as Finding[];
  expect(code).toBe(findings.some(({ level }) => level === 'fail') ? 1 : 0);
  return Object.fromEntries(
    findings.filter(({ check }) => check !== 'durability').map((one) => [one.check, one]),
  );
}

const databaseName = (): string => escapeIdentifier(new URL(database.url).pathname.slice(1));

/** A clock of this machine that is ahead, and goes on by itself with each look at it. */
const at = (aheadMs: number, eachMs = 0): RunOptions => {
  let calls = 0;
  return { context: { nowMs: () => Date.now() + aheadMs + eachMs * (calls += 1) } };
};

const levels = (findings: Readonly<Record<string, Finding>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.values(findings).map(({ check, level }) => [check, level]));

describe('petstore doctor', () => {
  it('finds a database as it should be', async () => {
    const findings = await examine();
    expect(levels(findings)).toEqual({
      configuration: 'ok',
      connection: 'ok',
      version: 'ok',
      writes: 'ok',
      encoding: 'ok',
      migrations: 'ok',
      roles: expect.stringMatching(/^(?:ok|warn)$/),
      clock: 'ok',
      settings: 'ok',
      statement_timeout: 'ok',
      counters: 'ok',
      inventory: 'ok',
    });
    expect(findings['roles']?.message).toMatch(
      /may migrate, serve requests, manage keys and plans|is a superuser/,
    );
    expect(findings['connection']?.message).not.toContain(new URL(database.url).password || '//');
  });

  it('prints a line a check, and how many failed', async () => {
    const { stdout, stderr } = await petstore(['doctor']);
    const fsync = (await pool.query<{ fsync: string }>('show fsync')).rows[0]?.fsync;
    expect(stdout).toMatch(/^ok {4}configuration {6}every/);
    expect(stdout.trimEnd().split('\n')).toHaveLength(13);
    expect(stdout).toMatch(fsync === 'off' ? /^fail {2}durability {9}fsync is off/m : /^ok {4}durability/m);
    expect(stderr).toBe(fsync === 'off' ? '1 of 13 checks failed.\n' : '');
  });

  it('finds lost counters', async () => {
    await pool.query(`insert into api_keys (name, plan_id) values ('a', 'free'), ('b', 'free')`);
    await pool.query(`delete from api_key_counters where api_key_id = (select min(id) from api_keys)`);
    const { counters } = await examine();
    await pool.query(
      'insert into api_key_counters (api_key_id) select id from api_keys on conflict do nothing',
    );
    expect(counters).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(/^1 of 2 keys have none/),
    });
  });

  it('finds an inventory that is not what there is', async () => {
    await pool.query('alter table pets disable trigger pets_count_inserted');
    await pool.query(`insert into pets (name, category_id, status) values ('a', 1, 'sold')`);
    await pool.query('alter table pets enable trigger pets_count_inserted');
    const { inventory } = await examine();
    await pool.query('truncate pets, orders');
    expect(inventory).toMatchObject({
      level: 'fail',
      message: expect.stringMatching(/0 sold, and there are .* 1 sold/),
    });
  });

  it('finds clocks that differ, however long the answer takes', async () => {
    expect((await examine(petstore, at(-10_000)))['clock']).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(/^the database is (?:9\.9|10\.\d) s ahead/),
    });
    expect((await examine(petstore, at(10_000)))['clock']?.message).toMatch(/ s behind this machine/);
    // Asked 5 s before and answered 5 s after: the answer may have been made in between.
    expect((await examine(petstore, at(-15_000, 10_000)))['clock']).toMatchObject({ level: 'ok' });
  });

  it.each([
    ['1ms', 'warn', /^1 ms: busy seconds answer 503 too early/],
    ['599ms', 'warn', /600 ms fit the service, which gives a connection up after 950/],
    ['600ms', 'ok', /^600 ms$/],
    ['601ms', 'warn', /^601 ms: the service counts on less/],
  ])(
    'finds a time-out that does not fit, and is not cut short itself: %s',
    async (timeout, level, message) => {
      const role = new URL(database.url).username;
      const name = new URL(database.url).pathname.slice(1);
      await pool.query(`alter role ${role} in database "${name}" set statement_timeout = '${timeout}'`);
      const findings = await examine();
      await pool.query(`alter role ${role} in database "${name}" reset statement_timeout`);
      expect(findings['statement_timeout']).toMatchObject({ level, message: expect.stringMatching(message) });
      expect(findings['inventory']).toMatchObject({ level: 'ok' });
    },
  );

  it('names each wrong setting of sessions that come through a pooler, and how to set it', async () => {
    const hostile = await createTestDatabase();
    await setHostileSettings(hostile.url);
    const pooler = await startPooler(hostile.url);
    const { settings } = await examine(petstoreOn(pooler.url));
    expect(settings).toMatchObject({ level: 'fail' });
    for (const [name, value] of Object.entries(HOSTILE_SETTINGS)) {
      expect(settings?.message).toContain(`${name} is '${value}' instead of '`);
    }
    // The statements that it says help.
    const [, remedy = ''] = /cannot set it: (.*)$/.exec(settings?.message ?? '') ?? [];
    const client = openTestPool(hostile.url, { max: 1 });
    await client.query(remedy);
    await client.end();
    expect((await examine(petstoreOn(pooler.url)))['settings']).toMatchObject({ level: 'ok' });
    await pooler.close();
    await hostile.drop();
  });

  it('warns of a setting that makes responses late, not wrong', async () => {
    const pooler = await startPooler(database.url);
    await pool.query(`alter role current_user in database ${databaseName()} set jit = on`);
    const { settings } = await examine(petstoreOn(pooler.url));
    await pool.query(`alter role current_user in database ${databaseName()} reset jit`);
    await pooler.close();
    expect(settings).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(/^jit is 'on' instead of 'off', and through a pooler/),
    });
  });

  it('finds a database that is read only, and who made it so', async () => {
    await pool.query(`alter database ${databaseName()} set default_transaction_read_only = on`);
    const findings = await examine();
    // This session began before.
    await pool.query(`alter database ${databaseName()} reset default_transaction_read_only`);
    expect(findings['writes']).toMatchObject({
      level: 'fail',
      message: expect.stringMatching(/^default_transaction_read_only is on, set by the database/),
    });
  });

  it('finds a database that is not UTF-8', async () => {
    const latin = await createEmptyDatabase('LATIN1');
    const findings = await examine(petstoreOn(latin.url));
    await latin.drop();
    expect(findings['encoding']).toMatchObject({
      level: 'fail',
      message: expect.stringMatching(/^LATIN1: the service does not start on it/),
    });
  });

  it('stops where nothing more can be looked at', async () => {
    const empty = await createEmptyDatabase();
    const findings = await examine(petstoreOn(empty.url));
    await empty.drop();
    expect(levels(findings)).toEqual({
      configuration: 'ok',
      connection: 'ok',
      version: 'ok',
      writes: 'ok',
      encoding: 'ok',
      migrations: 'fail',
      clock: 'ok',
      settings: 'ok',
      statement_timeout: 'ok',
    });
    expect(findings['migrations']?.message).toMatch(
      /^(\d+) of \1 are not applied: run `petstore db migrate`\.$/,
    );
    expect(levels(await examine(petstoreOn('postgresql://petstore:secret@127.0.0.1:1/petstore')))).toEqual({
      configuration: 'ok',
      connection: 'fail',
    });
  });

  it('tells each fault of the configuration', async () => {
    const { code, stdout } = await petstore(['doctor'], { environment: { PORT: 'many', LOG_LEVEL: 'loud' } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}configuration {6}PORT: .*\nfail {2}configuration {6}LOG_LEVEL: .*\n$/);
  });

  it('tells an operator what may not be looked at', async () => {
    await grantRoles(database.url, 'superuser');
    const operator = await loginAs('petstore_operator', database.url);
    const findings = await examine(petstoreOn(operator.url));
    await operator.drop();
    expect(findings['roles']).toMatchObject({
      level: 'ok',
      message: expect.stringMatching(/may manage keys and plans$/),
    });
    expect(findings['inventory']).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(/^permission denied/),
    });
    expect(findings['counters']).toMatchObject({ level: 'ok' });
  });
});
