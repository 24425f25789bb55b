-- With the owner's rights, like delete_old_usage. One hour at a time: a search for the oldest rows would scan those already deleted.
create or replace function delete_usage_hour(of_hour timestamptz, keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_usage_hours as u
  using (
    select api_key_id, operation, outcome
    from api_key_usage_hours
    where hour = of_hour
      and hour < today()::timestamp at time zone 'UTC' - greatest(keep_days, 2) * interval '1 day'
    order by api_key_id, operation, outcome
    limit at_most
    for update skip locked
  ) as old
  where u.hour = of_hour
    and (u.api_key_id, u.operation, u.outcome) = (old.api_key_id, old.operation, old.outcome);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_usage_hour is
  'Deletes a batch of an hour''s usage older than the given number of days, but never of the last two days. Returns how many.';

revoke execute on function delete_usage_hour(timestamptz, integer, integer) from public;
