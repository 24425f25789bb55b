import { describe, expect, it } from '@jest/globals';
import {
  decide,
  sendOnce,
  countersOf,
  DAY_MS,
  makeKey,
  MIDNIGHT,
  MINUTE_MS,
  NOON,
  operate,
  POLICY,
  pool,
  warnings,
  statement,
  states,
  times,
} from '../../../test/support/admission/statement.js';
import { WholeAdmissionStatement } from '../../../test/support/admission/whole-admission-statement.js';

describe('the clock', () => {
  it('is the database’s; its fractions of a millisecond never make a ban seem shorter', async () => {
    const key = await makeKey('free', { minute: 1 });
    const observed: number[] = [];
    const observing = new WholeAdmissionStatement({ queryable: pool, named: false }, POLICY, {
      observe: (nowMs) => void observed.push(nowMs),
    });
    const decisions = await observing.decide(times(60, key.hash));
    const { rows } = await pool.query<{ ends: string; now: string }>(
      `select extract(epoch from banned_until) * 1000 as ends, extract(epoch from now()) * 1000 as now
       from api_key_counters where api_key_id = $1`,
      [key.id],
    );
    const last = decisions.at(-1);
    if (last?.state !== 'banned') throw new Error('the key is not banned');
    expect(last.retryAtMs).toBe(Math.max(Math.ceil(Number(rows[0]?.ends)), last.windows[0].resetAtMs));
    const nowMs = observed.at(-1) ?? Number.NaN;
    expect(nowMs).toBeLessThanOrEqual(Number(rows[0]?.now));
    expect(last.windows[0].resetAtMs).toBeGreaterThan(nowMs);
  });

  it('has its windows in UTC, whatever the time zone of the session', async () => {
    const key = await makeKey();
    const client = await pool.connect();
    try {
      await client.query(`set time zone 'Asia/Kathmandu'`);
      const elsewhere = new WholeAdmissionStatement({ queryable: client, named: false }, POLICY);
      const [decision] = await elsewhere.decide([key.hash], new Date(MIDNIGHT - 1));
      expect(decision).toMatchObject({ windows: [{ resetAtMs: MIDNIGHT }, { resetAtMs: MIDNIGHT }] });
      await client.query('reset time zone');
    } finally {
      client.release();
    }
  });

  it('keeps counting in the minute and day that another replica just started', async () => {
    const key = await makeKey('free', { minute: 2 });
    await decide(key.hash, 1, MIDNIGHT + 100);
    expect(states(await decide(key.hash, 2, MIDNIGHT - 100))).toEqual(['admitted', 'limited']);
    expect(await sendOnce(key.hash, MIDNIGHT - 1)).toMatchObject({
      windows: [{ resetAtMs: MIDNIGHT + MINUTE_MS }, { resetAtMs: MIDNIGHT + DAY_MS }],
    });
  });

  it('overwrites counts and bans over two minutes ahead, reports them once, and loses no day', async () => {
    const key = await makeKey('free', { minute: 1 });
    await decide(key.hash, 1 + 20, MIDNIGHT + 2 * MINUTE_MS + 1);
    warnings.length = 0;
    const [first, second] = await decide(key.hash, 2, MIDNIGHT - 1);
    expect(first).toMatchObject({
      state: 'admitted',
      windows: [{ resetAtMs: MIDNIGHT }, { resetAtMs: MIDNIGHT }],
    });
    expect(second).toMatchObject({ state: 'limited' });
    expect(warnings).toEqual([expect.stringContaining(`reset the counters of key ${key.id},`)]);
    await decide(key.hash, 1, MIDNIGHT);
    await decide(key.hash, 1, MIDNIGHT + DAY_MS);
    expect((await countersOf(key)).usage).toEqual([
      [MIDNIGHT - DAY_MS, 1, 1],
      [MIDNIGHT, 2, 20],
    ]);
  });
});

describe('rows', () => {
  it('creates a key’s missing counters, reports it, and counts from zero', async () => {
    const [whole, bare] = [await makeKey('free', { minute: 2 }), await makeKey('free', { minute: 2 })];
    await operate('delete from api_key_counters where api_key_id = $1', bare);
    warnings.length = 0;
    const group = [bare.hash, whole.hash, bare.hash, bare.hash, whole.hash];
    const decisions = await statement.decide(group, new Date(NOON));
    expect(states(decisions)).toEqual(['admitted', 'admitted', 'admitted', 'limited', 'admitted']);
    expect(warnings).toEqual([expect.stringContaining(`created the missing counters of keys ${bare.id}.`)]);
    expect((await countersOf(bare)).counters).toMatchObject({
      windows: { minute: { admitted: 2, refused: 1 } },
    });
    expect((await countersOf(whole)).counters).toMatchObject({
      windows: { minute: { admitted: 2, refused: 0 } },
    });
  });

  it.each([
    ['an admission on a day that is counted already', 1, NOON - DAY_MS + MINUTE_MS],
    ['an admission', 1, NOON],
    ['a rejection', 2, NOON],
    ['a ban', 30, NOON],
    ['a turn of the day', 1, MIDNIGHT],
  ])('waits for no disk on %s, and leaves the setting of the session alone', async (_, count, atMs) => {
    const key = await makeKey('free', { minute: 1 });
    await decide(key.hash, 1, NOON - DAY_MS);
    const client = await pool.connect();
    try {
      await client.query('set synchronous_commit = on');
      await client.query('begin');
      const inside = new WholeAdmissionStatement({ queryable: client, named: true }, POLICY);
      await inside.decide(times(count, key.hash), new Date(atMs));
      expect((await client.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'off' }]);
      await client.query('commit');
      expect((await client.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'on' }]);
      await client.query('reset synchronous_commit');
    } finally {
      client.release();
    }
  });
});
