import { statement } from '../prisma/statement.js';

/** Pages of orders, like those of pets. */
export const LIST_ORDERS = statement(
  'list_orders',
  `
    select found.next_id as "nextId", found.items
    from unnest((select $1::bigint[]), (select $2::int[]), (select $3::order_status[]))
      with ordinality as page (from_id, size, status, number)
    cross join lateral (
      -- one row more than the page has shows whether another page follows
      select
        (array_agg(o.id))[page.size + 1] as next_id,
        array_to_string(
          (array_agg(order_json(o.id, o.pet_id, o.status, o.placed_at, o.updated_at)))[:page.size], ',') as items
      from (
        (select *
         from orders
         where page.status is null and id >= page.from_id
         order by id
         limit page.size + 1)
        union all
        (select *
         from orders as listed
         where (listed.status, listed.id) >= (page.status, page.from_id) and listed.status <= page.status
         order by listed.status, listed.id
         limit page.size + 1)) as o) as found
    order by page.number`,
);

export const FIND_ORDERS = statement(
  'find_orders',
  `
    select order_json(o.id, o.pet_id, o.status, o.placed_at, o.updated_at) as json
    from unnest((select $1::bigint[])) with ordinality as wanted (id, number)
    left join orders as o on o.id = wanted.id
    order by wanted.number`,
);

/**
 * Places orders, in the order in which they were requested: a pet goes to the first request for it. The response is stored where
 * there is an Idempotency-Key; the keys of a batch are different ones. One row for each item, in their order: `is_mine` is false
 * while another transaction uses the key; `rejection` is why there is no order, or `locked` if another transaction has locked an
 * available pet; `json` is null if the key was used before. A trigger of orders updates the pets.
 */
export const PLACE_ORDERS = statement(
  'place_orders',
  `
    with input as materialized (
      select
        wanted.*,
        key is null or pg_try_advisory_xact_lock(hashtextextended(key, api_key_id)) as is_mine,
        key is not null and exists (
          select from idempotency_keys as known
          where known.api_key_id = wanted.api_key_id and known.key = wanted.key and known.expires_at > now()) as is_used
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bytea[])
        with ordinality as wanted (pet_id, api_key_id, key, fingerprint, number)),
    -- a request whose key is used neither waits for its pet nor takes it from another
    candidate as (
      select * from input where is_mine and not is_used),
    -- locked in the order of their identifiers, as everywhere; without those that other transactions have locked
    pet as materialized (
      select id, status
      from pets
      where id = any(array(select pet_id from candidate))
      order by id
      for no key update skip locked),
    decided as (
      select
        candidate.*,
        case
          when pet.id is null then coalesce(
            (select case status when 'available' then 'locked' else 'pet_not_available' end
             from pets
             where id = candidate.pet_id),
            'unknown_pet')
          when pet.status is distinct from 'available' then 'pet_not_available'
          when row_number() over (partition by candidate.pet_id order by number) > 1 then 'pet_not_available'
        end as rejection
      from candidate
      left join pet on pet.id = candidate.pet_id),
    placeable as materialized (
      select
        number, nextval('orders_id_seq') as id, pet_id, 'placed'::order_status as status, now() as at,
        api_key_id, key, fingerprint
      from decided
      where rejection is null
      order by number),
    -- a key is free when it was never used, also not since this statement began, or when its 24 hours are over
    stored as (
      insert into idempotency_keys as stored (api_key_id, key, fingerprint, resource_id, answer, expires_at)
      select
        api_key_id, key, fingerprint, id, order_json(id, pet_id, status, at, at), now() + interval '24 hours'
      from placeable
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
      select * from placeable where key is null or id in (select resource_id from stored)),
    placed as (
      insert into orders (id, pet_id, status, placed_at, updated_at)
      select id, pet_id, status, at, at from free)
    select
      input.is_mine as "isMine", decided.rejection, free.id,
      case when free.id is not null then order_json(free.id, free.pet_id, free.status, free.at, free.at) end as json
    from input
    left join decided on decided.number = input.number
    left join free on free.number = input.number
    order by input.number`,
);

/**
 * Changes the status of orders where the state machine allows it, each once. One row for each order, in their order: its outcome, its
 * present status, and the order as it is then where it was changed or need not change. `locked` is one that would change but that
 * another transaction has locked, or its pet. A trigger of orders updates the pets.
 */
export const CHANGE_ORDERS = statement(
  'change_orders',
  `
    with input as materialized (
      select *
      from unnest($1::bigint[], $2::order_status[], $3::text[], $4::text[])
        with ordinality as change (order_id, new_status, if_match, if_none_match, number)),
    -- the pets are locked before their orders, as everywhere
    pet as materialized (
      select id
      from pets
      where id = any(array(select pet_id from orders where id = any(array(select order_id from input))))
      order by id
      for no key update skip locked),
    held as materialized (
      select o.*
      from orders as o
      join pet on pet.id = o.pet_id
      where o.id = any(array(select order_id from input))
      order by o.id
      for no key update of o skip locked),
    -- as the lock found it; what is locked, as it was when the statement began
    present as (
      select *, true as is_held from held
      union all
      select *, false
      from orders
      where id = any(array(select order_id from input)) and id <> all(array(select id from held))),
    decided as materialized (
      select
        input.*, present.*,
        case
          when id is null then 'order_not_found'
          when num_nonnulls(if_match, if_none_match) > 0
            and not meets_preconditions(order_json(id, pet_id, status, placed_at, updated_at), if_match, if_none_match)
            then 'precondition_failed'
          when status = new_status then 'unchanged'
          when not order_may_become(status, new_status) then 'order_transition_not_allowed'
          when is_held then 'changed'
          else 'locked'
        end as outcome
      from input
      left join present on present.id = order_id),
    changed as (
      update orders
      set status = new_status
      from decided
      where orders.id = decided.id and outcome = 'changed'
      returning orders.*)
    select
      outcome, decided.status,
      case outcome
        when 'changed' then order_json(changed.id, changed.pet_id, changed.status, changed.placed_at, changed.updated_at)
        when 'unchanged' then order_json(decided.id, decided.pet_id, decided.status, decided.placed_at, decided.updated_at)
      end as json
    from decided
    left join changed on changed.id = decided.id
    order by number`,
);
