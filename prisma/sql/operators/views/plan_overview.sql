create or replace view plan_overview as
select
  p.id,
  p.custom,
  p.requests_per_minute,
  p.requests_per_day,
  coalesce(k.keys, 0) as keys,
  coalesce(live.keys, 0) as live_keys,
  coalesce(k.suspended_keys, 0) as suspended_keys,
  coalesce(used.active_keys, 0) as active_keys,
  coalesce(used.near_limit_keys, 0) as near_limit_keys,
  p.requests_per_month
from plans p
left join (
  select k.plan_id, count(*) as keys, count(*) filter (where is_suspended(k) and k.revoked_at is null) as suspended_keys
  from api_keys k
  group by k.plan_id
) as k on k.plan_id = p.id
left join (
  select a.plan_id, count(*) as keys
  from api_keys a
  where is_valid(a)
    and exists (select from api_key_secrets s where s.api_key_id = a.id and is_valid(s))
  group by a.plan_id
) as live on live.plan_id = p.id
left join (
  select
    k.plan_id,
    count(*) as active_keys,
    count(*) filter (
      where c.day_admitted > 0.8 * day_limit(k, p) and is_valid(k) and not awaits_reset(k, c)
        and k.id in (select s.api_key_id from api_key_secrets s where is_valid(s))
    ) as near_limit_keys
  from api_key_counters c
  join api_keys k on k.id = c.api_key_id
  join plans p on p.id = k.plan_id
  where counts_in_day(c)
  group by k.plan_id
) as used on used.plan_id = p.id;

comment on view plan_overview is 'Every plan with its limits and the number of its keys.';
comment on column plan_overview.live_keys is 'Keys that have a secret and are neither revoked nor expired, including suspended and banned keys.';
comment on column plan_overview.custom is 'True if the plan has no limits and each of its keys has its own.';
comment on column plan_overview.requests_per_minute is 'Requests that each key may make in a UTC minute; null on a custom plan.';
comment on column plan_overview.requests_per_day is 'Requests that each key may make in a UTC day; null on a custom plan.';
comment on column plan_overview.keys is 'Keys of the plan, also revoked and expired ones.';
comment on column plan_overview.suspended_keys is 'Those that an operator has suspended.';
comment on column plan_overview.active_keys is 'Those with a request in the present UTC day, admitted or limited.';
comment on column plan_overview.near_limit_keys is 'Keys above 80 % of their daily limit.';
comment on column plan_overview.requests_per_month is 'Requests that each key may make in a UTC month; null: no such limit.';
