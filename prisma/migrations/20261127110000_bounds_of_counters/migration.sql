-- What a leaked password of the service can do to keys: neither bans without an end nor a day that never ends, and no deletion of usage
-- that callers see.

-- As before, but a ban by the clock of another primary, up to three minutes ahead, is lifted as well. Admission ignores later ones.
create or replace function unban_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set bans_lifted_at = greatest(
    bans_lifted_at,
    statement_timestamp(),
    (select banned_at from api_key_counters
     where api_key_id = unban_api_key.id and banned_at < statement_timestamp() + interval '3 minutes'))
  where id = unban_api_key.id;
  return api_key_overview_of(unban_api_key.id);
end
$$;

-- Runs with the owner's rights. The row that another replica is deleting is left to it.
create function delete_old_usage(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_usage as u
  using (
    select api_key_id, day
    from api_key_usage
    where day < (statement_timestamp() at time zone 'UTC')::date - greatest(keep_days, 31)
    limit at_most
    for update skip locked
  ) as old
  where u.api_key_id = old.api_key_id and u.day = old.day;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_usage is
  'Deletes some of the finished days of usage that are older than the given number of days, but none of the last 31. Returns how many.';

revoke execute on function delete_old_usage(integer, integer) from public;

-- Bans of an earlier release may be longer than a day, and an owner may have written anything.
update api_key_counters
set
  day = (minute at time zone 'UTC')::date,
  banned_at = case when banned_at < minute + interval '1 minute' then banned_at end,
  banned_until = case when banned_at < minute + interval '1 minute' then least(banned_until, banned_at + interval '1 day') end
where day <> (minute at time zone 'UTC')::date
  or banned_at >= minute + interval '1 minute'
  or banned_until > banned_at + interval '1 day';

-- The last statement, because requests wait for it until the migration ends.
alter table api_key_counters
  add constraint api_key_counters_day_of_minute check (day = (minute at time zone 'UTC')::date) not valid,
  add constraint api_key_counters_ban_begins_in_minute check (banned_at < minute + interval '1 minute') not valid,
  add constraint api_key_counters_ban_lasts_a_day check (banned_until <= banned_at + interval '1 day') not valid;
