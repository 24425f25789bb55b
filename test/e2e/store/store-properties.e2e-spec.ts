import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConnectionPools } from '../../../src/prisma/connection-pools.js';
import { Batching } from '../../../src/batching/batching.js';
import { PrismaService } from '../../../src/prisma/prisma.service.js';
import { ORDER_STATUSES, type OrderStatus } from '../../../src/store/order.js';
import { OrdersRepository } from '../../../src/store/orders.repository.js';
import type { Creation } from '../../../src/idempotency/idempotency.service.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const REPLICAS = 3;
const ANIMALS = 3;

/** For a machine that has other things to do. */
const PATIENCE_MS = 60_000;

let testDatabase: TestDatabase;
let databases: readonly PrismaService[];
let replicas: readonly OrdersRepository[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  databases = Array.from(
    { length: REPLICAS },
    () =>
      new PrismaService(
        new ConnectionPools({
          url: testDatabase.url,
          namedStatements: true,
          poolMax: 5,
          connectTimeoutMs: 30_000,
          statementTimeoutMs: 30_000,
          onConnectionLost: () => undefined,
        }),
      ),
  );
  replicas = databases.map((prisma) => new OrdersRepository(new Batching(prisma), prisma));
});
afterAll(async () => {
  await Promise.all(databases.map((prisma) => prisma.close()));
  await testDatabase.drop();
});

async function select<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  const [prisma] = databases;
  if (prisma === undefined) throw new Error('there is no database');
  return (await prisma.connections.main.query<Row>(text, values)).rows;
}

/** One thing that somebody does to an animal: order it, or change the status of its latest order that is known. */
interface Step {
  readonly replica: number;
  readonly animal: number;
  readonly act: 'place' | OrderStatus;
}

const step: fc.Arbitrary<Step> = fc.record({
  replica: fc.nat(REPLICAS - 1),
  animal: fc.nat(ANIMALS - 1),
  act: fc.constantFrom('place', 'place', ...ORDER_STATUSES),
});

/** What each of several clients does, one after the other. */
const clients = fc.array(fc.array(step, { minLength: 4, maxLength: 12 }), { minLength: 4, maxLength: 8 });

async function run(
  petIds: readonly bigint[],
  steps: readonly Step[],
  latest: Map<bigint, bigint>,
): Promise<number> {
  let placed = 0;
  for (const { replica, animal, act } of steps) {
    const repository = replicas[replica];
    const petId = petIds[animal];
    if (repository === undefined || petId === undefined) throw new Error('no such replica or animal');
    const orderId = latest.get(petId);
    if (act === 'place') {
      const order = await repository
        .place(petId, undefined, performance.now() + PATIENCE_MS)
        .catch((error: unknown) => error);
      if (order instanceof Error) {
        expect(order).toMatchObject({ code: 'pet_not_available' });
        continue;
      }
      placed += 1;
      latest.set(petId, (order as Creation).id);
    } else if (orderId !== undefined) {
      const order = await repository.change({ id: orderId, status: act }, performance.now() + PATIENCE_MS);
      expect(order).toMatchObject({ json: expect.stringContaining(`{"id":${orderId},"petId":${petId},`) });
    }
  }
  return placed;
}

describe('orders and animals, whatever comes between', () => {
  it('agree after random placings, approvals, deliveries and cancellations of several clients on several replicas', async () => {
    let placedInAll = 0;
    await fc.assert(
      fc.asyncProperty(clients, async (scripts) => {
        const rows = await select<{ id: bigint }>(
          `insert into pets (name, category_id, status) select 'Pet', 1, 'available' from generate_series(1, $1) returning id`,
          [ANIMALS],
        );
        const petIds = rows.map(({ id }) => id);
        const latest = new Map<bigint, bigint>();
        const placed = await Promise.all(scripts.map((steps) => run(petIds, steps, latest)));
        placedInAll += placed.reduce((sum, one) => sum + one, 0);
        expect(await select(BROKEN)).toEqual([]);
        expect(await select(MISCOUNTED)).toEqual([]);
      }),
      { numRuns: 40 },
    );
    expect(await select('select count(*) as orders from orders')).toEqual([{ orders: BigInt(placedInAll) }]);
    expect(placedInAll).toBeGreaterThan(100);
    expect(await select('select deadlocks from pg_stat_database where datname = current_database()')).toEqual(
      [{ deadlocks: 0n }],
    );
  });
});

/** Animals that do not agree with their orders; here every animal began as available, without an order. */
const BROKEN = `
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
