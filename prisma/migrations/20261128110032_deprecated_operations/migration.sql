create table deprecated_operations (
  operation text not null,
  constraint deprecated_operations_pkey primary key (operation),
  constraint deprecated_operations_bounded check (char_length(operation) between 1 and 100)
);

insert into deprecated_operations (operation) values ('getPet');
-- From prisma/sql by "npm run migration". Changes below this line are lost.

comment on table deprecated_operations is 'The deprecated operations of the API. The release that deprecates one adds it.';
comment on column deprecated_operations.operation is 'The operationId.';

-- With the owner's rights, like delete_old_usage. One hour, because a search for the oldest rows would pass all that were deleted before.
create or replace function delete_usage_hour(of_hour timestamptz, keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_usage_hours as u
  using (
    select api_key_id, operation, outcome
    from api_key_usage_hours
    where hour = of_hour
      and hour < today()::timestamp at time zone 'UTC' - greatest(keep_days, 2) * interval '1 day'
    order by api_key_id, operation, outcome
    limit at_most
    for update skip locked
  ) as old
  where u.hour = of_hour
    and (u.api_key_id, u.operation, u.outcome) = (old.api_key_id, old.operation, old.outcome);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_usage_hour is
  'Deletes some of the usage of an hour whose day is older than the given number of days, but none of the last two. Returns how many.';

revoke execute on function delete_usage_hour(timestamptz, integer, integer) from public;

-- The one list of rights: prisma/roles.sql grants them, and `petstore doctor` and the tests compare them with the catalog. Each table, view
-- and function is in it. Only the owner may do the rest.
create or replace function role_rights() returns table (role name, privilege text, object name)
language sql stable rows 300 set search_path = public, pg_temp as $$
  with listed (role, privileges, columns, objects) as (values
    ('petstore_service', 'select', null, '_prisma_migrations, plans, api_keys, api_key_secrets, pet_counts, deprecated_operations'),
    ('petstore_service', 'select, insert', null, 'api_key_bans, database_outages'),
    ('petstore_service', 'select, insert, update', null, 'api_key_counters, api_key_usage, api_key_usage_hours'),
    ('petstore_service', 'select, insert, update, delete', null, 'idempotency_keys, pets, orders'),
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
      'api_keys_near_limit, deprecated_operation_callers, last_24_hours, open_snapshots, recent_bans, unused_api_keys, usage_hours_gaps'),
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
      'set_api_key_expiry, set_api_key_access, reset_api_key_usage, extend_api_key_overlap, create_plan, set_plan, delete_plan, api_key_overview_of, busiest_api_keys_since'),
    ('petstore_support', 'execute', null, 'api_key_overview_of, busiest_api_keys_since'),

    -- Every role may call what only computes. Triggers call the functions that check or count pets and orders.
    ('public', 'execute', null,
      'present, today, this_hour, clock_tolerance, trusted_until, counts_in_minute, counts_in_day, awaits_reset, last_counted_at, is_valid, '
      'is_suspended, is_banned, latest_lift, is_admitted, minute_limit, day_limit, count_max, saturated, is_instant, drawn_ids, next_ids_are_used, role_rights, rights_that_differ, '
      'missing_protections'),
    ('public', 'execute', null,
      'pet_json, order_json, new_pet, new_order, pet_inventory, etag_of, meets_preconditions, has_open_order, delete_pet_if, order_may_become'),
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

create or replace function busiest_api_keys_since(first_hour timestamptz)
returns table (
  api_key_id bigint, name text, plan_id text, requests bigint,
  success bigint, client_error bigint, server_error bigint, limited bigint, banned bigint, unauthorized bigint,
  mean_ms numeric, last_hour timestamptz, undecided bigint)
language sql stable rows 100 set search_path = public, pg_temp as $$
  select
    busiest.api_key_id, k.name, k.plan_id, busiest.requests,
    by_outcome.success, by_outcome.client_error, by_outcome.server_error,
    by_outcome.limited, by_outcome.banned, by_outcome.unauthorized,
    by_outcome.mean_ms, by_outcome.last_hour, by_outcome.undecided
  from (
    select u.api_key_id, saturated(sum(u.requests)) as requests
    from api_key_usage_hours u
    where u.hour >= first_hour
      and u.hour <= trusted_until()
    group by u.api_key_id
    order by requests desc, u.api_key_id
    limit 100
  ) as busiest
  cross join lateral (
    select
      coalesce(saturated(sum(u.requests) filter (where outcome = 'success')), 0) as success,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'client_error')), 0) as client_error,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'server_error')), 0) as server_error,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'limited')), 0) as limited,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'banned')), 0) as banned,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'unauthorized')), 0) as unauthorized,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'undecided')), 0) as undecided,
      round(sum(u.total_ms) / nullif(sum(u.requests), 0), 1) as mean_ms,
      max(u.hour) as last_hour
    from generate_series(first_hour, this_hour(), interval '1 hour') as of_hour
    join api_key_usage_hours u on u.hour = of_hour
    where u.api_key_id = busiest.api_key_id
  ) as by_outcome
  left join api_keys k on k.id = busiest.api_key_id
  order by busiest.requests desc, busiest.api_key_id
$$;

comment on function busiest_api_keys_since is
  'The hundred keys with the most requests since an hour, rejected ones included, as in busiest_api_keys: select * from busiest_api_keys_since(this_hour() - interval ''7 days'').';

revoke execute on function busiest_api_keys_since(timestamptz) from public;

create or replace view busiest_api_keys as
select * from busiest_api_keys_since(this_hour() - interval '23 hours');

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

-- The index is read from one key to the next, as PostgreSQL does not by itself, and each look-up finds the newest hour first.
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
  'Every key that called a deprecated operation in the hours that are kept (35 days by default), the last one first. Calls that were rejected by admission do not count.';
comment on column deprecated_operation_callers.operation is 'The operationId of the deprecated operation.';
comment on column deprecated_operation_callers.last_hour is 'The last hour in which the key called it.';
comment on column deprecated_operation_callers.requests_24h is 'Its requests of the last 24 hours.';

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
  coalesce(used.near_limit_keys, 0) as near_limit_keys
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
    count(*) filter (where c.day_admitted > 0.8 * day_limit(k, p) and is_valid(k) and not awaits_reset(k, c)) as near_limit_keys
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
comment on column plan_overview.near_limit_keys is 'Those that have used more than 80 % of their day.';

-- The history of a key is looked into only where its counters do not say it: a sub-select in coalesce took a second more for a million keys.
create or replace view unused_api_keys as
select k.id as api_key_id, k.name, k.plan_id, use.last_used_at, k.created_at, k.expires_at
from api_keys k
left join api_key_counters c on c.api_key_id = k.id
cross join lateral (
  -- Without counters, or with those of a clock that was ahead, the day of the last use is in the history.
  select max(u.day)::timestamp at time zone 'UTC' as day
  from api_key_usage u
  where u.api_key_id = k.id
    and coalesce(c.minute > trusted_until(), true)
) as history
cross join lateral (select coalesce(last_counted_at(c), history.day) as last_used_at) as use
where k.created_at < present() - interval '90 days'
  and is_valid(k)
  and coalesce(use.last_used_at < present() - interval '90 days', true)
order by use.last_used_at nulls first, k.id;

comment on view unused_api_keys is
  'Keys that are neither revoked nor expired and have had no admitted or limited request for 90 days, those that never had one first.';
comment on column unused_api_keys.last_used_at is 'The minute or day of the last counted request; null if there was none.';
comment on column unused_api_keys.expires_at is 'When the key stops working; null means never.';
