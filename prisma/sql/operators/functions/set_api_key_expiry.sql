create or replace function set_api_key_expiry(id bigint, expires timestamptz) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  if expires <= statement_timestamp() then
    raise exception 'the expiry (%) is in the past', expires
      using errcode = 'invalid_parameter_value',
            hint = format(
              'To end the key now: select * from revoke_api_key(%1$s), or petstore keys revoke %1$s.', set_api_key_expiry.id);
  end if;
  update api_keys set expires_at = expires where id = set_api_key_expiry.id;
  return api_key_overview_of(set_api_key_expiry.id);
end
$$;

comment on function set_api_key_expiry is
  'Sets when a key expires; null means never: select * from set_api_key_expiry(7, ''2027-01-31 00:00Z'').';

revoke execute on function set_api_key_expiry(bigint, timestamptz) from public;
