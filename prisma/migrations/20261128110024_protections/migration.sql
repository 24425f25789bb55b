-- A lift in the future has disabled the bans of its key.
update api_keys set bans_lifted_at = statement_timestamp() where bans_lifted_at > statement_timestamp() + interval '3 minutes';

-- From prisma/sql by "npm run migration". Changes below this line are lost.

create or replace function explain_plan_numbers() returns trigger
language plpgsql as $$
begin
  if new.custom and num_nonnulls(new.requests_per_minute, new.requests_per_day) > 0 then
    raise exception 'plan "%" is custom and cannot have limits of its own', new.id
      using errcode = 'check_violation',
            hint = 'Set them on its keys: select * from set_api_key_limits(id, per_minute, per_day). '
                   'Or set custom = false.';
  end if;
  if not new.custom and num_nulls(new.requests_per_minute, new.requests_per_day) > 0 then
    raise exception 'plan "%" needs both requests_per_minute and requests_per_day', new.id
      using errcode = 'check_violation',
            hint = 'Or set custom = true, without limits: then each of its keys must have its own.';
  end if;
  if new.requests_per_day < new.requests_per_minute then
    raise warning 'the keys of plan "%" may make % requests a minute, but only % a day', new.id, new.requests_per_minute, new.requests_per_day;
  end if;
  return new;
end
$$;

comment on function explain_plan_numbers is 'Rejects a custom plan that has limits, and another plan that has none.';

revoke execute on function explain_plan_numbers() from public;

create or replace function follow_plan() returns trigger
language plpgsql as $$
declare
  chosen public.plans;
begin
  select * into chosen from public.plans where plans.id = new.plan_id;
  if not found then
    raise exception 'plan "%" does not exist', new.plan_id
      using errcode = 'foreign_key_violation',
            hint = 'The plans are: ' || (select string_agg(plans.id, ', ' order by plans.id) from public.plans) || '.';
  end if;
  if chosen.custom and (new.requests_per_minute is null or new.requests_per_day is null) then
    raise exception 'plan "%" is custom, so its keys need both limits, but "%" does not have them', chosen.id, new.name
      using errcode = 'check_violation',
            hint = 'Set requests_per_minute and requests_per_day (arguments per_minute and per_day of the functions).';
  end if;
  if public.day_limit(new, chosen) < public.minute_limit(new, chosen) then
    raise warning 'key "%" may make % requests a minute, but only % a day', new.name, public.minute_limit(new, chosen), public.day_limit(new, chosen);
  end if;
  new.plan_custom := chosen.custom;
  return new;
end
$$;

comment on function follow_plan is
  'Sets plan_custom from the plan, whatever the statement says, so that a change of plan need not name it.';

revoke execute on function follow_plan() from public;

-- unban_api_key writes the time at which a ban began, which may be in the minute of the last trusted counters.
create or replace function latest_lift() returns timestamptz
language sql stable parallel safe
return trusted_until() + interval '1 minute';

comment on function latest_lift is 'A lift of bans after this time, three minutes ahead, is not valid: it would disable bans for good.';

-- An update without its where clause is the worst mistake of an operator. The owner, who restores, is not limited.
create or replace function limit_changes() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare
  changes_max constant integer := coalesce(nullif(current_setting('petstore.changes_max', true), '')::integer, 100);
  owner constant oid := (select relowner from pg_class where oid = 'plans'::regclass);
  changes bigint;
begin
  if to_regrole('petstore_operator') is null
    or not pg_has_role(session_user, 'petstore_operator', 'member')
    or pg_has_role(session_user, owner, 'member')
  then
    return null;
  end if;
  if tg_table_name = 'api_keys' then
    -- A plan that becomes custom, or is so no more, changes plan_custom of its keys by the foreign key.
    changes := (
      select count(*) from old_rows o join new_rows n using (id)
      where (o.plan_id, o.plan_custom) = (n.plan_id, n.plan_custom) or o.plan_id <> n.plan_id);
  else
    changes := (select count(*) from new_rows);
  end if;
  if changes > changes_max then
    raise exception 'the statement changes % rows of %, more than petstore.changes_max (%)', changes, tg_table_name, changes_max
      using errcode = 'restrict_violation',
            hint = format('Look at its where clause. If all of them are meant, repeat it after: set petstore.changes_max = %s;', changes);
  end if;
  if tg_table_name = 'api_keys' and changes > 1 then
    if exists (
      select from old_rows join new_rows using (id) where old_rows.revoked_at is not null and new_rows.revoked_at is null)
    then
      raise exception 'the statement revives revoked keys, which takes a statement for each'
        using errcode = 'restrict_violation', column = 'revoked_at', hint = 'Add to its where clause: id = ….';
    end if;
  end if;
  return null;
end
$$;

comment on function limit_changes is
  'Rejects a statement of an operator that changes more than petstore.changes_max (100) keys, secrets or plans, or revives several revoked keys.';

revoke execute on function limit_changes() from public;

-- prisma/roles.sql and deploy/postgres/roles.sh set these. The list of functions is that of prisma/roles.sql, which also runs before there
-- are functions.
create or replace function missing_protections() returns table (finding text)
language sql stable rows 5 set search_path = pg_catalog, pg_temp as $$
  with logins as materialized (
    select r.oid, rolname, rolconnlimit, serves, coalesce(setconfig, '{}') as present
    from pg_roles r
    cross join lateral (
      select pg_has_role(r.oid, to_regrole('petstore_service'), 'member') as serves,
        pg_has_role(r.oid, to_regrole('petstore_operator'), 'member') or pg_has_role(r.oid, to_regrole('petstore_support'), 'member') as manages
    ) as membership
    left join pg_db_role_setting on setrole = r.oid and setdatabase = (select oid from pg_database where datname = current_database())
    where rolcanlogin and not rolsuper and (serves or manages)
      and r.oid <> (select relowner from pg_class where oid = 'public.plans'::regclass)
  )
  select format('every role may call functions that use up memory or disk of the whole server, such as %s', min(oid::regprocedure::text))
  from pg_proc
  where pronamespace = 'pg_catalog'::regnamespace
    and (proname ~ '^pg_(try_)?advisory_' or proname in ('pg_logical_emit_message', 'lo_create', 'lo_creat', 'lo_from_bytea'))
    and has_function_privilege('public', oid, 'execute')
  having count(*) > 0
  union all
  select format('%s may connect to other databases of the server (%s), where these protections do not apply',
    string_agg(distinct quote_ident(rolname), ', '), string_agg(distinct quote_ident(datname), ', '))
  from logins
  join pg_database d on datname <> current_database() and datallowconn and has_database_privilege(logins.oid, d.oid, 'connect')
  where not serves
  having count(*) > 0
  union all
  select format('no connection limit is set for %s', string_agg(quote_ident(rolname), ', ' order by rolname))
  from logins
  where rolconnlimit = -1
  having count(*) > 0
  union all
  select format('no %s is set in this database for %s', setting, string_agg(quote_ident(rolname), ', ' order by rolname))
  from logins
  cross join unnest(array['statement_timeout', 'idle_in_transaction_session_timeout', 'temp_file_limit']) as setting
  where not exists (select from unnest(present) as p where p like setting || '=%' and p !~ '=(0|-1)$')
  group by setting
$$;

comment on function missing_protections is
  'The missing protections of the server against a role that uses up its connections, memory or disk: a sentence each.';

create or replace function reject_deleting_used_plan() returns trigger
language plpgsql as $$
declare
  keys constant bigint := (select count(*) from public.api_keys where plan_id = old.id);
begin
  if keys > 0 then
    raise exception 'plan "%" has keys (%): %', old.id, keys, (
      select string_agg(id || ' (' || name || ')', ', ' order by id) || case when keys > 5 then ', …' else '' end
      from (select id, name from public.api_keys where plan_id = old.id order by id limit 5) as listed)
      using errcode = 'foreign_key_violation',
            hint = 'Move each of them first, also revoked ones: select * from set_api_key_plan(id, plan).';
  end if;
  return old;
end
$$;

comment on function reject_deleting_used_plan is 'A plan that has keys cannot be deleted.';

revoke execute on function reject_deleting_used_plan() from public;

-- The one list of rights: prisma/roles.sql grants them, and `petstore doctor` and the tests compare them with the catalog. Each table, view
-- and function is in it. Only the owner may do the rest.
create or replace function role_rights() returns table (role name, privilege text, object name)
language sql stable rows 300 set search_path = public, pg_temp as $$
  with listed (role, privileges, columns, objects) as (values
    ('petstore_service', 'select', null, '_prisma_migrations, plans, api_keys, api_key_secrets, pet_counts'),
    ('petstore_service', 'select, insert', null, 'api_key_bans'),
    ('petstore_service', 'select, insert, update', null, 'api_key_counters, api_key_usage, api_key_usage_hours'),
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
    ('petstore_operator', 'insert',
      'name, plan_id, requests_per_minute, requests_per_day, expires_at, suspended_until, access', 'api_keys'),
    ('petstore_operator', 'update',
      'name, plan_id, requests_per_minute, requests_per_day, expires_at, revoked_at, suspended_until, bans_lifted_at, access, usage_reset_at',
      'api_keys'),
    ('petstore_operator', 'select', 'api_key_id, prefix, created_at, expires_at', 'api_key_secrets'),
    ('petstore_operator', 'update', 'expires_at', 'api_key_secrets'),
    ('petstore_operator', 'execute', null,
      'issue_api_key, rotate_api_key, revoke_api_key, set_api_key_plan, set_api_key_limits, suspend_api_key, resume_api_key, unban_api_key, '
      'set_api_key_expiry, set_api_key_access, reset_api_key_usage, extend_api_key_overlap, create_plan, set_plan, delete_plan, api_key_overview_of'),
    ('petstore_support', 'execute', null, 'api_key_overview_of'),

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
      'random_base62, api_key_checksum, add_api_key_secret, audit_changes, count_pets, count_no_pets, explain_key_values, explain_plan_values, explain_limits, '
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

-- With the owner's rights: a role that may delete from a table may also lock all of it, and admission reads plans.
create or replace function delete_plan(id text) returns plan_overview
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  select * into result from plan_overview where id = delete_plan.id;
  if not found then
    raise exception 'plan "%" does not exist', delete_plan.id
      using errcode = 'no_data_found', hint = 'To see the plans: select * from plan_overview.';
  end if;
  delete from plans where id = delete_plan.id;
  return result;
end
$$;

comment on function delete_plan is 'Deletes a plan that has no keys, also no revoked ones: select * from delete_plan(''startup'').';

revoke execute on function delete_plan(text) from public;

-- Also a ban by the clock of another primary, which may begin in the minute of the last trusted counters. Admission ignores later ones.
create or replace function unban_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set bans_lifted_at = greatest(
    case when bans_lifted_at <= latest_lift() then bans_lifted_at end,
    statement_timestamp(),
    (select banned_at from api_key_counters where api_key_id = unban_api_key.id and banned_at < latest_lift()))
  where id = unban_api_key.id;
  return api_key_overview_of(unban_api_key.id);
end
$$;

comment on function unban_api_key is
  'Lifts the ban of a key and forgets its earlier bans; a suspension stays in force: select * from unban_api_key(7).';

revoke execute on function unban_api_key(bigint) from public;

create or replace trigger api_key_secrets_explain_times
  before update of expires_at on api_key_secrets
  for each row when (isfinite(new.expires_at) and not is_instant(new.expires_at))
  execute function reject_change(
    'expires_at needs a year of four digits', 'For a secret without an end: null.');

create or replace trigger api_key_secrets_limit_changes after update on api_key_secrets
  referencing old table as old_rows new table as new_rows for each statement execute function limit_changes();

create or replace trigger api_keys_explain_times
  before insert or update of expires_at, suspended_until, revoked_at, usage_reset_at on api_keys
  for each row when (not (
    (not isfinite(new.expires_at) or is_instant(new.expires_at))
    and (not isfinite(new.suspended_until) or is_instant(new.suspended_until))
    and is_instant(new.revoked_at) and is_instant(new.usage_reset_at)))
  execute function reject_change(
    'expires_at, suspended_until, revoked_at and usage_reset_at need a year of four digits',
    'For a suspension or a key without an end: infinity.');

create or replace trigger api_keys_limit_changes after update on api_keys
  referencing old table as old_rows new table as new_rows for each statement execute function limit_changes();

create or replace trigger api_keys_not_lifted_later
  before insert or update of bans_lifted_at on api_keys
  for each row when (new.bans_lifted_at > latest_lift())
  execute function reject_change(
    'bans_lifted_at is in the future, which would disable bans', 'To lift the ban of a key: select * from unban_api_key(id).');

create or replace trigger plans_keep_identity
  before update of id on plans
  for each row when (old.id is distinct from new.id)
  execute function reject_change(
    'the id of a plan cannot change',
    'Create another plan: select * from create_plan(…). Then move each key: select * from set_api_key_plan(id, plan).');

create or replace trigger plans_limit_changes after update on plans
  referencing old table as old_rows new table as new_rows for each statement execute function limit_changes();

create or replace function is_banned(key api_keys, counters api_key_counters) returns boolean
language sql stable parallel safe
return coalesce(
  counters.banned_until > present()
    and counters.banned_at > coalesce(case when key.bans_lifted_at <= latest_lift() then key.bans_lifted_at end, '-infinity')
    and counters.minute <= trusted_until(),
  false);

comment on function is_banned is 'Whether the last ban of a key is in force: neither ended nor lifted, nor of another clock.';
