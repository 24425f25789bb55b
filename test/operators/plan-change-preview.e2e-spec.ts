import { beforeAll, describe, expect, it } from '@jest/globals';
import { issueKeys } from '../support/issue-keys.js';
import { useDatabase } from '../support/use-service.js';
import { json, petstoreOn } from '../cli/support/petstore.js';

const database = useDatabase(2);

/** Keys 1 to 5 are of the plan, 6 of another. */
beforeAll(async () => {
  const { pool } = database;
  await issueKeys(pool, 5, { plan: 'free' });
  await issueKeys(pool, 1, { plan: 'pro' });
  await pool.query(`select set_api_key_limits(4, 50, 900), revoke_api_key(5)`);
  await pool.query(
    `insert into api_key_usage_hours (hour, api_key_id, operation, outcome, requests, total_ms, minute_peak)
     select this_hour() - hours_ago * interval '1 hour', key, operation, 'success', 99, 1, peak
     from (values
       -- two rows of an hour are one hour
       (1, 1, 'listPets', 31), (1, 1, 'getPet', 45), (2, 1, 'listPets', 40), (3, 1, 'listPets', 30),
       -- an earlier release knew no peak; before 35 days; at the limit
       (1, 2, 'listPets', null), (36 * 24, 2, 'listPets', 60), (4, 2, 'listPets', 30),
       (5, 4, 'listPets', 50), (5, 5, 'listPets', 60), (5, 6, 'listPets', 60)
     ) as v (hours_ago, key, operation, peak)`,
  );
  await pool.query(
    `insert into api_key_usage (api_key_id, day, admitted, refused)
     -- The last day is that of a clock that is ahead.
     values (3, today() - 1, 901, 0), (3, today() - 2, 950, 5), (3, today() - 40, 999, 0), (1, today() - 1, 900, 0), (1, today() + 9, 999, 0)`,
  );
});

const preview = async (...values: readonly (string | number | null)[]): Promise<unknown[]> =>
  (
    await database.pool.query<{ row: string }>(
      `select concat_ws(' ', api_key_id, own_minute_limit, own_day_limit, hours_over, highest_minute, days_over, highest_day) as row
       from plan_change_preview($1, $2, $3)`,
      [...values],
    )
  ).rows.map(({ row }) => row);

describe('plan_change_preview', () => {
  it('has the keys whose last 35 days exceed the new limits, in how many hours and days, and by how much', async () => {
    expect(await preview('free', 30, 900)).toEqual(['1 f f 2 45 0', '4 t t 1 50 0', '3 f f 0 2 950']);
    expect(await preview('free', 30, null)).toEqual(['1 f f 2 45 0', '4 t t 1 50 0']);
    expect(await preview('free', null, 900)).toEqual(['3 f f 0 2 950']);
    expect(await preview('free', 60, 1000)).toEqual([]);
  });

  it('has the keys that used more in the present or the last month, which is longer than 35 days', async () => {
    const { rows } = await database.pool.query<Record<string, unknown>>(
      `select api_key_id::int, own_month_limit, months_over::int, highest_month::int
       from plan_change_preview('free', per_month => 899)
       order by 1`,
    );
    // The days of key 3 are of one month, or of two.
    expect(rows).toEqual([
      { api_key_id: 1, own_month_limit: false, months_over: 1, highest_month: 900 },
      {
        ...{ api_key_id: 3, own_month_limit: false },
        ...(
          await database.pool.query<object>(
            `select count(*)::int as months_over, max(admitted)::int as highest_month
           from (
             select sum(admitted) as admitted from api_key_usage
             where api_key_id = 3 and day >= date_trunc('month', today()::timestamp) - interval '1 month'
             group by date_trunc('month', day::timestamp)) as month`,
          )
        ).rows[0],
      },
    ]);
  });

  it('is what petstore plans set --dry-run prints, which changes nothing', async () => {
    const petstore = petstoreOn(database.url);
    const args = ['plans', 'set', 'free', '--per-minute', '30', '--per-day', '900', '--dry-run'];
    const before = (await database.pool.query('select * from plans')).rows;
    const { code, stdout } = await petstore(args);
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(2)).toEqual([
      expect.stringMatching(/^ *1 {2}test 1 +- +2 +45 +0 +- +0 +-$/),
      expect.stringMatching(/^ *4 {2}test 4 +minute, day +1 +50 +0 +- +0 +-$/),
      expect.stringMatching(/^ *3 {2}test 3 +- +0 +- +2 +950 +0 +-$/),
      expect.stringMatching(/^Covers the last 35 days/),
      '',
    ]);
    expect(await json(petstore([...args, '--json']))).toHaveLength(3);
    expect((await database.pool.query('select * from plans')).rows).toEqual(before);
    expect(await petstore(['plans', 'set', 'gold', '--per-minute', '3', '--dry-run'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^plan "gold" does not exist\nTo see the plans: /),
    });
    expect(await petstore(['plans', 'set', 'free', '--custom', '--dry-run'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'With --dry-run, pass one or more of --per-minute, --per-day, --per-month.',
      ),
    });
  });
});
