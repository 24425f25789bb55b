import type { KeyWindow, LimitWindow } from '../../../src/auth/admission/decision.js';
import type { BanPolicy } from '../../../src/auth/admission/admission-statement.js';
import type { KeyDecision } from '../../../src/auth/admission/admission-statement.js';

/** The settings of a key by operators. Times are ms; an infinite one is never. */
export interface ModelKey {
  readonly id: bigint;
  planId: string;
  ownPerMinute: number | null;
  ownPerDay: number | null;
  revoked: boolean;
  expiresAtMs: number;
  suspendedUntilMs: number;
  bansLiftedAtMs: number;
  /** A reset of its usage that no decision has applied yet. */
  isResetDue: boolean;
}

export interface ModelSecret {
  readonly keyId: bigint;
  expiresAtMs: number;
}

/** The live row of a key: starts of its minute and day in ms, minus infinity before the first request. */
export interface ModelCounters {
  readonly minuteMs: number;
  readonly minuteAdmitted: number;
  readonly minuteRefused: number;
  readonly dayMs: number;
  readonly dayAdmitted: number;
  readonly dayRefused: number;
  readonly ban: { readonly atMs: number; readonly untilMs: number } | null;
}

interface Counts {
  readonly admitted: number;
  readonly refused: number;
}

export const NOTHING_COUNTED: ModelCounters = {
  minuteMs: -Infinity,
  minuteAdmitted: 0,
  minuteRefused: 0,
  dayMs: -Infinity,
  dayAdmitted: 0,
  dayRefused: 0,
  ban: null,
};

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Counters further ahead of the clock were written by another one. */
const FOREIGN_CLOCK_MS = 2 * MINUTE_MS;
const LAST_TELLABLE_MS = Date.parse('9999-12-31T23:59:59Z');

/** Admission as the contract describes it, one request after another, in memory. The SQL statement is compared with it. */
export class AdmissionModel {
  readonly plans = new Map<string, { perMinute: number; perDay: number }>();
  readonly keys = new Map<bigint, ModelKey>();
  readonly secrets = new Map<string, ModelSecret>();
  readonly counters = new Map<bigint, ModelCounters>();
  /** Finished days by key, then by the day's start. */
  readonly usage = new Map<bigint, Map<number, Counts>>();

  constructor(private readonly policy: BanPolicy) {}

  decide(secretName: string, nowMs: number): KeyDecision {
    const secret = this.secrets.get(secretName);
    const key = secret && this.keys.get(secret.keyId);
    if (secret === undefined || key === undefined) return { state: 'unknown' };
    const rejectedKey = { keyId: key.id };
    if (key.revoked) return { state: 'revoked', rejectedKey };
    if (Math.min(secret.expiresAtMs, key.expiresAtMs) <= nowMs) {
      return { state: 'expired', rejectedKey };
    }

    const stored = this.counters.get(key.id) ?? NOTHING_COUNTED;
    const counters = presentCounters(stored, key, nowMs);
    const present = key.isResetDue ? { ...counters, minuteAdmitted: 0, dayAdmitted: 0 } : counters;
    const barredUntilMs = Math.max(key.suspendedUntilMs, present.ban?.untilMs ?? -Infinity);
    const barredBy = key.suspendedUntilMs > nowMs ? 'suspended' : 'banned';
    if (barredUntilMs > nowMs) return this.#decision(barredBy, key, present, nowMs, barredUntilMs);

    if (stored.dayMs !== present.dayMs) this.#finishDay(key.id, stored);
    else if (key.isResetDue) this.#finishDay(key.id, { ...stored, dayRefused: 0 });
    key.isResetDue = false;
    const limits = this.#limitsOf(key);
    if (present.minuteAdmitted < limits.perMinute && present.dayAdmitted < limits.perDay) {
      const counted = {
        ...present,
        minuteAdmitted: present.minuteAdmitted + 1,
        dayAdmitted: present.dayAdmitted + 1,
      };
      this.counters.set(key.id, counted);
      return this.#decision('admitted', key, counted, nowMs);
    }

    const minuteRefused = present.minuteRefused + 1;
    const bans = minuteRefused % this.policy.banAfterRefusals === 0 && liftedAtMs(key, nowMs) < nowMs;
    const ban = bans ? this.#nextBan(present.ban, nowMs) : present.ban;
    const counted = { ...present, minuteRefused, dayRefused: present.dayRefused + 1, ban };
    this.counters.set(key.id, counted);
    return this.#decision('limited', key, counted, nowMs, bans ? ban?.untilMs : undefined);
  }

  #limitsOf(key: ModelKey): { readonly perMinute: number; readonly perDay: number } {
    const plan = this.plans.get(key.planId);
    return {
      perMinute: key.ownPerMinute ?? plan?.perMinute ?? 0,
      perDay: key.ownPerDay ?? plan?.perDay ?? 0,
    };
  }

  #nextBan(last: ModelCounters['ban'], nowMs: number): NonNullable<ModelCounters['ban']> {
    const follows = last !== null && nowMs - last.untilMs < DAY_MS;
    const doubledMs = follows ? 2 * (last.untilMs - last.atMs) : this.policy.banSeconds * 1000;
    const lengthMs = follows ? Math.min(doubledMs, this.policy.banMaxSeconds * 1000) : doubledMs;
    return { atMs: nowMs, untilMs: nowMs + lengthMs };
  }

  #finishDay(keyId: bigint, { dayMs, dayAdmitted, dayRefused }: ModelCounters): void {
    if (dayMs === -Infinity) return;
    const days = this.usage.get(keyId) ?? new Map<number, Counts>();
    const before = days.get(dayMs) ?? { admitted: 0, refused: 0 };
    days.set(dayMs, { admitted: before.admitted + dayAdmitted, refused: before.refused + dayRefused });
    this.usage.set(keyId, days);
  }

  #decision(
    state: 'admitted' | 'limited' | 'banned' | 'suspended',
    key: ModelKey,
    counters: ModelCounters,
    nowMs: number,
    barredUntilMs = -Infinity,
  ): KeyDecision {
    const limits = this.#limitsOf(key);
    const minute = windowOf(
      'minute',
      limits.perMinute,
      counters.minuteAdmitted,
      counters.minuteMs + MINUTE_MS,
    );
    const day = windowOf('day', limits.perDay, counters.dayAdmitted, counters.dayMs + DAY_MS);
    const about = { state, caller: { keyId: key.id, planId: key.planId } };
    if (state === 'admitted') return { ...about, windows: [minute, day] };
    const exhausted = [minute, day].filter(({ remaining }) => remaining === 0);
    const retryAtMs = Math.max(
      Math.min(barredUntilMs, LAST_TELLABLE_MS),
      ...exhausted.map(({ resetAtMs }) => resetAtMs),
    );
    if (state === 'limited') return { ...about, windows: [minute, day], nowMs, retryAtMs };
    const closed: KeyDecision = {
      ...about,
      nowMs,
      windows: [
        { ...minute, remaining: 0 },
        { ...day, remaining: 0 },
      ],
    };
    return state === 'suspended' && retryAtMs > nowMs + DAY_MS ? closed : { ...closed, retryAtMs };
  }
}

/** The counters as they count now: windows that are over count nothing, lifted bans are none. */
function presentCounters(stored: ModelCounters, key: ModelKey, nowMs: number): ModelCounters {
  const thisMinuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const foreign = stored.minuteMs > nowMs + FOREIGN_CLOCK_MS;
  const minuteMs = foreign ? thisMinuteMs : Math.max(stored.minuteMs, thisMinuteMs);
  const dayMs = foreign ? todayMs : Math.max(stored.dayMs, todayMs);
  const sameMinute = stored.minuteMs === minuteMs;
  const sameDay = stored.dayMs === dayMs;
  const banStands = stored.ban !== null && stored.ban.atMs > liftedAtMs(key, nowMs) && !foreign;
  return {
    minuteMs,
    minuteAdmitted: sameMinute ? stored.minuteAdmitted : 0,
    minuteRefused: sameMinute ? stored.minuteRefused : 0,
    dayMs,
    dayAdmitted: sameDay ? stored.dayAdmitted : 0,
    dayRefused: sameDay ? stored.dayRefused : 0,
    ban: banStands ? stored.ban : null,
  };
}

function windowOf(policy: KeyWindow, limit: number, admitted: number, resetAtMs: number): LimitWindow {
  const windowSeconds = policy === 'minute' ? 60 : 86_400;
  return { policy, windowSeconds, limit, remaining: Math.max(0, limit - admitted), resetAtMs };
}

/** A lift more than three minutes ahead is that of a wrong clock or a mistake. */
const liftedAtMs = ({ bansLiftedAtMs }: ModelKey, nowMs: number): number =>
  bansLiftedAtMs <= nowMs + FOREIGN_CLOCK_MS + MINUTE_MS ? bansLiftedAtMs : -Infinity;
