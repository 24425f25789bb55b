import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { issueKeys } from '../support/issue-keys.js';
import { PRESENT_COUNTERS } from '../support/present-counters.js';
import { useDatabase } from '../support/use-service.js';

const database = useDatabase(1);

beforeAll(() => issueKeys(database.pool, 3, { plan: 'enterprise', perMinute: 100, perDay: 1000 }));
beforeEach(async () => {
  await database.pool.query('truncate api_key_usage_hours, api_key_usage, api_key_bans, database_outages');
  await database.pool.query(
    `update api_key_counters set minute = '-infinity', day = '-infinity', minute_admitted = 0, minute_refused = 0,
       day_admitted = 0, day_refused = 0, banned_at = null, banned_until = null`,
  );
});

const hours = (...rows: readonly string[]): Promise<unknown> =>
  database.pool.query(
    `insert into api_key_usage_hours
     select date_trunc('hour', now(), 'UTC') - ago * interval '1 hour', key, operation, outcome, requests, ms
     from (values ${rows.join(', ')}) as v (ago, key, operation, outcome, requests, ms)`,
  );

async function select(text: string): Promise<unknown[]> {
  const { rows } = await database.pool.query<Record<string, unknown>>(text);
  return rows.map((row) => Object.values(row));
}

describe('api_key_hourly_usage', () => {
  it('has every hour with the name of the key', async () => {
    await hours(`(0, 1, 'listPets', 'success', 4, 10)`, `(700, 1, 'getPet', 'limited', 1, 3)`);
    expect(
      await select(
        `select name, plan_id, operation, outcome, requests, mean_ms from api_key_hourly_usage where api_key_id = 1 order by hour`,
      ),
    ).toEqual([
      ['test 1', 'enterprise', 'getPet', 'limited', '1', '3.0'],
      ['test 1', 'enterprise', 'listPets', 'success', '4', '2.5'],
    ]);
  });
});

describe('api_key_usage_hours', () => {
  it('has whole hours, because the views find them by their beginning', async () => {
    const part = `insert into api_key_usage_hours values ('2026-11-20 09:30Z', 1, 'listPets', 'success', 1, 1)`;
    await expect(database.pool.query(part)).rejects.toMatchObject({ code: '23514' });
  });
});

describe('busiest_api_keys', () => {
  it('has the keys of the last 24 hours by their requests, with outcomes', async () => {
    await hours(
      `(0, 1, 'listPets', 'success', 4, 40)`,
      `(23, 1, 'listPets', 'limited', 1, 10)`,
      `(24, 1, 'listPets', 'success', 100, 10)`,
      `(3, 2, 'listPets', 'server_error', 9, 90)`,
      `(3, 2, 'listPets', 'suspended', 1, 10)`,
    );
    expect(
      await select(
        'select api_key_id, name, requests, success, client_error, server_error, limited, banned, suspended, unauthorized, mean_ms from busiest_api_keys',
      ),
    ).toEqual([
      ['2', 'test 2', '10', '0', '0', '9', '0', '0', '1', '0', '10.0'],
      ['1', 'test 1', '5', '4', '0', '0', '1', '0', '0', '0', '10.0'],
    ]);
  });
});

describe('busiest_api_keys_since', () => {
  it('has nothing since null', async () => {
    await hours(`(0, 1, 'listPets', 'success', 4, 40)`);
    expect(await select('select api_key_id from busiest_api_keys_since(null)')).toEqual([]);
  });

  it.each([`this_hour() - interval '90 minutes'`, `'-infinity'`])(
    'has the outcomes of whole hours, from that of %s on',
    async (since) => {
      await hours(`(0, 1, 'listPets', 'success', 4, 40)`, `(2, 1, 'listPets', 'limited', 3, 30)`);
      const rows = await select(
        `select success, limited, requests, mean_ms from busiest_api_keys_since(${since}) where api_key_id = 1`,
      );
      expect(rows).toEqual([['4', '3', '7', '10.0']]);
    },
  );
});

describe('api_keys_near_limit', () => {
  it('has the largest share of the present minute and day, and the busiest hour', async () => {
    await database.pool.query(
      `update api_key_counters set ${PRESENT_COUNTERS},
         minute_admitted = case api_key_id when 1 then 30 else 90 end, day_admitted = case api_key_id when 1 then 950 else 90 end
       where api_key_id < 3`,
    );
    await hours(
      `(0, 1, 'listPets', 'success', 4, 1)`,
      `(5, 1, 'listPets', 'success', 400, 1)`,
      `(5, 1, 'getPet', 'client_error', 50, 1)`,
      `(6, 1, 'listPets', 'limited', 9999, 1)`,
    );
    expect(
      await select(
        `select api_key_id, minute_share, day_share, requests_per_minute, busiest_hour = date_trunc('hour', now(), 'UTC') - interval '5 hours', busiest_hour_admitted
         from api_keys_near_limit`,
      ),
    ).toEqual([
      ['1', '0.300', '0.950', 100, true, '450'],
      ['2', '0.900', '0.090', 100, null, null],
    ]);
  });
});

describe('api_keys_near_limit with many keys', () => {
  it('has the largest shares of the day also while a hundred keys have used up their minute', async () => {
    await database.pool.query(
      `insert into api_keys (name, plan_id, requests_per_minute, requests_per_day)
       select 'crowd', 'enterprise', 10, 1000 from generate_series(1, 120)`,
    );
    await database.pool.query(
      `update api_key_counters c set ${PRESENT_COUNTERS},
         minute_admitted = case when k.name = 'crowd' then 10 else 1 end, day_admitted = case when k.name = 'crowd' then 10 else 950 end
       from api_keys k where k.id = c.api_key_id and (k.id = 1 or k.name = 'crowd')`,
    );
    expect(await select('select api_key_id from api_keys_near_limit where day_share > 0.8')).toEqual([['1']]);
    await database.pool.query(`update api_keys set expires_at = now() where id = 1`);
    expect(await select('select api_key_id from api_keys_near_limit where day_share > 0.8')).toEqual([]);
    await database.pool.query(`update api_keys set expires_at = null where id = 1`);
  });
});

describe('deprecated_operation_callers', () => {
  it('lists each caller within the retention with its last hour, but no rejected ones', async () => {
    await hours(
      `(2, 1, 'getPet', 'success', 4, 1)`,
      `(2, 1, 'getPet', 'limited', 5, 1)`,
      `(1, 1, 'getPet', 'banned', 5, 1)`,
      `(100, 2, 'getPet', 'client_error', 9, 1)`,
      `(30 * 24, 3, 'getPet', 'success', 4, 1)`,
      `(0, 3, 'listPets', 'success', 4, 1)`,
      `(0, 4, 'getPet', 'unauthorized', 4, 1)`,
    );
    expect(
      await select(
        `select operation, api_key_id, name, requests_24h, extract(epoch from date_trunc('hour', now(), 'UTC') - last_hour)::int / 3600
         from deprecated_operation_callers`,
      ),
    ).toEqual([
      ['getPet', '1', 'test 1', '4', 2],
      ['getPet', '2', 'test 2', '0', 100],
      ['getPet', '3', 'test 3', '0', 720],
    ]);
  });

  it('knows all operations that the document calls deprecated', async () => {
    const document = parse(readFileSync('docs/openapi.yaml', 'utf8')) as {
      paths: Record<string, Record<string, { operationId?: string; deprecated?: boolean }>>;
    };
    const deprecated = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .filter((operation) => operation.deprecated === true)
      .map(({ operationId }) => operationId ?? '');
    expect(deprecated).not.toEqual([]);
    await hours(...deprecated.map((operation) => `(0, 1, '${operation}', 'success', 1, 1)`));
    expect(await select('select operation from deprecated_operation_callers')).toEqual(
      deprecated.map((operation) => [operation]),
    );
  });
});

const bans = (): Promise<unknown[]> =>
  select('select api_key_id, name, minute_limit, lifted_at is not null, in_force from recent_bans');

describe('recent_bans', () => {
  it('has bans, the last first, whether one is in force, and when an operator lifted it', async () => {
    await database.pool.query(
      `insert into api_key_bans values
         (1, now() - interval '1 hour', now() + interval '1 hour', 60, 1000),
         (2, now() - interval '2 hours', now() + interval '1 hour', 60, 1000),
         (2, now() - interval '9 hours', now() - interval '8 hours', 60, 1000)`,
    );
    await database.pool.query(
      `update api_key_counters set minute = b.began_at, day = (b.began_at at time zone 'UTC')::date,
         banned_at = b.began_at, banned_until = b.ends_at
       from api_key_bans b where b.api_key_id = api_key_counters.api_key_id and b.ends_at > now()`,
    );
    await database.pool.query('select unban_api_key(2)');
    expect(await bans()).toEqual([
      ['1', 'test 1', 60, false, true],
      ['2', 'test 2', 60, true, false],
      ['2', 'test 2', 60, false, false],
    ]);
    // A later one does not change what an earlier one says.
    await database.pool.query(
      `insert into api_key_bans values (2, now(), now() + interval '1 hour', 60, 1000)`,
    );
    await database.pool.query('select unban_api_key(2)');
    expect(await bans()).toContainEqual(['2', 'test 2', 60, true, false]);
    expect((await bans()).at(-1)).toEqual(['2', 'test 2', 60, false, false]);
  });

  it('shows none in force that admission ignores: from a fast clock, or of a key without counters', async () => {
    await database.pool.query(
      `insert into api_key_bans values (1, now() + interval '1 day', now() + interval '25 hours', 60, 1000), (999999, now(), now() + interval '1 hour', 60, 1000)`,
    );
    await database.pool.query(
      `update api_key_counters set minute = b.began_at, day = (b.began_at at time zone 'UTC')::date,
         banned_at = b.began_at, banned_until = b.ends_at
       from api_key_bans b where b.api_key_id = api_key_counters.api_key_id`,
    );
    expect(await select('select api_key_id, in_force from recent_bans')).toEqual([
      ['1', false],
      ['999999', false],
    ]);
  });
});

const unused = (): Promise<unknown[]> =>
  select('select api_key_id, last_used_at is null from unused_api_keys');

describe('unused_api_keys', () => {
  it('has keys older than 90 days that were never used or not for 90 days', async () => {
    const { rows } = await database.pool.query<{ id: string }>(
      `insert into api_keys (name, plan_id, created_at)
       select 'old', 'free', now() - interval '100 days' from generate_series(1, 2) returning id::text`,
    );
    const [never, once] = rows.map(({ id }) => id);
    await database.pool.query(
      `update api_key_counters set minute = date_trunc('minute', now() - interval '91 days', 'UTC'),
         day = ((now() - interval '91 days') at time zone 'UTC')::date
       where api_key_id = $1`,
      [once],
    );
    expect(await unused()).toEqual([
      [never, true],
      [once, false],
    ]);
    // Without counters, the day of the last use is in the history.
    await database.pool.query('delete from api_key_counters where api_key_id = $1', [never]);
    await database.pool.query(
      `insert into api_key_usage values ($1, (now() at time zone 'UTC')::date - 5, 1, 0)`,
      [never],
    );
    expect(await unused()).toEqual([[once, false]]);
  });
});

describe('usage_hours_gaps', () => {
  it('shows per day what hours lack of exact counts, including resets', async () => {
    await database.pool.query(
      `update api_key_counters set minute = now(), day = (now() at time zone 'UTC')::date, day_admitted = 10, day_refused = 4
       where api_key_id = 1`,
    );
    await database.pool.query(
      `insert into api_key_usage values
         (1, (now() at time zone 'UTC')::date, 5, 0), (1, (now() at time zone 'UTC')::date - 2, 7, 1)`,
    );
    await database.pool.query(
      `insert into api_key_usage_hours
       select date_trunc('day', now(), 'UTC') - ago * interval '1 day', 1, 'listPets', outcome, requests, 1
       from (values (0, 'success', 8), (0, 'client_error', 1), (0, 'limited', 4), (0, 'banned', 99), (2, 'server_error', 7)) as v (ago, outcome, requests)`,
    );
    expect(
      await select(
        `select (now() at time zone 'UTC')::date - day as ago, admitted, admitted_missing, refused, refused_missing from usage_hours_gaps`,
      ),
    ).toEqual([
      [2, '7', '0', '1', '1'],
      [1, '0', '0', '0', '0'],
      [0, '15', '6', '4', '0'],
    ]);
  });

  it('shows when each replica had no database, for each day', async () => {
    await database.pool.query(
      `insert into api_key_usage_hours
       values (date_trunc('day', now(), 'UTC') - interval '3 days', 1, 'listPets', 'success', 1, 1)`,
    );
    await database.pool.query(
      `insert into database_outages
       select replica, date_trunc('day', now(), 'UTC') + began, date_trunc('day', now(), 'UTC') + ended, 0
       from (values
         ('a', interval '-2 days -10 minutes', interval '-2 days' + interval '5 minutes'),
         ('b', interval '-36 hours', interval '-36 hours' + interval '90 seconds'),
         ('c', interval '-47 hours', interval '9 days')) as outage (replica, began, ended)`,
    );
    expect(
      await select(
        `select (now() at time zone 'UTC')::date - day as ago, without_database from usage_hours_gaps`,
      ),
    ).toEqual([
      [3, '23:50:00 to 23:59:59, a'],
      [2, '00:00:00 to 00:05:00, a; 12:00:00 to 12:01:30, b'],
      [1, null],
      [0, null],
    ]);
  });
});
