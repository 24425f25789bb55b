-- From prisma/sql by "npm run migration". Changes below this line are lost.

comment on table api_key_bans is 'The bans of each key, with the limits that it had. A ban that an operator lifted has ended before ends_at: recent_bans.';
comment on column api_key_bans.began_at is 'When the rejection came that began the ban.';
comment on column api_key_bans.ends_at is 'When the ban ends unless an operator lifts it.';
comment on column api_key_bans.minute_limit is 'The limit per minute that was in force.';
comment on column api_key_bans.day_limit is 'The limit per day that was in force.';
comment on column api_key_bans.month_limit is 'The limit per month that was in force; null if there was none.';

comment on table api_key_counters is 'The counters of each key: its current minute and day (UTC) and its last ban. Only the service writes them.';
comment on column api_key_counters.usage_reset_at is 'The reset of the key that was applied last.';
comment on column api_key_counters.minute is 'The UTC minute that is counted; -infinity before the first request.';
comment on column api_key_counters.minute_admitted is 'Requests admitted in the minute, since the last reset.';
comment on column api_key_counters.minute_refused is 'Requests rejected in the minute.';
comment on column api_key_counters.day is 'The UTC day of the minute.';
comment on column api_key_counters.day_admitted is 'Requests admitted in the day, since the last reset.';
comment on column api_key_counters.day_refused is 'Requests rejected in the day.';
comment on column api_key_counters.banned_at is 'When the last ban began.';
comment on column api_key_counters.banned_until is 'When the last ban ends unless an operator lifts it.';
comment on column api_key_counters.generation is 'Grows once in some hundred updates of the row, so that an index leads to its newest version.';
comment on column api_key_counters.month is 'The UTC month, by its first day, for which month_before holds; null if the key has no limit per month.';
comment on column api_key_counters.month_before is 'What api_key_usage has admitted in that month.';

comment on table api_keys is 'The keys of customers. Keys are revoked, never deleted. A change applies to the next request on every replica.';
comment on column api_keys.customer is 'Whose key it is: the customer''s id in another system, 1 to 100 characters; null if none is known. What the key has used stays with it.';
comment on column api_keys.plan_custom is 'A copy of plans.custom, kept equal by the foreign key.';
comment on column api_keys.requests_per_minute is 'The key''s own limit, instead of the plan''s; required on a custom plan.';
comment on column api_keys.requests_per_day is 'The key''s own limit, instead of the plan''s; required on a custom plan.';
comment on column api_keys.suspended_until is 'Until this time all requests of the key are rejected with 403 api_key_suspended.';
comment on column api_keys.bans_lifted_at is 'Bans that began up to this time are lifted, and do not make the next ban longer.';
comment on column api_keys.access is 'read: GET and HEAD alone; write: everything.';
comment on column api_keys.usage_reset_at is 'The last reset of what its minute and day have admitted: select * from reset_api_key_usage(7).';
comment on column api_keys.expires_at is 'When the key stops working; null means never.';
comment on column api_keys.revoked_at is 'When the key was revoked; null if it was not. Any value revokes at once.';
comment on column api_keys.requests_per_month is 'The key''s own limit per UTC month; null: that of its plan, if it has one.';

comment on table plans is 'The request limits of each plan. A change applies to the next request on every replica.';
comment on column plans.custom is 'True if the plan has no limits and each of its keys has its own.';
comment on column plans.requests_per_minute is 'Requests that each key may make in a UTC minute; null on a custom plan.';
comment on column plans.requests_per_day is 'Requests that each key may make in a UTC day; null on a custom plan.';
comment on column plans.requests_per_month is 'Requests that each key may make in a UTC month; null: no such limit.';

-- It fires when the statement that finishes a day has written the counters, also in a replica of 1.1.0, which knows no month.
create or replace function add_to_month() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  update api_key_counters
  set month_before = least(month_before + new.admitted - case when tg_op = 'UPDATE' then old.admitted else 0 end, count_max() / 4)
  where api_key_id = new.api_key_id
    and month = date_trunc('month', new.day::timestamp)::date;
  return null;
end
$$;

comment on function add_to_month is 'Adds a finished day to the sum of its month in the counters.';

revoke execute on function add_to_month() from public;

create or replace function explain_limits() returns trigger
language plpgsql as $$
declare
  wrong text := (
    select 'requests_per_' || name
    from public.windows_of(null, null, null)
    where (to_jsonb(new) ->> ('requests_per_' || name))::bigint < 1
    order by nth
    limit 1);
begin
  raise exception '% is % and must be at least 1', wrong, to_jsonb(new) ->> wrong
    using errcode = 'check_violation', table = tg_table_name, column = wrong, hint = tg_argv[0];
end
$$;

comment on function explain_limits is 'Rejects limits below 1. The argument of the trigger is the hint.';

revoke execute on function explain_limits() from public;

-- Volatile, so that it reads with a snapshot of its own: admission calls it when it has locked the counters (those of a barred key it
-- only reads), and the snapshot of its statement lacks a day that another replica has finished meanwhile.
create or replace function month_admitted_before(key bigint, day date) returns bigint
language plpgsql volatile set search_path = public, pg_temp as $$
begin
  return (
    select least(coalesce(sum(u.admitted), 0), count_max() / 4)::bigint
    from api_key_usage u
    where u.api_key_id = key
      and u.day >= date_trunc('month', month_admitted_before.day::timestamp)::date
      and u.day < (date_trunc('month', month_admitted_before.day::timestamp) + interval '1 month')::date
  );
end
$$;

comment on function month_admitted_before is
  'What the history of a key has of the month of a day: finished days, and of the present one what a reset, or a clock that went back, has finished.';

-- The one list of rights: prisma/roles.sql grants them, and `petstore doctor` and the tests compare them with the catalog. Each table, view
-- and function is in it. Only the owner may do the rest.
create or replace function role_rights() returns table (role name, privilege text, object name)
language sql stable rows 300 set search_path = public, pg_temp as $$
  with listed (role, privileges, columns, objects) as (values
    ('petstore_service', 'select', null, '_prisma_migrations, plans, api_keys, api_key_secrets, pet_counts, deprecated_operations'),
    ('petstore_service', 'select, insert', null, 'api_key_bans, database_outages'),
    ('petstore_service', 'select, insert, update', null, 'api_key_counters, api_key_usage, api_key_usage_hours, address_usage_hours'),
    ('petstore_service', 'select, insert, update, delete', null, 'idempotency_keys, pets, orders, categories'),
    -- For the dashboard: who changed what.
    ('petstore_service', 'select', 'changed_at, role, actor, action, table_name, api_key_id, plan_id, old, new', 'audit_log'),
    ('petstore_service', 'select', null,
      'api_key_overview, api_key_daily_usage, api_key_hourly_usage, api_keys_near_limit, deprecated_operation_callers, expiring_api_keys, last_24_hours, open_snapshots, plan_overview, plan_peaks, recent_bans, unused_api_keys'),
    -- When a row has the id of a new one already, and for old rows of usage and bans.
    ('petstore_service', 'execute', null, 'skip_used_ids, delete_old_usage, delete_usage_hour, delete_old_address_usage, delete_old_bans, delete_old_database_outages'),

    -- Operators write only the columns that they decide. Ids and hashes are created by functions.
    ('petstore_operator', 'select', null, '_prisma_migrations, plans, api_keys, api_key_counters, api_key_usage, api_key_usage_hours, address_usage_hours, api_key_bans, database_outages, operations, deprecated_operations, audit_log'),
    ('petstore_operator', 'select', null,
      'api_key_overview, api_key_daily_usage, customer_overview, plan_overview, plan_peaks, noisiest_api_keys, expiring_api_keys, api_key_hourly_usage, busiest_api_keys, '
      'api_keys_near_limit, deprecated_operation_callers, flooding_api_keys, last_24_hours, open_snapshots, recent_bans, unused_api_keys, usage_hours_gaps'),
    ('petstore_operator', 'insert', 'id, requests_per_minute, requests_per_day, requests_per_month, custom', 'plans'),
    ('petstore_operator', 'update', 'requests_per_minute, requests_per_day, requests_per_month, custom', 'plans'),
    ('petstore_operator', 'insert',
      'name, plan_id, requests_per_minute, requests_per_day, requests_per_month, expires_at, suspended_until, access, customer', 'api_keys'),
    ('petstore_operator', 'update',
      'name, plan_id, requests_per_minute, requests_per_day, requests_per_month, expires_at, revoked_at, suspended_until, bans_lifted_at, access, usage_reset_at, customer',
      'api_keys'),
    ('petstore_operator', 'select', 'api_key_id, prefix, created_at, expires_at', 'api_key_secrets'),
    ('petstore_operator', 'update', 'expires_at', 'api_key_secrets'),
    ('petstore_operator', 'execute', null,
      'issue_api_key, issue_api_keys, issue_customer_api_key, issue_customer_api_keys, rename_api_key, set_api_key_customer, '
      'rotate_api_key, revoke_api_key, set_api_key_plan, set_api_key_limits, suspend_api_key, resume_api_key, unban_api_key, '
      'set_api_key_expiry, set_api_key_access, reset_api_key_usage, extend_api_key_overlap, create_plan, set_plan, delete_plan, rename_plan, api_key_overview_of, busiest_api_keys_since, find_api_keys, '
      'plan_change_preview'),
    ('petstore_support', 'execute', null, 'api_key_overview_of, busiest_api_keys_since, find_api_keys, plan_change_preview'),

    -- Every role may call what only computes. Triggers call the functions that check or count pets and orders.
    ('public', 'execute', null,
      'present, today, this_hour, clock_tolerance, trusted_until, counts_in_minute, counts_in_day, awaits_reset, last_counted_at, is_valid, '
      'is_suspended, is_banned, latest_lift, is_admitted, minute_limit, day_limit, windows_of, month_admitted_before, warn_of_limits, count_max, saturated, is_instant, drawn_ids, next_ids_are_used, role_rights, rights_that_differ, '
      'unlisted_rights, missing_protections'),
    ('public', 'execute', null,
      'pet_json, order_json, category_json, new_pet, new_order, new_category, pet_inventory, etag_of, meets_preconditions, has_open_order, delete_pets_if, '
      'order_may_become, has_pets, category_conflict, put_category_if, delete_category_if'),
    ('public', 'execute', null,
      'enforce_order_transition, reserve_ordered_pets, release_ordered_pets, keep_ordered_pet_pending, keep_orders_of_pet, keep_orders_of_pets'),
    ('the owner', 'all', null, 'wanted_rights'),
    ('the owner', 'execute', null,
      'random_base62, end_of_used_ids, api_key_checksum, add_api_key_secret, new_secret, reject_second_secret, audit_changes, count_pets, count_no_pets, explain_key_values, explain_plan_values, explain_limits, '
      'explain_plan_numbers, follow_plan, limit_changes, make_api_key_counters, add_to_month, reject_change, reject_deleting_used_plan, reject_later_revocation')
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

-- The one list of windows in SQL, from the shortest to the longest, as src/auth/admission/windows.ts has them. Without counters nothing is used.
create or replace function windows_of(key api_keys, plan plans, counters api_key_counters)
returns table (nth integer, name text, allowed integer, is_required boolean, admitted bigint, refused bigint)
language sql stable parallel safe rows 3
begin atomic
  select w.nth, w.name, w.allowed, w.is_required,
    case when w.is_present then w.admitted else 0 end, case when w.is_present then w.refused else 0 end
  from (values
    (1, 'minute', coalesce(key.requests_per_minute, plan.requests_per_minute), true,
      counts_in_minute(counters), counters.minute_admitted, counters.minute_refused),
    (2, 'day', coalesce(key.requests_per_day, plan.requests_per_day), true,
      counts_in_day(counters), counters.day_admitted, counters.day_refused),
    (3, 'month', coalesce(key.requests_per_month, plan.requests_per_month), false,
      true,
      case when counters.month = date_trunc('month', today()::timestamp)::date then counters.month_before else 0 end
        + case when counts_in_day(counters) then counters.day_admitted else 0 end, null)
  ) as w (nth, name, allowed, is_required, is_present, admitted, refused);
end;

comment on function windows_of is
  'The windows of a key: the limit in force (null: none), and what the present one has admitted and rejected. A reset that is due is not seen: awaits_reset. Of the month it is what the counters know, which is all of it after a request of the present day.';

-- With the owner's rights, as delete_plan. The id of a plan never changes, so that its audit has one name: the keys move to a new plan, all of
-- them, however many an operator may change. A key that is issued meanwhile waits, and then finds no plan.
create or replace function rename_plan(id text, new_id text) returns plan_overview
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  changes_max constant text := coalesce(current_setting('petstore.changes_max', true), '');
  changes_made constant text := coalesce(current_setting('petstore.changes_made', true), '');
  old plans;
  result plan_overview;
begin
  select * into old from plans where id = rename_plan.id for update;
  if not found then
    raise exception 'plan "%" does not exist', rename_plan.id
      using errcode = 'no_data_found', hint = 'To see the plans: select * from plan_overview, or petstore plans list.';
  end if;
  perform create_plan(new_id, old.requests_per_minute, old.requests_per_day, old.custom);
  if old.requests_per_month is not null then
    update plans set requests_per_month = old.requests_per_month where id = new_id;
  end if;
  -- The work of this function is neither limited nor counted.
  perform set_config('petstore.changes_max', '2147483647', true);
  update api_keys set plan_id = new_id where plan_id = old.id;
  perform set_config('petstore.changes_max', changes_max, true), set_config('petstore.changes_made', changes_made, true);
  delete from plans where id = old.id;
  select * into strict result from plan_overview where id = new_id;
  return result;
end
$$;

comment on function rename_plan is
  'Gives a plan another id, which all of its keys get: select * from rename_plan(''startup'', ''growth'').';

revoke execute on function rename_plan(text, text) from public;

create or replace function set_api_key_plan(
  id bigint,
  plan text,
  per_minute integer default null,
  per_day integer default null)
returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set plan_id = set_api_key_plan.plan, requests_per_minute = per_minute, requests_per_day = per_day,
    requests_per_month = null
  where id = set_api_key_plan.id;
  return api_key_overview_of(set_api_key_plan.id);
end
$$;

comment on function set_api_key_plan is
  'Moves a key to another plan; without limits it gets those of the plan: select * from set_api_key_plan(7, ''business'').';

revoke execute on function set_api_key_plan(bigint, text, integer, integer) from public;

create or replace function set_plan(
  id text,
  per_minute integer default null,
  per_day integer default null,
  custom boolean default null)
returns plan_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  -- A statement that names custom, which the keys refer to, waits for each transaction that has issued keys of the plan.
  if set_plan.custom <> (select custom from plans where id = set_plan.id for no key update) then
    update plans
    set custom = set_plan.custom, requests_per_minute = per_minute, requests_per_day = per_day,
      requests_per_month = case when set_plan.custom then null else requests_per_month end
    where id = set_plan.id;
  else
    update plans
    set requests_per_minute = coalesce(per_minute, requests_per_minute), requests_per_day = coalesce(per_day, requests_per_day)
    where id = set_plan.id;
  end if;
  if not found then
    raise exception 'plan "%" does not exist', set_plan.id
      using errcode = 'no_data_found',
            hint = 'To see the plans: select * from plan_overview, or petstore plans list. '
                   'To create one: select * from create_plan(…), or petstore plans create.';
  end if;
  select * into strict result from plan_overview where plan_overview.id = set_plan.id;
  return result;
end
$$;

comment on function set_plan is
  'Changes a plan; arguments that you omit stay unchanged: select * from set_plan(''pro'', per_minute => 600).';

revoke execute on function set_plan(text, integer, integer, boolean) from public;

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
  num_nonnulls(k.requests_per_minute, k.requests_per_day, k.requests_per_month) > 0 as own_limits,
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
  k.access,
  k.customer,
  coalesce(k.requests_per_month, p.requests_per_month) as requests_per_month,
  case when coalesce(k.requests_per_month, p.requests_per_month) is not null then saturated(
    month.admitted + case when c.day >= month.begins and c.day < month.ends then c.day_admitted else 0 end) end as month_admitted
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
) as s on true
left join lateral (
  select begins, ends, coalesce(sum(u.admitted), 0) as admitted
  from (
    select date_trunc('month', today()::timestamp)::date as begins, (date_trunc('month', today()::timestamp) + interval '1 month')::date as ends
  ) as present
  left join api_key_usage u on u.api_key_id = k.id and u.day >= begins and u.day < ends
  where coalesce(k.requests_per_month, p.requests_per_month) is not null
  group by begins, ends
) as month on true;

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
comment on column api_key_overview.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';
comment on column api_key_overview.requests_per_month is 'The limit in force: the key''s own, or its plan''s; null if there is none.';
comment on column api_key_overview.month_admitted is 'Requests admitted in the current UTC month, also before resets; null without such a limit.';

-- Reads all of api_key_counters: an index on what admission updates would end its HOT updates.
create or replace view api_keys_near_limit as
select
  k.id as api_key_id, k.name, k.plan_id,
  round((k.minute_admitted / k.requests_per_minute::float8)::numeric, 3) as minute_share,
  round((k.day_admitted / k.requests_per_day::float8)::numeric, 3) as day_share,
  k.minute_admitted, k.requests_per_minute, k.day_admitted, k.requests_per_day,
  peak.hour as busiest_hour, peak.admitted as busiest_hour_admitted,
  k.customer,
  round((k.month_admitted / k.requests_per_month::float8)::numeric, 3) as month_share, k.month_admitted, k.requests_per_month
from (
  select distinct api_key_id
  from (
    select c.api_key_id, row_number() over (partition by w.name order by w.share desc, c.api_key_id) as rank
    from api_key_counters c
    join api_keys k on k.id = c.api_key_id
    join plans p on p.id = k.plan_id
    cross join lateral (
      select name, admitted / allowed::float8 as share from windows_of(k, p, c) where allowed is not null
    ) as w
    where counts_in_day(c)
      and is_valid(k)
      and not awaits_reset(k, c)
  ) as ranked
  where rank <= 100
) as near
join api_key_overview k on k.id = near.api_key_id
join api_keys key on key.id = near.api_key_id
join plans p on p.id = key.plan_id
join api_key_counters c on c.api_key_id = near.api_key_id
cross join lateral (
  select max(admitted / allowed::float8) as share from windows_of(key, p, c)
) as most
left join lateral (
  select u.hour, saturated(sum(u.requests)) as admitted
  from last_24_hours
  join api_key_usage_hours u using (hour)
  where u.api_key_id = near.api_key_id
    and is_admitted(u.outcome)
  group by u.hour
  order by admitted desc, u.hour desc
  limit 1
) as peak on true
order by most.share desc, near.api_key_id;

comment on view api_keys_near_limit is
  'The hundred keys each that have used the largest share of the present minute, day and month, with their busiest of the last 24 hours. Filter with: where day_share > 0.8.';
comment on column api_keys_near_limit.minute_share is 'The share of the limit that the present minute has used: 1 is all of it.';
comment on column api_keys_near_limit.day_share is 'The share of the limit that the present day has used: 1 is all of it.';
comment on column api_keys_near_limit.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column api_keys_near_limit.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_keys_near_limit.day_admitted is 'Requests admitted in the current UTC day, since the last reset.';
comment on column api_keys_near_limit.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_keys_near_limit.busiest_hour is 'The hour of the last 24 with the most admitted requests.';
comment on column api_keys_near_limit.busiest_hour_admitted is 'Requests admitted in that hour.';
comment on column api_keys_near_limit.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';
comment on column api_keys_near_limit.month_share is 'The share of the limit that the present month has used; null if there is no such limit.';
comment on column api_keys_near_limit.month_admitted is 'Requests admitted in the current UTC month.';
comment on column api_keys_near_limit.requests_per_month is 'The limit in force: the key''s own, or its plan''s; null if there is none.';

create or replace trigger api_key_usage_adds_to_month
  after insert or update of admitted on api_key_usage
  for each row execute function add_to_month();

create or replace trigger api_keys_explain_limits
  before insert or update of requests_per_minute, requests_per_day, requests_per_month on api_keys
  for each row when (new.requests_per_minute < 1 or new.requests_per_day < 1 or new.requests_per_month < 1)
  execute function explain_limits(
    'Null means the limit of the plan. To stop a key: select * from suspend_api_key(id), or petstore keys suspend ID.');

create or replace trigger api_keys_follow_plan
  before insert or update of plan_id, plan_custom, requests_per_minute, requests_per_day, requests_per_month on api_keys
  for each row execute function follow_plan();

create or replace trigger plans_explain_limits
  before insert or update of requests_per_minute, requests_per_day, requests_per_month on plans
  for each row when (new.requests_per_minute < 1 or new.requests_per_day < 1 or new.requests_per_month < 1)
  execute function explain_limits(
    'To stop the keys of a plan, suspend them: select suspend_api_key(id) from api_keys where plan_id = ….');
