import { describe, expect, it } from '@jest/globals';
import type { Usage } from '../src/usage/usage.dto.js';
import { holdOpen } from './support/operators.js';
import { useService } from './support/use-service.js';

const NOON = Date.UTC(2026, 10, 20, 12);
const clock = { nowMs: NOON };
const service = useService({ clock: { nowMs: () => clock.nowMs } });

const usageOf = async (key: string): Promise<Usage> =>
  (await (await service.fetch('/v1/usage', { key })).json()) as Usage;

const addHistory = (id: bigint, day: string, admitted: number, rejected: number): Promise<unknown> =>
  service.pool.query('insert into api_key_usage values ($1, $2, $3, $4)', [id, day, admitted, rejected]);

describe('GET /v1/usage', () => {
  it("responds with the key's plan, limits and windows, this request counted, and nothing of another key", async () => {
    clock.nowMs = Date.UTC(2026, 10, 20, 23, 59, 30);
    const { key: other } = await service.issueKey();
    await service.fetch('/v1/pets', { key: other });
    const { key } = await service.issueKey({ plan: 'pro', perMinute: 7, perDay: 100 });
    await service.fetch('/v1/pets', { key });
    const usage = await usageOf(key);
    expect(usage).toMatchObject({
      plan: 'pro',
      minute: { limit: 7, remaining: 5, resetsAt: '2026-11-21T00:00:00.000Z' },
      day: { limit: 100, remaining: 98, resetsAt: '2026-11-21T00:00:00.000Z' },
    });
    expect(usage.days[30]).toMatchObject({ admitted: 2, refused: 0 });
  });

  it('responds with the last 31 UTC days, those without a request among them, and moves on at midnight', async () => {
    clock.nowMs = Date.UTC(2026, 10, 20, 23, 59, 30);
    const { id, key } = await service.issueKey({ perMinute: 3, perDay: 100 });
    await addHistory(id, '2026-10-20', 1, 1);
    await addHistory(id, '2026-10-21', 5, 2);
    await addHistory(id, '2026-11-19', 8, 0);
    await usageOf(key);
    await usageOf(key);
    const { days } = await usageOf(key);
    await service.fetch('/v1/usage', { key });
    expect(days).toHaveLength(31);
    expect([days[0], days[1], days[29], days[30]]).toEqual([
      { day: '2026-10-21', admitted: 5, refused: 2 },
      { day: '2026-10-22', admitted: 0, refused: 0 },
      { day: '2026-11-19', admitted: 8, refused: 0 },
      { day: '2026-11-20', admitted: 3, refused: 0 },
    ]);

    clock.nowMs = Date.UTC(2026, 10, 21);
    const tomorrow = await usageOf(key);
    expect(tomorrow.days.slice(29)).toEqual([
      { day: '2026-11-20', admitted: 3, refused: 1 },
      { day: '2026-11-21', admitted: 1, refused: 0 },
    ]);
    expect(tomorrow.day.resetsAt).toBe('2026-11-22T00:00:00.000Z');
  });

  it('adds history of the current day, after a clock went back, beyond 2^31', async () => {
    clock.nowMs = NOON;
    const { id, key } = await service.issueKey();
    await usageOf(key);
    const most = 2 ** 31 - 1;
    await addHistory(id, '2026-11-20', most, most);
    await service.pool.query('update api_key_counters set day_refused = $2 where api_key_id = $1', [
      id,
      2 ** 40,
    ]);
    const { days } = await usageOf(key);
    expect(days[30]).toEqual({ day: '2026-11-20', admitted: most + 2, refused: 2 ** 40 + most });
  });

  it('gives each of many keys at once its own days', async () => {
    clock.nowMs = NOON;
    const keys = await Promise.all(
      Array.from({ length: 40 }, async (_, nth) => {
        const { id, key } = await service.issueKey();
        await addHistory(id, '2026-11-19', nth, 0);
        return key;
      }),
    );
    const usages = await Promise.all(keys.map(usageOf));
    expect(usages.map(({ days }) => days[29]?.admitted)).toEqual(keys.map((_, nth) => nth));
  });

  it('leaves connections for other reads while it waits', async () => {
    // The first request of a day reads the history, too.
    await service.get('/v1/pets');
    const holder = await holdOpen(
      service.databaseUrl,
      'lock table api_key_usage in access exclusive mode',
      [],
    );
    const waiting = Array.from({ length: 30 }, () => service.get('/v1/usage'));
    const pets = await Promise.all([1, 2, 3].map((limit) => service.get(`/v1/pets?limit=${limit}`)));
    await holder.stop();
    await Promise.all(waiting);
    expect(pets.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
