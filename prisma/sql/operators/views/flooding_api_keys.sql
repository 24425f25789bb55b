create or replace view flooding_api_keys as
select
  k.id as api_key_id, k.name, k.plan_id, k.state, rejected.rejected, rejected.limited, rejected.banned, k.banned_until,
  k.requests_per_minute, k.requests_per_day, rejected.suspended
from (
  select
    u.api_key_id,
    saturated(sum(u.requests)) as rejected,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'limited')), 0) as limited,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'banned')), 0) as banned,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'suspended')), 0) as suspended
  from api_key_usage_hours u
  where u.hour in (this_hour(), this_hour() - interval '1 hour')
    and u.outcome in ('limited', 'banned', 'suspended')
  group by u.api_key_id
  order by rejected desc, u.api_key_id
  limit 100
) as rejected
join api_key_overview k on k.id = rejected.api_key_id
order by rejected.rejected desc, k.id;

comment on view flooding_api_keys is
  'The hundred keys with most rejections in this hour and the previous one, including bans and suspensions but not the last 10 s.';
comment on column flooding_api_keys.state is 'live, suspended, banned, expired, revoked or unissued.';
comment on column flooding_api_keys.rejected is 'Rejected requests of both hours.';
comment on column flooding_api_keys.limited is 'Rejected because a limit was used up (429).';
comment on column flooding_api_keys.banned is 'Rejected because of a ban (429); before 2.0 also because of a suspension (403).';
comment on column flooding_api_keys.banned_until is 'When the current ban ends; null if there is none.';
comment on column flooding_api_keys.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column flooding_api_keys.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column flooding_api_keys.suspended is 'Rejected because of a suspension (403), since 2.0.';
