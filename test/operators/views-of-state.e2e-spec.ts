import { describe, expect, it } from '@jest/globals';
import { tally } from '../support/send.js';
import { issueKeys, type TestKey } from '../support/issue-keys.js';
import { PRESENT_COUNTERS } from '../support/present-counters.js';
import { selectOne } from '../support/sql-outcome.js';
import { useOperator } from '../support/use-operator.js';

const idOf = (one: TestKey | undefined): string => String(one?.id);
const prefixOf = (one: TestKey | undefined): string => String(one?.key).slice(0, 12);

const operator = useOperator();

describe('the state of a key in api_key_overview is that of the service', () => {
  it.each([
    ['live', '', '200'],
    ['live', `expires_at = now() + interval '1 hour', suspended_until = now()`, '200'],
    ['suspended', `suspended_until = 'infinity'`, '403 api_key_suspended'],
    ['expired', 'expires_at = now()', '401 expired_api_key'],
    ['revoked', 'revoked_at = now()', '401 revoked_api_key'],
    // Of two reasons the one that the service gives.
    ['revoked', `revoked_at = now() + interval '1 minute', expires_at = now()`, '401 revoked_api_key'],
    ['expired', `expires_at = now(), suspended_until = 'infinity'`, '401 expired_api_key'],
  ])('%s: %s', async (state, assignments, says) => {
    const key = await operator.issueKey();
    if (assignments !== '') await operator.setKey(key, assignments);
    expect(await operator.overviewOf(key, 'state')).toEqual({ state });
    expect(tally([await operator.send(key.key)])).toEqual({ [says]: 1 });
  });

  it('expired, with its last secret', async () => {
    const key = await operator.issueKey();
    await operator.pool.query('update api_key_secrets set expires_at = now() where api_key_id = $1', [
      key.id,
    ]);
    expect(await operator.overviewOf(key, 'state, secrets, expires_at < now() as over')).toEqual({
      state: 'expired',
      secrets: 0,
      over: true,
    });
    expect(tally([await operator.send(key.key)])).toEqual({ '401 expired_api_key': 1 });
  });

  it('live, while one of its secrets works', async () => {
    const key = await operator.issueKey();
    const { key: second } = await selectOne<TestKey>(
      operator.pool,
      `select key from rotate_api_key($1, '0')`,
      [key.id],
    );
    expect(await operator.overviewOf(key, 'state, secrets, expires_at, prefix')).toEqual({
      state: 'live',
      secrets: 1,
      expires_at: null,
      prefix: second.slice(0, 12),
    });
  });

  it('unissued, before its first secret', async () => {
    const key = await selectOne<TestKey>(
      operator.pool,
      `insert into api_keys (name, plan_id) values ('by hand', 'free') returning id`,
    );
    expect(await operator.overviewOf(key, 'state, secrets, prefix')).toEqual({
      state: 'unissued',
      secrets: 0,
      prefix: null,
    });
    await operator.pool.query('select rotate_api_key($1)', [key.id]);
    expect(await operator.overviewOf(key, 'state, secrets')).toEqual({ state: 'live', secrets: 1 });
  });

  it.each([
    [
      'banned',
      `banned_at = now() - interval '1 s', banned_until = now() + interval '1 hour'`,
      '',
      '429 api_key_banned',
    ],
    ['live', `banned_at = now() - interval '1 hour', banned_until = now()`, '', '200'],
    [
      'live',
      `banned_at = now() - interval '1 s', banned_until = now() + interval '1 hour'`,
      'bans_lifted_at = now()',
      '200',
    ],
    [
      'live',
      `banned_at = date_trunc('minute', now()), banned_until = now() + interval '1 hour'`,
      `bans_lifted_at = date_trunc('minute', now())`,
      '200',
    ],
    [
      'banned',
      `banned_at = now() - interval '1 s', banned_until = now() + interval '1 hour'`,
      `bans_lifted_at = now() - interval '1 day'`,
      '429 api_key_banned',
    ],
    // Of another clock.
    [
      'live',
      `minute = now() + interval '1 hour', banned_at = now(), banned_until = now() + interval '2 hours'`,
      '',
      '200',
    ],
    // Of the two an operator's own doing is what he can undo.
    [
      'suspended',
      `banned_at = now() - interval '1 s', banned_until = now() + interval '1 hour'`,
      `suspended_until = now() + interval '1 minute'`,
      '403 api_key_suspended',
    ],
  ])('%s: %s; %s', async (state, counters, assignments, says) => {
    const key = await operator.issueKey();
    const minute = /minute = (.*?),/.exec(counters)?.[1] ?? 'now()';
    const day = `((${minute}) at time zone 'UTC')::date`;
    await operator.setCounters(
      key,
      `minute = ${minute}, day = ${day}, ${counters.replace(/minute = .*?, /, '')}`,
    );
    if (assignments !== '') await operator.setKey(key, assignments);
    const seen = await operator.overviewOf(
      key,
      'state, banned_at is not null as began, banned_until > now() as lasts',
    );
    const isBanned = !says.startsWith('200');
    expect(seen).toEqual({ state, began: isBanned, lasts: isBanned ? true : null });
    expect(tally([await operator.send(key.key)])).toEqual({ [says]: 1 });
  });
});

describe('expiring_api_keys', () => {
  it('lists keys and secrets that will expire, the next one first, and which of them end a key', async () => {
    const [key, rotated, lastSecret, ended, revoked, keyFirst, endless] = await issueKeys(operator.pool, 7);
    const set = (table: string, column: string, one: TestKey | undefined, hours: number): Promise<unknown> =>
      operator.pool.query(
        `update ${table} set expires_at = now() + $2 * interval '1 hour' where ${column} = $1`,
        [one?.id, hours],
      );
    await set('api_keys', 'id', key, 5);
    await operator.pool.query(`select rotate_api_key($1, '4 hours')`, [rotated?.id]);
    await set('api_key_secrets', 'api_key_id', lastSecret, 3);
    await set('api_keys', 'id', ended, -1);
    await set('api_keys', 'id', revoked, 2);
    await operator.pool.query('select revoke_api_key($1)', [revoked?.id]);
    await set('api_keys', 'id', keyFirst, 1);
    await set('api_key_secrets', 'api_key_id', keyFirst, 2);

    await operator.pool.query(`select set_api_key_expiry($1, 'infinity')`, [endless?.id]);

    const { rows } = await operator.pool.query(
      `select api_key_id, expires, prefix, ends_key, round(extract(epoch from expires_at - now()) / 3600)::int as hours
       from expiring_api_keys where api_key_id >= $1`,
      [key?.id],
    );
    expect(rows).toEqual([
      { api_key_id: idOf(keyFirst), expires: 'key', prefix: null, ends_key: true, hours: 1 },
      {
        api_key_id: idOf(lastSecret),
        expires: 'secret',
        prefix: prefixOf(lastSecret),
        ends_key: true,
        hours: 3,
      },
      { api_key_id: idOf(rotated), expires: 'secret', prefix: prefixOf(rotated), ends_key: false, hours: 4 },
      { api_key_id: idOf(key), expires: 'key', prefix: null, ends_key: true, hours: 5 },
    ]);
  });
});

describe('plan_overview', () => {
  it('counts the keys of each plan, and those that live', async () => {
    await operator.pool.query(`select create_plan('counted', 1, 1)`);
    const [revoked, expired, silent, suspended] = await issueKeys(operator.pool, 5, { plan: 'counted' });
    await operator.pool.query('select revoke_api_key($1)', [revoked?.id]);
    await operator.pool.query('update api_keys set expires_at = now() where id = $1', [expired?.id]);
    await operator.pool.query('update api_key_secrets set expires_at = now() where api_key_id = $1', [
      silent?.id,
    ]);
    await operator.pool.query('select suspend_api_key($1)', [suspended?.id]);
    await operator.pool.query(
      `update api_key_counters set ${PRESENT_COUNTERS}, day_admitted = 1 where api_key_id = any ($1)`,
      [[silent?.id, suspended?.id]],
    );
    const { rows } = await operator.pool.query(
      `select id, keys, live_keys, near_limit_keys from plan_overview where id in ('counted', 'enterprise') order by id`,
    );
    expect(rows).toEqual([
      { id: 'counted', keys: '5', live_keys: '2', near_limit_keys: '1' },
      { id: 'enterprise', keys: '0', live_keys: '0', near_limit_keys: '0' },
    ]);
  });
});

describe('plan_peaks', () => {
  it('has the highest use of a key without limits of its own', async () => {
    await operator.pool.query(`select create_plan('peaks', 50, 500)`);
    const [one, other] = await issueKeys(operator.pool, 2, { plan: 'peaks' });
    const [own] = await issueKeys(operator.pool, 1, { plan: 'peaks', perMinute: 900, perDay: 9000 });
    const highest = async (): Promise<unknown> =>
      (
        await operator.pool.query(
          `select highest_minute, highest_day from plan_peaks where plan_id = 'peaks'`,
        )
      ).rows[0];
    expect(await highest()).toEqual({ highest_minute: null, highest_day: null });
    await operator.pool.query(
      `insert into api_key_usage_hours (hour, api_key_id, operation, outcome, requests, total_ms, minute_peak)
       values (this_hour(), $1, 'listPets', 'success', 99, 1, 30), (this_hour() - interval '23 hours', $2, 'getPet', 'success', 99, 1, 45),
         (this_hour() - interval '24 hours', $2, 'getPet', 'success', 99, 1, 50), (this_hour(), $3, 'getPet', 'success', 999, 1, 800)`,
      [one?.id, other?.id, own?.id],
    );
    await operator.pool.query(
      `update api_key_counters set ${PRESENT_COUNTERS}, day_admitted = case api_key_id when $3 then 8000 when $1 then 129 else 99 end
       where api_key_id in ($1, $2, $3)`,
      [one?.id, other?.id, own?.id],
    );
    expect(await highest()).toEqual({ highest_minute: '45', highest_day: '129' });
  });
});
