import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { asSuperuser, grantRoles, loginAs, type TestLogin } from '../support/operator-roles.js';
import { rejectionOf, selectOne } from '../support/sql-outcome.js';

let database: TestDatabase;
let owner: Client;
let login: TestLogin;
let operator: Client;
/** The last row of the audit before each test. */
let before = '0';

beforeAll(async () => {
  database = await createTestDatabase();
  await grantRoles(database.url, 'superuser');
  login = await loginAs('petstore_operator', database.url);
  owner = new Client({ connectionString: database.url, application_name: 'owner at work' });
  operator = new Client({ connectionString: login.url, application_name: 'psql of alice' });
  await Promise.all([owner.connect(), operator.connect()]);
});
afterAll(async () => {
  await Promise.all([owner.end(), operator.end()]);
  await database.drop();
  await login.drop();
});
beforeEach(async () => {
  ({ last: before } = await selectOne<{ last: string }>(
    owner,
    'select coalesce(max(id), 0) as last from audit_log',
  ));
});

const audited = async (columns: string): Promise<unknown[]> =>
  (await owner.query(`select ${columns} from audit_log where id > $1 order by id`, [before])).rows;

const issue = (client: Client): Promise<{ id: string; key: string }> =>
  selectOne(client, `select id, key from issue_api_key('Acme', 'pro')`);

describe('the audit contains', () => {
  it('who, when and what, of a key from its issue on', async () => {
    const since = Date.now();
    const { id, key } = await issue(operator);
    await operator.query(`select rotate_api_key($1, '1 hour')`, [id]);
    await operator.query(`select set_api_key_limits($1, 5, null)`, [id]);
    await operator.query(`update api_keys set name = 'Acme 2', suspended_until = 'infinity' where id = $1`, [
      id,
    ]);

    expect(
      await audited('role, application, actor, action, table_name, api_key_id, plan_id, old, new'),
    ).toEqual(
      [
        {
          action: 'insert',
          table_name: 'api_keys',
          old: null,
          new: {
            id: Number(id),
            name: 'Acme',
            plan_id: 'pro',
            plan_custom: false,
            access: 'write',
            created_at: expect.any(String),
          },
        },
        {
          action: 'insert',
          table_name: 'api_key_secrets',
          old: null,
          new: { api_key_id: Number(id), prefix: key.slice(0, 12), created_at: expect.any(String) },
        },
        {
          action: 'update',
          table_name: 'api_key_secrets',
          old: { prefix: key.slice(0, 12), expires_at: null },
          new: { prefix: key.slice(0, 12), expires_at: expect.stringMatching(/\+00:00$/) },
        },
        {
          action: 'insert',
          table_name: 'api_key_secrets',
          old: null,
          new: { api_key_id: Number(id), prefix: expect.any(String), created_at: expect.any(String) },
        },
        {
          action: 'update',
          table_name: 'api_keys',
          old: { requests_per_minute: null },
          new: { requests_per_minute: 5 },
        },
        {
          action: 'update',
          table_name: 'api_keys',
          old: { name: 'Acme', suspended_until: null },
          new: { name: 'Acme 2', suspended_until: 'infinity' },
        },
      ].map((entry) =>
        Object.assign(entry, {
          role: login.name,
          application: 'psql of alice',
          actor: null,
          api_key_id: id,
          plan_id: null,
        }),
      ),
    );
    for (const { changed_at: at } of (await audited('changed_at')) as { changed_at: Date }[]) {
      expect(Math.abs(at.getTime() - since)).toBeLessThan(60_000);
    }
  });

  it('of a plan', async () => {
    await operator.query(`select create_plan('trial', 5, 50)`);
    await operator.query(`select set_plan('trial', per_day => 60)`);
    await operator.query(`select delete_plan('trial')`);
    expect(await audited('role, action, table_name, api_key_id, plan_id, old, new')).toEqual(
      [
        {
          action: 'insert',
          old: null,
          new: { id: 'trial', custom: false, requests_per_minute: 5, requests_per_day: 50 },
        },
        { action: 'update', old: { requests_per_day: 50 }, new: { requests_per_day: 60 } },
        {
          action: 'delete',
          old: { id: 'trial', custom: false, requests_per_minute: 5, requests_per_day: 60 },
          new: null,
        },
      ].map((entry) =>
        Object.assign(entry, { role: login.name, table_name: 'plans', api_key_id: null, plan_id: 'trial' }),
      ),
    );
  });

  it('of keys that change with their plan', async () => {
    const { id } = await issue(owner);
    await owner.query('begin');
    await owner.query(`select create_plan('wide', 1, 1)`);
    await owner.query(`select set_api_key_plan($1, 'wide', 2, 3)`, [id]);
    await owner.query(`select set_plan('wide', custom => true)`);
    expect(await audited(`coalesce(plan_id, api_key_id::text) as who, old, new`)).toEqual(
      expect.arrayContaining([
        {
          who: 'wide',
          old: expect.objectContaining({ custom: false }),
          new: expect.objectContaining({ custom: true }),
        },
        { who: id, old: { plan_custom: false }, new: { plan_custom: true } },
      ]),
    );
    await owner.query('rollback');
  });

  it('the person on whose behalf the role acts', async () => {
    const { id } = await issue(operator);
    await operator.query('begin');
    await operator.query(`select set_config('petstore.actor', 'alice', true)`);
    await operator.query('select suspend_api_key($1)', [id]);
    await operator.query('commit');
    await operator.query('select resume_api_key($1)', [id]);
    expect((await audited('role, actor')).slice(2)).toEqual([
      { role: login.name, actor: 'alice' },
      { role: login.name, actor: null },
    ]);
  });

  it('the role that logged in, whatever role it has set since', async () => {
    const superuser = new Client({ connectionString: asSuperuser(database.url) });
    await superuser.connect();
    try {
      const { name } = await selectOne<{ name: string }>(superuser, 'select session_user as name');
      await superuser.query('set role petstore_operator');
      await issue(superuser);
      expect(await audited('role')).toEqual([{ role: name }, { role: name }]);
    } finally {
      await superuser.end();
    }
  });

  it('each of a thousand changes of one statement, and none for a no-op statement', async () => {
    await owner.query(
      `insert into api_keys (name, plan_id) select 'bulk', 'free' from generate_series(1, 1000)`,
    );
    await owner.query(`update api_keys set requests_per_minute = 60 where name = 'bulk' and id % 2 = 0`);
    await owner.query(`update api_keys set name = name, requests_per_minute = 60 where name = 'bulk'`);
    await owner.query(`update api_keys set name = name`);
    await owner.query(`update plans set requests_per_day = requests_per_day`);
    await owner.query(`update api_key_secrets set expires_at = expires_at`);
    await owner.query(`update api_keys set name = 'none' where id < 0`);
    const { rows } = await owner.query(
      `select action, count(*)::int, count(distinct api_key_id)::int as keys, new -> 'requests_per_minute' as minute
       from audit_log where id > $1 group by 1, 4 order by 1`,
      [before],
    );
    expect(rows).toEqual([
      { action: 'insert', count: 1000, keys: 1000, minute: null },
      { action: 'update', count: 1000, keys: 1000, minute: 60 },
    ]);
  });
});

describe('the audit cannot be rewritten', () => {
  const REWRITES = [`update audit_log set role = 'other'`, 'delete from audit_log', 'truncate audit_log'];

  it.each(REWRITES)('by its owner by mistake: %s', async (sql) => {
    expect(await rejectionOf(owner, sql)).toEqual({
      code: '23001',
      message: 'the audit log is append-only',
      hint: expect.stringContaining('disable this trigger'),
    });
  });

  it('by an operator who calls its function to forge an entry', async () => {
    expect(await rejectionOf(operator, 'create temporary table plans (id text)')).toMatchObject({
      code: '42501',
    });
    const { allowed } = await selectOne<{ allowed: boolean }>(
      operator,
      `select has_function_privilege('audit_changes()', 'execute') as allowed`,
    );
    expect(allowed).toBe(false);
  });
});
