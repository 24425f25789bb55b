-- Also a ban by a former primary's clock, which may begin in the minute of the last trusted counters. Admission ignores later ones.
create or replace function unban_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set bans_lifted_at = greatest(
    case when bans_lifted_at <= latest_lift() then bans_lifted_at end,
    statement_timestamp(),
    (select banned_at from api_key_counters where api_key_id = unban_api_key.id and banned_at < latest_lift()))
  where id = unban_api_key.id;
  return api_key_overview_of(unban_api_key.id);
end
$$;

comment on function unban_api_key is
  'Lifts the ban of a key and forgets its earlier bans; a suspension stays in force: select * from unban_api_key(7).';

revoke execute on function unban_api_key(bigint) from public;
