import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { etagSql } from '../../src/common/etag.js';
import { ORDER_STATUSES } from '../../src/store/order.js';
import { int64Text, legalName, statusOrAbsent } from '../support/arbitraries.js';
import { startService, type TestService } from '../support/service.js';
import { openTestPool } from '../support/test-pool.js';
import { addPet, changeOrder, orderInStatus, patchOrder, placeOrder } from '../support/store.js';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
});
afterAll(() => service.close());

const etagOf = async (path: string): Promise<string | null> =>
  (await service.fetch(path, { key })).headers.get('etag');

/** By identifier, what SQL computes, as a write does under the lock. */
async function etagsInSql(table: 'pets' | 'orders') {
  const json = {
    pets: 'pet_json(id, name, category_id, status)',
    orders: 'order_json(id, pet_id, status, placed_at, updated_at)',
  }[table];
  const { rows } = await service.pool.query<{ id: bigint; etag: string }>(
    `select id, ${etagSql(json)} as etag from ${table}`,
  );
  return new Map(rows.map(({ id, etag }) => [id, etag]));
}

const post = (
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  service.fetch(path, {
    method: 'POST',
    key,
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

const NAMES = [
  '"',
  '\\',
  '/',
  '\u0001\u001f\u007f\u0080 x',
  '\b\f\n\r\t x',
  '🐕‍🦺',
  '\u2028\u2029',
  '</script>',
  'ÅÅ',
];

describe('the ETag of a pet', () => {
  it('is the same in a 201, a GET and SQL, whatever the pet', async () => {
    const pet = fc.record({
      name: fc.oneof(legalName, fc.constantFrom(...NAMES.map((name) => `a${name}`))),
      categoryId: int64Text,
      status: statusOrAbsent,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(pet, { minLength: 5, maxLength: 15 }), async (pets) => {
        const tags = await Promise.all(
          pets.map(async ({ name, categoryId, status }, index) => {
            const members = `"name":${JSON.stringify(name)},"categoryId":${categoryId}`;
            const once: Record<string, string> =
              index % 2 === 0 ? {} : { 'idempotency-key': crypto.randomUUID() };
            const body = `{${members}${status === undefined ? '' : `,"status":"${status}"`}}`;
            const created = await post('/v1/pets', body, once);
            expect([body, created.status]).toEqual([body, 201]);
            const id = BigInt(created.headers.get('location')?.split('/').at(-1) ?? '');
            const read = await etagOf(`/v1/pets/${id}`);
            return { id, created: created.headers.get('etag'), read };
          }),
        );
        const inSql = await etagsInSql('pets');
        expect(tags.map(({ created }) => created)).toEqual(tags.map(({ id }) => inSql.get(id)));
        expect(tags.map(({ read }) => read)).toEqual(tags.map(({ id }) => inSql.get(id)));
      }),
      { numRuns: 8 },
    );
  });
});

describe('the ETag of an order', () => {
  it('is the same in a 201, each 200 of a PATCH, a GET and SQL', async () => {
    for (const steps of [['approved', 'delivered'], ['approved', 'cancelled'], ['cancelled']] as const) {
      const placed = await placeOrder(service, key, await addPet(service));
      const { id } = (await placed.clone().json()) as { id: number };
      const path = `/v1/store/orders/${id}`;
      expect(placed.headers.get('etag')).toBe(await etagOf(path));
      for (const step of steps) {
        const before = await etagOf(path);
        const changed = await changeOrder(service, key, id, step);
        const etag = changed.headers.get('etag');
        expect(etag).not.toBe(before);
        expect(etag).toBe(await etagOf(path));
        expect(etag).toBe((await etagsInSql('orders')).get(BigInt(id)));
        expect(changed.headers.get('cache-control')).toBe('no-store');
        // A repeat of the present status changes nothing, and not the tag.
        expect((await changeOrder(service, key, id, step)).headers.get('etag')).toBe(etag);
      }
    }
  });

  it('is the same in a GET and SQL at any identifier, status and instant', async () => {
    const instant = fc
      .tuple(
        fc.date({ min: new Date('0001-01-01Z'), max: new Date('9999-12-30Z'), noInvalidDate: true }),
        fc.nat(999),
      )
      .map(([date, micros]) => date.toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`));
    const order = fc.record({ id: int64Text, at: instant, status: fc.constantFrom(...ORDER_STATUSES) });
    const petId = await addPet(service, 'sold');
    const operator = openTestPool(service.databaseUrl, { max: 1 });
    // They permit only orders that were placed now.
    await operator.query('alter table orders disable trigger user');
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(order, { selector: ({ id }) => id, minLength: 5, maxLength: 15 }),
        async (orders) => {
          await operator.query('delete from orders where pet_id = $1', [petId]);
          await operator.query(
            `insert into orders (id, pet_id, status, placed_at, updated_at)
             select id, $1, status, at, at + interval '23:59:59.999999'
             from unnest($2::bigint[], $3::order_status[], $4::timestamptz[]) as o (id, status, at)
             on conflict do nothing`,
            [
              petId,
              orders.map(({ id }) => id),
              orders.map(({ status }) => status),
              orders.map(({ at }) => at),
            ],
          );
          const inSql = await etagsInSql('orders');
          const read = await Promise.all([...inSql.keys()].map((id) => etagOf(`/v1/store/orders/${id}`)));
          expect(read).toEqual([...inSql.values()]);
        },
      ),
      { numRuns: 8 },
    );
    // The identifiers of the next orders may be among them.
    await operator.query('delete from orders where pet_id = $1', [petId]);
    await operator.query('alter table orders enable trigger user');
    await operator.end();
  });
});

describe('the ETag of a stored response', () => {
  it('is that of the first one, however the record has changed since', async () => {
    const petId = await addPet(service);
    const once = { 'idempotency-key': 'order-once' };
    const first = await post('/v1/store/orders', `{"petId":${petId}}`, once);
    expect(first.status).toBe(201);
    const { id } = (await first.clone().json()) as { id: number };
    await changeOrder(service, key, id, 'approved');
    const repeat = await post('/v1/store/orders', `{"petId":${petId}}`, once);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(repeat.headers.get('cache-control')).toBe('no-store');
    expect(await etagOf(`/v1/store/orders/${id}`)).not.toBe(first.headers.get('etag'));
  });
});

describe('no ETag', () => {
  it('comes with an error', async () => {
    const { id } = await orderInStatus(service, key, 'delivered');
    const responses = [
      await post('/v1/pets', '{}'),
      await placeOrder(service, key, 4711n),
      await changeOrder(service, key, id, 'placed'),
      await patchOrder(service, key, 4711, '{"status":"placed"}'),
      await service.fetch('/v1/pets/4711', { key }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([400, 400, 409, 404, 404]);
    expect(responses.map(({ headers }) => headers.get('etag'))).toEqual(Array(5).fill(null));
  });
});
