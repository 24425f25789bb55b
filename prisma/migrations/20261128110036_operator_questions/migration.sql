-- From prisma/sql by "npm run migration". Changes below this line are lost.

-- Operators may not read hashes: they can only ask whose key one is that they have.
create or replace function find_api_keys(hashes bytea[])
returns table (hash bytea, api_key_id bigint, name text, plan_id text, state text, prefix text, works boolean)
language sql stable security definer rows 10 set search_path = public, pg_temp as $$
  select s.hash, k.id, k.name, k.plan_id, k.state, s.prefix, is_valid(s) and k.state not in ('revoked', 'expired')
  from unnest(hashes) as wanted (hash)
  join api_key_secrets s on s.hash = wanted.hash
  join api_key_overview k on k.id = s.api_key_id
$$;

comment on function find_api_keys is
  'The keys with these SHA-256 hashes, and whether each still works, also if it is suspended or banned now: select * from find_api_keys(array[sha256(''psk_…'')]).';

revoke execute on function find_api_keys(bytea[]) from public;

create or replace view flooding_api_keys as
select
  k.id as api_key_id, k.name, k.plan_id, k.state, rejected.rejected, rejected.limited, rejected.banned, k.banned_until,
  k.requests_per_minute, k.requests_per_day
from (
  select
    u.api_key_id,
    saturated(sum(u.requests)) as rejected,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'limited')), 0) as limited,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'banned')), 0) as banned
  from api_key_usage_hours u
  where u.hour in (this_hour(), this_hour() - interval '1 hour')
    and u.outcome in ('limited', 'banned')
  group by u.api_key_id
  order by rejected desc, u.api_key_id
  limit 100
) as rejected
join api_key_overview k on k.id = rejected.api_key_id
order by rejected.rejected desc, k.id;

comment on view flooding_api_keys is
  'The hundred keys with the most rejected requests of this hour and the one before, also during bans and suspensions, except those of the last 10 s.';
comment on column flooding_api_keys.state is 'live, suspended, banned, expired, revoked or unissued.';
comment on column flooding_api_keys.rejected is 'Rejected requests of both hours.';
comment on column flooding_api_keys.limited is 'Rejected because a limit was used up (429).';
comment on column flooding_api_keys.banned is 'Rejected because of a ban (429) or a suspension (403).';
comment on column flooding_api_keys.banned_until is 'When the current ban ends; null if there is none.';
comment on column flooding_api_keys.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column flooding_api_keys.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
