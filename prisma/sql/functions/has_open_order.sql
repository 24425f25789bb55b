-- In plpgsql each call has its own snapshot.
create or replace function has_open_order(of_pet bigint) returns boolean
language plpgsql set search_path = public, pg_temp as $$
begin
  return exists (select from orders where pet_id = of_pet and status in ('placed', 'approved'));
end
$$;

comment on function has_open_order is 'Whether a pet has an order that is placed or approved.';
