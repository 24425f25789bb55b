import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { type ModelCounters, type ModelKey, NOTHING_COUNTED } from './model.js';

type Queryable = Pick<Pool, 'query'>;

/** The counts of a key: its live row and its finished days (start in ms, admitted, refused), oldest first. */
export interface Counted {
  readonly counters: ModelCounters;
  readonly usage: readonly (readonly [dayMs: number, admitted: number, refused: number])[];
}

export async function insertPlan(queryable: Queryable, id: string, custom: boolean): Promise<void> {
  await queryable.query(
    `insert into plans (id, custom, requests_per_minute, requests_per_day)
     values ($1, $2, case when not $2 then 1 end, case when not $2 then 1 end)`,
    [id, custom],
  );
}

/** A new key; its own numbers are those of the plan unless they are named. */
export async function insertKey(
  queryable: Queryable,
  planId: string,
  own: { readonly perMinute?: number; readonly perDay?: number } = {},
): Promise<bigint> {
  const { rows } = await queryable.query<{ id: string }>(
    `insert into api_keys (name, plan_id, plan_custom, requests_per_minute, requests_per_day)
     select 'test', id, custom, $2, $3 from plans where id = $1
     returning id::text`,
    [planId, own.perMinute, own.perDay],
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
     set plan_id = plans.id, plan_custom = plans.custom, requests_per_minute = $3, requests_per_day = $4,
         revoked_at = case when $5 then now() end, expires_at = to_timestamp($6::float8 / 1000),
         suspended_until = to_timestamp($7::float8 / 1000), bans_lifted_at = to_timestamp($8::float8 / 1000)
     from plans
     where api_keys.id = $1 and plans.id = $2`,
    [
      key.id,
      key.planId,
      key.ownPerMinute,
      key.ownPerDay,
      key.revoked,
      orNull(key.expiresAtMs, Infinity),
      orNull(key.suspendedUntilMs, -Infinity),
      orNull(key.bansLiftedAtMs, -Infinity),
    ],
  );
}

/** The value by which operators say "never" is no value; the infinity on the other side is one. */
const orNull = (ms: number, never: number): number | null => (ms === never ? null : ms);

export async function readCounted(
  queryable: Queryable,
  keyIds: readonly bigint[],
): Promise<readonly Counted[]> {
  const { rows } = await queryable.query<{ counters: StoredCounters | null; usage: Counted['usage'] }>(
    `select
       case when c.api_key_id is not null then json_build_array(
         round(extract(epoch from c.minute) * 1000)::text, c.minute_admitted, c.minute_refused,
         (extract(epoch from c.day::timestamp) * 1000)::text, c.day_admitted, c.day_refused,
         extract(epoch from c.banned_at) * 1000, extract(epoch from c.banned_until) * 1000) end as counters,
       (select coalesce(json_agg(json_build_array(extract(epoch from day::timestamp) * 1000, admitted, refused) order by day), '[]')
        from api_key_usage u where u.api_key_id = k.id) as usage
     from unnest($1::bigint[]) with ordinality as k (id, position)
     left join api_key_counters c on c.api_key_id = k.id
     order by k.position`,
    [keyIds],
  );
  return rows.map(({ counters, usage }) => ({ counters: countersOf(counters), usage }));
}

/** The two starts are text, as JSON has no infinity. */
type StoredCounters = readonly [string, number, number, string, number, number, number | null, number | null];

function countersOf(stored: StoredCounters | null): ModelCounters {
  if (stored === null) return NOTHING_COUNTED;
  const [minute, minuteAdmitted, minuteRefused, day, dayAdmitted, dayRefused, atMs, untilMs] = stored;
  const ban = atMs === null || untilMs === null ? null : { atMs, untilMs };
  return {
    minuteMs: Number(minute),
    minuteAdmitted,
    minuteRefused,
    dayMs: Number(day),
    dayAdmitted,
    dayRefused,
    ban,
  };
}
