import { randomUUID } from 'node:crypto';
import type { TestKey } from '../../support/issue-keys.js';
import { type Exchange, type History, type Intent, isUnknown } from './history.js';
import { createAgent, HANGS, type Reply, send } from './send.js';

/** The pets and keys for which the clients of a load compete. */
export interface SharedTargets {
  /** The pet that several clients order now. */
  nextPet(): bigint;
  /** The key with few requests that all of them use now. */
  tightKey(): TestKey;
  /** A request with this key was rejected: all go on with the next one, while there is one. */
  markUsedUp(key: TestKey): void;
}

export interface LoadClientOptions {
  readonly number: number;
  readonly origins: readonly string[];
  /** A key of its own; without one it uses up those of the targets. */
  readonly key: TestKey | undefined;
  readonly targets: SharedTargets;
  readonly history: History;
  /** Whether a connection may break without a response now. */
  readonly mayBreak: () => boolean;
}

interface Attempt {
  readonly operation: Exchange['operation'];
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly idempotencyKey?: string | undefined;
  readonly intent?: Intent;
  readonly success: number;
  readonly isRight: (json: unknown) => boolean;
  /** Rejections that are right as well, by status and code. */
  readonly orElse?: readonly string[];
  /** Known after a success. */
  readonly learn?: (id: bigint) => Intent;
}

interface OwnOrder {
  readonly id: bigint;
  status: string;
}

/** The service responds within 2 s. The rest is for a machine with other tests; the figures report the slowest response. */
const RESPONSE_MAX_MS = 4000;

const NEXT_STATUS: Readonly<Record<string, string>> = { placed: 'approved', approved: 'delivered' };
const LIMITED = ['429 rate_limit_exceeded', '429 api_key_banned'];
const RUNNING = '409 request_in_progress';

/** One client: it reads, writes, repeats requests of unknown outcome under the same `Idempotency-Key`, and records all of it. */
export class LoadClient {
  readonly #agent = createAgent();
  readonly #pets: { readonly id: bigint; readonly name: string }[] = [];
  readonly #orders: OwnOrder[] = [];
  #replica: number;
  #pending: Attempt | undefined;
  #created = 0;

  constructor(private readonly options: LoadClientOptions) {
    this.#replica = options.number % options.origins.length;
  }

  /** Whether it has a request of unknown outcome that it may repeat. */
  get isUnsure(): boolean {
    return this.#pending !== undefined;
  }

  /** Sends one request, and decides about its repeat. */
  async step(): Promise<void> {
    const { key = this.options.targets.tightKey(), targets, history, origins } = this.options;
    const attempt = this.#pending ?? this.#choose(Math.random());
    const exchange = await this.#exchange(attempt, key);
    history.exchanges.push(exchange);
    if (exchange.status === 429) targets.markUsedUp(key);
    const isRepeatable = attempt.idempotencyKey !== undefined || attempt.operation === 'change';
    const isOpen = isUnknown(exchange) || exchange.code === 'request_in_progress';
    this.#pending = isOpen && isRepeatable ? attempt : undefined;
    // As a load balancer would.
    if (isOpen) this.#replica = (this.#replica + 1) % origins.length;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #exchange(attempt: Attempt, key: TestKey): Promise<Exchange> {
    const { origins, number: client, mayBreak } = this.options;
    const { operation, method = 'GET', path, body, idempotencyKey, learn } = attempt;
    const sentAt = performance.now();
    const reply = await send(origins[this.#replica] ?? '', {
      ...{ method, path, body, agent: this.#agent },
      headers: {
        authorization: `Bearer ${key.key}`,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
    });
    const ms = performance.now() - sentAt;
    const json = parse(reply.body);
    const code = reply.status >= 400 ? String(member(json, 'code')) : undefined;
    const wrong = errorOf(reply, ms, attempt, json, code, mayBreak());
    const id = member(json, 'id');
    const isDone = reply.status === attempt.success && typeof id === 'number';
    return {
      ...{ client, operation, keyId: key.id, sentAt, ms, status: reply.status, code },
      resetSeconds: Number(reply.headers['x-ratelimit-reset']),
      wrong: wrong === undefined ? undefined : `${method} ${path}: ${wrong}`,
      intent: (isDone && learn?.(BigInt(id))) || attempt.intent,
    };
  }

  #choose(random: number): Attempt {
    if (this.options.key === undefined) return random < 0.5 ? this.#create(undefined) : LIST;
    const pet = this.#pets.at(-1);
    const order = this.#orders.at(-1);
    if (random < 0.2) return LIST;
    if (random < 0.25) return INVENTORY;
    if (random < 0.45) return this.#create(randomUUID());
    if (random < 0.55) return this.#create(undefined);
    if (random < 0.65 && pet !== undefined) return readBack('get-pet', `pets/${pet.id}`, 'name', pet.name);
    if (random < 0.75 && order !== undefined) {
      return readBack('get-order', `store/orders/${order.id}`, 'status', order.status);
    }
    if (random < 0.85 && order !== undefined && order.status in NEXT_STATUS) return this.#change(order);
    return this.#place(random < 0.93 ? randomUUID() : undefined);
  }

  #create(idempotencyKey: string | undefined): Attempt {
    const name = `pet ${this.options.number} ${(this.#created += 1)} ${randomUUID()}`;
    return {
      ...{ operation: 'create', method: 'POST', path: '/v1/pets', idempotencyKey },
      body: JSON.stringify({ name, categoryId: 7 }),
      intent: { write: 'pet', name },
      success: 201,
      isRight: (json) => member(json, 'name') === name,
      orElse: idempotencyKey === undefined ? LIMITED : [RUNNING],
      learn: (id) => {
        this.#pets.push({ id, name });
        return { write: 'pet', name, id };
      },
    };
  }

  #place(idempotencyKey: string | undefined): Attempt {
    const petId = this.options.targets.nextPet();
    return {
      ...{ operation: 'place', method: 'POST', path: '/v1/store/orders', idempotencyKey },
      body: `{"petId":${petId}}`,
      intent: { write: 'order', petId },
      success: 201,
      isRight: (json) => member(json, 'petId') === Number(petId),
      orElse: ['409 pet_not_available', RUNNING],
      learn: (id) => {
        this.#orders.push({ id, status: 'placed' });
        return { write: 'order', petId, id };
      },
    };
  }

  #change(order: OwnOrder): Attempt {
    const status = NEXT_STATUS[order.status] ?? '';
    const intent = { write: 'status', orderId: order.id, status } as const;
    return {
      ...{ operation: 'change', method: 'PATCH', path: `/v1/store/orders/${order.id}`, intent },
      body: JSON.stringify({ status }),
      success: 200,
      isRight: (json) => member(json, 'status') === status,
      learn: () => {
        order.status = status;
        return intent;
      },
    };
  }
}

const LIST: Attempt = {
  ...{ operation: 'list', path: '/v1/pets?limit=5', success: 200, orElse: LIMITED },
  isRight: Array.isArray,
};

const INVENTORY: Attempt = {
  ...{ operation: 'inventory', path: '/v1/store/inventory', success: 200 },
  isRight: (json) => Number(member(json, 'available')) >= 0,
};

/** Reads an acknowledged record back, from any replica. */
const readBack = (operation: Exchange['operation'], path: string, name: string, value: string): Attempt => ({
  ...{ operation, path: `/v1/${path}`, success: 200 },
  isRight: (json) => member(json, name) === value,
});

/** Why a response is wrong: it is neither the right one, nor a 503 with `Retry-After` in time. */
function errorOf(
  { status, headers, body }: Reply,
  ms: number,
  { success, isRight, orElse = [] }: Attempt,
  json: unknown,
  code: string | undefined,
  mayBreak: boolean,
): string | undefined {
  if (status === 0) return mayBreak && body !== HANGS ? undefined : `no response: ${body}`;
  if (ms > RESPONSE_MAX_MS) return `${status} after ${Math.round(ms)} ms`;
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    if (!/^\d+$/.test(String(headers[name]))) return `${status} with ${name}: ${String(headers[name])}`;
  }
  if (status === 503 || status === 429) {
    if (code !== 'service_unavailable' && !orElse.includes(`${status} ${code}`)) return `${status} ${code}`;
    return Number(headers['retry-after']) >= 1 ? undefined : `${status} without Retry-After`;
  }
  if (status === success) return isRight(json) ? undefined : `unexpected ${body}`;
  return orElse.includes(`${status} ${code}`) ? undefined : `${status} ${body}`;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const member = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
