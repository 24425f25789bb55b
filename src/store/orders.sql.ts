import { listSql, pagesSql } from '../batching/list-pages.js';
import { HOLDS_KEY, storedResponses } from '../http/idempotency/idempotency.sql.js';
import { statement } from '../database/statement.js';

/** Pages of all orders or of one status. */
export const LIST_ORDERS = statement('list_orders', listSql('orders', 'order_status', 'order_json(record)'));

/** Pages of the orders of a pet, of all statuses (null) or of one. */
export const LIST_ORDERS_OF_PET = statement(
  'list_orders_of_pet',
  pagesSql(
    { from_id: 'bigint', size: 'int', status: 'order_status', pet_id: 'bigint' },
    'order_json(record)',
    `
        select *
        from orders as listed
        where (listed.pet_id, listed.id) >= (page.pet_id, page.from_id) and listed.pet_id <= page.pet_id
          and (page.status is null or listed.status = page.status)
        order by listed.pet_id, listed.id
        limit page.size + 1`,
  ),
);

export const FIND_ORDERS = statement(
  'find_orders',
  `
    select order_json(found) as json
    from unnest((select $1::bigint[])) with ordinality as wanted (id, number)
    left join orders as found on found.id = wanted.id
    order by wanted.number`,
);

/**
 * Places orders, in the order in which they were requested: a pet goes to the first request for it. The response is stored where
 * there is an Idempotency-Key; the keys of a batch are different ones. One row for each item, in their order; `locked` is one whose
 * pet is available but that another transaction has locked. A trigger of orders updates the pets.
 */
export const PLACE_ORDERS = statement(
  'place_orders',
  `
    with input as materialized (
      select
        wanted.*,
        ${HOLDS_KEY} as holds_key,
        key is not null and exists (
          select from idempotency_keys as known
          where known.api_key_id = wanted.api_key_id and known.key = wanted.key and known.expires_at > now()) as is_used
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bytea[])
        with ordinality as wanted (pet_id, api_key_id, key, fingerprint, number)),
    -- a request whose key is used neither waits for its pet nor takes it from another
    candidate as (
      select * from input where holds_key and not is_used),
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
      select *, (new_order).id, order_json(new_order) as json
      from (
        select *, jsonb_populate_record(new_order(), jsonb_build_object('pet_id', pet_id)) as new_order
        from decided
        where rejection is null
        order by number) as numbered),
    ${storedResponses('placeable')},
    placed as (
      insert into orders
      select (new_order).* from free)
    select
      case
        when not input.holds_key then 'busy'
        when free.id is not null then 'created'
        else coalesce(decided.rejection, 'used')
      end as outcome,
      free.id, free.json
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
      select found
      from orders as found
      join pet on pet.id = found.pet_id
      where found.id = any(array(select order_id from input))
      order by found.id
      for no key update of found skip locked),
    -- as the lock found it; what is locked, as it was when the statement began
    present as (
      select found, true as is_held from held
      union all
      select found, false
      from orders as found
      where id = any(array(select order_id from input)) and id <> all(array(select (found).id from held))),
    decided as materialized (
      select
        *,
        case
          when (found).id is null then 'order_not_found'
          when num_nonnulls(if_match, if_none_match) > 0
            and not meets_preconditions(order_json(found), if_match, if_none_match)
            then 'precondition_failed'
          when (found).status = new_status then 'unchanged'
          when not order_may_become((found).status, new_status) then 'order_transition_not_allowed'
          when is_held then 'changed'
          else 'locked'
        end as outcome
      from input
      left join present on (found).id = order_id),
    changed as (
      update orders
      set status = new_status
      from decided
      where id = order_id and outcome = 'changed'
      returning orders as changed_order)
    select
      outcome, (found).status,
      case outcome when 'changed' then order_json(changed_order) when 'unchanged' then order_json(found) end as json
    from decided
    left join changed on (changed_order).id = order_id
    order by number`,
);
