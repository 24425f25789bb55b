create or replace function revoke_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set revoked_at = coalesce(revoked_at, statement_timestamp()) where id = revoke_api_key.id;
  return api_key_overview_of(revoke_api_key.id);
end
$$;

comment on function revoke_api_key is
  'Revokes a key and all its secrets permanently: select * from revoke_api_key(7).';

revoke execute on function revoke_api_key(bigint) from public;
