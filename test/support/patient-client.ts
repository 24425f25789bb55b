import { expect } from '@jest/globals';
import { type Answer, ask } from './ask.js';

/** A clock that stands still until somebody moves it. */
export interface StandingClock {
  nowMs: number;
}

/**
 * A client who is alone on its key (or has none), and does nothing but ask and wait. It checks of every answer that
 * its times are in the future, and that `Retry-After` stands on a 429 alone and names the same instant as
 * `X-RateLimit-Reset`, each rounded up to its second.
 */
export class PatientClient {
  #last: Answer | undefined;

  constructor(
    private readonly origin: string,
    private readonly clock: StandingClock,
    private readonly key?: string,
  ) {}

  async ask(): Promise<Answer> {
    const answer = await ask(this.origin, this.key === undefined ? {} : { key: this.key });
    // A 503 has headers of its own: it would fail as wrong ones.
    if (answer.status === 503) throw new Error(`503 ${answer.code}`);
    const nowMs = this.clock.nowMs;
    const resetMs = answer.resetSeconds * 1000;
    expect(resetMs).toBeGreaterThan(nowMs);
    if (answer.status === 429) {
      expect(answer.retryAfterSeconds).toBeGreaterThanOrEqual(1);
      expect(Math.abs(nowMs + answer.retryAfterSeconds * 1000 - resetMs)).toBeLessThan(1000);
    } else {
      expect(answer.headers['retry-after']).toBeUndefined();
    }
    this.#last = answer;
    return answer;
  }

  /** Asks so many times, one after another, and tells the last answer. */
  async askTimes(times: number): Promise<Answer> {
    for (let asked = 1; asked < times; asked += 1) await this.ask();
    return await this.ask();
  }

  /** Waits exactly as many seconds as the last answer said in `Retry-After`, and asks. */
  async askAfterRetryAfter(): Promise<Answer> {
    this.clock.nowMs += this.#refused.retryAfterSeconds * 1000;
    return await this.ask();
  }

  /** Waits until the instant that the last answer named in `X-RateLimit-Reset`, and asks. */
  async askAtReset(): Promise<Answer> {
    this.clock.nowMs = this.#refused.resetSeconds * 1000;
    return await this.ask();
  }

  get #refused(): Answer {
    if (this.#last?.status !== 429) throw new Error('only who was refused has to wait');
    return this.#last;
  }
}
