import { NotSentError } from '../errors/database-errors.js';
import { messageOf } from '../errors/describe-error.js';

/** How often a lasting cause is logged again. */
const LOG_INTERVAL_MS = 60_000;

/** A broken connection that is reopened is no outage. */
const OUTAGE_MS = 1000;

/** In moments of `performance.now()`. */
export interface Outage {
  readonly from: number;
  readonly until: number;
}

/** Logs that the database is down and why, once a minute, and when it is back. */
export class DatabaseState {
  #awaySince: number | undefined;
  #namedAt = -Infinity;
  #isNamed = false;
  readonly #outages: Outage[] = [];

  constructor(private readonly warn: (message: string) => void) {}

  /** The server, or a pooler in front of it, rejects connections or writes. */
  failed(error: unknown): void {
    const now = performance.now();
    // Only no free connection.
    if (error instanceof NotSentError && typeof error.cause === 'string') return;
    this.#awaySince ??= now;
    if (now - this.#namedAt < LOG_INTERVAL_MS) return;
    this.#namedAt = now;
    this.#isNamed = true;
    this.warn(`the database is away: ${messageOf(error)}`);
  }

  worked(): void {
    const from = this.#awaySince;
    if (from === undefined) return;
    const until = performance.now();
    if (this.#isNamed) this.warn(`the database is back after ${((until - from) / 1000).toFixed(1)} s`);
    if (until - from >= OUTAGE_MS) this.#outages.push({ from, until });
    this.#awaySince = undefined;
    this.#isNamed = false;
  }

  /** The outages that have ended since it was called last. */
  takeOutages(): readonly Outage[] {
    return this.#outages.splice(0);
  }
}
