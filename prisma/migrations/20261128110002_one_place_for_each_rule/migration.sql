-- From prisma/sql by "npm run migration". Changes below this line are lost.

create or replace function awaits_reset(key api_keys, counters api_key_counters) returns boolean
language sql stable parallel safe
return key.usage_reset_at is not null and key.usage_reset_at is distinct from counters.usage_reset_at;

comment on function awaits_reset is 'Whether the next request of a key empties what its windows have admitted, because an operator has reset it.';

create or replace function clock_tolerance() returns interval
language sql immutable parallel safe
return interval '2 minutes';

comment on function clock_tolerance is
  'How far the counters of a key may be ahead. Those that are further ahead were written by another clock, such as that of an earlier primary, and begin anew.';

create or replace function day_limit(key api_keys, plan plans) returns integer
language sql stable parallel safe
return coalesce(key.requests_per_day, plan.requests_per_day);

comment on function day_limit is 'The limit per day in force: the key''s own, or its plan''s.';

-- With the owner's rights, because the service may delete no usage that callers see. The row that another replica is deleting is left to it.
create or replace function delete_old_usage(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_usage as u
  using (
    select api_key_id, day
    from api_key_usage
    where day < today() - greatest(keep_days, 31)
    limit at_most
    for update skip locked
  ) as old
  where u.api_key_id = old.api_key_id and u.day = old.day;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_usage is
  'Deletes some of the finished days of usage that are older than the given number of days, but none of the last 31. Returns how many.';

revoke execute on function delete_old_usage(integer, integer) from public;

create or replace function is_admitted(outcome text) returns boolean
language sql immutable parallel safe
return outcome in ('success', 'client_error', 'server_error');

comment on function is_admitted is 'Whether the requests of an outcome were admitted, and so are counted by the limits.';

create or replace function minute_limit(key api_keys, plan plans) returns integer
language sql stable parallel safe
return coalesce(key.requests_per_minute, plan.requests_per_minute);

comment on function minute_limit is 'The limit per minute in force: the key''s own, or its plan''s.';

-- Not now(), which stands still in an open transaction.
create or replace function present() returns timestamptz
language sql stable parallel safe
return statement_timestamp();

comment on function present is 'The time at which views show keys, limits and bans: that of the statement, by the clock of the database.';

create or replace function this_hour() returns timestamptz
language sql stable parallel safe
return date_trunc('hour', present(), 'UTC');

comment on function this_hour is 'When the present UTC hour began.';

create or replace function today() returns date
language sql stable parallel safe
return (present() at time zone 'UTC')::date;

comment on function today is 'The present UTC day.';

create or replace function trusted_until() returns timestamptz
language sql stable parallel safe
return present() + clock_tolerance();

comment on function trusted_until is 'Counters after this time are those of another clock, and are ignored.';

-- With the owner's rights: operators cannot insert secrets themselves, so that all are equally strong. Ids that are used already are skipped.
create or replace function issue_api_key(
  name text,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null)
returns issued_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  key_id bigint;
  plain text;
  issued issued_api_key;
  violated text;
begin
  if expires <= statement_timestamp() then
    raise exception 'expires (%) is in the past', expires
      using errcode = 'invalid_parameter_value', hint = 'Pass a time in the future, or omit expires.';
  end if;
  loop
    begin
      insert into api_keys (name, plan_id, requests_per_minute, requests_per_day, expires_at)
      values (issue_api_key.name, issue_api_key.plan, per_minute, per_day, expires)
      returning api_keys.id into key_id;
      exit;
    exception when unique_violation then
      get stacked diagnostics violated = constraint_name;
      if violated = 'api_keys_pkey' then
        perform skip_used_ids('api_keys');
      elsif violated = 'audit_log_pkey' then
        perform skip_used_ids('audit_log');
      else
        raise;
      end if;
    end;
  end loop;
  plain := add_api_key_secret(key_id);
  select k.id, plain, k.name, left(plain, 12), p.id,
         minute_limit(k, p), day_limit(k, p), k.expires_at
    into strict issued
    from api_keys k join plans p on p.id = k.plan_id
    where k.id = key_id;
  return issued;
end
$$;

comment on function issue_api_key is
  'Issues a key and returns it, once: select * from issue_api_key(name => ''Acme web'', plan => ''pro'').';

revoke execute on function issue_api_key(text, text, integer, integer, timestamptz) from public;

-- By hour, then by key: one key is found in each hour by the primary key, which needs no index of its own.
create or replace view api_key_hourly_usage as
select
  u.hour, u.api_key_id, k.name, k.plan_id, u.operation, u.outcome, u.requests,
  round(u.total_ms::numeric / nullif(u.requests, 0), 1) as mean_ms
from (select min(hour) as first from api_key_usage_hours) as stored
cross join generate_series(stored.first, trusted_until(), interval '1 hour') as of_hour
join api_key_usage_hours u on u.hour = of_hour
left join api_keys k on k.id = u.api_key_id;

comment on view api_key_hourly_usage is
  'Requests by hour, key, operation and outcome, except those of the last 10 s. Filter by key or hour: where api_key_id = 7 order by hour.';
comment on column api_key_hourly_usage.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column api_key_hourly_usage.hour is 'When the hour began (UTC).';
comment on column api_key_hourly_usage.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_hourly_usage.outcome is 'success, client_error, server_error, limited, banned or unauthorized.';
comment on column api_key_hourly_usage.requests is 'Requests with this outcome.';

create or replace view expiring_api_keys as
select e.*
from (
  select k.id as api_key_id, k.name, k.plan_id, 'key' as expires, null as prefix, k.expires_at, true as ends_key
  from api_keys k
  where k.expires_at > present()
    and k.revoked_at is null
  union all
  select
    k.id, k.name, k.plan_id, 'secret', s.prefix, s.expires_at,
    not exists (
      select from api_key_secrets other
      where other.api_key_id = s.api_key_id
        and (other.expires_at is null or other.expires_at > s.expires_at))
  from api_key_secrets s
  join api_keys k on k.id = s.api_key_id
  where s.expires_at > present()
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > s.expires_at)
) as e
order by e.expires_at;

comment on view expiring_api_keys is
  'Keys and secrets that will expire, the next first. Filter with: where expires_at < now() + interval ''14 days''.';
comment on column expiring_api_keys.expires is 'key: the whole key expires; secret: only the secret with this prefix expires.';
comment on column expiring_api_keys.ends_key is 'Whether the key stops working completely then.';
comment on column expiring_api_keys.prefix is 'The first 12 characters of the secret that expires; null for a key.';
comment on column expiring_api_keys.expires_at is 'When the key or the secret stops working.';

-- By day, because what admission counts it does not count by hour.
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
  exact.refused - hours.refused as refused_missing
from (
  select (min(hour) at time zone 'UTC')::date as first, today() as last
  from api_key_usage_hours
) as stored
cross join lateral (select stored.first + n as day from generate_series(0, stored.last - stored.first) as n) as of_day
cross join lateral (
  select coalesce(sum(admitted), 0)::bigint as admitted, coalesce(sum(refused), 0)::bigint as refused
  from (
    select admitted, refused from api_key_usage u where u.day = of_day.day
    union all
    select admitted, refused from counted where counted.day = of_day.day
  ) as counts
) as exact
cross join lateral (
  select
    coalesce(sum(requests) filter (where is_admitted(outcome)), 0)::bigint as admitted,
    coalesce(sum(requests) filter (where outcome = 'limited'), 0)::bigint as refused
  from api_key_usage_hours u
  where u.hour >= of_day.day::timestamp at time zone 'UTC'
    and u.hour < (of_day.day + 1)::timestamp at time zone 'UTC'
) as hours
order by of_day.day;

comment on view usage_hours_gaps is
  'How many of the admitted and rejected (refused) requests of a day the hours lack: those of the last 10 s, of a replica that was killed, and of replicas of 1.0.0-rc.1. Filter with: where day = today().';
comment on column usage_hours_gaps.day is 'The UTC day.';
comment on column usage_hours_gaps.admitted is 'Requests that admission admitted in the day.';
comment on column usage_hours_gaps.admitted_missing is 'How many of them the hours lack.';
comment on column usage_hours_gaps.refused is 'Requests that admission rejected in the day.';
comment on column usage_hours_gaps.refused_missing is 'How many of them the hours lack.';

create or replace view last_24_hours as
select ago, this_hour() - ago * interval '1 hour' as hour
from generate_series(0, 23) as ago;

comment on view last_24_hours is 'The present UTC hour and the 23 before it.';
comment on column last_24_hours.ago is 'How many hours ago: 0 is the present one.';
comment on column last_24_hours.hour is 'When the hour began (UTC).';

create or replace function counts_in_day(counters api_key_counters) returns boolean
language sql stable parallel safe
return counters.day >= today() and counters.minute <= trusted_until();

comment on function counts_in_day is 'Whether the counts of a day are those of the present one: it has not ended. Null without counters.';

create or replace function counts_in_minute(counters api_key_counters) returns boolean
language sql stable parallel safe
return counters.minute + interval '1 minute' > present() and counters.minute <= trusted_until();

comment on function counts_in_minute is 'Whether the counts of a minute are those of the present one: it has not ended. Null without counters.';

create or replace function is_banned(key api_keys, counters api_key_counters) returns boolean
language sql stable parallel safe
return coalesce(
  counters.banned_until > present()
    and counters.banned_at > coalesce(key.bans_lifted_at, '-infinity')
    and counters.minute <= trusted_until(),
  false);

comment on function is_banned is 'Whether the last ban of a key is in force: neither ended nor lifted, nor of another clock.';

create or replace function is_suspended(key api_keys) returns boolean
language sql stable parallel safe
return coalesce(key.suspended_until > present(), false);

comment on function is_suspended is 'Whether an operator has suspended a key until a later time.';

create or replace function is_valid(key api_keys) returns boolean
language sql stable parallel safe
return key.revoked_at is null and coalesce(key.expires_at > present(), true);

comment on function is_valid(api_keys) is 'Whether a key is neither revoked nor expired. It may lack a valid secret.';

create or replace function is_valid(secret api_key_secrets) returns boolean
language sql stable parallel safe
return coalesce(secret.expires_at > present(), true);

comment on function is_valid(api_key_secrets) is 'Whether a secret has not expired.';

create or replace function last_counted_at(counters api_key_counters) returns timestamptz
language sql stable parallel safe
return case when counters.minute > '-infinity' and counters.minute <= trusted_until() then counters.minute end;

comment on function last_counted_at is 'The minute of the last counted request; null if there was none.';

-- As admission sees a key: prisma/sql/functions has each rule, such as is_banned.
create or replace view api_key_overview as
select
  k.id,
  k.name,
  k.plan_id,
  case
    when k.revoked_at is not null then 'revoked'
    when not is_valid(k) or s.ends_at <= present() then 'expired'
    when s.prefix is null then 'unissued'
    when is_suspended(k) then 'suspended'
    when is_banned(k, c) then 'banned'
    else 'live'
  end as state,
  minute_limit(k, p) as requests_per_minute,
  day_limit(k, p) as requests_per_day,
  k.requests_per_minute is not null or k.requests_per_day is not null as own_limits,
  case when counts_in_minute(c) and not awaits_reset(k, c) then c.minute_admitted else 0 end as minute_admitted,
  case when counts_in_minute(c) then c.minute_refused else 0 end as minute_refused,
  case when counts_in_day(c) and not awaits_reset(k, c) then c.day_admitted else 0 end as day_admitted,
  case when counts_in_day(c) then c.day_refused else 0 end as day_refused,
  -- Without counters, the day of the last use is in the history.
  coalesce(
    last_counted_at(c),
    (select max(u.day)::timestamp at time zone 'UTC' from api_key_usage u where u.api_key_id = k.id)
  ) as last_used_at,
  case when is_banned(k, c) then c.banned_at end as banned_at,
  case when is_banned(k, c) then c.banned_until end as banned_until,
  case when is_suspended(k) then k.suspended_until end as suspended_until,
  least(k.expires_at, nullif(s.ends_at, 'infinity')) as expires_at,
  k.revoked_at,
  s.prefix,
  coalesce(s.working, 0) as secrets,
  k.created_at,
  k.access
from api_keys k
join plans p on p.id = k.plan_id
left join api_key_counters c on c.api_key_id = k.id
left join lateral (
  select
    (array_agg(x.prefix order by x.created_at desc))[1] as prefix,
    max(coalesce(x.expires_at, 'infinity')) as ends_at,
    (count(*) filter (where is_valid(x)))::integer as working
  from api_key_secrets x
  where x.api_key_id = k.id
) as s on true;

comment on view api_key_overview is 'Every key with its plan, limits, state and use at this time.';
comment on column api_key_overview.state is
  'live, suspended (by an operator), banned (by the service), expired, revoked, or unissued: it has no secret yet, which rotate_api_key adds.';
comment on column api_key_overview.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_key_overview.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_key_overview.own_limits is 'Whether the key has a limit of its own.';
comment on column api_key_overview.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column api_key_overview.minute_refused is 'Requests rejected in the current UTC minute. While a key is banned or suspended, nothing is counted.';
comment on column api_key_overview.day_admitted is 'Requests admitted in the current UTC day, since the last reset; api_key_daily_usage has all of them.';
comment on column api_key_overview.day_refused is 'Requests rejected in the current UTC day. While a key is banned or suspended, nothing is counted.';
comment on column api_key_overview.last_used_at is 'The minute of the last counted request, admitted or rejected.';
comment on column api_key_overview.banned_at is 'When the current ban began; null if there is none.';
comment on column api_key_overview.banned_until is 'When the current ban ends; null if there is none.';
comment on column api_key_overview.suspended_until is 'When the current suspension ends; null if there is none.';
comment on column api_key_overview.expires_at is 'When the key stops working: its own expires_at, or that of its last secret.';
comment on column api_key_overview.prefix is 'The first 12 characters of the newest secret.';
comment on column api_key_overview.secrets is 'The number of secrets that have not expired.';
comment on column api_key_overview.access is 'read: GET and HEAD alone; write: everything.';
comment on column api_key_overview.revoked_at is 'When the key was revoked; null if it was not.';

-- Reads all of api_key_counters: an index on what admission updates would end its HOT updates.
create or replace view api_keys_near_limit as
select
  near.api_key_id, k.name, k.plan_id,
  round(near.minute_share::numeric, 3) as minute_share,
  round(near.day_share::numeric, 3) as day_share,
  near.minute_admitted, near.requests_per_minute, near.day_admitted, near.requests_per_day,
  peak.hour as busiest_hour, peak.admitted as busiest_hour_admitted
from (
  select
    *,
    row_number() over (order by minute_share desc, api_key_id) as minute_rank,
    row_number() over (order by day_share desc, api_key_id) as day_rank
  from (
    select
      *,
      minute_admitted / requests_per_minute::float8 as minute_share,
      day_admitted / requests_per_day::float8 as day_share
    from (
      select
        c.api_key_id,
        case when counts_in_minute(c) then c.minute_admitted else 0 end as minute_admitted,
        c.day_admitted,
        minute_limit(k, p) as requests_per_minute,
        day_limit(k, p) as requests_per_day
      from api_key_counters c
      join api_keys k on k.id = c.api_key_id
      join plans p on p.id = k.plan_id
      where counts_in_day(c)
        and is_valid(k)
        and not awaits_reset(k, c)
    ) as used
  ) as share
) as near
join api_keys k on k.id = near.api_key_id
left join lateral (
  select u.hour, sum(u.requests)::bigint as admitted
  from last_24_hours
  join api_key_usage_hours u using (hour)
  where u.api_key_id = near.api_key_id
    and is_admitted(u.outcome)
  group by u.hour
  order by admitted desc, u.hour desc
  limit 1
) as peak on true
where least(near.minute_rank, near.day_rank) <= 100
order by greatest(near.minute_share, near.day_share) desc, near.api_key_id;

comment on view api_keys_near_limit is
  'The hundred keys each that have used the largest share of the present minute and day, with their busiest of the last 24 hours. Filter with: where day_share > 0.8.';
comment on column api_keys_near_limit.minute_share is 'The share of the limit that the present minute has used: 1 is all of it.';
comment on column api_keys_near_limit.day_share is 'The share of the limit that the present day has used: 1 is all of it.';
comment on column api_keys_near_limit.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column api_keys_near_limit.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_keys_near_limit.day_admitted is 'Requests admitted in the current UTC day, since the last reset.';
comment on column api_keys_near_limit.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_keys_near_limit.busiest_hour is 'The hour of the last 24 with the most admitted requests.';
comment on column api_keys_near_limit.busiest_hour_admitted is 'Requests admitted in that hour.';

create or replace view busiest_api_keys as
select
  busiest.api_key_id, k.name, k.plan_id, busiest.requests,
  by_outcome.success, by_outcome.client_error, by_outcome.server_error,
  by_outcome.limited, by_outcome.banned, by_outcome.unauthorized,
  by_outcome.mean_ms, by_outcome.last_hour
from (
  select api_key_id, sum(requests)::bigint as requests
  from api_key_usage_hours
  where hour > present() - interval '24 hours'
    and hour <= trusted_until()
  group by api_key_id
  order by requests desc, api_key_id
  limit 100
) as busiest
cross join lateral (
  select
    coalesce(sum(requests) filter (where outcome = 'success'), 0)::bigint as success,
    coalesce(sum(requests) filter (where outcome = 'client_error'), 0)::bigint as client_error,
    coalesce(sum(requests) filter (where outcome = 'server_error'), 0)::bigint as server_error,
    coalesce(sum(requests) filter (where outcome = 'limited'), 0)::bigint as limited,
    coalesce(sum(requests) filter (where outcome = 'banned'), 0)::bigint as banned,
    coalesce(sum(requests) filter (where outcome = 'unauthorized'), 0)::bigint as unauthorized,
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
  select coalesce(sum(u.requests), 0)::bigint as requests_24h
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

-- Reads all of api_key_counters. An index on the rejections would be written with each rejected request, and would end the
-- HOT updates of admission.
create or replace view noisiest_api_keys as
select
  k.id, k.name, k.plan_id, k.state, k.day_refused, k.day_admitted, k.minute_refused, k.minute_admitted,
  k.requests_per_minute, k.requests_per_day, k.banned_until, k.last_used_at
from (
  select c.api_key_id
  from api_key_counters c
  where counts_in_day(c)
    and c.day_refused > 0
  order by c.day_refused desc, c.api_key_id
  limit 100
) as noisy
join api_key_overview k on k.id = noisy.api_key_id
order by k.day_refused desc, k.id;

comment on view noisiest_api_keys is
  'The hundred keys with the most rejected requests today. Requests during a ban are not counted, so look at banned_until as well.';
comment on column noisiest_api_keys.state is 'live, suspended, banned, expired, revoked or unissued.';
comment on column noisiest_api_keys.day_refused is 'Requests rejected in the current UTC day.';
comment on column noisiest_api_keys.day_admitted is 'Requests admitted in the current UTC day, since the last reset.';
comment on column noisiest_api_keys.minute_refused is 'Requests rejected in the current UTC minute.';
comment on column noisiest_api_keys.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column noisiest_api_keys.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column noisiest_api_keys.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column noisiest_api_keys.banned_until is 'When the current ban ends; null if there is none.';
comment on column noisiest_api_keys.last_used_at is 'The minute of the last counted request, admitted or rejected.';

create or replace view plan_overview as
select
  p.id,
  p.custom,
  p.requests_per_minute,
  p.requests_per_day,
  coalesce(k.keys, 0) as keys,
  coalesce(live.keys, 0) as live_keys
from plans p
left join (
  select plan_id, count(*) as keys
  from api_keys
  group by plan_id
) as k on k.plan_id = p.id
left join (
  select a.plan_id, count(*) as keys
  from api_keys a
  where is_valid(a)
    and exists (select from api_key_secrets s where s.api_key_id = a.id and is_valid(s))
  group by a.plan_id
) as live on live.plan_id = p.id;

comment on view plan_overview is 'Every plan with its limits and the number of its keys.';
comment on column plan_overview.live_keys is 'Keys that have a secret and are neither revoked nor expired, including suspended and banned keys.';
comment on column plan_overview.custom is 'True if the plan has no limits and each of its keys has its own.';
comment on column plan_overview.requests_per_minute is 'Requests that each key may make in a UTC minute; null on a custom plan.';
comment on column plan_overview.requests_per_day is 'Requests that each key may make in a UTC day; null on a custom plan.';
comment on column plan_overview.keys is 'Keys of the plan, also revoked and expired ones.';

-- Only the last ban of a key is in the counters, and may be in force. Who lifted a ban is in the audit.
create or replace view recent_bans as
select
  b.began_at, b.api_key_id, k.name, k.plan_id, b.ends_at, b.minute_limit, b.day_limit,
  lifted.at as lifted_at,
  is_banned(k, c) as in_force
from api_key_bans b
left join api_keys k on k.id = b.api_key_id
left join api_key_counters c on c.api_key_id = b.api_key_id and c.banned_at = b.began_at
left join lateral (
  select min(a.changed_at) as at
  from audit_log a
  where a.api_key_id = b.api_key_id
    and a.changed_at between b.began_at and b.ends_at
    and (a.new ->> 'bans_lifted_at')::timestamptz >= b.began_at
) as lifted on true
order by b.began_at desc;

comment on view recent_bans is 'Bans, the last one first, with the limits that the key had. lifted_at is when an operator ended it.';
comment on column recent_bans.began_at is 'When the rejection came that began the ban.';
comment on column recent_bans.ends_at is 'When the ban ends unless an operator lifts it.';
comment on column recent_bans.minute_limit is 'The limit per minute that was in force.';
comment on column recent_bans.day_limit is 'The limit per day that was in force.';
comment on column recent_bans.lifted_at is 'When an operator lifted the ban; null if none did.';
comment on column recent_bans.in_force is 'Whether the ban rejects requests at this time.';

create or replace view unused_api_keys as
select k.id as api_key_id, k.name, k.plan_id, use.last_used_at, k.created_at, k.expires_at
from api_keys k
left join api_key_counters c on c.api_key_id = k.id
cross join lateral (
  -- Without counters, the day of the last use is in the history.
  select coalesce(
    last_counted_at(c),
    (select max(u.day)::timestamp at time zone 'UTC' from api_key_usage u where u.api_key_id = k.id)
  ) as last_used_at
) as use
where k.created_at < present() - interval '90 days'
  and is_valid(k)
  and coalesce(use.last_used_at < present() - interval '90 days', true)
order by use.last_used_at nulls first, k.id;

comment on view unused_api_keys is
  'Keys that are neither revoked nor expired and have had no admitted or limited request for 90 days, those that never had one first.';
comment on column unused_api_keys.last_used_at is 'The minute or day of the last counted request; null if there was none.';
comment on column unused_api_keys.expires_at is 'When the key stops working; null means never.';
