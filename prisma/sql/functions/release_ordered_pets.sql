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
  -- Else each approval would run the triggers of pets twice for no rows.
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
