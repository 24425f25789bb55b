import type { RowReader } from './database.js';
import { asUnavailable, classifyDatabaseError, isContention, UnavailableError } from './database-errors.js';
import type { AskedQuestion, GroupOptions } from './group-options.js';
import { REST_MS, SWEEP_MS } from './group.js';
import { systemTimers, type GroupTimers } from './group-timers.js';

/** What a statement returns for an item whose row another transaction has locked: nothing was decided, nothing was written. */
export const LOCKED = 'locked';

/** The longest wait of one statement: well below PostgreSQL's `deadlock_timeout` of a second, also when it waits twice. */
const WAIT_MAX_MS = 200;

/** The shortest. The service's own transactions hold a row for a few milliseconds. */
const WAIT_MIN_MS = 5;

/** How long a retry may wait. */
export interface Patience {
  readonly lockTimeoutMs: number;
  /** Of each item, in the order of the items: when the lock comes later, the item must write nothing. */
  readonly itemMs: readonly number[];
}

export interface LockedRowRetriesOptions<Item, Result> {
  /** For metrics and messages. */
  readonly name: string;
  /** The row that an item needs. */
  readonly rowOf: (item: Item) => bigint;
  /** Sends an item with its batch, which does not wait for locked rows. */
  readonly first: (item: Item, deadline: number) => Promise<Result | typeof LOCKED>;
  /** Sends one statement for items of one row, which waits for it. One result for each item, in the same order. */
  readonly retry: (
    rows: RowReader,
    items: readonly Item[],
    patience: Patience,
  ) => Promise<readonly (Result | typeof LOCKED)[]>;
  /** Runs work on a connection that only retries use. */
  readonly onConnection: (work: (rows: RowReader) => Promise<void>) => Promise<void>;
  readonly connections: number;
  /** Items per statement. */
  readonly sizeMax: number;
  /** Items that may wait; past it an item is rejected at once. */
  readonly waitingMax: number;
  /** The longest that an item without a deadline of its own waits for its result, its first statement included. */
  readonly timeoutMs: number;
  /** The time after which the server has ended a statement. An item with less time left is not sent. */
  readonly endsWithinMs: number;
  readonly onStatement?: GroupOptions<Item, Result>['onStatement'];
  readonly contextOf?: GroupOptions<Item, Result>['contextOf'];
  readonly timers?: GroupTimers;
}

interface WaitingItem<Item, Result> extends AskedQuestion {
  readonly item: Item;
  /** On the clock of `performance.now`. */
  readonly deadline: number;
  isOpen: boolean;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface LockedRow<Item, Result> {
  readonly id: bigint;
  /** In the order in which they were enqueued. */
  items: WaitingItem<Item, Result>[];
  isSent: boolean;
  tries: number;
}

/**
 * Sends items with their batch, and retries those whose row another transaction has locked until their deadline.
 *
 * - Items that wait for one row share a statement, so that locked rows cost connections and waiting requests do not. What
 *   arrives while its row is waited for joins them, behind the earlier ones.
 * - A retry waits in PostgreSQL's queue for the lock: one that only looked from time to time could find a contended row locked
 *   each time.
 * - Rows take turns on the connections, and the more they are the shorter is a turn. Every second turn is for the row that was
 *   tried least: most locks last for milliseconds, and must not wait behind rows that somebody holds open.
 */
export class LockedRowRetries<Item, Result> {
  readonly #options: LockedRowRetriesOptions<Item, Result>;
  readonly #timers: GroupTimers;
  readonly #rows = new Map<bigint, LockedRow<Item, Result>>();
  /** Rows that no statement waits for now, in the order in which they had their last turn. */
  #line: LockedRow<Item, Result>[] = [];
  #isLeastTriedNext = false;
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
    if (!this.#rows.has(this.#options.rowOf(item))) {
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
      return Promise.reject(this.#unavailable('overloaded', 'too many wait'));
    }
    const result = new Promise<Result>((resolve, reject) => {
      const context = this.#options.contextOf?.();
      const waiting = { item, deadline, askedAt: enqueuedAt, context, isOpen: true, resolve, reject };
      const row = this.#rowOf(item);
      const behind = row.items.findLastIndex(({ askedAt }) => askedAt <= enqueuedAt);
      row.items.splice(behind + 1, 0, waiting);
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

  #rowOf(item: Item): LockedRow<Item, Result> {
    const id = this.#options.rowOf(item);
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const row = { id, items: [], isSent: false, tries: 0 };
    this.#rows.set(id, row);
    this.#line.push(row);
    return row;
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
      await this.#options.onConnection(async (rows) => {
        // Chosen now, and not before there was a connection: time passed.
        const row = this.#next();
        if (row !== undefined) await this.#try(row, rows);
      });
    } catch (error) {
      // The items know it by now. Where the connection may be the cause, the next one is not taken at once.
      if (!isContention(error)) this.#restUntil = this.#timers.now() + REST_MS;
    }
    this.#connectionsInUse -= 1;
    this.#sendAll();
  }

  #next(): LockedRow<Item, Result> | undefined {
    this.#isLeastTriedNext = !this.#isLeastTriedNext;
    if (!this.#isLeastTriedNext) return this.#line.shift();
    const tries = this.#line.reduce((least, row) => Math.min(least, row.tries), Infinity);
    return this.#line.splice(
      this.#line.findIndex((row) => row.tries === tries),
      1,
    )[0];
  }

  async #try(row: LockedRow<Item, Result>, rows: RowReader): Promise<void> {
    const { sizeMax, retry } = this.#options;
    const sentAt = this.#timers.now();
    this.#giveUp(row.items, sentAt + this.#options.endsWithinMs + WAIT_MIN_MS);
    row.items = row.items.filter(({ isOpen }) => isOpen);
    const sent = row.items.slice(0, sizeMax);
    let error: unknown;
    if (sent.length > 0) {
      row.isSent = true;
      row.tries += 1;
      try {
        const results = await retry(
          rows,
          sent.map(({ item }) => item),
          this.#patience(sent, sentAt),
        );
        this.#settle(sent, results);
      } catch (thrown) {
        error = thrown;
        this.#fail(sent, error);
      }
      row.isSent = false;
      row.items = row.items.filter(({ isOpen }) => isOpen);
      this.#report(sent, sentAt, error);
    }
    if (row.items.length > 0) this.#line.push(row);
    else this.#rows.delete(row.id);
    // The connection is given back, or dropped, by what its statement threw.
    if (error !== undefined) throw error;
  }

  #patience(sent: readonly WaitingItem<Item, Result>[], now: number): Patience {
    const { endsWithinMs } = this.#options;
    const itemMs = sent.map(({ deadline }) => Math.floor(deadline - endsWithinMs - now));
    const turnMs = Math.floor((WAIT_MAX_MS * this.#options.connections) / this.#rows.size);
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
    for (const row of this.#rows.values()) {
      // What no statement carries cannot be sent any more once its time is too short for one.
      this.#giveUp(row.items, now + SWEEP_MS + (row.isSent ? 0 : endsWithinMs + WAIT_MIN_MS));
      if (!row.isSent && !row.items.some(({ isOpen }) => isOpen)) this.#rows.delete(row.id);
    }
    this.#line = this.#line.filter(({ id }) => this.#rows.has(id));
    this.#sendAll();
    if (this.#rows.size > 0) return;
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
