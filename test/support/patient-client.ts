import { expect } from '@jest/globals';
import { type ApiResponse, send } from './send.js';

/** A clock that stands still until a test moves it. */
export interface StandingClock {
  nowMs: number;
}

/**
 * A client that sends requests and waits, with a key of its own or none. It checks of every response that
 * its times are in the future, and that `Retry-After` stands on a 429, or on the 403 of a short suspension, and names the same instant as
 * `X-RateLimit-Reset`, each rounded up to its second.
 */
export class PatientClient {
  #last: ApiResponse | undefined;

  constructor(
    private readonly origin: string,
    private readonly clock: StandingClock,
    private readonly key?: string,
  ) {}

  async send(): Promise<ApiResponse> {
    const response = await send(this.origin, this.key === undefined ? {} : { key: this.key });
    // A 503 has headers of its own: it would fail as wrong ones.
    if (response.status === 503) throw new Error(`503 ${response.code}`);
    const nowMs = this.clock.nowMs;
    const resetMs = response.resetSeconds * 1000;
    expect(resetMs).toBeGreaterThan(nowMs);
    if (response.status === 429 || (response.status === 403 && 'retry-after' in response.headers)) {
      expect(response.retryAfterSeconds).toBeGreaterThanOrEqual(1);
      expect(Math.abs(nowMs + response.retryAfterSeconds * 1000 - resetMs)).toBeLessThan(1000);
    } else {
      expect(response.headers['retry-after']).toBeUndefined();
    }
    this.#last = response;
    return response;
  }

  /** Sends so many requests, one after another, and returns the last response. */
  async sendTimes(times: number): Promise<ApiResponse> {
    for (let sent = 1; sent < times; sent += 1) await this.send();
    return await this.send();
  }

  /** Waits exactly as many seconds as the last response said in `Retry-After`, and sends a request. */
  async sendAfterRetryAfter(): Promise<ApiResponse> {
    this.clock.nowMs += this.#rejected.retryAfterSeconds * 1000;
    return await this.send();
  }

  /** Waits until the instant that the last response named in `X-RateLimit-Reset`, and sends a request. */
  async sendAtReset(): Promise<ApiResponse> {
    this.clock.nowMs = this.#rejected.resetSeconds * 1000;
    return await this.send();
  }

  get #rejected(): ApiResponse {
    if (this.#last === undefined || ![403, 429].includes(this.#last.status))
      throw new Error('only a rejected client has to wait');
    return this.#last;
  }
}
