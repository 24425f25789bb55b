import type { LimitWindow } from '../../../src/auth/admission/decision.js';
import type { BanPolicy } from '../../../src/auth/admission/admission-statement.js';
import type { KeyDecision } from '../../../src/auth/admission/admission-statement.js';
import { ofWindows, type OfWindows, type Window, WINDOWS } from '../../../src/auth/admission/windows.js';

/** The limits of a plan, or of a key; null: none of its own. */
export type Limits = OfWindows<number | null>;

/** The settings of a key by operators. Times are ms; an infinite one is never. */
export interface ModelKey {
  readonly id: bigint;
  planId: string;
  own: Limits;
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

/** What a window has counted since its begin, in ms; minus infinity before the first request. */
export interface Count {
  readonly beginMs: number;
  readonly admitted: number;
  readonly refused: number;
}

/** The live row of a key. */
export interface ModelCounters {
  readonly windows: OfWindows<Count>;
  readonly ban: { readonly atMs: number; readonly untilMs: number } | null;
}

export const NOTHING_COUNTED: ModelCounters = {
  windows: ofWindows(() => ({ beginMs: -Infinity, admitted: 0, refused: 0 })),
  ban: null,
};

/** The one whose rejections start bans. */
const BANNING = WINDOWS[0].name;
/** The one that becomes history. */
const RECORDED = WINDOWS.find(({ kind }) => kind === 'recorded')?.name ?? 'day';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Counters further ahead of the clock were written by another one. */
const FOREIGN_CLOCK_MS = 2 * MINUTE_MS;
const LAST_TELLABLE_MS = Date.parse('9999-12-31T23:59:59Z');

/** Admission as the contract describes it, one request after another, in memory. The SQL statement is compared with it. */
export class AdmissionModel {
  readonly plans = new Map<string, Limits>();
  readonly keys = new Map<bigint, ModelKey>();
  readonly secrets = new Map<string, ModelSecret>();
  readonly counters = new Map<bigint, ModelCounters>();
  /** Finished days by key, then by the day's start. */
  readonly usage = new Map<bigint, Map<number, Omit<Count, 'beginMs'>>>();

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
    const present = key.isResetDue ? counting(counters, { admitted: () => 0 }) : counters;
    const barredUntilMs = Math.max(key.suspendedUntilMs, present.ban?.untilMs ?? -Infinity);
    const barredBy = key.suspendedUntilMs > nowMs ? 'suspended' : 'banned';
    if (barredUntilMs > nowMs) return this.#decision(barredBy, key, present, nowMs, barredUntilMs);

    const recorded = stored.windows[RECORDED];
    if (recorded.beginMs !== present.windows[RECORDED].beginMs) this.#record(key.id, recorded);
    else if (key.isResetDue) this.#record(key.id, { ...recorded, refused: 0 });
    key.isResetDue = false;
    const limits = this.#limitsOf(key);
    if (WINDOWS.every(({ name }) => present.windows[name].admitted < (limits[name] ?? Infinity))) {
      const counted = counting(present, { admitted: (count) => count + 1 });
      this.counters.set(key.id, counted);
      return this.#decision('admitted', key, counted, nowMs);
    }

    const rejected = counting(present, { refused: (count) => count + 1 });
    const nth = rejected.windows[BANNING].refused;
    const bans = nth % this.policy.banAfterRefusals === 0 && liftedAtMs(key, nowMs) < nowMs;
    const ban = bans ? this.#nextBan(present.ban, nowMs) : present.ban;
    const counted = { ...rejected, ban };
    this.counters.set(key.id, counted);
    return this.#decision('limited', key, counted, nowMs, bans ? ban?.untilMs : undefined);
  }

  /** Null where the key has none. */
  #limitsOf({ own, planId }: ModelKey): Limits {
    const plan = this.plans.get(planId);
    return ofWindows(({ name, isRequired }) => own[name] ?? plan?.[name] ?? (isRequired ? 0 : null));
  }

  #nextBan(last: ModelCounters['ban'], nowMs: number): NonNullable<ModelCounters['ban']> {
    const follows = last !== null && nowMs - last.untilMs < DAY_MS;
    const doubledMs = follows ? 2 * (last.untilMs - last.atMs) : this.policy.banSeconds * 1000;
    const lengthMs = follows ? Math.min(doubledMs, this.policy.banMaxSeconds * 1000) : doubledMs;
    return { atMs: nowMs, untilMs: nowMs + lengthMs };
  }

  #record(keyId: bigint, { beginMs, admitted, refused }: Count): void {
    if (beginMs === -Infinity) return;
    const days = this.usage.get(keyId) ?? new Map<number, Omit<Count, 'beginMs'>>();
    const before = days.get(beginMs) ?? { admitted: 0, refused: 0 };
    days.set(beginMs, { admitted: before.admitted + admitted, refused: before.refused + refused });
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
    const windows = whole(WINDOWS.flatMap((window) => windowsOf(window, limits, counters)));
    const about = { state, caller: { keyId: key.id, planId: key.planId } };
    if (state === 'admitted') return { ...about, windows };
    const exhausted = windows.filter(({ remaining }) => remaining === 0);
    const retryAtMs = Math.max(
      Math.min(barredUntilMs, LAST_TELLABLE_MS),
      ...exhausted.map(({ resetAtMs }) => resetAtMs),
    );
    if (state === 'limited') return { ...about, windows, nowMs, retryAtMs };
    const none = whole(windows.map((window) => Object.assign({}, window, { remaining: 0 })));
    const closed: KeyDecision = { ...about, nowMs, windows: none };
    return state === 'suspended' && retryAtMs > nowMs + DAY_MS ? closed : { ...closed, retryAtMs };
  }
}

/** The counters as they count now: windows that are over count nothing, lifted bans are none. */
function presentCounters(stored: ModelCounters, key: ModelKey, nowMs: number): ModelCounters {
  const foreign = stored.windows[BANNING].beginMs > nowMs + FOREIGN_CLOCK_MS;
  const banStands = stored.ban !== null && stored.ban.atMs > liftedAtMs(key, nowMs) && !foreign;
  return {
    windows: ofWindows(({ name, seconds }) => {
      const count = stored.windows[name];
      const nowBeginMs = Math.floor(nowMs / (seconds * 1000)) * seconds * 1000;
      const beginMs = foreign ? nowBeginMs : Math.max(count.beginMs, nowBeginMs);
      return count.beginMs === beginMs ? count : { beginMs, admitted: 0, refused: 0 };
    }),
    ban: banStands ? stored.ban : null,
  };
}

function whole([first, ...others]: readonly LimitWindow[]): readonly [LimitWindow, ...LimitWindow[]] {
  if (first === undefined) throw new Error('a key without windows');
  return [first, ...others];
}

/** The window as a response describes it; none where the key has no limit for it. */
function windowsOf({ name, seconds }: Window, limits: Limits, counters: ModelCounters): LimitWindow[] {
  const limit = limits[name];
  const { beginMs, admitted } = counters.windows[name];
  const resetAtMs = beginMs + seconds * 1000;
  const window = { policy: name, windowSeconds: seconds, resetAtMs };
  return limit === null ? [] : [{ ...window, limit, remaining: Math.max(0, limit - admitted) }];
}

const unchanged = (count: number): number => count;

/** The counters with other counts in each window. */
export function counting(
  { windows, ban }: ModelCounters,
  change: Partial<Record<'admitted' | 'refused', (count: number) => number>>,
): ModelCounters {
  const { admitted = unchanged, refused = unchanged } = change;
  return {
    windows: ofWindows(({ name }) => {
      const count = windows[name];
      return { ...count, admitted: admitted(count.admitted), refused: refused(count.refused) };
    }),
    ban,
  };
}

/** A lift more than three minutes ahead is that of a wrong clock or a mistake. */
const liftedAtMs = ({ bansLiftedAtMs }: ModelKey, nowMs: number): number =>
  bansLiftedAtMs <= nowMs + FOREIGN_CLOCK_MS + MINUTE_MS ? bansLiftedAtMs : -Infinity;
