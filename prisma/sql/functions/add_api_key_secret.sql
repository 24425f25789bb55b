create or replace function add_api_key_secret(key_id bigint) returns text
language plpgsql volatile strict set search_path = public, pg_temp as $$
declare
  plain constant text := new_secret();
begin
  perform reject_second_secret('key ' || key_id, 'rotate');
  -- Not now(), so that secrets added in one transaction have an order.
  insert into api_key_secrets (hash, api_key_id, prefix, created_at)
  values (sha256(convert_to(plain, 'UTF8')), key_id, left(plain, 12), clock_timestamp());
  return plain;
end
$$;

comment on function add_api_key_secret is
  'Adds a secret to a key and returns the plain key, which is stored nowhere. At most one per key and statement.';

revoke execute on function add_api_key_secret(bigint) from public;
