import { type Order, ORDER_STATUSES } from './order.js';

export const ORDER_EXAMPLE: Order = {
  id: 41n,
  petId: 301n,
  status: 'placed',
  placedAt: new Date('2026-11-20T09:30:00.000Z'),
  updatedAt: new Date('2026-11-20T09:30:00.000Z'),
};

export const CHANGED_ORDER_EXAMPLE: Order = {
  ...ORDER_EXAMPLE,
  status: 'approved',
  updatedAt: new Date('2026-11-20T10:05:12.345Z'),
};

const orderStatusSchema = {
  title: 'OrderStatus',
  description:
    'An order is `placed`, then `approved`, then `delivered`. It can be `cancelled` until it is delivered.',
  type: 'string',
  enum: ORDER_STATUSES,
};

/** How an order is written: instants in UTC with milliseconds (RFC 3339). */
export const orderSchema = {
  title: 'Order',
  description: 'An order for one pet.',
  type: 'object',
  properties: {
    id: {
      type: 'integer',
      format: 'int64',
      description: 'Assigned by the service when the order is placed.',
    },
    petId: { type: 'integer', format: 'int64', description: 'The ordered pet.' },
    status: orderStatusSchema,
    placedAt: { type: 'string', format: 'date-time', description: 'When the order was placed.' },
    updatedAt: { type: 'string', format: 'date-time', description: 'When the status last changed.' },
  },
  required: ['id', 'petId', 'status', 'placedAt', 'updatedAt'],
};

export const ordersSchema = {
  title: 'Orders',
  description: 'Orders, ordered by `id`.',
  type: 'array',
  items: orderSchema,
};
