import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { ORDER_STATUSES, type OrderStatus } from '../../../src/store/order.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { openTestPool } from '../../support/test-pool.js';

/** What the database itself keeps true, whoever writes: here there is no service. */
let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function addPet(status: string | null = 'available'): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into pets (name, category_id, status) values ('Rex', 1, $1) returning id`,
    [status],
  );
  return rows[0]?.id ?? '';
}

async function place(petId: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('insert into orders (pet_id) values ($1) returning id', [
    petId,
  ]);
  return rows[0]?.id ?? '';
}

const STEPS_TO: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: [],
  approved: ['approved'],
  delivered: ['approved', 'delivered'],
  cancelled: ['cancelled'],
};

async function orderInStatus(status: OrderStatus): Promise<{ readonly id: string; readonly petId: string }> {
  const petId = await addPet();
  const id = await place(petId);
  for (const step of STEPS_TO[status]) await update(id, step);
  return { id, petId };
}

const update = (id: string, status: OrderStatus): Promise<unknown> =>
  pool.query('update orders set status = $2 where id = $1', [id, status]);

async function petStatus(id: string): Promise<string | null | undefined> {
  const { rows } = await pool.query<{ status: string | null }>('select status from pets where id = $1', [id]);
  return rows[0]?.status;
}

/** Expects a statement to be refused, with a message that names the rule and, in its hint, what to do. */
async function expectRefused(work: Promise<unknown>, message: RegExp, hint?: RegExp): Promise<void> {
  const error = await work.then(
    () => ({ message: 'it was not refused' }),
    (reason: unknown) => reason as { readonly message: string; readonly hint?: string },
  );
  expect(error.message).toMatch(message);
  if (hint !== undefined) expect('hint' in error ? error.hint : undefined).toMatch(hint);
}

const legal = new Set(['placed approved', 'approved delivered', 'placed cancelled', 'approved cancelled']);
const steps = ORDER_STATUSES.flatMap((from) => ORDER_STATUSES.map((to) => [from, to] as const)).filter(
  ([from, to]) => from !== to,
);

describe('the life of an order, by hand', () => {
  it.each([
    ['placed', 'pending'],
    ['approved', 'pending'],
    ['delivered', 'sold'],
    ['cancelled', 'available'],
  ] as const)('takes the animal along: the animal of a %s order is %s', async (status, animal) => {
    const { petId } = await orderInStatus(status);
    expect(await petStatus(petId)).toBe(animal);
  });

  it.each(steps.filter(([from, to]) => !legal.has(`${from} ${to}`)))(
    'has no step from %s to %s',
    async (from, to) => {
      const { id, petId } = await orderInStatus(from);
      const before = await petStatus(petId);
      await expectRefused(
        update(id, to),
        new RegExp(`^order ${id} is ${from} and cannot become ${to}$`),
        /placed can become approved or cancelled/,
      );
      expect(await petStatus(petId)).toBe(before);
    },
  );

  it.each(['approved', 'delivered', 'cancelled'])('does not begin as %s', async (status) => {
    const petId = await addPet();
    await expectRefused(
      pool.query('insert into orders (pet_id, status) values ($1, $2)', [petId, status]),
      new RegExp(`^new order \\d+ for pet ${petId} has status ${status}, but must be placed$`),
      /^Insert the order as placed/,
    );
    expect(await petStatus(petId)).toBe('available');
  });

  it('moves many animals in one statement, each as its order says', async () => {
    const petIds = await Promise.all(Array.from({ length: 6 }, () => addPet()));
    await pool.query('insert into orders (pet_id) select unnest($1::bigint[])', [petIds]);
    await pool.query(`update orders set status = 'approved' where pet_id = any($1)`, [petIds]);
    await pool.query(
      `update orders set status = case when pet_id % 2 = 0 then 'delivered' else 'cancelled' end::order_status
       where pet_id = any($1)`,
      [petIds],
    );
    for (const petId of petIds) {
      expect(await petStatus(petId)).toBe(BigInt(petId) % 2n === 0n ? 'sold' : 'available');
    }
  });

  it('stays with its animal', async () => {
    const { id } = await orderInStatus('placed');
    const other = await addPet();
    await expectRefused(
      pool.query('update orders set pet_id = $2 where id = $1', [id, other]),
      new RegExp(`^the pet of order ${id} cannot change`),
      /Cancel the order/,
    );
  });

  it('notes the instant of each step, and of nothing else', async () => {
    const { id } = await orderInStatus('placed');
    const instants = async (): Promise<{ placed_at: Date; updated_at: Date; later: boolean }> => {
      const { rows } = await pool.query<{ placed_at: Date; updated_at: Date; later: boolean }>(
        'select placed_at, updated_at, updated_at > placed_at as later from orders where id = $1',
        [id],
      );
      return rows[0] ?? { placed_at: new Date(0), updated_at: new Date(0), later: false };
    };
    const placed = await instants();
    expect(placed.later).toBe(false);
    await update(id, 'placed');
    expect(await instants()).toEqual(placed);
    await update(id, 'approved');
    expect(await instants()).toMatchObject({ placed_at: placed.placed_at, later: true });
  });
});

describe('the animal of an order, by hand', () => {
  it.each(['placed', 'approved'] as const)('stays pending while its order is %s', async (status) => {
    const { id, petId } = await orderInStatus(status);
    for (const other of ['available', 'sold', null]) {
      await expectRefused(
        pool.query('update pets set status = $2 where id = $1', [petId, other]),
        new RegExp(`^pet ${petId} must stay pending, because its order ${id} is ${status}$`),
        /Update the status of the order/,
      );
    }
    expect(await petStatus(petId)).toBe('pending');
  });

  it.each(['delivered', 'cancelled'] as const)('may have any status when its order is %s', async (status) => {
    const { petId } = await orderInStatus(status);
    await pool.query('update pets set status = null where id = $1', [petId]);
    await pool.query(`update pets set status = 'available' where id = $1`, [petId]);
    await place(petId);
    expect(await petStatus(petId)).toBe('pending');
  });

  it('may be changed in all else while its order is open', async () => {
    const { petId } = await orderInStatus('placed');
    await pool.query(`update pets set name = 'Max' where id = $1`, [petId]);
    expect(await petStatus(petId)).toBe('pending');
  });

  it.each(['sold', null])('cannot be ordered when its status is %s', async (status) => {
    const petId = await addPet(status);
    await expectRefused(place(petId), new RegExp(`^pet ${petId} is not available$`), /Only available pets/);
    expect(await petStatus(petId)).toBe(status);
  });

  it('has one open order at most', async () => {
    const { petId } = await orderInStatus('placed');
    await expectRefused(place(petId), /"orders_open_pet_id_key"/);
    const other = await addPet();
    await expectRefused(
      pool.query('insert into orders (pet_id) values ($1), ($1)', [other]),
      /"orders_open_pet_id_key"/,
    );
    expect(await petStatus(other)).toBe('available');
  });

  it('exists', async () => {
    await expectRefused(place('-1'), /"orders_pet_id_fkey"/);
  });
});

describe('deleting by hand', () => {
  it('is refused for an animal that has orders', async () => {
    const { petId } = await orderInStatus('cancelled');
    await expectRefused(pool.query('delete from pets where id = $1', [petId]), /"orders_pet_id_fkey"/);
  });

  it.each(['placed', 'approved', 'delivered'] as const)(
    'is refused for a %s order while its animal is there',
    async (status) => {
      const { id, petId } = await orderInStatus(status);
      await expectRefused(
        pool.query('delete from orders where id = $1', [id]),
        new RegExp(`^order ${id} is ${status} and cannot be deleted while pet ${petId} exists$`),
        /in one transaction/,
      );
    },
  );

  it('removes an animal after its orders, in one transaction, and a cancelled order at any time', async () => {
    const { petId } = await orderInStatus('delivered');
    // Sent at once, they are one transaction.
    await pool.query(`delete from orders where pet_id = ${petId}; delete from pets where id = ${petId}`);
    expect(await petStatus(petId)).toBeUndefined();
    const { id } = await orderInStatus('cancelled');
    expect((await pool.query('delete from orders where id = $1', [id])).rowCount).toBe(1);
  });

  it('empties the orders with the animals only', async () => {
    await orderInStatus('placed');
    await expectRefused(pool.query('truncate orders'), /cannot be truncated/, /truncate pets, orders/);
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('truncate pets, orders');
      await client.query('rollback');
    } finally {
      client.release();
    }
  });
});
