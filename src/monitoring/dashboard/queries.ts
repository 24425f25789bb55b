import { parse } from 'lossless-json';
import { type AuditedRow, describeActor, describeChange } from '../text.js';
import type { Query } from './dashboard-database.js';

/** What each part of the page shows. Ids and counts are exact; times are the database's. */

export async function readNow(query: Query): Promise<Date> {
  const [row] = await query<{ now: Date }>('select present() as now');
  return row?.now ?? new Date(Number.NaN);
}

/** Rows of a list without pages. There are fewer, unless somebody has flooded a table. */
const ROWS_MAX = 10_000;

const PLANS = `
  select
    id, requests_per_minute, requests_per_day, requests_per_month,
    live_keys as keys, suspended_keys as suspended, active_keys as active, near_limit_keys as near
  from plan_overview
  order by requests_per_minute nulls last, id
  limit ${ROWS_MAX}`;

const REST = `
  select
    present() as now,
    (select count(*) from recent_bans where began_at > present() - interval '1 day' and in_force) as banned`;

interface PlanRow {
  readonly active: bigint;
  readonly suspended: bigint;
}

/** The day in numbers, and the plans. */
export async function readSummary(query: Query): Promise<object> {
  const plans = await query<PlanRow>(PLANS);
  const [rest] = await query<{ now: Date; banned: bigint }>(REST);
  const sum = (member: keyof PlanRow): bigint => plans.reduce((total, plan) => total + plan[member], 0n);
  return {
    now: rest?.now,
    active: sum('active'),
    banned: rest?.banned,
    suspended: sum('suspended'),
    plans,
  };
}

/** The most that one key of each plan has used. Apart from the summary, because it reads the usage by hour. */
export const readPlanPeaks = (query: Query): Promise<object[]> =>
  query(`select * from plan_peaks limit ${ROWS_MAX}`);

/** Rows of each list, and of the one that is wanted whole; one more says that there are others. */
const ATTENTION_MAX = 10;
const WHOLE_MAX = 500;

const ATTENTION = {
  bans: `
    select began_at, api_key_id, name, ends_at, lifted_at, in_force from recent_bans
    where began_at > present() - interval '24 hours'`,
  near: `
    select api_key_id, name, minute_share, day_share, month_share from api_keys_near_limit
    where greatest(minute_share, day_share, month_share) > 0.8`,
  expiring: `
    select api_key_id, name, expires, expires_at from expiring_api_keys
    where ends_key and expires_at < present() + interval '14 days'`,
  deprecated: 'select operation, api_key_id, name, last_hour, requests_24h from deprecated_operation_callers',
  unused: 'select api_key_id, name, last_used_at from unused_api_keys',
};

type AttentionList = keyof typeof ATTENTION;

export const ATTENTION_LISTS = Object.keys(ATTENTION) as AttentionList[];

export async function readAttention(query: Query, whole?: AttentionList): Promise<object> {
  const max: Partial<Record<AttentionList, number>> = {};
  const rows: Partial<Record<AttentionList, object[]>> = {};
  for (const list of ATTENTION_LISTS) {
    max[list] = list === whole ? WHOLE_MAX : ATTENTION_MAX;
    rows[list] = await query(`${ATTENTION[list]} limit $1`, [max[list] + 1]);
  }
  return { max, ...rows };
}

export const KEY_SORTS = ['id', 'last_use', 'share'] as const;

export interface KeyList {
  readonly sort: (typeof KEY_SORTS)[number];
  /** An id, a part of a name or customer, or the beginning of a secret. */
  readonly search: string;
  readonly offset: number;
  readonly limit: number;
  /** With the requests of each of the last 24 hours. */
  readonly hasHours: boolean;
}

const SORTS: Readonly<Record<KeyList['sort'], { readonly where: string; readonly by: string }>> = {
  id: { where: 'true', by: 'k.id' },
  last_use: { where: 'last_counted_at(c) is not null', by: 'c.minute desc, k.id' },
  share: {
    where: 'counts_in_day(c) and is_valid(k) and not awaits_reset(k, c)',
    by: 'c.day_admitted / day_limit(k, p)::float8 desc, k.id',
  },
};

const LAST_24_HOURS = `
  select u.api_key_id, 23 - ago as part, saturated(sum(u.requests)) as requests
  from last_24_hours
  join api_key_usage_hours u using (hour)
  where u.api_key_id = any ($1::bigint[])
  group by u.api_key_id, ago`;

interface HourOfKey {
  readonly api_key_id: bigint;
  readonly part: number;
  readonly requests: bigint;
}

/** A page of keys. */
export async function readKeys(
  query: Query,
  { sort, search, offset, limit, hasHours }: KeyList,
): Promise<object[]> {
  const { where, by } = SORTS[sort];
  const found = await query<{ id: bigint }>(
    `select k.id
     from api_keys k
     join plans p on p.id = k.plan_id
     ${sort === 'id' ? '' : 'join api_key_counters c on c.api_key_id = k.id'}
     where ${where}
       and ($1 = '' or k.id::text = $1 or strpos(lower(k.name), lower($1)) > 0
         or strpos(lower(k.customer), lower($1)) > 0
         or (starts_with($1, 'psk_') and k.id in (
           select api_key_id from api_key_secrets where starts_with(prefix, left($1, 12)))))
     order by ${search === '' ? '' : '(k.id::text = $1) desc, '}${by}
     limit $2 offset $3`,
    [search, limit, offset],
  );
  const ids = found.map(({ id }) => id);
  const rows = await query<{ id: bigint }>('select * from api_key_overview where id = any ($1::bigint[])', [
    ids,
  ]);
  const counts = hasHours ? await query<HourOfKey>(LAST_24_HOURS, [ids]) : [];
  const hours = new Map(ids.map((id) => [id, Array.from({ length: 24 }, () => 0n)]));
  for (const { api_key_id: id, part, requests } of counts) hours.get(id)?.splice(part, 1, requests);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [{ ...row, hours: hours.get(id) }];
  });
}

/** Everything about one key, or undefined if there is none. */
export async function readKey(query: Query, id: bigint): Promise<object | undefined> {
  const [key] = await query('select * from api_key_overview where id = $1', [id]);
  if (key === undefined) return undefined;
  const now = await readNow(query);
  return {
    now,
    key,
    secrets: await query(
      `select *
       from (
         select prefix, created_at, expires_at from api_key_secrets
         where api_key_id = $1 order by created_at desc limit 100) as newest
       order by created_at`,
      [id],
    ),
    days: await query(
      `select day::text, admitted, refused from api_key_daily_usage
       where api_key_id = $1 and day between today() - 30 and today() + 1 order by day limit 32`,
      [id],
    ),
    hours: await query(
      `select hour, outcome, saturated(sum(requests)) as requests from api_key_hourly_usage
       where api_key_id = $1 and hour > present() - interval '35 days' group by 1, 2 order by hour limit ${ROWS_MAX}`,
      [id],
    ),
    operations: await query(
      `select operation, outcome, saturated(sum(requests)) as requests from api_key_hourly_usage
       where api_key_id = $1 and hour > present() - interval '35 days' group by 1, 2
       order by sum(sum(requests)) over (partition by operation) desc, operation limit ${ROWS_MAX}`,
      [id],
    ),
    bans: await query(
      `select began_at, ends_at, lifted_at, in_force, minute_limit, day_limit, month_limit from recent_bans
       where api_key_id = $1 limit 20`,
      [id],
    ),
    outages: await readOutages(query, new Date(now.getTime() - 35 * 86_400_000)),
    ...(await readChanges(query, id)),
  };
}

interface Change {
  readonly changed_at: Date;
  readonly table_name: string;
  readonly action: string;
  readonly role: string;
  readonly actor: string | null;
  /** The rows before and after, as JSON text: its numbers may have more digits than a double. */
  readonly rows: string;
}

/** The last changes of a key and of its secrets: from what to what, and by whom. */
async function readChanges(query: Query, id: bigint): Promise<object> {
  const [granted] = await query<{ may: boolean }>(
    `select has_column_privilege('audit_log', 'old', 'select') as may`,
  );
  if (granted?.may !== true)
    return { changes: [], problems: ['What was changed cannot be read before "petstore db roles" has run.'] };
  const rows = await query<Change>(
    `select changed_at, table_name, action, role, actor, jsonb_build_array(old, new)::text as rows
     from audit_log where api_key_id = $1 order by changed_at desc limit 50`,
    [id],
  );
  const changes = rows.map((row) => {
    const [before, after] = parse(row.rows) as [AuditedRow, AuditedRow];
    return {
      changed_at: row.changed_at,
      table_name: row.table_name,
      action: row.action,
      by: describeActor(row.role, row.actor),
      members: describeChange(before, after),
    };
  });
  return { changes };
}

/** When plans, keys and secrets were changed and bans began, by hour. */
export const readMarks = (query: Query, from: Date): Promise<object[]> =>
  query(
    `select date_trunc('hour', changed_at, 'UTC') as hour, table_name as subject, action, count(*) as changes
     from audit_log where changed_at >= $1 group by 1, 2, 3
     union all
     select date_trunc('hour', began_at, 'UTC'), 'bans', 'insert', count(*)
     from api_key_bans where began_at >= $1 group by 1
     order by 1
     limit ${ROWS_MAX}`,
    [from.toISOString()],
  );

/** When a replica or more had no database, the last time first. */
export const readOutages = (query: Query, from: Date): Promise<object[]> =>
  query(
    `with outages as materialized (
       select replica, tstzrange(began_at, ended_at, '[]') as outage
       from database_outages
       where ended_at between $1 and trusted_until()
       order by ended_at desc
       limit 1000
     )
     select
       lower(whole) as began_at, upper(whole) as ended_at,
       (select count(distinct replica) from outages where outage && whole) as replicas
     from (select unnest(range_agg(outage)) as whole from outages) as merged
     order by whole desc
     limit 50`,
    [from.toISOString()],
  );

export interface HourSum {
  readonly hour: Date;
  readonly operation: string;
  readonly outcome: string;
  readonly requests: bigint;
  readonly total_ms: bigint;
}

/** The outcome here of requests that were rejected by their client address. */
export const NO_KEY = 'no_key';

/** The requests of all keys, and of no key. */
export const readHours = (query: Query, from: Date, to: Date): Promise<HourSum[]> =>
  query<HourSum>(
    `select hour, operation, outcome, saturated(sum(requests)) as requests, saturated(sum(total_ms)) as total_ms
     from api_key_usage_hours where hour >= $1 and hour < $2 group by hour, operation, outcome
     union all
     select hour, 'none', '${NO_KEY}', saturated(sum(requests)), 0
     from address_usage_hours where hour >= $1 and hour < $2 group by hour
     limit ${ROWS_MAX}`,
    [from.toISOString(), to.toISOString()],
  );
