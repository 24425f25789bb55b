create or replace function count_no_pets() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from pet_counts;
  return null;
end
$$;

comment on function count_no_pets is 'Resets pet_counts when pets are truncated.';

revoke execute on function count_no_pets() from public;
