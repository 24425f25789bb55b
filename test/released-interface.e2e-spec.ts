import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type * as Client from '../client/src/index.js';
import { DOCUMENT_COPY } from './support/document.js';
import { missingOf } from './support/released-document.js';
import { useService } from './support/use-service.js';

const BEYOND_DOUBLE = '9007199254740993';
const DIGITS = expect.stringMatching(/^\d+$/);

const codeOf = async (call: Promise<unknown>): Promise<unknown> =>
  await call.then(
    () => 'resolved',
    (error: unknown) => (error as { code?: string }).code,
  );
const itemsOf = async <Item>(list: AsyncIterable<Item>): Promise<Item[]> => {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
};

describe('the typed client of 1.1.0, as it was packed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-client-'));
  execFileSync('tar', ['-xzf', 'test/fixtures/petstore-client-1.1.0.tgz', '-C', folder]);
  const { PetStore, NOT_MODIFIED } = createRequire(join(folder, 'package/'))(
    join(folder, 'package/dist/cjs/index.js'),
  ) as typeof Client;
  afterAll(() => rmSync(folder, { recursive: true }));

  const service = useService();
  const open = (apiKey = service.key) =>
    new PetStore({ baseUrl: `${service.origin}/v1`, apiKey, maxRetries: 0 });
  it('creates, reads, changes and deletes pets, with exact identifiers', async () => {
    const store = open();
    const rex = await store.createPet({ name: 'Rex', categoryId: BEYOND_DOUBLE, status: 'available' });
    expect(rex).toEqual({ id: DIGITS, name: 'Rex', categoryId: BEYOND_DOUBLE, status: 'available' });
    expect(await store.getPet(rex.id)).toEqual(rex);
    expect(await store.findPet(rex.id)).toEqual(rex);
    const { value, response } = await store.changePet(rex.id, { name: 'Max' }).withResponse();
    expect(value).toEqual({ ...rex, name: 'Max' });
    expect(await store.listPets({ id: rex.id, ifNoneMatch: response.etag })).toBe(NOT_MODIFIED);
    expect(await itemsOf(store.pets({ status: ['available'], categoryId: BEYOND_DOUBLE }))).toEqual([value]);
    expect(await codeOf(store.changePet(rex.id, { name: 'Rex' }, { ifMatch: '"1"' }))).toBe(
      'precondition_failed',
    );
    await store.deletePet(rex.id);
    expect(await codeOf(store.getPet(rex.id))).toBe('pet_not_found');
  });

  it('places an order, takes it to its end, and counts the inventory', async () => {
    const store = open();
    const { id: petId } = await store.createPet({ name: 'Rex', categoryId: 7, status: 'available' });
    const order = await store.placeOrder(petId);
    expect(order).toMatchObject({ id: DIGITS, petId, status: 'placed' });
    expect(await codeOf(store.placeOrder(petId))).toBe('pet_not_available');
    expect(await store.inventory()).toMatchObject({ pending: 1, sold: 0 });
    for (const status of ['approved', 'delivered'] as const)
      expect(await store.changeOrder(order.id, status)).toMatchObject({ status });
    expect(await codeOf(store.changeOrder(order.id, 'cancelled'))).toBe('order_transition_not_allowed');
    expect(await store.getOrder(order.id)).toMatchObject({ status: 'delivered' });
    expect(await store.listOrders({ petId, status: 'delivered' })).toMatchObject({
      items: [{ id: order.id }],
    });
    expect(await store.inventory()).toMatchObject({ pending: 0, sold: 1 });
  });

  it('names, lists and deletes categories', async () => {
    const store = open();
    const dogs = await store.createCategory({ name: 'Dogs' });
    expect(await store.getCategory(dogs.id)).toEqual(dogs);
    expect(await store.putCategory(dogs.id, { name: 'Hounds' })).toEqual({ ...dogs, name: 'Hounds' });
    expect(await itemsOf(store.categories({ name: 'hounds' }))).toHaveLength(1);
    expect(await codeOf(store.createCategory({ name: 'HOUNDS' }))).toBe('category_exists');
    await store.deleteCategory(dogs.id);
    expect(await codeOf(store.getCategory(dogs.id))).toBe('category_not_found');
  });

  it('reads the usage, paces its calls by the limits, also of a key with one per month, and meets no 429', async () => {
    const { rows } = await service.pool.query<{ key: string }>(
      `select key from issue_api_key('old client', 'enterprise', per_minute => 20, per_day => 1000, per_month => 5000)`,
    );
    const store = open(rows[0]?.key);
    expect(await store.usage()).toMatchObject({ plan: 'enterprise', minute: { limit: 20 } });
    const pages = await Promise.all(Array.from({ length: 15 }, () => store.listPets({ limit: 1 })));
    expect(pages).toHaveLength(15);
    expect(await codeOf(open('psk_nothing').usage())).toBe('invalid_api_key');
  });
});

describe('the document', () => {
  type Json = Record<string, unknown>;
  const earlier = JSON.parse(
    gunzipSync(readFileSync('test/fixtures/openapi-1.1.0.json.gz')).toString(),
  ) as Json;

  it('has all that it had in 1.1.0: operations, parameters, statuses, headers, members and words', () => {
    expect(missingOf(earlier, parse(DOCUMENT_COPY) as Json)).toEqual([]);
  });

  it.each([
    ['paths /pets/{petId}', 'get /pets/{petId}'],
    ['paths /pets get responses 401', 'get /pets 401'],
    ['paths /pets get responses 200 headers ETag', 'get /pets 200 ETag'],
    ['paths /pets get parameters 0', 'get /pets ?limit'],
    [
      'paths /pets/{petId} patch requestBody content application/json',
      'patch /pets/{petId} body as application/json',
    ],
    ['components schemas Pet properties status', 'get /pets 200 as application/json[].status'],
    ['components schemas OrderStatus enum 0', 'get /store/orders 200 as application/json[].status: placed'],
  ])('that lacks %s is noticed', (path, place) => {
    const later = structuredClone(earlier);
    const names = path.split(' ');
    const last = names.pop() ?? '';
    const parent = names.reduce<Json>((part, name) => part[name] as Json, later);
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete parent[last];
    expect(missingOf(earlier, later)).toContain(place);
  });
});
