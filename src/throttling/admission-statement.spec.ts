import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { insertKey, insertPlan, insertSecret, readCounted } from '../../test/support/admission/rows.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { openTestPool } from '../../test/support/test-pool.js';
import { type AdmissionRepair, AdmissionStatement, type KeyVerdict } from './admission-statement.js';

const POLICY = { banAfterRefusals: 20, banSeconds: 60, banMaxSeconds: 3600 };
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOON = Date.parse('2026-11-20T12:00:00Z');
const NOON_MINUTE_END = NOON + MINUTE_MS;
const MIDNIGHT = Date.parse('2026-11-21T00:00:00Z');

let database: TestDatabase;
let pool: Pool;
let statement: AdmissionStatement;
const repairs: AdmissionRepair[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, { max: 4 });
  statement = new AdmissionStatement(pool, POLICY, {
    named: true,
    onRepair: (repair) => repairs.push(repair),
  });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

type Key = { readonly id: bigint; readonly hash: string };

async function makeKey(planId = 'free', own: { perMinute?: number; perDay?: number } = {}): Promise<Key> {
  const id = await insertKey(pool, planId, own);
  return { id, hash: await insertSecret(pool, id) };
}

const times = (count: number, hash: string): string[] => Array<string>(count).fill(hash);

/** Requests with one secret at an instant, in one group. */
const ask = (hash: string, count: number, atMs: number): Promise<readonly KeyVerdict[]> =>
  statement.decide(times(count, hash), new Date(atMs));

async function askOnce(hash: string, atMs: number): Promise<KeyVerdict> {
  const [verdict] = await ask(hash, 1, atMs);
  if (verdict === undefined) throw new Error('no verdict');
  return verdict;
}

async function countersOf(key: Key) {
  const [counted] = await readCounted(pool, [key.id]);
  if (counted === undefined) throw new Error('no such key');
  return counted;
}

/** Bans a key of one request a minute, in a minute in which it has not asked yet. */
const ban = (key: Key, atMs: number): Promise<readonly KeyVerdict[]> => ask(key.hash, 1 + 20, atMs);

const states = (verdicts: readonly KeyVerdict[]): string[] => verdicts.map(({ state }) => state);

const operate = (sql: string, key: Key): Promise<unknown> => pool.query(sql, [key.id]);

describe('who is asking', () => {
  it('knows no secret that was never issued', async () => {
    expect(await askOnce(`\\x${randomBytes(32).toString('hex')}`, NOON)).toEqual({ state: 'unknown' });
  });

  it('answers each request of a group in its place', async () => {
    const [one, other] = [await makeKey(), await makeKey()];
    const group = [other.hash, `\\x${randomBytes(32).toString('hex')}`, one.hash, other.hash];
    const verdicts = await statement.decide(group, new Date(NOON));
    expect(verdicts.map((verdict) => 'keyId' in verdict && verdict.keyId)).toEqual([
      other.id,
      false,
      one.id,
      other.id,
    ]);
  });

  it('refuses a revoked key, also one whose revocation is dated ahead, and counts nothing', async () => {
    const key = await makeKey();
    await operate(`update api_keys set revoked_at = now() + interval '1 day' where id = $1`, key);
    expect(await statement.decide([key.hash])).toEqual([
      { state: 'revoked', keyId: key.id, nowMs: expect.any(Number) },
    ]);
    expect((await countersOf(key)).counters.dayAdmitted).toBe(0);
  });

  it('refuses an expired key from the instant on at which it expires', async () => {
    const key = await makeKey();
    await operate(`update api_keys set expires_at = '2026-11-20T12:00:00Z' where id = $1`, key);
    expect(await askOnce(key.hash, NOON - 1)).toMatchObject({ state: 'admitted' });
    expect(await askOnce(key.hash, NOON)).toEqual({ state: 'expired', keyId: key.id, nowMs: NOON });
  });

  it('refuses an expired secret while the other one of its key is admitted', async () => {
    const key = await makeKey();
    const fresh = await insertSecret(pool, key.id);
    await pool.query(`update api_key_secrets set expires_at = '2026-11-20T12:00:00Z' where hash = $1`, [
      key.hash,
    ]);
    const verdicts = await statement.decide([key.hash, fresh, key.hash], new Date(NOON));
    expect(states(verdicts)).toEqual(['expired', 'admitted', 'expired']);
  });
});

describe('limits', () => {
  it('tells each request of a group its own remaining, limit and reset', async () => {
    const key = await makeKey();
    const verdicts = await ask(key.hash, 3, NOON + 1234);
    expect(verdicts).toEqual(
      [59, 58, 57].map((remaining) => ({
        state: 'admitted',
        keyId: key.id,
        planId: 'free',
        nowMs: NOON + 1234,
        minute: { limit: 60, remaining, resetAtMs: NOON_MINUTE_END },
        day: { limit: 1000, remaining: 940 + remaining, resetAtMs: MIDNIGHT },
      })),
    );
  });

  it('gives what is left to the earliest requests of a key, whichever of its secrets they came with', async () => {
    const key = await makeKey('free', { perMinute: 3 });
    const second = await insertSecret(pool, key.id);
    const verdicts = await statement.decide([second, key.hash, second, key.hash, second], new Date(NOON));
    expect(states(verdicts)).toEqual(['admitted', 'admitted', 'admitted', 'limited', 'limited']);
    expect(verdicts.map((verdict) => 'minute' in verdict && verdict.minute.remaining)).toEqual([
      2, 1, 0, 0, 0,
    ]);
  });

  it('charges a refused request to neither window, and admits again when the minute ends', async () => {
    const key = await makeKey('free', { perMinute: 2, perDay: 4 });
    expect(states(await ask(key.hash, 5, NOON))).toEqual([
      'admitted',
      'admitted',
      'limited',
      'limited',
      'limited',
    ]);
    expect((await countersOf(key)).counters).toMatchObject({
      minuteAdmitted: 2,
      minuteRefused: 3,
      dayAdmitted: 2,
      dayRefused: 3,
    });
    const refused = await askOnce(key.hash, NOON + 5000);
    expect(refused).toMatchObject({ state: 'limited', retryAtMs: NOON_MINUTE_END, day: { remaining: 2 } });
    expect(await askOnce(key.hash, NOON_MINUTE_END - 1)).toMatchObject({ state: 'limited' });
    expect(await askOnce(key.hash, NOON_MINUTE_END)).toMatchObject({
      state: 'admitted',
      day: { remaining: 1 },
    });
  });

  it('lets who has used up both windows wait for the day, which ends later', async () => {
    const key = await makeKey('free', { perMinute: 2, perDay: 2 });
    await ask(key.hash, 2, NOON);
    expect(await askOnce(key.hash, NOON)).toMatchObject({ state: 'limited', retryAtMs: MIDNIGHT });
    expect(await askOnce(key.hash, MIDNIGHT - 1)).toMatchObject({ state: 'limited' });
    expect(await askOnce(key.hash, MIDNIGHT)).toMatchObject({ state: 'admitted' });
  });

  it('puts the numbers of the key before those of its plan, and follows both at once', async () => {
    await insertPlan(pool, 'trial', false);
    await pool.query(`update plans set requests_per_minute = 7, requests_per_day = 70 where id = 'trial'`);
    const key = await makeKey('trial', { perMinute: 9 });
    expect(await askOnce(key.hash, NOON)).toMatchObject({ minute: { limit: 9 }, day: { limit: 70 } });
    await pool.query(`update plans set requests_per_minute = 8, requests_per_day = 80 where id = 'trial'`);
    expect(await askOnce(key.hash, NOON)).toMatchObject({
      minute: { limit: 9 },
      day: { limit: 80, remaining: 78 },
    });
    await operate('update api_keys set requests_per_minute = null where id = $1', key);
    expect(await askOnce(key.hash, NOON)).toMatchObject({ minute: { limit: 8, remaining: 5 } });
  });

  it('takes the numbers of a key on a custom plan from the key', async () => {
    const key = await makeKey('enterprise', { perMinute: 5000, perDay: 1_000_000 });
    expect(await askOnce(key.hash, NOON)).toMatchObject({
      planId: 'enterprise',
      minute: { limit: 5000, remaining: 4999 },
      day: { limit: 1_000_000, remaining: 999_999 },
    });
  });

  it('has nothing remaining, not less, where a limit was lowered below what was admitted', async () => {
    const key = await makeKey('free', { perMinute: 10 });
    await ask(key.hash, 8, NOON);
    await operate('update api_keys set requests_per_minute = 5 where id = $1', key);
    expect(await askOnce(key.hash, NOON)).toMatchObject({
      state: 'limited',
      minute: { limit: 5, remaining: 0 },
    });
  });
});

describe('bans', () => {
  const BAN_END = NOON + MINUTE_MS;

  it('starts with the 20th refusal in a minute, which tells its end, and counts nothing that comes after', async () => {
    const key = await makeKey('free', { perMinute: 1 });
    const at = NOON + 20_000;
    const verdicts = await ask(key.hash, 25, at);
    expect(states(verdicts)).toEqual(['admitted', ...Array(20).fill('limited'), ...Array(4).fill('banned')]);
    expect(verdicts[19]).toMatchObject({ retryAtMs: NOON_MINUTE_END });
    expect(verdicts[20]).toMatchObject({ state: 'limited', retryAtMs: at + MINUTE_MS });
    expect(verdicts[21]).toMatchObject({ state: 'banned', retryAtMs: at + MINUTE_MS, day: { remaining: 0 } });
    expect((await countersOf(key)).counters).toMatchObject({
      minuteRefused: 20,
      ban: { atMs: at, untilMs: at + MINUTE_MS },
    });
  });

  it('adds up the refusals of a minute over groups, and forgets them with the minute', async () => {
    const key = await makeKey('free', { perMinute: 1 });
    await ask(key.hash, 1 + 19, NOON);
    expect((await countersOf(key)).counters.ban).toBeNull();
    await ask(key.hash, 1 + 19, NOON_MINUTE_END);
    expect((await countersOf(key)).counters.ban).toBeNull();
    expect(states(await ask(key.hash, 2, NOON_MINUTE_END))).toEqual(['limited', 'banned']);
  });

  it('holds until its last millisecond, and admits then', async () => {
    const key = await makeKey('free', { perMinute: 1 });
    await ban(key, NOON);
    expect(await askOnce(key.hash, BAN_END - 1)).toMatchObject({
      state: 'banned',
      retryAtMs: BAN_END,
      minute: { limit: 1, remaining: 0 },
      day: { limit: 1000, remaining: 0, resetAtMs: MIDNIGHT },
    });
    expect(await askOnce(key.hash, BAN_END)).toMatchObject({ state: 'admitted' });
  });

  it('writes nothing while it holds: no count, no lock, no transaction', async () => {
    const key = await makeKey('free', { perMinute: 1 });
    await ban(key, NOON);
    const version = 'select ctid::text, xmin::text, xmax::text from api_key_counters where api_key_id = $1';
    const before = await pool.query(version, [key.id]);
    const client = await pool.connect();
    try {
      await client.query('begin');
      const inside = new AdmissionStatement(client, POLICY, { named: false });
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

  it('lasts twice as long when it begins within a day of the one before, up to the longest', async () => {
    const key = await makeKey('free', { perMinute: 1 });
    const seconds: number[] = [];
    for (let hour = 0; hour < 8; hour += 1) {
      const verdicts = await ban(key, NOON + hour * 3 * 60 * MINUTE_MS);
      const last = verdicts.at(-1);
      if (last && 'retryAtMs' in last) seconds.push(((last.retryAtMs ?? 0) - last.nowMs) / 1000);
    }
    expect(seconds).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600]);
  });

  it('is short again a day after the last one began', async () => {
    const key = await makeKey('free', { perMinute: 1 });
    await ban(key, NOON);
    await ban(key, NOON + DAY_MS);
    expect((await countersOf(key)).counters.ban).toEqual({
      atMs: NOON + DAY_MS,
      untilMs: NOON + DAY_MS + MINUTE_MS,
    });
  });

  it('ends at once when it is lifted, and then no longer makes the next one longer', async () => {
    const key = await makeKey('free', { perMinute: 1 });
    await ban(key, NOON);
    await operate(`update api_keys set bans_lifted_at = '2026-11-20T12:00:30Z' where id = $1`, key);
    expect(await askOnce(key.hash, NOON + 30_001)).toMatchObject({
      state: 'limited',
      retryAtMs: NOON_MINUTE_END,
    });
    await ban(key, NOON_MINUTE_END);
    expect((await countersOf(key)).counters.ban).toEqual({
      atMs: NOON_MINUTE_END,
      untilMs: NOON_MINUTE_END + MINUTE_MS,
    });
  });

  it('is a suspension, too, until the operator wants it, or without end', async () => {
    const key = await makeKey();
    await operate(`update api_keys set suspended_until = '2026-11-20T15:00:00Z' where id = $1`, key);
    expect(await askOnce(key.hash, NOON)).toMatchObject({
      state: 'banned',
      retryAtMs: Date.parse('2026-11-20T15:00:00Z'),
      minute: { remaining: 0 },
    });
    await operate(`update api_keys set suspended_until = 'infinity' where id = $1`, key);
    expect(await askOnce(key.hash, NOON)).toMatchObject({ retryAtMs: Date.parse('9999-12-31T23:59:59Z') });
    await operate('update api_keys set suspended_until = null where id = $1', key);
    expect(await askOnce(key.hash, NOON)).toMatchObject({ state: 'admitted' });
  });
});

describe('the clock', () => {
  it('is the database’s; its fractions of a millisecond never make a ban seem shorter', async () => {
    const key = await makeKey('free', { perMinute: 1 });
    const verdicts = await statement.decide(times(60, key.hash));
    const { rows } = await pool.query<{ ends: string; now: string }>(
      `select extract(epoch from banned_until) * 1000 as ends, extract(epoch from now()) * 1000 as now
       from api_key_counters where api_key_id = $1`,
      [key.id],
    );
    const last = verdicts.at(-1);
    if (last?.state !== 'banned') throw new Error('the key is not banned');
    expect(last.retryAtMs).toBe(Math.max(Math.ceil(Number(rows[0]?.ends)), last.minute.resetAtMs));
    expect(last.nowMs).toBeLessThanOrEqual(Number(rows[0]?.now));
    expect(last.minute.resetAtMs).toBeGreaterThan(last.nowMs);
  });

  it('has its windows in UTC, whatever the time zone of the session', async () => {
    const key = await makeKey();
    const client = await pool.connect();
    try {
      await client.query(`set time zone 'Asia/Kathmandu'`);
      const elsewhere = new AdmissionStatement(client, POLICY, { named: false });
      const [verdict] = await elsewhere.decide([key.hash], new Date(MIDNIGHT - 1));
      expect(verdict).toMatchObject({ minute: { resetAtMs: MIDNIGHT }, day: { resetAtMs: MIDNIGHT } });
      await client.query('reset time zone');
    } finally {
      client.release();
    }
  });

  it('keeps counting in the minute and day that another replica has opened a moment before', async () => {
    const key = await makeKey('free', { perMinute: 2 });
    await ask(key.hash, 1, MIDNIGHT + 100);
    expect(states(await ask(key.hash, 2, MIDNIGHT - 100))).toEqual(['admitted', 'limited']);
    expect(await askOnce(key.hash, MIDNIGHT - 1)).toMatchObject({
      minute: { resetAtMs: MIDNIGHT + MINUTE_MS },
      day: { resetAtMs: MIDNIGHT + DAY_MS },
    });
  });

  it('overwrites, and reports once, counts and bans more than two minutes ahead, and loses no day', async () => {
    const key = await makeKey('free', { perMinute: 1 });
    await ask(key.hash, 1 + 20, MIDNIGHT + 2 * MINUTE_MS + 1);
    repairs.length = 0;
    const [first, second] = await ask(key.hash, 2, MIDNIGHT - 1);
    expect(first).toMatchObject({
      state: 'admitted',
      minute: { resetAtMs: MIDNIGHT },
      day: { resetAtMs: MIDNIGHT },
    });
    expect(second).toMatchObject({ state: 'limited' });
    expect(repairs).toEqual([{ kind: 'clock-went-back', keyId: key.id }]);
    await ask(key.hash, 1, MIDNIGHT);
    await ask(key.hash, 1, MIDNIGHT + DAY_MS);
    expect((await countersOf(key)).usage).toEqual([
      [MIDNIGHT - DAY_MS, 1, 1],
      [MIDNIGHT, 2, 20],
    ]);
  });
});

describe('rows', () => {
  it('makes a finished day history with the first request of a later one', async () => {
    const key = await makeKey('free', { perMinute: 2 });
    await ask(key.hash, 3, NOON);
    expect((await countersOf(key)).usage).toEqual([]);
    await ask(key.hash, 1, NOON + 3 * DAY_MS);
    const counted = await countersOf(key);
    expect(counted.usage).toEqual([[MIDNIGHT - DAY_MS, 2, 1]]);
    expect(counted.counters).toMatchObject({ dayMs: MIDNIGHT + 2 * DAY_MS, dayAdmitted: 1, dayRefused: 0 });
  });

  it('makes a key’s missing counters, reports it, and counts from nought', async () => {
    const [whole, bare] = [await makeKey('free', { perMinute: 2 }), await makeKey('free', { perMinute: 2 })];
    await operate('delete from api_key_counters where api_key_id = $1', bare);
    repairs.length = 0;
    const group = [bare.hash, whole.hash, bare.hash, bare.hash, whole.hash];
    const verdicts = await statement.decide(group, new Date(NOON));
    expect(states(verdicts)).toEqual(['admitted', 'admitted', 'admitted', 'limited', 'admitted']);
    expect(repairs).toEqual([{ kind: 'counters-missing', keyIds: [bare.id] }]);
    expect((await countersOf(bare)).counters).toMatchObject({ minuteAdmitted: 2, minuteRefused: 1 });
    expect((await countersOf(whole)).counters).toMatchObject({ minuteAdmitted: 2, minuteRefused: 0 });
  });

  it.each([
    ['an admission', 1, NOON],
    ['a refusal', 2, NOON],
    ['a ban', 30, NOON],
    ['a turn of the day', 1, MIDNIGHT],
  ])('waits for no disk on %s, and leaves the setting of the session alone', async (_, count, atMs) => {
    const key = await makeKey('free', { perMinute: 1 });
    await ask(key.hash, 1, NOON - DAY_MS);
    const client = await pool.connect();
    try {
      await client.query('set synchronous_commit = on');
      await client.query('begin');
      const inside = new AdmissionStatement(client, POLICY, { named: true });
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
