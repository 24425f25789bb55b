-- PostgreSQL 15 dumps a column "json" without quotes, which 17 and later cannot restore: it returns `representation` instead.
drop function if exists put_category_if(bigint, text, text, text);

-- Only 1.0.0-rc.1 called these.
drop function if exists pet_json(bigint, text, bigint, pet_status);
drop function if exists order_json(bigint, bigint, order_status, timestamptz, timestamptz);

-- From prisma/sql by "npm run migration". Changes below this line are lost.

create or replace function delete_pet_if(of_pet bigint, if_match text, if_none_match text) returns text
language plpgsql set search_path = public, pg_temp as $$
begin
  return (select * from delete_pets_if(array[of_pet], array[if_match], array[if_none_match]));
end
$$;

comment on function delete_pet_if is 'Only 1.0.0 uses it. Deletes one pet by delete_pets_if.';

-- In plpgsql each statement has a snapshot of its own: an order that was committed before its pet was locked is visible. It waits for no row
-- itself: the result is 'locked' if another transaction has locked one of them. The triggers of pets run once for all of them.
create or replace function delete_pets_if(ids bigint[], if_match text[], if_none_match text[]) returns setof text
language plpgsql
-- Else it is planned for each number of pets. While a table is small a plan that reads all of it looks cheap, and sessions keep their plans.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set search_path = public, pg_temp
as $$
declare
  held bigint[];
  rejections text[];
  accepted bigint[];
  held_orders bigint[];
  kept bigint[];
begin
  held := array(select id from pets where id = any(ids) order by id for update skip locked);
  rejections := array(
    select
      case
        when pet.id is null then 'pet_not_found'
        when not meets_preconditions(pet_json(pet), item.if_match, item.if_none_match) then 'precondition_failed'
        when exists (select from orders where pet_id = pet.id and status in ('placed', 'approved'))
          then 'pet_has_open_order'
        when exists (select from orders where pet_id = pet.id and status = 'delivered') then 'pet_is_sold'
        when pet.id <> all(held) then 'locked'
      end
    from unnest(ids, if_match, if_none_match) with ordinality as item (id, if_match, if_none_match, number)
    left join pets as pet on pet.id = item.id
    order by number);
  accepted := array(select id from unnest(ids, rejections) as decided (id, rejection) where rejection is null);
  held_orders := array(
    select id from orders where pet_id = any(accepted) order by id for update skip locked);
  kept := array(select pet_id from orders where pet_id = any(accepted) and id <> all(held_orders));
  delete from orders where id = any(held_orders) and pet_id <> all(kept);
  delete from pets where id = any(accepted) and id <> all(kept);
  return query
    select coalesce(rejection, case when id = any(kept) then 'locked' else 'deleted' end)
    from unnest(ids, rejections) with ordinality as decided (id, rejection, number)
    order by number;
end
$$;

comment on function delete_pets_if is
  'Deletes pets with their cancelled orders, each at most once. Returns a row for each, in their order: deleted, or why it was not: pet_not_found, precondition_failed, pet_has_open_order, pet_is_sold (it has a delivered order), locked.';

-- Numbers that are skipped are never looked at again, because a sequence is not rolled back, also where the statement runs out of its time.
-- After 64 used ones the steps double, up to 65,536: a million in sequence take some ninety look-ups. setval could set the sequence back.
create or replace function new_category() returns categories
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  next_id bigint;
  step bigint := 0;
  tries int := 0;
begin
  loop
    next_id := nextval('categories_id_seq');
    exit when not exists (select from categories where id = next_id) and not has_pets(next_id);
    tries := tries + 1;
    continue when tries < 64;
    step := least(greatest(64, 2 * step), 65536);
    perform nextval('categories_id_seq') from generate_series(1, step);
  end loop;
  return row(next_id, null)::categories;
end
$$;

comment on function new_category is 'A category with a number that neither a category nor a pet uses.';

-- It waits for a moment at most: the outcome is 'locked' if another transaction has locked the category, or is giving its number or the name
-- away.
create or replace function put_category_if(of_id bigint, new_name text, if_match text, if_none_match text) returns table (outcome text, representation text)
language plpgsql volatile set search_path = public, pg_temp set lock_timeout = '5ms' as $$
declare
  category categories;
  is_held boolean;
  violated text;
begin
  select * into category from categories where id = of_id for no key update skip locked;
  is_held := found;
  if not is_held then
    select * into category from categories where id = of_id;
  end if;
  outcome := case
    when category.id is null and if_match is not null then 'precondition_failed'
    when category.id is not null and not meets_preconditions(category_json(category), if_match, if_none_match) then 'precondition_failed'
    when category.name = new_name then 'unchanged'
    when category.id is null then 'created'
    when is_held then 'changed'
    else 'locked'
  end;
  begin
    if outcome = 'created' then
      insert into categories values (of_id, new_name);
    elsif outcome = 'changed' then
      update categories set name = new_name where id = of_id;
    end if;
  exception
    when lock_not_available then outcome := 'locked';
    when unique_violation then
      get stacked diagnostics violated = constraint_name;
      outcome := case violated when 'categories_name_key' then 'category_exists' else 'locked' end;
  end;
  representation := category_json(row(of_id, new_name)::categories);
  return next;
end
$$;

comment on function put_category_if is
  'Gives a number a name. The outcome is created, changed, unchanged, or why it was not: precondition_failed, category_exists (another has the name), locked.';

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
    ('petstore_service', 'execute', null, 'skip_used_ids, delete_old_usage, delete_old_usage_hours, delete_usage_hour, delete_old_address_usage, delete_old_bans, delete_old_database_outages'),

    -- Operators write only the columns that they decide. Ids and hashes are created by functions.
    ('petstore_operator', 'select', null, '_prisma_migrations, plans, api_keys, api_key_counters, api_key_usage, api_key_usage_hours, address_usage_hours, api_key_bans, database_outages, deprecated_operations, audit_log'),
    ('petstore_operator', 'select', null,
      'api_key_overview, api_key_daily_usage, customer_overview, plan_overview, plan_peaks, noisiest_api_keys, expiring_api_keys, api_key_hourly_usage, busiest_api_keys, '
      'api_keys_near_limit, deprecated_operation_callers, flooding_api_keys, last_24_hours, open_snapshots, recent_bans, unused_api_keys, usage_hours_gaps'),
    ('petstore_operator', 'insert', 'id, requests_per_minute, requests_per_day, custom', 'plans'),
    ('petstore_operator', 'update', 'requests_per_minute, requests_per_day, custom', 'plans'),
    ('petstore_operator', 'insert',
      'name, plan_id, requests_per_minute, requests_per_day, expires_at, suspended_until, access, customer', 'api_keys'),
    ('petstore_operator', 'update',
      'name, plan_id, requests_per_minute, requests_per_day, expires_at, revoked_at, suspended_until, bans_lifted_at, access, usage_reset_at, customer',
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
      'is_suspended, is_banned, latest_lift, is_admitted, minute_limit, day_limit, count_max, saturated, is_instant, drawn_ids, next_ids_are_used, role_rights, rights_that_differ, '
      'missing_protections'),
    ('public', 'execute', null,
      'pet_json, order_json, category_json, new_pet, new_order, new_category, pet_inventory, etag_of, meets_preconditions, has_open_order, delete_pet_if, delete_pets_if, '
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

create or replace function busiest_api_keys_since(first_hour timestamptz)
returns table (
  api_key_id bigint, name text, plan_id text, requests bigint,
  success bigint, client_error bigint, server_error bigint, limited bigint, banned bigint, unauthorized bigint,
  mean_ms numeric, last_hour timestamptz, undecided bigint)
language sql stable rows 100 set search_path = public, pg_temp as $$
  with bounds as materialized (
    select
      case
        when first_hour is not null
        then date_trunc('hour', greatest(first_hour, (select min(hour) from api_key_usage_hours)), 'UTC')
      end as from_hour,
      trusted_until() as to_hour
  )
  select
    busiest.api_key_id, k.name, k.plan_id, busiest.requests,
    by_outcome.success, by_outcome.client_error, by_outcome.server_error,
    by_outcome.limited, by_outcome.banned, by_outcome.unauthorized,
    by_outcome.mean_ms, by_outcome.last_hour, by_outcome.undecided
  from (
    select u.api_key_id, saturated(sum(u.requests)) as requests
    from api_key_usage_hours u
    where u.hour between (select from_hour from bounds) and (select to_hour from bounds)
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
    from bounds
    cross join generate_series(from_hour, to_hour, interval '1 hour') as of_hour
    join api_key_usage_hours u on u.hour = of_hour
    where u.api_key_id = busiest.api_key_id
  ) as by_outcome
  left join api_keys k on k.id = busiest.api_key_id
  order by busiest.requests desc, busiest.api_key_id
$$;

comment on function busiest_api_keys_since is
  'The hundred keys with the most requests since an hour, rejected ones included, as in busiest_api_keys: select * from busiest_api_keys_since(this_hour() - interval ''7 days'').';

revoke execute on function busiest_api_keys_since(timestamptz) from public;

create or replace function issue_customer_api_key(
  customer text,
  name text,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null,
  access api_key_access default 'write')
returns issued_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  perform reject_second_secret(concat_ws(' of ', quote_ident(name), quote_ident(customer)), 'issue_customer');
  return (
    select issued
    from issue_customer_api_keys(array[customer], array[name], plan, per_minute, per_day, expires, access) as issued);
end
$$;

comment on function issue_customer_api_key is
  'Issues a key of a customer, by the customer''s id elsewhere, and returns it, once: select * from issue_customer_api_key(''crm-7'', ''Acme web'', ''pro'').';

revoke execute on function issue_customer_api_key(text, text, text, integer, integer, timestamptz, api_key_access) from public;

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
      and u.day <= (trusted_until() at time zone 'UTC')::date
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

create or replace view expiring_api_keys as
select e.*
from (
  select k.id as api_key_id, k.name, k.plan_id, 'key' as expires, null as prefix, k.expires_at, true as ends_key
  from api_keys k
  where k.expires_at > present()
    and isfinite(k.expires_at)
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
    and isfinite(s.expires_at)
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

-- Everything in it but `since` is visible to every role. A vacuum has a snapshot that holds nothing back, what the server does by itself
-- has no role, and a parallel worker has the snapshot of its leader (which the service, to whom leader_pid is not visible, may see twice).
create or replace view open_snapshots as
select kind, name, role, program, since, snapshot.transactions, snapshot.xid, virtualxid, remedy
from (
  select
    case when datid is null then 'standby' else 'session' end as kind,
    a.pid::text as name,
    usename as role,
    application_name as program,
    xact_start as since,
    array[backend_xid, backend_xmin] as xids,
    own.virtualxid,
    case when datid is null then 'end the oldest transaction on the standby'
      else format('select pg_terminate_backend(%s)', a.pid) end as remedy
  from pg_stat_activity a
  left join (
    select l.pid, l.virtualxid from pg_locks l where l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock'
  ) as own on own.pid = a.pid
  where (datname = current_database() or datid is null)
    and usesysid is not null
    and a.pid <> pg_backend_pid()
    and a.pid not in (select pid from pg_stat_progress_vacuum)
    and leader_pid is null
  union all
  select
    'slot', slot_name, null, plugin, null, array[xmin], null,
    case
      when not active then format('select pg_drop_replication_slot(%L)', slot_name)
      when slot_type = 'physical' then 'end the oldest transaction on the standby'
      else format('select pg_terminate_backend(%s)', active_pid)
    end
  from pg_replication_slots
  union all
  select 'prepared transaction', gid, owner, null, prepared, array[transaction], null, format('rollback prepared %L', gid)
  from pg_prepared_xacts
  where database = current_database()
) as holder
cross join lateral (
  select xid, age(xid) as transactions
  from unnest(xids) as xid
  where xid is not null
  order by age(xid) desc
  limit 1
) as snapshot;

comment on view open_snapshots is
  'Who keeps the server from removing old versions of rows, so that everything becomes slower. Filter with: where transactions >= 1000.';
comment on column open_snapshots.kind is
  'session, standby (with hot_standby_feedback), slot (of replication), or prepared transaction.';
comment on column open_snapshots.name is 'The pid of a session or standby, the name of a slot, the id of a prepared transaction.';
comment on column open_snapshots.role is 'Whose session or prepared transaction it is.';
comment on column open_snapshots.program is 'The application_name of a session or standby, the plugin of a slot.';
comment on column open_snapshots.since is
  'When its transaction began; null for a standby, a slot, and sessions of others whose times the role that asks may not see (pg_read_all_stats).';
comment on column open_snapshots.transactions is 'How many transactions have begun since. An old snapshot does no harm while nothing is written.';
comment on column open_snapshots.xid is 'The oldest transaction that it keeps, which may be one that another session has open.';
comment on column open_snapshots.virtualxid is 'The transaction of a session: as long as it is the same, that has not ended.';
comment on column open_snapshots.remedy is 'What ends it: SQL, for the role of the session or a superuser, or a sentence.';

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
comment on column plan_overview.near_limit_keys is 'Those that have used more than 80 % of their day.';
