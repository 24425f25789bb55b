import type { LiveKey } from './admission-answer.js';
import type { KeyVerdict, WindowState } from './key-verdict.js';

/**
 * Tells the requests of one key in a group apart. In their order of arrival, whichever secret they came with, the first
 * are granted, each with its own `Remaining`; the next are refused and counted; what is left is banned. That is what
 * they would have met one after another.
 */
export class KeyTally {
  readonly #key: LiveKey;
  #arrived = 0;

  constructor(key: LiveKey) {
    this.#key = key;
  }

  /** Whether the refusals of this group started a ban: while one is on, none is counted. */
  get startsBan(): boolean {
    return this.#key.refused > 0 && this.#key.barredUntilMs !== undefined;
  }

  /** The verdict for the next request of the key. */
  next(): KeyVerdict {
    this.#arrived += 1;
    const ordinal = this.#arrived;
    const { keyId, planId, nowMs, granted, refused, barredUntilMs } = this.#key;
    const admitted = Math.min(ordinal, granted);
    const minute = after(this.#key.minute, admitted);
    const day = after(this.#key.day, admitted);
    if (ordinal <= granted) return { state: 'admitted', keyId, planId, nowMs, minute, day };

    const about = { keyId, planId, nowMs };
    const counted = granted + refused;
    // The last refusal that counts starts the ban, if there is one, and is the first to tell its end.
    const retryAtMs = latest(minute, day, ordinal >= counted ? barredUntilMs : undefined);
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

/** An operator may have lowered the limit below what was admitted: then nothing remains. */
function after({ limit, admitted, resetAtMs }: LiveKey['minute'], more: number): WindowState {
  return { limit, remaining: Math.max(0, limit - admitted - more), resetAtMs };
}

function latest(minute: WindowState, day: WindowState, barredUntilMs = 0): number {
  return Math.max(
    barredUntilMs,
    minute.remaining === 0 ? minute.resetAtMs : 0,
    day.remaining === 0 ? day.resetAtMs : 0,
  );
}
