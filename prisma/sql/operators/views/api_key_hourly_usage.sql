-- By hour, then by key: the primary key finds one key in each hour, without another index.
create or replace view api_key_hourly_usage as
select
  u.hour, u.api_key_id, k.name, k.plan_id, u.operation, u.outcome, u.requests,
  round(u.total_ms::numeric / nullif(u.requests, 0), 1) as mean_ms,
  u.minute_peak,
  k.customer
from (select min(hour) as first from api_key_usage_hours) as stored
cross join generate_series(stored.first, trusted_until(), interval '1 hour') as of_hour
join api_key_usage_hours u on u.hour = of_hour
left join api_keys k on k.id = u.api_key_id;

comment on view api_key_hourly_usage is
  'Requests by hour, key, operation and outcome, except those of the last 10 s. Filter by key or hour: where api_key_id = 7 order by hour.';
comment on column api_key_hourly_usage.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column api_key_hourly_usage.minute_peak is 'The highest minute count of the key after one of these requests; the peak of the hour is the maximum of its rows.';
comment on column api_key_hourly_usage.hour is 'When the hour began (UTC).';
comment on column api_key_hourly_usage.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_hourly_usage.outcome is 'success, client_error, server_error, limited, banned, suspended, unauthorized or undecided.';
comment on column api_key_hourly_usage.requests is 'Requests with this outcome.';
comment on column api_key_hourly_usage.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';
