-- It reads the clock after the row is locked, so that the times of one order never decrease.
create or replace function enforce_order_transition() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if new.id <> old.id or new.pet_id <> old.pet_id then
    raise exception 'the pet of order % cannot change (it is pet %)', old.id, old.pet_id
      using errcode = 'integrity_constraint_violation', hint = 'Cancel the order and place an order for the other pet.';
  end if;
  if new.status <> old.status then
    if not order_may_become(old.status, new.status) then
      raise exception 'order % is % and cannot become %', old.id, old.status, new.status
        using errcode = 'check_violation', constraint = 'order_may_become',
              hint = 'placed can become approved or cancelled; approved can become delivered or cancelled; delivered and cancelled are final.';
    end if;
    new.updated_at := greatest(clock_timestamp(), old.updated_at);
  end if;
  return new;
end
$$;

comment on function enforce_order_transition is
  'Rejects order transitions outside the state machine, and sets updated_at.';
