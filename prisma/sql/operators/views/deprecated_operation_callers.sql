-- Which keys called is read from the primary key alone.
create or replace view deprecated_operation_callers as
select called.operation, called.api_key_id, k.name, k.plan_id, called.last_hour, counted.requests_24h
from (
  select operation, api_key_id, max(hour) as last_hour
  from api_key_usage_hours
  where hour > present() - interval '7 days'
    and operation = any (array['getPet'])
  group by operation, api_key_id
  order by last_hour desc, api_key_id
  limit 100
) as called
cross join lateral (
  select coalesce(saturated(sum(u.requests)), 0) as requests_24h
  from last_24_hours
  join api_key_usage_hours u using (hour)
  where u.api_key_id = called.api_key_id
    and u.operation = called.operation
) as counted
left join api_keys k on k.id = called.api_key_id
order by called.last_hour desc, called.api_key_id;

comment on view deprecated_operation_callers is 'The hundred keys that were the last to call a deprecated operation in the last 7 days, with their requests of the last 24 hours.';
comment on column deprecated_operation_callers.operation is 'The operationId of the deprecated operation.';
comment on column deprecated_operation_callers.last_hour is 'The last hour in which the key called it.';
comment on column deprecated_operation_callers.requests_24h is 'Its requests of the last 24 hours.';
