import { describe, expect, it } from '@jest/globals';
import { cases } from './support/cases.js';
import { useReplicas, useService } from './support/use-service.js';

const LAST_OF_FEBRUARY = Date.UTC(2028, 1, 29, 23, 59, 50);
const MARCH = Date.UTC(2028, 2, 1);
const DAY_MS = 86_400_000;

const clock = { nowMs: LAST_OF_FEBRUARY };
const options = {
  clock: { nowMs: () => clock.nowMs },
  environment: { BAN_AFTER_REFUSALS: '100000' },
};
const service = useService(options);
const others = useReplicas(service, 2, options);

const limitMonth = (id: unknown, limit: number | null): Promise<unknown> =>
  service.pool.query('update api_keys set requests_per_month = $2 where id = $1', [id, limit]);

const one = async (sql: string): Promise<unknown> => (await service.pool.query<object>(sql)).rows[0];

const planOf = (id: string): Promise<unknown> =>
  one(`select custom, requests_per_month from plans where id = '${id}'`);

/** Status, limits by the two structured headers, and the message of an error. */
async function send(key: string) {
  const response = await service.fetch('/v1/pets?limit=1', { key });
  const header = (name: string): string => response.headers.get(name) ?? '';
  const body: unknown = await response.json();
  return {
    status: response.status,
    month: /"month".*$/.exec(header('ratelimit'))?.[0],
    policy: /"month".*$/.exec(header('ratelimit-policy'))?.[0],
    reset: Number(header('x-ratelimit-reset')),
    retryAfter: header('retry-after'),
    message: (body as { message?: string }).message,
  };
}

describe('a limit per month', () => {
  it('is in the headers of keys that have one, with the length of this month, and of no other', async () => {
    clock.nowMs = LAST_OF_FEBRUARY;
    const { id, key } = await service.issueKey();
    expect(await send(key)).toMatchObject({ status: 200, month: undefined, policy: undefined });
    await limitMonth(id, 9);
    expect(await send(key)).toMatchObject({
      status: 200,
      month: '"month";r=7;t=10',
      policy: '"month";q=9;w=2505600',
    });
    await limitMonth(id, null);
    expect(await send(key)).toMatchObject({ status: 200, month: undefined });
  });

  it('counts what the month has used before the limit was set, on earlier days too', async () => {
    const { id, key } = await service.issueKey();
    clock.nowMs = MARCH + 2 * DAY_MS;
    await send(key);
    clock.nowMs += DAY_MS;
    await send(key);
    await limitMonth(id, 3);
    expect(await send(key)).toMatchObject({ status: 200, month: expect.stringMatching(/^"month";r=0;/) });
    expect((await send(key)).status).toBe(429);
  });

  it('rejects with the end of the month, and Retry-After is at most a day', async () => {
    clock.nowMs = MARCH + 1000;
    const { id, key } = await service.issueKey();
    await limitMonth(id, 1);
    expect((await send(key)).status).toBe(200);
    expect(await send(key)).toMatchObject({
      status: 429,
      retryAfter: '86400',
      reset: Date.UTC(2028, 3, 1) / 1000,
      message: "The key's one request of this month is used up. Try again at 2028-04-01T00:00:00Z.",
    });
    clock.nowMs = Date.UTC(2028, 3, 1) - 1000;
    expect(await send(key)).toMatchObject({ status: 429, retryAfter: '1' });
    clock.nowMs += 1000;
    expect((await send(key)).status).toBe(200);
  });

  it('begins anew at the turn of a leap February and of a year, to the request', async () => {
    for (const turn of [MARCH, Date.UTC(2029, 0, 1)]) {
      const { id, key } = await service.issueKey();
      await limitMonth(id, 2);
      clock.nowMs = turn - 1;
      const before = [await send(key), await send(key), await send(key)];
      clock.nowMs = turn;
      const after = [await send(key), await send(key), await send(key)];
      expect([before, after].map((all) => all.map(({ status }) => status))).toEqual([
        [200, 200, 429],
        [200, 200, 429],
      ]);
    }
  });

  it('is admitted exactly in each month, over three replicas whose clocks pass the turn under load', async () => {
    const replicas = [service, ...others];
    const requests = cases(600);
    const limit = Math.floor(requests / 5);
    const { id, key } = await service.issueKey();
    await limitMonth(id, limit);
    clock.nowMs = MARCH - 1000;
    const admitted: Record<string, number> = {};
    const sender = async (_nothing: unknown, first: number): Promise<void> => {
      for (let nth = first; nth < requests; nth += 40) {
        if (nth === Math.floor(requests / 2)) clock.nowMs = MARCH;
        const response = await replicas[nth % replicas.length]?.fetch('/v1/pets?limit=1', { key });
        const month = /"month".*w=(\d+)/.exec(response?.headers.get('ratelimit-policy') ?? '')?.[1] ?? 'none';
        if (response?.status === 200) admitted[month] = (admitted[month] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: 40 }, sender));
    expect(admitted).toEqual({ [29 * 86_400]: limit, [31 * 86_400]: limit });
  });

  it('is not given back by a reset, which empties the minute and the day', async () => {
    clock.nowMs = MARCH + DAY_MS / 2;
    const { id, key } = await service.issueKey();
    await limitMonth(id, 2);
    await send(key);
    await service.pool.query('select reset_api_key_usage($1)', [id]);
    expect(await send(key)).toMatchObject({ status: 200, month: expect.stringMatching(/r=0;/) });
    expect((await send(key)).status).toBe(429);
    const { rows } = await service.pool.query(
      'select day_admitted::int from api_key_counters where api_key_id = $1',
      [id],
    );
    expect(rows).toEqual([{ day_admitted: 1 }]);
  });

  it('is that of the plan for keys without one of their own, and in GET /v1/usage', async () => {
    clock.nowMs = MARCH + DAY_MS / 2;
    await service.pool.query(`insert into plans values ('monthly', 10, 100)`);
    await service.pool.query(`update plans set requests_per_month = 5 where id = 'monthly'`);
    const { rows } = await service.pool.query<{ key: string }>(
      `select key from issue_api_key('test', 'monthly')`,
    );
    const key = rows[0]?.key ?? '';
    await send(key);
    const usage = (await (await service.fetch('/v1/usage', { key })).json()) as { month: unknown };
    expect(usage.month).toEqual({ limit: 5, remaining: 3, resetsAt: '2028-04-01T00:00:00.000Z' });
  });
});

describe('operators', () => {
  it('rename a plan with its limit per month, and make it custom without one', async () => {
    await service.pool.query(`insert into plans values ('old', 10, 100)`);
    await service.pool.query(`update plans set requests_per_month = 5 where id = 'old'`);
    await service.pool.query(`select rename_plan('old', 'renamed')`);
    expect(await planOf('renamed')).toEqual({ custom: false, requests_per_month: 5 });
    await service.pool.query(`select set_plan('renamed', custom => true)`);
    expect(await planOf('renamed')).toEqual({ custom: true, requests_per_month: null });
  });

  it('set it by the functions, which leave it where they are called as before it was there', async () => {
    const { rows } = await service.pool.query<{ id: bigint }>(
      `select id from issue_api_key('test', 'pro', per_month => 900)`,
    );
    const id = String(rows[0]?.id);
    const set = async (...limits: string[]): Promise<unknown> =>
      await one(
        `select requests_per_minute as minute, requests_per_month as month, own_limits
         from set_api_key_limits(${[id, ...limits].join(', ')})`,
      );
    expect(await set('60', 'null')).toEqual({ minute: 60, month: 900, own_limits: true });
    expect(await set('null', 'null')).toEqual({ minute: 300, month: 900, own_limits: true });
    expect(await set('null', 'null', 'per_month => 800')).toMatchObject({ month: 800 });
    expect(await set('null', 'null', 'per_month => null')).toMatchObject({ month: null, own_limits: false });
    await expect(set('null', 'null', 'per_month => -2')).rejects.toThrow(/requests_per_month is -2/);
    await expect(one(`select create_plan('both', custom => true, per_month => 5)`)).rejects.toThrow(
      /plan "both"/,
    );
  });

  it('move a key to a plan, whose limits it gets', async () => {
    const { id } = await service.issueKey();
    await limitMonth(id, 1000);
    await service.pool.query(`select set_api_key_plan(${id}, 'business')`);
    expect(await one(`select requests_per_month, own_limits from api_key_overview where id = ${id}`)).toEqual(
      {
        requests_per_month: null,
        own_limits: false,
      },
    );
  });

  it('see what a key has used of the month, in the overview and among the keys near their limits', async () => {
    clock.nowMs = Date.now();
    const { id, key } = await service.issueKey();
    await limitMonth(id, 4);
    await service.pool.query(
      `insert into api_key_usage select $1, today() - n, 9, 0 from generate_series(32, 40) as n`,
      [id],
    );
    for (let sent = 0; sent < 3; sent += 1) await send(key);
    const seen = { month_admitted: 3n, requests_per_month: 4 };
    expect(
      await one(`select month_admitted, requests_per_month from api_key_overview where id = ${id}`),
    ).toEqual(seen);
    expect(
      await one(
        `select month_admitted, requests_per_month, month_share::float8 from api_keys_near_limit where api_key_id = ${id}`,
      ),
    ).toEqual({ ...seen, month_share: 0.75 });
  });
});
