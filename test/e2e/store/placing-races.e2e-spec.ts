import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiError } from '../../../src/common/errors/api-error.js';
import { ConnectionPools } from '../../../src/prisma/connection-pools.js';
import { Batching } from '../../../src/batching/batching.js';
import { PrismaService } from '../../../src/prisma/prisma.service.js';
import { OrdersRepository } from '../../../src/store/orders.repository.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const REPLICAS = 2;
/** Clients of one pet, by turns on each of the replicas. */
const CLIENTS = 24;
/** So long that only an order that would wait for ever is given up, however busy the machine is. */
const DEADLINE_MS = 100_000;
const STATEMENT_TIMEOUT_MS = 30_000;

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
          poolMax: 8,
          connectTimeoutMs: STATEMENT_TIMEOUT_MS,
          statementTimeoutMs: STATEMENT_TIMEOUT_MS,
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

async function addPets(count: number): Promise<readonly bigint[]> {
  const rows = await select<{ id: bigint }>(
    `insert into pets (name, category_id, status)
     select 'wanted', 1, 'available' from generate_series(1, $1) returning id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

const inTime = (): number => performance.now() + DEADLINE_MS;

function replicaOf(client: number): OrdersRepository {
  const replica = replicas[client % REPLICAS];
  if (replica === undefined) throw new Error('there is no replica');
  return replica;
}

/** The order's identifier, or why there is none. Every third client sends no Idempotency-Key. */
async function place(client: number, petId: bigint): Promise<bigint | string> {
  const key = { apiKeyId: 1n, key: randomUUID(), fingerprint: Buffer.alloc(32) };
  try {
    const outcome = await replicaOf(client).place(petId, client % 3 === 0 ? undefined : key, inTime());
    return typeof outcome === 'string' ? outcome : outcome.id;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

const clients = Array.from({ length: CLIENTS }, (_, client) => client);

describe('one pet that many clients want on two replicas', () => {
  it('goes to exactly one of them, and to all others it is not available', async () => {
    for (const petId of await addPets(40)) {
      const outcomes = await Promise.all(clients.map((client) => place(client, petId)));
      const refusals = outcomes.filter((outcome) => typeof outcome === 'string');
      expect(refusals).toEqual(Array.from({ length: CLIENTS - 1 }, () => 'pet_not_available'));
    }
  });

  it('goes to another one each time its order is cancelled', async () => {
    const [petId = 0n] = await addPets(1);
    let placed = 0;
    await Promise.all(
      clients.map(async (client) => {
        for (let turn = 0; turn < 8; turn += 1) {
          const id = await place(client, petId);
          if (typeof id === 'string') {
            expect(id).toBe('pet_not_available');
            continue;
          }
          placed += 1;
          // Sent by both replicas: one changes the order, and the other finds it changed.
          const changes = replicas.map((replica) => replica.change({ id, status: 'cancelled' }, inTime()));
          for (const order of await Promise.all(changes))
            expect(order).toMatchObject({ status: 'cancelled' });
        }
      }),
    );
    expect(placed).toBeGreaterThan(1);
    const orders = `select status, count(*)::int as count from orders where pet_id = $1 group by status`;
    expect(await select(orders, [petId])).toEqual([{ status: 'cancelled', count: placed }]);
  });
});
