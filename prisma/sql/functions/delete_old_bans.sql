-- With the owner's rights, like delete_old_usage.
create or replace function delete_old_bans(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_bans as b
  using (
    select api_key_id, began_at
    from api_key_bans
    where ends_at < statement_timestamp() - greatest(keep_days, 31) * interval '1 day'
    limit at_most
    for update skip locked
  ) as old
  where (b.api_key_id, b.began_at) = (old.api_key_id, old.began_at);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_bans is
  'Deletes a batch of bans that ended more than the given number of days ago (at least 31). Returns how many.';

revoke execute on function delete_old_bans(integer, integer) from public;
