-- A loose index scan from key to key, which PostgreSQL lacks; each look-up finds the newest hour first.
create or replace view deprecated_operation_callers as
select called.operation, called.api_key_id, k.name, k.plan_id, called.last_hour, coalesce(counted.requests_24h, 0) as requests_24h
from (
  with recursive caller as (
    select d.operation, first.api_key_id
    from deprecated_operations d
    cross join lateral (
      select u.api_key_id from api_key_usage_hours u where u.operation = d.operation order by u.api_key_id limit 1
    ) as first
    union all
    select caller.operation, next.api_key_id
    from caller
    cross join lateral (
      select u.api_key_id
      from api_key_usage_hours u
      where u.operation = caller.operation and u.api_key_id > caller.api_key_id
      order by u.api_key_id
      limit 1
    ) as next
  )
  select caller.operation, caller.api_key_id, last.hour::timestamptz as last_hour
  from caller
  cross join lateral (
    select u.hour
    from api_key_usage_hours u
    where u.operation = caller.operation
      and u.api_key_id = caller.api_key_id
      and u.hour <= trusted_until()
      and is_admitted(u.outcome)
    order by u.hour desc
    limit 1
  ) as last
) as called
left join (
  select u.operation, u.api_key_id, saturated(sum(u.requests)) as requests_24h
  from api_key_usage_hours u
  where u.hour >= this_hour() - interval '23 hours'
    and u.hour <= this_hour()
    and u.operation in (select operation from deprecated_operations)
    and is_admitted(u.outcome)
  group by u.operation, u.api_key_id
) as counted on counted.operation = called.operation and counted.api_key_id = called.api_key_id
left join api_keys k on k.id = called.api_key_id
order by called.last_hour desc, called.api_key_id;

comment on view deprecated_operation_callers is
  'Every key that called a deprecated operation within the retention (35 days by default), latest first. Calls that admission rejected do not count.';
comment on column deprecated_operation_callers.operation is 'The operationId of the deprecated operation.';
comment on column deprecated_operation_callers.last_hour is 'The last hour in which the key called it.';
comment on column deprecated_operation_callers.requests_24h is 'Its requests of the last 24 hours.';
