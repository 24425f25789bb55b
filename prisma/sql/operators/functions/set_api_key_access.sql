create or replace function set_api_key_access(id bigint, access api_key_access) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set access = set_api_key_access.access where id = set_api_key_access.id;
  return api_key_overview_of(set_api_key_access.id);
end
$$;

comment on function set_api_key_access is
  'Sets a key''s access: read or write: select * from set_api_key_access(7, ''read'').';

revoke execute on function set_api_key_access(bigint, api_key_access) from public;
