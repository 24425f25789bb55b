-- PATCH and DELETE change many rows in one statement, and evaluate If-None-Match.

-- A condition is null, or tags with commas between: those of the service contain none. If-None-Match may also be '*'.
create function meets_preconditions(representation text, if_match text, if_none_match text) returns boolean
language sql immutable parallel safe
return (if_match is null or etag_of(representation) = any (string_to_array(if_match, ',')))
  and (if_none_match is null
    or (if_none_match <> '*' and etag_of(representation) <> all (string_to_array(if_none_match, ','))));

comment on function meets_preconditions is
  'Whether a representation has one of the tags of If-Match and none of If-None-Match (RFC 9110 section 13.2.2).';

-- Deletes a pet and its cancelled orders. It waits for no row: 'locked' if another transaction has locked one of them.
create function delete_pet_if(of_pet bigint, if_match text, if_none_match text) returns text
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
  if not meets_preconditions(pet_json(pet.id, pet.name, pet.category_id, pet.status), if_match, if_none_match) then
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
  'Deletes a pet with its cancelled orders. Returns deleted, or why it was not: pet_not_found, precondition_failed, pet_has_open_order, pet_is_sold (it has a delivered order), locked.';

-- No release has used it.
drop function delete_pet(bigint, text[]);
