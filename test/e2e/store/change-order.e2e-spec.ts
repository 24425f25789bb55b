import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ORDER_STATUSES, type OrderStatus } from '../../../src/store/order.js';
import { eventually } from '../../support/eventually.js';
import { processTimeMs } from '../../support/process-time.js';
import { startService, type TestService } from '../../support/service.js';
import { changeOrder, type OrderAnswer, orderInStatus, patchOrder, petStatus } from '../../support/store.js';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService({ provokes503: true });
  ({ key } = await service.issueKey());
});
afterAll(() => service.close());

const find = async (id: number): Promise<OrderAnswer> =>
  (await (await service.fetch(`/v1/store/orders/${id}`, { key })).json()) as OrderAnswer;

const ALLOWED: readonly (readonly [OrderStatus, OrderStatus, string])[] = [
  ['placed', 'approved', 'pending'],
  ['approved', 'delivered', 'sold'],
  ['placed', 'cancelled', 'available'],
  ['approved', 'cancelled', 'available'],
];

const FORBIDDEN = ORDER_STATUSES.flatMap((from) => ORDER_STATUSES.map((to) => [from, to] as const)).filter(
  ([from, to]) => from !== to && !ALLOWED.some(([one, other]) => one === from && other === to),
);

/** A database that takes so long for each statement that changes orders. */
async function slowDown(milliseconds: number): Promise<() => Promise<unknown>> {
  await service.pool.query(`
    create function slow() returns trigger language plpgsql as
      $$ begin perform pg_sleep(${milliseconds / 1000}); return null; end $$;
    create trigger slow before update on orders for each statement execute function slow()`);
  // What still runs keeps the table for longer than a lock is awaited.
  return () => eventually(() => service.pool.query('drop function slow cascade'));
}

describe('PATCH /v1/store/orders/{orderId}', () => {
  it('is answered within two seconds, however many others change the same order', async () => {
    const { id } = await orderInStatus(service, key, 'placed');
    const speedUp = await slowDown(700);
    const begun = processTimeMs();
    const answers = await Promise.all(
      ORDER_STATUSES.map(async (status) => {
        const response = await changeOrder(service, key, id, status);
        return { status: response.status, ms: processTimeMs() - begun };
      }),
    );
    await speedUp();
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(2000);
    expect(answers.filter(({ status }) => status === 503)).not.toHaveLength(0);
  });

  describe('200', () => {
    it.each(ALLOWED)('goes from %s to %s, and the animal is then %s', async (from, to, animal) => {
      const order = await orderInStatus(service, key, from);
      const response = await changeOrder(service, key, order.id, to);
      expect(response.status).toBe(200);
      const changed = (await response.json()) as OrderAnswer;
      expect(changed).toEqual({ ...order, status: to, updatedAt: changed.updatedAt });
      expect(changed.updatedAt >= order.updatedAt).toBe(true);
      expect(await find(order.id)).toEqual(changed);
      expect(await petStatus(service, BigInt(order.petId))).toBe(animal);
    });

    it.each(ORDER_STATUSES)('changes nothing when an order that is %s is to be so', async (status) => {
      const order = await orderInStatus(service, key, status);
      const animal = await petStatus(service, BigInt(order.petId));
      const response = await changeOrder(service, key, order.id, status);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual(order);
      expect(await petStatus(service, BigInt(order.petId))).toBe(animal);
    });

    it('gives everybody the same answer who asks for the same change at once', async () => {
      const order = await orderInStatus(service, key, 'placed');
      const answers = await Promise.all(
        Array.from({ length: 50 }, async () => {
          const response = await changeOrder(service, key, order.id, 'approved');
          return `${response.status} ${await response.text()}`;
        }),
      );
      expect(new Set(answers)).toEqual(new Set([`200 ${JSON.stringify(await find(order.id))}`]));
    });
  });

  it('400: names status as what is wrong', async () => {
    const order = await orderInStatus(service, key, 'placed');
    for (const body of [
      '{}',
      '{"status":null}',
      '{"status":"sold"}',
      '{"status":"Approved"}',
      '{"status":["approved"]}',
    ]) {
      const response = await patchOrder(service, key, order.id, body);
      expect(response.status).toBe(400);
      const answer = (await response.json()) as { message: string };
      expect(answer).toMatchObject({ code: 'invalid_body', status: 400 });
      expect(answer.message).toBe('status must be one of placed, approved, delivered, cancelled.');
    }
    expect(await find(order.id)).toEqual(order);
  });

  it.each(['0', '9223372036854775807', '9223372036854775808', '01', '1.0', 'rex'])(
    '404: there is no order %s to change',
    async (orderId) => {
      const response = await changeOrder(service, key, orderId, 'approved');
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'order_not_found', status: 404 });
    },
  );

  it('405: names the methods that the path has', async () => {
    const response = await service.fetch('/v1/store/orders/1', { method: 'DELETE', key });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, PATCH');
  });

  describe('409', () => {
    it.each(FORBIDDEN)('does not go from %s to %s', async (from, to) => {
      const order = await orderInStatus(service, key, from);
      const animal = await petStatus(service, BigInt(order.petId));
      const response = await changeOrder(service, key, order.id, to);
      expect(response.status).toBe(409);
      expect(await response.json()).toEqual({
        code: 'order_transition_not_allowed',
        message: `The order is ${from} and cannot become ${to}.`,
        status: 409,
      });
      expect(await find(order.id)).toEqual(order);
      expect(await petStatus(service, BigInt(order.petId))).toBe(animal);
    });

    it('lets exactly one of a delivery and a cancellation happen that come at once', async () => {
      const orders = await Promise.all(
        Array.from({ length: 30 }, () => orderInStatus(service, key, 'approved')),
      );
      await Promise.all(
        orders.map(async ({ id, petId }) => {
          const [delivery, cancellation] = await Promise.all([
            changeOrder(service, key, id, 'delivered'),
            changeOrder(service, key, id, 'cancelled'),
          ]);
          expect([delivery.status, cancellation.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
          expect(await petStatus(service, BigInt(petId))).toBe(
            delivery.status === 200 ? 'sold' : 'available',
          );
        }),
      );
    });
  });
});
