import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, type QueryResultRow } from 'pg';
import { readKey } from '../../src/monitoring/dashboard/queries.js';
import { roleSettings, SESSION_SETTINGS } from '../../src/database/session-settings.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { setHostileSettings, SHOWN_SETTINGS } from '../support/hostile-settings.js';
import {
  asSuperuser,
  type GroupRole,
  grantRoles,
  loginAs,
  type TestLogin,
} from '../support/operator-roles.js';
import { openTestPool } from '../support/test-pool.js';
import { rejectionOf, selectOne } from '../support/sql-outcome.js';
import { OPERATOR_CALLS, OWNERS_ALONE } from './permissions.js';

const GROUPS: readonly GroupRole[] = ['petstore_service', 'petstore_operator', 'petstore_support'];

let database: TestDatabase;
let owner: Client;
const logins: TestLogin[] = [];
const clients = new Map<GroupRole, Client>();
/** The messages of the script when the owner ran it. */
let notices: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase();
  // First a superuser, who makes the roles, then the owner, who may not make roles and finds them there.
  await grantRoles(database.url, 'superuser');
  notices = await grantRoles(database.url, 'owner');
  owner = new Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(`select issue_api_key('Acme', 'pro')`);
  await owner.query(`insert into pets (name, category_id) values ('Rex', 1)`);
  for (const group of GROUPS) {
    const login = await loginAs(group, database.url);
    logins.push(login);
    const client = new Client({ connectionString: login.url });
    await client.connect();
    clients.set(group, client);
  }
});
afterAll(async () => {
  await Promise.all([...clients.values(), owner].map((client) => client.end()));
  await database.drop();
  for (const login of logins) await login.drop();
});

/** Each statement is tried in a transaction that is rolled back. */
function eachInVain(group: GroupRole): () => Client {
  const client = (): Client => clients.get(group) ?? owner;
  beforeEach(() => client().query('begin'));
  afterEach(() => client().query('rollback'));
  return client;
}

describe('petstore_service', () => {
  const service = eachInVain('petstore_service');

  it.each([
    ...OWNERS_ALONE,
    'set role petstore_operator',
    'select * from audit_log',
    'select application from audit_log',
    ...OPERATOR_CALLS.map((call) => `select ${call}`),
    `insert into plans values ('mine', 1, 1)`,
    'update plans set requests_per_minute = 1',
    'delete from plans',
    `insert into api_keys (name, plan_id) values ('mine', 'free')`,
    `update api_keys set name = 'mine'`,
    'update api_keys set bans_lifted_at = now()',
    'update api_key_secrets set expires_at = null',
    'select * from api_keys for update',
    `select nextval('api_keys_id_seq')`,
    `select setval('pets_id_seq', 1)`,
  ])('may not: %s', async (sql) => {
    expect(await rejectionOf(service(), sql)).toMatchObject({ code: '42501' });
  });

  it.each([
    `update api_key_counters set day = '9999-01-01'`,
    `update api_key_counters set minute = now(), banned_at = now(), banned_until = now() + interval '25 hours',
       day = (now() at time zone 'UTC')::date`,
    `update api_key_counters set minute = now(), banned_at = now() + interval '2 minutes', banned_until = now() + interval '3 minutes',
       day = (now() at time zone 'UTC')::date`,
  ])('may not block a key for ever: %s', async (sql) => {
    expect(await rejectionOf(service(), sql)).toMatchObject({ code: '23514' });
  });

  it.each([
    ['api_key_usage', 'admitted = 4'],
    ['api_key_usage', 'refused = 4'],
    ['api_key_usage', 'day = day + 1'],
    ['api_key_usage_hours', 'requests = 4'],
    ['api_key_usage_hours', 'total_ms = 4'],
    ['api_key_usage_hours', `operation = 'listPets'`],
  ])('may not lower or move the counts of %s: %s', async (table, assignment) => {
    await service().query('insert into api_key_usage values (1, today() - 1, 5, 5)');
    await service().query(
      `insert into api_key_usage_hours values (this_hour(), 1, 'getPet', 'success', 5, 5)`,
    );
    await service().query('savepoint counted');
    expect(await rejectionOf(service(), `update ${table} set ${assignment}`)).toMatchObject({
      message: 'counts of usage can only grow',
    });
    const grown = table === 'api_key_usage' ? 'admitted = 6, refused = 6' : 'requests = 6, total_ms = 6';
    await service().query('rollback to counted');
    expect((await service().query(`update ${table} set ${grown}`)).rowCount).toBe(1);
  });

  it('may delete no usage that callers see', async () => {
    await service().query(
      `insert into api_key_usage select 1, (now() at time zone 'UTC')::date - days, 1, 0 from generate_series(1, 40) as days`,
    );
    expect(await selectOne(service(), 'select delete_old_usage(0, 5) as deleted')).toEqual({ deleted: 5 });
    expect(await selectOne(service(), 'select delete_old_usage(-5, 500) as deleted')).toEqual({ deleted: 4 });
    expect(await selectOne(service(), 'select delete_old_usage(null, 500) as deleted')).toEqual({
      deleted: 0,
    });
    await service().query(
      `insert into api_key_usage_hours
       select date_trunc('day', now(), 'UTC') - ago, 1, 'getPet', 'success', 1, 1
       from unnest('{2 days,2 days 1 hour}'::interval[]) as ago`,
    );
    expect(
      await selectOne(
        service(),
        `select array_agg(delete_usage_hour(date_trunc('day', now(), 'UTC') - ago, 0, 10)) as deleted
         from unnest('{2 days,2 days 1 hour}'::interval[]) as ago`,
      ),
    ).toEqual({ deleted: [0, 1] });
  });

  it('cannot grant its own rights', async () => {
    await service().query('grant select on pets to public');
    const { handed } = await selectOne<{ handed: boolean }>(
      service(),
      `select has_table_privilege('petstore_operator', 'pets', 'select') as handed`,
    );
    expect(handed).toBe(false);
  });

  it.each([
    'select * from plans, api_keys, api_key_secrets, _prisma_migrations',
    'select * from api_key_counters for update',
    'insert into api_key_counters (api_key_id) values (999)',
    'update api_key_counters set minute_admitted = 1',
    'insert into api_key_usage values (1, now(), 1, 1)',
    'delete from idempotency_keys',
    `insert into pets (id, name, category_id) values (nextval('pets_id_seq'), 'Bello', 1)`,
    `update pets set status = 'sold'`,
    'delete from pets',
    'delete from orders',
  ])('may: %s', async (sql) => {
    expect(await rejectionOf(service(), sql)).toBeUndefined();
  });
});

describe('petstore_operator', () => {
  const operator = eachInVain('petstore_operator');

  it.each([
    ...OWNERS_ALONE,
    'set role petstore_service',
    'select hash from api_key_secrets',
    'select * from api_key_secrets',
    ...['pets', 'orders', 'pet_counts', 'idempotency_keys'].map((table) => `select * from ${table}`),
    `insert into pets (name, category_id) values ('mine', 1)`,
    `update pets set status = 'sold'`,
    'delete from pets',
    'delete from orders',
    `insert into orders (pet_id) values (1)`,
    `update orders set status = 'cancelled'`,
    'update pet_counts set available = 7',
    'insert into api_key_counters (api_key_id) values (999)',
    'update api_key_counters set minute_admitted = 0',
    'select * from api_key_counters for update',
    'insert into api_key_usage values (1, now(), 1, 1)',
    'update api_key_usage set refused = 0',
    'delete from api_key_usage',
    'delete from idempotency_keys',
    `delete from plans where id = 'free'`,
    `insert into api_keys (id, name, plan_id) values (7, 'mine', 'free')`,
    `update plans set id = 'mine'`,
    `select nextval('pets_id_seq')`,
  ])('may not: %s', async (sql) => {
    expect(await rejectionOf(operator(), sql)).toMatchObject({ code: '42501' });
  });

  it.each([
    ...OPERATOR_CALLS.map((call) => `select * from ${call}`),
    'select * from plans, api_keys, api_key_counters, api_key_usage, audit_log, _prisma_migrations',
    'select api_key_id, prefix, created_at, expires_at from api_key_secrets',
    'select * from api_keys for update',
    `insert into plans values ('new', 1, 1)`,
    `insert into plans (id, custom) values ('new', true)`,
    'update plans set requests_per_minute = 5, requests_per_day = 50 where not custom',
    `insert into api_keys (name, plan_id, requests_per_minute, requests_per_day) values ('new', 'enterprise', 1, 1) returning *`,
    `update api_keys set plan_id = 'enterprise', requests_per_minute = 5, requests_per_day = 50 where id = 1`,
    `update api_keys set name = 'new', expires_at = now(), revoked_at = now(), suspended_until = now(), bans_lifted_at = now()`,
    'update api_key_secrets set expires_at = now() where api_key_id = 1',
  ])('may: %s', async (sql) => {
    expect(await rejectionOf(operator(), sql)).toBeUndefined();
  });

  it("cannot shadow objects that functions with the owner's rights use", async () => {
    await operator().query('set local search_path = pg_temp, public');
    const { key } = await selectOne<{ key: string }>(
      operator(),
      `select key from public.issue_api_key('Acme', 'free')`,
    );
    expect(key).toMatch(/^psk_/);
    const { rows } = await owner.query(
      `select proname from pg_proc
       where pronamespace = 'public'::regnamespace and prosecdef
         and not coalesce(proconfig && array['search_path=public, pg_temp', 'search_path=pg_catalog, pg_temp'], false)`,
    );
    expect(rows).toEqual([]);
  });
});

describe('petstore_support', () => {
  const support = eachInVain('petstore_support');

  it.each([
    ...OWNERS_ALONE,
    ...OPERATOR_CALLS.map((call) => `select ${call}`),
    'set role petstore_operator',
    'select hash from api_key_secrets',
    ...['pets', 'orders', 'pet_counts', 'idempotency_keys'].map((table) => `select * from ${table}`),
    `insert into plans values ('mine', 1, 1)`,
    'update plans set requests_per_minute = 1',
    'delete from plans',
    `update api_keys set name = 'mine'`,
    'update api_key_secrets set expires_at = null',
    'select * from api_keys for update',
  ])('may not: %s', async (sql) => {
    expect(await rejectionOf(support(), sql)).toMatchObject({ code: '42501' });
  });

  it.each([
    'select * from api_key_overview_of(1)',
    'select * from plans, api_keys, api_key_counters, api_key_usage, audit_log, _prisma_migrations',
    'select api_key_id, prefix, created_at, expires_at from api_key_secrets',
  ])('may: %s', async (sql) => {
    expect(await rejectionOf(support(), sql)).toBeUndefined();
  });
});

describe('prisma/roles.sql', () => {
  it('grants exactly the list of rights: nothing is missing, beyond it or undecided', async () => {
    const { rows } = await owner.query('select * from rights_that_differ()');
    expect(rows).toEqual([]);
    expect(notices).toEqual([]);
  });

  it.each([
    ['a table', 'create table later (id int)', ['undecided', 'table public.later']],
    ['a sequence that no table draws from', 'create sequence later', ['undecided', 'sequence public.later']],
    [
      'a function',
      'create function later(a int) returns int language sql return 1',
      ['undecided', 'function public.later(integer)'],
    ],
    [
      'the right on a sequence',
      'revoke usage on sequence orders_id_seq from petstore_service',
      ['missing', 'sequence public.orders_id_seq'],
    ],
    [
      'the right on a column',
      'revoke update (expires_at) on api_key_secrets from petstore_operator',
      ['missing', 'table public.api_key_secrets'],
    ],
    [
      'a sequence too many',
      'grant usage on sequence audit_log_id_seq to petstore_service',
      ['beyond', 'sequence public.audit_log_id_seq'],
    ],
    ['a right of PUBLIC', 'grant select on plans to public', ['beyond', 'table public.plans']],
    [
      'a function that PUBLIC may call',
      'grant execute on function audit_changes to public',
      ['beyond', 'function public.audit_changes()'],
    ],
  ])('finds %s without a decision, by name', async (_what, statement, difference) => {
    await owner.query(`begin; ${statement}`);
    const { rows } = await owner.query<{ difference: string; target: string }>(
      'select difference, target from rights_that_differ() order by 2 desc limit 1',
    );
    await owner.query('rollback');
    expect(rows.map(Object.values)).toEqual([difference]);
  });

  it('shows a key on the dashboard, and what to do, before the service may read who changed it', async () => {
    const service = clients.get('petstore_service');
    await owner.query('revoke select (old) on audit_log from petstore_service');
    const key = await readKey(
      async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) =>
        (await service?.query<Row>(text, [...values]))?.rows ?? [],
      1n,
      { from: new Date(Date.now() - 86_400_000), to: new Date() },
    );
    await owner.query('grant select (old) on audit_log to petstore_service');
    expect(key).toMatchObject({
      changes: [],
      problems: ['The changes cannot be read until "petstore db roles" has run.'],
    });
  });

  it.each(GROUPS)('lets %s read the views that the list gives it, and no other', async (group) => {
    const { rows } = await owner.query<{ name: string; may: boolean }>(
      `select relname as name, exists (select from role_rights() where role = $1 and object = relname) as may
       from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v' order by relname`,
      [group],
    );
    const read = [];
    for (const { name } of rows) {
      const rejection = await rejectionOf(clients.get(group) ?? owner, `select * from ${name} limit 1`);
      read.push({ name, may: rejection === undefined });
    }
    expect(read).toEqual(rows);
    expect(read.length).toBeGreaterThan(10);
  });

  it("lets the service call its security definer functions, and none of the operators'", async () => {
    const { rows } = await owner.query<{ name: string; secdef: boolean }>(
      `select p.proname as name, p.prosecdef as secdef from pg_proc p
       where p.pronamespace = 'public'::regnamespace and has_function_privilege('petstore_service', p.oid, 'execute')`,
    );
    // They move sequences forward, delete usage that no caller sees, and compare rights with the list of the owner.
    const special = rows.filter(({ secdef }) => secdef).map(({ name }) => name);
    expect(special.toSorted()).toEqual([
      'delete_old_address_usage',
      'delete_old_bans',
      'delete_old_database_outages',
      'delete_old_usage',
      'delete_usage_hour',
      'rights_that_differ',
      'skip_used_ids',
    ]);
    const names = rows.map(({ name }) => name);
    expect(names.filter((name) => /api_key|plan|base62|audit/.test(name))).toEqual([]);
  });

  it('lets the service use objects of a later release until rerun', async () => {
    const client = clients.get('petstore_service') ?? owner;
    await owner.query('create table later (id bigint generated by default as identity)');
    await owner.query('create function later_for_operators() returns int language sql as $$ select 1 $$');
    try {
      expect(
        await rejectionOf(client, `insert into later values (nextval('later_id_seq')); delete from later`),
      ).toBeUndefined();
      expect(
        await rejectionOf(clients.get('petstore_operator') ?? owner, 'select * from later'),
      ).toMatchObject({
        code: '42501',
      });
      const said = await grantRoles(database.url, 'owner');
      expect(said).toEqual([expect.stringContaining('does not list the table public.later')]);
      expect(await rejectionOf(client, 'select * from later')).toBeUndefined();
    } finally {
      await owner.query('drop table later; drop function later_for_operators');
    }
  });

  it('revokes rights beyond the list', async () => {
    await owner.query('grant all on plans, audit_log to petstore_service');
    await owner.query('grant update (name) on pets to petstore_operator');
    await owner.query('grant select on pets to public');
    // The rights on columns that are in the list stay, although those on their tables are taken back.
    await owner.query('grant select on api_key_secrets to petstore_operator with grant option');
    await owner.query('grant update on plans to petstore_operator');
    await grantRoles(database.url, 'owner');
    expect((await owner.query('select * from rights_that_differ()')).rows).toEqual([]);
    const may = await selectOne(
      owner,
      `select has_table_privilege('petstore_service', 'plans', 'update') as plans,
              has_table_privilege('petstore_service', 'audit_log', 'select') as audit,
              has_any_column_privilege('petstore_operator', 'pets', 'update') as pets,
              has_table_privilege('petstore_operator', 'pets', 'select') as public`,
    );
    expect(may).toEqual({ plans: false, audit: false, pets: false, public: false });
  });

  it('ignores objects of others, whatever their names, and dropped columns', async () => {
    const superuser = new Client({ connectionString: asSuperuser(database.url) });
    await superuser.connect();
    await superuser.query(
      `create table "Weird Name" (id bigint generated always as identity);
       create function is_valid(text) returns boolean language sql return true;
       revoke execute on function is_valid(text) from public;
       alter table "Weird Name" owner to pg_monitor;
       alter function is_valid(text) owner to pg_monitor`,
    );
    await owner.query(
      `alter table plans add column nick text; grant select (nick) on plans to petstore_operator; alter table plans drop column nick`,
    );
    expect(await grantRoles(database.url, 'owner')).toEqual([]);
    expect((await owner.query('select * from rights_that_differ()')).rows).toEqual([]);
    const { rows } = await owner.query('select table_name from drawn_ids()');
    expect(rows).not.toContainEqual({ table_name: 'Weird Name' });
    expect(rows).toContainEqual({ table_name: 'pets' });
    await superuser.query('drop table "Weird Name"; drop function is_valid(text)');
    await superuser.end();
  });

  it('gives logins of the service its settings, overriding the database, even behind a pooler', async () => {
    const hostile = await createTestDatabase();
    const settings = await setHostileSettings(hostile.url);
    await grantRoles(hostile.url, 'superuser');
    const login = await loginAs('petstore_service', hostile.url);
    const before = openTestPool(login.url, { max: 1 });
    expect((await before.query(SHOWN_SETTINGS)).rows).toEqual([settings]);
    await before.end();
    await grantRoles(hostile.url, 'superuser');
    const after = openTestPool(login.url, { max: 1 });
    expect((await after.query(SHOWN_SETTINGS)).rows).toEqual([SESSION_SETTINGS]);
    const wanted = roleSettings(950);
    for (const [name, value] of Object.entries(wanted)) {
      expect((await after.query(`select current_setting('${name}') as value`)).rows).toEqual([{ value }]);
    }
    await after.end();
    await hostile.drop();
    await login.drop();
  });

  it('says what to do on a database that is not migrated', async () => {
    const empty = await createEmptyDatabase();
    try {
      await expect(grantRoles(empty.url, 'owner')).rejects.toMatchObject({
        message: 'the database is not migrated',
        hint: 'Run "petstore db migrate" first.',
      });
    } finally {
      await empty.drop();
    }
  });
});
