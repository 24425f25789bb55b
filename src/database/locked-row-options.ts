import type { RowReader } from './database.js';
import type { GroupOptions } from './group-options.js';
import type { GroupTimers } from './group-timers.js';

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
