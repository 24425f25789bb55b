create or replace function keep_orders_of_pet() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if exists (select from pets where id = old.pet_id) then
    raise exception 'order % is % and cannot be deleted while pet % exists', old.id, old.status, old.pet_id
      using errcode = 'integrity_constraint_violation',
            hint = 'Cancel an open order. To delete a pet, delete its orders and then the pet in one transaction.';
  end if;
  return null;
end
$$;

comment on function keep_orders_of_pet is 'An order that is not cancelled cannot be deleted before its pet.';
