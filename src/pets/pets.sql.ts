import { type JsonTable, selectPages, selectRowsById } from '../batching/pages.js';
import { statement } from '../prisma/statement.js';
import { IDEMPOTENCY_HOURS } from '../idempotency/claim.js';

/** Animals as answers. `to_json` escapes a name as `JSON.stringify` does. */
export const PETS: JsonTable = {
  table: 'pets',
  statusType: 'pet_status',
  json: `
    '{"id":' || item.id || ',"name":' || to_json(item.name) || ',"categoryId":' || item.category_id
      || coalesce(',"status":"' || item.status || '"', '') || '}'`,
};

export const LIST_PETS = selectPages(PETS);
export const FIND_PETS = selectRowsById(PETS);

/** Inserts animals and returns their identifiers in the order of the input, which `returning` would not promise. */
export const CREATE_PETS = statement(
  'create_pets',
  'writes',
  `
    with input as materialized (
      select nextval('pets_id_seq') as id, name, category_id, status, number
      from unnest($1::text[], $2::bigint[], $3::pet_status[]) with ordinality as input (name, category_id, status, number)),
    created as (
      insert into pets (id, name, category_id, status)
      select id, name, category_id, status from input)
    select id from input order by number`,
);

/**
 * The same for requests with an Idempotency-Key, of which no two may be equal: the animal and the answer are stored
 * together. A row tells whether nobody else holds the claim, and the answer if it was free.
 */
export const CREATE_PETS_ONCE = statement(
  'create_pets_once',
  'writes',
  `
    -- who holds the claim's lock may store under it; nobody waits for it
    with input as materialized (
      select input.*, nextval('pets_id_seq') as id,
             pg_try_advisory_xact_lock(hashtextextended(key, api_key_id)) as is_mine
      from unnest($1::text[], $2::bigint[], $3::pet_status[], $4::text[], $5::bigint[], $6::text[], $7::bytea[])
        with ordinality as input (name, category_id, status, members, api_key_id, key, fingerprint, number)),
    -- a claim is free when nobody used it, or when its time is over
    stored as (
      insert into idempotency_keys as stored (api_key_id, key, fingerprint, resource_id, answer, expires_at)
      select api_key_id, key, fingerprint, id, '{"id":' || id || ',' || members, now() + interval '${IDEMPOTENCY_HOURS} hours'
      from input
      where is_mine
      order by api_key_id, key
      on conflict (api_key_id, key) do update
        set fingerprint = excluded.fingerprint,
            resource_id = excluded.resource_id,
            answer = excluded.answer,
            expires_at = excluded.expires_at
        where stored.expires_at <= now()
      returning resource_id, answer),
    created as (
      insert into pets (id, name, category_id, status)
      select input.id, name, category_id, status
      from input join stored on stored.resource_id = input.id)
    select input.is_mine as "isMine", input.id, stored.answer
    from input left join stored on stored.resource_id = input.id
    order by input.number`,
);
