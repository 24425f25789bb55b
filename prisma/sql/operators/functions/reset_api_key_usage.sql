create or replace function reset_api_key_usage(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set usage_reset_at = clock_timestamp() where id = reset_api_key_usage.id;
  return api_key_overview_of(reset_api_key_usage.id);
end
$$;

comment on function reset_api_key_usage is
  'Resets the minute and day of a key; bans and rejections stay: select * from reset_api_key_usage(7).';

revoke execute on function reset_api_key_usage(bigint) from public;
