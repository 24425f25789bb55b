import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type PetStore, PetStoreError } from '../../client/src/index.js';
import { int64Text, legalName, statusOrAbsent } from '../support/arbitraries.js';
import { startService, type TestService } from '../support/service.js';
import { clientOf, rejectionOf } from './clients.js';

let service: TestService;
let store: PetStore;

beforeAll(async () => {
  service = await startService();
  const { key } = await service.issueKey();
  store = clientOf(service, key);
});
afterAll(() => service.close());

describe('the client, operation by operation', () => {
  it('creates a pet and reads it again', async () => {
    const rex = await store.createPet({ name: 'Rex "\\ 🐕', categoryId: 7n, status: 'available' });
    expect(rex).toEqual({ id: expect.any(BigInt), name: 'Rex "\\ 🐕', categoryId: 7n, status: 'available' });
    expect(await store.getPet(rex.id)).toEqual(rex);
  });

  it('changes a pet and deletes it', async () => {
    const { id } = await store.createPet({ name: 'Rex', categoryId: 7n });
    const changed = { id, name: 'Rex II', categoryId: 9_007_199_254_740_993n, status: 'available' } as const;
    expect(
      await store.changePet(id, { name: 'Rex II', categoryId: changed.categoryId, status: 'available' }),
    ).toEqual(changed);
    expect(await store.deletePet(id)).toBeUndefined();
    await expect(store.getPet(id)).rejects.toMatchObject({ code: 'pet_not_found', status: 404 });
  });

  it('takes an order from the first to the last status', async () => {
    const { id: petId } = await store.createPet({ name: 'Max', categoryId: 1n, status: 'available' });
    const before = await store.inventory();
    const order = await store.placeOrder(petId);
    const placedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(order).toEqual({
      id: expect.any(BigInt),
      petId,
      status: 'placed',
      placedAt,
      updatedAt: order.placedAt,
    });
    expect(await store.getOrder(order.id)).toEqual(order);
    expect(await store.changeOrder(order.id, 'approved')).toMatchObject({ id: order.id, status: 'approved' });
    expect(await store.changeOrder(order.id, 'delivered')).toMatchObject({ status: 'delivered' });
    expect(await store.inventory()).toEqual({
      available: before.available - 1n,
      pending: before.pending,
      sold: before.sold + 1n,
    });
  });

  it('returns the usage of the key, in numbers', async () => {
    const usage = await store.usage();
    expect(usage).toMatchObject({ plan: 'business', minute: { limit: 1_000_000 } });
    expect(usage.days).toHaveLength(31);
    expect(usage.days.at(-1)?.admitted).toBeGreaterThan(0);
  });

  it('keeps every int64 and every name exact, both ways', async () => {
    await fc.assert(
      fc.asyncProperty(legalName, int64Text, statusOrAbsent, async (name, digits, status) => {
        const pet = { name, categoryId: BigInt(digits), ...(status !== undefined && { status }) };
        const created = await store.createPet(pet);
        expect(created).toEqual({ ...pet, id: created.id });
        expect(await store.getPet(created.id)).toEqual(created);
      }),
      { numRuns: 100 },
    );
  });

  it('keeps an id beyond 2^53 exact, in the path, the body and the list', async () => {
    const id = 9_007_199_254_740_993n;
    await service.pool.query(
      `insert into pets (id, name, category_id, status) overriding system value values ($1, 'far', 1, 'available')`,
      [id],
    );
    expect(await store.getPet(id)).toMatchObject({ id });
    expect(await store.placeOrder(id)).toMatchObject({ petId: id });
    const ids: bigint[] = [];
    for await (const pet of store.pets({ status: 'pending' })) ids.push(pet.id);
    expect(ids).toContain(id);
  });
});

describe('paging', () => {
  it('reads every page of the pets, of all and of one status', async () => {
    const { pool } = service;
    await pool.query('truncate pets, orders restart identity cascade');
    await pool.query(
      `insert into pets (name, category_id, status)
       select 'Pet', n, (array['available', 'sold']::pet_status[])[1 + n % 2] from generate_series(1, 50) as n`,
    );
    const walk = async (options: Parameters<PetStore['pets']>[0]): Promise<bigint[]> => {
      const ids: bigint[] = [];
      for await (const { id } of store.pets(options)) ids.push(id);
      return ids;
    };
    const all = Array.from({ length: 50 }, (_, n) => BigInt(n + 1));
    expect(await walk({ limit: 7 })).toEqual(all);
    expect(await walk({ limit: 10 })).toEqual(all);
    expect(await walk({ limit: 4, status: 'sold' })).toEqual(all.filter((id) => id % 2n === 1n));

    const first = await store.listPets({ limit: 30 });
    expect(first.items).toHaveLength(30);
    const second = await store.listPets({ limit: 30, cursor: first.next });
    expect(second.items.map(({ id }) => id)).toEqual(all.slice(30));
    expect(second).not.toHaveProperty('next');
  });

  it('walks every page of the orders', async () => {
    const { pool } = service;
    await pool.query('truncate pets, orders restart identity cascade');
    const placed: bigint[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { id } = await store.createPet({ name: 'Pet', categoryId: 1n, status: 'available' });
      placed.push((await store.placeOrder(id)).id);
    }
    const walked: bigint[] = [];
    for await (const { id } of store.orders({ status: 'placed', limit: 2 })) walked.push(id);
    expect(walked).toEqual(placed);
    expect((await store.listOrders({ limit: 100 })).items.map(({ id }) => id)).toEqual(placed);
  });
});

const responding = (text: string, status: number) => (): Promise<Response> =>
  Promise.resolve(new Response(text, { status }));

describe('errors', () => {
  const rejections: readonly [string, number, (one: PetStore) => Promise<unknown>][] = [
    ['pet_not_found', 404, (one) => one.getPet(-1n)],
    ['order_not_found', 404, (one) => one.getOrder(-1n)],
    ['unknown_pet', 400, (one) => one.placeOrder(-1n)],
    ['invalid_body', 400, (one) => one.createPet({ name: '', categoryId: 1n })],
    ['invalid_parameter', 400, (one) => one.listPets({ limit: 0 })],
    [
      'invalid_idempotency_key',
      400,
      (one) => one.createPet({ name: 'Rex', categoryId: 1n }, { idempotencyKey: 'a b' }),
    ],
    ['invalid_api_key', 401, () => clientOf(service, 'psk_guessed').usage()],
  ];

  it.each(rejections)('%s is its code, with the status %d', async (code, status, call) => {
    const error = await rejectionOf(call(store));
    expect(error).toBeInstanceOf(PetStoreError);
    const rateLimit = { limit: expect.any(Number), remaining: expect.any(Number) };
    expect(error).toMatchObject({ code, status, rateLimit, message: expect.stringMatching(/\.$/) });
  });

  it('says so when something other than the service responds', async () => {
    for (const [text, status] of [
      ['<html>', 404],
      ['{"code":"teapot"}', 418],
      ['<html>', 200],
      ['null', 500],
    ] as const) {
      const error = await rejectionOf(clientOf(service, '', { fetch: responding(text, status) }).usage());
      expect(error).toMatchObject({ name: 'PetStoreError', code: 'unexpected_response', status });
    }
  });
});
