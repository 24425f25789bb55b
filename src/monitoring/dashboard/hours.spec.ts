import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { Query } from './dashboard-database.js';
import { Hours } from './hours.js';

const HOUR_MS = 3_600_000;

it('shows every hour even if another reader starts the next hour between statements', async () => {
  let nowMs = Date.UTC(2027, 0, 31, 12, 30);
  const waiting: (() => void)[] = [];
  const query = (async (sql: string, [from]: readonly unknown[] = []) => {
    if (sql.includes('as now')) return [{ now: new Date(nowMs) }];
    if (!sql.includes('from api_key_usage_hours where hour >=')) return [];
    await new Promise<void>((resolve) => waiting.push(resolve));
    return Array.from({ length: 24 }, (_, nth) => ({
      hour: new Date(new Date(String(from)).getTime() + nth * HOUR_MS),
      ...{ operation: 'listPets', outcome: 'success', requests: 7n, total_ms: 7n },
    }));
  }) as Query;
  const hours = new Hours((work) => work(query));
  /** Begins to read, up to the statement about hours. */
  const begin = async (): Promise<{ readonly page: Promise<object> }> => {
    const before = waiting.length;
    const page = hours.read('24h');
    while (waiting.length === before) await turn();
    return { page };
  };
  const first = await begin();
  waiting.shift()?.();
  await first.page;
  const reader = await begin();
  nowMs += HOUR_MS;
  await begin();
  waiting.shift()?.();
  const requests = Array.from({ length: 24 }, () => 7n);
  expect(await reader.page).toMatchObject({
    outcomes: expect.arrayContaining([{ outcome: 'success', requests }]),
  });
});
