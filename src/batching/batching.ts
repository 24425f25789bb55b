import { Inject, Injectable } from '@nestjs/common';
import { PrismaService } from '../database/prisma.service.js';
import type { LockedRow } from '../database/lock-report.js';
import type { QueueKey } from './fair-queue.js';
import { Batcher, type BatcherOptions, type BatchReport } from './batcher.js';

/** A batcher as metrics and the shutdown see it. */
export type AnyBatcher = Pick<Batcher<unknown, unknown>, 'name' | 'waiting' | 'close'>;

/** Observes all batchers, for metrics and traces. No call may throw. */
export interface BatchObserver {
  /** The context of the current item, such as a span; absent without traces. */
  readonly contextOf?: () => unknown;
  /** A batcher was created. */
  batcherCreated?(batcher: AnyBatcher): void;
  statementEnded(report: BatchReport): void;
}

/** Injects the observers of batches, which `ObserversModule` lists. */
export const BATCH_OBSERVERS = Symbol('BATCH_OBSERVERS');

/**
 * Items per statement. 64 clients then keep one statement running while this process prepares another: 4 to 14 % more
 * requests a second than with 64 items. Admission's fixed cost is then a quarter of the total.
 */
export const SIZE_MAX = 32;

/** Queued items before the service rejects more: about a second of work; a longer wait would be futile. */
const WAITING_MAX = 5000;

/** Two statements in flight fill both halves of a round trip. */
const BOUNDS = { sizeMax: SIZE_MAX, concurrencyMax: 2, waitingMax: WAITING_MAX };

type RowWriteOptions<Item, Result> = Required<
  Pick<BatcherOptions<Item, Result>, 'name' | 'send' | 'keyOf'>
> & {
  /** The table whose ids are the keys; absent if not ids. */
  readonly table?: LockedRow['table'];
};

/** Creates the batchers of repositories. Each batches queries of one kind. */
@Injectable()
export class Batching {
  readonly #batchers: AnyBatcher[] = [];

  constructor(
    private readonly prisma: PrismaService,
    @Inject(BATCH_OBSERVERS) private readonly observers: readonly BatchObserver[] = [],
  ) {}

  /** Batches concurrent reads of one kind. */
  batchReads<Item, Result>(
    options: Pick<BatcherOptions<Item, Result>, 'name' | 'send'>,
  ): Batcher<Item, Result> {
    return this.#batcher({ isRead: true, permits: this.prisma.pools.reads, ...options });
  }

  /** Batches concurrent writes of one kind. */
  batchWrites<Item, Result>(
    options: Pick<BatcherOptions<Item, Result>, 'name' | 'send'> & Partial<BatcherOptions<Item, Result>>,
  ): Batcher<Item, Result> {
    const { endsWithinMs, writes } = this.prisma.pools;
    return this.#batcher({ isRead: false, permits: writes, neededMs: () => endsWithinMs, ...options });
  }

  /** Batches concurrent writes of rows that other transactions may have locked. The key of an item is its row, or a value it must own, such as a name. */
  batchRowWrites<Item, Result>({ table, ...options }: RowWriteOptions<Item, Result>): Batcher<Item, Result> {
    const onLongLocked = table && ((id: QueueKey): void => this.prisma.pools.reportLocks({ table, id }));
    return this.batchWrites({ locksRow: true, ...(onLongLocked && { onLongLocked }), ...options });
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
    // Only admission passes no deadline: the other half is for the request's own statements.
    const timeoutMs = this.prisma.pools.waitMs / 2;
    const batcher = new Batcher<Item, Result>({ ...BOUNDS, timeoutMs, ...observation, ...options });
    this.#batchers.push(batcher);
    for (const observer of observers) observer.batcherCreated?.(batcher);
    return batcher;
  }

  /** Rejects new items in every batcher; resolves when all earlier items are settled: clients may have disconnected. */
  async close(): Promise<void> {
    await Promise.all(this.#batchers.map((batcher) => batcher.close()));
  }
}
