import { describe, expect, it } from '@jest/globals';
import { ORDER_STATUSES, type OrderStatus } from '../src/store/orders.dto.js';
import { rejectionOf } from './support/sql-outcome.js';
import { addPet, petStatus, STEPS_TO } from './support/store.js';
import { useDatabase } from './support/use-service.js';

/** The database enforces these rules for every program that writes: there is no service here. */
const database = useDatabase();

async function place(petId: bigint): Promise<string> {
  const insert = 'insert into orders (pet_id) values ($1) returning id';
  const { rows } = await database.pool.query<{ id: string }>(insert, [petId]);
  return rows[0]?.id ?? '';
}

const update = (id: string, status: OrderStatus): Promise<unknown> =>
  database.pool.query('update orders set status = $2 where id = $1', [id, status]);

async function orderInStatus(status: OrderStatus): Promise<{ readonly id: string; readonly petId: bigint }> {
  const petId = await addPet(database);
  const id = await place(petId);
  for (const step of STEPS_TO[status]) await update(id, step);
  return { id, petId };
}

/** Expects a statement to be rejected, with a message that names the rule and, in its hint, what to do. */
async function expectRejected(
  sql: string,
  values: readonly unknown[],
  message: RegExp,
  hint?: RegExp,
): Promise<void> {
  const rejection = await rejectionOf(database.pool, sql, values);
  expect(rejection?.message).toMatch(message);
  if (hint !== undefined) expect(rejection?.hint).toMatch(hint);
}

const INSERT = 'insert into orders (pet_id) values ($1)';
const allowed = new Set(['placed approved', 'approved delivered', 'placed cancelled', 'approved cancelled']);
const forbidden = ORDER_STATUSES.flatMap((from) => ORDER_STATUSES.map((to) => [from, to] as const)).filter(
  ([from, to]) => from !== to && !allowed.has(`${from} ${to}`),
);

describe('an order', () => {
  it.each(forbidden)('does not change from %s to %s', async (from, to) => {
    const { id, petId } = await orderInStatus(from);
    const before = await petStatus(database, petId);
    await expectRejected(
      'update orders set status = $2 where id = $1',
      [id, to],
      new RegExp(`^order ${id} is ${from} and cannot become ${to}$`),
      /placed can become approved or cancelled/,
    );
    expect(await petStatus(database, petId)).toBe(before);
  });

  it.each(['approved', 'delivered', 'cancelled'])('does not begin as %s', async (status) => {
    const petId = await addPet(database);
    await expectRejected(
      'insert into orders (pet_id, status) values ($1, $2)',
      [petId, status],
      new RegExp(`^new order \\d+ for pet ${petId} has status ${status}, but must be placed$`),
      /^Insert the order as placed/,
    );
    expect(await petStatus(database, petId)).toBe('available');
  });

  it('changes its own pet, even among many in one statement', async () => {
    const petIds = await Promise.all(Array.from({ length: 6 }, () => addPet(database)));
    const { pool } = database;
    await pool.query('insert into orders (pet_id) select unnest($1::bigint[])', [petIds]);
    await pool.query(`update orders set status = 'approved' where pet_id = any($1)`, [petIds]);
    await pool.query(
      `update orders set status = case when pet_id % 2 = 0 then 'delivered' else 'cancelled' end::order_status
       where pet_id = any($1)`,
      [petIds],
    );
    for (const petId of petIds) {
      expect(await petStatus(database, petId)).toBe(petId % 2n === 0n ? 'sold' : 'available');
    }
  });

  it('stays with its pet', async () => {
    const { id } = await orderInStatus('placed');
    await expectRejected(
      'update orders set pet_id = $2 where id = $1',
      [id, await addPet(database)],
      new RegExp(`^the pet of order ${id} cannot change`),
      /Cancel the order/,
    );
  });

  it('records the time of each status change, and of no other', async () => {
    const { id } = await orderInStatus('placed');
    const instants = async (): Promise<unknown> => {
      const select = 'select placed_at, updated_at > placed_at as later from orders where id = $1';
      return (await database.pool.query(select, [id])).rows[0];
    };
    const placed = await instants();
    await update(id, 'placed');
    expect(await instants()).toEqual(placed);
    await update(id, 'approved');
    expect([placed, await instants()]).toMatchObject([{ later: false }, { later: true }]);
  });
});

describe('the pet of an order', () => {
  it.each(['placed', 'approved'] as const)('stays pending while its order is %s', async (status) => {
    const { id, petId } = await orderInStatus(status);
    for (const other of ['available', 'sold', null]) {
      await expectRejected(
        'update pets set status = $2 where id = $1',
        [petId, other],
        new RegExp(`^pet ${petId} must stay pending, because its order ${id} is ${status}$`),
        /Update the status of the order/,
      );
    }
    await database.pool.query(`update pets set name = 'Max' where id = $1`, [petId]);
    expect(await petStatus(database, petId)).toBe('pending');
  });

  it.each(['delivered', 'cancelled'] as const)('may have any status when its order is %s', async (status) => {
    const { petId } = await orderInStatus(status);
    await database.pool.query('update pets set status = null where id = $1', [petId]);
    await database.pool.query(`update pets set status = 'available' where id = $1`, [petId]);
    await place(petId);
    expect(await petStatus(database, petId)).toBe('pending');
  });

  it.each(['sold', null] as const)('cannot be ordered when its status is %s', async (status) => {
    const petId = await addPet(database, status);
    await expectRejected(
      INSERT,
      [petId],
      new RegExp(`^pet ${petId} is not available$`),
      /Only available pets/,
    );
    expect(await petStatus(database, petId)).toBe(status);
  });

  it('exists, and has one open order at most', async () => {
    await expectRejected(INSERT, [-1], /"orders_pet_id_fkey"/);
    const { petId } = await orderInStatus('placed');
    await expectRejected(INSERT, [petId], /"orders_open_pet_id_key"/);
    const other = await addPet(database);
    await expectRejected(
      'insert into orders (pet_id) values ($1), ($1)',
      [other],
      /"orders_open_pet_id_key"/,
    );
    expect(await petStatus(database, other)).toBe('available');
  });
});

describe('deleting', () => {
  it('is rejected for a pet that has orders', async () => {
    const { petId } = await orderInStatus('cancelled');
    await expectRejected('delete from pets where id = $1', [petId], /"orders_pet_id_fkey"/);
  });

  it.each(['placed', 'approved', 'delivered'] as const)(
    'is rejected for a %s order whose pet exists',
    async (status) => {
      const { id, petId } = await orderInStatus(status);
      await expectRejected(
        'delete from orders where id = $1',
        [id],
        new RegExp(`^order ${id} is ${status} and cannot be deleted while pet ${petId} exists$`),
        /in one transaction/,
      );
    },
  );

  it('removes a pet after its orders, in one transaction, and a cancelled order at any time', async () => {
    const { petId } = await orderInStatus('delivered');
    // Sent at once, they are one transaction.
    await database.pool.query(
      `delete from orders where pet_id = ${petId}; delete from pets where id = ${petId}`,
    );
    expect(await petStatus(database, petId)).toBeUndefined();
    const { id } = await orderInStatus('cancelled');
    expect((await database.pool.query('delete from orders where id = $1', [id])).rowCount).toBe(1);
  });

  it('truncates orders only with pets', async () => {
    await orderInStatus('placed');
    await expectRejected('truncate orders', [], /cannot be truncated/, /truncate pets, orders/);
    await database.pool.query('truncate pets, orders');
  });
});
