create or replace function new_secret() returns text
language sql volatile set search_path = public, pg_temp as $$
  select body || api_key_checksum(body) from (select 'psk_' || random_base62(32) as body offset 0) as made
$$;

comment on function new_secret is 'A random plain key, with its checksum.';

revoke execute on function new_secret() from public;
