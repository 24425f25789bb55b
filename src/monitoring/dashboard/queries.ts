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
    id, custom, requests_per_minute, requests_per_day, requests_per_month, live_keys as keys, active_keys as active,
    exists (select from api_keys k where k.plan_id = plan_overview.id and k.requests_per_minute is not null and is_valid(k)) as own_minute,
    exists (select from api_keys k where k.plan_id = plan_overview.id and k.requests_per_day is not null and is_valid(k)) as own_day
  from plan_overview
  order by requests_per_minute nulls last, id
  limit ${ROWS_MAX}`;

interface PlanRow {
  readonly keys: bigint;
  readonly active: bigint;
}

/** The plans, and how many keys there are. */
export async function readSummary(query: Query): Promise<object> {
  const plans = await query<PlanRow>(PLANS);
  const sum = (member: keyof PlanRow): bigint => plans.reduce((total, plan) => total + plan[member], 0n);
  return { now: await readNow(query), keys: sum('keys'), active: sum('active'), plans };
}

/** The most that one key of each plan has used. Apart from the summary, because it reads the usage by hour. */
export const readPlanPeaks = (query: Query): Promise<object[]> =>
  query(`select * from plan_peaks limit ${ROWS_MAX}`);

/** Rows that the page names of each list, and of the one that is wanted whole. */
const NAMED_MAX = 10;
const WHOLE_MAX = 500;

const ATTENTION = {
  banned: `
    select api_key_id, name, began_at, ends_at from recent_bans
    where began_at > present() - interval '1 day' and in_force order by ends_at desc`,
  near: `
    select api_key_id, name, minute_admitted, requests_per_minute, day_admitted, requests_per_day,
      month_admitted, requests_per_month, greatest(minute_share, day_share, month_share) as share
    from api_keys_near_limit
    where greatest(minute_share, day_share, month_share) > 0.8`,
  suspended: `
    select id as api_key_id, name, suspended_until from api_keys k
    where is_suspended(k) and is_valid(k) order by suspended_until, id`,
  expiring: `
    select api_key_id, name, expires, prefix, expires_at from expiring_api_keys
    where ends_key and expires_at < present() + interval '14 days'`,
  deprecated:
    'select operation, api_key_id, name, last_hour from deprecated_operation_callers order by operation, last_hour desc',
  ended: `
    select api_key_id, name, coalesce(lifted_at, ends_at) as ended_at from recent_bans
    where began_at > present() - interval '1 day' and not in_force`,
  unused: 'select api_key_id, name, last_used_at from unused_api_keys',
};

type AttentionList = keyof typeof ATTENTION;

export const ATTENTION_LISTS = Object.keys(ATTENTION) as AttentionList[];

/** The lists whose keys somebody may be waiting to be helped with. */
const URGENT: ReadonlySet<AttentionList> = new Set(['banned', 'near', 'suspended', 'expiring']);

interface AttentionRow {
  readonly api_key_id: bigint;
}

/** Each list with its first rows and their number, and how many keys the urgent ones have. */
export async function readAttention(query: Query, whole?: AttentionList): Promise<object> {
  const urgent = new Set<bigint>();
  const lists: Partial<Record<AttentionList, object>> = {};
  for (const list of ATTENTION_LISTS) {
    const rows = await query<AttentionRow>(`${ATTENTION[list]} limit ${ROWS_MAX}`);
    if (URGENT.has(list)) for (const { api_key_id: id } of rows) urgent.add(id);
    lists[list] = { total: rows.length, rows: rows.slice(0, list === whole ? WHOLE_MAX : NAMED_MAX) };
  }
  return { keys: urgent.size, ...lists };
}

/** Whole hours, without the last one. */
export interface Time {
  readonly from: Date;
  readonly to: Date;
}

export const KEY_SORTS = ['id', 'last_use', 'share', 'requests', 'errors', 'rejected'] as const;

/** As `api_key_overview` has them, in its order: each without those before it. */
const STATES = {
  revoked: 'k.revoked_at is not null',
  expired: `(not is_valid(k) or (${hasSecret()} and not ${hasSecret('and is_valid(s)')}))`,
  unissued: `not ${hasSecret()}`,
  suspended: 'is_suspended(k)',
  banned: 'is_banned(k, c)',
  live: 'true',
};

type State = keyof typeof STATES;

export const KEY_STATES = Object.keys(STATES) as State[];

export interface KeyList {
  readonly sort: (typeof KEY_SORTS)[number];
  /** An id, a part of a name or customer, or the beginning of a secret. */
  readonly search: string;
  /** Empty: all. */
  readonly plan: string;
  readonly state: State | '';
  readonly customer: string;
  readonly offset: number;
  readonly limit: number;
  readonly time: Time;
}

/** What the columns of outcomes sum up. */
const SUMS = {
  requests: 'true',
  errors: `outcome in ('server_error', 'undecided')`,
  rejected: `outcome in ('limited', 'banned', 'suspended', 'unauthorized')`,
};

const SUM_COLUMNS = Object.entries(SUMS)
  .map(([name, which]) => `coalesce(saturated(sum(u.requests) filter (where ${which})), 0) as ${name}`)
  .join(', ');

/** By what the hours of a time have: the join is of keys that have some. */
const bySum = (name: keyof typeof SUMS): { readonly where: string; readonly by: string } => ({
  where: `used.${name} > 0`,
  by: `used.${name} desc, k.id`,
});

const SORTS: Readonly<Record<KeyList['sort'], { readonly where: string; readonly by: string }>> = {
  id: { where: 'true', by: 'k.id' },
  last_use: { where: 'last_counted_at(c) is not null', by: 'c.minute desc, k.id' },
  share: {
    where: 'counts_in_day(c) and is_valid(k) and not awaits_reset(k, c)',
    by: 'c.day_admitted / day_limit(k, p)::float8 desc, k.id',
  },
  requests: bySum('requests'),
  errors: bySum('errors'),
  rejected: bySum('rejected'),
};

const conditionOf = (state: State | ''): string =>
  state === ''
    ? 'true'
    : KEY_STATES.slice(0, KEY_STATES.indexOf(state) + 1)
        .map((one) => (one === state ? STATES[one] : `(${STATES[one]}) is not true`))
        .join(' and ');

function hasSecret(condition = ''): string {
  return `exists (select from api_key_secrets s where s.api_key_id = k.id ${condition})`;
}

/** The bars of a key: as many parts of the time. */
const PARTS = 24;

const PARTS_OF_KEYS = `
  select u.api_key_id, floor(extract(epoch from of_hour - $2) * ${PARTS} / extract(epoch from $3 - $2))::int as part, ${SUM_COLUMNS}
  from generate_series($2::timestamptz, $3::timestamptz - interval '1 hour', interval '1 hour') as of_hour
  join api_key_usage_hours u on u.hour = of_hour
  where u.api_key_id = any ($1::bigint[])
  group by 1, 2`;

interface PartOfKey extends Readonly<Record<keyof typeof SUMS, bigint>> {
  readonly api_key_id: bigint;
  readonly part: number;
}

/** A page of keys. */
export async function readKeys(query: Query, list: KeyList): Promise<object[]> {
  const { sort, search, plan, state, customer, offset, limit, time } = list;
  const { where, by } = SORTS[sort];
  const isBySum = sort in SUMS;
  const found = await query<{ id: bigint }>(
    `select k.id
     from api_keys k
     join plans p on p.id = k.plan_id
     left join api_key_counters c on c.api_key_id = k.id
     ${isBySum ? `join (select u.api_key_id, ${SUM_COLUMNS} from api_key_usage_hours u where u.hour >= $6 and u.hour < $7 group by 1) as used on used.api_key_id = k.id` : ''}
     where ${where} and ${conditionOf(state)}
       and ($4 = '' or k.plan_id = $4)
       and ($5 = '' or k.customer = $5)
       and ($1 = '' or k.id::text = $1 or strpos(lower(k.name), lower($1)) > 0
         or strpos(lower(k.customer), lower($1)) > 0
         or (starts_with($1, 'psk_') and k.id in (
           select api_key_id from api_key_secrets where starts_with(prefix, left($1, 12)))))
     order by ${search === '' ? '' : '(k.id::text = $1) desc, '}${by}
     limit $2 offset $3`,
    [search, limit, offset, plan, customer, ...(isBySum ? [time.from, time.to] : [])],
  );
  const ids = found.map(({ id }) => id);
  const rows = await query<{ id: bigint }>('select * from api_key_overview where id = any ($1::bigint[])', [
    ids,
  ]);
  const parts = await query<PartOfKey>(PARTS_OF_KEYS, [ids, time.from, time.to]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    const own = parts.filter((one) => one.api_key_id === id);
    const sum = (name: keyof typeof SUMS): bigint => own.reduce((total, one) => total + one[name], 0n);
    const byPart = new Map(own.map((one) => [one.part, [one.requests, one.errors, one.rejected]]));
    const sums = { requests: sum('requests'), errors: sum('errors'), rejected: sum('rejected') };
    const bars = Array.from({ length: PARTS }, (_, part) => byPart.get(part) ?? null);
    return row === undefined ? [] : Object.assign(row, sums, { parts: bars });
  });
}

/** Everything about one key, or undefined if there is none. */
export async function readKey(query: Query, id: bigint, { from, to }: Time): Promise<object | undefined> {
  const [key] = await query('select * from api_key_overview where id = $1', [id]);
  if (key === undefined) return undefined;
  return {
    now: await readNow(query),
    from,
    to,
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
       where api_key_id = $1 and hour >= $2 and hour < $3 group by 1, 2 order by hour limit ${ROWS_MAX}`,
      [id, from, to],
    ),
    operations: await query(
      `select operation, outcome, saturated(sum(requests)) as requests from api_key_hourly_usage
       where api_key_id = $1 and hour >= $2 and hour < $3 group by 1, 2
       order by sum(sum(requests)) over (partition by operation) desc, operation limit ${ROWS_MAX}`,
      [id, from, to],
    ),
    bans: await query(
      `select began_at, ends_at, lifted_at, in_force, minute_limit, day_limit, month_limit from recent_bans
       where api_key_id = $1 limit 20`,
      [id],
    ),
    outages: await readOutages(query, from),
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

interface MarkedChange extends Pick<Change, 'role' | 'actor' | 'rows' | 'action'> {
  readonly at: Date;
  readonly subject: string;
  /** How many of its hour have this subject and action; one of them has the rest. */
  readonly changes: bigint;
  readonly of: string;
}

/** When plans, keys and secrets were changed and bans began, by hour: what one changed, and of several how many. */
export async function readMarks(query: Query, { from, to }: Time): Promise<object[]> {
  const rows = await query<MarkedChange>(
    `select distinct on (hour, subject, action) hour, changed_at as at, subject, action, changes,
       coalesce(plan_id, api_key_id::text) as of, role, actor, rows
     from (
       select date_trunc('hour', changed_at, 'UTC') as hour, changed_at, table_name as subject, action, plan_id, api_key_id,
         role, actor, jsonb_build_array(old, new)::text as rows,
         count(*) over (partition by date_trunc('hour', changed_at, 'UTC'), table_name, action) as changes
       from audit_log where changed_at >= $1 and changed_at < $2
     ) as changed
     union all
     select date_trunc('hour', began_at, 'UTC'), min(began_at), 'bans', 'insert', count(*), min(api_key_id)::text, '', null, '[null,null]'
     from api_key_bans where began_at >= $1 and began_at < $2 group by 1
     order by 1
     limit ${ROWS_MAX}`,
    [from, to],
  );
  return rows.map(({ at, subject, action, changes, of, role, actor, rows: json }) => {
    const mark = { at, subject, action, changes, of };
    if (changes !== 1n || subject === 'bans') return mark;
    const [before, after] = parse(json) as [AuditedRow, AuditedRow];
    const members = action === 'update' ? describeChange(before, after) : [];
    return Object.assign(mark, { by: describeActor(role, actor), members });
  });
}

/** The first hour of which something is known. */
export async function readOldestHour(query: Query): Promise<Date | null> {
  const [row] = await query<{ hour: Date | null }>('select min(hour) as hour from api_key_usage_hours');
  return row?.hour ?? null;
}

/** When a replica or more had no database, the last time first. */
export const readOutages = <Row extends object = object>(query: Query, from: Date): Promise<Row[]> =>
  query<Row>(
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
