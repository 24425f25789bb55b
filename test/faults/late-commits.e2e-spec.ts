import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { holdOpen } from '../support/operators.js';
import { startService, type TestService } from '../support/service.js';
import { addPets, placeOrder } from '../support/store.js';

let service: TestService;
let key: string;
let pets: readonly bigint[];

beforeAll(async () => {
  service = await startService({ provokes503: true });
  ({ key } = await service.issueKey());
  await service.fetch('/v1/pets', { key });
  pets = await addPets(service, 20);
});
afterAll(() => service.close());

async function countOf(table: string): Promise<number> {
  const { rows } = await service.pool.query<{ count: number }>(`select count(*)::int as count from ${table}`);
  return rows[0]?.count ?? Number.NaN;
}

async function nothingWaits(): Promise<void> {
  await eventually(async () => {
    const { rows } = await service.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(0);
  });
}

const create = (): Promise<Response> =>
  service.fetch('/v1/pets', {
    method: 'POST',
    key,
    body: '{"name":"Ghost","categoryId":1}',
    headers: { 'content-type': 'application/json' },
  });

describe('writes that wait for a table', () => {
  it.each([
    ['pets', create],
    ['orders', (petId: bigint) => placeOrder(service, key, petId)],
  ])('and are answered 503 leave nothing behind, however soon %s is free then', async (table, ask) => {
    const before = await countOf(table);
    const operator = await holdOpen(service.databaseUrl, `lock table ${table} in share mode`, []);
    const answers = await Promise.all(pets.map(ask));
    await operator.stop();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    await nothingWaits();
    expect(await countOf(table)).toBe(before);
  });
});
