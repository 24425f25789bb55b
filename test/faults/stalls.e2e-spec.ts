import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { holdOpen } from '../support/operators.js';
import { startService, type TestService } from '../support/service.js';

const CONNECTIONS = 64;

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
});
afterAll(() => service.close());

/** When the statements began that wait for a lock now. */
async function waitingSince(): Promise<readonly number[]> {
  const { rows } = await service.pool.query<{ at: number }>(
    `select extract(epoch from query_start)::float8 as at
     from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.map(({ at }) => at);
}

const request = (number: number): Promise<Response> =>
  number % 4 === 0
    ? service.fetch('/v1/pets?limit=1', { key })
    : service.fetch('/v1/pets', {
        method: 'POST',
        key,
        body: '{"name":"Rex","categoryId":1}',
        headers: {
          'content-type': 'application/json',
          ...(number % 4 === 1 && { 'idempotency-key': `stall-${number}` }),
        },
      });

describe('a table that is locked for longer than the server waits for a lock', () => {
  it('rejects no request: what was rolled back is sent again', async () => {
    const operator = await holdOpen(service.databaseUrl, 'lock table pets', []);
    const requests = Array.from({ length: CONNECTIONS }, (_, number) => request(number));
    let earliest = Infinity;
    await eventually(async () => {
      const since = await waitingSince();
      earliest = Math.min(earliest, ...since);
      expect(Math.max(...since)).toBeGreaterThan(earliest + 0.4);
    });
    await operator.stop();
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, number) => (number % 4 === 0 ? 200 : 201)));
  });
});
