-- In plpgsql each statement has its own snapshot: an order committed before its pet was locked is visible. It never waits for a row
-- itself: the result is 'locked' if another transaction has locked one of them. The triggers of pets run once for all of them.
create or replace function delete_pets_if(ids bigint[], if_match text[], if_none_match text[]) returns setof text
language plpgsql
-- Else it is planned for each number of pets. While a table is small, a sequential scan looks cheap, and sessions cache their plans.
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
  'Deletes pets with their cancelled orders, each at most once. Returns a row for each, in input order: deleted, or the reason: pet_not_found, precondition_failed, pet_has_open_order, pet_is_sold (it has a delivered order), locked.';
