-- In plpgsql each statement has a snapshot of its own: an order that was committed while the caller waited is visible. It waits for no row
-- itself: the result is 'locked' if another transaction has locked one of them.
create or replace function delete_pet_if(of_pet bigint, if_match text, if_none_match text) returns text
language plpgsql set search_path = public, pg_temp as $$
declare
  pet pets;
  is_held boolean;
  held_orders bigint[];
begin
  select * into pet from pets where id = of_pet for update skip locked;
  is_held := found;
  if not is_held then
    select * into pet from pets where id = of_pet;
    if not found then return 'pet_not_found'; end if;
  end if;
  if not meets_preconditions(pet_json(pet), if_match, if_none_match) then
    return 'precondition_failed';
  end if;
  if has_open_order(of_pet) then return 'pet_has_open_order'; end if;
  if exists (select from orders where pet_id = of_pet and status = 'delivered') then return 'pet_is_sold'; end if;
  if not is_held then return 'locked'; end if;
  held_orders := array(
    select id from orders where pet_id = of_pet order by id for update skip locked);
  if exists (select from orders where pet_id = of_pet and id <> all(held_orders)) then return 'locked'; end if;
  delete from orders where id = any(held_orders);
  delete from pets where id = of_pet;
  return 'deleted';
end
$$;

comment on function delete_pet_if is
  'Only 1.0.0 uses it. Deletes a pet with its cancelled orders. Returns deleted, or why it was not: pet_not_found, precondition_failed, pet_has_open_order, pet_is_sold (it has a delivered order), locked.';
