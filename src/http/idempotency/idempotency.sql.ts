/**
 * SQL for the statements that create: whether a row of their input has no Idempotency-Key (`key`), or one with which no other
 * transaction creates at this moment.
 */
export const HOLDS_KEY = 'key is null or pg_try_advisory_xact_lock(hashtextextended(key, api_key_id))';

/**
 * SQL for two common table expressions: `stored` stores the response of each row that has an Idempotency-Key, and `free` are the rows to
 * create: without a key, or with one that was free. A key is free when it was never used, also not since the statement began, or when
 * its 24 hours are over.
 *
 * @param rows the name of one with `id`, `json`, `api_key_id`, `key` and `fingerprint`; the keys are different ones
 */
export const storedResponses = (rows: string): string => `
    stored as (
      insert into idempotency_keys as stored (api_key_id, key, fingerprint, resource_id, answer, expires_at)
      select api_key_id, key, fingerprint, id, json, now() + interval '24 hours'
      from ${rows}
      where key is not null
      order by api_key_id, key
      on conflict (api_key_id, key) do update
        set fingerprint = excluded.fingerprint,
            resource_id = excluded.resource_id,
            answer = excluded.answer,
            expires_at = excluded.expires_at
        where stored.expires_at <= now()
      returning resource_id),
    free as (
      select * from ${rows} where key is null or id in (select resource_id from stored))`;
