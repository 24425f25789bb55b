-- An operator's questions about usage, a view each. "The last 24 hours" are the present one and the 23 before it.

-- By hour, then by key: one key is found in each hour by the primary key, which needs no index of its own.
create view api_key_hourly_usage as
select
  u.hour, u.api_key_id, k.name, k.plan_id, u.operation, u.outcome, u.requests,
  round(u.total_ms::numeric / nullif(u.requests, 0), 1) as mean_ms
from (select min(hour) as first from api_key_usage_hours) as stored
cross join generate_series(stored.first, statement_timestamp() + interval '2 minutes', interval '1 hour') as of_hour
join api_key_usage_hours u on u.hour = of_hour
left join api_keys k on k.id = u.api_key_id;

comment on view api_key_hourly_usage is
  'Requests by hour, key, operation and outcome, except those of the last 10 s. Filter by key or hour: where api_key_id = 7 order by hour.';
comment on column api_key_hourly_usage.mean_ms is 'Mean milliseconds from the headers of a request to its response.';

create view busiest_api_keys as
select
  busiest.api_key_id, k.name, k.plan_id, busiest.requests,
  by_outcome.success, by_outcome.client_error, by_outcome.server_error,
  by_outcome.limited, by_outcome.banned, by_outcome.unauthorized,
  by_outcome.mean_ms, by_outcome.last_hour
from (
  select api_key_id, sum(requests)::bigint as requests
  from api_key_usage_hours
  where hour > statement_timestamp() - interval '24 hours'
    and hour <= statement_timestamp() + interval '2 minutes'
  group by api_key_id
  order by requests desc, api_key_id
  limit 100
) as busiest
cross join lateral (
  select
    coalesce(sum(requests) filter (where outcome = 'success'), 0)::bigint as success,
    coalesce(sum(requests) filter (where outcome = 'client_error'), 0)::bigint as client_error,
    coalesce(sum(requests) filter (where outcome = 'server_error'), 0)::bigint as server_error,
    coalesce(sum(requests) filter (where outcome = 'limited'), 0)::bigint as limited,
    coalesce(sum(requests) filter (where outcome = 'banned'), 0)::bigint as banned,
    coalesce(sum(requests) filter (where outcome = 'unauthorized'), 0)::bigint as unauthorized,
    round(sum(total_ms) / nullif(sum(requests), 0), 1) as mean_ms,
    max(hour) as last_hour
  from generate_series(0, 23) as ago
  join api_key_usage_hours u
    on u.hour = date_trunc('hour', statement_timestamp(), 'UTC') - ago * interval '1 hour'
  where u.api_key_id = busiest.api_key_id
) as by_outcome
left join api_keys k on k.id = busiest.api_key_id
order by busiest.requests desc, busiest.api_key_id;

comment on view busiest_api_keys is 'The hundred keys with the most requests of the last 24 hours, rejected ones included.';

-- Reads all of api_key_counters: an index on what admission updates would end its HOT updates.
create view api_keys_near_limit as
select
  near.api_key_id, k.name, k.plan_id,
  round(near.minute_share::numeric, 3) as minute_share,
  round(near.day_share::numeric, 3) as day_share,
  near.minute_admitted, near.requests_per_minute, near.day_admitted, near.requests_per_day,
  peak.hour as busiest_hour, peak.admitted as busiest_hour_admitted
from (
  select
    *,
    row_number() over (order by minute_share desc, api_key_id) as minute_rank,
    row_number() over (order by day_share desc, api_key_id) as day_rank
  from (
    select
      *,
      minute_admitted / requests_per_minute::float8 as minute_share,
      day_admitted / requests_per_day::float8 as day_share
    from (
      select
        c.api_key_id,
        case when c.minute + interval '1 minute' > statement_timestamp() then c.minute_admitted else 0 end as minute_admitted,
        c.day_admitted,
        coalesce(k.requests_per_minute, p.requests_per_minute) as requests_per_minute,
        coalesce(k.requests_per_day, p.requests_per_day) as requests_per_day
      from api_key_counters c
      join api_keys k on k.id = c.api_key_id
      join plans p on p.id = k.plan_id
      where c.day >= (statement_timestamp() at time zone 'UTC')::date
        and c.minute <= statement_timestamp() + interval '2 minutes'
        and k.revoked_at is null
        and coalesce(k.expires_at > statement_timestamp(), true)
        and (k.usage_reset_at is null or k.usage_reset_at is not distinct from c.usage_reset_at)
    ) as used
  ) as share
) as near
join api_keys k on k.id = near.api_key_id
left join lateral (
  select u.hour, sum(u.requests)::bigint as admitted
  from generate_series(0, 23) as ago
  join api_key_usage_hours u
    on u.hour = date_trunc('hour', statement_timestamp(), 'UTC') - ago * interval '1 hour'
  where u.api_key_id = near.api_key_id
    and u.outcome in ('success', 'client_error', 'server_error')
  group by u.hour
  order by admitted desc, u.hour desc
  limit 1
) as peak on true
where least(near.minute_rank, near.day_rank) <= 100
order by greatest(near.minute_share, near.day_share) desc, near.api_key_id;

comment on view api_keys_near_limit is
  'The hundred keys each that have used the largest share of the present minute and day, with their busiest of the last 24 hours. Filter with: where day_share > 0.8.';

-- Which keys called is read from the primary key alone.
create view deprecated_operation_callers as
select called.operation, called.api_key_id, k.name, k.plan_id, called.last_hour, counted.requests_24h
from (
  select operation, api_key_id, max(hour) as last_hour
  from api_key_usage_hours
  where hour > statement_timestamp() - interval '7 days'
    and operation = any (array['getPet'])
  group by operation, api_key_id
  order by last_hour desc, api_key_id
  limit 100
) as called
cross join lateral (
  select coalesce(sum(u.requests), 0)::bigint as requests_24h
  from generate_series(0, 23) as ago
  join api_key_usage_hours u
    on u.hour = date_trunc('hour', statement_timestamp(), 'UTC') - ago * interval '1 hour'
  where u.api_key_id = called.api_key_id
    and u.operation = called.operation
) as counted
left join api_keys k on k.id = called.api_key_id
order by called.last_hour desc, called.api_key_id;

comment on view deprecated_operation_callers is 'The hundred keys that were the last to call a deprecated operation in the last 7 days, with their requests of the last 24 hours.';

-- In force as admission sees it: the last ban in the counters, whose clock is not ahead. Who lifted a ban is in the audit.
create view recent_bans as
select
  b.began_at, b.api_key_id, k.name, k.plan_id, b.ends_at, b.minute_limit, b.day_limit,
  lifted.at as lifted_at,
  coalesce(
    c.banned_until > statement_timestamp()
      and c.minute <= statement_timestamp() + interval '2 minutes'
      and coalesce(k.bans_lifted_at < b.began_at, true),
    false
  ) as in_force
from api_key_bans b
left join api_keys k on k.id = b.api_key_id
left join api_key_counters c on c.api_key_id = b.api_key_id and c.banned_at = b.began_at
left join lateral (
  select min(a.changed_at) as at
  from audit_log a
  where a.api_key_id = b.api_key_id
    and a.changed_at between b.began_at and b.ends_at
    and (a.new ->> 'bans_lifted_at')::timestamptz >= b.began_at
) as lifted on true
order by b.began_at desc;

comment on view recent_bans is 'Bans, the last one first, with the limits that the key had. lifted_at is when an operator ended it.';

create view unused_api_keys as
select k.id as api_key_id, k.name, k.plan_id, use.last_used_at, k.created_at, k.expires_at
from api_keys k
left join api_key_counters c on c.api_key_id = k.id
cross join lateral (
  -- Without counters, the day of the last use is in the history.
  select case
    when c.minute > '-infinity' then c.minute
    else (select max(u.day)::timestamp at time zone 'UTC' from api_key_usage u where u.api_key_id = k.id)
  end as last_used_at
) as use
where k.created_at < statement_timestamp() - interval '90 days'
  and k.revoked_at is null
  and coalesce(k.expires_at > statement_timestamp(), true)
  and coalesce(use.last_used_at < statement_timestamp() - interval '90 days', true)
order by use.last_used_at nulls first, k.id;

comment on view unused_api_keys is
  'Keys that are neither revoked nor expired and have had no admitted or limited request for 90 days, those that never had one first.';

-- By day, because what admission counts it does not count by hour.
create view usage_hours_gaps as
with present as materialized (
  select day, sum(day_admitted) as admitted, sum(day_refused) as refused
  from api_key_counters
  where day > '-infinity'
  group by day
)
select
  of_day.day,
  exact.admitted,
  exact.admitted - hours.admitted as admitted_missing,
  exact.refused,
  exact.refused - hours.refused as refused_missing
from (
  select (min(hour) at time zone 'UTC')::date as first, (statement_timestamp() at time zone 'UTC')::date as last
  from api_key_usage_hours
) as stored
cross join lateral (select stored.first + n as day from generate_series(0, stored.last - stored.first) as n) as of_day
cross join lateral (
  select coalesce(sum(admitted), 0)::bigint as admitted, coalesce(sum(refused), 0)::bigint as refused
  from (
    select admitted, refused from api_key_usage u where u.day = of_day.day
    union all
    select admitted, refused from present where present.day = of_day.day
  ) as counts
) as exact
cross join lateral (
  select
    coalesce(sum(requests) filter (where outcome in ('success', 'client_error', 'server_error')), 0)::bigint as admitted,
    coalesce(sum(requests) filter (where outcome = 'limited'), 0)::bigint as refused
  from api_key_usage_hours u
  where u.hour >= of_day.day::timestamp at time zone 'UTC'
    and u.hour < (of_day.day + 1)::timestamp at time zone 'UTC'
) as hours
order by of_day.day;

comment on view usage_hours_gaps is
  'How many of the admitted and rejected (refused) requests of a day the hours lack: those of the last 10 s, of a replica that was killed, and of replicas of 1.0.0-rc.1. Filter with: where day = (now() at time zone ''UTC'')::date.';
