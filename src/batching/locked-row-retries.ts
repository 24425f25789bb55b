import type { ReadRows } from '../prisma/prisma.service.js';
import {
  asUnavailable,
  classifyDatabaseError,
  isContention,
  UnavailableError,
} from '../common/errors/database-errors.js';
import { REST_MS, SWEEP_MS } from './group.js';
import { systemTimers, type GroupTimers } from './group-options.js';
import {
  LOCKED,
  type LockedRow,
  LockedRowLine,
  type LockedRowRetriesOptions,
  type Patience,
  type WaitingItem,
} from './locked-row-line.js';

/** The longest wait of one statement: well below PostgreSQL's `deadlock_timeout` of a second, also when it waits twice. */
const WAIT_MAX_MS = 200;

/** The shortest. The service's own transactions hold a row for a few milliseconds. */
const WAIT_MIN_MS = 5;

/**
 * Sends items with their batch, and retries those whose row another transaction has locked until their deadline.
 *
 * - Items that wait for one row share a statement, so that locked rows cost connections and waiting requests do not. What
 *   arrives while its row is waited for joins them, behind the earlier ones.
 * - A retry waits in PostgreSQL's queue for the lock: one that only looked from time to time could find a contended row locked
 *   each time.
 * - Rows take turns on the connections, and the more they are the shorter is a turn.
 */
export class LockedRowRetries<Item, Result> {
  readonly #options: LockedRowRetriesOptions<Item, Result>;
  readonly #timers: GroupTimers;
  readonly #line = new LockedRowLine<Item, Result>();
  #connectionsInUse = 0;
  #restUntil = 0;
  #waiting = 0;
  #stopSweeping: (() => void) | undefined;
  readonly #open = new Set<Promise<unknown>>();
  #closing = false;

  constructor(options: LockedRowRetriesOptions<Item, Result>) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Items that wait for their row. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Rejects as the statements of the item do, or with an `UnavailableError` when its row stays locked.
   *
   * @param deadline on the clock of `performance.now`; without it, `timeoutMs` from now
   * @param enqueuedAt its place among the items of its row, on the same clock
   */
  async run(item: Item, deadline?: number, enqueuedAt = this.#timers.now()): Promise<Result> {
    const endsAt = deadline ?? enqueuedAt + this.#options.timeoutMs;
    if (!this.#line.has(this.#options.rowOf(item))) {
      const first = await this.#options.first(item, endsAt);
      if (first !== LOCKED) return first;
    }
    return await this.#enqueue(item, endsAt, enqueuedAt);
  }

  /** Rejects new items, and resolves when all that wait are settled: by the latest of their deadlines. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.allSettled(this.#open);
  }

  #enqueue(item: Item, deadline: number, enqueuedAt: number): Promise<Result> {
    if (this.#closing) return Promise.reject(this.#unavailable('closing', 'is closing'));
    if (this.#waiting >= this.#options.waitingMax) {
      return Promise.reject(this.#unavailable('overloaded', 'the queue is full'));
    }
    const result = new Promise<Result>((resolve, reject) => {
      const context = this.#options.contextOf?.();
      const waiting = { item, deadline, askedAt: enqueuedAt, context, isOpen: true, resolve, reject };
      this.#line.add(this.#options.rowOf(item), waiting);
    });
    this.#waiting += 1;
    this.#open.add(result);
    const leave = (): void => {
      this.#waiting -= 1;
      this.#open.delete(result);
    };
    result.then(leave, leave);
    this.#stopSweeping ??= this.#timers.every(SWEEP_MS, this.#sweep);
    this.#sendAll();
    return result;
  }

  #sendAll(): void {
    if (this.#timers.now() < this.#restUntil) return; // the sweep comes back to it
    for (let left = this.#line.length; left > 0; left -= 1) {
      if (this.#connectionsInUse >= this.#options.connections) return;
      this.#connectionsInUse += 1;
      void this.#send();
    }
  }

  async #send(): Promise<void> {
    try {
      await this.#options.onConnection(async (read) => {
        // Chosen now, and not before there was a connection: time passed.
        const row = this.#line.take();
        if (row !== undefined) await this.#try(row, read);
      });
    } catch (error) {
      // The items know it by now. Where the connection may be the cause, the next one is not taken at once.
      if (!isContention(error)) this.#restUntil = this.#timers.now() + REST_MS;
    }
    this.#connectionsInUse -= 1;
    this.#sendAll();
  }

  async #try(row: LockedRow<Item, Result>, read: ReadRows): Promise<void> {
    const { sizeMax, retry } = this.#options;
    const sentAt = this.#timers.now();
    this.#giveUp(row.items, sentAt + this.#options.endsWithinMs + WAIT_MIN_MS);
    const sent = row.items.filter(({ isOpen }) => isOpen).slice(0, sizeMax);
    let error: unknown;
    if (sent.length > 0) {
      row.isSent = true;
      row.tries += 1;
      try {
        const results = await retry(
          read,
          sent.map(({ item }) => item),
          this.#patience(sent, sentAt),
        );
        this.#settle(sent, results);
      } catch (thrown) {
        error = thrown;
        this.#fail(sent, error);
      }
      row.isSent = false;
      this.#report(sent, sentAt, error);
    }
    this.#line.putBack(row);
    // The connection is given back, or dropped, by what its statement threw.
    if (error !== undefined) throw error;
  }

  #patience(sent: readonly WaitingItem<Item, Result>[], now: number): Patience {
    const { endsWithinMs } = this.#options;
    const itemMs = sent.map(({ deadline }) => Math.floor(deadline - endsWithinMs - now));
    const turnMs = Math.floor((WAIT_MAX_MS * this.#options.connections) / this.#line.rows);
    const lockTimeoutMs = Math.min(WAIT_MAX_MS, Math.max(WAIT_MIN_MS, turnMs), Math.max(1, ...itemMs));
    return { lockTimeoutMs, itemMs };
  }

  #settle(sent: readonly WaitingItem<Item, Result>[], results: readonly (Result | typeof LOCKED)[]): void {
    if (results.length !== sent.length) {
      throw new Error(`${this.name}: ${results.length} results for ${sent.length} items`);
    }
    results.forEach((result, i) => {
      const waiting = sent[i];
      if (waiting === undefined || result === LOCKED) return;
      waiting.isOpen = false;
      waiting.resolve(result);
    });
  }

  #fail(sent: readonly WaitingItem<Item, Result>[], error: unknown): void {
    const failure = classifyDatabaseError(error);
    if (isContention(error) || failure === 'not-sent' || failure === 'server-timeout') return;
    const reason = asUnavailable(error);
    for (const waiting of sent) fail(waiting, reason);
  }

  #report(sent: readonly WaitingItem<Item, Result>[], sentAt: number, error: unknown): void {
    this.#options.onStatement?.({
      group: this.name,
      questions: sent.length,
      asked: sent,
      sentAt,
      durationMs: this.#timers.now() - sentAt,
      failure: error === undefined ? undefined : classifyDatabaseError(error),
      error,
    });
  }

  readonly #sweep = (): void => {
    const { endsWithinMs } = this.#options;
    const now = this.#timers.now();
    for (const row of this.#line) {
      // What no statement carries cannot be sent any more once its time is too short for one.
      this.#giveUp(row.items, now + SWEEP_MS + (row.isSent ? 0 : endsWithinMs + WAIT_MIN_MS));
    }
    this.#line.tidy();
    this.#sendAll();
    if (this.#line.rows > 0) return;
    this.#stopSweeping?.();
    this.#stopSweeping = undefined;
  };

  /** Rejects items whose deadline comes before a moment. */
  #giveUp(items: readonly WaitingItem<Item, Result>[], moment: number): void {
    for (const waiting of items) {
      if (!waiting.isOpen || waiting.deadline >= moment) continue;
      fail(waiting, this.#unavailable('timed-out', 'the row was locked for too long'));
    }
  }

  #unavailable(reason: UnavailableError['reason'], why: string): UnavailableError {
    return new UnavailableError(reason, `${this.name}: ${why}`);
  }
}

function fail<Item, Result>(waiting: WaitingItem<Item, Result>, error: unknown): void {
  waiting.isOpen = false;
  waiting.reject(error);
}
