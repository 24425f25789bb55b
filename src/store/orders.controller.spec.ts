import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Test } from '@nestjs/testing';
import type { FastifyReply } from 'fastify';
import { PublicUrl } from '../common/public-url.js';
import { Idempotency } from '../idempotency/idempotency.service.js';
import { parsePreconditions } from '../common/etag.js';
import { OrdersController } from './orders.controller.js';
import { OrdersRepository } from './orders.repository.js';

const orders = {
  list: jest.fn<OrdersRepository['list']>(),
  find: jest.fn<OrdersRepository['find']>(),
  change: jest.fn<OrdersRepository['change']>(),
};
const idempotency = { once: jest.fn<Idempotency['once']>() };
let controller: OrdersController;
let headers: Record<string, unknown>;
const reply = {
  header: (name: string, value: unknown) => (headers[name] = value),
} as unknown as FastifyReply;

beforeEach(async () => {
  jest.resetAllMocks();
  headers = {};
  const module = await Test.createTestingModule({
    controllers: [OrdersController],
    providers: [
      { provide: OrdersRepository, useValue: orders },
      { provide: Idempotency, useValue: idempotency },
      { provide: PublicUrl, useValue: { to: (path: string) => `https://api.example${path}` } },
    ],
  }).compile();
  controller = module.get(OrdersController);
});

describe('OrdersController', () => {
  it('finds no order by what is not an int64, without asking the repository', async () => {
    for (const orderId of ['rex', '01', '9223372036854775808']) {
      await expect(controller.getOrder(orderId, 0)).rejects.toMatchObject({ code: 'order_not_found' });
      await expect(
        controller.updateOrder(orderId, { status: 'approved' }, parsePreconditions({}), 0),
      ).rejects.toMatchObject({
        code: 'order_not_found',
      });
    }
    for (const method of [orders.find, orders.change]) expect(method).not.toHaveBeenCalled();
  });

  it('responds with the order as the repository found it', async () => {
    orders.find.mockResolvedValue('{"id":41}');
    expect(await controller.getOrder('41', 5)).toBe('{"id":41}');
    expect(orders.find).toHaveBeenCalledWith(41n, 5);
  });

  it('links a new order, and says when its response is a repeated one', async () => {
    const created = { id: 41n, json: '{"id":41}' };
    idempotency.once.mockResolvedValueOnce({ ...created, isReplay: false });
    expect(await controller.placeOrder({ petId: 1n }, undefined, 0, reply)).toBe('{"id":41}');
    expect(headers).toEqual({ location: 'https://api.example/v1/store/orders/41' });
    idempotency.once.mockResolvedValueOnce({ ...created, isReplay: true });
    await controller.placeOrder({ petId: 1n }, undefined, 0, reply);
    expect(headers).toMatchObject({ 'idempotency-replayed': 'true' });
  });

  it('lists from the cursor on, and links the next page with the filter', async () => {
    orders.list.mockResolvedValue({ json: '[]', nextId: 42n });
    await controller.listOrders({ limit: 20, status: 'placed' }, 9, reply);
    expect(orders.list).toHaveBeenCalledWith({ fromId: expect.any(BigInt), limit: 20, status: 'placed' }, 9);
    expect(headers['link']).toMatch(
      /<https:\/\/api\.example\/v1\/store\/orders\?status=placed&.*>; rel="next"/,
    );
  });
});
