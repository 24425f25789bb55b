import type { PetStoreError } from './error.js';

export interface RetryOptions {
  /** The maximum number of attempts, including the first; 5 by default. 1 disables retries. */
  readonly attemptsMax?: number | undefined;
  /** The first backoff in ms, doubled with each attempt; 250 by default. */
  readonly baseMs?: number | undefined;
  /**
   * The longest wait in ms; 65,000 by default, which covers a minute window and jitter. If `Retry-After` is longer, such as
   * the rest of a day, the call fails at once.
   */
  readonly capMs?: number | undefined;
  /** Returns a number from 0 (inclusive) to 1 (exclusive); `Math.random` by default. */
  readonly random?: (() => number) | undefined;
  /** Waits, and rejects with the reason of the signal if it is aborted first. */
  readonly sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

export interface Retry {
  readonly attemptsMax: number;
  readonly baseMs: number;
  readonly capMs: number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export const withDefaults = (options: RetryOptions = {}): Retry => ({
  attemptsMax: options.attemptsMax ?? 5,
  baseMs: options.baseMs ?? 250,
  capMs: options.capMs ?? 65_000,
  random: options.random ?? Math.random,
  sleep: options.sleep ?? sleep,
});

/**
 * The delay before the next attempt in ms; undefined if the call should not be retried. `Retry-After` is never shortened:
 * an earlier request would be rejected again and count towards a ban.
 * @param attempt the number of attempts so far
 * @param isRepeatable whether the request is safe to repeat when its outcome is unknown
 */
export function delayMs(
  error: PetStoreError,
  attempt: number,
  isRepeatable: boolean,
  retry: Retry,
): number | undefined {
  if (attempt >= retry.attemptsMax || !isTemporary(error, isRepeatable)) return undefined;
  const backoffMs = Math.min(retry.capMs, retry.baseMs * 2 ** (attempt - 1));
  if (error.retryAfterSeconds === undefined) {
    // At least half of the backoff, because a failure needs some time to pass.
    return (backoffMs * (1 + retry.random())) / 2;
  }
  const requestedMs = error.retryAfterSeconds * 1000;
  // All rejected clients get the same instant: jitter keeps them from returning together.
  return requestedMs > retry.capMs
    ? undefined
    : Math.min(retry.capMs, requestedMs + backoffMs * retry.random());
}

function isTemporary({ code, status }: PetStoreError, isRepeatable: boolean): boolean {
  if (code === 'connection_failed') return isRepeatable;
  // The repeat arrived before the first request completed, which it is about to.
  return status === 429 || status === 503 || code === 'request_in_progress';
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    function abort(): void {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    }
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
