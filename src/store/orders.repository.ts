import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Group } from '../database/group.js';
import { groupWrites } from '../database/groups.js';
import { IN_TURN_MS, within } from '../database/within.js';
import { groupPages, type Page, type PageQuestion } from '../database/pages.js';
import { groupRowsById } from '../database/rows-by-id.js';
import { type Claim, type ClaimOutcome, claimOutcome, type ClaimRow } from '../idempotency/claim.js';
import type { Order, OrderChange, OrderStatus } from './order.js';
import { CHANGE_ORDERS, ORDERS, PLACE_ORDERS, PLACE_ORDERS_ONCE } from './orders.sql.js';

/** Why an animal was not ordered. */
export type PlacingRefusal = 'unknown_pet' | 'pet_not_available';

type OrderColumns = readonly [
  id: bigint,
  petId: bigint,
  status: OrderStatus,
  placedAt: Date,
  updatedAt: Date,
];

type PlacingRow = readonly [refusal: PlacingRefusal | null, ...order: OrderColumns];

interface ClaimedPlacing {
  readonly petId: bigint;
  readonly claim: Claim;
}

type ClaimedPlacingRow = readonly [...ClaimRow, refusal: PlacingRefusal | null];

/** In a group another change of the same order came first. */
const AGAIN = Symbol('again');

/** The orders in the database. What is asked at the same time goes in one statement. */
@Injectable()
export class OrdersRepository {
  readonly #pages: Group<PageQuestion<OrderStatus>, Page>;
  readonly #byId: Group<bigint, string | undefined>;
  readonly #placings = groupWrites<bigint, Order | PlacingRefusal>({
    name: 'place_orders',
    send: (petIds) => this.#place(petIds),
  });
  readonly #placingsOnce = groupWrites<ClaimedPlacing, ClaimOutcome>({
    name: 'place_orders_once',
    send: (claimed) => this.#placeOnce(claimed),
  });
  readonly #changes = groupWrites<OrderChange, Order | undefined | typeof AGAIN>({
    name: 'change_orders',
    // Asked for twice at once, a change is made by the first and found by the second: both get the same answer.
    shareKey: ({ id, status }) => `${id} ${status}`,
    send: (changes) => this.#change(changes),
  });

  constructor(private readonly database: Database) {
    this.#pages = groupPages(database, ORDERS);
    this.#byId = groupRowsById(database, ORDERS);
  }

  list(page: PageQuestion<OrderStatus>): Promise<Page> {
    return this.#pages.ask(page);
  }

  /** The order as JSON; undefined when there is none. */
  find(id: bigint): Promise<string | undefined> {
    return this.#byId.ask(id);
  }

  /** Orders an animal for the first who asks; resolves when that is durable. */
  place(petId: bigint): Promise<Order | PlacingRefusal> {
    return this.#placings.ask(petId);
  }

  /** The same under a claim: the order and the answer that later repeats get are durable together. */
  placeOnce(petId: bigint, claim: Claim): Promise<ClaimOutcome> {
    return this.#placingsOnce.ask({ petId, claim });
  }

  /**
   * Changes an order's status where its life allows it, and answers with the order as it is then: whoever finds another
   * status than the wanted one was refused. Undefined: there is no such order. Rejects with an `UnavailableError` when others
   * change the same order for longer than a request waits.
   */
  change(change: OrderChange): Promise<Order | undefined> {
    return within(IN_TURN_MS, this.#changeInTurn(change));
  }

  async #changeInTurn(change: OrderChange): Promise<Order | undefined> {
    for (;;) {
      const changed = await this.#changes.ask(change);
      if (changed !== AGAIN) return changed;
    }
  }

  async #place(petIds: readonly bigint[]): Promise<readonly (Order | PlacingRefusal)[]> {
    const rows = await this.database.rows<PlacingRow>(PLACE_ORDERS, [petIds]);
    return rows.map(([refusal, ...order]) => refusal ?? toOrder(order));
  }

  async #placeOnce(claimed: readonly ClaimedPlacing[]): Promise<readonly ClaimOutcome[]> {
    const rows = await this.database.rows<ClaimedPlacingRow>(PLACE_ORDERS_ONCE, [
      claimed.map(({ petId }) => petId),
      claimed.map(({ claim }) => claim.apiKeyId),
      claimed.map(({ claim }) => claim.key),
      claimed.map(({ claim }) => claim.fingerprint),
    ]);
    return rows.map(([isMine, id, answer, refusal]) =>
      refusal === null ? claimOutcome([isMine, id, answer]) : { state: 'refused', code: refusal },
    );
  }

  async #change(changes: readonly OrderChange[]): Promise<readonly (Order | undefined | typeof AGAIN)[]> {
    const firsts = new Map(changes.toReversed().map((change) => [change.id, change]));
    const decided = [...firsts.values()];
    const rows = await this.database.rows<OrderColumns>(CHANGE_ORDERS, [
      decided.map(({ id }) => id),
      decided.map(({ status }) => status),
    ]);
    const orders = new Map(rows.map((order) => [order[0], toOrder(order)]));
    return changes.map((change) => (firsts.get(change.id) === change ? orders.get(change.id) : AGAIN));
  }
}

const toOrder = ([id, petId, status, placedAt, updatedAt]: OrderColumns): Order => ({
  id,
  petId,
  status,
  placedAt,
  updatedAt,
});
