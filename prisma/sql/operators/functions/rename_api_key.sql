create or replace function rename_api_key(id bigint, name text) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set name = rename_api_key.name where id = rename_api_key.id;
  return api_key_overview_of(rename_api_key.id);
end
$$;

comment on function rename_api_key is
  'Renames a key; its usage stays with it: select * from rename_api_key(7, ''Acme mobile'').';

revoke execute on function rename_api_key(bigint, text) from public;
