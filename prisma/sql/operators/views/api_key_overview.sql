-- Keys with their limits in force, their state and their use.
create or replace view api_key_overview as
select
  k.id,
  k.name,
  k.plan_id,
  case
    when k.revoked_at is not null then 'revoked'
    when k.expires_at <= clock.now or s.ends_at <= clock.now then 'expired'
    when s.prefix is null then 'unissued'
    when k.suspended_until > clock.now then 'suspended'
    when ban.stands then 'banned'
    else 'live'
  end as state,
  coalesce(k.requests_per_minute, p.requests_per_minute) as requests_per_minute,
  coalesce(k.requests_per_day, p.requests_per_day) as requests_per_day,
  k.requests_per_minute is not null or k.requests_per_day is not null as own_limits,
  case when present.minute and not present.reset then c.minute_admitted else 0 end as minute_admitted,
  case when present.minute then c.minute_refused else 0 end as minute_refused,
  case when present.day and not present.reset then c.day_admitted else 0 end as day_admitted,
  case when present.day then c.day_refused else 0 end as day_refused,
  -- Without counters, the day of the last use is in the history.
  coalesce(
    case when present.trusted and c.minute > '-infinity' then c.minute end,
    (select max(u.day)::timestamp at time zone 'UTC' from api_key_usage u where u.api_key_id = k.id)
  ) as last_used_at,
  case when ban.stands then c.banned_at end as banned_at,
  case when ban.stands then c.banned_until end as banned_until,
  case when k.suspended_until > clock.now then k.suspended_until end as suspended_until,
  least(k.expires_at, nullif(s.ends_at, 'infinity')) as expires_at,
  k.revoked_at,
  s.prefix,
  coalesce(s.working, 0) as secrets,
  k.created_at,
  k.access
from (select statement_timestamp() as now) as clock
cross join api_keys k
join plans p on p.id = k.plan_id
left join api_key_counters c on c.api_key_id = k.id
cross join lateral (
  select
    c.minute <= clock.now + interval '2 minutes' as trusted,
    k.usage_reset_at is not null and k.usage_reset_at is distinct from c.usage_reset_at as reset,
    c.minute <= clock.now + interval '2 minutes' and c.minute + interval '1 minute' > clock.now as minute,
    c.minute <= clock.now + interval '2 minutes' and c.day >= (clock.now at time zone 'UTC')::date as day
) as present
cross join lateral (
  select
    present.trusted and c.banned_until > clock.now and c.banned_at > coalesce(k.bans_lifted_at, '-infinity') as stands
) as ban
left join lateral (
  select
    (array_agg(x.prefix order by x.created_at desc))[1] as prefix,
    max(coalesce(x.expires_at, 'infinity')) as ends_at,
    (count(*) filter (where x.expires_at is null or x.expires_at > clock.now))::integer as working
  from api_key_secrets x
  where x.api_key_id = k.id
) as s on true;

comment on view api_key_overview is 'Every key with its plan, limits, state and use at this time.';
comment on column api_key_overview.state is
  'live, suspended (by an operator), banned (by the service), expired, revoked, or unissued: it has no secret yet, which rotate_api_key adds.';
comment on column api_key_overview.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_key_overview.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_key_overview.own_limits is 'Whether the key has a limit of its own.';
comment on column api_key_overview.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column api_key_overview.minute_refused is 'Requests rejected in the current UTC minute. While a key is banned or suspended, nothing is counted.';
comment on column api_key_overview.day_admitted is 'Requests admitted in the current UTC day, since the last reset; api_key_daily_usage has all of them.';
comment on column api_key_overview.day_refused is 'Requests rejected in the current UTC day. While a key is banned or suspended, nothing is counted.';
comment on column api_key_overview.last_used_at is 'The minute of the last counted request, admitted or rejected.';
comment on column api_key_overview.banned_at is 'When the current ban began; null if there is none.';
comment on column api_key_overview.banned_until is 'When the current ban ends; null if there is none.';
comment on column api_key_overview.suspended_until is 'When the current suspension ends; null if there is none.';
comment on column api_key_overview.expires_at is 'When the key stops working: its own expires_at, or that of its last secret.';
comment on column api_key_overview.prefix is 'The first 12 characters of the newest secret.';
comment on column api_key_overview.secrets is 'The number of secrets that have not expired.';
comment on column api_key_overview.access is 'read: GET and HEAD alone; write: everything.';
comment on column api_key_overview.revoked_at is 'When the key was revoked; null if it was not.';
