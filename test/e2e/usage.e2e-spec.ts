import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Clock } from '../../src/common/clock.js';
import type { Usage } from '../../src/usage/usage.dto.js';
import { holdOpen } from '../support/operators.js';
import { startService, type TestService } from '../support/service.js';

let nowMs = Date.UTC(2026, 10, 20, 23, 59, 30);
const clock: Clock = { nowMs: () => nowMs };
let service: TestService;

beforeAll(async () => {
  service = await startService({ clock });
});
afterAll(() => service.close());

const usageOf = async (key: string): Promise<Usage> =>
  (await (await service.fetch('/v1/usage', { key })).json()) as Usage;

describe('GET /v1/usage', () => {
  it("tells the calling key's plan, limits and windows, this request counted", async () => {
    const { key } = await service.issueKey({ plan: 'pro', perMinute: 7, perDay: 100 });
    await service.fetch('/v1/pets', { key });
    expect(await usageOf(key)).toMatchObject({
      plan: 'pro',
      minute: { limit: 7, remaining: 5, resetsAt: '2026-11-21T00:00:00.000Z' },
      day: { limit: 100, remaining: 98, resetsAt: '2026-11-21T00:00:00.000Z' },
    });
  });

  it('tells the last 31 UTC days, also those without a request, and moves on at midnight', async () => {
    nowMs = Date.UTC(2026, 10, 20, 23, 59, 30);
    const { id, key } = await service.issueKey({ perMinute: 3, perDay: 100 });
    await service.pool.query(
      `insert into api_key_usage (api_key_id, day, admitted, refused)
       values ($1, '2026-10-20', 1, 1), ($1, '2026-10-21', 5, 2), ($1, '2026-11-19', 8, 0)`,
      [id],
    );
    const answers = [await usageOf(key), await usageOf(key), await usageOf(key)];
    await service.fetch('/v1/usage', { key });
    const { days } = answers[2] ?? { days: [] };
    expect(days).toHaveLength(31);
    expect(days[0]).toEqual({ day: '2026-10-21', admitted: 5, refused: 2 });
    expect(days[1]).toEqual({ day: '2026-10-22', admitted: 0, refused: 0 });
    expect(days[29]).toEqual({ day: '2026-11-19', admitted: 8, refused: 0 });
    expect(days[30]).toEqual({ day: '2026-11-20', admitted: 3, refused: 0 });

    nowMs = Date.UTC(2026, 10, 21, 0, 0, 0);
    const tomorrow = await usageOf(key);
    expect(tomorrow.days[29]).toEqual({ day: '2026-11-20', admitted: 3, refused: 1 });
    expect(tomorrow.days[30]).toEqual({ day: '2026-11-21', admitted: 1, refused: 0 });
    expect(tomorrow.day.resetsAt).toBe('2026-11-22T00:00:00.000Z');
  });

  it('adds up more than 2^31 requests of a day', async () => {
    nowMs = Date.UTC(2026, 10, 20, 12);
    const { id, key } = await service.issueKey();
    await usageOf(key);
    const most = 2 ** 31 - 1;
    await service.pool.query(
      `insert into api_key_usage (api_key_id, day, admitted, refused) values ($1, '2026-11-20', ${most}, ${most})`,
      [id],
    );
    await service.pool.query(`update api_key_counters set day_refused = ${2 ** 40} where api_key_id = $1`, [
      id,
    ]);
    const { days } = await usageOf(key);
    expect(days[30]).toEqual({ day: '2026-11-20', admitted: most + 2, refused: 2 ** 40 + most });
  });

  it('counts a day that began anew, because a clock went back, together with what it had counted before', async () => {
    nowMs = Date.UTC(2026, 10, 20, 12);
    const { id, key } = await service.issueKey();
    await service.pool.query(
      `insert into api_key_usage (api_key_id, day, admitted, refused) values ($1, '2026-11-20', 100, 5)`,
      [id],
    );
    expect((await usageOf(key)).days[30]).toEqual({ day: '2026-11-20', admitted: 101, refused: 5 });
  });

  it('gives each of those who ask at the same time its own days', async () => {
    const asking = await Promise.all(
      Array.from({ length: 40 }, async (_, nth) => {
        const { id, key } = await service.issueKey();
        await service.pool.query(
          `insert into api_key_usage (api_key_id, day, admitted, refused) values ($1, '2026-11-19', $2, 0)`,
          [id, nth],
        );
        return key;
      }),
    );
    nowMs = Date.UTC(2026, 10, 20, 12);
    const answers = await Promise.all(asking.map(usageOf));
    expect(answers.map(({ days }) => days[29]?.admitted)).toEqual(asking.map((_, nth) => nth));
  });

  it('leaves other reads their connections when it has to wait', async () => {
    const { key } = await service.issueKey();
    // The first request of a day looks into the history, too.
    await service.fetch('/v1/pets', { key });
    const operator = await holdOpen(
      service.databaseUrl,
      'lock table api_key_usage in access exclusive mode',
      [],
    );
    const waiting = Array.from({ length: 30 }, () => service.fetch('/v1/usage', { key }));
    const pets = await Promise.all(
      [1, 2, 3].map((limit) => service.fetch(`/v1/pets?limit=${limit}`, { key })),
    );
    await operator.stop();
    await Promise.all(waiting);
    expect(pets.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('tells nobody of another key', async () => {
    const { key: busy } = await service.issueKey();
    await service.fetch('/v1/pets', { key: busy });
    const { key } = await service.issueKey();
    expect((await usageOf(key)).days[30]).toMatchObject({ admitted: 1, refused: 0 });
  });

  it('401 without a key', async () => {
    expect((await service.fetch('/v1/usage')).status).toBe(401);
  });
});
