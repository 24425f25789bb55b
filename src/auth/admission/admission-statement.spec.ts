import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Pool, QueryConfig } from 'pg';
import { insertPlan, insertSecret } from '../../../test/support/admission/rows.js';
import {
  decide,
  sendOnce,
  countersOf,
  database,
  makeKey,
  MIDNIGHT,
  NOON,
  NOON_MINUTE_END,
  operate,
  POLICY,
  pool,
  statement,
  states,
} from '../../../test/support/admission/statement.js';
import { serverError } from '../../../test/support/fake-send.js';
import { openTestPool } from '../../../test/support/test-pool.js';
import { LONG_DEADLINES } from '../../../test/support/deadlines.js';
import { Batcher } from '../../batching/batcher.js';
import { AdmissionStatement } from './admission-statement.js';

describe('authentication', () => {
  it('rejects a never-issued secret', async () => {
    expect(await sendOnce(`\\x${randomBytes(32).toString('hex')}`, NOON)).toEqual({ state: 'unknown' });
  });

  it('returns decisions in the order of the batch', async () => {
    const [one, other] = [await makeKey(), await makeKey()];
    const group = [other.hash, `\\x${randomBytes(32).toString('hex')}`, one.hash, other.hash];
    const decisions = await statement.decide(group, new Date(NOON));
    expect(decisions.map((decision) => 'caller' in decision && decision.caller?.keyId)).toEqual([
      other.id,
      false,
      one.id,
      other.id,
    ]);
  });

  it('rejects a revoked key, also one whose revocation is dated ahead, and counts nothing', async () => {
    const key = await makeKey();
    await operate(`update api_keys set revoked_at = now() + interval '1 minute' where id = $1`, key);
    expect(await statement.decide([key.hash])).toEqual([
      { state: 'revoked', rejectedKey: { keyId: key.id } },
    ]);
    expect((await countersOf(key)).counters.windows.day.admitted).toBe(0);
  });

  it('rejects an expired key from the instant of its expiry on', async () => {
    const key = await makeKey();
    await operate(`update api_keys set expires_at = '2026-11-20T12:00:00Z' where id = $1`, key);
    expect(await sendOnce(key.hash, NOON - 1)).toMatchObject({ state: 'admitted' });
    expect(await sendOnce(key.hash, NOON)).toEqual({ state: 'expired', rejectedKey: { keyId: key.id } });
  });

  it('rejects an expired secret while the other one of its key is admitted', async () => {
    const key = await makeKey();
    const fresh = await insertSecret(pool, key.id);
    await pool.query(`update api_key_secrets set expires_at = '2026-11-20T12:00:00Z' where hash = $1`, [
      key.hash,
    ]);
    const decisions = await statement.decide([key.hash, fresh, key.hash], new Date(NOON));
    expect(states(decisions)).toEqual(['expired', 'admitted', 'expired']);
  });
});

describe('limits', () => {
  it('gives each request of a batch its own remaining, limit and reset', async () => {
    const key = await makeKey();
    const decisions = await decide(key.hash, 3, NOON + 1234);
    expect(decisions).toEqual(
      [59, 58, 57].map((remaining) => ({
        state: 'admitted',
        caller: { keyId: key.id, planId: 'free' },
        windows: [
          { policy: 'minute', windowSeconds: 60, limit: 60, remaining, resetAtMs: NOON_MINUTE_END },
          {
            ...{ policy: 'day', windowSeconds: 86_400, limit: 1000 },
            ...{ remaining: 940 + remaining, resetAtMs: MIDNIGHT },
          },
        ],
      })),
    );
  });

  it('gives what remains to the earliest requests of a key, across its secrets', async () => {
    const key = await makeKey('free', { minute: 3 });
    const second = await insertSecret(pool, key.id);
    const decisions = await statement.decide([second, key.hash, second, key.hash, second], new Date(NOON));
    expect(states(decisions)).toEqual(['admitted', 'admitted', 'admitted', 'limited', 'limited']);
    expect(decisions.map((decision) => 'windows' in decision && decision.windows[0].remaining)).toEqual([
      2, 1, 0, 0, 0,
    ]);
  });

  it('does so also for a key that was counted today, and lets no later one pass an earlier', async () => {
    const key = await makeKey('free', { minute: 4 });
    const second = await insertSecret(pool, key.id);
    await sendOnce(key.hash, NOON);
    const decisions = await statement.decide([second, key.hash, second, key.hash], new Date(NOON));
    expect(decisions.map((decision) => 'windows' in decision && decision.windows[0].remaining)).toEqual([
      2, 1, 0, 0,
    ]);
    expect(states(decisions)).toEqual(['admitted', 'admitted', 'admitted', 'limited']);
  });

  it('prefers the limits of the key to its plan, and applies changes of both', async () => {
    await insertPlan(pool, 'trial', false);
    await pool.query(`update plans set requests_per_minute = 7, requests_per_day = 70 where id = 'trial'`);
    const key = await makeKey('trial', { minute: 9 });
    expect(await sendOnce(key.hash, NOON)).toMatchObject({ windows: [{ limit: 9 }, { limit: 70 }] });
    await pool.query(`update plans set requests_per_minute = 8, requests_per_day = 80 where id = 'trial'`);
    expect(await sendOnce(key.hash, NOON)).toMatchObject({
      windows: [{ limit: 9 }, { limit: 80, remaining: 78 }],
    });
    await operate('update api_keys set requests_per_minute = null where id = $1', key);
    expect(await sendOnce(key.hash, NOON)).toMatchObject({ windows: [{ limit: 8, remaining: 5 }, {}] });
  });

  it('takes the numbers of a key on a custom plan from the key', async () => {
    const key = await makeKey('enterprise', { minute: 5000, day: 1_000_000 });
    expect(await sendOnce(key.hash, NOON)).toMatchObject({
      caller: { planId: 'enterprise' },
      windows: [
        { limit: 5000, remaining: 4999 },
        { limit: 1_000_000, remaining: 999_999 },
      ],
    });
  });

  it('reports 0 remaining, not less, if a limit was lowered below the admitted count', async () => {
    const key = await makeKey('free', { minute: 10 });
    await decide(key.hash, 8, NOON);
    await operate('update api_keys set requests_per_minute = 5 where id = $1', key);
    expect(await sendOnce(key.hash, NOON)).toMatchObject({
      state: 'limited',
      windows: [{ limit: 5, remaining: 0 }, {}],
    });
  });
});

describe('when the database fails after it has admitted a part of a group', () => {
  it('returns the decisions, because they are counted', async () => {
    const [plain, other] = [await makeKey(), await makeKey()];
    await sendOnce(plain.hash, NOON);
    const failed = serverError('55P03');
    const query = (config: QueryConfig) =>
      config.name === 'admission' ? Promise.reject(failed) : pool.query(config);
    const queryable = { query } as unknown as Pool;
    const failing = new AdmissionStatement({ queryable, named: true }, POLICY);
    const decisions = await failing.decide([other.hash, plain.hash, plain.hash], new Date(NOON));
    expect(decisions).toMatchObject([
      { reason: 'database', cause: failed },
      { state: 'admitted' },
      { state: 'admitted' },
    ]);
    expect((await countersOf(plain)).counters.windows.day.admitted).toBe(3);
  });

  it('never double-counts requests batched with a key whose row is locked', async () => {
    const [plain, locked] = [await makeKey(), await makeKey()];
    await sendOnce(plain.hash, NOON);
    const impatient = openTestPool(database.url, { max: 1, lock_timeout: 50 });
    const decider = new AdmissionStatement({ queryable: impatient, named: true }, POLICY);
    const batcher = new Batcher({
      ...{ name: 'admission', isRead: false, retriesTimeoutsAlone: true },
      ...{ sizeMax: 32, concurrencyMax: 2, waitingMax: 100, timeoutMs: LONG_DEADLINES.waitMs },
      send: (hashes: readonly string[]) => decider.decide(hashes, new Date(NOON)),
    });
    const holder = await pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select from api_key_counters where api_key_id = $1 for update', [locked.id]);
      const [decision, rejection] = await Promise.allSettled(
        [plain.hash, locked.hash].map((hash) => batcher.load(hash)),
      );
      expect(decision).toMatchObject({ value: { state: 'admitted' } });
      expect(rejection).toMatchObject({ reason: { reason: 'database' } });
    } finally {
      await holder.query('rollback');
      holder.release();
      await impatient.end();
    }
    expect((await countersOf(plain)).counters.windows.day.admitted).toBe(2);
    expect((await countersOf(locked)).counters.windows.day.admitted).toBe(0);
  });
});
