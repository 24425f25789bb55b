-- With the owner's rights, like delete_old_usage.
create or replace function delete_old_usage_hours(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_usage_hours as u
  using (
    select hour, api_key_id, operation, outcome
    from api_key_usage_hours
    where hour < today()::timestamp at time zone 'UTC' - greatest(keep_days, 2) * interval '1 day'
    limit at_most
    for update skip locked
  ) as old
  where (u.hour, u.api_key_id, u.operation, u.outcome) = (old.hour, old.api_key_id, old.operation, old.outcome);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_usage_hours is
  'Deletes some of the hours of usage whose day is older than the given number of days, but none of the last two. Returns how many.';

revoke execute on function delete_old_usage_hours(integer, integer) from public;
