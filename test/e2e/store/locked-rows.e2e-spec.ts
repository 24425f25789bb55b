import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CHANGE_ORDER, PLACE_ORDERS } from '../../../src/store/orders.sql.js';
import { eventually } from '../../support/eventually.js';
import { holdOpen, type OperatorAtWork } from '../../support/operators.js';
import { startService, type TestService } from '../../support/service.js';
import { addPet, addPets, changeOrder, orderInStatus, placeOrder } from '../../support/store.js';

let service: TestService;
let key: string;
let operator: OperatorAtWork<void> | undefined;
/** Since when the operator has its lock. */
let heldSince: Date;

beforeAll(async () => {
  service = await startService({ provokes503: true });
  ({ key } = await service.issueKey());
  await service.fetch('/v1/pets', { key });
});
afterEach(() => release());
afterAll(() => service.close());

async function hold(statement: string, ids: readonly (bigint | number)[]): Promise<void> {
  operator = await holdOpen(service.databaseUrl, statement, [ids]);
  const { rows } = await service.pool.query<{ now: Date }>('select clock_timestamp() as now');
  heldSince = rows[0]?.now ?? new Date(Number.NaN);
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
  const { rows } = await service.prisma.connections.main.query<OrderedPet>(
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

/** Resolves when some statement of the service has found the row locked. */
const somethingIsLocked = (): Promise<void> =>
  eventually(async () => {
    const tried = `pg_stat_activity where datname = current_database() and application_name = 'petstore'
      and query like '%skip locked%' and query_start > $1`;
    expect(await count(tried, [heldSince])).toBeGreaterThan(0);
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
        await somethingIsLocked();
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
        await somethingIsLocked();
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
        await somethingIsLocked();
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
      await somethingIsLocked();
      const responses = await inTurn(free, ({ id }) => changeOrder(service, key, id, 'approved'));
      for (const response of await waiting) expectLocked(response);
      await release();
      return responses;
    });
    expect(statuses(beside)).toEqual(Array.from({ length: 38 }, () => 200));

    const [again] = await inTime(async () => {
      await hold(statement, [held[member]]);
      const change = changeOrder(service, key, held.id, 'approved');
      await somethingIsLocked();
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
      await somethingIsLocked();
      await release();
      return [await change];
    });
    expect(await codeOf(response)).toBe('order_not_found');
  });
});

const changeStatement = (id: number, tags: readonly string[] | null = null) =>
  service.prisma.write<{ isLocked: boolean; status: string }>(CHANGE_ORDER, [id, 'approved', tags]);

describe('changes while commits stall', () => {
  it('are 503 in time, and are not made later', async () => {
    const order = await addOrder();
    const { connections } = service.prisma;
    const stall = new AbortController();
    const released = once(stall.signal, 'abort');
    const stalled = Array.from({ length: 10 }, () => connections.write(Infinity, () => released));
    const begunAt = performance.now();
    expectLocked(await changeOrder(service, key, order.id, 'approved'));
    expect(performance.now() - begunAt).toBeLessThan(10_000);
    stall.abort();
    await Promise.all(stalled);
    // Behind the change, which had no turn before its 503.
    await connections.write(Infinity, () => Promise.resolve());
    expect(await count(`orders where id = $1 and status = 'placed'`, [order.id])).toBe(1);
  });
});

describe('the statement', () => {
  it.each([
    ['without Idempotency-Keys', () => null],
    ['with Idempotency-Keys', () => randomUUID()],
  ])(
    'that places orders returns a locked pet as locked, and an unknown one as unknown, %s',
    async (_how, keyOf) => {
      const [held = 0n, free = 0n] = await addPets(service, 2);
      await holdPets(held);
      const ids = [held, -1n, free, held];
      const rows = await service.prisma.write<{ rejection: unknown; json: unknown }>(PLACE_ORDERS, [
        ids,
        ids.map(() => 7n),
        ids.map(keyOf),
        ids.map(() => Buffer.alloc(32)),
      ]);
      expect(rows.map(({ rejection }) => rejection)).toEqual(['locked', 'unknown_pet', null, 'locked']);
      expect(rows.map(({ json }) => json !== null)).toEqual([false, false, true, false]);
    },
  );

  it('that changes an order returns it as locked, and no row of an unknown one', async () => {
    const [held, free] = await Promise.all([1, 2].map(() => orderInStatus(service, key, 'placed')));
    if (held === undefined || free === undefined) throw new Error('no order was placed');
    await hold('select from orders where id = any($1) for update', [held.id]);
    expect(await changeStatement(held.id)).toMatchObject([{ isLocked: true, status: 'placed' }]);
    expect(await changeStatement(held.id, ['"another"'])).toMatchObject([
      { isLocked: false, hasOtherTag: true },
    ]);
    expect(await changeStatement(-1)).toEqual([]);
    expect(await changeStatement(free.id)).toMatchObject([{ isLocked: false, status: 'approved' }]);
  });
});

describe('an operator', () => {
  it('finds the locks reported that a session has held for a second', async () => {
    const reported = jest.spyOn(service.prisma.connections, 'reportLocks');
    const held = await addPet(service);
    await holdPets(held);
    expectLocked(await place(held));
    expect(reported).toHaveBeenCalled();
    reported.mockClear();
    await release();
    const order = await addOrder();
    await hold('select from orders where id = any($1) for update', [order.id]);
    expectLocked(await changeOrder(service, key, order.id, 'approved'));
    expect(reported).toHaveBeenCalled();
    reported.mockRestore();
  });
});
