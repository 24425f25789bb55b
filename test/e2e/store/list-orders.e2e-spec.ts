import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeCursor } from '../../../src/common/pagination.js';
import { ORDER_STATUSES } from '../../../src/store/order.js';
import { linkOf, walk } from '../../support/paging.js';
import { startService, type TestService } from '../../support/service.js';
import { addPets, type OrderAnswer } from '../../support/store.js';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
  const petIds = await addPets(service, 120);
  const { pool } = service;
  await pool.query('insert into orders (pet_id) select unnest($1::bigint[])', [petIds]);
  await pool.query(`update orders set status = 'approved' where id % 4 in (1, 2)`);
  await pool.query(`update orders set status = 'delivered' where id % 4 = 2`);
  await pool.query(`update orders set status = 'cancelled' where id % 4 = 3`);
});
afterAll(() => service.close());

const list = async (query: string): Promise<readonly OrderAnswer[]> =>
  (await (await service.fetch(`/v1/store/orders${query}`, { key })).json()) as readonly OrderAnswer[];

describe('GET /v1/store/orders', () => {
  describe('200', () => {
    it('answers with 20 orders by identifier when nothing else is asked', async () => {
      const orders = await list('');
      expect(orders.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      expect(Object.keys(orders[0] ?? {})).toEqual(['id', 'petId', 'status', 'placedAt', 'updatedAt']);
    });

    it.each(ORDER_STATUSES)('answers with %s orders alone', async (status) => {
      const orders = await list(`?status=${status}&limit=100`);
      expect(orders).toHaveLength(30);
      expect(new Set(orders.map((order) => order.status))).toEqual(new Set([status]));
    });

    it('meets every order once in pages of 7, by the links alone', async () => {
      const ids: number[] = [];
      for await (const page of walk(service, key, '/v1/store/orders?limit=7')) {
        ids.push(...page.map(({ id }) => id));
      }
      expect(ids).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
    });

    it('keeps the filter in its links, and has no next on the last page', async () => {
      const first = await service.fetch('/v1/store/orders?status=placed&limit=29', { key });
      const last = await service.fetch(linkOf(first, 'next') ?? '', { key });
      expect(await last.json()).toHaveLength(1);
      expect(last.headers.get('link')).toBe('</v1/store/orders?status=placed&limit=29>; rel="first"');
    });

    it('answers many different questions at once, each with its own orders', async () => {
      const limits = Array.from({ length: 80 }, (_, index) => index + 1);
      const pages = await Promise.all(
        limits.map((limit) => list(`?limit=${limit}${limit % 2 === 0 ? '' : '&status=placed'}`)),
      );
      expect(pages.map((orders) => orders.length)).toEqual(
        limits.map((limit) => (limit % 2 === 0 ? limit : Math.min(limit, 30))),
      );
    });
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    const head = await service.fetch('/v1/store/orders?limit=2', { key, method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(linkOf(head, 'next')).toBeDefined();
    expect(await head.text()).toBe('');
  });

  it.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=101'],
    ['status', 'status='],
    ['status', 'status=available'],
    ['status', 'status=placed&status=placed'],
    ['cursor', `cursor=${encodeCursor('/v1/pets?', 1n)}`],
    ['cursor', `status=placed&cursor=${encodeCursor('/v1/store/orders?', 1n)}`],
    ['cursor', 'cursor=1'],
  ])('400: names %s as what is wrong with ?%s', async (name, query) => {
    const response = await service.fetch(`/v1/store/orders?${query}`, { key });
    expect(response.status).toBe(400);
    const body = (await response.json()) as { message: string };
    expect(body).toMatchObject({ code: 'invalid_parameter', status: 400 });
    expect(body.message).toMatch(new RegExp(`^${name} must`));
  });
});

describe('GET /v1/store/orders/{orderId}', () => {
  it('200: finds an order', async () => {
    const [, second] = await list('?limit=2');
    const response = await service.fetch('/v1/store/orders/2', { key });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(second);
  });

  it('200: answers HEAD without a body', async () => {
    const response = await service.fetch('/v1/store/orders/2', { key, method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  it.each(['0', '121', '9223372036854775807', '9223372036854775808', '-1', '01', '+1', '1e0', 'rex'])(
    '404: there is no order %s',
    async (orderId) => {
      const response = await service.fetch(`/v1/store/orders/${orderId}`, { key });
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({
        code: 'order_not_found',
        message: 'There is no order with this orderId.',
        status: 404,
      });
    },
  );
});
