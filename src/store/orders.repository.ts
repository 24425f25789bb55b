import { Injectable } from '@nestjs/common';
import { type Batcher, LOCKED } from '../batching/batcher.js';
import { Batching, type RowValues } from '../batching/batching.js';
import { batchPages, batchRecords, type Page, PAGE_PARAMETERS, type PageQuery } from '../batching/pages.js';
import { ApiError } from '../common/errors/api-error.js';
import type { IdempotencyKey } from '../idempotency/idempotency-key.js';
import type { CreationOutcome } from '../idempotency/idempotency.service.js';
import { PrismaService } from '../prisma/prisma.service.js';
import { skippingUsedIds } from '../prisma/used-ids.js';
import { bytesArray, plainArray } from '../prisma/statement.js';
import type { OrderStatus } from './order.js';
import { CHANGE_ORDER, FIND_ORDERS, LIST_ORDERS, PLACE_ORDERS } from './orders.sql.js';

interface PlaceItem {
  readonly petId: bigint;
  readonly key: IdempotencyKey | undefined;
}

interface PlaceRow {
  readonly isMine: boolean;
  readonly rejection: 'unknown_pet' | 'pet_not_available' | 'locked' | null;
  readonly id: bigint;
  readonly json: string | null;
}

interface ChangeRow {
  /** Another one than the requested one if the order cannot change to that. */
  readonly status: OrderStatus;
  readonly json: string;
  readonly hasOtherTag: boolean;
  readonly isLocked: boolean;
}

/** The orders in the database. Concurrent queries share a statement, except changes. */
@Injectable()
export class OrdersRepository {
  readonly #pages: Batcher<PageQuery, Page>;
  readonly #records: Batcher<bigint, string | undefined>;
  readonly #placings: Batcher<PlaceItem, CreationOutcome>;
  readonly #changes: Batcher<RowValues, ChangeRow | undefined>;

  constructor(
    batching: Batching,
    private readonly prisma: PrismaService,
  ) {
    this.#pages = batchPages(batching, prisma, LIST_ORDERS, PAGE_PARAMETERS);
    this.#records = batchRecords(batching, prisma, FIND_ORDERS);
    this.#placings = batching.batchWrites<PlaceItem, CreationOutcome>({
      name: 'place_orders',
      keyOf: ({ petId }) => petId,
      locksRow: true,
      onLongLocked: () => prisma.connections.reportLocks(),
      send: (items, sendBefore) => this.#place(items, sendBefore),
    });
    this.#changes = batching.writeOne(CHANGE_ORDER, ({ isLocked }) => isLocked);
  }

  list(page: PageQuery, deadline: number): Promise<Page> {
    return this.#pages.load(page, deadline);
  }

  /** The order as JSON; undefined when there is none. */
  find(id: bigint, deadline: number): Promise<string | undefined> {
    return this.#records.load(id, deadline);
  }

  /**
   * Orders a pet for the first request for it. Resolves when the order, and with a key the response, is durable.
   *
   * @throws ApiError unknown_pet | pet_not_available
   */
  place(petId: bigint, key: IdempotencyKey | undefined, deadline: number): Promise<CreationOutcome> {
    return this.#placings.load({ petId, key }, deadline);
  }

  /**
   * Changes the status of an order that has one of the tags, and resolves to its JSON as it is then.
   *
   * @throws ApiError order_not_found | precondition_failed | order_transition_not_allowed
   */
  async change(
    id: bigint,
    status: OrderStatus,
    ifMatch: readonly string[] | undefined,
    deadline: number,
  ): Promise<string> {
    const row = await this.#changes.load([id, status, ifMatch ?? null], deadline);
    if (row === undefined) throw new ApiError('order_not_found');
    if (row.hasOtherTag) throw new ApiError('precondition_failed');
    if (row.status === status) return row.json;
    const message = `The order is ${row.status} and cannot become ${status}.`;
    throw new ApiError('order_transition_not_allowed', message);
  }

  async #place(
    items: readonly PlaceItem[],
    sendBefore: number,
  ): Promise<readonly (CreationOutcome | ApiError | typeof LOCKED)[]> {
    const values = [
      plainArray(items.map(({ petId }) => petId)),
      plainArray(items.map(({ key }) => key?.apiKeyId)),
      items.map(({ key }) => key?.key ?? null),
      bytesArray(items.map(({ key }) => key?.fingerprint)),
    ];
    const rows = await skippingUsedIds(this.prisma, 'orders', sendBefore, () =>
      this.prisma.write<PlaceRow>(PLACE_ORDERS, values, sendBefore),
    );
    return rows.map(({ isMine, rejection, id, json }) => {
      if (!isMine) return 'busy';
      if (rejection === 'locked') return LOCKED;
      if (rejection !== null) return new ApiError(rejection);
      return json === null ? 'used' : { id, json };
    });
  }
}
