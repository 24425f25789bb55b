-- Functions of PATCH and DELETE of a pet. They are plpgsql, because each statement in them has a snapshot of its own: an order that
-- was committed while the caller waited for the lock of the pet is visible.

create function etag_of(representation text) returns text
language sql immutable parallel safe
return '"' || translate(left(encode(sha256(convert_to(representation, 'UTF8')), 'base64'), 22), '+/', '-_') || '"';

comment on function etag_of is 'The ETag of a representation, as the API returns it.';

create function has_open_order(of_pet bigint) returns boolean
language plpgsql as $$
begin
  return exists (select from orders where pet_id = of_pet and status in ('placed', 'approved'));
end
$$;

comment on function has_open_order is 'Whether a pet has an order that is placed or approved.';

-- Deletes a pet and its cancelled orders. It waits for no row: 'locked' if another transaction has locked one of them.
create function delete_pet(of_pet bigint, tags text[]) returns text
language plpgsql as $$
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
  if etag_of(pet_json(pet.id, pet.name, pet.category_id, pet.status)) <> all(tags) then
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

comment on function delete_pet is
  'Deletes a pet with its cancelled orders. Returns deleted, or why it was not: pet_not_found, precondition_failed (the pet has none of the tags), pet_has_open_order, pet_is_sold (it has a delivered order), locked.';
