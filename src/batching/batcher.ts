import {
  asUnavailable,
  classifyDatabaseError,
  type DatabaseFailure,
  UnavailableError,
} from '../errors/database-errors.js';
import type { Semaphore } from '../database/semaphore.js';
import { FairQueue, type QueueKey } from './fair-queue.js';
import { Quarantine, RowLocks } from './locks.js';

/** A result: another transaction has locked the row that the item needs, and nothing was done for it. */
export const LOCKED = Symbol('locked');

/** The time between two looks at deadlines, and between two tries of an item whose row is locked. */
export const TICK_MS = 15;

/** After so many milliseconds an operator should know which session has locked a row. */
const LONG_LOCKED_MS = 1000;

/** The pause after a connection failure or a time-out of the server, whose cause lasts: no busy loop. */
export const BACKOFF_MS = 25;

/**
 * Sends one statement for all items, and resolves to one result each, in the same order. An `Error` as a result rejects that item
 * alone. It must settle when its result arrives or its connection is known to be dead.
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
  /** Whether the statement only reads, so that it may be repeated when its connection broke. */
  readonly isRead: boolean;
  /** Items per statement. */
  readonly sizeMax: number;
  /** Statements under way. */
  readonly concurrencyMax: number;
  /** What several batchers share: a statement under way has a permit. Until there is one items wait in the queue. */
  readonly permits?: Pick<Semaphore, 'enter' | 'leave'> | undefined;
  /** Items that may wait for a statement; one more is rejected. */
  readonly waitingMax: number;
  /** The longest that an item without a deadline of its own waits, in milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds: a statement is sent only while each of its items has so much time left, so that none is written after its 503. */
  readonly neededMs?: () => number;
  /** Items of different keys take turns, so that many of one key do not make those of another wait. */
  readonly keyOf?: (item: Item) => QueueKey;
  /** Whether the key is the row that an item locks: of the items of a row one is under way at a time. */
  readonly locksRow?: boolean;
  /**
   * Whether the items of a statement that the server ended by a time-out are sent alone, because one of them may wait for a lock. The key
   * of one that times out alone is kept apart. Otherwise they are sent together again: a table lock would delay each of them.
   */
  readonly separatesTimeouts?: boolean;
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
  /** How it failed, which no caller may know of: most failures are retried. */
  readonly failure: DatabaseFailure | undefined;
  readonly error: unknown;
}

interface BatchItem {
  /** When it was enqueued; also that of an item that is sent again. */
  readonly enqueuedAt: number;
  readonly context: unknown;
}

/**
 * Where an item is: in the queue, in a statement, to be sent again before all that are queued, or done.
 *
 *     load ──► queued ──────── #giveUp ────────┐
 *      #take ↓     ↑ #putBack: its row is      │
 *            ↓     ↑ locked                    ▼
 *           under-way ── #settle, #fail, ──► settled
 *       #fail ↓    ↑ #take     #giveUp         ▲
 *           to-retry ───────── #giveUp ────────┘
 */
type State = 'queued' | 'under-way' | 'to-retry' | 'settled';

/** An item with the promise of its result. */
class Entry<Item, Result> implements BatchItem {
  readonly promise: Promise<Result>;
  resolve!: (result: Result) => void;
  reject!: (error: unknown) => void;
  state: State = 'queued';
  /** It has to be sent without others, because a statement that it shared failed by one of its items. */
  isAlone = false;
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
 * Joins items that arrive together into one statement, like DataLoader, but with deadlines.
 *
 * - A statement starts as soon as fewer than `concurrencyMax` are under way, with the earliest items, and only after all of them
 *   arrived: results are as fresh as if each item had been sent alone.
 * - Each item is settled once, by its deadline: with its result, the error of the database about itself, or an `UnavailableError`.
 *   One that is not under way is given up as soon as less than `neededMs` and two ticks are left: that ends a wait for a lock.
 * - After an error of the statement, the items of several are sent again alone; one that fails alone gets the error. What was not sent,
 *   or was rolled back by a time-out of the server, is sent again until the deadlines. After a broken connection reads are sent once more, writes never.
 * - Of the items of one row one is under way at a time. One whose row is `LOCKED` is tried again every 15 ms, before the later items of
 *   that row; other rows pass.
 * - A statement keeps its place until it settles, also when all of its items were given up: it may be in its commit.
 */
export class Batcher<Item, Result> {
  readonly #queue = new FairQueue<Entry<Item, Result>>();
  /** Sent before and to be sent again, before all others. */
  #retries: Entry<Item, Result>[] = [];
  readonly #rows = new RowLocks();
  /** Of these one item waits until it is tried alone, and more are rejected. */
  readonly #quarantine = new Quarantine();
  /** Not settled yet. */
  readonly #open = new Set<Entry<Item, Result>>();
  #arrivals = 0;
  #underWay = 0;
  #restUntil = 0;
  /** Why the last statement failed; undefined after a success. It is the cause of items that are given up. */
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

  /** After all sockets that have something were read: else the items of several connections would not share a statement. */
  #dispatchSoon(): void {
    if (this.#isDispatchDue || this.#underWay >= this.options.concurrencyMax) return;
    this.#isDispatchDue = true;
    setImmediate(() => {
      this.#isDispatchDue = false;
      this.#dispatch();
    });
  }

  readonly #dispatch = (): void => {
    if (performance.now() < this.#restUntil) return; // the next tick comes back to it
    const { concurrencyMax, permits } = this.options;
    while (this.#underWay < concurrencyMax && this.waiting > 0) {
      if (permits?.enter(this.#dispatch) === false) return;
      const batch = this.#take();
      if (batch.length === 0) return permits?.leave();
      void this.#run(batch);
    }
  };

  /** The items of the next statement: those that are to be sent again, and where none is left, those of the queue. */
  #take(): Entry<Item, Result>[] {
    const batch = this.#takeRetries();
    if (batch[0]?.isAlone !== true && this.#retries.length === 0) this.#takeQueued(batch);
    return batch;
  }

  #takeRetries(): Entry<Item, Result>[] {
    const batch: Entry<Item, Result>[] = [];
    while (batch.length < this.options.sizeMax && batch[0]?.isAlone !== true) {
      const [next] = this.#retries;
      // One that has to be alone neither joins others nor is overtaken by them.
      if (next === undefined || (next.isAlone && batch.length > 0)) break;
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

  /** Adds an item, or gives it up if too little of its time is left. */
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
    this.#underWay += 1;
    for (const entry of batch) if (entry.state !== 'settled') entry.state = 'under-way';
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
    this.#underWay -= 1;
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
    const { isRead, separatesTimeouts = false, keyOf } = this.options;
    const isSeparated = failure === 'server-timeout' && separatesTimeouts;
    const isTemporary = failure === 'not-sent' || (failure === 'server-timeout' && !separatesTimeouts);
    if (isTemporary || failure === 'broken') this.#restUntil = performance.now() + BACKOFF_MS;
    const reason = asUnavailable(error);
    for (const entry of batch) {
      const isRepeatable = failure === 'broken' && isRead && !entry.hasBroken;
      const isSeparable = (failure === 'statement-error' || isSeparated) && batch.length > 1;
      entry.hasBroken ||= isRepeatable;
      entry.isAlone ||= isSeparable;
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
      this.#keepApart(only.key, reason);
  }

  /** Quarantines a key whose item timed out alone: one of its items is tried now and then, and the others are rejected. */
  #keepApart(key: QueueKey, reason: unknown): void {
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

  /** One timer for all items. After a stall of the process it runs behind the results that have arrived meanwhile. */
  #keepTicking(): void {
    if (this.#isTicking || this.#open.size === 0) return;
    this.#isTicking = true;
    setTimeout(() => setImmediate(() => this.#tick()), TICK_MS).unref();
  }

  #tick(): void {
    // An item that would be late at the next tick is given up at this one. Timers are late themselves.
    const next = performance.now() + 2 * TICK_MS;
    for (const entry of this.#open) {
      if (entry.deadline < next + (entry.state === 'under-way' ? 0 : this.#neededMs)) this.#giveUp(entry);
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

  /** Whether it was open. */
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
