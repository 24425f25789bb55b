import type { ReadRows } from '../prisma/prisma.service.js';
import type { AskedQuestion, GroupOptions, GroupTimers } from './group-options.js';

/** What a statement returns for an item whose row another transaction has locked: nothing was decided, nothing was written. */
export const LOCKED = 'locked';

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
    read: ReadRows,
    items: readonly Item[],
    patience: Patience,
  ) => Promise<readonly (Result | typeof LOCKED)[]>;
  /** Runs work on a connection that only retries use. */
  readonly onConnection: (work: (read: ReadRows) => Promise<void>) => Promise<void>;
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

/** An item that waits for its row, with the promise of its result. */
export interface WaitingItem<Item, Result> extends AskedQuestion {
  readonly item: Item;
  /** On the clock of `askedAt`. */
  readonly deadline: number;
  isOpen: boolean;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** A row that another transaction has locked. */
export interface LockedRow<Item, Result> {
  readonly id: bigint;
  /** In the order in which they were enqueued. */
  items: WaitingItem<Item, Result>[];
  /** Whether a statement waits for it now. */
  isSent: boolean;
  /** Statements that waited for it so far. */
  tries: number;
}

/**
 * The locked rows that items wait for, and whose turn it is. Every second turn is for the row that was tried least: most locks
 * last for milliseconds, and must not wait behind rows that somebody holds open. The other turns go round.
 */
export class LockedRowLine<Item, Result> {
  readonly #rows = new Map<bigint, LockedRow<Item, Result>>();
  /** Those that no statement waits for now, in the order in which they had their last turn. */
  #line: LockedRow<Item, Result>[] = [];
  #isLeastTriedNext = false;

  /** Rows that items wait for. */
  get rows(): number {
    return this.#rows.size;
  }

  /** Rows that wait for a turn. */
  get length(): number {
    return this.#line.length;
  }

  has(id: bigint): boolean {
    return this.#rows.has(id);
  }

  [Symbol.iterator](): IterableIterator<LockedRow<Item, Result>> {
    return this.#rows.values();
  }

  /** Puts an item behind those of its row that were enqueued before it. */
  add(id: bigint, waiting: WaitingItem<Item, Result>): void {
    const row = this.#rows.get(id) ?? this.#addRow(id);
    const behind = row.items.findLastIndex(({ askedAt }) => askedAt <= waiting.askedAt);
    row.items.splice(behind + 1, 0, waiting);
  }

  /** Takes the row that has the next turn, until it is put back. */
  take(): LockedRow<Item, Result> | undefined {
    this.#isLeastTriedNext = !this.#isLeastTriedNext;
    if (!this.#isLeastTriedNext) return this.#line.shift();
    const tries = this.#line.reduce((least, row) => Math.min(least, row.tries), Infinity);
    const place = this.#line.findIndex((row) => row.tries === tries);
    return this.#line.splice(place, 1)[0];
  }

  /** Puts a row at the end of the line, without the items that are settled; without any it is forgotten. */
  putBack(row: LockedRow<Item, Result>): void {
    row.items = row.items.filter(({ isOpen }) => isOpen);
    if (row.items.length > 0) this.#line.push(row);
    else this.#rows.delete(row.id);
  }

  /** Forgets the rows that nothing waits for any more. */
  tidy(): void {
    for (const row of this.#rows.values()) {
      if (!row.isSent && !row.items.some(({ isOpen }) => isOpen)) this.#rows.delete(row.id);
    }
    this.#line = this.#line.filter(({ id }) => this.#rows.has(id));
  }

  #addRow(id: bigint): LockedRow<Item, Result> {
    const row = { id, items: [], isSent: false, tries: 0 };
    this.#rows.set(id, row);
    this.#line.push(row);
    return row;
  }
}
