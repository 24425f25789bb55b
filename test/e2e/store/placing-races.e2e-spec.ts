import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startService, type TestService } from '../../support/service.js';
import { addPets, changeOrder, type OrderAnswer } from '../../support/store.js';

let database: TestDatabase;
let replicas: readonly TestService[];
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  replicas = await Promise.all([1, 2].map(() => startService({ databaseUrl: database.url })));
  ({ key } = await replica(0).issueKey());
  await Promise.all(replicas.map((one) => one.fetch('/v1/pets', { key })));
});
afterAll(async () => {
  await Promise.all(replicas.map((one) => one.close()));
  await database.drop();
});

function replica(number: number): TestService {
  const found = replicas[number % replicas.length];
  if (found === undefined) throw new Error('there is no replica');
  return found;
}

/** Clients of one pet, by turns on each of the replicas, every third of them without an Idempotency-Key. */
const CLIENTS = 24;

const place = (client: number, petId: bigint): Promise<Response> =>
  replica(client).fetch('/v1/store/orders', {
    method: 'POST',
    key,
    body: `{"petId":${petId}}`,
    headers: {
      'content-type': 'application/json',
      ...(client % 3 > 0 && { 'idempotency-key': randomUUID() }),
    },
  });

const counted = (responses: readonly Response[]): Readonly<Record<number, number>> =>
  responses.reduce<Record<number, number>>(
    (counts, { status }) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }),
    {},
  );

describe('one pet that many clients want on two replicas', () => {
  it('goes to one of them, and the others get 409: none gets 503', async () => {
    for (const petId of await addPets(replica(0), 25)) {
      const responses = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => place(i, petId)));
      expect(counted(responses)).toEqual({ 201: 1, 409: CLIENTS - 1 });
    }
  });

  it('goes to another one each time its order is cancelled: all get 201, 200 or 409', async () => {
    const [petId = 0n] = await addPets(replica(0), 1);
    let placed = 0;
    const client = async (number: number): Promise<void> => {
      for (let turn = 0; turn < 8; turn += 1) {
        const response = await place(number, petId);
        expect([201, 409]).toContain(response.status);
        if (response.status === 409) continue;
        placed += 1;
        const { id } = (await response.json()) as OrderAnswer;
        // Sent by both replicas: one changes the order, and the other finds it changed.
        const changes = [0, 1].map((one) => changeOrder(replica(one), key, id, 'cancelled'));
        expect(counted(await Promise.all(changes))).toEqual({ 200: 2 });
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    const { rows } = await replica(0).database.pool.query<{ count: number }>(
      `select count(*)::int as count from orders where pet_id = $1 and status = 'cancelled'`,
      [petId],
    );
    expect(rows).toEqual([{ count: placed }]);
  });
});
