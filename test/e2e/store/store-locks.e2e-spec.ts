import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import type { Statement } from '../../../src/prisma/query-rows.js';
import { CHANGE_LOCKED_ORDERS, PLACE_LOCKED_ORDERS } from '../../../src/store/orders.sql.js';
import { eventually } from '../../support/eventually.js';
import { startService, type TestService } from '../../support/service.js';
import { addPets, changeOrder, orderInStatus, placeOrder, petStatus } from '../../support/store.js';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService({ provokes503: true });
  ({ key } = await service.issueKey());
});
afterAll(() => service.close());

/** Works beside an operator whose transaction is open and took its locks by a first statement. */
async function besideOperator(
  statement: string,
  values: readonly unknown[],
  work: (operator: PoolClient) => Promise<void>,
): Promise<void> {
  const operator = await service.pool.connect();
  try {
    await operator.query('begin');
    await operator.query(statement, [...values]);
    await work(operator);
  } finally {
    await operator.query('rollback');
    operator.release();
  }
}

describe('beside an open transaction of an operator', () => {
  it('only orders of the animals that it holds are refused, with 503, and are placed when it has ended', async () => {
    const [held = 0n, ...free] = await addPets(service, 31);
    await besideOperator(`update pets set name = 'Rex' where id = $1`, [held], async () => {
      const [refused, ...others] = await Promise.all(
        [held, ...free].map((petId) => placeOrder(service, key, petId)),
      );
      expect(refused?.status).toBe(503);
      expect(refused?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(others.map(({ status }) => status)).toEqual(free.map(() => 201));
    });
    // A 503 leaves open whether the order was placed; now it is, once.
    expect([201, 409]).toContain((await placeOrder(service, key, held)).status);
    const { rows } = await service.pool.query<{ status: string }>(
      'select status from orders where pet_id = $1',
      [held],
    );
    expect(rows).toEqual([{ status: 'placed' }]);
  });

  it('who locks an order before its animal makes no deadlock, and gets both', async () => {
    const { id, petId } = await orderInStatus(service, key, 'placed');
    await besideOperator('select from orders where id = $1 for update', [id], async (operator) => {
      const change = changeOrder(service, key, id, 'approved');
      // Whichever of the two has the animal now: the service gives way, before PostgreSQL looks for deadlocks.
      await expect(
        operator.query(`update orders set status = 'cancelled' where id = $1`, [id]),
      ).resolves.toMatchObject({ rowCount: 1 });
      expect((await change).status).toBe(503);
    });
    expect((await changeOrder(service, key, id, 'approved')).status).toBe(200);
    expect(await petStatus(service, BigInt(petId))).toBe('pending');
    const { rows } = await service.pool.query<{ deadlocks: bigint }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(rows).toEqual([{ deadlocks: 0n }]);
  });
});

/** The identifiers of rows that nobody holds. */
async function notHeld(table: 'pets' | 'orders', ids: readonly bigint[]): Promise<readonly bigint[]> {
  const { rows } = await service.pool.query<{ id: bigint }>(
    `select id from ${table} where id = any($1) order by id for no key update skip locked`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Far longer than a test works. */
const PATIENCE_MS = 60_000;

/** Sends a statement that will wait for a lock as long as it takes, and works while it waits. */
async function whileWaiting(
  { text }: Statement,
  ids: readonly bigint[],
  values: readonly unknown[],
  end: () => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  const client = await service.pool.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const patience = ids.map(() => PATIENCE_MS);
    const waiting = client.query(text, [ids, ...values, patience, PATIENCE_MS]);
    try {
      await eventually(async () => {
        const { rowCount } = await service.pool.query(
          `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`,
          [rows[0]?.pid],
        );
        expect(rowCount).toBe(1);
      });
      await work();
    } finally {
      await end();
      await waiting;
    }
  } finally {
    client.release();
  }
}

describe('the order of locks', () => {
  it('is that of the animals, by identifier, whatever was asked first', async () => {
    const petIds = await addPets(service, 3);
    const [first = 0n, second = 0n, third = 0n] = petIds;
    await besideOperator(`update pets set name = 'Rex' where id = $1`, [second], async (operator) => {
      await whileWaiting(
        PLACE_LOCKED_ORDERS,
        [third, second, first],
        [],
        async () => void (await operator.query('rollback')),
        async () => expect(await notHeld('pets', petIds)).toEqual([third]),
      );
    });
  });

  it('has the orders after all of their animals', async () => {
    const orders = await Promise.all([1, 2, 3].map(() => orderInStatus(service, key, 'placed')));
    const [first, second, third] = orders.toSorted((a, b) => a.petId - b.petId);
    if (first === undefined || second === undefined || third === undefined) throw new Error('too few orders');
    const asked = [third, first, second].map(({ id }) => BigInt(id));
    await besideOperator(`update pets set name = 'Rex' where id = $1`, [second.petId], async (operator) => {
      await whileWaiting(
        CHANGE_LOCKED_ORDERS,
        asked,
        [asked.map(() => 'approved'), asked.map(() => null)],
        async () => void (await operator.query('rollback')),
        async () => {
          expect(await notHeld('pets', [BigInt(first.petId), BigInt(third.petId)])).toEqual([
            BigInt(third.petId),
          ]);
          expect(await notHeld('orders', asked)).toHaveLength(3);
        },
      );
    });
  });
});
