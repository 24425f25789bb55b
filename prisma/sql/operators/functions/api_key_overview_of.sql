create or replace function api_key_overview_of(key_id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  found_key api_key_overview;
begin
  select * into found_key from api_key_overview where api_key_overview.id = key_id;
  if not found then
    raise exception 'key % does not exist', coalesce(key_id::text, 'null')
      using errcode = 'no_data_found',
            hint = 'To find a key: select id, name, state from api_key_overview where name ilike ''%acme%'', or petstore keys list --name acme.';
  end if;
  return found_key;
end
$$;

comment on function api_key_overview_of is
  'A row of api_key_overview, which the functions return. Fails if there is no such key.';

revoke execute on function api_key_overview_of(bigint) from public;
