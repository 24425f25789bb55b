create or replace function keep_ordered_pet_pending() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare
  open_order orders;
begin
  select * into open_order from orders where pet_id = new.id and status in ('placed', 'approved');
  if found then
    raise exception 'pet % must stay pending, because its order % is %', new.id, open_order.id, open_order.status
      using errcode = 'integrity_constraint_violation',
            hint = 'Update the status of the order to delivered or cancelled; triggers then update the pet.';
  end if;
  return null;
end
$$;

comment on function keep_ordered_pet_pending is 'A pet stays pending while its order is open.';
