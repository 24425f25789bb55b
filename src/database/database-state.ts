import { NotSentError } from '../errors/database-errors.js';
import { messageOf } from '../errors/describe-fault.js';

/** A cause that lasts is named again after this. */
const NAMED_EVERY_MS = 60_000;

/** A connection that broke and is opened again is no outage. */
const OUTAGE_MS = 1000;

/** In moments of `performance.now()`. */
export interface Outage {
  readonly from: number;
  readonly until: number;
}

/** Says that the database is away and why, once a minute, and when it is back. */
export class DatabaseState {
  #awaySince: number | undefined;
  #namedAt = -Infinity;
  #isNamed = false;
  readonly #outages: Outage[] = [];

  constructor(private readonly warn: (message: string) => void) {}

  /** Its server, or a pooler before it, accepts no connection or no writes. */
  failed(error: unknown): void {
    const now = performance.now();
    // For want of a free connection alone.
    if (error instanceof NotSentError && typeof error.cause === 'string') return;
    this.#awaySince ??= now;
    if (now - this.#namedAt < NAMED_EVERY_MS) return;
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
