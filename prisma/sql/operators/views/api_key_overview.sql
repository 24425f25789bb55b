-- A key as admission sees it. prisma/sql/functions has the rules, e.g. is_banned.
create or replace view api_key_overview as
select
  k.id,
  k.name,
  k.plan_id,
  case
    when k.revoked_at is not null then 'revoked'
    when not is_valid(k) or s.ends_at <= present() then 'expired'
    when s.prefix is null then 'unissued'
    when is_suspended(k) then 'suspended'
    when is_banned(k, c) then 'banned'
    else 'live'
  end as state,
  minute_limit(k, p) as requests_per_minute,
  day_limit(k, p) as requests_per_day,
  num_nonnulls(k.requests_per_minute, k.requests_per_day, k.requests_per_month) > 0 as own_limits,
  case when counts_in_minute(c) and not awaits_reset(k, c) then c.minute_admitted else 0 end as minute_admitted,
  case when counts_in_minute(c) then c.minute_refused else 0 end as minute_refused,
  case when counts_in_day(c) and not awaits_reset(k, c) then c.day_admitted else 0 end as day_admitted,
  case when counts_in_day(c) then c.day_refused else 0 end as day_refused,
  -- Without counters, the day of the last use is in the history.
  coalesce(
    last_counted_at(c),
    (select max(u.day)::timestamp at time zone 'UTC' from api_key_usage u where u.api_key_id = k.id)
  ) as last_used_at,
  case when is_banned(k, c) then c.banned_at end as banned_at,
  case when is_banned(k, c) then c.banned_until end as banned_until,
  case when is_suspended(k) then k.suspended_until end as suspended_until,
  least(k.expires_at, nullif(s.ends_at, 'infinity')) as expires_at,
  k.revoked_at,
  s.prefix,
  coalesce(s.working, 0) as secrets,
  k.created_at,
  k.access,
  k.customer,
  coalesce(k.requests_per_month, p.requests_per_month) as requests_per_month,
  case when coalesce(k.requests_per_month, p.requests_per_month) is not null then saturated(
    month.admitted + case when c.day >= month.begins and c.day < month.ends then c.day_admitted else 0 end) end as month_admitted
from api_keys k
join plans p on p.id = k.plan_id
left join api_key_counters c on c.api_key_id = k.id
left join lateral (
  select
    (array_agg(x.prefix order by x.created_at desc))[1] as prefix,
    max(coalesce(x.expires_at, 'infinity')) as ends_at,
    (count(*) filter (where is_valid(x)))::integer as working
  from api_key_secrets x
  where x.api_key_id = k.id
) as s on true
left join lateral (
  select begins, ends, coalesce(sum(u.admitted), 0) as admitted
  from (
    select date_trunc('month', today()::timestamp)::date as begins, (date_trunc('month', today()::timestamp) + interval '1 month')::date as ends
  ) as present
  left join api_key_usage u on u.api_key_id = k.id and u.day >= begins and u.day < ends
  where coalesce(k.requests_per_month, p.requests_per_month) is not null
  group by begins, ends
) as month on true;

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
comment on column api_key_overview.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';
comment on column api_key_overview.requests_per_month is 'The limit in force: the key''s own, or its plan''s; null if there is none.';
comment on column api_key_overview.month_admitted is 'Requests admitted in the current UTC month, also before resets; null without such a limit.';
