import { randomUUID } from 'node:crypto';
import type { TestKey } from '../../support/issue-keys.js';
import { type Exchange, type History, type Intent, isUnknown } from './history.js';
import { type Expectation, judge } from './judge.js';
import type { Market } from './market.js';
import { createAgent, send } from './send.js';

export interface LoadClientOptions {
  readonly number: number;
  readonly origins: readonly string[];
  /** A roomy key of its own; without one it wears out those of the market. */
  readonly key: TestKey | undefined;
  readonly market: Market;
  readonly history: History;
  /** Whether a connection may break without an answer now. */
  readonly mayBreak: () => boolean;
}

interface Attempt {
  readonly operation: Exchange['operation'];
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly claim?: string;
  readonly intent?: Intent;
  readonly expected: Expectation;
  /** What is learned from a success. */
  readonly learn?: (id: bigint) => Intent;
}

interface OwnOrder {
  readonly id: bigint;
  readonly petId: bigint;
  status: string;
}

const NEXT_STATUS: Readonly<Record<string, string>> = { placed: 'approved', approved: 'delivered' };
const LIMITED = ['429 rate_limit_exceeded', '429 api_key_banned'];
const RUNNING = '409 request_in_progress';

/** One client: it asks, writes, repeats under the same `Idempotency-Key` what it got no word of, and records it all. */
export class LoadClient {
  readonly #options: LoadClientOptions;
  readonly #agent = createAgent();
  readonly #pets: { readonly id: bigint; readonly name: string }[] = [];
  readonly #orders: OwnOrder[] = [];
  #replica: number;
  #pending: Attempt | undefined;
  #made = 0;

  constructor(options: LoadClientOptions) {
    this.#options = options;
    this.#replica = options.number % options.origins.length;
  }

  /** Whether it waits for word of something that it may repeat. */
  get isUnsure(): boolean {
    return this.#pending !== undefined;
  }

  /** One request, and what follows from its answer. */
  async step(): Promise<void> {
    const attempt = this.#pending ?? this.#choose(Math.random());
    const key = this.#options.key ?? this.#options.market.tightKey;
    if (key === undefined) throw new Error('no key is left');
    const exchange = await this.#exchange(attempt, key);
    this.#options.history.add(exchange);
    if (exchange.status === 429) this.#options.market.wornOut(key);
    const isRepeatable = attempt.claim !== undefined || attempt.operation === 'change';
    const isOpen = isUnknown(exchange) || exchange.code === 'request_in_progress';
    this.#pending = isOpen && isRepeatable ? attempt : undefined;
    // As behind a load balancer: who got no answer is sent elsewhere.
    if (isOpen) this.#replica = (this.#replica + 1) % this.#options.origins.length;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #exchange(attempt: Attempt, key: TestKey): Promise<Exchange> {
    const { origins, number: client, mayBreak } = this.#options;
    const { operation, method, path, body, claim, expected, learn } = attempt;
    const replica = this.#replica;
    const sentAt = performance.now();
    const reply = await send(origins[replica] ?? '', {
      ...(method !== undefined && { method }),
      path,
      body,
      headers: {
        authorization: `Bearer ${key.key}`,
        ...(claim !== undefined && { 'idempotency-key': claim }),
      },
      agent: this.#agent,
    });
    const ms = performance.now() - sentAt;
    const { json, code, wrong } = judge(reply, ms, expected, mayBreak);
    const id = reply.status === expected.status ? idOf(json) : undefined;
    return {
      client,
      operation,
      keyId: key.id,
      sentAt,
      ms,
      replica,
      status: reply.status,
      code,
      retryAfter: reply.headers['retry-after'],
      resetSeconds: Number(reply.headers['x-ratelimit-reset']),
      wrong: wrong === undefined ? undefined : `${method ?? 'GET'} ${path}: ${wrong}`,
      intent: (id !== undefined && learn?.(id)) || attempt.intent,
    };
  }

  #choose(dice: number): Attempt {
    if (this.#options.key === undefined) return dice < 0.5 ? this.#create(undefined) : this.#list();
    const pet = this.#pets.at(-1);
    const order = this.#orders.at(-1);
    if (dice < 0.2) return this.#list();
    if (dice < 0.25) return INVENTORY;
    if (dice < 0.45) return this.#create(randomUUID());
    if (dice < 0.55) return this.#create(undefined);
    if (dice < 0.65 && pet !== undefined) return getPet(pet);
    if (dice < 0.75 && order !== undefined) return getOrder(order);
    if (dice < 0.85 && order !== undefined && order.status in NEXT_STATUS) return this.#change(order);
    return this.#place(dice < 0.93 ? randomUUID() : undefined);
  }

  #list(): Attempt {
    return {
      operation: 'list',
      path: '/v1/pets?limit=5',
      expected: { status: 200, faultOf: (json) => mustBe(Array.isArray(json), json), orElse: LIMITED },
    };
  }

  #create(claim: string | undefined): Attempt {
    const name = `pet ${this.#options.number} ${(this.#made += 1)} ${randomUUID()}`;
    return {
      operation: 'create',
      method: 'POST',
      path: '/v1/pets',
      body: JSON.stringify({ name, categoryId: 7 }),
      ...(claim !== undefined && { claim }),
      intent: { write: 'pet', name, claim },
      expected: {
        status: 201,
        faultOf: (json) => mustBe(member(json, 'name') === name, json),
        orElse: claim === undefined ? LIMITED : [RUNNING],
      },
      learn: (id) => {
        this.#pets.push({ id, name });
        return { write: 'pet', name, claim, id };
      },
    };
  }

  #place(claim: string | undefined): Attempt {
    const petId = this.#options.market.nextPet() ?? 0n;
    return {
      operation: 'place',
      method: 'POST',
      path: '/v1/store/orders',
      body: `{"petId":${petId}}`,
      ...(claim !== undefined && { claim }),
      intent: { write: 'order', petId, claim },
      expected: {
        status: 201,
        faultOf: (json) => mustBe(member(json, 'petId') === Number(petId), json),
        orElse: ['409 pet_not_available', RUNNING],
      },
      learn: (id) => {
        this.#orders.push({ id, petId, status: 'placed' });
        return { write: 'order', petId, claim, id };
      },
    };
  }

  #change(order: OwnOrder): Attempt {
    const status = NEXT_STATUS[order.status] ?? '';
    return {
      operation: 'change',
      method: 'PATCH',
      path: `/v1/store/orders/${order.id}`,
      body: JSON.stringify({ status }),
      intent: { write: 'status', orderId: order.id, status },
      expected: { status: 200, faultOf: (json) => mustBe(member(json, 'status') === status, json) },
      learn: () => {
        order.status = status;
        return { write: 'status', orderId: order.id, status };
      },
    };
  }
}

const INVENTORY: Attempt = {
  operation: 'inventory',
  path: '/v1/store/inventory',
  expected: { status: 200, faultOf: (json) => mustBe(Number(member(json, 'available')) >= 0, json) },
};

/** What was acknowledged is read back, by any replica. */
const getPet = ({ id, name }: { readonly id: bigint; readonly name: string }): Attempt => ({
  operation: 'get-pet',
  path: `/v1/pets/${id}`,
  expected: { status: 200, faultOf: (json) => mustBe(member(json, 'name') === name, json) },
});

const getOrder = ({ id, status }: OwnOrder): Attempt => ({
  operation: 'get-order',
  path: `/v1/store/orders/${id}`,
  expected: { status: 200, faultOf: (json) => mustBe(member(json, 'status') === status, json) },
});

const mustBe = (isRight: boolean, json: unknown): string | undefined =>
  isRight ? undefined : `unexpected ${JSON.stringify(json)}`;

const member = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;

function idOf(json: unknown): bigint | undefined {
  const id = member(json, 'id');
  return typeof id === 'number' ? BigInt(id) : undefined;
}
