import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type TestService } from '../../support/service.js';
import { addPet, addPets, petStatus } from '../../support/store.js';

let service: TestService;
let replica: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  replica = await startService({ databaseUrl: service.databaseUrl });
  ({ key } = await service.issueKey());
});
afterAll(async () => {
  await replica.close();
  await service.close();
});

const place = (petId: bigint, idempotencyKey?: string, on = service): Promise<Response> =>
  on.fetch('/v1/store/orders', {
    method: 'POST',
    key,
    body: `{"petId":${petId}}`,
    headers: {
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
  });

const ordersOf = async (petId: bigint): Promise<number> =>
  (
    await service.pool.query<{ count: number }>(
      'select count(*)::int as count from orders where pet_id = $1',
      [petId],
    )
  ).rows[0]?.count ?? -1;

describe('Idempotency-Key on POST /v1/store/orders', () => {
  it('answers a repeat with the first order, although its animal is pending by now', async () => {
    const petId = await addPet(service);
    const first = await place(petId, 'order-1');
    const repeat = await place(petId, 'order-1', replica);
    expect([first.status, repeat.status]).toEqual([201, 201]);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.headers.get('location')).toBe(first.headers.get('location'));
    const text = await first.text();
    expect(await repeat.text()).toBe(text);
    // And it is what the order reads as without a claim.
    const read = await service.fetch(first.headers.get('location') ?? '', { key });
    expect(await read.text()).toBe(text);
    expect(await ordersOf(petId)).toBe(1);
  });

  it('makes one order of fifty parallel repeats over two replicas', async () => {
    const petId = await addPet(service);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => place(petId, 'order-50', n % 2 === 0 ? service : replica)),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    const bodies = new Set(await Promise.all(created.map((answer) => answer.text())));
    expect(bodies.size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(await answer.json()).toMatchObject({ status: 409, code: 'request_in_progress' });
    }
    expect(await ordersOf(petId)).toBe(1);
  });

  it('gives an animal to one of many claims, and tells the others that it is gone', async () => {
    const petId = await addPet(service);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => place(petId, `rival-${n}`, n % 2 === 0 ? service : replica)),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(await ordersOf(petId)).toBe(1);
  });

  it('places as many orders as there are claims on different animals', async () => {
    const pets = await addPets(service, 60);
    const answers = await Promise.all(pets.map((petId) => place(petId, `many-${petId}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  });

  it('stores nothing for a refused order, which may be repeated when the animal is there', async () => {
    const petId = await addPet(service, 'sold');
    const refused = await place(petId, 'later');
    expect(await refused.json()).toMatchObject({ status: 409, code: 'pet_not_available' });
    expect(await (await place(9_223_372_036_854_775_807n, 'nobody')).json()).toMatchObject({
      code: 'unknown_pet',
    });
    await service.pool.query(`update pets set status = 'available' where id = $1`, [petId]);
    expect((await place(petId, 'later')).status).toBe(201);
    expect(await petStatus(service, petId)).toBe('pending');
  });

  it('refuses the key for another animal', async () => {
    const [one, other] = [await addPet(service), await addPet(service)];
    await place(one, 'reused');
    expect(await (await place(other, 'reused')).json()).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
    expect(await petStatus(service, other)).toBe('available');
  });
});
