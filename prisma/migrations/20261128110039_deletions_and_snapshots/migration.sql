-- Only 1.0.0-rc.1 called these.
drop function if exists pet_json(bigint, text, bigint, pet_status);
drop function if exists order_json(bigint, bigint, order_status, timestamptz, timestamptz);

-- From prisma/sql by "npm run migration". Changes below this line are lost.

comment on function delete_pet_if is
  'Only 1.0.0 uses it. Deletes a pet with its cancelled orders. Returns deleted, or why it was not: pet_not_found, precondition_failed, pet_has_open_order, pet_is_sold (it has a delivered order), locked.';

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
