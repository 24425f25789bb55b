-- From prisma/sql by "npm run migration". Changes below this line are lost.

create or replace function drawn_ids() returns table (table_name name, sequence_name name)
language sql stable set search_path = public, pg_temp as $$
  select t.relname, s.relname
  from pg_attribute a
  join pg_class t on t.oid = a.attrelid
  join pg_class s on s.oid = pg_get_serial_sequence(t.oid::regclass::text, a.attname)::regclass
  where t.relnamespace = 'public'::regnamespace
    and a.attname = 'id'
    and a.attidentity <> ''
  order by t.relname
$$;

comment on function drawn_ids is 'The tables whose ids are drawn from a sequence.';

-- The one list of rights: prisma/roles.sql grants them, and `petstore doctor` and the tests compare them with the catalog. Each table, view
-- and function is in it. Only the owner may do the rest.
create or replace function role_rights() returns table (role name, privilege text, object name)
language sql stable set search_path = public, pg_temp as $$
  with listed (role, privileges, columns, objects) as (values
    ('petstore_service', 'select', null, '_prisma_migrations, plans, api_keys, api_key_secrets'),
    ('petstore_service', 'select, insert', null, 'api_key_bans'),
    ('petstore_service', 'select, insert, update', null, 'api_key_counters, api_key_usage, api_key_usage_hours, pet_counts'),
    -- Only 1.0.0-rc.1 needs it, which does not call delete_old_usage yet.
    ('petstore_service', 'delete', null, 'api_key_usage'),
    ('petstore_service', 'select, insert, update, delete', null, 'idempotency_keys, pets, orders'),
    -- For the dashboard: of the audit only when something changed, and what kind of thing.
    ('petstore_service', 'select', 'changed_at, table_name, action, api_key_id, plan_id', 'audit_log'),
    ('petstore_service', 'select', null,
      'api_key_overview, api_key_daily_usage, api_key_hourly_usage, deprecated_operation_callers, expiring_api_keys, last_24_hours, recent_bans'),
    -- When a row has the id of a new one already, and for old rows of usage and bans.
    ('petstore_service', 'execute', null, 'skip_used_ids, delete_old_usage, delete_old_usage_hours, delete_old_bans'),

    -- Operators write only the columns that they decide. Ids and hashes are created by functions.
    ('petstore_operator', 'select', null, '_prisma_migrations, plans, api_keys, api_key_counters, api_key_usage, api_key_usage_hours, api_key_bans, audit_log'),
    ('petstore_operator', 'select', null,
      'api_key_overview, api_key_daily_usage, plan_overview, noisiest_api_keys, expiring_api_keys, api_key_hourly_usage, busiest_api_keys, '
      'api_keys_near_limit, deprecated_operation_callers, last_24_hours, recent_bans, unused_api_keys, usage_hours_gaps'),
    ('petstore_operator', 'insert', 'id, requests_per_minute, requests_per_day, custom', 'plans'),
    ('petstore_operator', 'update', 'requests_per_minute, requests_per_day, custom', 'plans'),
    ('petstore_operator', 'delete', null, 'plans'),
    ('petstore_operator', 'insert',
      'name, plan_id, requests_per_minute, requests_per_day, expires_at, suspended_until, access', 'api_keys'),
    ('petstore_operator', 'update',
      'name, plan_id, requests_per_minute, requests_per_day, expires_at, revoked_at, suspended_until, bans_lifted_at, access, usage_reset_at',
      'api_keys'),
    ('petstore_operator', 'select', 'api_key_id, prefix, created_at, expires_at', 'api_key_secrets'),
    ('petstore_operator', 'update', 'expires_at', 'api_key_secrets'),
    ('petstore_operator', 'execute', null,
      'issue_api_key, rotate_api_key, revoke_api_key, set_api_key_plan, set_api_key_limits, suspend_api_key, resume_api_key, unban_api_key, '
      'set_api_key_expiry, set_api_key_access, reset_api_key_usage, extend_api_key_overlap, create_plan, set_plan, api_key_overview_of'),
    ('petstore_support', 'execute', null, 'api_key_overview_of'),

    -- Every role may call what only computes. Triggers call the functions that check or count pets and orders.
    ('public', 'execute', null,
      'present, today, this_hour, clock_tolerance, trusted_until, counts_in_minute, counts_in_day, awaits_reset, last_counted_at, is_valid, '
      'is_suspended, is_banned, is_admitted, minute_limit, day_limit, drawn_ids, next_ids_are_used, role_rights, rights_that_differ'),
    ('public', 'execute', null,
      'pet_json, order_json, new_pet, new_order, pet_inventory, etag_of, meets_preconditions, has_open_order, delete_pet_if, order_may_become'),
    ('public', 'execute', null,
      'enforce_order_transition, reserve_ordered_pets, release_ordered_pets, keep_ordered_pet_pending, keep_orders_of_pet, keep_orders_of_pets, '
      'count_pets, count_no_pets'),
    ('the owner', 'execute', null,
      'random_base62, api_key_checksum, add_api_key_secret, audit_changes, explain_key_values, explain_plan_values, explain_limits, '
      'explain_plan_numbers, follow_plan, make_api_key_counters, reject_change, reject_deleting_used_plan, reject_later_revocation')
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

-- It tries ids that are 64, 128, 256, … ahead: ten million rows in sequence take 18 look-ups, and a single row with the largest id none.
-- Concurrent calls wait for each other, and the later ones find nothing to do. The sequence never moves back: its short steps are those
-- of nextval, and during a long one other sessions do not take a thousand ids.
create or replace function skip_used_ids(of_table text) returns bigint
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  used_sequence regclass;
  last bigint;
  step bigint := 0;
begin
  if not exists (select from drawn_ids() where table_name = of_table) then
    raise exception 'unknown table "%"', of_table using
      errcode = 'invalid_parameter_value',
      hint = format('The tables are %s.', (select string_agg(table_name, ', ' order by table_name) from drawn_ids()));
  end if;
  perform pg_advisory_xact_lock(hashtext('skip_used_ids'), hashtext(of_table));
  used_sequence := pg_get_serial_sequence(of_table, 'id');
  last := nextval(used_sequence);
  while next_ids_are_used(of_table, last + step) loop
    step := greatest(64, 2 * step);
    if last > 9223372036854775807 - 128 - step then
      raise exception 'no free id of % after %', of_table, last using errcode = 'sequence_generator_limit_exceeded';
    end if;
  end loop;
  if step > 1024 then
    perform setval(used_sequence, last + step);
  else
    perform nextval(used_sequence) from generate_series(1, step);
  end if;
  return last + step;
end
$$;

comment on function skip_used_ids is
  'Moves the sequence of a table past ids that rows have already: select skip_used_ids(''pets''). Returns the last id that is skipped.';

revoke execute on function skip_used_ids(text) from public;

-- The targets work in a grant under every search_path, so types have their schema, too.
create or replace function rights_that_differ() returns table (difference text, role name, privilege text, target text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with objects as (
    select oid, relname as name, relowner as owner, relacl as acl,
      format('%s public.%I', case relkind when 'S' then 'sequence' else 'table' end, relname) as target
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select oid, proname, proowner, coalesce(proacl, acldefault('f', proowner)),
      'function ' || oid::regprocedure
    from pg_proc p
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  ), wanted as (
    select r.role, r.privilege, o.target
    from public.role_rights() r
    join objects o on o.name = r.object
    where r.role = 'public' or r.role in (select rolname from pg_roles)
  ), granted as (
    select a.grantee, lower(a.privilege_type) as privilege, o.target, o.owner
    from objects o
    cross join aclexplode(o.acl) a
    union all
    select a.grantee, format('%s (%I)', lower(a.privilege_type), attname), o.target, o.owner
    from objects o
    join pg_attribute on attrelid = o.oid
    cross join aclexplode(attacl) a
    where o.target not like 'function %'
  ), present as (
    select coalesce(rolname, 'public') as role, g.privilege, g.target
    from granted g
    left join pg_roles on pg_roles.oid = g.grantee
    where g.grantee <> g.owner
  )
  select 'missing', * from (select * from wanted except select * from present) as missing
  union all
  select 'beyond', * from (
    select * from present
    where role in (select r.role from public.role_rights() r)
      and target in (select o.target from objects o where o.name in (select r.object from public.role_rights() r))
    except
    select * from wanted) as beyond
  union all
  select 'undecided', null, null, o.target from objects o where o.name not in (select r.object from public.role_rights() r)
$$;

comment on function rights_that_differ is
  'Rights that role_rights() lists and a role lacks (missing), those that it has and the list does not (beyond), and what the list does not contain (undecided).';
