-- "select (issue_api_key(…)).*" calls the function once for each column, so a second secret for a key fails. The setting contains a mark
-- for each secret that the present statement has added.
create or replace function add_api_key_secret(key_id bigint) returns text
language plpgsql volatile strict set search_path = public, pg_temp as $$
declare
  body constant text := 'psk_' || random_base62(32);
  plain constant text := body || api_key_checksum(body);
  is_first constant boolean := not exists (select from api_key_secrets where api_key_id = key_id);
  key_name constant text := (select name from api_keys where id = key_id);
  mark constant text := md5(case when is_first then key_name else key_id::text end) || ',';
  marks text := coalesce(current_setting('petstore.secrets_added', true), '');
begin
  if not starts_with(marks, statement_timestamp()::text) then
    marks := statement_timestamp()::text || ',';
  elsif strpos(marks, mark) > 0 then
    raise exception 'a second secret for % in one statement', case when is_first then quote_ident(key_name) else 'key ' || key_id end
      using errcode = 'cardinality_violation',
            hint = format(
              'Call the function once, after from: select * from %s_api_key(…). For several of them run several statements.',
              case when is_first then 'issue' else 'rotate' end);
  end if;
  perform set_config('petstore.secrets_added', marks || mark, true);
  -- Not now(), so that secrets added in one transaction have an order.
  insert into api_key_secrets (hash, api_key_id, prefix, created_at)
  values (sha256(convert_to(plain, 'UTF8')), key_id, left(plain, 12), clock_timestamp());
  return plain;
end
$$;

comment on function add_api_key_secret is
  'Adds a secret to a key and returns the plain key, which is stored nowhere. A statement can add one for each key.';

revoke execute on function add_api_key_secret(bigint) from public;
