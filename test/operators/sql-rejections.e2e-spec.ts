import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rejectionOf, selectOne } from '../support/sql-outcome.js';
import { useDatabase } from '../support/use-service.js';

/** Each test is in a transaction of its own, on one key of the plan pro. */
const database = useDatabase(1);
let id: string;

beforeAll(async () => {
  ({ id } = await selectOne<{ id: string }>(
    database.pool,
    `select id::text from issue_api_key('Acme', 'pro')`,
  ));
  await database.pool.query(
    `insert into api_key_secrets (hash, api_key_id, prefix, expires_at) values (sha256('old'), $1, 'psk_expired0', now())`,
    [id],
  );
});
beforeEach(() => database.pool.query('begin'));
afterEach(() => database.pool.query('rollback'));

/** Wrong statements with the message and the hint; `$1` is the key. */
const REJECTED: readonly (readonly [what: string, sql: string, message: RegExp, hint: RegExp])[] = [
  ['a key deleted', 'delete from api_keys where id = $1', /keys cannot be deleted/, /revoke_api_key/],
  ['keys truncated', 'truncate api_keys cascade', /keys cannot be deleted/, /revoke_api_key/],
  [
    'a secret deleted',
    'delete from api_key_secrets where api_key_id = $1',
    /secrets cannot be deleted/,
    /expires_at = now/,
  ],
  ['secrets truncated', 'truncate api_key_secrets', /secrets cannot be deleted/, /expires_at = now/],
  [
    'another id of a key',
    'update api_keys set id = id + 1000 where id = $1',
    /id .* cannot change/,
    /issue_api_key/,
  ],
  [
    'another birth of a key',
    'update api_keys set created_at = now() where id = $1',
    /created_at/,
    /issue_api_key/,
  ],
  [
    'another hash of a secret',
    `update api_key_secrets set hash = sha256('') where api_key_id = $1`,
    /only expires_at/,
    /rotate_api_key/,
  ],
  [
    'another key of a secret',
    'update api_key_secrets set api_key_id = api_key_id + 1 where api_key_id = $1',
    /only expires_at/,
    /rotate_api_key/,
  ],
  [
    'another prefix of a secret',
    `update api_key_secrets set prefix = 'psk_00000000' where api_key_id = $1`,
    /only expires_at/,
    /rotate_api_key/,
  ],
  [
    'an unknown plan',
    `update api_keys set plan_id = 'gold' where id = $1`,
    /plan "gold" does not exist/,
    /business, enterprise, free, pro/,
  ],
  [
    'an unknown plan at issue',
    `select issue_api_key('Acme', 'gold')`,
    /plan "gold" does not exist/,
    /business, enterprise, free, pro/,
  ],
  [
    'a custom plan without numbers',
    `update api_keys set plan_id = 'enterprise', requests_per_minute = 5 where id = $1`,
    /"enterprise" is custom/,
    /requests_per_day/,
  ],
  [
    'a custom plan without numbers at issue',
    `select issue_api_key('Acme', 'enterprise', per_day => 5)`,
    /"enterprise" is custom/,
    /per_minute/,
  ],
  [
    'limits taken away on a custom plan',
    `with moved as (select set_api_key_plan($1, 'enterprise', 1, 2)) select set_api_key_limits($1, 3, null) from moved`,
    /"enterprise" is custom/,
    /per_day/,
  ],
  [
    'a plan that becomes custom while a key has no numbers',
    `update plans set custom = true, requests_per_minute = null, requests_per_day = null where id = 'pro'`,
    /"pro" is custom.*"Acme"/,
    /requests_per_minute/,
  ],
  [
    'no plan',
    'update api_keys set plan_id = null where id = $1',
    /plan_id is required/,
    /business, enterprise/,
  ],
  ['no plan at first', `insert into api_keys (name) values ('Acme')`, /plan_id is required/, /business/],
  ...['', ' ', 'x'.repeat(256), '\u001b[31m'].map(
    (name) =>
      [
        `the name ${JSON.stringify(name).slice(0, 9)}`,
        `update api_keys set name = '${name}' where id = $1`,
        /name of a key must have 1 to 255/,
        /Acme web/,
      ] as const,
  ),
  ['a name at issue', `select issue_api_key('', 'free')`, /name of a key must have 1 to 255/, /Acme web/],
  [
    'no requests a minute',
    'update api_keys set requests_per_minute = 0 where id = $1',
    /requests_per_minute is 0 .* at least 1/,
    /suspend_api_key/,
  ],
  [
    'less than no requests a day',
    'update api_keys set requests_per_day = -5 where id = $1',
    /requests_per_day is -5 .* at least 1/,
    /Null means the limit of the plan/,
  ],
  [
    'a plan of no requests',
    `select set_plan('free', per_minute => 0)`,
    /requests_per_minute is 0/,
    /suspend_api_key/,
  ],
  [
    'a plan of no requests a day',
    `update plans set requests_per_day = 0 where id = 'free'`,
    /requests_per_day is 0/,
    /suspend_api_key/,
  ],
  [
    'a plan with capitals',
    `insert into plans values ('Gold Plan', 5, 5)`,
    /invalid plan id "Gold Plan"/,
    /lower-case letters/,
  ],
  ['a plan with one number', `insert into plans values ('half', 5)`, /both/, /custom/],
  [
    'a plan that loses a number',
    `update plans set requests_per_day = null where id = 'pro'`,
    /both/,
    /custom/,
  ],
  [
    'a custom plan with numbers',
    `select set_plan('enterprise', 5, 50)`,
    /cannot have limits of its own/,
    /set_api_key_limits/,
  ],
  ['a plan that does not exist', `select set_plan('new', 5, 50)`, /does not exist/, /create_plan/],
  ['a plan that exists', `select create_plan('pro', 5, 50)`, /already exists/, /set_plan/],
  ['a new plan with one number', `select create_plan('new', per_day => 5)`, /both/, /custom/],
  ['another id of a plan', `update plans set id = 'gold' where id = 'pro'`, /cannot change/, /create_plan/],
  ['a plan deleted that has keys', `delete from plans where id = 'pro'`, /has keys/, /set_api_key_plan/],
  [
    'an expiry that is over at issue',
    `select issue_api_key('Acme', 'pro', expires => now())`,
    /in the past/,
    /a time in the future/,
  ],
  ['an overlap that is negative', `select rotate_api_key($1, '-1 hour')`, /overlap/, /'0'/],
  ['an overlap of null', `select rotate_api_key($1, null)`, /overlap/, /'0'/],
  [
    'the rotation of a revoked key',
    `with revoked as (select revoke_api_key($1)) select rotate_api_key($1) from revoked`,
    /revoked/,
    /issue_api_key/,
  ],
  [
    'a revocation in the future',
    `update api_keys set revoked_at = now() + interval '2 minutes' where id = $1`,
    /revoked_at \(.*\) is in the future/,
    /set_api_key_expiry\(\d+, expires => '/,
  ],
  [
    'an expired secret that is prolonged',
    'update api_key_secrets set expires_at = null where prefix = $$psk_expired0$$',
    /expired secret cannot be extended/,
    /rotate_api_key/,
  ],
  [
    'an expired secret whose overlap is extended',
    'select extend_api_key_overlap($1)',
    /key \d+ has no old secret that still works/,
    /rotate_api_key/,
  ],
  [
    'an extension of a revoked key',
    `with revoked as (select revoke_api_key($1)) select extend_api_key_overlap($1) from revoked`,
    /revoked/,
    /issue_api_key/,
  ],
  ['an extension of nothing', `select extend_api_key_overlap($1, '0')`, /invalid overlap/, /24 hours/],
  ['an expiry that is over', `select set_api_key_expiry($1, now())`, /in the past/, /revoke_api_key\(\d+\)/],
  ...[
    '(issue_api_key($$Acme$$, $$pro$$)).*',
    'issue_api_key(n, $$pro$$) from unnest(array[$$a$$, $$b$$, $$a$$]) as n',
  ].map(
    (call) =>
      [
        'two keys of one name in a statement',
        `select ${call}`,
        /second secret for /,
        /after from: .* issue_api/,
      ] as const,
  ),
  [
    'a key that is rotated twice in a statement',
    'select (rotate_api_key($1)).*',
    /second secret for key \d+ in one statement/,
    /after from: .* rotate_api_key/,
  ],
  [
    'a suspension that is over',
    `select suspend_api_key($1, until => now() - interval '1 s')`,
    /in the past/,
    /resume_api_key/,
  ],
  [
    'a suspension with two ends',
    `select suspend_api_key($1, until => '2099-01-01', lasting => '1 hour')`,
    /cannot both be given/,
    /one of them/,
  ],
  ...['revoke_api_key($1 + 5000)', 'rotate_api_key($1 + 5000)', 'unban_api_key($1 + 5000)'].map(
    (call) => ['an unknown key', `select ${call}`, /key \d+ does not exist/, /api_key_overview/] as const,
  ),
  ...[
    'suspend_api_key($1 + 5000)',
    'resume_api_key($1 + 5000)',
    'set_api_key_limits($1 + 5000, 1, 1)',
    `set_api_key_plan($1 + 5000, 'pro')`,
  ].map(
    (call) => ['an unknown key', `select ${call}`, /key \d+ does not exist/, /api_key_overview/] as const,
  ),
  ['no key', 'select revoke_api_key(null)', /key null does not exist/, /api_key_overview/],
];

describe('is rejected, with what to do instead', () => {
  it.each(REJECTED)('%s: %s', async (_what, sql, message, hint) => {
    const rejection = await rejectionOf(database.pool, sql, sql.includes('$1') ? [id] : []);
    expect(rejection?.message).toMatch(message);
    expect(rejection?.hint).toMatch(hint);
    // Message and hint fit on one line each.
    expect(`${rejection?.message}${rejection?.hint}`).not.toContain('\n');
  });

  it.each(['rotate_api_key', 'extend_api_key_overlap'])('%s of an expired key', async (name) => {
    await database.pool.query('update api_keys set expires_at = now() where id = $1', [id]);
    expect(await rejectionOf(database.pool, `select ${name}($1)`, [id])).toMatchObject({
      message: `key ${id} has expired`,
      hint: expect.stringContaining(`set_api_key_expiry(${id}, null)`),
    });
  });

  it('extend_api_key_overlap of a key whose secrets have all expired', async () => {
    await database.pool.query('update api_key_secrets set expires_at = now() where expires_at is null');
    expect(await rejectionOf(database.pool, 'select extend_api_key_overlap($1)', [id])).toMatchObject({
      message: `key ${id} has no old secret that still works`,
      hint: expect.stringContaining('rotate_api_key'),
    });
  });
});
