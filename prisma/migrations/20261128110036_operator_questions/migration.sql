-- From prisma/sql by "npm run migration". Changes below this line are lost.

comment on table api_key_usage_hours is
  'The requests of each key by hour (UTC), operation and outcome. Written every 10 s, so it may lack the last ones; the exact totals of days are in api_key_daily_usage.';
comment on column api_key_usage_hours.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_usage_hours.outcome is
  'Of admitted requests: success (below 400), client_error (4xx), server_error (5xx). Of others: limited (429), banned (429 or 403, also suspended), unauthorized (revoked or expired), undecided (503: no database, or too many waited).';
comment on column api_key_usage_hours.total_ms is 'Milliseconds from the headers of the requests to their responses, in all.';
comment on column api_key_usage_hours.hour is 'When the hour began (UTC).';
comment on column api_key_usage_hours.requests is 'Requests with this outcome.';
comment on column api_key_usage_hours.minute_peak is
  'Of admitted requests: the most of the key that a minute of the hour had admitted after one of them, with any outcome. The peak of the hour is the greatest of its rows; null before 1.1.0.';

-- The one list of rights: prisma/roles.sql grants them, and `petstore doctor` and the tests compare them with the catalog. Each table, view
-- and function is in it. Only the owner may do the rest.
create or replace function role_rights() returns table (role name, privilege text, object name)
language sql stable rows 300 set search_path = public, pg_temp as $$
  with listed (role, privileges, columns, objects) as (values
    ('petstore_service', 'select', null, '_prisma_migrations, plans, api_keys, api_key_secrets, pet_counts, deprecated_operations'),
    ('petstore_service', 'select, insert', null, 'api_key_bans, database_outages'),
    ('petstore_service', 'select, insert, update', null, 'api_key_counters, api_key_usage, api_key_usage_hours'),
    ('petstore_service', 'select, insert, update, delete', null, 'idempotency_keys, pets, orders, categories'),
    -- For the dashboard: who changed what.
    ('petstore_service', 'select', 'changed_at, role, actor, action, table_name, api_key_id, plan_id, old, new', 'audit_log'),
    ('petstore_service', 'select', null,
      'api_key_overview, api_key_daily_usage, api_key_hourly_usage, deprecated_operation_callers, expiring_api_keys, last_24_hours, open_snapshots, plan_overview, recent_bans, unused_api_keys'),
    -- When a row has the id of a new one already, and for old rows of usage and bans.
    ('petstore_service', 'execute', null, 'skip_used_ids, delete_old_usage, delete_old_usage_hours, delete_usage_hour, delete_old_bans, delete_old_database_outages'),

    -- Operators write only the columns that they decide. Ids and hashes are created by functions.
    ('petstore_operator', 'select', null, '_prisma_migrations, plans, api_keys, api_key_counters, api_key_usage, api_key_usage_hours, api_key_bans, database_outages, deprecated_operations, audit_log'),
    ('petstore_operator', 'select', null,
      'api_key_overview, api_key_daily_usage, plan_overview, noisiest_api_keys, expiring_api_keys, api_key_hourly_usage, busiest_api_keys, '
      'api_keys_near_limit, deprecated_operation_callers, flooding_api_keys, last_24_hours, open_snapshots, recent_bans, unused_api_keys, usage_hours_gaps'),
    ('petstore_operator', 'insert', 'id, requests_per_minute, requests_per_day, custom', 'plans'),
    ('petstore_operator', 'update', 'requests_per_minute, requests_per_day, custom', 'plans'),
    ('petstore_operator', 'insert',
      'name, plan_id, requests_per_minute, requests_per_day, expires_at, suspended_until, access', 'api_keys'),
    ('petstore_operator', 'update',
      'name, plan_id, requests_per_minute, requests_per_day, expires_at, revoked_at, suspended_until, bans_lifted_at, access, usage_reset_at',
      'api_keys'),
    ('petstore_operator', 'select', 'api_key_id, prefix, created_at, expires_at', 'api_key_secrets'),
    ('petstore_operator', 'update', 'expires_at', 'api_key_secrets'),
    ('petstore_operator', 'execute', null,
      'issue_api_key, issue_api_keys, rotate_api_key, revoke_api_key, set_api_key_plan, set_api_key_limits, suspend_api_key, resume_api_key, unban_api_key, '
      'set_api_key_expiry, set_api_key_access, reset_api_key_usage, extend_api_key_overlap, create_plan, set_plan, delete_plan, api_key_overview_of, busiest_api_keys_since, find_api_keys, '
      'plan_change_preview'),
    ('petstore_support', 'execute', null, 'api_key_overview_of, busiest_api_keys_since, find_api_keys, plan_change_preview'),

    -- Every role may call what only computes. Triggers call the functions that check or count pets and orders.
    ('public', 'execute', null,
      'present, today, this_hour, clock_tolerance, trusted_until, counts_in_minute, counts_in_day, awaits_reset, last_counted_at, is_valid, '
      'is_suspended, is_banned, latest_lift, is_admitted, minute_limit, day_limit, count_max, saturated, is_instant, drawn_ids, next_ids_are_used, role_rights, rights_that_differ, '
      'missing_protections'),
    ('public', 'execute', null,
      'pet_json, order_json, category_json, new_pet, new_order, new_category, pet_inventory, etag_of, meets_preconditions, has_open_order, delete_pet_if, '
      'order_may_become, has_pets, category_conflict, put_category_if, delete_category_if'),
    ('public', 'execute', null,
      'enforce_order_transition, reserve_ordered_pets, release_ordered_pets, keep_ordered_pet_pending, keep_orders_of_pet, keep_orders_of_pets'),
    ('the owner', 'execute', null,
      'random_base62, api_key_checksum, add_api_key_secret, new_secret, reject_second_secret, audit_changes, count_pets, count_no_pets, explain_key_values, explain_plan_values, explain_limits, '
      'explain_plan_numbers, follow_plan, limit_changes, make_api_key_counters, reject_change, reject_deleting_used_plan, reject_later_revocation')
  ), rights as (
    select role, privilege || coalesce(' (' || "column" || ')', '') as privilege, object
    from listed
    cross join string_to_table(privileges, ', ') as privilege
    cross join unnest(coalesce(string_to_array(columns, ', '), array[null])) as "column"
    cross join string_to_table(objects, ', ') as object
  )
  select * from rights
  union all
  -- Support reads what operators read.
  select 'petstore_support', privilege, object from rights where role = 'petstore_operator' and privilege like 'select%'
  union all
  -- The service takes ids from the sequences before it inserts. Otherwise the table draws them.
  select case when privilege is null then 'the owner' else role end, 'usage', sequence_name
  from drawn_ids()
  left join rights on object = table_name and role = 'petstore_service' and privilege = 'insert'
$$;

comment on function role_rights is 'What each role may do with each table, view, sequence and function. prisma/roles.sql grants it.';

-- Operators may not read hashes. They can look up those of keys that they have.
create or replace function find_api_keys(hashes bytea[])
returns table (hash bytea, api_key_id bigint, name text, plan_id text, state text, prefix text, works boolean)
language sql stable security definer rows 10 set search_path = public, pg_temp as $$
  select s.hash, k.id, k.name, k.plan_id, k.state, s.prefix, is_valid(s) and k.state not in ('revoked', 'expired')
  from unnest(hashes) as wanted (hash)
  join api_key_secrets s on s.hash = wanted.hash
  join api_key_overview k on k.id = s.api_key_id
$$;

comment on function find_api_keys is
  'The keys with these SHA-256 hashes, and whether each still works, also if it is suspended or banned now: select * from find_api_keys(array[sha256(''psk_…'')]).';

revoke execute on function find_api_keys(bytea[]) from public;

-- Reads the hours once, and not for each key.
create or replace function plan_change_preview(plan text, per_minute integer default null, per_day integer default null)
returns table (
  api_key_id bigint, name text, own_minute_limit boolean, own_day_limit boolean,
  hours_over bigint, highest_minute bigint, days_over bigint, highest_day bigint)
language plpgsql stable rows 100 set search_path = public, pg_temp as $$
begin
  if not exists (select from plans where id = plan) then
    raise exception 'plan "%" does not exist', plan
      using errcode = 'no_data_found', hint = 'To see the plans: select * from plan_overview, or petstore plans list.';
  end if;
  return query
  with affected as (
    select * from api_keys k where k.plan_id = plan and is_valid(k)
  ), hours as (
    select peak.api_key_id, count(*) as hours_over, max(peak.highest) as highest
    from (
      select u.api_key_id, u.hour, max(u.minute_peak) as highest
      from api_key_usage_hours u
      where u.minute_peak > per_minute
        and u.api_key_id in (select affected.id from affected)
        and u.hour between this_hour() - interval '35 days' and trusted_until()
      group by u.api_key_id, u.hour
    ) as peak
    group by peak.api_key_id
  ), days as (
    select u.api_key_id, count(*) as days_over, max(u.admitted) as highest
    from api_key_daily_usage u
    where u.admitted > per_day
      and u.api_key_id in (select affected.id from affected)
      and u.day > today() - 35
    group by u.api_key_id
  )
  select
    k.id, k.name, k.requests_per_minute is not null, k.requests_per_day is not null,
    coalesce(hours.hours_over, 0), hours.highest, coalesce(days.days_over, 0), days.highest
  from affected k
  left join hours on hours.api_key_id = k.id
  left join days on days.api_key_id = k.id
  where num_nonnulls(hours.hours_over, days.days_over) > 0
  order by hours.hours_over desc nulls last, days.days_over desc nulls last, k.id;
end
$$;

comment on function plan_change_preview is
  'Whom lower limits of a plan would have hurt in the last 35 days: its keys that used more in a minute or day, in how many hours or days, and the most. A key with a limit of its own is not affected by that of the plan. Requests during bans are not known: select * from plan_change_preview(''free'', per_minute => 30).';

revoke execute on function plan_change_preview(text, integer, integer) from public;

-- By hour, then by key: one key is found in each hour by the primary key, which needs no index of its own.
create or replace view api_key_hourly_usage as
select
  u.hour, u.api_key_id, k.name, k.plan_id, u.operation, u.outcome, u.requests,
  round(u.total_ms::numeric / nullif(u.requests, 0), 1) as mean_ms,
  u.minute_peak
from (select min(hour) as first from api_key_usage_hours) as stored
cross join generate_series(stored.first, trusted_until(), interval '1 hour') as of_hour
join api_key_usage_hours u on u.hour = of_hour
left join api_keys k on k.id = u.api_key_id;

comment on view api_key_hourly_usage is
  'Requests by hour, key, operation and outcome, except those of the last 10 s. Filter by key or hour: where api_key_id = 7 order by hour.';
comment on column api_key_hourly_usage.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column api_key_hourly_usage.minute_peak is 'The most requests of the key that a minute of the hour had admitted after one of these; the peak of the hour is the greatest of its rows.';
comment on column api_key_hourly_usage.hour is 'When the hour began (UTC).';
comment on column api_key_hourly_usage.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_hourly_usage.outcome is 'success, client_error, server_error, limited, banned, unauthorized or undecided.';
comment on column api_key_hourly_usage.requests is 'Requests with this outcome.';

create or replace view flooding_api_keys as
select
  k.id as api_key_id, k.name, k.plan_id, k.state, rejected.rejected, rejected.limited, rejected.banned, k.banned_until,
  k.requests_per_minute, k.requests_per_day
from (
  select
    u.api_key_id,
    saturated(sum(u.requests)) as rejected,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'limited')), 0) as limited,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'banned')), 0) as banned
  from api_key_usage_hours u
  where u.hour in (this_hour(), this_hour() - interval '1 hour')
    and u.outcome in ('limited', 'banned')
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
comment on column flooding_api_keys.banned is 'Rejected because of a ban (429) or a suspension (403).';
comment on column flooding_api_keys.banned_until is 'When the current ban ends; null if there is none.';
comment on column flooding_api_keys.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column flooding_api_keys.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
