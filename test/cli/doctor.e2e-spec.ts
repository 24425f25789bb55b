import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { checkObjects, type Result } from '../../src/cli/doctor/program-checks.js';
import { SESSION_SETTINGS } from '../../src/database/session-settings.js';
import { createEmptyDatabase, createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { setHostileSettings } from '../support/hostile-settings.js';
import { asSuperuser, grantRoles, loginAs } from '../support/operator-roles.js';
import { openTestPool } from '../support/test-pool.js';
import { useDatabase } from '../support/use-service.js';
import { findingsOf, type Petstore, petstoreOn, type RunOptions } from './support/petstore.js';

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly message: string;
}

const database = useDatabase(1);
let petstore: Petstore;

beforeAll(async () => {
  petstore = petstoreOn(database.url);
  await grantRoles(database.url, 'superuser');
  for (const [name, value] of Object.entries(SESSION_SETTINGS)) {
    await database.pool.query(`alter database ${databaseName()} set ${name} = ${escapeLiteral(value)}`);
  }
});

/** The findings, except durability: the server that the tests run on may have fsync off. */
async function examine(run = petstore, options?: RunOptions) {
  const { durability: _any, ...findings } = await findingsOf(run, options);
  return findings;
}

const databaseName = (): string => escapeIdentifier(new URL(database.url).pathname.slice(1));

/** A clock of this machine that is ahead, and moves on by itself each time it is read. */
const at = (aheadMs: number, eachMs = 0): RunOptions => {
  let calls = 0;
  return { context: { nowMs: () => Date.now() + aheadMs + eachMs * (calls += 1) } };
};

const levels = (findings: Readonly<Record<string, Finding>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.values(findings).map(({ check, level }) => [check, level]));

describe('the objects that petstore doctor compares', () => {
  let superuser: Client;

  /** What the check says after a statement, which is rolled back. */
  async function objectsAfter(statement: string): Promise<Result> {
    await superuser.query(`begin; ${statement}`);
    try {
      return await checkObjects({ client: superuser });
    } finally {
      await superuser.query('rollback');
    }
  }

  beforeAll(async () => {
    superuser = new Client({ connectionString: asSuperuser(database.url) });
    await superuser.connect();
  });
  afterAll(() => superuser.end());

  it.each([
    ['trigger pets_count_inserted on pets', 'alter table pets disable trigger pets_count_inserted'],
    ['index orders_pet_id_id_idx on orders', 'drop index orders_pet_id_id_idx'],
    ['function has_pets(int8)', 'drop function has_pets'],
    ['view unused_api_keys', 'drop view unused_api_keys'],
    ['constraint pets_name_length on pets', 'alter table pets drop constraint pets_name_length'],
  ])('include what is missing: %s', async (object, statement) => {
    expect(await objectsAfter(statement)).toEqual({
      level: 'fail',
      message: expect.stringContaining(`${object} is missing`),
    });
  });

  const changes: readonly (readonly [string, string])[] = [
    [
      'view api_key_overview has security_invoker=on',
      'alter view api_key_overview set (security_invoker = on)',
    ],
    [
      'function count_pets() has security invoker instead of security definer',
      'alter function count_pets() security invoker',
    ],
    [
      'function count_pets() lacks search_path=public, pg_temp',
      'alter function count_pets() reset search_path',
    ],
    ['function today() has volatile instead of stable', 'alter function today() volatile'],
    ['table plans has row security', 'alter table plans enable row level security'],
    ['table idempotency_keys has unlogged', 'alter table idempotency_keys set unlogged'],
    [
      'column plan_id on api_keys has null instead of not null',
      'alter table api_keys alter plan_id drop not null',
    ],
    [
      'index orders_open_pet_id_key on orders lacks unique',
      `drop index orders_open_pet_id_key; create index orders_open_pet_id_key on orders (pet_id) where status in ('placed', 'approved')`,
    ],
    [
      'trigger orders_take_step on orders has calls release_ordered_pets instead of calls enforce_order_transition',
      `drop trigger orders_take_step on orders;
       create trigger orders_take_step before update on orders for each row execute function release_ordered_pets()`,
    ],
    ['view plan_overview has owner pg_monitor', 'alter view plan_overview owner to pg_monitor'],
    [
      'function keep_orders_of_pet() has text ',
      `create or replace function keep_orders_of_pet() returns trigger language plpgsql set search_path = public, pg_temp
       as $$ begin return old; end $$`,
    ],
    [
      'view unused_api_keys has another definition',
      `do $$ begin execute 'create or replace view unused_api_keys as ' || replace(pg_get_viewdef('unused_api_keys'), ';', ' limit 7'); end $$`,
    ],
    [
      'function today() has another definition',
      `create or replace function today() returns date language sql stable parallel safe return date '2026-01-01'`,
    ],
  ];

  it.each(changes)('include what has changed: %s', async (finding, statement) => {
    expect(await objectsAfter(statement)).toEqual({
      level: 'fail',
      message: expect.stringContaining(finding),
    });
  });

  it('match the release after a restore, which prints some differently', async () => {
    expect(await objectsAfter('select')).toMatchObject({ level: 'ok' });
    const restore = `
      do $$ declare definition text; begin
        for definition in
          select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace and prosqlbody is not null
          union all
          select format('create or replace view %I as %s', relname, pg_get_viewdef(oid)) from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'
        loop execute definition; end loop;
      end $$`;
    expect(await objectsAfter(restore)).toMatchObject({ level: 'ok' });
  });

  it('are not compared with those of a newer release', async () => {
    const later = `
      drop view unused_api_keys;
      insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('later', '', '99991231000000_later', now())`;
    expect(await objectsAfter(later)).toMatchObject({
      level: 'ok',
      message: expect.stringContaining('newer release'),
    });
  });
});

describe('petstore doctor', () => {
  it('finds nothing wrong', async () => {
    const findings = await examine();
    expect(levels(findings)).toEqual({
      configuration: 'ok',
      connection: 'ok',
      encryption: 'ok',
      ids: 'ok',
      snapshots: 'ok',
      bans: 'ok',
      months: 'ok',
      future: 'ok',
      // Other tests of this server have slots.
      slots: expect.stringMatching(/^(?:ok|warn)$/),
      disk: 'ok',
      version: 'ok',
      writes: 'ok',
      clock: 'ok',
      settings: 'ok',
      timeout: 'ok',
      migrations: 'ok',
      objects: 'ok',
      roles: expect.stringMatching(/^(?:ok|warn)$/),
      rights: 'ok',
      // Other tests make logins on this server: test/operators/protections.e2e-spec.ts has one of its own.
      server: expect.stringMatching(/^(?:ok|warn)$/),
    });
    expect(findings['roles']?.message).toMatch(
      /may migrate, serve requests, manage keys and plans|is a superuser/,
    );
    expect(findings['connection']?.message).not.toMatch(/:\/\/|:.*@/);
  });

  it('prints a line a check, and how many failed', async () => {
    const { stdout, stderr } = await petstore(['doctor']);
    const fsync = (await database.pool.query<{ fsync: string }>('show fsync')).rows[0]?.fsync;
    expect(stdout).toMatch(/^ok {4}configuration {2}all variables are valid\n/);
    expect(stdout.trimEnd().split('\n')).toHaveLength(21);
    expect(stdout).toMatch(
      fsync === 'off' ? /^fail {2}durability {5}turned off: fsync/m : /^ok {4}durability/m,
    );
    expect(stderr).toBe(fsync === 'off' ? '1 of 21 checks failed.\n' : '');
  });

  it('finds clocks that differ, however long the statement takes', async () => {
    expect((await examine(petstore, at(-10_000)))['clock']).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(/^the database is (?:9\.9|10\.\d) s ahead/),
    });
    expect((await examine(petstore, at(10_000)))['clock']?.message).toMatch(/ s behind this machine/);
    // Sent 5 s before and received 5 s after: the clock may have been read in between.
    expect((await examine(petstore, at(-15_000, 10_000)))['clock']).toMatchObject({ level: 'ok' });
  });

  it.each([
    ['1ms', 'warn', /^1 ms instead of 600, so requests fail early/],
    ['599ms', 'warn', /: set statement_timeout of \S+ to 600\.$/],
    ['600ms', 'ok', /^600 ms$/],
    ['601ms', 'warn', /^601 ms instead of 600, so a write may commit after its 503/],
  ])(
    'compares the statement time-out with that of the service, and is not ended by it: %s',
    async (timeout, level, message) => {
      const role = new URL(database.url).username;
      const name = new URL(database.url).pathname.slice(1);
      await database.pool.query(
        `alter role ${role} in database "${name}" set statement_timeout = '${timeout}'`,
      );
      // On a busy machine a millisecond may end the statement that prepares the session, before the time-out is lifted.
      await eventually(async () => {
        const findings = await examine();
        expect(findings['timeout']).toMatchObject({ level, message: expect.stringMatching(message) });
      });
      await database.pool.query(`alter role ${role} in database "${name}" reset statement_timeout`);
    },
  );

  it('names each wrong setting of the role, and how to set it', async () => {
    const hostile = await createTestDatabase();
    const hostileSettings = Object.entries(await setHostileSettings(hostile.url));
    const wanted = new Map(Object.entries(SESSION_SETTINGS));
    const { settings } = await examine(petstoreOn(hostile.url));
    expect(settings).toMatchObject({ level: 'warn' });
    for (const [name, value] of hostileSettings.filter(([one, set]) => set !== wanted.get(one))) {
      expect(settings?.message).toContain(`${name} is '${value}' instead of '`);
    }
    // The statements that it says help, also behind a pooler.
    const [, remedy = ''] = /not behind a pooler; run: (.*)$/.exec(settings?.message ?? '') ?? [];
    const client = openTestPool(hostile.url, { max: 1 });
    await client.query(remedy);
    await client.end();
    expect((await examine(petstoreOn(hostile.url)))['settings']).toMatchObject({ level: 'ok' });
    await hostile.drop();
  });

  it('names who has had a snapshot open for ten minutes, and what ends it', async () => {
    const own = await createTestDatabase();
    const client = openTestPool(own.url, { max: 1 });
    const snapshots = async (minutes: number | null, transactions: number): Promise<unknown> => {
      await client.query(
        `drop view open_snapshots;
         create view open_snapshots as
         select ${minutes === null ? "'slot'" : "'session'"}::text as kind, '7'::text as name, 'report'::name as role, 'psql'::text as program,
           now() - ${minutes === null ? 'null' : `interval '${minutes} minutes'`} as since,
           ${transactions} as transactions, '9'::xid as xid, null::text as virtualxid, 'select pg_terminate_backend(7)'::text as remedy`,
      );
      const { level, message } = (await examine(petstoreOn(own.url)))['snapshots'] ?? {};
      return [level, message];
    };
    expect(await snapshots(9, 1_000_000)).toEqual(['ok', 'no snapshot has been open for long']);
    expect(await snapshots(11, 999)).toEqual(['ok', 'no snapshot has been open for long']);
    expect(await snapshots(11, 1000)).toEqual([
      'warn',
      'session 7 (role report, program "psql") has kept a snapshot open for 11 minutes, so old row versions accumulate and everything becomes slower; to end it: select pg_terminate_backend(7).',
    ]);
    // It has no time.
    expect(await snapshots(null, 299_999)).toEqual(['ok', 'no snapshot has been open for long']);
    expect(await snapshots(null, 300_000)).toEqual([
      'warn',
      expect.stringContaining(' open for 300000 transactions, '),
    ]);
    await client.end();
    await own.drop();
  });

  it('finds a database that is read only, and who made it so', async () => {
    await database.pool.query(`alter database ${databaseName()} set default_transaction_read_only = on`);
    const findings = await examine();
    // This session began before.
    await database.pool.query(`alter database ${databaseName()} reset default_transaction_read_only`);
    expect(findings['writes']).toMatchObject({
      level: 'fail',
      message: expect.stringMatching(/^default_transaction_read_only is on \(set by: database\)/),
    });
  });

  it('stops where nothing more can be checked', async () => {
    const empty = await createEmptyDatabase();
    const findings = await examine(petstoreOn(empty.url));
    await empty.drop();
    expect(levels(findings)).toEqual({
      configuration: 'ok',
      connection: 'ok',
      encryption: 'ok',
      version: 'ok',
      writes: 'ok',
      clock: 'ok',
      settings: expect.stringMatching(/^(?:ok|warn)$/),
      timeout: 'ok',
      migrations: 'fail',
    });
    expect(findings['migrations']?.message).toMatch(
      /^(\d+) of \1 are not applied: run `petstore db migrate`\.$/,
    );
    expect(levels(await examine(petstoreOn('postgresql://petstore:secret@127.0.0.1:1/petstore')))).toEqual({
      configuration: 'ok',
      connection: 'fail',
    });
  });

  it('reports each error of the configuration', async () => {
    const { code, stdout } = await petstore(['doctor'], { environment: { PORT: 'many', LOG_LEVEL: 'loud' } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}configuration {2}PORT: .*\nfail {2}configuration {2}LOG_LEVEL: .*\n$/);
  });

  it('finds settings that a role of the service has changed or lacks, and which `db roles` sets', async () => {
    await grantRoles(database.url, 'superuser');
    const login = await loginAs('petstore_service', database.url);
    const superuser = petstoreOn(asSuperuser(database.url));
    const settingsOf = async () => (await examine(petstoreOn(login.url)))['settings'];
    expect(await settingsOf()).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(
        / lacks 'DateStyle=ISO, MDY'.*'statement_timeout=600ms'.*petstore db roles$/,
      ),
    });
    expect((await superuser(['db', 'roles'])).code).toBe(0);
    expect(await settingsOf()).toMatchObject({ level: 'ok' });
    const service = openTestPool(login.url, { max: 1 });
    await service.query(`alter role current_user in database ${databaseName()} set statement_timeout = 0`);
    await service.end();
    expect(await settingsOf()).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(/ lacks 'statement_timeout=600ms'\. The/),
    });
    expect((await superuser(['db', 'roles'])).code).toBe(0);
    expect(await settingsOf()).toMatchObject({ level: 'ok' });
    await login.drop();
  });

  it('finds rights that a restore has brought back or left out', async () => {
    await grantRoles(database.url, 'superuser');
    const admin = openTestPool(asSuperuser(database.url), { max: 1 });
    await admin.query(`grant temporary on database ${databaseName()} to public`);
    expect((await examine())['rights']).toEqual({
      check: 'rights',
      level: 'warn',
      message: 'petstore_service may create temporary tables: run `petstore db roles` as a superuser.',
    });
    await admin.query('revoke all on pets from petstore_service');
    await admin.query('revoke execute on all functions in schema public from petstore_operator');
    expect((await examine())['rights']).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(
        /^missing rights: petstore_operator \(execute on function public\.\S+\(.*\)\) and \d+ more: run `petstore db roles`\. petstore_service may create temporary tables: /,
      ),
    });
    await petstoreOn(asSuperuser(database.url))(['db', 'roles']);
    expect((await examine())['rights']).toMatchObject({ level: 'ok' });
    await admin.query('grant update on plans to petstore_support');
    expect((await examine())['rights']).toMatchObject({
      level: 'warn',
      message:
        'rights that they should not have: petstore_support (update on table public.plans): run `petstore db roles`.',
    });
    await petstoreOn(asSuperuser(database.url))(['db', 'roles']);
    expect((await examine())['rights']).toMatchObject({ level: 'ok' });
    await admin.end();
  });

  it('finds a monthly sum that differs from its history, and says how to fix it', async () => {
    await database.pool.query(
      `select issue_api_key('a', 'pro', per_month => 900), issue_api_key('b', 'pro', per_month => 900)`,
    );
    await database.pool.query(
      `insert into api_key_usage values (1, today(), 7, 0), (2, today(), 8, 0), (1, today() - 32, 9, 0)`,
    );
    await database.pool.query(
      `update api_key_counters set month = date_trunc('month', today()::timestamp), month_before = case api_key_id when 1 then 7 else 5 end`,
    );
    expect((await examine())['months']).toEqual({
      check: 'months',
      level: 'warn',
      message:
        'key 2 counts 5 requests of the finished days of this month, and its history has 8. A row was deleted, or a trigger disabled. As the owner, set month and month_before to null for each: its next request recomputes the month.',
    });
    await database.pool.query(
      'update api_key_counters set month = null, month_before = null where api_key_id = 2',
    );
    expect((await examine())['months']).toMatchObject({ level: 'ok' });
  });

  it('finds usage and bans that are dated ahead, which the documented statements remove', async () => {
    await database.pool.query(`
      select issue_api_key('a', 'pro', per_month => 900);
      insert into api_key_usage values (1, (trusted_until() at time zone 'UTC')::date + 1, 7, 0), (1, today() + 400, 7, 0), (1, today() + 401, 7, 0);
      insert into api_key_bans values (1, present() + interval '1 year', present() + interval '2 years', 1, 1)`);
    expect((await examine())['future']).toEqual({
      check: 'future',
      level: 'warn',
      message:
        'rows of a time that has not begun: 1 in api_key_bans, 3 in api_key_usage. As the owner, delete them: docs/operations.md#when-usage-is-dated-ahead.',
    });
    const [, section = ''] = readFileSync('docs/operations.md', 'utf8').split(
      '### When usage is dated ahead',
    );
    await database.pool.query(/```sql\n([^`]+)/.exec(section)?.[1] ?? '');
    expect((await examine())['future']).toMatchObject({ level: 'ok' });
    const { rows } = await database.pool.query('select day from api_key_usage where day > today()');
    expect(rows).toEqual([]);
  });

  it('works for an operator', async () => {
    await grantRoles(database.url, 'superuser');
    const operator = await loginAs('petstore_operator', database.url);
    // Its time-outs are those of people, not of the service.
    await grantRoles(database.url, 'superuser');
    const findings = await examine(petstoreOn(operator.url));
    await operator.drop();
    expect(findings['timeout']).toEqual({ check: 'timeout', level: 'ok', message: '900000 ms, for people' });
    expect(findings['roles']).toMatchObject({
      level: 'ok',
      message: expect.stringMatching(/may manage keys and plans$/),
    });
  });
});
