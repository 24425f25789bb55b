import { Inject, Injectable } from '@nestjs/common';
import { PrismaService } from '../database/prisma.service.js';
import type { LockedRow } from '../database/lock-report.js';
import type { Statement } from '../database/statement.js';
import { skippingUsedIds } from '../database/used-ids.js';
import type { QueueKey } from './fair-queue.js';
import { Batcher, type BatcherOptions, type BatchReport, LOCKED } from './batcher.js';
import { ApiError } from '../errors/api-error.js';
import { type ErrorCode, isErrorCode } from '../errors/error-codes.js';

/** A row that a statement returns for an item, with what it did. */
interface OutcomeRow {
  readonly outcome: string;
}

/** What makes the result of an item, or its error. */
type Outcome<Row, Result, Item> = (row: Row, item: Item) => Result | Error;

/** What becomes of an item by the outcome of its row. One that is called like an error code is that error, unless it is here. */
type Outcomes<Row extends OutcomeRow, Result, Item> = {
  readonly [Name in Exclude<Row['outcome'], ErrorCode>]: Outcome<Row, Result, Item>;
} & { readonly [Name in Extract<Row['outcome'], ErrorCode>]?: Outcome<Row, Result, Item> };

/**
 * The results of items by the rows of a statement, in their order. An outcome of a later release rejects its item alone: the changes of all
 * are committed.
 */
const resultsOf = <Row extends OutcomeRow, Result, Item>(
  { name }: Statement,
  outcomes: ReadonlyMap<string, Outcome<Row, Result, Item>>,
  rows: readonly Row[],
  items: readonly Item[],
): readonly (Result | Error)[] =>
  rows.map((row, index) => {
    const { outcome } = row;
    const of = outcomes.get(outcome);
    if (of !== undefined) return of(row, items[index] as Item);
    return isErrorCode(outcome)
      ? new ApiError(outcome)
      : new Error(`${name}: this release does not know the outcome "${outcome}"`);
  });

/** A batcher as metrics and the shutdown see it. */
export type AnyBatcher = Pick<Batcher<unknown, unknown>, 'name' | 'waiting' | 'close'>;

/** Observes all batchers, for metrics and traces. No call may throw. */
export interface BatchObserver {
  /** The context of the current item, such as a span; absent without traces. */
  readonly contextOf?: () => unknown;
  /** A batcher was created. */
  batcherMade?(batcher: AnyBatcher): void;
  statementEnded(report: BatchReport): void;
}

/** Injects the observers of batches, which `ObserversModule` lists. */
export const BATCH_OBSERVERS = Symbol('BATCH_OBSERVERS');

/**
 * Items per statement. 64 clients then keep one statement at work while this process prepares another: 4 to 14 % more
 * requests a second than with 64 items. The fixed part of admission's cost is a quarter of the whole then.
 */
export const SIZE_MAX = 32;

/** Queued items before the service rejects more: about a second of work, so that no item waits longer in vain. */
const WAITING_MAX = 5000;

/** Two statements at a time use both halves of a round trip. */
const BOUNDS = { sizeMax: SIZE_MAX, concurrencyMax: 2, waitingMax: WAITING_MAX };

type RowWriteOptions<Item, Result> = Required<
  Pick<BatcherOptions<Item, Result>, 'name' | 'send' | 'keyOf'>
> & { readonly table: LockedRow['table'] };

/** A write by a statement that returns a row with an outcome for each item. */
interface WriteOptions<Item, Row extends OutcomeRow, Result> {
  /** Of changes, the one whose rows have the ids of the items; of creations, the one that gets rows. */
  readonly table: LockedRow['table'];
  readonly statement: Statement;
  /** The parameters of the statement. */
  readonly valuesOf: (items: readonly Item[]) => readonly unknown[];
  readonly outcomes: Outcomes<Row, Result | typeof LOCKED, Item>;
}

/** Creates the batchers of repositories. Each joins the queries of one kind into statements. */
@Injectable()
export class Batching {
  readonly #batchers: AnyBatcher[] = [];

  constructor(
    private readonly prisma: PrismaService,
    @Inject(BATCH_OBSERVERS) private readonly observers: readonly BatchObserver[] = [],
  ) {}

  /** Joins concurrent reads of one kind. */
  batchReads<Item, Result>(
    options: Pick<BatcherOptions<Item, Result>, 'name' | 'send'>,
  ): Batcher<Item, Result> {
    return this.#batcher({ isRead: true, permits: this.prisma.pools.reads, ...options });
  }

  /** Joins concurrent writes of one kind. */
  batchWrites<Item, Result>(
    options: Pick<BatcherOptions<Item, Result>, 'name' | 'send'> & Partial<BatcherOptions<Item, Result>>,
  ): Batcher<Item, Result> {
    const { endsWithinMs, writes } = this.prisma.pools;
    return this.#batcher({ isRead: false, permits: writes, neededMs: () => endsWithinMs, ...options });
  }

  /** Joins concurrent writes of rows, some of which other transactions may have locked. The key of an item is its row. */
  batchRowWrites<Item, Result>({ table, ...options }: RowWriteOptions<Item, Result>): Batcher<Item, Result> {
    const onLongLocked = (id: QueueKey): void => this.prisma.pools.reportLocks({ table, id });
    return this.batchWrites({ locksRow: true, onLongLocked, ...options });
  }

  /** The same for changes. The items of the outcome `locked` are sent again. */
  batchChanges<Item extends { readonly id: bigint }, Row extends OutcomeRow, Result>({
    table,
    ...options
  }: WriteOptions<Item, Row, Result>): Batcher<Item, Result> {
    const send = this.#sendOf<Item, Row, Result>(options);
    return this.batchRowWrites({ table, name: options.statement.name, keyOf: ({ id }) => id, send });
  }

  /** Joins concurrent creations of rows with ids of the table's sequence. */
  batchCreations<Item, Row extends OutcomeRow, Result>({
    table,
    locks,
    ...options
  }: WriteOptions<Item, Row, Result> & {
    /** The row of another table that a creation locks. Needed where the statement has the outcome `locked`: its items are sent again. */
    readonly locks?: Pick<RowWriteOptions<Item, Result>, 'table' | 'keyOf'>;
  }): Batcher<Item, Result> {
    const { name } = options.statement;
    const create = this.#sendOf<Item, Row, Result>(options);
    const send: typeof create = (items, sendBefore) =>
      skippingUsedIds(this.prisma, table, sendBefore, () => create(items, sendBefore));
    return locks === undefined
      ? this.batchWrites({ name, send })
      : this.batchRowWrites({ ...locks, name, send });
  }

  #sendOf<Item, Row extends OutcomeRow, Result>({
    statement,
    valuesOf,
    outcomes,
  }: Omit<WriteOptions<Item, Row, Result>, 'table'>): BatcherOptions<Item, Result>['send'] {
    const all = new Map<string, Outcome<Row, Result | typeof LOCKED, Item>>(
      Object.entries({ locked: () => LOCKED, ...outcomes }),
    );
    return async (items, sendBefore) => {
      const rows = await this.prisma.write<Row>(statement, valuesOf(items), sendBefore);
      return resultsOf(statement, all, rows, items);
    };
  }

  #batcher<Item, Result>(
    options: Pick<BatcherOptions<Item, Result>, 'name' | 'send' | 'isRead'> &
      Partial<BatcherOptions<Item, Result>>,
  ): Batcher<Item, Result> {
    const { observers } = this;
    const { state } = this.prisma.pools;
    const observation = {
      onStatement: (report: BatchReport) => {
        if (report.failure === undefined) state.worked();
        else if (report.failure === 'not-sent' || report.failure === 'rejected') state.failed(report.error);
        for (const observer of observers) observer.statementEnded(report);
      },
      contextOf: observers.find(({ contextOf }) => contextOf)?.contextOf,
    };
    // Admission alone passes no deadline: the other half is for the request's own statements.
    const timeoutMs = this.prisma.pools.waitMs / 2;
    const batcher = new Batcher<Item, Result>({ ...BOUNDS, timeoutMs, ...observation, ...options });
    this.#batchers.push(batcher);
    for (const observer of observers) observer.batcherMade?.(batcher);
    return batcher;
  }

  /** Rejects new items in every batcher; resolves when all earlier items are settled: clients may have left their requests. */
  async close(): Promise<void> {
    await Promise.all(this.#batchers.map((batcher) => batcher.close()));
  }
}
