import type { Order } from './order.js';

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
