import { describe, expect, it } from '@jest/globals';
import {
  decide,
  sendOnce,
  ban,
  countersOf,
  DAY_MS,
  makeKey,
  MINUTE_MS,
  NOON,
  NOON_MINUTE_END,
  operate,
  POLICY,
  pool,
  statement,
  states,
  times,
} from '../../../test/support/admission/statement.js';
import { WholeAdmissionStatement } from '../../../test/support/admission/whole-admission-statement.js';

describe('bans', () => {
  const BAN_END = NOON + MINUTE_MS;

  it('starts at the 20th rejection in a minute, which reports its end; later requests are not counted', async () => {
    const key = await makeKey('free', { minute: 1 });
    const at = NOON + 20_000;
    const decisions = await decide(key.hash, 25, at);
    expect(states(decisions)).toEqual(['admitted', ...Array(20).fill('limited'), ...Array(4).fill('banned')]);
    expect(decisions[19]).toMatchObject({ retryAtMs: NOON_MINUTE_END });
    expect(decisions[20]).toMatchObject({ state: 'limited', retryAtMs: at + MINUTE_MS });
    expect(decisions[21]).toMatchObject({
      state: 'banned',
      retryAtMs: at + MINUTE_MS,
      windows: [{}, { remaining: 0 }],
    });
    expect((await countersOf(key)).counters).toMatchObject({
      windows: { minute: { refused: 20 } },
      ban: { atMs: at, untilMs: at + MINUTE_MS },
    });
  });

  it('adds up the rejections of a minute over batches, and forgets them with the minute', async () => {
    const key = await makeKey('free', { minute: 1 });
    await decide(key.hash, 1 + 19, NOON);
    expect((await countersOf(key)).counters.ban).toBeNull();
    await decide(key.hash, 1 + 19, NOON_MINUTE_END);
    expect((await countersOf(key)).counters.ban).toBeNull();
    expect(states(await decide(key.hash, 2, NOON_MINUTE_END))).toEqual(['limited', 'banned']);
  });

  it('also forgets them if the minute starts on the fast path, alone or with another key', async () => {
    const other = await makeKey();
    const keys = [await makeKey('free', { minute: 1 }), await makeKey('free', { minute: 1 })];
    await sendOnce(other.hash, NOON);
    for (const [index, key] of keys.entries()) {
      await decide(key.hash, 1 + 19, NOON);
      const beside = index === 0 ? [] : [other.hash];
      await statement.decide([key.hash, ...beside], new Date(NOON_MINUTE_END));
      expect(states(await decide(key.hash, 20, NOON_MINUTE_END))).toEqual(Array<string>(20).fill('limited'));
      expect((await sendOnce(key.hash, NOON_MINUTE_END)).state).toBe('banned');
    }
  });

  it('writes nothing while it holds: no count, no lock, no transaction', async () => {
    const key = await makeKey('free', { minute: 1 });
    await ban(key, NOON);
    const version = 'select ctid::text, xmin::text, xmax::text from api_key_counters where api_key_id = $1';
    const before = await pool.query(version, [key.id]);
    const client = await pool.connect();
    try {
      await client.query('begin');
      const inside = new WholeAdmissionStatement({ queryable: client, named: false }, POLICY);
      expect(states(await inside.decide(times(3, key.hash), new Date(NOON + 1)))).toEqual(
        Array(3).fill('banned'),
      );
      const { rows } = await client.query('select pg_current_xact_id_if_assigned() as id');
      expect(rows).toEqual([{ id: null }]);
      await client.query('commit');
    } finally {
      client.release();
    }
    expect((await pool.query(version, [key.id])).rows).toEqual(before.rows);
  });

  it.each([
    ['twice as long a millisecond before a day after the end of the last one', BAN_END + DAY_MS - 1, 2],
    ['twice as long a day after the beginning of the last one', NOON + DAY_MS, 2],
    ['short again exactly a day after the end of the last one', BAN_END + DAY_MS, 1],
  ])('is %s', async (_length, atMs, minutes) => {
    const key = await makeKey('free', { minute: 1 });
    await ban(key, NOON);
    await ban(key, atMs);
    expect((await countersOf(key)).counters.ban).toEqual({ atMs, untilMs: atMs + minutes * MINUTE_MS });
  });

  it('ends at once when lifted, and no longer lengthens the next one', async () => {
    const key = await makeKey('free', { minute: 1 });
    await ban(key, NOON);
    await operate(`update api_keys set bans_lifted_at = '2026-11-20T12:00:30Z' where id = $1`, key);
    expect(await sendOnce(key.hash, NOON + 30_001)).toMatchObject({
      state: 'limited',
      retryAtMs: NOON_MINUTE_END,
    });
    await ban(key, NOON_MINUTE_END);
    expect((await countersOf(key)).counters.ban).toEqual({
      atMs: NOON_MINUTE_END,
      untilMs: NOON_MINUTE_END + MINUTE_MS,
    });
  });

  it('is forgotten with the first request after it was lifted', async () => {
    const key = await makeKey('free', { minute: 1 });
    await ban(key, NOON);
    await operate(`update api_keys set bans_lifted_at = '2026-11-20T12:00:30Z' where id = $1`, key);
    // Past the ban's own end, so that only the lifted ban makes this request a special one.
    expect(await sendOnce(key.hash, NOON + 2 * MINUTE_MS)).toMatchObject({ state: 'admitted' });
    expect((await countersOf(key)).counters.ban).toBeNull();
  });
});

describe('a suspension', () => {
  it('reports its end only when that is within a day', async () => {
    const key = await makeKey();
    await operate(`update api_keys set suspended_until = '2026-11-21T12:00:00Z' where id = $1`, key);
    expect(await sendOnce(key.hash, NOON)).toMatchObject({
      state: 'suspended',
      retryAtMs: NOON + 24 * 60 * MINUTE_MS,
      windows: [{ remaining: 0 }, {}],
    });
    for (const end of ['2026-11-21T12:00:00.001Z', 'infinity']) {
      await operate(`update api_keys set suspended_until = '${end}' where id = $1`, key);
      const decision = await sendOnce(key.hash, NOON);
      expect(decision).toMatchObject({ state: 'suspended', windows: [{}, { remaining: 0 }] });
      expect(decision).not.toHaveProperty('retryAtMs');
    }
    await operate('update api_keys set suspended_until = null where id = $1', key);
    expect(await sendOnce(key.hash, NOON)).toMatchObject({ state: 'admitted' });
  });
});
