create or replace function keep_orders_of_pets() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if exists (select from pets) then
    raise exception 'orders cannot be truncated while there are pets'
      using errcode = 'integrity_constraint_violation', hint = 'Truncate both: truncate pets, orders.';
  end if;
  return null;
end
$$;

comment on function keep_orders_of_pets is 'Orders cannot be truncated while there are pets.';
