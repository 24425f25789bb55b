import type { PetStoreError } from './error.js';

/** The time-out and retries of a call. */
export interface RetryOptions {
  /** The time for a complete response, for each attempt, in ms; 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of attempts after the first; 4 by default. 0 disables retries. */
  readonly maxRetries?: number | undefined;
  /**
   * The longest wait before a retry, in ms; 65,000 by default, which covers a minute window and jitter. If `Retry-After` is longer,
   * such as the rest of a day, the call fails at once.
   */
  readonly maxRetryWaitMs?: number | undefined;
}

/** A retry that is about to happen. */
export interface RetryEvent {
  /** Why the last attempt failed. */
  readonly error: PetStoreError;
  /** The number of attempts so far. */
  readonly attempts: number;
  /** The time until the retry, in ms. */
  readonly waitMs: number;
}

/** @internal */
export const MAX_RETRY_WAIT_MS = 65_000;

/** The first backoff, doubled with each attempt. */
const BACKOFF_MS = 250;

/**
 * The delay before the next attempt in ms; undefined if the call should not be retried. `Retry-After` is never shortened:
 * an earlier request would be rejected again and count towards a ban.
 *
 * @param attempts the number of attempts so far
 * @param isRepeatable whether the request is safe to repeat when its outcome is unknown
 * @internal
 */
export function delayMs(
  error: PetStoreError,
  attempts: number,
  isRepeatable: boolean,
  { maxRetries = 4, maxRetryWaitMs = MAX_RETRY_WAIT_MS }: RetryOptions,
): number | undefined {
  if (attempts > maxRetries || !isTemporary(error, isRepeatable)) return undefined;
  const backoffMs = Math.min(maxRetryWaitMs, BACKOFF_MS * 2 ** (attempts - 1));
  if (error.retryAfterSeconds === undefined) {
    // At least half of the backoff, because a failure takes time to pass.
    return (backoffMs * (1 + Math.random())) / 2;
  }
  const requestedMs = error.retryAfterSeconds * 1000;
  // All rejected clients get the same time: jitter keeps them from retrying together.
  return requestedMs > maxRetryWaitMs
    ? undefined
    : Math.min(maxRetryWaitMs, requestedMs + backoffMs * Math.random());
}

/** No response, or a proxy or the service gave up waiting for the result: the request may have been executed. */
const OUTCOME_UNKNOWN: ReadonlySet<number> = new Set([0, 502, 503, 504]);

function isTemporary({ code, status }: PetStoreError, isRepeatable: boolean): boolean {
  if (OUTCOME_UNKNOWN.has(status)) return isRepeatable;
  // The retry arrived while the first request was still in progress.
  return status === 429 || code === 'request_in_progress';
}

/** The longest timer: longer ones fire at once. @internal */
export const TIMER_MAX_MS = 2 ** 31 - 1;

/** Calls after any delay, even `Infinity`. Returns a cancel function. @internal */
export function startTimer(ms: number, call: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const start = (leftMs: number): void => {
    timer =
      leftMs > TIMER_MAX_MS
        ? setTimeout(start, TIMER_MAX_MS, leftMs - TIMER_MAX_MS)
        : setTimeout(call, leftMs);
  };
  start(ms);
  return () => clearTimeout(timer);
}

/** Waits; rejects with the reason of the signal if it is aborted first. @internal */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = startTimer(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    function abort(): void {
      stop();
      reject(signal?.reason as Error);
    }
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
