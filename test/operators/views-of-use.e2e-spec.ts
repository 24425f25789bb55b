import { describe, expect, it } from '@jest/globals';
import { tally } from '../support/send.js';
import type { TestKey } from '../support/issue-keys.js';
import { selectOne } from '../support/sql-outcome.js';
import { useOperator } from '../support/use-operator.js';

const operator = useOperator();

/** The requests of each key in a load run, and their limits a day. One is rejected so often that it is banned. */
const LOADS = [
  { sent: 37, perDay: 1000 },
  { sent: 44, perDay: 30 },
  { sent: 40, perDay: 25 },
  { sent: 70, perDay: 12 },
  { sent: 0, perDay: 1000 },
];
const BANNED = 3;
const UNUSED = 4;

/** Sends the load to both replicas at once. */
async function loadRun() {
  const keys: TestKey[] = [];
  for (const { perDay } of LOADS) keys.push(await operator.issueKey({ perMinute: 1000, perDay }));
  const order = LOADS.flatMap(({ sent }, place) => Array.from({ length: sent }, () => place));
  // Mixed, by a step that is prime to the length.
  const mixed = order.map((_, index) => order[(index * 89) % order.length] ?? UNUSED);
  const responses = await Promise.all(
    mixed.map(async (place, index) => ({
      place,
      response: await operator.send(keys[place]?.key ?? '', index),
    })),
  );
  const received = keys.map((_, place) =>
    tally(responses.filter((one) => one.place === place).map(({ response }) => response)),
  );
  return { ids: keys.map(({ id }) => String(id)), received };
}

/** The rows of the views about these keys, at one instant. */
async function look(ids: readonly string[]) {
  const { rows: overview } = await operator.pool.query<{ state: string; used: boolean; counted: Counted }>(
    `select state, last_used_at is not null as used,
            json_build_object('admitted', day_admitted, 'refused', day_refused) as counted
     from api_key_overview where id = any ($1) order by id`,
    [ids],
  );
  const { rows: days } = await operator.pool.query<{ id: string; counted: Counted }>(
    `select api_key_id as id, json_build_object('admitted', admitted, 'refused', refused) as counted
     from api_key_daily_usage where api_key_id = any ($1) and name like 'test %' order by api_key_id, day`,
    [ids],
  );
  const { rows: noisiest } = await operator.pool.query<{ id: string; counted: Counted }>(
    `select id, json_build_object('admitted', day_admitted, 'refused', day_refused) as counted
     from noisiest_api_keys where id = any ($1)`,
    [ids],
  );
  return { overview, days, noisiest };
}

interface Counted {
  readonly admitted: number;
  readonly refused: number;
}

const today = async (): Promise<string> =>
  (await selectOne<{ day: string }>(operator.pool, `select (now() at time zone 'UTC')::date::text as day`))
    .day;

/** Runs it again when the day turned meanwhile. */
async function withinOneDay<Result>(run: () => Promise<Result>): Promise<Result> {
  const day = await today();
  const result = await run();
  return (await today()) === day ? result : await run();
}

describe('after a load run the views agree with its clients to the request', () => {
  it('by key, by plan, by rejections and by day', async () => {
    const { ids, received, seen } = await withinOneDay(async () => {
      const run = await loadRun();
      return { ...run, seen: await look(run.ids) };
    });

    expect(received.slice(0, BANNED)).toEqual([
      { 200: 37 },
      { 200: 30, '429 rate_limit_exceeded': 14 },
      { 200: 25, '429 rate_limit_exceeded': 15 },
    ]);
    // Rejections during the ban are not counted.
    expect(received[BANNED]).toMatchObject({ 200: 12, '429 api_key_banned': expect.any(Number) });
    const counted = received.map((responses) => ({
      admitted: responses['200'] ?? 0,
      refused: responses['429 rate_limit_exceeded'] ?? 0,
    }));
    expect(seen.overview).toEqual(
      counted.map((count, place) => ({
        state: place === BANNED ? 'banned' : 'live',
        used: place !== UNUSED,
        counted: count,
      })),
    );
    const rowOf = (place: number) => ({ id: ids[place], counted: counted[place] });
    expect(seen.days).toEqual([0, 1, 2, BANNED].map(rowOf));
    expect(seen.noisiest).toEqual([BANNED, 2, 1].map(rowOf));
  });

  it('in the present minute', async () => {
    // Tried anew when the minute turns in between.
    for (let attempt = 1; ; attempt += 1) {
      const key = await operator.issueKey({ perMinute: 8, perDay: 1000 });
      const responses = await Promise.all(
        Array.from({ length: 11 }, (_, index) => operator.send(key.key, index)),
      );
      const seen = await operator.overviewOf(
        key,
        `minute_admitted, minute_refused, last_used_at = date_trunc('minute', now()) as is_now`,
      );
      if (seen['is_now'] !== true || tally(responses)['200'] !== 8) {
        expect(attempt).toBeLessThan(3);
        continue;
      }
      expect(seen).toEqual({ minute_admitted: '8', minute_refused: '3', is_now: true });
      return;
    }
  });
});

/** The windows of a minute. */
const at = (minute: string): string => `minute = ${minute}, day = (${minute} at time zone 'UTC')::date`;

describe('windows are those at the instant of the statement', () => {
  const COUNTS = 'minute_admitted = 4, minute_refused = 3, day_admitted = 40, day_refused = 30';
  const THIS_MINUTE = `date_trunc('minute', statement_timestamp(), 'UTC')`;

  it.each([
    ['never used', `minute = '-infinity', day = '-infinity'`, [0, 0, 0, 0]],
    ['a day that is over', at(`(${THIS_MINUTE} - interval '1 day')`), [0, 0, 0, 0]],
    // As a replica opens windows that lie ahead of this database's clock by a moment.
    ['windows that are open', at(`(${THIS_MINUTE} + interval '1 minute')`), [4, 3, 40, 30]],
    ['windows of another clock', at(`(${THIS_MINUTE} + interval '4 minutes')`), [0, 0, 0, 0]],
  ])('%s', async (_what, windows, counts) => {
    const key = await operator.issueKey();
    await operator.setCounters(key, `${COUNTS}, ${windows}`);
    const seen = await operator.overviewOf(key, 'minute_admitted, minute_refused, day_admitted, day_refused');
    expect(Object.values(seen)).toEqual(counts.map(String));
    const { rows } = await operator.pool.query('select day_refused from noisiest_api_keys where id = $1', [
      key.id,
    ]);
    expect(rows).toEqual(counts[3] === 0 ? [] : [{ day_refused: '30' }]);
  });

  it.each([
    ["the plan's limits", {}, [1000, 100_000]],
    ['lower ones of its own', { perMinute: 7, perDay: 8 }, [7, 8]],
    ['higher ones of its own', { perMinute: 2000, perDay: 200_000 }, [2000, 200_000]],
  ])('with %s', async (_what, own, limits) => {
    const key = await operator.issueKey(own);
    const seen = await operator.overviewOf(key, 'requests_per_minute, requests_per_day');
    expect(Object.values(seen)).toEqual(limits);
  });

  it('without what a pending reset will clear, before a request applies it', async () => {
    const key = await operator.issueKey();
    await operator.setCounters(key, `${COUNTS}, ${at(THIS_MINUTE)}`);
    await operator.pool.query('select reset_api_key_usage($1)', [key.id]);
    const columns = 'minute_admitted, day_admitted, day_refused';
    expect(await operator.overviewOf(key, columns)).toEqual({
      minute_admitted: '0',
      day_admitted: '0',
      day_refused: '30',
    });
    const { rows } = await operator.pool.query(
      'select admitted, refused from api_key_daily_usage where api_key_id = $1',
      [key.id],
    );
    expect(rows).toEqual([{ admitted: '40', refused: '30' }]);
  });

  it('a minute that is over, of a day that is not', async () => {
    const key = await operator.issueKey();
    await operator.setCounters(key, `${COUNTS}, ${at(`(${THIS_MINUTE} - interval '1 minute')`)}`);
    const seen = await operator.overviewOf(
      key,
      `minute_admitted, minute_refused, day_admitted,
       (statement_timestamp() at time zone 'UTC')::time < '00:01' as is_first_minute`,
    );
    const { is_first_minute: isFirstMinute } = seen;
    expect(Object.values(seen)).toEqual(['0', '0', isFirstMinute === true ? '0' : '40', isFirstMinute]);
  });

  it('also in a transaction that has been open since before', async () => {
    const key = await operator.issueKey();
    const session = await operator.pool.connect();
    try {
      await session.query('begin');
      await session.query('select now()');
      await operator.pool.query(`update api_keys set expires_at = clock_timestamp() where id = $1`, [key.id]);
      expect(await selectOne(session, 'select state from api_key_overview where id = $1', [key.id])).toEqual({
        state: 'expired',
      });
    } finally {
      await session.query('rollback');
      session.release();
    }
  });

  it('in any time zone of the operator', async () => {
    const key = await operator.issueKey();
    await operator.send(key.key);
    const session = await operator.pool.connect();
    try {
      for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu']) {
        await session.query('begin');
        await session.query(`set local time zone '${zone}'`);
        expect(
          await selectOne(
            session,
            'select sum(admitted)::int as admitted from api_key_daily_usage where api_key_id = $1',
            [key.id],
          ),
        ).toEqual({ admitted: 1 });
        const { last_used_at: used } = await selectOne<{ last_used_at: Date }>(
          session,
          'select last_used_at from api_key_overview where id = $1',
          [key.id],
        );
        expect(Math.abs(Date.now() - used.getTime())).toBeLessThan(120_000);
        await session.query('rollback');
      }
    } finally {
      session.release();
    }
  });

  it('the last use of a key whose counters are lost is the day of its history', async () => {
    const key = await operator.issueKey();
    await operator.pool.query(
      `insert into api_key_usage values ($1, '2026-11-01', 5, 1), ($1, '2026-11-03', 6, 2)`,
      [key.id],
    );
    await operator.pool.query('delete from api_key_counters where api_key_id = $1', [key.id]);
    expect(await operator.overviewOf(key, 'state, day_admitted, last_used_at')).toEqual({
      state: 'live',
      day_admitted: '0',
      last_used_at: new Date('2026-11-03Z'),
    });
  });
});

describe('counts above 2^31', () => {
  it('are exact, for the live day and history together', async () => {
    const key = await operator.issueKey();
    await operator.send(key.key);
    await operator.setCounters(
      key,
      `minute_refused = ${2 ** 40}, day_admitted = 4294967296, day_refused = ${2 ** 40}`,
    );
    await operator.pool.query(
      `insert into api_key_usage select api_key_id, day, 2147483647, 2147483647 from api_key_counters where api_key_id = $1`,
      [key.id],
    );
    expect(await operator.overviewOf(key, 'day_admitted, day_refused')).toEqual({
      day_admitted: '4294967296',
      day_refused: String(2 ** 40),
    });
    const { rows } = await operator.pool.query(
      'select admitted, refused from api_key_daily_usage where api_key_id = $1',
      [key.id],
    );
    expect(rows).toEqual([{ admitted: '6442450943', refused: String(2 ** 40 + 2 ** 31 - 1) }]);
    const { rows: noisiest } = await operator.pool.query('select id from noisiest_api_keys limit 1');
    expect(noisiest).toEqual([{ id: String(key.id) }]);
  });
});

describe('api_key_daily_usage', () => {
  it('has the finished days and the one in the live row, also when that is history already', async () => {
    const key = await operator.issueKey();
    await operator.pool.query(
      `insert into api_key_usage values ($1, '2026-11-01', 5, 1), ($1, '2026-11-03', 6, 2)`,
      [key.id],
    );
    await operator.setCounters(
      key,
      `minute = '2026-11-04 12:00Z', day = '2026-11-04', day_admitted = 7, day_refused = 3`,
    );
    const days = async (): Promise<unknown[]> =>
      (
        await operator.pool.query(
          'select day::text, admitted, refused from api_key_daily_usage where api_key_id = $1 order by day',
          [key.id],
        )
      ).rows;
    const history = [{ day: '2026-11-01', admitted: '5', refused: '1' }];
    expect(await days()).toEqual([
      ...history,
      { day: '2026-11-03', admitted: '6', refused: '2' },
      { day: '2026-11-04', admitted: '7', refused: '3' },
    ]);
    await operator.setCounters(key, `minute = '2026-11-03 12:00Z', day = '2026-11-03'`);
    expect(await days()).toEqual([...history, { day: '2026-11-03', admitted: '13', refused: '5' }]);
  });
});
