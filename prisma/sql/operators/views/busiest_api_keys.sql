create or replace view busiest_api_keys as
select
  busiest.api_key_id, k.name, k.plan_id, busiest.requests,
  by_outcome.success, by_outcome.client_error, by_outcome.server_error,
  by_outcome.limited, by_outcome.banned, by_outcome.unauthorized,
  by_outcome.mean_ms, by_outcome.last_hour, by_outcome.undecided
from (
  select api_key_id, saturated(sum(requests)) as requests
  from api_key_usage_hours
  where hour > present() - interval '24 hours'
    and hour <= trusted_until()
  group by api_key_id
  order by requests desc, api_key_id
  limit 100
) as busiest
cross join lateral (
  select
    coalesce(saturated(sum(requests) filter (where outcome = 'success')), 0) as success,
    coalesce(saturated(sum(requests) filter (where outcome = 'client_error')), 0) as client_error,
    coalesce(saturated(sum(requests) filter (where outcome = 'server_error')), 0) as server_error,
    coalesce(saturated(sum(requests) filter (where outcome = 'limited')), 0) as limited,
    coalesce(saturated(sum(requests) filter (where outcome = 'banned')), 0) as banned,
    coalesce(saturated(sum(requests) filter (where outcome = 'unauthorized')), 0) as unauthorized,
    coalesce(saturated(sum(requests) filter (where outcome = 'undecided')), 0) as undecided,
    round(sum(total_ms) / nullif(sum(requests), 0), 1) as mean_ms,
    max(hour) as last_hour
  from last_24_hours
  join api_key_usage_hours u using (hour)
  where u.api_key_id = busiest.api_key_id
) as by_outcome
left join api_keys k on k.id = busiest.api_key_id
order by busiest.requests desc, busiest.api_key_id;

comment on view busiest_api_keys is 'The hundred keys with the most requests of the last 24 hours, rejected ones included.';
comment on column busiest_api_keys.requests is 'All requests of the last 24 hours.';
comment on column busiest_api_keys.success is 'Admitted, with a status below 400.';
comment on column busiest_api_keys.client_error is 'Admitted, with a 4xx status.';
comment on column busiest_api_keys.server_error is 'Admitted, with a 5xx status.';
comment on column busiest_api_keys.limited is 'Rejected because a limit was used up (429).';
comment on column busiest_api_keys.banned is 'Rejected because of a ban (429) or a suspension (403).';
comment on column busiest_api_keys.unauthorized is 'Rejected because the key is revoked or expired (401).';
comment on column busiest_api_keys.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column busiest_api_keys.last_hour is 'The last hour with requests.';
comment on column busiest_api_keys.undecided is 'Rejected because the database was away, or too many requests waited (503).';
