-- From prisma/sql by "npm run migration". Changes below this line are lost.

-- Callers may choose numbers, so a row far ahead must not count as one that is in the way. Ids are in a run while one of 64 is used. Its end is
-- found in steps that double while the run goes on, each of which reads a row for 64 ids.
create or replace function end_of_used_ids(of_table text, after bigint) returns bigint
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
set search_path = public, pg_temp
as $$
declare
  -- Pets refer to numbers of categories, too. A query for each index.
  sources constant text[] := case of_table
    when 'categories' then array[
      'select id from categories',
      'select category_id from pets where status is not null',
      'select category_id from pets where status is null']
    else array[format('select id from %I', of_table)]
  end;
  last_id constant bigint := 9223372036854775807;
  step bigint := 64;
  goes_on boolean;
  used_end bigint;
begin
  while after <= last_id - 2 * step loop
    execute format(
      'select exists (select from %1$s where id > $1 + $2 and id <= $1 + 2 * $2)
         and (select count(*) from (select from %1$s where id > $1 and id <= $1 + 2 * $2 limit $2 / 32) as found) = $2 / 32',
      format('(%s) as used (id)', array_to_string(sources, ' union all ')))
      into goes_on using after, step;
    exit when not goes_on;
    step := 2 * step;
  end loop;
  execute (
    select format('select greatest(%s)', string_agg(format('(select max(id) from (%s) as used (id) where id > $1 and id <= $2)', source), ', '))
    from unnest(sources) as source)
    into used_end using after, after + least(step, last_id - after);
  return used_end;
end
$$;

comment on function end_of_used_ids is
  'The end of the run of used ids after the given one, in which one of 64 is used; null if the next 64 are free.';

revoke execute on function end_of_used_ids(text, bigint) from public;

-- Numbers that are skipped are never looked at again, because a sequence is not rolled back, also where the statement runs out of its time.
-- Where more than a few are in use a run of them is skipped at once, unless another transaction does that: the statement holds locks already,
-- so it waits for none.
create or replace function new_category() returns categories
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  next_id bigint;
  tries int := 0;
begin
  loop
    next_id := nextval('categories_id_seq');
    exit when not exists (select from categories where id = next_id) and not has_pets(next_id);
    tries := tries + 1;
    if tries % 64 = 0 and pg_try_advisory_xact_lock(hashtext('skip_used_ids'), hashtext('categories')) then
      perform skip_used_ids('categories');
    end if;
  end loop;
  return row(next_id, null)::categories;
end
$$;

comment on function new_category is 'A category with a number that neither a category nor a pet uses.';

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
      'random_base62, end_of_used_ids, api_key_checksum, add_api_key_secret, new_secret, reject_second_secret, audit_changes, count_pets, count_no_pets, explain_key_values, explain_plan_values, explain_limits, '
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

-- A million rows in sequence are passed at once, and a single row far ahead is not passed at all. The sequence moves by at most 64 ids for a
-- row, and ends at the id of a row.
-- Concurrent calls wait for each other, and the later ones find nothing to do. The sequence never moves back: its short steps are those
-- of nextval, and during a long one other sessions do not take a thousand ids.
create or replace function skip_used_ids(of_table text) returns bigint
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  used_sequence regclass;
  last bigint;
  used_end bigint;
begin
  if not exists (select from drawn_ids() where table_name = of_table) then
    raise exception 'unknown table "%"', of_table using
      errcode = 'invalid_parameter_value',
      hint = format('The tables are %s.', (select string_agg(table_name, ', ' order by table_name) from drawn_ids()));
  end if;
  perform pg_advisory_xact_lock(hashtext('skip_used_ids'), hashtext(of_table));
  used_sequence := pg_get_serial_sequence(quote_ident(of_table), 'id');
  last := nextval(used_sequence);
  loop
    used_end := end_of_used_ids(of_table, last);
    exit when used_end is null;
    last := nextval(used_sequence);
    if used_end - last > 1024 then
      last := setval(used_sequence, used_end);
    else
      while last < used_end loop
        last := nextval(used_sequence);
      end loop;
    end if;
  end loop;
  return last;
end
$$;

comment on function skip_used_ids is
  'Moves the sequence of a table past ids that rows have already: select skip_used_ids(''pets''). Returns the last id that is skipped.';

revoke execute on function skip_used_ids(text) from public;
