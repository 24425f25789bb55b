import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CHANGE_LOCKED_ORDERS,
  CHANGE_ORDERS,
  PLACE_LOCKED_ORDERS,
  PLACE_LOCKED_ORDERS_ONCE,
  PLACE_ORDERS,
  PLACE_ORDERS_ONCE,
} from '../../../src/store/orders.sql.js';
import { eventually } from '../../support/eventually.js';
import { holdOpen, type OperatorAtWork } from '../../support/operators.js';
import { startService, type TestService } from '../../support/service.js';
import { addPet, addPets, changeOrder, orderInStatus, placeOrder } from '../../support/store.js';

let service: TestService;
let key: string;
let operator: OperatorAtWork<void> | undefined;

beforeAll(async () => {
  service = await startService({ provokes503: true });
  ({ key } = await service.issueKey());
  await service.fetch('/v1/pets', { key });
});
afterEach(() => release());
afterAll(() => service.close());

async function hold(statement: string, ids: readonly (bigint | number)[]): Promise<void> {
  operator = await holdOpen(service.databaseUrl, statement, [ids]);
}

const holdPets = (...ids: readonly bigint[]): Promise<void> =>
  hold(`update pets set name = 'Held' where id = any($1)`, ids);

/** Ends the operator's transaction. */
async function release(): Promise<void> {
  await operator?.stop();
  operator = undefined;
}

interface OrderedPet {
  readonly id: bigint;
  readonly petId: bigint;
}

/** Orders that are placed, each of a pet of its own. */
async function addOrders(orders: number): Promise<readonly OrderedPet[]> {
  const petIds = await addPets(service, orders);
  const { rows } = await service.prisma.connections.reads.query<OrderedPet>(
    'insert into orders (pet_id) select unnest($1::bigint[]) returning id, pet_id as "petId"',
    [petIds],
  );
  return rows;
}

async function addOrder(): Promise<OrderedPet> {
  const [order] = await addOrders(1);
  if (order === undefined) throw new Error('no order was added');
  return order;
}

const placeOnce = (petId: bigint, claim = randomUUID()): Promise<Response> =>
  service.fetch('/v1/store/orders', {
    method: 'POST',
    key,
    body: `{"petId":${petId}}`,
    headers: { 'content-type': 'application/json', 'idempotency-key': claim },
  });

const place = (petId: bigint): Promise<Response> => placeOrder(service, key, petId);

const statuses = (responses: readonly Response[]): readonly number[] => responses.map(({ status }) => status);

async function count(from: string, values: readonly unknown[]): Promise<number> {
  const text = `select count(*)::int as count from ${from}`;
  const { rows } = await service.pool.query<{ count: number }>(text, [...values]);
  return rows[0]?.count ?? Number.NaN;
}

/** Resolves when some statement of the service waits for a row. */
const somethingWaits = (): Promise<void> =>
  eventually(async () => {
    const waiting = `pg_stat_activity where datname = current_database() and application_name = 'petstore'
      and wait_event_type = 'Lock'`;
    expect(await count(waiting, [])).toBeGreaterThan(0);
  });

/** The responses of a scenario, in which no client may have waited for as long as it can: a busy machine gets another try. */
async function inTime(scenario: () => Promise<readonly Response[]>): Promise<readonly Response[]> {
  for (let triesLeft = 9; ; triesLeft -= 1) {
    const responses = await scenario();
    if (triesLeft === 0 || !statuses(responses).includes(503)) return responses;
  }
}

/** Few at a time, so that a busy machine keeps up. */
async function inTurn<Item>(
  items: readonly Item[],
  send: (item: Item) => Promise<Response>,
): Promise<readonly Response[]> {
  const responses: Response[] = [];
  for (let from = 0; from < items.length; from += 19) {
    responses.push(...(await Promise.all(items.slice(from, from + 19).map(send))));
  }
  return responses;
}

const codeOf = async (response: Response | undefined): Promise<unknown> =>
  ((await response?.json()) as { readonly code?: unknown } | undefined)?.code;

/** 503, and after how many seconds the client may repeat its request. */
function expectLocked(response: Response): void {
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

const PLACINGS = [
  ['without an Idempotency-Key', place],
  ['with an Idempotency-Key', (petId: bigint) => placeOnce(petId)],
] as const;

describe('orders of a pet whose row another session has locked', () => {
  it.each([
    [1, 15, 152],
    [200, 1, 40],
  ])('are 503 alone: %i locked rows, %i orders for each, and %i others', async (rows, each, others) => {
    for (const [, send] of PLACINGS) {
      let held: readonly bigint[] = [];
      const beside = await inTime(async () => {
        held = await addPets(service, rows);
        await holdPets(...held);
        const waiting = Promise.all(
          Array.from({ length: rows * each }, (_, i) => send(held[i % rows] ?? 0n)),
        );
        await somethingWaits();
        const responses = await inTurn(await addPets(service, others), send);
        for (const response of await waiting) expectLocked(response);
        await release();
        return responses;
      });
      expect(statuses(beside)).toEqual(Array.from({ length: others }, () => 201));
      expect(await count('orders where pet_id = any($1)', [held])).toBe(0);
      const [first = 0n] = held;
      expect(statuses(await inTime(async () => [await send(first)]))).toEqual([201]);
    }
  });

  it('store no idempotency record, so that a repeat is decided anew', async () => {
    const [first = 0n, second = 0n] = await addPets(service, 2);
    await holdPets(first);
    const claim = randomUUID();
    expectLocked(await placeOnce(first, claim));
    expect(await count('idempotency_keys where key = $1', [claim])).toBe(0);
    await release();
    // Nothing of the first request is left: the same key may stand for another one.
    expect(statuses(await inTime(async () => [await placeOnce(second, claim)]))).toEqual([201]);
  });

  it.each([
    ['an update', `update pets set status = 'sold' where id = any($1)`, 'pet_not_available'],
    ['a deletion', 'delete from pets where id = any($1)', 'unknown_pet'],
  ])('are decided by %s of the other session once that commits', async (_what, statement, code) => {
    for (const [, send] of PLACINGS) {
      const [response] = await inTime(async () => {
        const held = await addPet(service);
        await hold(statement, [held]);
        const waiting = send(held);
        await somethingWaits();
        await release();
        return [await waiting];
      });
      expect(await codeOf(response)).toBe(code);
    }
  });

  it.each(PLACINGS)(
    'are served in the order of their arrival once the row is free, %s',
    async (_how, send) => {
      const responses = await inTime(async () => {
        const held = await addPet(service);
        await holdPets(held);
        const first = send(held);
        await somethingWaits();
        const others = [send(held), send(held), send(held)];
        await release();
        return [await first, ...(await Promise.all(others))];
      });
      expect(statuses(responses)).toEqual([201, 409, 409, 409]);
    },
  );

  it('are 409 at once where the pet is not available, whoever holds its row', async () => {
    const held = await addPet(service, 'sold');
    await holdPets(held);
    for (const send of [place, placeOnce]) {
      expect(await codeOf(await send(held))).toBe('pet_not_available');
    }
  });
});

describe('changes of an order', () => {
  it.each([
    ['the order', 'select from orders where id = any($1) for update', 'id'],
    ['its pet', 'select from pets where id = any($1) for no key update', 'petId'],
  ] as const)('are 503 alone while another session has locked %s', async (_row, statement, member) => {
    const held = await addOrder();
    const beside = await inTime(async () => {
      const free = await addOrders(38);
      await hold(statement, [held[member]]);
      const waiting = Promise.all(
        Array.from({ length: 5 }, () => changeOrder(service, key, held.id, 'approved')),
      );
      await somethingWaits();
      const responses = await inTurn(free, ({ id }) => changeOrder(service, key, id, 'approved'));
      for (const response of await waiting) expectLocked(response);
      await release();
      return responses;
    });
    expect(statuses(beside)).toEqual(Array.from({ length: 38 }, () => 200));

    const [again] = await inTime(async () => {
      await hold(statement, [held[member]]);
      const change = changeOrder(service, key, held.id, 'approved');
      await somethingWaits();
      await release();
      return [await change];
    });
    expect(again?.status).toBe(200);
  });

  it('that change nothing or that its status forbids need no lock', async () => {
    const { id } = await addOrder();
    await hold('select from orders where id = any($1) for update', [id]);
    expect((await changeOrder(service, key, id, 'placed')).status).toBe(200);
    expect(await codeOf(await changeOrder(service, key, id, 'delivered'))).toBe(
      'order_transition_not_allowed',
    );
  });

  it('find no order that the other session deleted', async () => {
    const [response] = await inTime(async () => {
      const { id } = await addOrder();
      await hold(
        `with gone as (delete from orders where id = any($1) returning pet_id)
         delete from pets using gone where pets.id = gone.pet_id`,
        [id],
      );
      const change = changeOrder(service, key, id, 'approved');
      await somethingWaits();
      await release();
      return [await change];
    });
    expect(await codeOf(response)).toBe('order_not_found');
  });
});

/** The parameters of statements that follow identifiers. */
const claims = (ids: readonly bigint[]) => [
  ids.map(() => 7n),
  ids.map(() => randomUUID()),
  ids.map(() => Buffer.alloc(32)),
];
const approvals = (ids: readonly bigint[]) => [ids.map(() => 'approved'), ids.map(() => null)];
const none = (): readonly unknown[][] => [];

describe('statements', () => {
  it.each([
    ['place_orders', PLACE_ORDERS, none],
    ['place_orders_once', PLACE_ORDERS_ONCE, claims],
  ])(
    'of batches return a pet that is locked as locked, and one that is unknown as unknown (%s)',
    async (_name, statement, others) => {
      const [held = 0n, free = 0n] = await addPets(service, 2);
      await holdPets(held);
      const ids = [held, -1n, free, held];
      const rows = await service.prisma.write<{ refusal: unknown }>(statement, [ids, ...others(ids)]);
      expect(rows.map(({ refusal }) => refusal)).toEqual(['locked', 'unknown_pet', null, 'locked']);
    },
  );

  it('of batches return a change that is locked as locked, and no row of an order that is unknown', async () => {
    const [held, free] = await Promise.all([1, 2].map(() => orderInStatus(service, key, 'placed')));
    if (held === undefined || free === undefined) throw new Error('no order was placed');
    await hold('select from orders where id = any($1) for update', [held.id]);
    const ids = [held.id, -1, free.id];
    const rows = await service.prisma.write<{ rejection: unknown; id: bigint }>(CHANGE_ORDERS, [
      ids,
      ...approvals(ids.map(BigInt)),
    ]);
    expect(new Map(rows.map(({ rejection, id }) => [Number(id), rejection]))).toEqual(
      new Map([
        [held.id, 'locked'],
        [free.id, null],
      ]),
    );
  });

  it.each([
    ['place_orders', PLACE_LOCKED_ORDERS, none, async () => await addPet(service)],
    ['place_orders_once', PLACE_LOCKED_ORDERS_ONCE, claims, async () => await addPet(service)],
    ['change_orders', CHANGE_LOCKED_ORDERS, approvals, async () => (await addOrder()).id],
  ])(
    'of retries write nothing for an item whose time is over when it has the lock (%s)',
    async (_name, statement, others, add) => {
      const id = await add();
      const table = statement === CHANGE_LOCKED_ORDERS ? 'orders' : 'pets';
      await hold(`select from ${table} where id = any($1) for update`, [id]);
      const client = await service.prisma.connections.reads.connect();
      try {
        const late = client.query({
          text: statement.text,
          values: [[id], ...others([id]), [0], 60_000],
          rowMode: 'array',
        });
        await somethingWaits();
        await release();
        const { rows } = await late;
        expect(rows).toHaveLength(1);
        expect(rows[0]).toContain('locked');
      } finally {
        client.release();
      }
      const written = table === 'pets' ? 'pet_id = $1' : `id = $1 and status = 'approved'`;
      expect(await count(`orders where ${written}`, [id])).toBe(0);
    },
  );
});
