import type { Statement } from '../database/database.js';
import type { JsonTable } from '../database/json-table.js';
import { IDEMPOTENCY_HOURS } from '../idempotency/claim.js';

/** An instant as JSON has it: in UTC with milliseconds, cut and not rounded, as JavaScript's dates are. */
const instant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Orders as answers. */
export const ORDERS: JsonTable = {
  table: 'orders',
  statusType: 'order_status',
  json: `
    '{"id":' || item.id || ',"petId":' || item.pet_id || ',"status":"' || item.status
      || '","placedAt":"' || ${instant('item.placed_at')} || '","updatedAt":"' || ${instant('item.updated_at')} || '"}'`,
};

/**
 * How long a lock is awaited. Longer than statements of the service keep one; shorter than PostgreSQL's `deadlock_timeout` (a
 * second), so that a transaction by hand, which may lock in another order or stay open, is never the service's deadlock; and
 * short enough for whoever waited in vain to be asked again without the others of the group before the request is given up.
 */
const SET_LOCK_TIMEOUT = `(select set_config('lock_timeout', '250ms', true)) is not null`;

/**
 * Places orders, in the order in which they were asked for: an animal goes to the first who wants it. One row for each, in
 * that order: why there is no order, or null, then the order. The animals follow by a trigger of orders.
 */
export const PLACE_ORDERS: Statement = {
  name: 'place_orders',
  text: `
    with asked as (
      select pet_id, number
      from unnest($1::bigint[]) with ordinality as asked (pet_id, number)),
    -- Locked first, and in the order of their identifiers, as everywhere; read as they are then.
    animal as materialized (
      select id, status
      from pets
      where ${SET_LOCK_TIMEOUT} and id = any($1)
      order by id
      for no key update),
    decided as (
      select
        asked.number,
        asked.pet_id,
        case
          when animal.id is null then 'unknown_pet'
          when animal.status is distinct from 'available' then 'pet_not_available'
          when row_number() over (partition by asked.pet_id order by asked.number) > 1 then 'pet_not_available'
        end as refusal
      from asked
      left join animal on animal.id = asked.pet_id
      order by asked.number),
    answer as materialized (
      select
        number, refusal, case when refusal is null then nextval('orders_id_seq') end as id,
        pet_id, 'placed'::order_status as status, now() as at
      from decided),
    placed as (
      insert into orders (id, pet_id, status, placed_at, updated_at)
      select id, pet_id, status, at, at from answer where refusal is null)
    select refusal, id, pet_id, status, at, at from answer order by number`,
};

/**
 * The same for requests with an Idempotency-Key, of which no two may be equal: the order and the answer are stored together.
 * A row tells whether nobody else holds the claim, why there is no order, and the answer if the claim was free.
 */
export const PLACE_ORDERS_ONCE: Statement = {
  name: 'place_orders_once',
  text: `
    -- who holds the claim's lock may store under it; nobody waits for it
    with asked as materialized (
      select
        asked.*, pg_try_advisory_xact_lock(hashtextextended(key, api_key_id)) as is_mine,
        exists (
          select from idempotency_keys as known
          where known.api_key_id = asked.api_key_id and known.key = asked.key and known.expires_at > now()
        ) as is_used
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bytea[])
        with ordinality as asked (pet_id, api_key_id, key, fingerprint, number)),
    -- a claim that was used neither waits for its animal nor takes it from another
    wanted as (select * from asked where is_mine and not is_used),
    animal as materialized (
      select id, status
      from pets
      where ${SET_LOCK_TIMEOUT} and id = any(array(select pet_id from wanted))
      order by id
      for no key update),
    decided as (
      select
        wanted.*,
        case
          when animal.id is null then 'unknown_pet'
          when animal.status is distinct from 'available' then 'pet_not_available'
          when row_number() over (partition by wanted.pet_id order by wanted.number) > 1 then 'pet_not_available'
        end as refusal
      from wanted
      left join animal on animal.id = wanted.pet_id
      order by wanted.number),
    answer as materialized (
      select
        decided.*, case when refusal is null then nextval('orders_id_seq') end as id,
        'placed'::order_status as status, now() as placed_at, now() as updated_at
      from decided),
    -- a claim is free when nobody used it, also not since this statement began, or when its time is over; a refusal stores
    -- nothing
    stored as (
      insert into idempotency_keys as stored (api_key_id, key, fingerprint, resource_id, answer, expires_at)
      select api_key_id, key, fingerprint, id, ${ORDERS.json}, now() + interval '${IDEMPOTENCY_HOURS} hours'
      from answer as item
      where refusal is null
      order by api_key_id, key
      on conflict (api_key_id, key) do update
        set fingerprint = excluded.fingerprint,
            resource_id = excluded.resource_id,
            answer = excluded.answer,
            expires_at = excluded.expires_at
        where stored.expires_at <= now()
      returning resource_id, answer),
    placed as (
      insert into orders (id, pet_id, status, placed_at, updated_at)
      select answer.id, pet_id, status, placed_at, updated_at
      from answer join stored on stored.resource_id = answer.id)
    select asked.is_mine, answer.id, stored.answer, answer.refusal
    from asked
    left join answer on answer.number = asked.number
    left join stored on stored.resource_id = answer.id
    order by asked.number`,
};

/**
 * Changes the status of orders, each named once, where their life allows it. Rows are the orders that exist as they are
 * afterwards, changed or not, in no order. The animals follow by a trigger of orders.
 */
export const CHANGE_ORDERS: Statement = {
  name: 'change_orders',
  text: `
    with asked as (
      select id, wanted from unnest($1::bigint[], $2::order_status[]) as asked (id, wanted)),
    -- The animals are locked before their orders, in the order of their identifiers, as everywhere.
    animal as materialized (
      select id
      from pets
      where ${SET_LOCK_TIMEOUT} and id = any(array(select pet_id from orders where id = any($1)))
      order by id
      for no key update),
    present as materialized (
      select o.id, o.pet_id, o.status, o.placed_at, o.updated_at, asked.wanted
      from asked
      join orders as o on o.id = asked.id
      join animal on animal.id = o.pet_id
      order by o.id
      for no key update of o),
    changed as (
      update orders
      set status = present.wanted
      from present
      where orders.id = present.id and order_may_become(present.status, present.wanted)
      returning orders.id, orders.pet_id, orders.status, orders.placed_at, orders.updated_at)
    select id, pet_id, status, placed_at, updated_at
    from changed
    union all
    select id, pet_id, status, placed_at, updated_at
    from present
    where not order_may_become(status, wanted)`,
};
