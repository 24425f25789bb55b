create or replace view plan_peaks as
select p.id as plan_id, minute.highest as highest_minute, day.highest as highest_day
from plans p
left join (
  select k.plan_id, max(u.minute_peak) as highest
  from last_24_hours
  join api_key_usage_hours u using (hour)
  join api_keys k on k.id = u.api_key_id
  where k.requests_per_minute is null
  group by k.plan_id
) as minute on minute.plan_id = p.id
left join (
  select k.plan_id, max(c.day_admitted) as highest
  from api_key_counters c
  join api_keys k on k.id = c.api_key_id
  where counts_in_day(c)
    and not awaits_reset(k, c)
    and k.requests_per_day is null
  group by k.plan_id
) as day on day.plan_id = p.id;

comment on view plan_peaks is
  'The recent peak usage of a key among those now on each plan, even while on another. Keys with their own limit are excluded for it.';
comment on column plan_peaks.highest_minute is
  'The most admitted requests of one key in a minute of the last 24 hours; null if there were none.';
comment on column plan_peaks.highest_day is
  'The most admitted requests of one key in the current UTC day; null if there were none.';
