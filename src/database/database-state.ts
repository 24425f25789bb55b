import { NotSentError } from '../common/errors/database-errors.js';
import { messageOf } from '../common/errors/describe-fault.js';

/** A cause that lasts is named again after this. */
const NAMED_EVERY_MS = 60_000;

/** Says that the database is away and why, once a minute, and when it is back. */
export class DatabaseState {
  #awaySince: number | undefined;
  #namedAt = -Infinity;
  #isNamed = false;

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
    if (this.#awaySince === undefined) return;
    const seconds = ((performance.now() - this.#awaySince) / 1000).toFixed(1);
    if (this.#isNamed) this.warn(`the database is back after ${seconds} s`);
    this.#awaySince = undefined;
    this.#isNamed = false;
  }
}
