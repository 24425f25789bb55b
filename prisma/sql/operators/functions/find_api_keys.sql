-- Operators may not read hashes, but may look up those of keys they have.
create or replace function find_api_keys(hashes bytea[])
returns table (hash bytea, api_key_id bigint, name text, plan_id text, state text, prefix text, works boolean)
language sql stable security definer rows 10 set search_path = public, pg_temp as $$
  select s.hash, k.id, k.name, k.plan_id, k.state, s.prefix, is_valid(s) and k.state not in ('revoked', 'expired')
  from unnest(hashes) as wanted (hash)
  join api_key_secrets s on s.hash = wanted.hash
  join api_key_overview k on k.id = s.api_key_id
$$;

comment on function find_api_keys is
  'The keys with these SHA-256 hashes, and whether each is valid, even if suspended or banned: select * from find_api_keys(array[sha256(''psk_…'')]).';

revoke execute on function find_api_keys(bytea[]) from public;
