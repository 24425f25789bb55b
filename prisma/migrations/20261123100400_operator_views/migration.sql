-- The views of operators. They show the state at the time of the statement, by the database's clock and the rules of admission:
-- a window counts until its end, and counts more than two minutes ahead come from a wrong clock and are ignored. The
-- time is statement_timestamp(), because now() stands still in an open transaction.

-- Keys with their limits in force, their state and their use.
create view api_key_overview as
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
  case when present.minute then c.minute_admitted else 0 end as minute_admitted,
  case when present.minute then c.minute_refused else 0 end as minute_refused,
  case when present.day then c.day_admitted else 0 end as day_admitted,
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
  k.created_at
from (select statement_timestamp() as now) as clock
cross join api_keys k
join plans p on p.id = k.plan_id
left join api_key_counters c on c.api_key_id = k.id
cross join lateral (
  select
    c.minute <= clock.now + interval '2 minutes' as trusted,
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
comment on column api_key_overview.minute_admitted is 'Requests admitted in the current UTC minute.';
comment on column api_key_overview.minute_refused is 'Requests rejected in the current UTC minute. While a key is banned or suspended, nothing is counted.';
comment on column api_key_overview.day_admitted is 'Requests admitted in the current UTC day.';
comment on column api_key_overview.day_refused is 'Requests rejected in the current UTC day. While a key is banned or suspended, nothing is counted.';
comment on column api_key_overview.last_used_at is 'The minute of the last counted request, admitted or rejected.';
comment on column api_key_overview.banned_at is 'When the current ban began; null if there is none.';
comment on column api_key_overview.banned_until is 'When the current ban ends; null if there is none.';
comment on column api_key_overview.suspended_until is 'When the current suspension ends; null if there is none.';
comment on column api_key_overview.expires_at is 'When the key stops working: its own expires_at, or that of its last secret.';
comment on column api_key_overview.prefix is 'The first 12 characters of the newest secret.';
comment on column api_key_overview.secrets is 'The number of secrets that have not expired.';

-- Joined from the keys, so that a query for some keys reads only their days.
create view api_key_daily_usage as
select k.id as api_key_id, k.name, d.day, d.admitted, d.refused
from api_keys k
left join api_key_counters c on c.api_key_id = k.id
cross join lateral (
  -- A day is in both tables only if the clock was set back. Then both count.
  select
    u.day,
    u.admitted + case when u.day = c.day then c.day_admitted else 0 end as admitted,
    u.refused + case when u.day = c.day then c.day_refused else 0 end as refused
  from api_key_usage u
  where u.api_key_id = k.id
  union all
  select c.day, c.day_admitted, c.day_refused
  where c.day > '-infinity'
    and not exists (select from api_key_usage u where u.api_key_id = k.id and u.day = c.day)
) as d;

comment on view api_key_daily_usage is 'Requests of each key by UTC day, including today. Days without requests are left out.';

create view plan_overview as
select
  p.id,
  p.custom,
  p.requests_per_minute,
  p.requests_per_day,
  coalesce(k.keys, 0) as keys,
  coalesce(live.keys, 0) as live_keys
from plans p
left join (
  select plan_id, count(*) as keys
  from api_keys
  group by plan_id
) as k on k.plan_id = p.id
left join (
  select a.plan_id, count(*) as keys
  from api_keys a
  where a.revoked_at is null
    and (a.expires_at is null or a.expires_at > statement_timestamp())
    and exists (
      select from api_key_secrets s
      where s.api_key_id = a.id
        and (s.expires_at is null or s.expires_at > statement_timestamp()))
  group by a.plan_id
) as live on live.plan_id = p.id;

comment on view plan_overview is 'Every plan with its limits and the number of its keys.';
comment on column plan_overview.live_keys is 'Keys that have a secret and are neither revoked nor expired, including suspended and banned keys.';

-- Reads all of api_key_counters. An index on the rejections would be written with each rejected request, and would end the
-- HOT updates of admission.
create view noisiest_api_keys as
select
  k.id, k.name, k.plan_id, k.state, k.day_refused, k.day_admitted, k.minute_refused, k.minute_admitted,
  k.requests_per_minute, k.requests_per_day, k.banned_until, k.last_used_at
from (
  select api_key_id
  from api_key_counters
  where day >= (statement_timestamp() at time zone 'UTC')::date
    and minute <= statement_timestamp() + interval '2 minutes'
    and day_refused > 0
  order by day_refused desc, api_key_id
  limit 100
) as noisy
join api_key_overview k on k.id = noisy.api_key_id
order by k.day_refused desc, k.id;

comment on view noisiest_api_keys is
  'The hundred keys with the most rejected requests today. Requests during a ban are not counted, so look at banned_until as well.';

create view expiring_api_keys as
select e.*
from (
  select k.id as api_key_id, k.name, k.plan_id, 'key' as expires, null as prefix, k.expires_at, true as ends_key
  from api_keys k
  where k.expires_at > statement_timestamp()
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
  where s.expires_at > statement_timestamp()
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > s.expires_at)
) as e
order by e.expires_at;

comment on view expiring_api_keys is
  'Keys and secrets that will expire, the next first. Filter with: where expires_at < now() + interval ''14 days''.';
comment on column expiring_api_keys.expires is 'key: the whole key expires; secret: only the secret with this prefix expires.';
comment on column expiring_api_keys.ends_key is 'Whether the key stops working completely then.';
