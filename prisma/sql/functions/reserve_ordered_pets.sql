-- It locks the pets in order of their ids, as every statement does. The ids are in an array: with a subquery the planner would scan the
-- whole table for a large batch.
create or replace function reserve_ordered_pets() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare
  stray orders;
  ordered_ids bigint[];
  gone_id bigint;
begin
  select * into stray from new_orders where status <> 'placed' limit 1;
  if found then
    raise exception 'new order % for pet % has status %, but must be placed', stray.id, stray.pet_id, stray.status
      using errcode = 'check_violation', hint = 'Insert the order as placed, then update its status one transition at a time.';
  end if;
  ordered_ids := array(select pet_id from new_orders);
  select min(id) filter (where status is null or status = 'sold')
  into gone_id
  from (select id, status from pets where id = any(ordered_ids) order by id for no key update) as locked;
  if gone_id is not null then
    raise exception 'pet % is not available', gone_id
      using errcode = 'check_violation', hint = 'Only available pets can be ordered. Update the status in pets first.';
  end if;
  -- This also writes pets that were pending without an order, so that a transaction with an older snapshot, which cannot see
  -- the order, fails when it changes the pet.
  update pets set status = 'pending' where id = any(ordered_ids);
  return null;
end
$$;

comment on function reserve_ordered_pets is 'Moves the pets of new orders from available to pending.';
