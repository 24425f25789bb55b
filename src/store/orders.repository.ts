import { Injectable } from '@nestjs/common';
import type { Batcher } from '../batching/batcher.js';
import { Batching } from '../batching/batching.js';
import { LOCKED, type Patience } from '../batching/locked-row-line.js';
import type { LockedRowRetries } from '../batching/locked-row-retries.js';
import { batchPages, batchRowsById, type Page, type PageQuestion } from '../batching/pages.js';
import { type Claim, type ClaimOutcome, claimOutcome, type ClaimRow } from '../idempotency/claim.js';
import { PrismaService, type ReadRows } from '../prisma/prisma.service.js';
import { plainArray } from '../prisma/statement.js';
import { etagOf, isMatch } from '../common/etag.js';
import type { ChangedOrder, OrderChange, OrderStatus } from './order.js';
import type { Order } from './orders.dto.js';
import {
  CHANGE_LOCKED_ORDERS,
  CHANGE_ORDERS,
  FIND_ORDERS,
  LIST_ORDERS,
  PLACE_LOCKED_ORDERS,
  PLACE_LOCKED_ORDERS_ONCE,
  PLACE_ORDERS,
  PLACE_ORDERS_ONCE,
} from './orders.sql.js';

/** Why a pet was not ordered. */
type PlacingRefusal = 'unknown_pet' | 'pet_not_available';

interface PlacingRow extends Order {
  readonly refusal: PlacingRefusal | typeof LOCKED | null;
}

interface ClaimedPlacing {
  readonly petId: bigint;
  readonly claim: Claim;
}

interface ClaimedPlacingRow extends ClaimRow {
  readonly refusal: PlacingRefusal | typeof LOCKED | null;
}

/** Why an order was not changed, unless its status forbids it. */
type ChangeRejection = 'precondition_failed';

interface ChangeRow extends ChangedOrder {
  readonly rejection: ChangeRejection | typeof LOCKED | null;
  readonly id: bigint;
}

/** In a batch another change of the same order came first. */
const AGAIN = Symbol('again');

/** The orders in the database. Concurrent queries share a statement. */
@Injectable()
export class OrdersRepository {
  readonly #pages: Batcher<PageQuestion<OrderStatus>, Page>;
  readonly #byId: Batcher<bigint, string | undefined>;
  readonly #placings: LockedRowRetries<bigint, Order | PlacingRefusal>;
  readonly #placingsOnce: LockedRowRetries<ClaimedPlacing, ClaimOutcome>;
  readonly #changes: LockedRowRetries<OrderChange, ChangedOrder | ChangeRejection | undefined | typeof AGAIN>;

  constructor(batching: Batching, prisma: PrismaService) {
    this.#pages = batchPages(batching, prisma, LIST_ORDERS);
    this.#byId = batchRowsById(batching, prisma, FIND_ORDERS);
    this.#placings = batching.lockingWrites({
      name: 'place_orders',
      rowOf: (petId) => petId,
      send: placeOrders,
    });
    this.#placingsOnce = batching.lockingWrites({
      name: 'place_orders_once',
      rowOf: ({ petId }) => petId,
      send: placeOrdersOnce,
    });
    this.#changes = batching.lockingWrites({
      name: 'change_orders',
      rowOf: ({ id }) => id,
      // Requested twice at once, a change is made by the first and found by the second: both get the same response. With
      // If-Match only the first finds the tag that it demands.
      shareKey: ({ id, status, ifMatch }) => (ifMatch === undefined ? `${id} ${status}` : undefined),
      send: changeOrders,
    });
  }

  list(page: PageQuestion<OrderStatus>, deadline: number): Promise<Page> {
    return this.#pages.load(page, deadline);
  }

  /** The order as JSON; undefined when there is none. */
  find(id: bigint, deadline: number): Promise<string | undefined> {
    return this.#byId.load(id, deadline);
  }

  /** Orders a pet for the first who requests it; resolves when that is durable. */
  place(petId: bigint, deadline: number): Promise<Order | PlacingRefusal> {
    return this.#placings.run(petId, deadline);
  }

  /** The same under a claim: the order and the answer that later repeats get are durable together. */
  placeOnce(petId: bigint, claim: Claim, deadline: number): Promise<ClaimOutcome> {
    return this.#placingsOnce.run({ petId, claim }, deadline);
  }

  /**
   * Changes an order's status where the state machine allows it, and resolves to the order as it is then: a different status
   * means that the transition was rejected. Undefined: there is no such order. Rejects with an `UnavailableError` when others
   * change the same order for longer than a request waits.
   */
  async change(change: OrderChange, deadline: number): Promise<ChangedOrder | ChangeRejection | undefined> {
    const enqueuedAt = performance.now();
    for (;;) {
      const changed = await this.#changes.run(change, deadline, enqueuedAt);
      if (changed !== AGAIN) return changed;
    }
  }
}

async function placeOrders(
  read: ReadRows,
  petIds: readonly bigint[],
  patience?: Patience,
): Promise<readonly (Order | PlacingRefusal | typeof LOCKED)[]> {
  const statement = patience === undefined ? PLACE_ORDERS : PLACE_LOCKED_ORDERS;
  const placed = await read<PlacingRow>(statement, [plainArray(petIds), ...bounds(patience)]);
  return placed.map(({ refusal, ...order }) => refusal ?? order);
}

async function placeOrdersOnce(
  read: ReadRows,
  claimed: readonly ClaimedPlacing[],
  patience?: Patience,
): Promise<readonly (ClaimOutcome | typeof LOCKED)[]> {
  const statement = patience === undefined ? PLACE_ORDERS_ONCE : PLACE_LOCKED_ORDERS_ONCE;
  const placed = await read<ClaimedPlacingRow>(statement, [
    plainArray(claimed.map(({ petId }) => petId)),
    plainArray(claimed.map(({ claim }) => claim.apiKeyId)),
    claimed.map(({ claim }) => claim.key),
    claimed.map(({ claim }) => claim.fingerprint),
    ...bounds(patience),
  ]);
  return placed.map(({ refusal, ...row }) => {
    if (refusal === LOCKED) return LOCKED;
    return refusal === null ? claimOutcome(row) : { state: 'refused', code: refusal };
  });
}

async function changeOrders(
  read: ReadRows,
  changes: readonly OrderChange[],
  patience?: Patience,
): Promise<readonly (ChangedOrder | ChangeRejection | undefined | typeof AGAIN | typeof LOCKED)[]> {
  const statement = patience === undefined ? CHANGE_ORDERS : CHANGE_LOCKED_ORDERS;
  const firsts = new Map(changes.toReversed().map((one) => [one.id, one]));
  const decided = [...firsts.values()];
  const present = await read<ChangeRow>(statement, [
    plainArray(decided.map(({ id }) => id)),
    plainArray(decided.map(({ status }) => status)),
    decided.map(({ ifMatch }) => ifMatch?.join(' ') ?? null),
    // Items of a retry are changes of one order, of which the first is decided.
    ...bounds(patience && { ...patience, itemMs: patience.itemMs.slice(0, 1) }),
  ]);
  const found = new Map(
    present.map(({ rejection, id, status, json }) => [id, { rejection, order: { status, json } }]),
  );
  return changes.map((one) => {
    const { rejection, order } = found.get(one.id) ?? {};
    if (firsts.get(one.id) === one) return rejection ?? order;
    if (one.ifMatch === undefined || order === undefined || rejection === LOCKED) return AGAIN;
    // The lock lasts until the commit, so for all of the batch the order is as the first change has left it.
    return isMatch(one.ifMatch, etagOf(order.json)) ? AGAIN : 'precondition_failed';
  });
}

/** The parameters that only a statement has that waits for locks. */
const bounds = (patience: Patience | undefined): readonly unknown[] =>
  patience === undefined ? [] : [patience.itemMs, patience.lockTimeoutMs];
