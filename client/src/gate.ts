import type { ResponseInfo } from './call.js';
import { PetStoreError, retryAfterOf } from './error.js';

/** Spreads the calls and clients that wait for the same reset. */
const JITTER_MS = 250;

/** Timers may fire a little early. */
const MARGIN_MS = 10;

/** How a call may wait for its place. */
interface Entrance {
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
  readonly wait: (ms: number) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** The place of a call that is under way. To be given back once. */
export interface Place {
  /** @param response undefined if there was none: the request may have been counted */
  leave(response: ResponseInfo | undefined): void;
}

/**
 * Lets as many calls be under way as the key has requests left, so that parallel calls are not rejected and the key is not banned. Until a
 * response of a window has said what is left, it is one. Only the durations that responses state count, not the clock of the client.
 */
export class Gate {
  readonly #waiting = new Set<() => void>();
  #underWay = 0;
  /** Of the present window; undefined until a response has said it. */
  #remaining: number | undefined;
  #resetsAt = Infinity;
  /** Whether the one call of a new window is under way. */
  #isProbing = false;
  /** Counts windows: what was sent in an earlier one says nothing about this one. */
  #window = 0;
  #closed: { readonly until: number; readonly because: ResponseInfo } | undefined;

  /**
   * Waits for a place.
   *
   * @param wait waits for a reset, and rejects when the signal is aborted
   * @throws PetStoreError at once, if the next window begins later than in `maxWaitMs`; after `timeoutMs`, if the calls before have no response
   */
  async enter({ maxWaitMs, timeoutMs, wait, signal }: Entrance): Promise<Place> {
    for (;;) {
      const closed = this.#closed;
      if (closed !== undefined) {
        const waitMs = closed.until - performance.now();
        if (waitMs > maxWaitMs) throw noRequestsLeft(closed.because, waitMs);
        if (waitMs > 0) await wait(waitMs + MARGIN_MS + JITTER_MS * Math.random());
        if (this.#closed === closed) this.#closed = undefined;
      } else if (this.#hasPlace()) {
        return this.#take();
      } else {
        await this.#turn(timeoutMs, signal);
      }
    }
  }

  #hasPlace(): boolean {
    if (performance.now() >= this.#resetsAt) this.#beginWindow();
    return this.#remaining === undefined ? !this.#isProbing : this.#underWay < this.#remaining;
  }

  #take(): Place {
    const window = this.#window;
    this.#underWay += 1;
    if (this.#remaining === undefined) this.#isProbing = true;
    return {
      leave: (response) => {
        this.#underWay -= 1;
        this.#learn(response, window === this.#window);
        this.#wake();
      },
    };
  }

  #learn(response: ResponseInfo | undefined, isOfThisWindow: boolean): void {
    if (isOfThisWindow) this.#isProbing = false;
    // The windows of a 403 may be those of a suspended key, which have nothing left, although it may be resumed at any time.
    if (response === undefined || response.status === 403) {
      // Never to none, of which no response has said when it ends: the next call finds out.
      if (isOfThisWindow && this.#remaining !== undefined) this.#remaining = Math.max(1, this.#remaining - 1);
      return;
    }
    const closedSeconds = closedSecondsOf(response);
    if (closedSeconds > 0) return this.#close(closedSeconds, response);
    if (!isOfThisWindow) return;
    const { remaining, resetSeconds } = limitOf(response);
    if (remaining === 0) return this.#close(resetSeconds, response);
    // A service without limits, or a proxy that removes the headers: then nothing is known.
    if (remaining < Infinity || response.status < 300) {
      this.#remaining = Math.min(this.#remaining ?? Infinity, remaining);
      this.#resetsAt = performance.now() + 1000 * resetSeconds;
    }
  }

  #close(seconds: number, because: ResponseInfo): void {
    const until = performance.now() + 1000 * seconds;
    if (this.#closed === undefined || until > this.#closed.until) this.#closed = { until, because };
    this.#beginWindow();
  }

  #beginWindow(): void {
    this.#window += 1;
    this.#remaining = undefined;
    this.#resetsAt = Infinity;
    this.#isProbing = false;
  }

  /** Those who find the gate closed wait for its opening by themselves. */
  #wake(): void {
    const places =
      this.#closed === undefined ? Math.max(1, (this.#remaining ?? 1) - this.#underWay) : Infinity;
    let woken = 0;
    for (const wake of this.#waiting) {
      if (woken >= places) return;
      woken += 1;
      wake();
    }
  }

  /** Resolves when there may be a place. Rejects after a time, or with the reason of the signal. */
  #turn(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', abort);
      };
      const timer = setTimeout(() => {
        end();
        const message = `The calls before had no response within ${timeoutMs} ms, so this one was not sent.`;
        reject(new PetStoreError('timed_out', message));
      }, timeoutMs);
      const wake = (): void => {
        end();
        resolve();
      };
      const abort = (): void => {
        end();
        // It may have been woken for a place that another one can have.
        this.#wake();
        reject(signal?.reason as Error);
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}

/** How long all calls wait after a response: after a 429 that says it, else 0. */
export const closedSecondsOf = ({ status, headers }: ResponseInfo): number =>
  status === 429 ? (retryAfterOf(headers) ?? 0) : 0;

/**
 * The window of the key with the fewest requests left, by the field `RateLimit` (draft-ietf-httpapi-ratelimit-headers); of several the last
 * to reset. The limit of the client's address is none of the key.
 */
function limitOf({ headers }: ResponseInfo): { readonly remaining: number; readonly resetSeconds: number } {
  const windows = [
    ...(headers.get('ratelimit') ?? '').matchAll(/"(?:minute|day)";\s*r=(\d+)\s*;\s*t=(\d+)/g),
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

/** The error of a request that the service would reject, and that is not sent. */
function noRequestsLeft(because: ResponseInfo, waitMs: number): PetStoreError {
  const seconds = Math.ceil(waitMs / 1000);
  const headers = new Headers(because.headers);
  headers.set('retry-after', String(seconds));
  const message = `The key has no requests left for ${seconds} seconds, so none was sent.`;
  return new PetStoreError('rate_limit_exceeded', message, { ...because, status: 429, headers });
}
