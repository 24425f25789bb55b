import type { KeyVerdict, WindowState } from './key-verdict.js';

/**
 * A row of the admission statement: one secret of the group, with the figures of its key when that is live. The key's
 * identifier is text or a bigint, as the pool reads int8.
 */
export type AdmissionRow = LiveRow | OtherRow;

export type LiveRow = readonly [
  state: 'live',
  position: number,
  keyId: string | bigint,
  planId: string,
  nowMs: number,
  granted: number,
  refused: number,
  barredUntilMs: number | null,
  minuteLimit: number,
  minuteAdmitted: number,
  minuteResetMs: number,
  dayLimit: number,
  dayAdmitted: number,
  dayResetMs: number,
  clockWentBack: boolean,
];

/** `uncounted` is a live key without a row of counters. */
type OtherRow = readonly [
  state: 'revoked' | 'expired' | 'uncounted',
  position: number,
  keyId: string | bigint,
  planId: string,
  nowMs: number,
  ...nothing: unknown[],
];

/**
 * Tells the requests of one key in a group apart. In their order of arrival, whichever secret they came with, the first
 * are granted, each with its own `Remaining`; the next are refused and counted; what is left is banned. That is what
 * they would have met one after another.
 */
export class KeyTally {
  readonly keyId: bigint;
  readonly clockWentBack: boolean;
  readonly #planId: string;
  readonly #nowMs: number;
  readonly #granted: number;
  readonly #refused: number;
  readonly #barredUntilMs: number | undefined;
  readonly #minute: Window;
  readonly #day: Window;
  #arrived = 0;

  constructor(row: LiveRow) {
    const [, , keyId, planId, nowMs, granted, refused, barredUntilMs, ...rest] = row;
    const [minuteLimit, minuteAdmitted, minuteResetMs, dayLimit, dayAdmitted, dayResetMs, clockWentBack] =
      rest;
    this.keyId = BigInt(keyId);
    this.clockWentBack = clockWentBack;
    this.#planId = planId;
    this.#nowMs = nowMs;
    this.#granted = granted;
    this.#refused = refused;
    this.#barredUntilMs = barredUntilMs ?? undefined;
    this.#minute = { limit: minuteLimit, admitted: minuteAdmitted, resetAtMs: minuteResetMs };
    this.#day = { limit: dayLimit, admitted: dayAdmitted, resetAtMs: dayResetMs };
  }

  /** The verdict for the next request of the key. */
  next(): KeyVerdict {
    this.#arrived += 1;
    const ordinal = this.#arrived;
    const admitted = Math.min(ordinal, this.#granted);
    const minute = after(this.#minute, admitted);
    const day = after(this.#day, admitted);
    const about = { keyId: this.keyId, planId: this.#planId, nowMs: this.#nowMs };
    if (ordinal <= this.#granted) return { state: 'admitted', ...about, minute, day };

    const counted = this.#granted + this.#refused;
    // The last refusal that counts starts the ban, if there is one, and is the first to tell its end.
    const retryAtMs = latest(minute, day, ordinal >= counted ? this.#barredUntilMs : undefined);
    if (ordinal <= counted) return { state: 'limited', ...about, minute, day, retryAtMs };
    return {
      state: 'banned',
      ...about,
      minute: { ...minute, remaining: 0 },
      day: { ...day, remaining: 0 },
      retryAtMs,
    };
  }
}

interface Window {
  readonly limit: number;
  /** What it had admitted before the group. */
  readonly admitted: number;
  readonly resetAtMs: number;
}

/** An operator may have lowered the limit below what was admitted: then nothing remains. */
function after({ limit, admitted, resetAtMs }: Window, more: number): WindowState {
  return { limit, remaining: Math.max(0, limit - admitted - more), resetAtMs };
}

function latest(minute: WindowState, day: WindowState, barredUntilMs = 0): number {
  return Math.max(
    barredUntilMs,
    minute.remaining === 0 ? minute.resetAtMs : 0,
    day.remaining === 0 ? day.resetAtMs : 0,
  );
}
