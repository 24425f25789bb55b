import { Injectable } from '@nestjs/common';
import type { Batcher } from '../batching/batcher.js';
import { Batching } from '../batching/batching.js';
import {
  batchPages,
  batchRecords,
  type Page,
  PAGE_PARAMETERS,
  type PageRequest,
} from '../batching/list-pages.js';
import { ApiError } from '../errors/api-error.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { preconditionArrays, type Preconditions } from '../http/etag.js';
import type { IdempotencyKey } from '../http/idempotency/idempotency-key.js';
import {
  CREATIONS,
  type CreateRow,
  type CreationOutcome,
  keyArrays,
} from '../http/idempotency/idempotency.service.js';
import { PrismaService } from '../database/prisma.service.js';
import { plainArray } from '../database/statement.js';
import type { OrderStatus } from './orders.dto.js';
import { CHANGE_ORDERS, FIND_ORDERS, LIST_ORDERS, LIST_ORDERS_OF_PET, PLACE_ORDERS } from './orders.sql.js';

interface OrdersQuery extends PageRequest {
  readonly petId?: bigint | undefined;
}

interface PlaceItem {
  readonly petId: bigint;
  readonly key: IdempotencyKey | undefined;
}

type PlaceRow = CreateRow<'unknown_pet' | 'pet_not_available'>;

interface ChangeItem extends Preconditions {
  readonly id: bigint;
  readonly status: OrderStatus;
}

interface ChangeRow {
  readonly outcome:
    'changed' | 'unchanged' | 'order_not_found' | 'precondition_failed' | 'order_transition_not_allowed';
  /** What the order is if it does not change. */
  readonly status: OrderStatus;
  readonly json: string;
}

const UNKNOWN_PET = { faults: [{ pointer: '#/petId', detail: ERROR_CODES.unknown_pet.message }] };

/** The orders in the database. Concurrent queries share a statement. */
@Injectable()
export class OrdersRepository {
  readonly #pages: Batcher<OrdersQuery, Page>;
  readonly #pagesOfPets: Batcher<OrdersQuery, Page>;
  readonly #records: Batcher<bigint, string>;
  readonly #placings: Batcher<PlaceItem, CreationOutcome>;
  readonly #changes: Batcher<ChangeItem, string>;

  constructor(batching: Batching, prisma: PrismaService) {
    this.#pages = batchPages(batching, prisma, LIST_ORDERS, PAGE_PARAMETERS);
    this.#pagesOfPets = batchPages<OrdersQuery>(batching, prisma, LIST_ORDERS_OF_PET, [
      ...PAGE_PARAMETERS,
      ({ petId }) => petId,
    ]);
    this.#records = batchRecords(batching, prisma, FIND_ORDERS, 'order_not_found');
    this.#placings = batching.batchCreations<PlaceItem, PlaceRow, CreationOutcome>({
      table: 'orders',
      statement: PLACE_ORDERS,
      valuesOf: (items) => [plainArray(items.map(({ petId }) => petId)), ...keyArrays(items)],
      outcomes: {
        ...CREATIONS,
        unknown_pet: () => new ApiError('unknown_pet', undefined, UNKNOWN_PET),
      },
      locks: { table: 'pets', keyOf: ({ petId }) => petId },
    });
    this.#changes = batching.batchChanges<ChangeItem, ChangeRow, string>({
      table: 'orders',
      statement: CHANGE_ORDERS,
      valuesOf: (items) => [
        plainArray(items.map(({ id }) => id)),
        plainArray(items.map(({ status }) => status)),
        ...preconditionArrays(items),
      ],
      outcomes: {
        changed: ({ json }) => json,
        unchanged: ({ json }) => json,
        order_transition_not_allowed: ({ status }, item) =>
          new ApiError(
            'order_transition_not_allowed',
            `The order is ${status} and cannot become ${item.status}.`,
          ),
      },
    });
  }

  list(page: OrdersQuery, deadline: number): Promise<Page> {
    return (page.petId === undefined ? this.#pages : this.#pagesOfPets).load(page, deadline);
  }

  /**
   * The order as JSON.
   *
   * @throws ApiError order_not_found
   */
  find(id: bigint, deadline: number): Promise<string> {
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
   * Changes the status of an order that meets the conditions, and resolves to its JSON as it is then.
   *
   * @throws ApiError order_not_found | precondition_failed | order_transition_not_allowed
   */
  change(id: bigint, status: OrderStatus, conditions: Preconditions, deadline: number): Promise<string> {
    return this.#changes.load({ id, status, ...conditions }, deadline);
  }
}
