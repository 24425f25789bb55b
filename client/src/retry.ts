import type { PetStoreError } from './error.js';

export interface RetryOptions {
  /** How often a call is tried at most, the first time included; 5 by default, 1 for never again. */
  readonly attemptsMax?: number | undefined;
  /** The first backoff, in ms, doubled with each attempt; 250 by default. */
  readonly baseMs?: number | undefined;
  /**
   * The longest wait, in ms; 65,000 by default: a minute window and its jitter. When `Retry-After` asks for more, such as
   * the rest of a day, the call fails at once and says so.
   */
  readonly capMs?: number | undefined;
  /** From 0 to below 1; `Math.random` by default. */
  readonly random?: (() => number) | undefined;
  /** Waits, and rejects with the signal's reason when that comes first. */
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
 * How long to wait before the next attempt, in ms; undefined when there should be none. `Retry-After` is never cut short:
 * who comes earlier is refused again, and that counts towards a ban.
 * @param attempt 1 after the first
 * @param isRepeatable whether the request may be sent again when nobody knows if it arrived
 */
export function delayMs(
  error: PetStoreError,
  attempt: number,
  isRepeatable: boolean,
  retry: Retry,
): number | undefined {
  if (attempt >= retry.attemptsMax || !isPassing(error, isRepeatable)) return undefined;
  const backoffMs = Math.min(retry.capMs, retry.baseMs * 2 ** (attempt - 1));
  if (error.retryAfterSeconds === undefined) {
    // At least half of it: what failed needs some time in any case.
    return (backoffMs * (1 + retry.random())) / 2;
  }
  const askedMs = error.retryAfterSeconds * 1000;
  // Everybody who was refused is told the same instant: jitter keeps them from coming back as one.
  return askedMs > retry.capMs ? undefined : Math.min(retry.capMs, askedMs + backoffMs * retry.random());
}

function isPassing({ code, status }: PetStoreError, isRepeatable: boolean): boolean {
  if (code === 'connection_failed') return isRepeatable;
  // A repeat can overtake the end of the first: then the first one's answer is near.
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
