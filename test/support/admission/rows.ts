import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { type KeyWindow, WINDOWS } from '../../../src/auth/admission/windows.js';
import { COUNTED, type ModelCounters, type ModelKey, NOTHING_COUNTED, ofCounted } from './model.js';

type Queryable = Pick<Pool, 'query'>;

/** The counts of a key: its live row and its finished days (start in ms, admitted, refused), oldest first. */
export interface Counted {
  readonly counters: ModelCounters;
  readonly usage: readonly (readonly [dayMs: number, admitted: number, refused: number])[];
  /** Whether the sum of a month in the counters, if there is one, is that of its days. */
  readonly isSumRight: boolean;
}

const LIMITS = WINDOWS.map(({ name }) => `requests_per_${name}`);

/** Sets the limits of a plan or key, from the second parameter on. */
export const LIMITS_FROM_2 = LIMITS.map((limit, nth) => `${limit} = $${nth + 2}`).join(', ');

const parametersFrom = (first: number): string => LIMITS.map((_, nth) => `$${first + nth}`).join(', ');

export async function insertPlan(queryable: Queryable, id: string, custom: boolean): Promise<void> {
  await queryable.query(
    `insert into plans (id, custom, ${LIMITS.join(', ')}) values ($1, $2, ${parametersFrom(3)})`,
    [id, custom, ...WINDOWS.map(({ isRequired }) => (custom || !isRequired ? null : 1))],
  );
}

/** A new key; its own numbers are those of the plan unless they are named. */
export async function insertKey(
  queryable: Queryable,
  planId: string,
  own: Partial<Record<KeyWindow, number>> = {},
): Promise<bigint> {
  const { rows } = await queryable.query<{ id: string }>(
    `insert into api_keys (name, plan_id, plan_custom, ${LIMITS.join(', ')})
     select 'test', id, custom, ${parametersFrom(2)} from plans where id = $1
     returning id::text`,
    [planId, ...WINDOWS.map(({ name }) => own[name])],
  );
  return BigInt(rows[0]?.id ?? '');
}

/** A secret of a key, without a plain text. */
export async function insertSecret(
  queryable: Queryable,
  keyId: bigint,
  hash = `\\x${randomBytes(32).toString('hex')}`,
): Promise<string> {
  await queryable.query(
    `insert into api_key_secrets (hash, api_key_id, prefix) values ($1, $2, 'psk_00000000')`,
    [hash, keyId],
  );
  return hash;
}

export async function writeKey(queryable: Queryable, key: ModelKey): Promise<void> {
  await queryable.query(
    `update api_keys
     set plan_id = plans.id, plan_custom = plans.custom, (${LIMITS.join(', ')}) = row(${parametersFrom(7)}),
         revoked_at = case when $3 then now() end, expires_at = to_timestamp($4::float8 / 1000),
         suspended_until = to_timestamp($5::float8 / 1000), bans_lifted_at = to_timestamp($6::float8 / 1000)
     from plans
     where api_keys.id = $1 and plans.id = $2`,
    [
      key.id,
      key.planId,
      key.revoked,
      orNull(key.expiresAtMs, Infinity),
      orNull(key.suspendedUntilMs, -Infinity),
      orNull(key.bansLiftedAtMs, -Infinity),
      ...WINDOWS.map(({ name }) => key.own[name]),
    ],
  );
}

/** The value by which operators say "never" is no value; the infinity on the other side is one. */
const orNull = (ms: number, never: number): number | null => (ms === never ? null : ms);

export async function readCounted(
  queryable: Queryable,
  keyIds: readonly bigint[],
): Promise<readonly Counted[]> {
  const { rows } = await queryable.query<
    Omit<Counted, 'counters'> & { readonly counters: StoredCounters | null }
  >(
    `select
       case when c.api_key_id is not null then json_build_array(
         extract(epoch from c.banned_at) * 1000, extract(epoch from c.banned_until) * 1000, ${COUNTS}) end as counters,
       (select coalesce(json_agg(json_build_array(extract(epoch from day::timestamp) * 1000, admitted, refused) order by day), '[]')
        from api_key_usage u where u.api_key_id = k.id) as usage,
       coalesce(c.month_before = month_admitted_before(k.id, c.month), true) as "isSumRight"
     from unnest($1::bigint[]) with ordinality as k (id, position)
     left join api_key_counters c on c.api_key_id = k.id
     order by k.position`,
    [keyIds],
  );
  return rows.map((row) => Object.assign(row, { counters: countersOf(row.counters) }));
}

/** The begin, as text, because JSON has no infinity, and the counts of each window. */
const COUNTS = COUNTED.map(({ name, kind }) => {
  const begin = kind === 'recorded' ? `c.${name}::timestamp` : `c.${name}`;
  return `round(extract(epoch from ${begin}) * 1000)::text, c.${name}_admitted, c.${name}_refused`;
}).join(', ');

type StoredCounters = readonly [
  atMs: number | null,
  untilMs: number | null,
  ...counts: (string | number | null)[],
];

function countersOf(stored: StoredCounters | null): ModelCounters {
  if (stored === null) return NOTHING_COUNTED;
  const [atMs, untilMs, ...counts] = stored;
  const ban = atMs === null || untilMs === null ? null : { atMs, untilMs };
  const windows = ofCounted((window) => {
    const [beginMs, admitted, refused] = counts.slice(3 * COUNTED.indexOf(window));
    return { beginMs: Number(beginMs ?? -Infinity), admitted: Number(admitted), refused: Number(refused) };
  });
  return { windows, ban };
}
