create or replace view expiring_api_keys as
select e.api_key_id, e.name, e.plan_id, e.expires, e.prefix, e.expires_at, e.ends_key
from (
  select k.id as api_key_id, k.name, k.plan_id, 'key' as expires, null as prefix, k.expires_at, true as ends_key
  from api_keys k
  where k.expires_at > present()
    and isfinite(k.expires_at)
    and k.revoked_at is null
  union all
  select
    k.id, k.name, k.plan_id, 'secret', s.prefix, s.expires_at,
    not exists (
      select from api_key_secrets other
      where other.api_key_id = s.api_key_id
        and (other.expires_at is null or other.expires_at > s.expires_at))
  from api_key_secrets s
  join api_keys k on k.id = s.api_key_id
  where s.expires_at > present()
    and isfinite(s.expires_at)
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > s.expires_at)
) as e
order by e.expires_at;

comment on view expiring_api_keys is
  'Keys and secrets that will expire, soonest first. Filter with: where expires_at < now() + interval ''14 days''.';
comment on column expiring_api_keys.expires is 'key: the whole key expires; secret: only the secret with this prefix expires.';
comment on column expiring_api_keys.ends_key is 'Whether the key stops working completely then.';
comment on column expiring_api_keys.prefix is 'The first 12 characters of the secret that expires; null for a key.';
comment on column expiring_api_keys.expires_at is 'When the key or the secret stops working.';
