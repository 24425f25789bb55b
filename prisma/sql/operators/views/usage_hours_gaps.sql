-- By day, because admission does not count by hour.
create or replace view usage_hours_gaps as
with counted as materialized (
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
  exact.refused - hours.refused as refused_missing,
  outages.without_database
from (
  select (min(hour) at time zone 'UTC')::date as first, today() as last
  from api_key_usage_hours
) as stored
cross join lateral (select stored.first + n as day from generate_series(0, stored.last - stored.first) as n) as of_day
cross join lateral (
  select coalesce(saturated(sum(admitted)), 0) as admitted, coalesce(saturated(sum(refused)), 0) as refused
  from (
    select admitted, refused from api_key_usage u where u.day = of_day.day
    union all
    select admitted, refused from counted where counted.day = of_day.day
  ) as counts
) as exact
cross join lateral (
  select
    coalesce(saturated(sum(requests) filter (where is_admitted(outcome))), 0) as admitted,
    coalesce(saturated(sum(requests) filter (where outcome = 'limited')), 0) as refused
  from api_key_usage_hours u
  where u.hour >= of_day.day::timestamp at time zone 'UTC'
    and u.hour < (of_day.day + 1)::timestamp at time zone 'UTC'
) as hours
cross join lateral (
  select string_agg(to_char(began, 'HH24:MI:SS') || ' to ' || to_char(ended, 'HH24:MI:SS, ') || replica, '; ' order by began) as without_database
  from (
    select
      greatest(began_at at time zone 'UTC', of_day.day) as began,
      least(ended_at at time zone 'UTC', of_day.day + time '23:59:59') as ended,
      replica
    from database_outages
    where ended_at >= of_day.day::timestamp at time zone 'UTC'
      and began_at < (of_day.day + 1)::timestamp at time zone 'UTC'
      and ended_at <= trusted_until()
    order by began_at
    limit 100
  ) as of_replica
) as outages
order by of_day.day;

comment on view usage_hours_gaps is
  'How many admitted and rejected (refused) requests of a day are missing from the hours: the last 10 s, and killed replicas. Also when replicas had no database (UTC). Filter with: where day = today().';
comment on column usage_hours_gaps.day is 'The UTC day.';
comment on column usage_hours_gaps.admitted is 'Requests that admission admitted in the day.';
comment on column usage_hours_gaps.admitted_missing is 'How many of them the hours lack.';
comment on column usage_hours_gaps.refused is 'Requests that admission rejected in the day.';
comment on column usage_hours_gaps.refused_missing is 'How many of them the hours lack.';
comment on column usage_hours_gaps.without_database is
  'Outages by replica (UTC), at most a hundred a day. A replica that was killed during one is missing.';
