import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FirstStart, prepareFirstStart } from '../../../src/samples/first-start.js';
import { ORDER_STATUSES } from '../../../src/store/order.js';
import { startService, type TestService } from '../../support/service.js';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const select = async (text: string): Promise<unknown[]> => (await service.pool.query(text)).rows;

describe('the samples of a first start', () => {
  it('have orders in every state, that agree with their animals, and are added once', async () => {
    const reports: (FirstStart | undefined)[] = [];
    const prepare = (): Promise<void> => prepareFirstStart(service.databaseUrl, (one) => reports.push(one));
    await prepare();
    const [first] = reports;
    expect(await select('select count(*)::int as pets from pets')).toEqual([{ pets: first?.sampleCount }]);
    expect(await select('select status::text from orders group by status order by orders.status')).toEqual(
      ORDER_STATUSES.map((status) => ({ status })),
    );
    expect(
      await select(`
        select pets.id, pets.status, orders.status as ordered
        from pets
        left join orders on orders.pet_id = pets.id
        where case orders.status
          when 'delivered' then pets.status is distinct from 'sold'
          when 'cancelled' then pets.status is distinct from 'available'
          when 'placed' then pets.status is distinct from 'pending'
          when 'approved' then pets.status is distinct from 'pending'
          else pets.status in ('pending', 'sold') end`),
    ).toEqual([]);
    await prepare();
    expect(reports).toEqual([first, undefined]);
    expect(await select('select count(*)::int as pets from pets')).toEqual([{ pets: first?.sampleCount }]);
  });
});
