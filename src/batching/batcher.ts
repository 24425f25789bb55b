import {
  asUnavailable,
  classifyDatabaseError,
  type DatabaseFailure,
  UnavailableError,
} from '../errors/database-errors.js';
import type { Semaphore } from '../database/semaphore.js';
import { FairQueue, type QueueKey } from './fair-queue.js';
import { Quarantine, RowLocks } from './locks.js';

/** A result: another transaction has locked the item's row, so nothing was written. */
export const LOCKED = Symbol('locked');

/** The interval between checks of deadlines, and between tries of an item whose row is locked. */
export const TICK_MS = 15;

/** Milliseconds after which an operator should know which session has locked a row. */
const LONG_LOCKED_MS = 1000;

/** The pause after a connection failure or server time-out, which may last: avoids a busy loop. */
export const BACKOFF_MS = 25;

/**
 * Sends one statement for all items, and resolves to one result per item, in order. An `Error` as a result rejects only that
 * item. It must settle when its result arrives or its connection is known to be dead.
 *
 * @param sendBefore a moment of `performance.now()` after which the statement must not be sent
 */
export type Send<Item, Result> = (
  items: readonly Item[],
  sendBefore: number,
) => Promise<readonly Outcome<Result>[]>;

type Outcome<Result> = Result | Error | typeof LOCKED;

export interface BatcherOptions<Item, Result> {
  /** For metrics and messages. */
  readonly name: string;
  readonly send: Send<Item, Result>;
  /** Whether the statement is read-only, so that it can be retried on a broken connection. */
  readonly isRead: boolean;
  /** Items per statement. */
  readonly sizeMax: number;
  /** Statements in flight. */
  readonly concurrencyMax: number;
  /** Shared by several batchers: a statement in flight has a permit. Items wait in the queue for one. */
  readonly permits?: Pick<Semaphore, 'enter' | 'leave'> | undefined;
  /** Items that may wait for a statement; more are rejected. */
  readonly waitingMax: number;
  /** How long an item without its own deadline waits, in milliseconds. */
  readonly timeoutMs: number;
  /** A statement is sent only while all its items have this many milliseconds left, so that none is written after its 503. */
  readonly neededMs?: () => number;
  /** Items of different keys take turns, so that a key with many items does not delay others. */
  readonly keyOf?: (item: Item) => QueueKey;
  /** Whether the key is the row that an item locks: each row has one item in flight at a time. */
  readonly locksRow?: boolean;
  /**
   * Whether the items of a statement that timed out at the server are retried alone, because one may be waiting for a lock. The key
   * of one that times out alone is quarantined. Otherwise they are retried together: a table lock would delay each of them.
   */
  readonly retriesTimeoutsAlone?: boolean;
  /** Called at each try of an item whose row has been locked for `LONG_LOCKED_MS`. Must not throw. */
  readonly onLongLocked?: (row: QueueKey) => void;
  /** Called when a statement has ended. Must not throw. */
  readonly onStatement?: (report: BatchReport) => void;
  /** The context of the current item, such as a span. Must not throw. */
  readonly contextOf?: (() => unknown) | undefined;
}

/** A statement that has ended. Times are milliseconds of `performance.now()`. */
export interface BatchReport {
  readonly batcher: string;
  readonly items: readonly BatchItem[];
  readonly sentAt: number;
  readonly durationMs: number;
  /** How it failed. Callers may not see it: most failures are retried. */
  readonly failure: DatabaseFailure | undefined;
  readonly error: unknown;
}

interface BatchItem {
  /** When it was enqueued; unchanged by retries. */
  readonly enqueuedAt: number;
  readonly context: unknown;
}

/**
 * Where an item is: queued, in a statement, to be retried before all queued items, or done.
 *
 *     load ──► queued ──────── #giveUp ────────┐
 *      #take ↓     ↑ #putBack: its row is      │
 *            ↓     ↑ locked                    ▼
 *           in-flight ── #settle, #fail, ──► settled
 *       #fail ↓    ↑ #take     #giveUp         ▲
 *           to-retry ───────── #giveUp ────────┘
 */
type State = 'queued' | 'in-flight' | 'to-retry' | 'settled';

/** An item with the promise of its result. */
class Entry<Item, Result> implements BatchItem {
  readonly promise: Promise<Result>;
  resolve!: (result: Result) => void;
  reject!: (error: unknown) => void;
  state: State = 'queued';
  /** Must be sent alone, because one of the items in its last statement made it fail. */
  mustBeAlone = false;
  /** Its connection broke before. */
  hasBroken = false;
  /** When its row was first found locked. */
  lockedSince: number | undefined;

  constructor(
    readonly item: Item,
    readonly key: QueueKey,
    readonly deadline: number,
    readonly context: unknown,
    /** Its number among all items. */
    readonly order: number,
    readonly enqueuedAt = performance.now(),
  ) {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/**
 * Batches items that arrive together, like DataLoader, but with deadlines.
 *
 * - A statement starts as soon as fewer than `concurrencyMax` are in flight, with the earliest items, and only after all of them
 *   arrived: results are as fresh as if each item had been sent alone.
 * - Each item is settled once, by its deadline: with its result, its own database error, or an `UnavailableError`.
 *   One that is not in flight is given up as soon as less than `neededMs` and two ticks are left: that ends a wait for a lock.
 * - After a statement error, each of its items is retried alone; one that fails alone gets the error. Items that were not sent,
 *   or were rolled back by a server time-out, are retried until their deadlines. After a broken connection, reads are retried once, writes never.
 * - Each row has one item in flight at a time. An item whose row is `LOCKED` is retried every 15 ms, before the later items of
 *   that row; others proceed.
 * - A statement holds its slot until it settles, even if all its items were given up: it may be committing.
 */
export class Batcher<Item, Result> {
  readonly #queue = new FairQueue<Entry<Item, Result>>();
  /** Sent before, to be retried before all others. */
  #retries: Entry<Item, Result>[] = [];
  readonly #rows = new RowLocks();
  /** One item per key waits to be tried alone; more are rejected. */
  readonly #quarantine = new Quarantine();
  /** Not settled yet. */
  readonly #open = new Set<Entry<Item, Result>>();
  #arrivals = 0;
  #inFlight = 0;
  #backoffUntil = 0;
  /** Why the last statement failed; undefined after a success. The error cause of items that are given up. */
  #lastError: unknown;
  #isDispatchDue = false;
  #isTicking = false;
  #isClosing = false;

  constructor(private readonly options: BatcherOptions<Item, Result>) {}

  get name(): string {
    return this.options.name;
  }

  /** Items that wait for a statement now. */
  get waiting(): number {
    return this.#queue.length + this.#retries.length;
  }

  /**
   * Rejects with the error of the database about this item, or with an `UnavailableError`.
   *
   * @param deadline a moment of `performance.now()`
   */
  readonly load = (item: Item, deadline = performance.now() + this.options.timeoutMs): Promise<Result> => {
    const { waitingMax, sizeMax, keyOf, contextOf } = this.options;
    if (this.#isClosing) return Promise.reject(this.#unavailable('closing', 'is closing'));
    if (this.waiting >= waitingMax) {
      return Promise.reject(this.#unavailable('overloaded', 'the queue is full'));
    }
    const key = keyOf?.(item) ?? '';
    if (this.#quarantine.has(key) && this.#queue.has(key)) {
      return Promise.reject(this.#unavailable('timed-out', 'its row is locked'));
    }
    const entry = new Entry<Item, Result>(item, key, deadline, contextOf?.(), this.#arrivals++);
    this.#open.add(entry);
    this.#queue.push(key, entry);
    this.#keepTicking();
    if (this.#queue.length >= sizeMax) this.#dispatch();
    else this.#dispatchSoon();
    return entry.promise;
  };

  /** Rejects new items, and resolves when all earlier ones are settled: by the latest of their deadlines. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled([...this.#open].map(({ promise }) => promise));
  }

  /** Waits until all readable sockets were read: else items of several connections would not share a statement. */
  #dispatchSoon(): void {
    if (this.#isDispatchDue || this.#inFlight >= this.options.concurrencyMax) return;
    this.#isDispatchDue = true;
    setImmediate(() => {
      this.#isDispatchDue = false;
      this.#dispatch();
    });
  }

  readonly #dispatch = (): void => {
    if (performance.now() < this.#backoffUntil) return; // the next tick dispatches again
    const { concurrencyMax, permits } = this.options;
    while (this.#inFlight < concurrencyMax && this.waiting > 0) {
      if (permits?.enter(this.#dispatch) === false) return;
      const batch = this.#take();
      if (batch.length === 0) return permits?.leave();
      void this.#run(batch);
    }
  };

  /** The items of the next statement: first the retries and, if none are left, those of the queue. */
  #take(): Entry<Item, Result>[] {
    const batch = this.#takeRetries();
    if (batch[0]?.mustBeAlone !== true && this.#retries.length === 0) this.#takeQueued(batch);
    return batch;
  }

  #takeRetries(): Entry<Item, Result>[] {
    const batch: Entry<Item, Result>[] = [];
    while (batch.length < this.options.sizeMax && batch[0]?.mustBeAlone !== true) {
      const [next] = this.#retries;
      // An item that must be alone neither joins others nor is overtaken.
      if (next === undefined || (next.mustBeAlone && batch.length > 0)) break;
      this.#retries.shift();
      this.#takeInto(batch, next);
    }
    return batch;
  }

  #takeQueued(batch: Entry<Item, Result>[]): void {
    const { sizeMax, locksRow = false } = this.options;
    const due = batch.length === 0 ? this.#quarantine.takeDue(this.#hasQueued) : undefined;
    if (due !== undefined) {
      for (const entry of this.#queue.take(1, (key) => key === due)) this.#takeInto(batch, entry);
      return;
    }
    const isNotQuarantined = this.#quarantine.isEmpty
      ? undefined
      : (key: QueueKey) => !this.#quarantine.has(key);
    const claim = locksRow ? (row: QueueKey) => this.#rows.claim(row) : isNotQuarantined;
    for (;;) {
      const taken = this.#queue.take(sizeMax - batch.length, claim);
      if (taken.length === 0) return;
      for (const entry of taken) this.#takeInto(batch, entry);
    }
  }

  /** Adds an item, or gives it up if too little time is left. */
  #takeInto(batch: Entry<Item, Result>[], entry: Entry<Item, Result>): void {
    if (entry.deadline >= performance.now() + this.#neededMs) return void batch.push(entry);
    this.#giveUp(entry);
    this.#rows.release(entry.key);
  }

  async #run(batch: readonly Entry<Item, Result>[]): Promise<void> {
    const { name, send, onStatement, permits } = this.options;
    const sentAt = performance.now();
    const deadline = batch.reduce((earliest, one) => Math.min(earliest, one.deadline), Infinity);
    let error: unknown;
    let failure: DatabaseFailure | undefined;
    this.#inFlight += 1;
    for (const entry of batch) if (entry.state !== 'settled') entry.state = 'in-flight';
    try {
      const outcomes = await send(
        batch.map(({ item }) => item),
        deadline - this.#neededMs,
      );
      if (outcomes.length !== batch.length) {
        throw new Error(`${name}: ${outcomes.length} results for ${batch.length} items`);
      }
      this.#settle(batch, outcomes);
    } catch (thrown) {
      error = thrown;
      failure = classifyDatabaseError(thrown);
      this.#fail(batch, failure, thrown);
    }
    this.#lastError = error;
    this.#inFlight -= 1;
    permits?.leave();
    this.#dispatchSoon();
    const durationMs = performance.now() - sentAt;
    onStatement?.({ batcher: name, items: batch, sentAt, durationMs, failure, error });
  }

  #settle(batch: readonly Entry<Item, Result>[], outcomes: readonly Outcome<Result>[]): void {
    batch.forEach((entry, index) => {
      const outcome = outcomes[index] as Outcome<Result>;
      if (outcome === LOCKED) return this.#putBack(entry);
      this.#rows.release(entry.key);
      this.#quarantine.remove(entry.key);
      if (outcome instanceof Error) this.#reject(entry, outcome);
      else if (this.#close(entry)) entry.resolve(outcome);
    });
  }

  #fail(batch: readonly Entry<Item, Result>[], failure: DatabaseFailure, error: unknown): void {
    const { isRead, retriesTimeoutsAlone = false, keyOf } = this.options;
    const isSeparated = failure === 'server-timeout' && retriesTimeoutsAlone;
    const isTemporary = failure === 'not-sent' || (failure === 'server-timeout' && !retriesTimeoutsAlone);
    if (isTemporary || failure === 'broken') this.#backoffUntil = performance.now() + BACKOFF_MS;
    const reason = asUnavailable(error);
    for (const entry of batch) {
      const isRepeatable = failure === 'broken' && isRead && !entry.hasBroken;
      const isSeparable = (failure === 'statement-error' || isSeparated) && batch.length > 1;
      entry.hasBroken ||= isRepeatable;
      entry.mustBeAlone ||= isSeparable;
      if (!isTemporary && !isRepeatable && !isSeparable) this.#reject(entry, reason);
      if (entry.state === 'settled') {
        this.#rows.release(entry.key);
      } else {
        entry.state = 'to-retry';
        this.#retries.push(entry);
      }
    }
    this.#retries.sort(byArrival);
    const [only] = batch;
    if (isSeparated && keyOf !== undefined && only !== undefined && batch.length === 1)
      this.#quarantineKey(only.key, reason);
  }

  /** Quarantines a key whose item timed out alone: one of its items is retried periodically, the others are rejected. */
  #quarantineKey(key: QueueKey, reason: unknown): void {
    this.#quarantine.add(key, this.#hasQueued);
    for (const entry of this.#retries) if (entry.key === key) this.#reject(entry, reason);
    this.#retries = this.#retries.filter(({ state }) => state !== 'settled');
  }

  readonly #hasQueued = (key: QueueKey): boolean => this.#queue.has(key);

  /** Puts an item whose row is locked back before the later ones of that row. */
  #putBack(entry: Entry<Item, Result>): void {
    const { key: row } = entry;
    if (entry.state === 'settled') return this.#rows.release(row);
    const { locksRow = false, name, onLongLocked } = this.options;
    if (!locksRow) throw new Error(`${name}: LOCKED without a row`);
    const now = performance.now();
    entry.lockedSince ??= now;
    if (now - entry.lockedSince >= LONG_LOCKED_MS) onLongLocked?.(row);
    this.#rows.found(row);
    entry.state = 'queued';
    this.#queue.putBack(row, entry);
  }

  /** One timer for all items. After a process stall it runs after the results that arrived meanwhile. */
  #keepTicking(): void {
    if (this.#isTicking || this.#open.size === 0) return;
    this.#isTicking = true;
    setTimeout(() => setImmediate(() => this.#tick()), TICK_MS).unref();
  }

  #tick(): void {
    // Give up items that would be late at the next tick. Timers themselves may be late.
    const next = performance.now() + 2 * TICK_MS;
    for (const entry of this.#open) {
      if (entry.deadline < next + (entry.state === 'in-flight' ? 0 : this.#neededMs)) this.#giveUp(entry);
    }
    this.#queue.remove(({ state }) => state === 'settled');
    for (const { state, key } of this.#retries) if (state === 'settled') this.#rows.release(key);
    this.#retries = this.#retries.filter(({ state }) => state !== 'settled');
    this.#rows.tick(this.#hasQueued);
    this.#dispatch();
    this.#isTicking = false;
    this.#keepTicking();
  }

  get #neededMs(): number {
    return this.options.neededMs?.() ?? 0;
  }

  #giveUp(entry: Entry<Item, Result>): void {
    const error = this.#rows.isLocked(entry.key)
      ? this.#unavailable('row-locked', 'another transaction has locked its row')
      : this.#unavailable('timed-out', 'no result in time');
    this.#reject(entry, error);
  }

  #reject(entry: Entry<Item, Result>, error: unknown): void {
    if (this.#close(entry)) entry.reject(error);
  }

  /** False if already closed. */
  #close(entry: Entry<Item, Result>): boolean {
    entry.state = 'settled';
    return this.#open.delete(entry);
  }

  #unavailable(reason: UnavailableError['reason'], why: string): UnavailableError {
    return new UnavailableError(reason, `${this.name}: ${why}`, { cause: this.#lastError });
  }
}

const byArrival = (one: { readonly order: number }, other: { readonly order: number }): number =>
  one.order - other.order;

/** Sends items with the same key once, and gives each of them the result. */
export const deduplicated =
  <Item, Result>(keyOf: (item: Item) => unknown, send: Send<Item, Result>): Send<Item, Result> =>
  async (items, sendBefore) => {
    const distinct = new Map(items.map((item) => [keyOf(item), item]));
    const outcomes = await send([...distinct.values()], sendBefore);
    if (outcomes.length !== distinct.size) return outcomes;
    const outcomeOf = new Map([...distinct.keys()].map((key, index) => [key, outcomes[index]]));
    return items.map((item) => outcomeOf.get(keyOf(item)) as Outcome<Result>);
  };
