import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import {
  type Int64Like,
  NOT_MODIFIED,
  ORDER_STATUSES,
  PET_STATUSES,
  PetStore,
  PetStoreError,
} from '../../client/src/index.js';
import { int64Text, legalName, statusOrAbsent } from '../support/arbitraries.js';
import { startService, type TestService } from '../support/service.js';
import { clientOf, rejectionOf } from './clients.js';
import { cases } from '../support/cases.js';

let service: TestService;
let key: string;
let store: PetStore;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
  store = clientOf(service, key);
});
afterAll(() => service.close());

const DIGITS = expect.stringMatching(/^\d+$/);
/** A number would round it. */
const BEYOND = '9007199254740993';

describe('the client, operation by operation', () => {
  it('has a method for each operation of the document, under the name that the docs page shows', () => {
    const snippets = readFileSync('src/pages/docs/snippets.js', 'utf8');
    const renamed = new Map([...snippets.matchAll(/(\w+): '(\w+)'/g)].map(([, id, name]) => [id, name]));
    const operations = [...readFileSync('docs/openapi.yaml', 'utf8').matchAll(/operationId: (\w+)/g)].map(
      ([, id = '']) => id,
    );
    const missing = operations.filter((id) => !((renamed.get(id) ?? id) in store));
    expect(operations.length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });

  it('names categories, finds them by their names, and deletes them', async () => {
    const dogs = await store.createCategory({ name: 'Dogs' });
    expect(dogs).toEqual({ id: DIGITS, name: 'Dogs' });
    expect(await store.getCategory(dogs.id)).toEqual(dogs);
    expect(await rejectionOf(store.createCategory({ name: 'dogs' }))).toMatchObject({
      code: 'category_exists',
    });
    const { value, response } = await store.putCategory(BEYOND, { name: 'Cats' }).withResponse();
    expect(value).toEqual({ id: BEYOND, name: 'Cats' });
    const changed = await store.putCategory(BEYOND, { name: 'Felines' }, { ifMatch: response.etag });
    expect(changed).toEqual({ id: BEYOND, name: 'Felines' });
    expect(
      await rejectionOf(store.putCategory(BEYOND, { name: 'Tigers' }, { ifNoneMatch: '*' })),
    ).toMatchObject({ code: 'precondition_failed' });
    expect(await store.listCategories({ name: 'FELINES' })).toEqual({ items: [changed] });
    const all = [];
    for await (const category of store.categories({ limit: 1 })) all.push(category);
    expect(all).toEqual([dogs, changed]);
    await store.createPet({ name: 'Rex', categoryId: dogs.id });
    expect(await rejectionOf(store.deleteCategory(dogs.id))).toMatchObject({ code: 'category_in_use' });
    await store.deleteCategory(BEYOND);
    expect(await rejectionOf(store.getCategory(BEYOND))).toMatchObject({ code: 'category_not_found' });
  });

  it('finds a pet, and changes it if it is still as it was found', async () => {
    const { id } = await store.createPet({ name: 'Rex', categoryId: 7 });
    const { value, response } = await store.findPet(id).withResponse();
    expect(value).toEqual({ id, name: 'Rex', categoryId: '7' });
    const ifMatch = response.etag;
    expect(await store.changePet(id, { name: 'Rex II' }, { ifMatch })).toMatchObject({ name: 'Rex II' });
    expect(await rejectionOf(store.changePet(id, { name: 'Rex III' }, { ifMatch }))).toMatchObject({
      code: 'precondition_failed',
    });
    expect(await store.findPet(BEYOND)).toBeUndefined();
  });

  it('changes a pet and deletes it', async () => {
    const { id } = await store.createPet({ name: 'Rex', categoryId: 7 });
    expect(await store.changePet(id, { name: 'Rex II' })).toEqual({ id, name: 'Rex II', categoryId: '7' });
    const changed = { id, name: 'Rex II', categoryId: BEYOND, status: 'available' };
    expect(await store.changePet(id, { categoryId: BEYOND, status: 'available' })).toEqual(changed);
    expect(await store.deletePet(id)).toBeUndefined();
    await expect(store.getPet(id)).rejects.toMatchObject({ code: 'pet_not_found', status: 404 });
  });

  it('takes an order from the first to the last status', async () => {
    const { id: petId } = await store.createPet({ name: 'Max', categoryId: 1, status: 'available' });
    const before = await store.inventory();
    const order = await store.placeOrder(petId);
    const placedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const placed = { id: DIGITS, petId, status: 'placed', placedAt, updatedAt: order.placedAt };
    expect(order).toEqual(placed);
    expect(await store.getOrder(order.id)).toEqual(order);
    expect(await store.changeOrder(order.id, 'approved')).toMatchObject({ id: order.id, status: 'approved' });
    expect(await store.changeOrder(order.id, 'delivered')).toMatchObject({ status: 'delivered' });
    const { available, pending, sold } = before;
    const after = { available: available - 1, pending, sold: sold + 1 };
    expect(await store.inventory()).toEqual(after);
    for (const int64 of ['bigint', 'number'] as const)
      expect(await clientOf(service, key, { int64 }).inventory()).toEqual(after);
  });

  it('returns the usage of the key', async () => {
    const usage = await store.usage();
    expect(usage).toMatchObject({ plan: 'business', minute: { limit: 1_000_000 } });
    expect(usage.days).toHaveLength(31);
    expect(usage.days.at(-1)?.admitted).toBeGreaterThan(0);
  });

  it('changes and deletes only what has not changed since it was read', async () => {
    const { value: pet, response } = await store.createPet({ name: 'Rex', categoryId: 7 }).withResponse();
    const ifMatch = response.etag;
    await store.changePet(pet.id, { name: 'Rex II' }, { ifMatch });
    const failed = { code: 'precondition_failed', status: 412 };
    await expect(store.changePet(pet.id, { name: 'Rex III' }, { ifMatch })).rejects.toMatchObject(failed);
    await expect(store.deletePet(pet.id, { ifMatch })).rejects.toMatchObject(failed);
    const unconditional = { ifMatch: undefined };
    await expect(store.deletePet(pet.id, unconditional)).rejects.toBeInstanceOf(TypeError);
    const { response: read } = await store.getPet(pet.id).withResponse();
    await expect(store.getPet(pet.id, { ifMatch })).rejects.toMatchObject(failed);
    const present = { ifNoneMatch: read.etag };
    await expect(store.deletePet(pet.id, present)).rejects.toMatchObject(failed);
    await expect(store.changePet(pet.id, { name: 'Rex IV' }, present)).rejects.toMatchObject(failed);
    await store.deletePet(pet.id, { ifMatch: read.etag });
  });
});

describe('a conditional read', () => {
  it('resolves to NOT_MODIFIED until the resource changes', async () => {
    const { value: pet, response } = await store.createPet({ name: 'Rex', categoryId: 7 }).withResponse();
    const ifNoneMatch = response.etag;
    for (const read of [
      store.getPet(pet.id, { ifNoneMatch }),
      store.inventory({ ifNoneMatch: '*' }),
      store.usage({ ifNoneMatch: '*' }),
      store.listPets({ ifNoneMatch: '*' }),
      store.findPet(pet.id, { ifNoneMatch: '*' }),
      store.listOrders({ ifNoneMatch: '*' }),
      store.listCategories({ ifNoneMatch: '*' }),
    ]) {
      const { value, response: unchanged } = await read.withResponse();
      expect([value, unchanged.status]).toEqual([NOT_MODIFIED, 304]);
    }
    await store.changePet(pet.id, { name: 'Rex II' });
    expect(await store.getPet(pet.id, { ifNoneMatch })).toMatchObject({ name: 'Rex II' });
    expect(await store.getPet(pet.id, { ifNoneMatch: undefined })).toMatchObject({ name: 'Rex II' });
  });
});

describe('headers of a call', () => {
  it('are sent beside those of the client, which win', async () => {
    const sent: Headers[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      sent.push(new Headers(init?.headers));
      return globalThis.fetch(input, init);
    };
    const own = {
      ...{ authorization: 'one', AUTHORIZATION: 'none' },
      ...{ 'X-Request-Id': 'shop-7', 'Idempotency-Key': 'mine' },
    };
    const recording = clientOf(service, key, { fetch });
    const { response } = await recording
      .createPet({ name: 'Rex', categoryId: 7 }, { headers: own, idempotencyKey: 'one' })
      .withResponse();
    expect(Object.fromEntries(sent[0] ?? [])).toMatchObject({
      'x-request-id': 'shop-7',
      authorization: `Bearer ${key}`,
      'idempotency-key': 'one',
    });
    expect(response.requestId).toBe('shop-7');
  });

  it.each(['If-Match', 'if-none-match'])('have no %s, which has an option of its own', async (name) => {
    expect(await rejectionOf(store.usage({ headers: { [name]: '"1"' } }))).toMatchObject({
      code: 'invalid_input',
      fields: [{ field: name, message: `${name} has its own option.` }],
    });
  });

  it('that cannot be sent are invalid input', async () => {
    expect(await rejectionOf(store.usage({ headers: { 'two words': 'x' } }))).toMatchObject({
      code: 'invalid_input',
      fields: [{ field: 'two words', message: 'two words cannot be sent as a header.' }],
    });
    expect(
      await rejectionOf(store.createPet({ name: 'Rex', categoryId: 7 }, { idempotencyKey: '猫' })),
    ).toMatchObject({ code: 'invalid_input', fields: [{ field: 'idempotency-key' }] });
  });
});

describe('words', () => {
  it('are those of the document', () => {
    const { components } = parse(readFileSync('docs/openapi.yaml', 'utf8')) as {
      components: { schemas: Record<string, { enum: string[] }> };
    };
    expect(PET_STATUSES).toEqual(components.schemas['PetStatus']?.enum);
    expect(ORDER_STATUSES).toEqual(components.schemas['OrderStatus']?.enum);
  });

  it('of results are accepted, and so is a pet as a new one', async () => {
    const pet = await store.createPet({ name: 'Rex', categoryId: 7, status: 'available' });
    expect(await store.createPet(pet)).toMatchObject({ name: 'Rex', categoryId: '7', status: 'available' });
    expect(await store.changePet(pet.id, { status: pet.status })).toEqual(pet);
    expect((await store.listPets({ status: pet.status, id: pet.id })).items).toEqual([pet]);
  });
});

describe('identifiers', () => {
  it('keep every digit, and names every character, both ways', async () => {
    const bigints = clientOf(service, key, { int64: 'bigint' });
    await fc.assert(
      fc.asyncProperty(legalName, int64Text, statusOrAbsent, async (name, categoryId, status) => {
        const pet = { name, categoryId, ...(status !== undefined && { status }) };
        const created = await store.createPet(pet);
        expect(created).toEqual({ ...pet, id: created.id });
        expect(await store.getPet(created.id)).toEqual(created);
        const exact = { ...pet, id: BigInt(created.id), categoryId: BigInt(categoryId) };
        expect(await bigints.getPet(created.id)).toEqual(exact);
      }),
      { numRuns: cases(100) },
    );
  });

  it('are strings, bigints or numbers, by choice', async () => {
    const pet = await store.createPet({ name: 'Rex', categoryId: 7 });
    expect(await clientOf(service, key, { int64: 'bigint' }).getPet(pet.id)).toMatchObject({
      id: BigInt(pet.id),
      categoryId: 7n,
    });
    const inNumbers = await clientOf(service, key, { int64: 'number' }).getPet(pet.id);
    expect(inNumbers).toEqual({ id: Number(pet.id), name: 'Rex', categoryId: 7 });
  });

  it('are taken in all three types', async () => {
    const { id } = await store.createPet({ name: 'Rex', categoryId: 7 });
    for (const one of [id, BigInt(id), Number(id)]) {
      expect(await store.getPet(one)).toMatchObject({ id });
      expect((await store.listPets({ id: [one, -1], categoryId: BigInt(7) })).items).toMatchObject([{ id }]);
      expect(await store.changePet(id, { categoryId: one })).toMatchObject({ categoryId: id });
      await store.changePet(id, { categoryId: 7 });
    }
  });

  it('beyond 2^53 are exact in the path, the body, the query and the list, and no number', async () => {
    await service.pool.query(
      `insert into pets (id, name, category_id, status) overriding system value values ($1, 'far', 1, 'available')`,
      [BEYOND],
    );
    expect(await store.getPet(BEYOND)).toMatchObject({ id: BEYOND });
    expect(await store.placeOrder(BEYOND)).toMatchObject({ petId: BEYOND });
    expect(await ids(store.pets({ status: 'pending' }))).toContain(BEYOND);
    expect(await ids(store.pets({ id: BEYOND }))).toEqual([BEYOND]);
    const numbers = clientOf(service, key, { int64: 'number' });
    const error = await rejectionOf(numbers.getPet(BEYOND));
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toHaveProperty('message', expect.stringContaining(`id is ${BEYOND}`));
  });

  it.each<[Int64Like, string]>([
    [2 ** 53, 'id is beyond 2^53, where numbers are rounded: pass a string or a bigint.'],
    [1.5, 'id must be an integer, as a string, a bigint or a number.'],
    ['07', 'id must be an integer, as a string, a bigint or a number.'],
    ['../usage', 'id must be an integer, as a string, a bigint or a number.'],
  ])('that cannot be sent as they are, such as %p, are a TypeError', async (id, message) => {
    for (const call of [store.getPet(id), store.changePet(id, {}), store.deletePet(id), store.getOrder(id)]) {
      const error = await rejectionOf(call);
      expect(error).toBeInstanceOf(TypeError);
      expect(error).toMatchObject({ code: 'invalid_input', message, fields: [{ field: 'id', message }] });
    }
    expect(await rejectionOf(store.findPet(id))).toEqual(new TypeError(message));
    expect(await rejectionOf(store.listPets({ id }))).toEqual(new TypeError(message));
    const ofMember = (name: string): TypeError => new TypeError(message.replace('id', name));
    expect(await rejectionOf(store.placeOrder(id))).toEqual(ofMember('petId'));
    expect(await rejectionOf(store.changePet(1, { categoryId: id }))).toEqual(ofMember('categoryId'));
  });

  it('that are missing find no pet', async () => {
    const missing = undefined as never;
    for (const call of [store.findPet(missing), store.getPet(missing), store.deletePet(missing)]) {
      expect(await rejectionOf(call)).toMatchObject({ code: 'invalid_input', fields: [{ field: 'id' }] });
    }
  });
});

describe('lists', () => {
  it('with an empty array as a filter are a TypeError, not the whole store', async () => {
    expect(await rejectionOf(store.listPets({ id: [] }))).toBeInstanceOf(TypeError);
    expect(await rejectionOf(ids(store.pets({ status: [] })))).toBeInstanceOf(TypeError);
  });

  it('of pets are read to the end, by item, by page and by hand, with every filter', async () => {
    const { pool } = service;
    await pool.query('truncate pets, orders restart identity cascade');
    await pool.query(
      `insert into pets (name, category_id, status)
       select 'Pet', n % 3, (array['available', 'sold', 'pending']::pet_status[])[1 + n % 3]
         from generate_series(1, 50) as n`,
    );
    const all = Array.from({ length: 50 }, (_, n) => `${n + 1}`);
    const rest = (...wanted: number[]): string[] => all.filter((id) => wanted.includes(Number(id) % 3));
    expect(await ids(store.pets({ limit: 7 }))).toEqual(all);
    expect(await ids(store.pets({ limit: 10, sort: '-id' }))).toEqual(all.toReversed());
    expect(await ids(store.pets({ limit: 4, status: 'sold' }))).toEqual(rest(1));
    expect(await ids(store.pets({ limit: 4, status: ['sold', 'available'] }))).toEqual(rest(0, 1));
    expect(await ids(store.pets({ limit: 4, categoryId: 2 }))).toEqual(rest(2));
    expect(await ids(store.pets({ limit: 4, categoryId: 2, status: 'sold' }))).toEqual([]);
    expect(await ids(store.pets({ limit: 2, id: ['3', 8, 9n, 99], sort: '-id' }))).toEqual(['9', '8', '3']);

    const lengths: number[] = [];
    for await (const { items } of store.pets({ limit: 20 }).pages()) lengths.push(items.length);
    expect(lengths).toEqual([20, 20, 10]);

    let responses = 0;
    const counting = clientOf(service, key, { onResponse: () => (responses += 1) });
    const few = await counting.pets({ limit: 7 }).toArray(10);
    expect(few.map(({ id }) => id)).toEqual(all.slice(0, 10));
    expect(responses).toBe(2);
    expect(await counting.pets({ limit: 100 }).toArray(1000)).toHaveLength(50);
    for (const max of [0, -1, 1.5, Number.NaN, Infinity])
      await expect(counting.pets().toArray(max)).rejects.toMatchObject({ code: 'invalid_input' });

    const first = await store.listPets({ limit: 30 });
    expect(first.items).toHaveLength(30);
    const second = await store.listPets({ limit: 30, cursor: first.next });
    expect(second.items.map(({ id }) => id)).toEqual(all.slice(30));
    expect(second).not.toHaveProperty('next');
  });

  it('of orders are read to the end', async () => {
    const { pool } = service;
    await pool.query('truncate pets, orders restart identity cascade');
    const placed: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { id } = await store.createPet({ name: 'Pet', categoryId: 1, status: 'available' });
      placed.push((await store.placeOrder(id)).id);
    }
    expect(await ids(store.orders({ status: 'placed', limit: 2 }))).toEqual(placed);
    expect((await store.listOrders({ limit: 100 })).items.map(({ id }) => id)).toEqual(placed);
    expect(await ids(store.orders({ petId: '3' }))).toEqual(placed.slice(2, 3));
    const newest = store.orders({ status: ['placed', 'cancelled'], sort: '-id', limit: 2 });
    expect(await ids(newest)).toEqual(placed.toReversed());
    await store.createCategory({ name: 'First of two' });
    const { id } = await store.createCategory({ name: 'Last of two' });
    expect((await store.listCategories({ sort: '-id', limit: 1 })).items[0]?.id).toBe(id);
  });
});

/** The identifiers of a list, in its order. */
async function ids<Id>(list: AsyncIterable<{ readonly id: Id }>): Promise<Id[]> {
  const found: Id[] = [];
  for await (const { id } of list) found.push(id);
  return found;
}

/** A client of a later release, which responds with a body. */
const later = (body: unknown, status = 200): PetStore =>
  clientOf(service, key, { fetch: responding(JSON.stringify(body), status) });

const make = (baseUrl: string, apiKey: string) => () => new PetStore({ baseUrl, apiKey });

describe('responses', () => {
  it('that fail are reported once, whether or not withResponse is used', async () => {
    const unhandled: unknown[] = [];
    const record = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', record);
    const failed = { code: 'pet_not_found' };
    await expect(store.getPet(-1)).rejects.toMatchObject(failed);
    await expect(store.getPet(-1).withResponse()).rejects.toMatchObject(failed);
    await store.inventory();
    process.off('unhandledRejection', record);
    expect(unhandled).toEqual([]);
  });

  it('are given with the value by withResponse, to lists and to single resources', async () => {
    const { value, response } = await store.createPet({ name: 'Rex', categoryId: 7 }).withResponse();
    expect(value.name).toBe('Rex');
    expect(response).toMatchObject({
      status: 201,
      requestId: expect.stringMatching(/^[\w-]+$/),
      rateLimit: { limit: 1_000_000, remaining: expect.any(Number), resetUnixSeconds: expect.any(Number) },
      etag: expect.stringMatching(/^"/),
    });
    expect(response.headers.get('location')).toBe(`/v1/pets/${value.id}`);
    const list = await store.listPets({ limit: 1 }).withResponse();
    expect(list).toMatchObject({ value: { items: [{}] }, response: { status: 200 } });
  });

  it('may have members, codes and words that the client does not know', async () => {
    const pet = { id: 7, name: '"id":7', categoryId: 7, status: 'adopted', tags: ['a'], age: { years: 3 } };
    expect(await later(pet).getPet(7)).toEqual({ ...pet, id: '7', categoryId: '7' });
    const bigints = clientOf(service, key, {
      int64: 'bigint',
      fetch: responding(`{"id":-1,"owner":{"ownerId":${BEYOND},"taxId":"42"},"weight":1.5e3}`, 200),
    });
    const owner = { ownerId: BigInt(BEYOND), taxId: '42' };
    expect(await bigints.getPet(7)).toEqual({ id: -1n, owner, weight: 1500 });
    const order = { id: 1, petId: 7, status: 'returned', placedAt: 'x', updatedAt: 'y' };
    expect(await later(order).getOrder(1)).toEqual({ ...order, id: '1', petId: '7' });
    const error = { code: 'pet_is_asleep', message: 'Later.', status: 409, help: 'https://x.example' };
    await expect(later(error, 409).placeOrder(7)).rejects.toMatchObject({
      name: 'PetStoreError',
      code: 'pet_is_asleep',
      status: 409,
      message: 'Later.',
    });
    await expect(later({ ...error, status: 451 }, 451).usage()).rejects.toMatchObject({ status: 451 });
  });
});

const responding = (text: string, status: number) => (): Promise<Response> =>
  Promise.resolve(new Response(text, { status }));

const fieldsOf = async (call: PromiseLike<unknown>): Promise<unknown> =>
  ((await rejectionOf(call)) as PetStoreError).fields;

describe('errors', () => {
  const rejections: readonly [string, number, (one: PetStore) => PromiseLike<unknown>][] = [
    ['pet_not_found', 404, (one) => one.getPet(-1)],
    ['order_not_found', 404, (one) => one.getOrder(-1)],
    ['unknown_pet', 400, (one) => one.placeOrder(-1)],
    ['invalid_body', 400, (one) => one.createPet({ name: '', categoryId: 1 })],
    ['invalid_body', 400, (one) => one.changePet(1, {})],
    ['invalid_parameter', 400, (one) => one.listPets({ limit: 0 })],
    [
      'invalid_idempotency_key',
      400,
      (one) => one.createPet({ name: 'Rex', categoryId: 1 }, { idempotencyKey: 'a b' }),
    ],
    ['invalid_api_key', 401, () => clientOf(service, 'psk_guessed').usage()],
  ];

  it.each(rejections)('%s is its code, with the status %d', async (code, status, call) => {
    const error = await rejectionOf(call(store));
    expect(error).toBeInstanceOf(PetStoreError);
    expect(error).toMatchObject({
      code,
      status,
      message: expect.stringMatching(/\.$/),
      requestId: expect.stringMatching(/^[\w-]+$/),
      rateLimit: { limit: expect.any(Number), remaining: expect.any(Number) },
      response: { status },
    });
  });

  it('name the fields that are wrong, for a form', async () => {
    expect(await fieldsOf(store.createPet({ name: '', categoryId: 1, status: 'gone' as 'sold' }))).toEqual([
      { field: 'name', message: expect.stringMatching(/^name must be a string .+\.$/) },
      { field: 'status', message: 'status must be one of available, pending, sold.' },
    ]);
    expect(await fieldsOf(store.listPets({ limit: 0 }))).toEqual([
      { field: 'limit', message: 'limit must be an integer from 1 to 100.' },
    ]);
    expect(await fieldsOf(store.placeOrder(-1))).toEqual([
      { field: 'petId', message: 'There is no pet with this petId.' },
    ]);
    expect(await fieldsOf(store.changePet(1, {}))).toEqual([]);
    expect(await fieldsOf(store.getOrder(-1))).toEqual([]);
  });

  it('are understood from a service that does not know problem details', async () => {
    const body = '{"code":"pet_not_found","message":"There is no pet.","status":404}';
    const error = await rejectionOf(clientOf(service, key, { fetch: responding(body, 404) }).getPet(7));
    expect(error).toMatchObject({ code: 'pet_not_found', message: 'There is no pet.', fields: [] });
  });

  it('say when something other than the service responds', async () => {
    for (const [text, status] of [
      ['<html>', 404],
      ['{"code":"teapot"}', 418],
      ['<html>', 200],
      ['null', 500],
      ['{"title":"Bad Gateway","status":502,"detail":"No upstream."}', 502],
      ['{"code":"x","detail":"x","status":400,"errors":{}}', 400],
    ] as const) {
      const error = await rejectionOf(clientOf(service, key, { fetch: responding(text, status) }).usage());
      expect(error).toMatchObject({ name: 'PetStoreError', code: 'unexpected_response', status });
    }
  });

  it('say what is missing when the client is made', () => {
    expect(make('localhost:3000/v1', key)).toThrow(TypeError);
    expect(make(service.origin, 'psk_…')).toThrow(TypeError);
    expect(make('', key)).toThrow('PetStore needs a baseUrl, such as "https://petstore.example/v1".');
    expect(make(service.origin, '')).toThrow(
      'PetStore needs an apiKey (psk_…). Get one from the operator of the service.',
    );
    for (const padded of [`${key}\n`, ` ${key}`]) {
      expect(make(service.origin, padded)).toThrow(
        'The apiKey of PetStore has surrounding white space: remove it.',
      );
    }
  });
});
