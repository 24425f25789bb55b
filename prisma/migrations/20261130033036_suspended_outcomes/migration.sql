-- From prisma/sql by "npm run migration". Changes below this line are lost.

comment on table api_key_usage_hours is
  'The requests of each key by hour (UTC), operation and outcome. Written every 10 s, so it may lack the last ones; the exact totals of days are in api_key_daily_usage.';
comment on column api_key_usage_hours.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_usage_hours.outcome is
  'Of admitted requests: success (below 400), client_error (4xx), server_error (5xx). Of others: limited (429), banned (429), suspended (403; before 2.0 banned), unauthorized (revoked or expired), undecided (503: no database, or too many waited).';
comment on column api_key_usage_hours.total_ms is 'Milliseconds from the headers of the requests to their responses, in all.';
comment on column api_key_usage_hours.hour is 'When the hour began (UTC).';
comment on column api_key_usage_hours.requests is 'Requests with this outcome.';
comment on column api_key_usage_hours.minute_peak is
  'Of admitted requests: the most of the key that a minute of the hour had admitted after one of them, with any outcome. The peak of the hour is the greatest of its rows; null before 1.1.0.';

comment on view api_key_hourly_usage is
  'Requests by hour, key, operation and outcome, except those of the last 10 s. Filter by key or hour: where api_key_id = 7 order by hour.';
comment on column api_key_hourly_usage.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column api_key_hourly_usage.minute_peak is 'The most requests of the key that a minute of the hour had admitted after one of these; the peak of the hour is the greatest of its rows.';
comment on column api_key_hourly_usage.hour is 'When the hour began (UTC).';
comment on column api_key_hourly_usage.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_hourly_usage.outcome is 'success, client_error, server_error, limited, banned, suspended, unauthorized or undecided.';
comment on column api_key_hourly_usage.requests is 'Requests with this outcome.';
comment on column api_key_hourly_usage.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';

create or replace view flooding_api_keys as
select
  k.id as api_key_id, k.name, k.plan_id, k.state, rejected.rejected, rejected.limited, rejected.banned, k.banned_until,
  k.requests_per_minute, k.requests_per_day, rejected.suspended
from (
  select
    u.api_key_id,
    saturated(sum(u.requests)) as rejected,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'limited')), 0) as limited,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'banned')), 0) as banned,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'suspended')), 0) as suspended
  from api_key_usage_hours u
  where u.hour in (this_hour(), this_hour() - interval '1 hour')
    and u.outcome in ('limited', 'banned', 'suspended')
  group by u.api_key_id
  order by rejected desc, u.api_key_id
  limit 100
) as rejected
join api_key_overview k on k.id = rejected.api_key_id
order by rejected.rejected desc, k.id;

comment on view flooding_api_keys is
  'The hundred keys with the most rejected requests of this hour and the one before, also during bans and suspensions, except those of the last 10 s.';
comment on column flooding_api_keys.state is 'live, suspended, banned, expired, revoked or unissued.';
comment on column flooding_api_keys.rejected is 'Rejected requests of both hours.';
comment on column flooding_api_keys.limited is 'Rejected because a limit was used up (429).';
comment on column flooding_api_keys.banned is 'Rejected because of a ban (429); before 2.0 also because of a suspension (403).';
comment on column flooding_api_keys.banned_until is 'When the current ban ends; null if there is none.';
comment on column flooding_api_keys.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column flooding_api_keys.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column flooding_api_keys.suspended is 'Rejected because of a suspension (403), since 2.0.';
