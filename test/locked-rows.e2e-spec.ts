import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { holdOpen, type OperatorAtWork } from './support/operators.js';
import { selectOne } from './support/sql-outcome.js';
import { addPet, addPets, changeOrder, orderInStatus, petStatus, placeOrder } from './support/store.js';
import { useReplicas, useService } from './support/use-service.js';

const service = useService({ provokes503: true });
/** Its requests wait for long. */
const patient = useReplicas(service, 1);
let operator: OperatorAtWork<void> | undefined;
/** Since when the operator has its lock. */
let heldSince: Date;

afterEach(() => release());

/** Starts a transaction of an operator that locks these rows. */
async function hold(statement: string, ids: readonly (bigint | number)[]): Promise<void> {
  operator = await holdOpen(service.databaseUrl, statement, [ids]);
  ({ now: heldSince } = await selectOne<{ now: Date }>(service.pool, 'select clock_timestamp() as now'));
}

const LOCK_PETS = `update pets set name = 'Held' where id = any($1)`;
const LOCK_ORDERS = 'select from orders where id = any($1) for update';

async function release(): Promise<void> {
  await operator?.stop();
  operator = undefined;
}

interface PlacedOrder {
  readonly id: bigint;
  readonly petId: bigint;
}

/** Placed orders, each of a pet of its own. */
async function addOrders(orders: number): Promise<readonly PlacedOrder[]> {
  const { rows } = await service.pool.query<PlacedOrder>(
    'insert into orders (pet_id) select unnest($1::bigint[]) returning id, pet_id as "petId"',
    [await addPets(service, orders)],
  );
  return rows;
}

async function addOrder(): Promise<PlacedOrder> {
  const [order] = await addOrders(1);
  if (order === undefined) throw new Error('no order was added');
  return order;
}

const place = (petId: bigint): Promise<Response> => placeOrder(service, petId);
const placeOnce = (petId: bigint, key: string = randomUUID()): Promise<Response> =>
  service.post('/v1/store/orders', `{"petId":${petId}}`, { 'idempotency-key': key });
const PLACINGS = [
  ['without an Idempotency-Key', place],
  ['with an Idempotency-Key', (petId: bigint) => placeOnce(petId)],
] as const;

const approve = (id: bigint): Promise<Response> => changeOrder(service, id, 'approved');

const statuses = (responses: readonly Response[]): readonly number[] => responses.map(({ status }) => status);
const codeOf = async (response: Response | undefined): Promise<unknown> =>
  ((await response?.json()) as { readonly code?: unknown } | undefined)?.code;

const count = async (from: string, values: readonly unknown[]): Promise<number> =>
  (await selectOne<{ count: number }>(service.pool, `select count(*)::int as count from ${from}`, values))
    .count;

/** Resolves when a statement of the service has found the row locked. */
const somethingIsLocked = (): Promise<void> =>
  eventually(async () => {
    const tried = `pg_stat_activity where datname = current_database() and application_name = 'petstore'
      and query ~ 'holds_key|record_id' and query_start > $1`;
    expect(await count(tried, [heldSince])).toBeGreaterThan(0);
  });

/** The responses of a scenario in which no client may have waited for as long as it can: a busy machine gets another try. */
async function inTime(scenario: () => Promise<readonly Response[]>): Promise<readonly Response[]> {
  for (let triesLeft = 9; ; triesLeft -= 1) {
    const responses = await scenario();
    if (triesLeft === 0 || !statuses(responses).includes(503)) return responses;
    await release();
  }
}

/** The response to a request that finds the row locked, which is then released. */
const released = (
  lock: () => Promise<unknown>,
  send: () => Promise<Response>,
): Promise<readonly Response[]> =>
  inTime(async () => {
    await lock();
    const response = send();
    await somethingIsLocked();
    await release();
    return [await response];
  });

/** Few at a time, so that a busy machine keeps up. */
async function inTurn<Item>(
  items: readonly Item[],
  send: (item: Item) => Promise<Response>,
): Promise<Response[]> {
  const responses: Response[] = [];
  for (let from = 0; from < items.length; from += 19) {
    responses.push(...(await Promise.all(items.slice(from, from + 19).map(send))));
  }
  return responses;
}

/** 503, and after how many seconds the client may repeat its request. */
function expectLocked(response: Response): void {
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

describe.each(PLACINGS)('orders of a pet whose row another session has locked, %s', (_how, send) => {
  it.each([
    [1, 15, 152],
    [200, 1, 40],
  ])(
    'are 503, and no others: %i locked rows, %i orders for each, and %i others',
    async (rows, each, others) => {
      let held: readonly bigint[] = [];
      const beside = await inTime(async () => {
        held = await addPets(service, rows);
        await hold(LOCK_PETS, held);
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
      expect(statuses(await inTime(async () => [await send(held[0] ?? 0n)]))).toEqual([201]);
    },
  );

  it.each([
    ['an update', `update pets set status = 'sold' where id = any($1)`, 'pet_not_available'],
    ['a deletion', 'delete from pets where id = any($1)', 'unknown_pet'],
  ])('are decided by %s of the other session once that commits', async (_what, statement, code) => {
    let held = 0n;
    const lock = async (): Promise<void> => hold(statement, [(held = await addPet(service))]);
    const [response] = await released(lock, () => send(held));
    expect(await codeOf(response)).toBe(code);
  });

  it('are served in the order of their arrival once the row is free', async () => {
    const responses = await inTime(async () => {
      const held = await addPet(service);
      await hold(LOCK_PETS, [held]);
      const first = send(held);
      await somethingIsLocked();
      const others = [send(held), send(held), send(held)];
      await release();
      return await Promise.all([first, ...others]);
    });
    expect(statuses(responses)).toEqual([201, 409, 409, 409]);
  });

  it('are 409 at once where the pet is not available', async () => {
    const held = await addPet(service, 'sold');
    await hold(LOCK_PETS, [held]);
    expect(await codeOf(await send(held))).toBe('pet_not_available');
  });
});

it('an order rejected with 503 for a lock stores no Idempotency-Key, so a retry is decided afresh', async () => {
  const [first = 0n, second = 0n] = await addPets(service, 2);
  await hold(LOCK_PETS, [first]);
  const key = randomUUID();
  expectLocked(await placeOnce(first, key));
  expect(await count('idempotency_keys where key = $1', [key])).toBe(0);
  await release();
  // Nothing of the first request is left: the same key may stand for another one.
  expect(statuses(await inTime(async () => [await placeOnce(second, key)]))).toEqual([201]);
});

describe('changes of an order', () => {
  it.each([
    ['the order', LOCK_ORDERS, 'id'],
    ['its pet', LOCK_PETS, 'petId'],
  ] as const)(
    'are 503, and no others, while another session has locked %s',
    async (_row, statement, member) => {
      const held = await addOrder();
      const beside = await inTime(async () => {
        const free = await addOrders(38);
        await hold(statement, [held[member]]);
        const waiting = Promise.all(Array.from({ length: 5 }, () => approve(held.id)));
        await somethingIsLocked();
        const responses = await inTurn(free, ({ id }) => approve(id));
        for (const response of await waiting) expectLocked(response);
        await release();
        return responses;
      });
      expect(statuses(beside)).toEqual(Array.from({ length: 38 }, () => 200));
      expect(
        statuses(
          await released(
            () => hold(statement, [held[member]]),
            () => approve(held.id),
          ),
        ),
      ).toEqual([200]);
    },
  );

  it('need no lock if they change nothing or the status forbids them', async () => {
    const { id } = await addOrder();
    await hold(LOCK_ORDERS, [id]);
    expect((await changeOrder(service, id, 'placed')).status).toBe(200);
    expect(await codeOf(await changeOrder(service, id, 'delivered'))).toBe('order_transition_not_allowed');
  });

  it('find no order that the other session deleted', async () => {
    let id = 0n;
    const remove = `with gone as (delete from orders where id = any($1) returning pet_id)
      delete from pets using gone where pets.id = gone.pet_id`;
    const lock = async (): Promise<void> => {
      ({ id } = await addOrder());
      await hold(remove, [id]);
    };
    const [response] = await released(lock, () => approve(id));
    expect(await codeOf(response)).toBe('order_not_found');
  });

  it('make no deadlock with an operator who locks the order before its pet', async () => {
    const { id, petId } = await orderInStatus(service, 'placed');
    const session = await service.pool.connect();
    await session.query('begin');
    await session.query('select from orders where id = $1 for update', [id]);
    const change = approve(BigInt(id));
    // Whichever has the pet now: the service gives way before PostgreSQL looks for deadlocks.
    await session.query(`update orders set status = 'cancelled' where id = $1`, [id]);
    expectLocked(await change);
    await session.query('rollback');
    session.release();
    expect((await approve(BigInt(id))).status).toBe(200);
    expect(await petStatus(service, BigInt(petId))).toBe('pending');
    const deadlocks = 'select deadlocks::int from pg_stat_database where datname = current_database()';
    expect(await selectOne(service.pool, deadlocks)).toEqual({ deadlocks: 0 });
  });

  it('get 503 in time while commits stall, and never apply later', async () => {
    const { id } = await addOrder();
    const { pools } = service.prisma;
    const stall = new AbortController();
    const ended = once(stall.signal, 'abort');
    const stalled = Array.from({ length: 10 }, () => pools.writes.run(() => ended));
    const startedMs = performance.now();
    expectLocked(await approve(id));
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    stall.abort();
    await Promise.all(stalled);
    // Behind the change, which had no turn before its 503.
    await pools.writes.run(() => Promise.resolve());
    expect(await count(`orders where id = $1 and status = 'placed'`, [id])).toBe(1);
  });
});

describe('an operator', () => {
  it('sees locks reported that a session has held for a second', async () => {
    const [by] = patient;
    if (by === undefined) throw new Error('no replica');
    const reported = jest.spyOn(by.prisma.pools, 'reportLocks');
    const [held, order] = [await addPet(service), await addOrder()];
    for (const [statement, id, send] of [
      [LOCK_PETS, held, () => placeOrder(by, held)],
      [LOCK_ORDERS, order.id, () => changeOrder(by, order.id, 'approved')],
    ] as const) {
      await hold(statement, [id]);
      const waiting = send();
      await eventually(() => expect(reported).toHaveBeenCalled());
      await release();
      expect((await waiting).ok).toBe(true);
      reported.mockClear();
    }
    reported.mockRestore();
  });
});
