import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../support/use-service.js';

/** Enough that the planner would not read a table to find a few rows of it; set more with, e.g., OPERATOR_KEYS=1000000. */
const KEYS = Number(process.env['OPERATOR_KEYS'] ?? 20_000);

const database = useDatabase(1);

beforeAll(async () => {
  const operator = database.pool;
  // The audit has a test of its own; here it would only take time.
  for (const table of ['api_keys', 'api_key_secrets']) {
    await operator.query(`alter table ${table} disable trigger ${table}_audit_insert`);
  }
  await operator.query(
    `insert into api_keys (name, plan_id, expires_at)
     select 'key ' || n, (array['free', 'pro', 'business'])[n % 3 + 1],
            case when n % 50 = 0 then now() + n * interval '1 hour' end
     from generate_series(1, $1::int) as n`,
    [KEYS],
  );
  await operator.query(
    `insert into api_key_secrets (hash, api_key_id, prefix)
     select sha256(name::bytea), id, 'psk_' || lpad(id::text, 8, '0') from api_keys`,
  );
  await operator.query(
    `insert into api_key_usage select id, date '2026-11-01' + n, 5, 1 from api_keys, generate_series(1, 3) as n`,
  );
  await operator.query(
    `update api_key_counters set minute = now(), day = now(), day_refused = api_key_id % 100 where api_key_id % 10 = 0`,
  );
  for (const table of ['api_keys', 'api_key_secrets', 'api_key_counters', 'api_key_usage']) {
    await operator.query(`vacuum analyze ${table}`);
  }
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The tables that a statement reads from one end to the other, but for the plans, which are a handful, and the catalog. */
async function readInFull(sql: string): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
    `explain (format json) ${sql}`,
  );
  const scans = (node: PlanNode): readonly string[] => [
    ...(node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : []),
    ...(node.Plans ?? []).flatMap(scans),
  ];
  return rows
    .flatMap((row) => scans(row['QUERY PLAN'][0].Plan))
    .filter((table) => table !== 'plans' && !table.startsWith('pg_'));
}

/** Each view that operators read has a row: what operators read of it, and which tables that may read from one end to the other. */
const READS: readonly (readonly [what: string, sql: string, ...tables: string[]])[] = [
  ['one key', 'select * from api_key_overview where id = 7777'],
  ['the first 100 keys', 'select * from api_key_overview order by id limit 100'],
  ['the next 100 keys', 'select * from api_key_overview where id > 7777 order by id limit 100'],
  [
    'the key of a prefix',
    `select * from api_key_overview
     where id in (select api_key_id from api_key_secrets where prefix = 'psk_00007777')`,
  ],
  [
    'the days of one key',
    'select * from api_key_daily_usage where api_key_id = 7777 order by day desc limit 31',
  ],
  [
    'the days of some keys',
    `select u.* from api_key_overview k join api_key_daily_usage u on u.api_key_id = k.id where k.id between 7 and 12`,
  ],
  [
    'what expires in two weeks',
    `select * from expiring_api_keys where expires_at < now() + interval '14 days'`,
  ],
  ['who floods now', 'select * from flooding_api_keys'],
  ['what happened to one key', 'select * from audit_log where api_key_id = 7777 order by id'],
  ['the hours of one key', 'select * from api_key_hourly_usage where api_key_id = 7777'],
  [
    'the bans of a day',
    `select * from recent_bans where began_at > now() - interval '1 day'`,
    'api_key_counters',
    'api_keys',
  ],
  ['the busiest keys', 'select * from busiest_api_keys'],
  [
    'who calls what is deprecated',
    'select * from deprecated_operation_callers',
    'deprecated_operations',
    'api_keys',
  ],
  [
    'the peak of each plan',
    'select * from plan_peaks',
    'api_key_usage_hours',
    'api_keys',
    'api_key_counters',
  ],
  ['keys near a limit', 'select * from api_keys_near_limit', 'api_keys', 'api_key_counters'],
  ['customers', 'select * from customer_overview'],
  ['plans', 'select * from plan_overview', 'api_keys', 'api_key_secrets', 'api_key_counters'],
  ['unused keys', 'select * from unused_api_keys', 'api_keys'],
  ['what the hours lack', 'select * from usage_hours_gaps where day = today()', 'api_key_counters'],
  ['old snapshots', 'select * from open_snapshots'],
  ['the last day', 'select * from last_24_hours'],
  ['the noisiest keys', 'select * from noisiest_api_keys', 'api_key_counters', 'api_keys'],
];

describe(`with ${KEYS} keys`, () => {
  it.each(READS)('%s', async (_what, sql, ...tables) => {
    const read = await readInFull(sql);
    expect(read.filter((table) => !tables.includes(table))).toEqual([]);
  });

  it('each view has a row above', async () => {
    const { rows } = await database.pool.query<{ view: string }>(
      `select relname as view from role_rights() join pg_class on relname = object
       where role = 'petstore_operator' and relkind = 'v' and privilege = 'select' order by 1`,
    );
    const lacking = rows.filter(
      ({ view }) => !READS.some(([, sql]) => new RegExp(String.raw`\b${view}\b`).test(sql)),
    );
    expect(lacking).toEqual([]);
  });

  it('the noisiest keys are those with the most rejected requests', async () => {
    const { rows } = await database.pool.query<{ day_refused: string }>(
      'select day_refused from noisiest_api_keys',
    );
    expect(rows).toHaveLength(100);
    expect(new Set(rows.map((row) => Number(row.day_refused)))).toEqual(new Set([90]));
  });

  it('no index of the live rows but that on generations prevents HOT updates', async () => {
    const { rows } = await database.pool.query(
      `select indexrelid::regclass::text as index from pg_index where indrelid = 'api_key_counters'::regclass order by 1`,
    );
    expect(rows).toEqual([{ index: 'api_key_counters_newest_idx' }, { index: 'api_key_counters_pkey' }]);
  });
});
