import type { ResponseInfo } from './call.js';
import { PetStoreError, retryAfterOf } from './error.js';
import { startTimer } from './retry.js';

/** Spreads the clients that wait for the same reset. */
const JITTER_MS = 250;

/** Timers may fire a little early. */
const MARGIN_MS = 10;

/** How a call may wait for a slot. */
interface Entrance {
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
  readonly wait: (ms: number) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** A call without a slot; `wake` is set while it waits for its turn. */
interface Waiting {
  wake?: () => void;
}

/** The slot of an in-flight call. Must be released once. @internal */
export interface Place {
  /** @param response undefined if there was none: the request may have been counted */
  leave(response: ResponseInfo | undefined): void;
}

/**
 * Allows as many calls in flight as the key has requests left, so that parallel calls are not rejected and the key is not banned. Until a
 * response reports how many are left in a window, only one is. Uses only durations from responses, not the client's clock.
 *
 * @internal
 */
export class Gate {
  /** In FIFO order. */
  readonly #waiting = new Set<Waiting>();
  #inFlight = 0;
  /** Of the current window; undefined until a response reports it. */
  #remaining: number | undefined;
  #resetsAt = Infinity;
  /** Whether a new window's first call is in flight. */
  #isProbing = false;
  /** Counts windows: calls sent in an earlier window do not affect this one. */
  #window = 0;
  /** When the last response arrived, or the gate opened. */
  #respondedAt = -Infinity;
  #closed: { readonly until: number; readonly jitterMs: number; readonly because: ResponseInfo } | undefined;

  /**
   * Waits for a slot.
   *
   * @param wait waits for a reset, and rejects when the signal is aborted
   * @throws PetStoreError at once, if the next window begins after `maxWaitMs`; or if no call has had a response for `timeoutMs`
   */
  async enter({ maxWaitMs, timeoutMs, wait, signal }: Entrance): Promise<Place> {
    const own: Waiting = {};
    this.#waiting.add(own);
    const sinceMs = performance.now();
    try {
      for (;;) {
        // Also if that came after it was woken.
        signal?.throwIfAborted();
        const closed = this.#closed;
        if (closed !== undefined) {
          const waitMs = closed.until - performance.now();
          if (waitMs > maxWaitMs) throw noRequestsLeft(closed.because, waitMs);
          if (waitMs > 0) await wait(waitMs + closed.jitterMs);
          if (this.#closed === closed) this.#closed = undefined;
          this.#respondedAt = performance.now();
        } else if (this.#isFirst(own) && this.#hasPlace()) {
          return this.#take();
        } else {
          const leftMs = Math.max(sinceMs, this.#respondedAt) + timeoutMs - performance.now();
          if (leftMs <= 0) throw noResponse(timeoutMs);
          await turn(own, leftMs, signal);
        }
      }
    } finally {
      this.#waiting.delete(own);
      this.#wake();
    }
  }

  #isFirst(own: Waiting): boolean {
    const [first] = this.#waiting;
    return first === own;
  }

  #hasPlace(): boolean {
    if (performance.now() >= this.#resetsAt) this.#beginWindow();
    return this.#remaining === undefined ? !this.#isProbing : this.#inFlight < this.#remaining;
  }

  #take(): Place {
    const window = this.#window;
    this.#inFlight += 1;
    if (this.#remaining === undefined) this.#isProbing = true;
    return {
      leave: (response) => {
        this.#inFlight -= 1;
        if (response !== undefined) this.#respondedAt = performance.now();
        this.#learn(response, window === this.#window);
        this.#wake();
      },
    };
  }

  #learn(response: ResponseInfo | undefined, isOfThisWindow: boolean): void {
    if (isOfThisWindow) this.#isProbing = false;
    // The windows of a 403 may be those of a suspended key, which have nothing left, although it may be resumed at any time.
    if (response === undefined || response.status === 403) {
      // Never to 0, because no response reported the reset: the next call finds out.
      if (isOfThisWindow && this.#remaining !== undefined) this.#remaining = Math.max(1, this.#remaining - 1);
      return;
    }
    const closedSeconds = retryWaitOf(response);
    if (closedSeconds > 0) return this.#close(closedSeconds, response);
    if (!isOfThisWindow) return;
    const { remaining, resetSeconds } = limitOf(response);
    if (remaining === 0) return this.#close(resetSeconds, response);
    // The limit stays unknown without limits, or behind a proxy that removes the headers.
    if (remaining < Infinity || response.status < 300 || response.status === 304) {
      this.#remaining = Math.min(this.#remaining ?? Infinity, remaining);
      this.#resetsAt = performance.now() + 1000 * resetSeconds;
    }
  }

  #close(seconds: number, because: ResponseInfo): void {
    const until = performance.now() + 1000 * seconds;
    // Shared by all waiting calls, so that they stay in order.
    const jitterMs = MARGIN_MS + JITTER_MS * Math.random();
    if (this.#closed === undefined || until > this.#closed.until) this.#closed = { until, jitterMs, because };
    this.#beginWindow();
  }

  #beginWindow(): void {
    this.#window += 1;
    this.#remaining = undefined;
    this.#resetsAt = Infinity;
    this.#isProbing = false;
  }

  /** The first waiting call tries to get a slot, and then wakes the next one. If the gate is closed, all of them wait for it to open. */
  #wake(): void {
    for (const { wake } of this.#waiting) {
      wake?.();
      if (this.#closed === undefined) return;
    }
  }
}

/** Resolves when it is woken, or after a time. Rejects with the reason of the signal. */
const turn = (own: Waiting, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (settle: () => void) => (): void => {
      stop();
      delete own.wake;
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const abort = end(() => reject(signal?.reason as Error));
    own.wake = end(resolve);
    const stop = startTimer(ms, own.wake);
    signal?.addEventListener('abort', abort, { once: true });
  });

const noResponse = (timeoutMs: number): PetStoreError =>
  new PetStoreError(
    'timed_out',
    `Earlier calls had no response within ${timeoutMs} ms, so this one was not sent.`,
  );

/** How long all calls wait after a response: the wait of a 429, else 0. @internal */
export const retryWaitOf = (response: ResponseInfo): number =>
  response.status === 429 ? (retryAfterOf(response) ?? 0) : 0;

/**
 * The window of the key with the fewest requests left, by the field `RateLimit` (draft-ietf-httpapi-ratelimit-headers); a tie: the last
 * to reset. Excludes the limit of the client's address.
 */
function limitOf({ headers }: ResponseInfo): { readonly remaining: number; readonly resetSeconds: number } {
  const windows = [
    ...(headers.get('ratelimit') ?? '').matchAll(/"(?:minute|day|month)";\s*r=(\d+)\s*;\s*t=(\d+)/g),
  ];
  return windows.reduce(
    (fewest, [, remaining, seconds]) => {
      const window = { remaining: Number(remaining), resetSeconds: Number(seconds) };
      const isFewer =
        window.remaining < fewest.remaining ||
        (window.remaining === fewest.remaining && window.resetSeconds > fewest.resetSeconds);
      return isFewer ? window : fewest;
    },
    { remaining: Infinity, resetSeconds: Infinity },
  );
}

/** The error of a request that is not sent, because it would be rejected. */
function noRequestsLeft(because: ResponseInfo, waitMs: number): PetStoreError {
  const seconds = Math.ceil(waitMs / 1000);
  const headers = new Headers(because.headers);
  headers.set('retry-after', String(seconds));
  const message = `The key has no requests left for ${seconds} seconds, so none is sent.`;
  return new PetStoreError('rate_limit_exceeded', message, { ...because, status: 429, headers });
}
