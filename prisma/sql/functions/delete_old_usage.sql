-- With the owner's rights, because the service may not delete usage itself. Rows that another replica is deleting are skipped.
create or replace function delete_old_usage(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_usage as u
  using (
    select api_key_id, day
    from api_key_usage
    where day < today() - greatest(keep_days, 31)
    limit at_most
    for update skip locked
  ) as old
  where u.api_key_id = old.api_key_id and u.day = old.day;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_usage is
  'Deletes a batch of finished days of usage older than the given number of days, but never the last 31. Returns how many.';

revoke execute on function delete_old_usage(integer, integer) from public;
