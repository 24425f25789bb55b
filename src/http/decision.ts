import type { ApiError } from '../errors/api-error.js';

/** One window of a rate limit as it stood after this request was decided; times in ms of the database's clock. */
export interface LimitWindow {
  readonly policy: 'minute' | 'day' | 'address';
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetAtMs: number;
}

/** The key that a request was admitted for. */
export interface Caller {
  readonly keyId: bigint;
  readonly planId: string;
}

/** What was decided about a request before anything else was done with it. */
export interface Decision {
  /** The windows that the rate-limit headers describe: those of the key, or the one of the address. */
  readonly windows: readonly [LimitWindow, ...LimitWindow[]];
  /** The key, when it is a valid one; a refusal may stand beside it. */
  readonly caller?: Caller;
  /** When a refused request may come again, if that is later than the end of its window; tells `X-RateLimit-Reset`. */
  readonly retryAtMs?: number;
  /** Why the request must be refused (401, 429 or 503); absent when it may go on. */
  readonly refusal?: ApiError;
}
