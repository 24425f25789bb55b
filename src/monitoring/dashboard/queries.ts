import { parse } from 'lossless-json';
import { describeOldSnapshots, OPEN_SNAPSHOTS, type OpenSnapshot } from '../../database/open-snapshots.js';
import type { UsageOutcome } from '../../usage/hour-counts.js';
import { type AuditedRow, describeActor, describeChange } from '../text.js';
import type { Query } from './dashboard-database.js';

/** What each part of the page shows. Ids and counts are exact; times are the database's. */

export async function readNow(query: Query): Promise<Date> {
  const [row] = await query<{ now: Date }>('select present() as now');
  return row?.now ?? new Date(Number.NaN);
}

/** Rows of a list without pages. There are fewer, unless a table was flooded. */
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

/** The plans, how many keys there are, and the problems that are known, with the old snapshots. */
export async function readSummary(query: Query, known: readonly string[]): Promise<object> {
  const oldSnapshots = describeOldSnapshots(await query<OpenSnapshot>(OPEN_SNAPSHOTS));
  const plans = await query<PlanRow>(PLANS);
  const sum = (member: keyof PlanRow): bigint => plans.reduce((total, plan) => total + plan[member], 0n);
  return {
    now: await readNow(query),
    keys: sum('keys'),
    active: sum('active'),
    plans,
    states: KEY_STATES,
    problems: [...known, ...oldSnapshots.map((one) => `${one}.`)],
  };
}

/** The peak usage of one key of each plan. Not part of the summary, because it reads the usage by hour. */
export const readPlanPeaks = (query: Query): Promise<object[]> =>
  query(`select * from plan_peaks limit ${ROWS_MAX}`);

/** Rows of each list that are counted; the view of keys near their limits has a hundred for each window. */
const COUNTED_MAX = 1000;
const NEAR_MAX = 100;
/** Rows that the page shows of each list, and of the one requested in full. */
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
  // In the order found: any other order would need to read them all.
  deprecated: 'select operation, api_key_id, name, last_hour from deprecated_operation_callers',
  ended: `
    select api_key_id, name, coalesce(lifted_at, ends_at) as ended_at from recent_bans
    where began_at > present() - interval '1 day' and not in_force`,
  unused: 'select api_key_id, name, last_used_at from unused_api_keys',
};

type AttentionList = keyof typeof ATTENTION;

export const ATTENTION_LISTS = Object.keys(ATTENTION) as AttentionList[];

/** The lists of keys whose users may be waiting for help. */
const URGENT: ReadonlySet<AttentionList> = new Set(['banned', 'near', 'suspended', 'expiring']);

interface AttentionRow {
  readonly api_key_id: bigint;
  readonly operation?: string;
  readonly last_hour?: Date;
}

/** Each list with its first rows, their number and whether there may be more, and how many different keys the urgent ones have. */
export async function readAttention(query: Query, whole?: AttentionList): Promise<object> {
  const urgent = new Set<bigint>();
  let isMoreUrgent = false;
  const lists: Partial<Record<AttentionList, object>> = {};
  for (const list of ATTENTION_LISTS) {
    const rows = await query<AttentionRow>(`${ATTENTION[list]} limit ${COUNTED_MAX}`);
    const isMore = rows.length >= (list === 'near' ? NEAR_MAX : COUNTED_MAX);
    if (URGENT.has(list)) {
      for (const { api_key_id: id } of rows) urgent.add(id);
      isMoreUrgent ||= isMore;
    }
    const namedMax = list === whole ? WHOLE_MAX : NAMED_MAX;
    lists[list] =
      list === 'deprecated'
        ? byOperation(rows, isMore, namedMax)
        : { total: rows.length, isMore, rows: rows.slice(0, namedMax) };
  }
  return { total: urgent.size, isMore: isMoreUrgent, ...lists };
}

/** Each operation with its callers, and the last hour with a call. */
const byOperation = (rows: readonly AttentionRow[], isMore: boolean, namedMax: number): object[] =>
  [...new Set(rows.map(({ operation }) => operation))].map((operation) => {
    const own = rows.filter((row) => row.operation === operation);
    const lastMs = Math.max(...own.map((row) => row.last_hour?.getTime() ?? 0));
    return {
      operation,
      total: own.length,
      isMore,
      last_hour: new Date(lastMs),
      rows: own.slice(0, namedMax),
    };
  });

/** From the start of an hour up to the start of another (exclusive). */
export interface Time {
  readonly from: Date;
  readonly to: Date;
}

export const KEY_SORTS = ['id', 'last_use', 'share', 'requests', 'errors', 'rejected'] as const;

/** What each state of `api_key_overview` implies, so that the view is read for few others. */
const STATES = {
  live: 'is_valid(k)',
  banned: 'is_banned(k, c)',
  suspended: 'is_suspended(k)',
  unissued: 'not exists (select from api_key_secrets s where s.api_key_id = k.id)',
  expired:
    '(not is_valid(k) or k.id in (select s.api_key_id from api_key_secrets s where s.expires_at <= present()))',
  revoked: 'k.revoked_at is not null',
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
  /** Into how many parts the time is divided, for bars. */
  readonly parts: number;
}

/** Outcomes that clients see as 5xx, and other rejections. */
export const ERRORS: readonly UsageOutcome[] = ['server_error', 'undecided'];
const REJECTED: readonly UsageOutcome[] = ['limited', 'banned', 'suspended', 'unauthorized'];

const isOneOf = (outcomes: readonly UsageOutcome[]): string =>
  `outcome in (${outcomes.map((one) => `'${one}'`).join(', ')})`;

/** What the sum columns count. */
const SUMS = { requests: 'true', errors: isOneOf(ERRORS), rejected: isOneOf(REJECTED) };

const SUM_COLUMNS = Object.entries(SUMS)
  .map(([name, which]) => `coalesce(saturated(sum(u.requests) filter (where ${which})), 0) as ${name}`)
  .join(', ');

/** Sorts by a sum over the range, without keys that have none. */
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

/**
 * The view is checked last: a condition on both tables cannot filter the scan of one of them. Most keys are live, which the planner
 * only expects of "not in".
 */
function conditionOf(state: State | ''): string {
  if (state === '') return 'true';
  const own = '(select o.state from api_key_overview o where o.id = coalesce(c.api_key_id, k.id))';
  const others = KEY_STATES.filter((one) => one !== 'live').map((one) => `'${one}'`);
  return `${STATES[state]} and ${own} ${state === 'live' ? `not in (${others.join(', ')})` : `= '${state}'`}`;
}

const PARTS_OF_KEYS = `
  select u.api_key_id, floor(extract(epoch from of_hour - $2) * $4 / extract(epoch from $3 - $2))::int as part, ${SUM_COLUMNS}
  from generate_series($2::timestamptz, $3::timestamptz - interval '1 hour', interval '1 hour') as of_hour
  join api_key_usage_hours u on u.hour = of_hour
  where u.api_key_id = any ($1::bigint[])
  group by 1, 2`;

interface PartOfKey extends Readonly<Record<keyof typeof SUMS, bigint>> {
  readonly api_key_id: bigint;
  readonly part: number;
}

/** A page of keys, each with its sums, and those of the parts of the time: null for a part without requests. */
export async function readKeys(query: Query, list: KeyList): Promise<object[]> {
  const { sort, search, plan, state, customer, offset, limit, time, parts } = list;
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
  const counted = await query<PartOfKey>(PARTS_OF_KEYS, [ids, time.from, time.to, parts]);
  const byId = new Map(
    rows.map((row) => [
      row.id,
      Object.assign(row, {
        ...{ requests: 0n, errors: 0n, rejected: 0n },
        parts: Array.from({ length: parts }, (): readonly bigint[] | null => null),
      }),
    ]),
  );
  for (const { api_key_id: id, part, requests, errors, rejected } of counted) {
    const row = byId.get(id);
    if (row === undefined) continue;
    row.requests += requests;
    row.errors += errors;
    row.rejected += rejected;
    row.parts[part] = [requests, errors, rejected];
  }
  return ids.flatMap((id) => byId.get(id) ?? []);
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

/** The last changes of a key and its secrets: old and new values, and the actor. */
async function readChanges(query: Query, id: bigint): Promise<object> {
  const [granted] = await query<{ may: boolean }>(
    `select has_column_privilege('audit_log', 'old', 'select') as may`,
  );
  if (granted?.may !== true)
    return { changes: [], problems: ['The changes cannot be read until "petstore db roles" has run.'] };
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

interface MarkedHour extends Partial<Pick<Change, 'role' | 'actor' | 'rows'>> {
  readonly at: Date;
  readonly subject: string;
  readonly action: string;
  readonly changes: bigint;
  readonly of: string | null;
}

/** When plans, keys and secrets were changed and bans began, by hour: their number, and the details of a single one. */
export async function readMarks(query: Query, { from, to }: Time): Promise<object[]> {
  const rows = await query<MarkedHour>(
    `select counted.*, coalesce(one.plan_id, one.api_key_id::text) as of, one.role, one.actor,
       jsonb_build_array(one.old, one.new)::text as rows
     from (
       select min(changed_at) as at, table_name as subject, action, count(*) as changes
       from audit_log where changed_at >= $1 and changed_at < $2
       group by date_trunc('hour', changed_at, 'UTC'), table_name, action
     ) as counted
     left join audit_log one on counted.changes = 1
       and one.changed_at = counted.at and one.table_name = counted.subject and one.action = counted.action
     union all
     select min(began_at), 'bans', 'insert', count(*), min(api_key_id)::text, null, null, null
     from api_key_bans where began_at >= $1 and began_at < $2 group by date_trunc('hour', began_at, 'UTC')
     order by 1
     limit ${ROWS_MAX}`,
    [from, to],
  );
  return rows.map(({ at, subject, action, changes, of, role, actor = null, rows: json }) => {
    const mark = { at, subject, action, changes, of };
    if (typeof json !== 'string' || typeof role !== 'string') return mark;
    const [before, after] = parse(json) as [AuditedRow, AuditedRow];
    const members = action === 'update' ? describeChange(before, after) : [];
    return Object.assign(mark, { by: describeActor(role, actor), members });
  });
}

/** The first hour with data. */
export async function readOldestHour(query: Query): Promise<Date | null> {
  const [row] = await query<{ hour: Date | null }>('select min(hour) as hour from api_key_usage_hours');
  return row?.hour ?? null;
}

/** The outages of one or more replicas, newest first. */
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

/** The outcome of requests that were rejected by client address. */
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
