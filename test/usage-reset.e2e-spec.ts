import { describe, expect, it } from '@jest/globals';
import { holdOpen } from './support/operators.js';
import { type ApiResponse, send, tally } from './support/send.js';
import { useReplicas, useService } from './support/use-service.js';

/** It stands still, so that no window turns. */
const options = {
  clock: { nowMs: () => Date.UTC(2026, 10, 20, 12) },
  environment: { BAN_AFTER_REFUSALS: '80' },
};
const service = useService(options);
const replicas = useReplicas(service, 1, options);

const LIMIT = 20;

const reset = (id: bigint): Promise<unknown> => service.pool.query('select reset_api_key_usage($1)', [id]);

/** Many at once, over both replicas. */
const flood = (key: string): Promise<ApiResponse[]> =>
  Promise.all(
    Array.from({ length: 2 * LIMIT + 4 }, (_, n) =>
      send([service, ...replicas][n % 2]?.origin ?? '', { key }),
    ),
  );

const countsOf = async (id: bigint): Promise<unknown> => {
  const { rows } = await service.pool.query(
    `select minute_admitted::int as minute, day_admitted::int as day,
       (select sum(admitted)::int from api_key_daily_usage where api_key_id = $1) as all
     from api_key_counters where api_key_id = $1`,
    [id],
  );
  return rows[0];
};

describe('a reset', () => {
  it('gives a key exactly its limit again, on all replicas, and its usage keeps both parts of the day', async () => {
    const { id, key } = await service.issueKey({ perMinute: LIMIT, perDay: LIMIT });
    for (const round of [1, 2, 3]) {
      expect(tally(await flood(key))).toMatchObject({ 200: LIMIT });
      expect(await countsOf(id)).toEqual({ minute: LIMIT, day: LIMIT, all: round * LIMIT });
      await reset(id);
    }
    const response = await service.fetch('/v1/usage', { key });
    const usage = (await response.json()) as { days: { admitted: number; refused: number }[] };
    // This request, and those of a ban in the second before.
    expect(usage.days.at(-1)).toEqual({
      ...usage.days.at(-1),
      admitted: 3 * LIMIT + 1,
      refused: 3 * (LIMIT + 4),
    });
    expect(response.headers.get('x-ratelimit-remaining')).toBe(String(LIMIT - 1));
  });

  it('ends no ban, is recorded, and blocks no request before its commit', async () => {
    const { id, key } = await service.issueKey({ perMinute: 1, perDay: 1000 });
    await flood(key);
    expect(tally(await flood(key))).toMatchObject({ '429 api_key_banned': expect.any(Number) });
    await reset(id);
    expect(tally([await send(service.origin, { key })])).toEqual({ '429 api_key_banned': 1 });
    await service.pool.query('select unban_api_key($1)', [id]);
    await service.pool.query(`update api_keys set bans_lifted_at = '2026-11-20 12:00:01Z' where id = $1`, [
      id,
    ]);
    expect(tally([await send(service.origin, { key })])).toEqual({ 200: 1 });
    const open = await holdOpen(service.databaseUrl, 'select reset_api_key_usage($1)', [id]);
    expect(tally([await send(service.origin, { key })])).toEqual({ '429 rate_limit_exceeded': 1 });
    await open.stop();
    expect(tally([await send(service.origin, { key })])).toEqual({ 200: 1 });
    const { rows } = await service.pool.query(
      `select actor from audit_log where api_key_id = $1 and new ? 'usage_reset_at' and action = 'update'`,
      [id],
    );
    expect(rows).toHaveLength(2);
  });
});
