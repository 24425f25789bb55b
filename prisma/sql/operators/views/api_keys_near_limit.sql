-- Scans api_key_counters: an index on columns that admission writes would prevent HOT updates.
create or replace view api_keys_near_limit as
select
  k.id as api_key_id, k.name, k.plan_id,
  round((k.minute_admitted / k.requests_per_minute::float8)::numeric, 3) as minute_share,
  round((k.day_admitted / k.requests_per_day::float8)::numeric, 3) as day_share,
  k.minute_admitted, k.requests_per_minute, k.day_admitted, k.requests_per_day,
  peak.hour as busiest_hour, peak.admitted as busiest_hour_admitted,
  k.customer,
  round((k.month_admitted / k.requests_per_month::float8)::numeric, 3) as month_share, k.month_admitted, k.requests_per_month
from (
  select distinct api_key_id
  from (
    select c.api_key_id, row_number() over (partition by w.name order by w.share desc, c.api_key_id) as rank
    from api_key_counters c
    join api_keys k on k.id = c.api_key_id
    join plans p on p.id = k.plan_id
    cross join lateral (
      select name, admitted / allowed::float8 as share from windows_of(k, p, c) where allowed is not null
    ) as w
    where counts_in_day(c)
      and is_valid(k)
      and not awaits_reset(k, c)
  ) as ranked
  where rank <= 100
) as near
join api_key_overview k on k.id = near.api_key_id
join api_keys key on key.id = near.api_key_id
join plans p on p.id = key.plan_id
join api_key_counters c on c.api_key_id = near.api_key_id
cross join lateral (
  select max(admitted / allowed::float8) as share from windows_of(key, p, c)
) as most
left join lateral (
  select u.hour, saturated(sum(u.requests)) as admitted
  from last_24_hours
  join api_key_usage_hours u using (hour)
  where u.api_key_id = near.api_key_id
    and is_admitted(u.outcome)
  group by u.hour
  order by admitted desc, u.hour desc
  limit 1
) as peak on true
order by most.share desc, near.api_key_id;

comment on view api_keys_near_limit is
  'The top hundred keys by share of the current minute, of the day and of the month, with the busiest hour of the last 24. Filter with: where day_share > 0.8.';
comment on column api_keys_near_limit.minute_share is 'The used share of the limit of the current minute; 1 is all of it.';
comment on column api_keys_near_limit.day_share is 'The used share of the limit of the current day; 1 is all of it.';
comment on column api_keys_near_limit.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column api_keys_near_limit.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_keys_near_limit.day_admitted is 'Requests admitted in the current UTC day, since the last reset.';
comment on column api_keys_near_limit.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_keys_near_limit.busiest_hour is 'The hour of the last 24 with the most admitted requests.';
comment on column api_keys_near_limit.busiest_hour_admitted is 'Requests admitted in that hour.';
comment on column api_keys_near_limit.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';
comment on column api_keys_near_limit.month_share is 'The share of the limit that the present month has used; null if there is no such limit.';
comment on column api_keys_near_limit.month_admitted is 'Requests admitted in the current UTC month.';
comment on column api_keys_near_limit.requests_per_month is 'The limit in force: the key''s own, or its plan''s; null if there is none.';
