import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { eventually } from '../support/eventually.js';
import { rejectionOf, selectOne } from '../support/sql-outcome.js';
import { useDatabase } from '../support/use-service.js';

const database = useDatabase(2);
/** Each test is in a transaction of its own, on one key of the plan pro. */
let operator: Client;
let id: string;

beforeAll(async () => {
  const issue = `select id::text from issue_api_key('Acme', 'pro')`;
  ({ id } = await selectOne<{ id: string }>(database.pool, issue));
  operator = new Client({ connectionString: database.url });
  operator.on('error', () => undefined);
  await operator.connect();
});
afterAll(() => operator.end());
beforeEach(() => operator.query('begin'));
afterEach(() => operator.query('rollback'));

const CUSTOM = 'custom = true, requests_per_minute = null, requests_per_day = null';
const TO_ENTERPRISE = `update api_keys set plan_id = 'enterprise', requests_per_minute = 5, requests_per_day = 50`;

describe('plan_custom may be omitted', () => {
  it.each([
    ['when a key moves to a custom plan', TO_ENTERPRISE, 'enterprise true'],
    [
      'when it moves back',
      `${TO_ENTERPRISE}; update api_keys set plan_id = 'free', requests_per_minute = null`,
      'free false',
    ],
    ['and is the plan’s, whatever is said', 'update api_keys set plan_custom = true', 'pro false'],
    [
      'when a plan becomes custom',
      `update api_keys set requests_per_minute = 1, requests_per_day = 2; update plans set ${CUSTOM} where id = 'pro'`,
      'pro true',
    ],
    [
      'when it is so no more',
      `update api_keys set requests_per_minute = 1, requests_per_day = 2; update plans set ${CUSTOM} where id = 'pro';
       update plans set custom = false, requests_per_minute = 3, requests_per_day = 4 where id = 'pro'`,
      'pro false',
    ],
    [
      'when a key is inserted',
      `insert into api_keys (name, plan_id, requests_per_minute, requests_per_day) values ('big', 'enterprise', 1, 2)`,
      'enterprise true',
    ],
  ])('%s', async (_what, statements, planOfLatest) => {
    await operator.query(statements);
    const { plan } = await selectOne<{ plan: string }>(
      operator,
      `select plan_id || ' ' || plan_custom as plan from api_keys order by id desc limit 1`,
    );
    expect(plan).toBe(planOfLatest);
  });
});

it('a plan that turns custom during a key insert leaves no inconsistent key', async () => {
  await operator.query(
    `update plans set custom = true, requests_per_minute = null, requests_per_day = null where id = 'free'`,
  );
  const inserting = rejectionOf(
    database.pool,
    `insert into api_keys (name, plan_id) values ('late', 'free')`,
  );
  // It waits for the plan, whatever it has read of it before.
  await eventually(async () =>
    expect(
      await selectOne(
        operator,
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      ),
    ).toEqual({ waiting: 1 }),
  );
  await operator.query('commit');
  expect(await inserting).toMatchObject({ code: '23503' });
  await operator.query(`select set_plan('free', 60, 1000, custom => false)`);
});

describe('is rejected by a constraint even without an explaining trigger', () => {
  it.each([
    ['a blank name', `update api_keys set name = ' \t' where id = $1`, 'api_keys_name_printable'],
    [
      'a name that commands a terminal',
      `update api_keys set name = e'a\\x1b[2J' where id = $1`,
      'api_keys_name_printable',
    ],
    ['a blank customer', `update api_keys set customer = ' ' where id = $1`, 'api_keys_customer_printable'],
    ['no customer', `update api_keys set customer = '' where id = $1`, 'api_keys_customer_length'],
    ['no name', `update api_keys set name = '' where id = $1`, 'api_keys_name'],
    [
      'a limit of 0',
      'update api_keys set requests_per_day = 0 where id = $1',
      'api_keys_requests_per_day_positive',
    ],
    ['a plan of 0', `select create_plan('zero', 0, 1)`, 'plans_requests_per_minute_positive'],
    ['a plan with a wrong id', `select create_plan('Größe', 1, 1)`, 'plans_id_form'],
    [
      'a hash that is none',
      `insert into api_key_secrets (hash, api_key_id, prefix) values ('psk', $1, 'psk_00000000')`,
      'api_key_secrets_hash_is_sha256',
    ],
  ])('%s', async (_what, sql, constraint) => {
    await operator.query(`
      alter table api_keys disable trigger api_keys_explain_values;
      alter table api_keys disable trigger api_keys_explain_limits;
      alter table plans disable trigger plans_explain_values;
      alter table plans disable trigger plans_explain_limits`);
    expect(await rejectionOf(operator, sql, sql.includes('$1') ? [id] : [])).toMatchObject({
      code: '23514',
      message: expect.stringContaining(constraint),
    });
  });
});

it('daily plain updates of operators do not block each other', async () => {
  await operator.query(
    `update api_keys set name = 'Acme 2', revoked_at = now(), expires_at = now(), suspended_until = 'infinity',
       bans_lifted_at = now() where id = $1`,
    [id],
  );
  await operator.query(
    'update api_keys set revoked_at = null, id = id, created_at = created_at where id = $1',
    [id],
  );
  await operator.query('update api_key_secrets set expires_at = now(), hash = hash where api_key_id = $1', [
    id,
  ]);
  await operator.query(`update plans set requests_per_minute = 1, id = id where id = 'pro'`);
  await operator.query(`insert into plans values ('idle', 1, 1)`);
  await operator.query(`delete from plans where id = 'idle'`);
  expect(await selectOne(operator, 'select name, state from api_key_overview where id = $1', [id])).toEqual({
    name: 'Acme 2',
    state: 'expired',
  });
});
