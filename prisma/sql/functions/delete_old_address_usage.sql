-- With the owner's rights, like delete_old_usage. Two rows an hour: no need to skip locked ones.
create or replace function delete_old_address_usage(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from address_usage_hours
  where (hour, outcome) in (
    select hour, outcome
    from address_usage_hours
    where hour < today()::timestamp at time zone 'UTC' - greatest(keep_days, 2) * interval '1 day'
    order by hour, outcome
    limit at_most
  );
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_address_usage is
  'Deletes a batch of hours of address_usage_hours older than the given number of days, but never the last two days. Returns how many.';

revoke execute on function delete_old_address_usage(integer, integer) from public;
