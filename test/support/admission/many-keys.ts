import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { numberFrom } from '../cases.js';

/** Enough keys for the planner to show what it would do with a million; ADMISSION_KEYS=1000000 sets it. */
export const MANY_KEYS = numberFrom('ADMISSION_KEYS', 50_000);

/**
 * Makes keys on roomy limits, the first thousand of them with a year of history that ended long ago, and has the planner know of it all.
 * The secret of a key is its name: `key 1`, `key 2` and so on.
 */
export async function makeManyKeys(queryable: Pick<Pool, 'query'>, keys: number): Promise<void> {
  await queryable.query(
    `with made as (
       insert into api_keys (name, plan_id, requests_per_minute, requests_per_day)
       select 'key ' || n, 'business', 1000000000, 1000000000 from generate_series(1, $1::int) as n
       returning id, name),
     secrets as (
       insert into api_key_secrets (hash, api_key_id, prefix)
       select sha256(convert_to(name, 'UTF8')), id, 'psk_00000000' from made)
     insert into api_key_usage (api_key_id, day, admitted, refused)
     select first.id, date '2026-01-01' - days, 100, 1
     from (select id from made order by id limit 1000) as first, generate_series(1, 365) as days`,
    [keys],
  );
  for (const table of ['plans', 'api_keys', 'api_key_secrets', 'api_key_counters', 'api_key_usage']) {
    // Autovacuum would come at any moment, and what it reads keeps old versions of rows alive.
    await queryable.query(`alter table ${table} set (autovacuum_enabled = false)`);
    await queryable.query(`vacuum analyze ${table}`);
  }
}

/** The SHA-256 of the secret of the n-th key, from 1 on. */
export const hashOfKey = (n: number): string => `\\x${createHash('sha256').update(`key ${n}`).digest('hex')}`;
