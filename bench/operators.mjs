// npm run bench -- --operators: how long the statements of operators take in a real store. It prints the table of docs/scaling.md.
import pg from 'pg';
import { median } from './measure.mjs';
import { grid } from './table.mjs';

const SIZE = { pets: 100_000, keys: 1_000_000 };
const ACTIVE = 20_000;
const DAYS = 35;
const TRIES = 5;

const LAST_DAY = `where hour >= this_hour() - interval '24 hours' and hour < this_hour()`;

const STATEMENTS = [
  ['`plan_overview`, `petstore plans list`, the tiles of the dashboard', 'select * from plan_overview'],
  ['`unused_api_keys`', 'select * from unused_api_keys limit 100'],
  ['`deprecated_operation_callers`, 20,000 of them', 'select * from deprecated_operation_callers'],
  ['`busiest_api_keys`, `petstore usage top`', 'select * from busiest_api_keys'],
  [
    '`petstore usage top --since 7d`',
    `select * from busiest_api_keys_since(this_hour() - interval '7 days')`,
  ],
  ['`api_keys_near_limit`', 'select * from api_keys_near_limit'],
  ['`noisiest_api_keys`', 'select * from noisiest_api_keys'],
  ['`recent_bans` of a day', `select * from recent_bans where began_at > now() - interval '1 day'`],
  [
    'a day of the chart of the dashboard',
    `select hour, operation, outcome, sum(requests) from api_key_usage_hours ${LAST_DAY} group by 1, 2, 3`,
  ],
  ['the first hundred keys', 'select * from api_key_overview where id > 0 order by id limit 100'],
  [
    'keys by a part of their name',
    `select id from api_keys where strpos(lower(name), '99999') > 0 order by id`,
  ],
  ['the hours of a key', 'select * from api_key_hourly_usage where api_key_id = 5000'],
];

/** @returns {Promise<string>} the table */
export async function measureOperators({ databases, log }) {
  const { url } = await databases.copy('operators', SIZE);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await fill(client, log);
    const rows = [];
    for (const [title, sql] of STATEMENTS) {
      log(`operators: ${title}`);
      const times = [];
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const beganAt = performance.now();
        await client.query(sql);
        times.push(performance.now() - beganAt);
      }
      rows.push([title, (median(times) / 1000).toFixed(2)]);
    }
    return `${grid([['Statement', 'Seconds'], ['---', '--:'], ...rows])}\n`;
  } finally {
    await client.end();
  }
}

/** 35 days of hours, and counters of today and of long ago. */
async function fill(client, log) {
  for (const table of ['api_keys', 'api_key_usage_hours'])
    await client.query(`alter table ${table} disable trigger user`);
  await client.query(`update api_keys set created_at = now() - (id % 400) * interval '1 day'`);
  await client.query(
    `update api_key_counters
     set
       minute = date_trunc('minute', now() - case when api_key_id % 50 = 0 then 0 else api_key_id % 200 end * interval '1 day'),
       day = today() - case when api_key_id % 50 = 0 then 0 else api_key_id::int % 200 end,
       day_admitted = api_key_id % 900, day_refused = api_key_id % 7
     where api_key_id % 3 <> 0 or api_key_id % 50 = 0`,
  );
  await client.query(
    `insert into api_key_bans (api_key_id, began_at, ends_at, minute_limit, day_limit)
     select key * 50, now() - n * interval '5 hours', now() - n * interval '5 hours' + interval '10 minutes', 60, 1000
     from generate_series(1, 2000) as key, generate_series(1, 20) as n`,
  );
  for (let day = DAYS - 1; day >= 0; day -= 1) {
    log(`operators: hours of day ${DAYS - day} of ${DAYS}`);
    await client.query(
      `insert into api_key_usage_hours (hour, api_key_id, operation, outcome, requests, total_ms)
       select this_hour() - ($1::int * 24 + ago) * interval '1 hour' as hour, key * 50, operation, 'success', 1 + key % 50, 100
       from generate_series(0, 23) as ago, unnest(array['getPet', 'listPets', 'placeOrder']) as operation, generate_series(1, $2::int) as key
       where operation <> 'placeOrder' or key % 3 = 0
       order by hour, key, operation`,
      [day, ACTIVE],
    );
  }
  await client.query('vacuum analyze');
}
