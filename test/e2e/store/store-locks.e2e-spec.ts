import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { CHANGE_ORDER } from '../../../src/store/orders.sql.js';
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

describe('the order of locks', () => {
  it('is the pet before its order: of an order whose pet is locked, nothing is', async () => {
    const { id, petId } = await orderInStatus(service, key, 'placed');
    await besideOperator(`update pets set name = 'Rex' where id = $1`, [petId], async () => {
      const changing = await service.pool.connect();
      try {
        await changing.query('begin');
        const { rows } = await changing.query(CHANGE_ORDER.text, [id, 'approved', null]);
        expect(rows).toMatchObject([{ isLocked: true }]);
        const free = 'select id from orders where id = $1 for no key update skip locked';
        expect((await service.pool.query(free, [id])).rowCount).toBe(1);
      } finally {
        await changing.query('rollback');
        changing.release();
      }
    });
  });
});
