-- From prisma/sql by "npm run migration". Changes below this line are lost.

-- In plpgsql each statement has a snapshot of its own: an order that was committed before its pet was locked is visible. It waits for no row
-- itself: the result is 'locked' if another transaction has locked one of them. The triggers of pets run once for all of them.
create or replace function delete_pets_if(ids bigint[], if_match text[], if_none_match text[]) returns setof text
language plpgsql
-- Else it is planned for each number of pets. While a table is small a plan that reads all of it looks cheap, and sessions keep their plans.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set search_path = public, pg_temp
as $$
declare
  held bigint[];
  rejections text[];
  accepted bigint[];
  held_orders bigint[];
  kept bigint[] := '{}';
begin
  held := array(select id from pets where id = any(ids) order by id for update skip locked);
  rejections := array(
    select
      case
        when pet.id is null then 'pet_not_found'
        when num_nonnulls(item.if_match, item.if_none_match) > 0
          and not meets_preconditions(pet_json(pet), item.if_match, item.if_none_match)
          then 'precondition_failed'
        when exists (select from orders where pet_id = pet.id and status in ('placed', 'approved'))
          then 'pet_has_open_order'
        when exists (select from orders where pet_id = pet.id and status = 'delivered') then 'pet_is_sold'
        when pet.id <> all(held) then 'locked'
      end
    from unnest(ids, if_match, if_none_match) with ordinality as item (id, if_match, if_none_match, number)
    left join pets as pet on pet.id = item.id
    order by number);
  accepted := array(select id from unnest(ids, rejections) as decided (id, rejection) where rejection is null);
  if exists (select from orders where pet_id = any(accepted)) then
    held_orders := array(
      select id from orders where pet_id = any(accepted) order by id for update skip locked);
    kept := array(select pet_id from orders where pet_id = any(accepted) and id <> all(held_orders));
    delete from orders where id = any(held_orders) and pet_id <> all(kept);
  end if;
  delete from pets where id = any(accepted) and id <> all(kept);
  return query
    select coalesce(rejection, case when id = any(kept) then 'locked' else 'deleted' end)
    from unnest(ids, rejections) with ordinality as decided (id, rejection, number)
    order by number;
end
$$;

comment on function delete_pets_if is
  'Deletes pets with their cancelled orders, each at most once. Returns a row for each, in their order: deleted, or why it was not: pet_not_found, precondition_failed, pet_has_open_order, pet_is_sold (it has a delivered order), locked.';

create or replace function release_ordered_pets() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare
  sold_ids bigint[];
  available_ids bigint[];
begin
  select
    array_agg(pet_id) filter (where status = 'delivered'),
    array_agg(pet_id) filter (where status = 'cancelled')
  into sold_ids, available_ids
  from (
    select pet_id, status from new_orders
    except all
    select pet_id, status from old_orders) as changed;
  -- Else each approval would run the triggers of pets, twice and for no row.
  if sold_ids is null and available_ids is null then
    return null;
  end if;
  perform from pets where id = any(sold_ids || available_ids) order by id for no key update;
  update pets set status = 'sold' where id = any(sold_ids);
  update pets set status = 'available' where id = any(available_ids);
  return null;
end
$$;

comment on function release_ordered_pets is 'Updates the pets of delivered and cancelled orders.';

create or replace view customer_overview as
select
  k.customer,
  count(*) as keys,
  count(*) filter (where k.state not in ('unissued', 'expired', 'revoked')) as live_keys,
  count(*) filter (where k.state not in ('unissued', 'expired', 'revoked') and k.day_admitted > 0.8 * k.requests_per_day) as near_limit_keys,
  saturated(sum(k.day_admitted)) as day_admitted,
  saturated(sum(k.day_refused)) as day_refused,
  max(k.last_used_at) as last_used_at
from api_key_overview k
where k.customer is not null
group by k.customer;

comment on view customer_overview is
  'Each customer with the use of all its keys: select * from customer_overview where customer = ''crm-7''.';
comment on column customer_overview.customer is 'The customer''s id in another system.';
comment on column customer_overview.keys is 'Keys of the customer, also revoked and expired ones.';
comment on column customer_overview.live_keys is 'Keys that have a secret and are neither revoked nor expired, including suspended and banned keys.';
comment on column customer_overview.near_limit_keys is 'Those that have used more than 80 % of their day.';
comment on column customer_overview.day_admitted is 'Requests admitted in the current UTC day, of each key since its last reset.';
comment on column customer_overview.day_refused is 'Requests rejected in the current UTC day.';
comment on column customer_overview.last_used_at is 'The last time a counted request of one of the keys came.';
