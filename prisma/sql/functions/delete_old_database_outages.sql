-- With the owner's rights, like delete_old_usage.
create or replace function delete_old_database_outages(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from database_outages as o
  using (
    select replica, began_at
    from database_outages
    where ended_at < statement_timestamp() - greatest(keep_days, 31) * interval '1 day'
    limit at_most
    for update skip locked
  ) as old
  where (o.replica, o.began_at) = (old.replica, old.began_at);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_database_outages is
  'Deletes a batch of outages that ended more than the given number of days ago (at least 31). Returns how many.';

revoke execute on function delete_old_database_outages(integer, integer) from public;
