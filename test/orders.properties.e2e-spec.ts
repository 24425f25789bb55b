import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Batching } from '../src/batching/batching.js';
import type { Creation } from '../src/resources/idempotency.service.js';
import { ConnectionPools } from '../src/database/connection-pools.js';
import { PrismaService } from '../src/database/prisma.service.js';
import { ORDER_STATUSES, type OrderStatus } from '../src/store/orders.dto.js';
import { OrdersRepository } from '../src/store/orders.repository.js';
import { columnsJson } from '../src/database/statement.js';
import { Records } from '../src/resources/records.js';
import { PLACE_ORDERS } from '../src/store/orders.sql.js';
import { parsePreconditions } from '../src/http/etag.js';
import { addPets } from './support/store.js';
import { useDatabase } from './support/use-service.js';
import { LONG_DEADLINES } from './support/deadlines.js';

const REPLICAS = 3;
const PETS = 3;
/** So long that only an order that would wait for ever is given up, however busy the machine is. */
const DEADLINE_MS = 250_000;

const database = useDatabase();
let databases: readonly PrismaService[];
let replicas: readonly OrdersRepository[];

beforeAll(() => {
  databases = Array.from({ length: REPLICAS }, () => {
    const { url } = database;
    const options = {
      url,
      ...LONG_DEADLINES,
      namedStatements: true,
      poolMax: 5,
      onConnectionLost: () => undefined,
    };
    return new PrismaService(new ConnectionPools(options));
  });
  replicas = databases.map((prisma) => new OrdersRepository(new Records(new Batching(prisma), prisma)));
});
afterAll(() => Promise.all(databases.map((prisma) => prisma.close())));

const rowsOf = async (sql: string): Promise<unknown[]> => (await database.pool.query(sql)).rows;

/** A client orders a pet, or changes the status of its latest order that is known. */
interface Step {
  readonly replica: number;
  readonly pet: number;
  readonly action: 'place' | OrderStatus;
}

const step: fc.Arbitrary<Step> = fc.record({
  replica: fc.nat(REPLICAS - 1),
  pet: fc.nat(PETS - 1),
  action: fc.constantFrom('place', 'place', ...ORDER_STATUSES),
});
const clients = fc.array(fc.array(step, { minLength: 4, maxLength: 12 }), { minLength: 4, maxLength: 8 });

/** Takes the steps one after another, and counts the orders that were placed. */
async function run(
  petIds: readonly bigint[],
  steps: readonly Step[],
  latest: Map<bigint, bigint>,
): Promise<number> {
  let placed = 0;
  for (const { replica, pet, action } of steps) {
    const [repository, petId] = [replicas[replica], petIds[pet]];
    if (repository === undefined || petId === undefined) throw new Error('no such replica or pet');
    const deadline = performance.now() + DEADLINE_MS;
    const orderId = latest.get(petId);
    if (action === 'place') {
      const placing = repository.place({ members: { petId }, key: undefined }, deadline);
      const order = await placing.catch((error: unknown) => error);
      if (order instanceof Error) {
        expect(order).toMatchObject({ code: 'pet_not_available' });
        continue;
      }
      placed += 1;
      latest.set(petId, (order as Creation).id);
    } else if (orderId !== undefined) {
      const change = repository.change(
        { id: orderId, members: { status: action }, ...parsePreconditions({}) },
        deadline,
      );
      const order = await change.catch((error: unknown) => error);
      if (order instanceof Error) expect(order).toMatchObject({ code: 'order_transition_not_allowed' });
      else expect(order).toContain(`{"id":${orderId},"petId":${petId},`);
    }
  }
  return placed;
}

/** Pets that do not agree with their orders; each began as available, without an order. */
const CONTRADICTIONS = `
  select pets.id, pets.status, array_agg(orders.status) as orders
  from pets
  left join orders on orders.pet_id = pets.id
  group by pets.id
  having (pets.status = 'pending') <> (count(*) filter (where orders.status in ('placed', 'approved')) = 1)
      or (pets.status = 'sold') <> (count(*) filter (where orders.status = 'delivered') = 1)
      or count(*) filter (where orders.status in ('placed', 'approved', 'delivered')) > 1
      or pets.status is null`;

/** The inventory, if it is not what counting gives. */
const MISCOUNTED = `
  select * from pet_inventory()
  except
  select
    count(*) filter (where status = 'available'),
    count(*) filter (where status = 'pending'),
    count(*) filter (where status = 'sold')
  from pets`;

describe('orders and pets', () => {
  it('agree after random orders and changes of several clients on several replicas', async () => {
    let placedInAll = 0;
    await fc.assert(
      fc.asyncProperty(clients, async (scripts) => {
        const petIds = await addPets(database, PETS);
        const latest = new Map<bigint, bigint>();
        const placed = await Promise.all(scripts.map((steps) => run(petIds, steps, latest)));
        placedInAll += placed.reduce((sum, one) => sum + one, 0);
        expect(await rowsOf(CONTRADICTIONS)).toEqual([]);
        expect(await rowsOf(MISCOUNTED)).toEqual([]);
      }),
      { numRuns: 40 },
    );
    expect(placedInAll).toBeGreaterThan(100);
    expect(
      await rowsOf(`select (select count(*)::int from orders) as orders, deadlocks::int
                    from pg_stat_database where datname = current_database()`),
    ).toEqual([{ orders: placedInAll, deadlocks: 0 }]);
  });
});

/** An order of a pet with an Idempotency-Key, both by number. */
interface Placing {
  readonly pet: number;
  readonly key: number;
}

const placing: fc.Arbitrary<Placing> = fc.record({ pet: fc.nat(PETS - 1), key: fc.nat(5) });
/** No two have the same key: those are joined before. */
const group = fc.uniqueArray(placing, { selector: ({ key }) => key, minLength: 1 });
/** Orders that were placed before, of which some are cancelled, so that their pets are available again. */
const history = fc.array(fc.record({ placing, isCancelled: fc.boolean() }), { maxLength: 4 });

let apiKeys = 1_000_000n;

/** Pets of their own and an API key of their own, so that the same can happen twice. */
async function newStore() {
  const [prisma] = databases;
  if (prisma === undefined) throw new Error('there is no replica');
  const pets = await addPets(database, PETS);
  const apiKeyId = apiKeys++;
  const place = (placings: readonly Placing[]) =>
    prisma.write<{ outcome: string; id: bigint | null }>(PLACE_ORDERS, [
      placings.map(({ pet }) => columnsJson({ petId: pets[pet] })),
      placings.map(() => apiKeyId),
      placings.map(({ key }) => `key-${key}`),
      placings.map(() => Buffer.alloc(32)),
    ]);
  return {
    outcomesOf: async (placings: readonly Placing[]) => (await place(placings)).map(({ outcome }) => outcome),
    async replay(past: readonly { placing: Placing; isCancelled: boolean }[]) {
      for (const { placing: placed, isCancelled } of past) {
        const [row] = await place([placed]);
        if (!isCancelled || row === undefined || row.id === null) continue;
        await database.pool.query(`update orders set status = 'cancelled' where id = $1`, [row.id]);
      }
    },
  };
}

describe('orders with Idempotency-Keys that are placed by one statement', () => {
  it('have the outcomes of orders placed one after another, whatever was placed and cancelled before', async () => {
    await fc.assert(
      fc.asyncProperty(history, group, async (past, placings) => {
        const [together, oneByOne] = [await newStore(), await newStore()];
        await together.replay(past);
        await oneByOne.replay(past);
        const expected = [];
        for (const one of placings) expected.push(...(await oneByOne.outcomesOf([one])));
        expect(await together.outcomesOf(placings)).toEqual(expected);
      }),
    );
  });
});
