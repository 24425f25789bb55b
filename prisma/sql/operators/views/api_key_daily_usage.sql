-- Starts from the keys, so that a query for some keys reads only their days.
create or replace view api_key_daily_usage as
select k.id as api_key_id, k.name, d.day, d.admitted, d.refused, k.customer
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
comment on column api_key_daily_usage.day is 'The UTC day.';
comment on column api_key_daily_usage.admitted is 'Requests admitted in the day, also those before a reset.';
comment on column api_key_daily_usage.refused is 'Requests rejected in the day.';
comment on column api_key_daily_usage.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';
