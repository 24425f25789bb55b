import type { LimitWindow } from '../../../src/auth/admission/decision.js';
import type { BanPolicy } from '../../../src/auth/admission/admission-statement.js';
import type { KeyDecision } from '../../../src/auth/admission/admission-statement.js';
import { RECORDED, lengthOf, type Window, WINDOWS } from '../../../src/auth/admission/windows.js';

type OfWindows<Part> = Readonly<Record<Window['name'], Part>>;

/** Something of each window. */
export const ofWindows = <Part>(partOf: (window: Window) => Part): OfWindows<Part> =>
  Object.fromEntries(WINDOWS.map((window) => [window.name, partOf(window)])) as OfWindows<Part>;

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

type CountedWindow = Exclude<Window, { readonly kind: 'summed' }>;

/** The windows that the counters count. Others are summed up from history. */
export const COUNTED = WINDOWS.filter((window): window is CountedWindow => window.kind !== 'summed');

type Counts = Readonly<Record<CountedWindow['name'], Count>>;

/** Something of each window that is counted. */
export const ofCounted = <Part>(partOf: (window: CountedWindow) => Part) =>
  Object.fromEntries(COUNTED.map((window) => [window.name, partOf(window)])) as Readonly<
    Record<CountedWindow['name'], Part>
  >;

/** The live row of a key. */
export interface ModelCounters {
  readonly windows: Counts;
  readonly ban: { readonly atMs: number; readonly untilMs: number } | null;
}

export const NOTHING_COUNTED: ModelCounters = {
  windows: ofCounted(() => ({ beginMs: -Infinity, admitted: 0, refused: 0 })),
  ban: null,
};

/** The one whose rejections start bans. */
const BANNING = WINDOWS[0].name;

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

  /** @param known the windows that the release of the replica knows */
  decide(secretName: string, nowMs: number, known: readonly Window[] = WINDOWS): KeyDecision {
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
    if (barredUntilMs > nowMs) return this.#decision(known, barredBy, key, present, nowMs, barredUntilMs);

    const used = ofWindows(({ name }) => this.#usedOf(name, key.id, present));
    const recorded = stored.windows[RECORDED];
    if (recorded.beginMs !== present.windows[RECORDED].beginMs) this.#record(key.id, recorded);
    else if (key.isResetDue) this.#record(key.id, { ...recorded, refused: 0 });
    key.isResetDue = false;
    const limits = this.#limitsOf(key);
    if (known.every(({ name }) => used[name] < (limits[name] ?? Infinity))) {
      const counted = counting(present, { admitted: (count) => count + 1 });
      this.counters.set(key.id, counted);
      return this.#decision(known, 'admitted', key, counted, nowMs);
    }

    const rejected = counting(present, { refused: (count) => count + 1 });
    const nth = rejected.windows[BANNING].refused;
    const bans = nth % this.policy.banAfterRefusals === 0 && liftedAtMs(key, nowMs) < nowMs;
    const ban = bans ? this.#nextBan(present.ban, nowMs) : present.ban;
    const counted = { ...rejected, ban };
    this.counters.set(key.id, counted);
    return this.#decision(known, 'limited', key, counted, nowMs, bans ? ban?.untilMs : undefined);
  }

  /** Null where the key has none. */
  #limitsOf({ own, planId }: ModelKey): Limits {
    const plan = this.plans.get(planId);
    return ofWindows(({ name, isRequired }) => own[name] ?? plan?.[name] ?? (isRequired ? 0 : null));
  }

  /** What a window has admitted: of a calendar one all of its history, and what the counters have. */
  #usedOf(name: Window['name'], keyId: bigint, { windows }: ModelCounters): number {
    if (name in windows) return windows[name as CountedWindow['name']].admitted;
    const { beginMs, admitted } = windows[RECORDED];
    const stored = this.counters.get(keyId)?.windows[RECORDED] ?? NOTHING_COUNTED.windows[RECORDED];
    // A barred key finishes no day: what it would finish counts.
    const isDue = stored.beginMs !== beginMs || this.keys.get(keyId)?.isResetDue === true;
    const unfinished = isDue && monthOf(stored.beginMs) === monthOf(beginMs) ? stored.admitted : 0;
    const past = [...(this.usage.get(keyId) ?? [])].filter(([dayMs]) => monthOf(dayMs) === monthOf(beginMs));
    return past.reduce((sum, [, day]) => sum + day.admitted, admitted + unfinished);
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
    known: readonly Window[],
    state: 'admitted' | 'limited' | 'banned' | 'suspended',
    key: ModelKey,
    counters: ModelCounters,
    nowMs: number,
    barredUntilMs = -Infinity,
  ): KeyDecision {
    const limits = this.#limitsOf(key);
    const windows = whole(
      known.flatMap((window) =>
        windowsOf(window, limits[window.name], this.#usedOf(window.name, key.id, counters), counters),
      ),
    );
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
    windows: ofCounted(({ name, seconds }) => {
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
function windowsOf(
  window: Window,
  limit: number | null,
  used: number,
  { windows }: ModelCounters,
): LimitWindow[] {
  if (limit === null) return [];
  const resetAtMs =
    window.kind === 'summed'
      ? endOfMonth(windows[RECORDED].beginMs)
      : windows[window.name].beginMs + window.seconds * 1000;
  const windowSeconds = lengthOf(window, resetAtMs);
  return [{ policy: window.name, windowSeconds, resetAtMs, limit, remaining: Math.max(0, limit - used) }];
}

const monthOf = (ms: number): string =>
  ms === -Infinity ? 'never' : new Date(ms).toISOString().slice(0, -17);

export const endOfMonth = (ms: number): number =>
  Date.UTC(new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth() + 1);

const unchanged = (count: number): number => count;

/** The counters with other counts in each window. */
export function counting(
  { windows, ban }: ModelCounters,
  change: Partial<Record<'admitted' | 'refused', (count: number) => number>>,
): ModelCounters {
  const { admitted = unchanged, refused = unchanged } = change;
  return {
    windows: ofCounted(({ name }) => {
      const count = windows[name];
      return { ...count, admitted: admitted(count.admitted), refused: refused(count.refused) };
    }),
    ban,
  };
}

/** A lift more than three minutes ahead is that of a wrong clock or a mistake. */
const liftedAtMs = ({ bansLiftedAtMs }: ModelKey, nowMs: number): number =>
  bansLiftedAtMs <= nowMs + FOREIGN_CLOCK_MS + MINUTE_MS ? bansLiftedAtMs : -Infinity;
