-- Statements pass whole rows, so that a new member of a pet or an order is named in few places, and by every replica at once: a
-- migration that adds a column also replaces these functions, with the same arguments.

create function pet_json(pet pets) returns text
language sql stable parallel safe
return '{"id":' || pet.id || ',"name":' || to_json(pet.name) || ',"categoryId":' || pet.category_id
  || coalesce(',"status":"' || pet.status || '"', '') || '}';

comment on function pet_json(pets) is 'A pet as the API returns it.';
comment on function pet_json(bigint, text, bigint, pet_status) is 'Only 1.0.0-rc.1 uses it. Members are added to pet_json(pets) alone.';

-- Instants are in UTC with milliseconds, which are cut and not rounded, as JavaScript's are.
create function order_json("order" orders) returns text
language sql stable parallel safe
return '{"id":' || "order".id || ',"petId":' || "order".pet_id || ',"status":"' || "order".status
  || '","placedAt":"' || to_char("order".placed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  || '","updatedAt":"' || to_char("order".updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}';

comment on function order_json(orders) is 'An order as the API returns it.';
comment on function order_json(bigint, bigint, order_status, timestamptz, timestamptz) is
  'Only 1.0.0-rc.1 uses it. Members are added to order_json(orders) alone.';

create function new_pet() returns pets
language sql volatile
return row(nextval('pets_id_seq'), null, null, null, now())::pets;

comment on function new_pet() is 'A pet with the defaults of its columns and the next id. The members of a request replace nulls.';

create function new_order() returns orders
language sql volatile
return row(nextval('orders_id_seq'), null, 'placed', now(), now())::orders;

comment on function new_order() is 'An order with the defaults of its columns and the next id.';

-- As before, with the JSON of the whole row.
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
