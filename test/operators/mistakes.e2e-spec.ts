import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, escapeIdentifier } from 'pg';
import { petstoreOn } from '../cli/support/petstore.js';
import { grantRoles, loginAs, asSuperuser, type TestLogin } from '../support/operator-roles.js';
import { rejectionOf, selectOne } from '../support/sql-outcome.js';
import { useDatabase } from '../support/use-service.js';

const KEYS = 150;

let login: TestLogin;
/** Each statement is in a transaction that is rolled back. */
let operator: Client;
afterAll(() => operator.end());
const database = useDatabase(1);
afterAll(() => login.drop());

beforeAll(async () => {
  await grantRoles(database.url, 'superuser');
  await database.pool.query(
    `select issue_api_key('Acme ' || n, case when n <= 10 then 'free' else 'pro' end) from generate_series(1, ${KEYS}) as n`,
  );
  await database.pool.query('update api_keys set revoked_at = now() where id <= 3');
  login = await loginAs('petstore_operator', database.url);
  operator = new Client({ connectionString: asSuperuser(database.url) });
  await operator.connect();
});
/** For `copy`: psql's `\copy` sends the lines, and where there is no psql the server can make them. No other test sees the grant. */
beforeEach(async () => {
  const role = escapeIdentifier(login.name);
  await operator.query(`begin; grant pg_execute_server_program to ${role}`);
  await operator.query(`set local session authorization ${role}; savepoint start`);
});
afterEach(() => operator.query('rollback'));

const HINT =
  'Check the where clauses of its statements. If the changes are intended, allow them and retry: set petstore.changes_max = …;';

const change = (from: number, to: number): string =>
  `update api_keys set name = name where id between ${from} and ${to}`;

const copy = (rows: number): string =>
  `copy api_keys (name, plan_id) from program 'yes x,free | head -n ${rows}' with (format csv)`;

const loop = (statement: string): string =>
  `do $$ declare n bigint; begin for n in 1..101 loop ${statement} end loop; end $$`;

describe('a transaction of an operator that changes more than a hundred keys, secrets or plans', () => {
  it.each([
    [`update api_keys set plan_id = 'free'`, KEYS],
    ['update api_keys set revoked_at = null', KEYS],
    ['update api_keys set name = name where id <= 101', 101],
    ['update api_key_secrets set expires_at = now()', KEYS],
    // Functions, row by row.
    [`select count(*) from api_keys k, revoke_api_key(k.id) r where k.name like 'A%'`, 101],
    ['select set_api_key_expiry(id, null) from api_keys', 101],
    [`select rotate_api_key(id, '0') from api_keys where revoked_at is null`, 101],
    // Loops, also with a savepoint for each turn.
    [loop('update api_keys set name = name where id = n;'), 101],
    [
      loop('begin update api_keys set name = name where id = n; exception when division_by_zero then end;'),
      101,
    ],
    [loop(`perform create_plan('p' || n, 1, 1);`), 101],
    [loop(`insert into api_keys (name, plan_id) values ('x', 'free');`), 101],
    // Inserts that no issuing function makes.
    [`insert into api_keys (name, plan_id) select 'x', 'free' from generate_series(1, 102)`, 102],
    [`insert into plans select 'p' || n, 1, 1 from generate_series(1, 103) as n`, 103],
    // Together with its plan, which becomes custom: then plan_custom of the keys changes as well.
    [
      `with plan as (update plans set custom = true, requests_per_minute = null, requests_per_day = null where id = 'pro' returning id)
       update api_keys set name = 'x', requests_per_minute = 5, requests_per_day = 50 from plan where plan_id = plan.id`,
      141,
    ],
  ])('is rejected: %s', async (statement, changes) => {
    expect(await rejectionOf(operator, statement)).toEqual({
      code: '23001',
      message: `the transaction changes ${changes} keys, secrets or plans, more than petstore.changes_max (100)`,
      hint: HINT,
    });
  });

  it('is rejected when it copies keys from a file', async () => {
    expect(await rejectionOf(operator, copy(101))).toMatchObject({
      message: expect.stringMatching(/^the transaction changes 101 keys/),
    });
    await operator.query(`rollback to savepoint start; ${copy(100)}`);
  });

  it('is rejected over several statements, not counting rolled-back savepoints', async () => {
    await operator.query(`${change(1, 40)}; ${change(41, 100)}`);
    await operator.query(`rollback to savepoint start; ${change(1, 60)}; release savepoint start`);
    await operator.query(change(1, 40));
    expect(await rejectionOf(operator, change(7, 7))).toMatchObject({ hint: HINT });
    await operator.query(`rollback; begin; ${change(1, 100)}; commit; begin; ${change(1, 100)}`);
  });

  it('is possible if the setting allows it', async () => {
    await operator.query(`set local petstore.changes_max = ${2 * KEYS}`);
    await operator.query(`update api_keys set plan_id = 'free'`);
    await operator.query(`select suspend_api_key(id) from api_keys`);
    expect(await rejectionOf(operator, 'update plans set custom = custom')).toMatchObject({
      message: `the transaction changes ${2 * KEYS + 4} keys, secrets or plans, more than petstore.changes_max (${2 * KEYS})`,
    });
  });

  it('excludes keys that follow their plan', async () => {
    await operator.query(`update plans set requests_per_minute = 5 where id = 'pro'`);
    await operator.query(
      `set local petstore.changes_max = ${2 * KEYS}; update api_keys set requests_per_minute = 5, requests_per_day = 50; reset petstore.changes_max; set local petstore.changes_made = 0`,
    );
    await operator.query(
      `update plans set custom = true, requests_per_minute = null, requests_per_day = null where id = 'pro'`,
    );
    await operator.query(`select set_plan('pro', per_minute => 5, per_day => 50, custom => false)`);
  });

  it('is not one that issues keys, or renames a plan with all of its keys', async () => {
    await operator.query(`select issue_api_keys(array_fill('x'::text, array[${KEYS}]), plan => 'pro')`);
    await operator.query(loop(`perform issue_api_key('x' || n, 'pro');`));
    await operator.query(`select rename_plan('pro', 'professional')`);
    await operator.query('update api_keys set name = name where id <= 99');
    expect(await rejectionOf(operator, 'update api_keys set name = name where id <= 2')).toMatchObject({
      hint: HINT,
    });
  });

  it('is possible for the owner', async () => {
    await database.pool.query('begin; update api_keys set name = name; rollback');
  });
});

describe('a revoked key', () => {
  it('is revived only in its own transaction', async () => {
    await operator.query('update api_keys set revoked_at = null where id = 1');
    await operator.query(
      'savepoint revived; update api_keys set revoked_at = null where id between 50 and 100',
    );
    for (const ids of ['2', '2, 3', '2, 50']) {
      expect(
        await rejectionOf(operator, `update api_keys set revoked_at = null where id in (${ids})`),
      ).toMatchObject({ code: '23001', message: expect.stringContaining('revives several revoked keys') });
      await operator.query('rollback to savepoint revived');
    }
  });
});

describe('a time of a key', () => {
  it.each([
    [`update api_keys set expires_at = '10000-01-01' where id = 7`, 'expires_at', 'infinity'],
    [`update api_keys set suspended_until = '0044-03-15 BC' where id = 7`, 'suspended_until', 'infinity'],
    [`update api_key_secrets set expires_at = '290000-01-01' where api_key_id = 7`, 'expires_at', 'null'],
  ])('beyond a year of four digits is rejected with what to do: %s', async (statement, message, hint) => {
    expect(await rejectionOf(operator, statement)).toEqual({
      code: '23001',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });
});

describe('bans_lifted_at', () => {
  it.each(['2099-01-01', 'infinity'])('is not in the future: %s', async (at) => {
    expect(await rejectionOf(operator, `update api_keys set bans_lifted_at = '${at}' where id = 7`)).toEqual({
      code: expect.stringMatching(/^23/),
      message: expect.stringContaining('bans_lifted_at'),
      hint: expect.stringContaining('unban_api_key'),
    });
  });

  it('may be ahead by the clocks of two machines', async () => {
    await operator.query(
      `update api_keys set bans_lifted_at = statement_timestamp() + interval '179 seconds' where id = 7`,
    );
  });

  it('is ignored where a clock that was ahead has written it, and repaired by unban_api_key', async () => {
    const { pool } = database;
    await pool.query('alter table api_keys disable trigger api_keys_not_lifted_later');
    await pool.query(`update api_keys set bans_lifted_at = now() + interval '3 hours' where id = 7`);
    await pool.query('alter table api_keys enable trigger api_keys_not_lifted_later');
    await pool.query(
      `update api_key_counters set minute = now(), day = today(), banned_at = now(), banned_until = now() + interval '1 hour' where api_key_id = 7`,
    );
    const state = (): Promise<{ state: string }> =>
      selectOne(operator, 'select state from api_key_overview where id = 7');
    expect(await state()).toEqual({ state: 'banned' });
    await operator.query('select unban_api_key(7)');
    expect(await state()).toEqual({ state: 'live' });
    expect(
      await selectOne(operator, 'select bans_lifted_at <= latest_lift() as valid from api_keys where id = 7'),
    ).toEqual({ valid: true });
  });
});

describe('a plan', () => {
  it('gets new limits while a transaction issues its keys', async () => {
    const issuing = await database.pool.connect();
    try {
      await issuing.query(`begin; select issue_api_key('open', 'pro')`);
      await operator.query(`set local lock_timeout = '2s'`);
      for (const numbers of ['per_minute => 600', 'per_day => 20000, custom => false'])
        await operator.query(`select set_plan('pro', ${numbers})`);
      expect(await selectOne(operator, `select * from plans where id = 'pro'`)).toEqual({
        ...{ id: 'pro', requests_per_minute: 600, requests_per_day: 20_000, requests_per_month: null },
        custom: false,
      });
    } finally {
      await issuing.query('rollback');
      issuing.release();
    }
  });

  it('is deleted by a function, which names the keys that it has', async () => {
    await operator.query(`select create_plan('old', 5, 50)`);
    expect(await selectOne(operator, `select id, keys from delete_plan('old')`)).toEqual({
      id: 'old',
      keys: '0',
    });
    expect(await rejectionOf(operator, `select delete_plan('free')`)).toEqual({
      code: '23503',
      message: 'plan "free" has keys (10): 1 (Acme 1), 2 (Acme 2), 3 (Acme 3), 4 (Acme 4), 5 (Acme 5), …',
      hint: 'Move each of them first, also revoked ones: select * from set_api_key_plan(id, plan), or petstore keys set-plan.',
    });
  });

  it('does not exist, so it cannot be deleted', async () => {
    expect(await rejectionOf(operator, `select delete_plan('nil')`)).toMatchObject({
      message: 'plan "nil" does not exist',
    });
  });

  it.each([['plans'], ['api_keys'], ['api_key_secrets'], ['api_key_counters'], ['api_key_usage']])(
    'and other tables that admission reads cannot be locked: %s',
    async (table) => {
      for (const mode of ['share update exclusive', 'share', 'exclusive', 'access exclusive']) {
        await operator.query('savepoint locked');
        expect(await rejectionOf(operator, `lock table ${table} in ${mode} mode`)).toMatchObject({
          code: '42501',
        });
        await operator.query('rollback to savepoint locked');
      }
    },
  );
});

describe('a limit per day below that per minute', () => {
  it.each([
    [`select set_api_key_limits(7, 60, 50)`, 'key "Acme 7" may make 60 requests a minute, but only 50 a day'],
    [
      `select set_api_key_limits(7, 2000, null)`,
      'key "Acme 7" may make 2000 requests a minute, but only 1000 a day',
    ],
    [
      `select set_plan('pro', per_day => 100)`,
      'the keys of plan "pro" may make 300 requests a minute, but only 100 a day',
    ],
  ])('is a warning: %s', async (statement, warning) => {
    const notices: (string | undefined)[] = [];
    operator.once('notice', ({ severity, message }) => notices.push(severity, message));
    await operator.query(statement);
    expect(notices).toEqual(['WARNING', warning]);
  });

  it('is one on the command line', async () => {
    expect(
      await petstoreOn(login.url)(['keys', 'set-limits', '8', '--per-minute', '60', '--per-day', '50']),
    ).toMatchObject({
      code: 0,
      stderr: 'Warning: key "Acme 8" may make 60 requests a minute, but only 50 a day.\n',
    });
  });
});

describe('a mass change', () => {
  it('is undone from the audit log as docs/operations.md says', async () => {
    const document = readFileSync('docs/operations.md', 'utf8');
    const [recipe = ''] =
      /^set local petstore\.changes_max.*?^ {2}and k\.plan_id is not distinct from .*?;$/ms.exec(document) ??
      [];
    expect(recipe).toContain('plan_id');
    const ofLimits = recipe
      .replaceAll(/a\.(old|new) ->> 'plan_id'/g, "(a.$1 ->> 'requests_per_day')::integer")
      .replaceAll('plan_id', 'requests_per_day');
    const keys = async (): Promise<unknown> =>
      (await operator.query('select id, plan_id, requests_per_day from api_keys order by id')).rows;
    await operator.query(`set local petstore.changes_max = ${20 * KEYS}`);
    await operator.query('update api_keys set requests_per_day = 500');
    for (const [mistake, undo] of [
      [`plan_id = 'business'`, recipe],
      ['requests_per_day = 7', ofLimits],
      ['requests_per_day = null', ofLimits],
    ] as const) {
      const before = await keys();
      await operator.query(`update api_keys set ${mistake}`);
      const newest = 'select max(changed_at)::text as at from audit_log';
      const { at } = await selectOne<{ at: string }>(operator, newest);
      expect(await keys()).not.toEqual(before);
      await operator.query(undo.replace('2026-11-20 12:00:00.123456Z', at));
      expect(await keys()).toEqual(before);
    }
  });
});

describe('petstore keys find --revoke', () => {
  it('revokes exactly the keys it named', async () => {
    const { rows } = await database.pool.query<{ key: string }>(
      `select key from issue_api_keys(array_fill('Leaked'::text, array[101]), plan => 'free')`,
    );
    const path = join(tmpdir(), `leaked-${randomUUID()}`);
    await writeFile(path, rows.map(({ key }) => key).join('\n'));
    const run = petstoreOn(login.url);
    expect(await run(['keys', 'find', path, '--revoke', '--yes'])).toMatchObject({ code: 0, stderr: '' });
    await rm(path);
    expect(
      await selectOne(
        operator,
        `select count(*)::int from api_keys where name = 'Leaked' and revoked_at is not null`,
      ),
    ).toEqual({ count: 101 });
  });
});
