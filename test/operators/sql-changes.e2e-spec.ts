import { describe, expect, it } from '@jest/globals';
import { selectOne } from '../support/sql-outcome.js';
import { useOperator } from '../support/use-operator.js';

interface Issued {
  readonly id: string;
  readonly key: string;
}

const operator = useOperator({ environment: { BAN_AFTER_REFUSALS: '3' } });

const issue = (plan = 'pro'): Promise<Issued> =>
  selectOne<Issued>(operator.pool, `select id::text, key from issue_api_key(name => 'Acme', plan => $1)`, [
    plan,
  ]);

/** The counts of keys that are neither used nor suspended. */
const UNUSED = { suspended_keys: '0', active_keys: '0', near_limit_keys: '0' };

describe('the other functions hold for the next request on every replica, and show the key', () => {
  it('revoke_api_key, once and for all', async () => {
    const { id, key } = await issue();
    const first = await selectOne<{ revoked_at: Date }>(operator.pool, 'select * from revoke_api_key($1)', [
      id,
    ]);
    expect(first).toMatchObject({ id, name: 'Acme', state: 'revoked', revoked_at: expect.any(Date) });
    expect(await operator.responses(key)).toEqual({ '401 revoked_api_key': 2 });
    expect(await selectOne(operator.pool, 'select * from revoke_api_key($1)', [id])).toEqual(first);
  });

  it('set_api_key_plan, with the limits of the plan or with others', async () => {
    const { id, key } = await issue();
    await operator.pool.query('update api_keys set requests_per_minute = 7 where id = $1', [id]);
    expect(
      await selectOne(operator.pool, `select * from set_api_key_plan($1, 'business')`, [id]),
    ).toMatchObject({
      plan_id: 'business',
      requests_per_minute: 1000,
      requests_per_day: 100_000,
      own_limits: false,
    });
    expect(await operator.responses(key)).toEqual({ 200: 2 });
    expect(
      await selectOne(
        operator.pool,
        `select * from set_api_key_plan($1, 'enterprise', per_minute => 9, per_day => 2)`,
        [id],
      ),
    ).toMatchObject({ plan_id: 'enterprise', requests_per_minute: 9, requests_per_day: 2, own_limits: true });
    expect(await operator.responses(key)).toEqual({ '429 rate_limit_exceeded': 2 });
  });

  it('set_api_key_limits, and back to those of the plan with null', async () => {
    const { id, key } = await issue();
    expect(
      await selectOne(
        operator.pool,
        'select * from set_api_key_limits($1, per_minute => 600, per_day => null)',
        [id],
      ),
    ).toMatchObject({ requests_per_minute: 600, requests_per_day: 10_000, own_limits: true });
    expect(await operator.send(key, 1)).toMatchObject({ limit: 600 });
    expect(
      await selectOne(operator.pool, 'select * from set_api_key_limits($1, null, null)', [id]),
    ).toMatchObject({
      requests_per_minute: 300,
      requests_per_day: 10_000,
      own_limits: false,
    });
    expect(await operator.send(key, 1)).toMatchObject({ limit: 300 });
  });

  it.each([
    ['for a while', `suspend_api_key($1, lasting => '1 hour')`, `statement_timestamp() + interval '1 hour'`],
    ['until an instant', `suspend_api_key($1, until => '2099-01-01Z')`, `'2099-01-01Z'`],
    ['until it is resumed', 'suspend_api_key($1)', `'infinity'`],
  ])('suspend_api_key %s, and resume_api_key', async (_what, call, until) => {
    const { id, key } = await issue();
    expect(
      await selectOne(operator.pool, `select state, suspended_until = ${until} as as_said from ${call}`, [
        id,
      ]),
    ).toEqual({ state: 'suspended', as_said: true });
    expect(await operator.responses(key)).toEqual({ '403 api_key_suspended': 2 });
    expect(
      await selectOne(operator.pool, 'select state, suspended_until from resume_api_key($1)', [id]),
    ).toEqual({
      state: 'live',
      suspended_until: null,
    });
    expect(await operator.responses(key)).toEqual({ 200: 2 });
  });

  it('unban_api_key, also in a transaction that is open since before the ban; a suspension goes on', async () => {
    const { id, key } = await issue();
    await operator.pool.query('select set_api_key_limits($1, 300, 1)', [id]);
    const session = await operator.pool.connect();
    try {
      await session.query('begin');
      await session.query('select 1');
      for (let n = 0; n < 5; n += 1) await operator.responses(key);
      expect(await operator.responses(key)).toEqual({ '429 api_key_banned': 2 });
      expect(await selectOne(session, 'select state from api_key_overview where id = $1', [id])).toEqual({
        state: 'banned',
      });
      expect(
        await selectOne(session, 'select state, banned_at, banned_until from unban_api_key($1)', [id]),
      ).toEqual({ state: 'live', banned_at: null, banned_until: null });
      await session.query('select set_api_key_limits($1, null, null)', [id]);
      await session.query('commit');
    } finally {
      session.release();
    }
    expect(await operator.responses(key)).toEqual({ 200: 2 });
    await operator.pool.query('select suspend_api_key($1)', [id]);
    expect(await selectOne(operator.pool, 'select state from unban_api_key($1)', [id])).toEqual({
      state: 'suspended',
    });
  });

  it('create_plan and set_plan, for all its keys', async () => {
    expect(
      await selectOne(operator.pool, `select * from create_plan('trial', per_minute => 40, per_day => 400)`),
    ).toEqual({
      id: 'trial',
      custom: false,
      requests_per_minute: 40,
      requests_per_day: 400,
      requests_per_month: null,
      keys: '0',
      live_keys: '0',
      ...UNUSED,
    });
    const { key } = await issue('trial');
    expect(await operator.send(key, 0)).toMatchObject({ status: 200, limit: 40 });
    expect(await selectOne(operator.pool, `select * from set_plan('trial', per_day => 20)`)).toMatchObject({
      requests_per_minute: 40,
      requests_per_day: 20,
      keys: '1',
      live_keys: '1',
    });
    expect(await operator.send(key, 1)).toMatchObject({ status: 200, limit: 20 });
    expect(
      await selectOne(operator.pool, `select * from create_plan('bespoke', custom => true)`),
    ).toMatchObject({
      custom: true,
      requests_per_minute: null,
      requests_per_day: null,
    });
  });
});
