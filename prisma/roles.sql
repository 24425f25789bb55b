-- Creates three roles and grants each the rights it needs. Run it after the first migration and after each later one:
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f prisma/roles.sql
--
-- as the owner of the tables or as a superuser. It can be repeated, also while services are running. Roles belong to the
-- whole server and not every owner may create them, so this is a script and not a migration. Without it, the owner does
-- everything. People and services log in with roles of their own that are members:
--
--   create role shop_api login password '…' in role petstore_service;
--   create role alice login password '…' in role petstore_operator;
--   create role bob login password '…' in role petstore_support;

do $script$
declare
  -- The rights on each table or view. Tables that do not exist yet are skipped.
  grants constant text[] := array[
    ['petstore_service', 'select', '_prisma_migrations'],
    ['petstore_service', 'select', 'plans'],
    ['petstore_service', 'select', 'api_keys'],
    ['petstore_service', 'select', 'api_key_secrets'],
    ['petstore_service', 'select, insert, update', 'api_key_counters'],
    -- Delete is for the release 1.0.0-rc.1 alone, which does not call delete_old_usage yet.
    ['petstore_service', 'select, insert, update, delete', 'api_key_usage'],
    ['petstore_service', 'select, insert, update', 'api_key_usage_hours'],
    ['petstore_service', 'select, insert', 'api_key_bans'],
    -- For the dashboard: of the audit only when something changed, and what kind of thing.
    ['petstore_service', 'select (changed_at, table_name, action, api_key_id, plan_id)', 'audit_log'],
    ['petstore_service', 'select', 'api_key_overview'],
    ['petstore_service', 'select', 'api_key_daily_usage'],
    ['petstore_service', 'select', 'api_key_hourly_usage'],
    ['petstore_service', 'select', 'deprecated_operation_callers'],
    ['petstore_service', 'select', 'expiring_api_keys'],
    ['petstore_service', 'select', 'recent_bans'],
    ['petstore_service', 'select, insert, update, delete', 'idempotency_keys'],
    ['petstore_service', 'select, insert, update, delete', 'pets'],
    ['petstore_service', 'select, insert, update', 'pet_counts'],
    ['petstore_service', 'select, insert, update, delete', 'orders'],
    -- Operators write only the columns that they decide. Ids and hashes are created by functions. petstore_support may read what they
    -- read, and change nothing.
    ['petstore_operator', 'select', '_prisma_migrations'],
    ['petstore_operator', 'select', 'plans'],
    ['petstore_operator', 'insert (id, requests_per_minute, requests_per_day, custom)', 'plans'],
    ['petstore_operator', 'update (requests_per_minute, requests_per_day, custom)', 'plans'],
    ['petstore_operator', 'delete', 'plans'],
    ['petstore_operator', 'select', 'api_keys'],
    ['petstore_operator', 'insert (name, plan_id, requests_per_minute, requests_per_day, expires_at, suspended_until, access)', 'api_keys'],
    ['petstore_operator', 'update (name, plan_id, requests_per_minute, requests_per_day, expires_at, revoked_at, suspended_until, bans_lifted_at, access, usage_reset_at)', 'api_keys'],
    ['petstore_operator', 'select (api_key_id, prefix, created_at, expires_at)', 'api_key_secrets'],
    ['petstore_operator', 'update (expires_at)', 'api_key_secrets'],
    ['petstore_operator', 'select', 'api_key_counters'],
    ['petstore_operator', 'select', 'api_key_usage'],
    ['petstore_operator', 'select', 'api_key_usage_hours'],
    ['petstore_operator', 'select', 'api_key_bans'],
    ['petstore_operator', 'select', 'api_key_overview'],
    ['petstore_operator', 'select', 'api_key_daily_usage'],
    ['petstore_operator', 'select', 'plan_overview'],
    ['petstore_operator', 'select', 'noisiest_api_keys'],
    ['petstore_operator', 'select', 'expiring_api_keys'],
    ['petstore_operator', 'select', 'api_key_hourly_usage'],
    ['petstore_operator', 'select', 'busiest_api_keys'],
    ['petstore_operator', 'select', 'api_keys_near_limit'],
    ['petstore_operator', 'select', 'deprecated_operation_callers'],
    ['petstore_operator', 'select', 'recent_bans'],
    ['petstore_operator', 'select', 'unused_api_keys'],
    ['petstore_operator', 'select', 'usage_hours_gaps'],
    ['petstore_operator', 'select', 'audit_log']
  ];
  -- The service takes ids from the sequences before it inserts.
  service_sequences constant text[] := array['pets_id_seq', 'orders_id_seq'];
  -- The service calls them when a row has the id of a new one already, and for old rows of usage and bans.
  service_functions constant text[] := array['skip_used_ids', 'delete_old_usage', 'delete_old_usage_hours', 'delete_old_bans'];
  operator_functions constant text[] := array[
    'issue_api_key', 'rotate_api_key', 'revoke_api_key', 'set_api_key_plan', 'set_api_key_limits', 'suspend_api_key',
    'resume_api_key', 'unban_api_key', 'set_api_key_expiry', 'set_api_key_access', 'reset_api_key_usage', 'extend_api_key_overlap', 'create_plan',
    'set_plan', 'api_key_overview_of'
  ];
  -- The settings that the service relies on: src/database/session-settings.ts.
  settings constant text[] := array[
    ['DateStyle', 'ISO, MDY'],
    ['TimeZone', 'UTC'],
    ['IntervalStyle', 'postgres'],
    ['standard_conforming_strings', 'on'],
    ['transform_null_equals', 'off'],
    ['search_path', 'public'],
    ['bytea_output', 'hex'],
    ['extra_float_digits', '1'],
    ['array_nulls', 'on'],
    ['exit_on_error', 'off'],
    ['default_transaction_isolation', 'read committed'],
    ['jit', 'off'],
    -- For the default of DATABASE_STATEMENT_TIMEOUT_MS, 950; `petstore db roles` passes those for the configured one.
    ['statement_timeout', coalesce(nullif(current_setting('petstore.statement_timeout', true), ''), '600ms')],
    ['lock_timeout', coalesce(nullif(current_setting('petstore.lock_timeout', true), ''), '400ms')],
    ['idle_in_transaction_session_timeout', '5s']
  ];
  owner constant name := (select tableowner from pg_tables where schemaname = 'public' and tablename = 'plans');
  wanted text[];
  object record;
begin
  if owner is null then
    raise exception 'the database is not migrated' using hint = 'Run "petstore db migrate" first.';
  end if;
  -- The lock of the migrations, so that neither they nor another run of this script interfere.
  perform pg_advisory_xact_lock(72707369);

  for object in
    select r as name from unnest(array['petstore_service', 'petstore_operator', 'petstore_support']) as r
    where not exists (select from pg_roles where rolname = r)
  loop
    begin
      execute format('create role %I nologin', object.name);
    exception
      -- Another run, for another database of this server, created it meanwhile.
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise exception 'role % does not exist and % may not create it', object.name, current_user
          using errcode = 'insufficient_privilege',
                hint = 'Ask an administrator to run: create role petstore_service nologin; create role petstore_operator nologin; create role petstore_support nologin;';
    end;
  end loop;

  -- No temporary tables and no large objects either. Before PostgreSQL 15, every role could create tables.
  execute format('revoke temporary on database %I from public', current_database());
  execute format('grant connect on database %I to petstore_service, petstore_operator, petstore_support', current_database());
  revoke create on schema public from public;
  if current_setting('is_superuser')::boolean then
    revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) from public;
  end if;
  grant usage on schema public to petstore_service, petstore_operator, petstore_support;

  -- Revoke rights that only an earlier release needed. Tables of a later release are handled below.
  for object in
    select distinct c.oid::regclass as name
    from pg_class c
    where c.relnamespace = 'public'::regnamespace
      and c.relname in (select grants[i][3] from generate_subscripts(grants, 1) as i)
  loop
    execute format('revoke all on table %s from petstore_service, petstore_operator, petstore_support, public', object.name);
  end loop;
  foreach wanted slice 1 in array grants loop
    continue when to_regclass('public.' || wanted[3]) is null;
    execute format('grant %s on table public.%I to %I', wanted[2], wanted[3], wanted[1]);
    if wanted[1] = 'petstore_operator' and starts_with(wanted[2], 'select') then
      execute format('grant %s on table public.%I to petstore_support', wanted[2], wanted[3]);
    end if;
  end loop;
  for object in
    select s as name from unnest(service_sequences) as s where to_regclass('public.' || s) is not null
  loop
    execute format('grant usage on sequence public.%I to petstore_service', object.name);
  end loop;

  -- The migrations revoked these from public. Every role may call the other functions.
  for object in
    select
      p.oid::regprocedure as signature,
      case when p.proname = any (service_functions) then 'petstore_service' else 'petstore_operator' end as grantee
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and p.proname = any (operator_functions || service_functions)
  loop
    execute format('grant execute on function %s to %I', object.signature, object.grantee);
  end loop;
  grant execute on function public.api_key_overview_of(bigint) to petstore_support;

  -- Between a migration and the next run of this script, the service may use new tables and operators may not.
  execute format(
    'alter default privileges for role %I in schema public
       grant select, insert, update, delete on tables to petstore_service', owner);
  execute format(
    'alter default privileges for role %I in schema public grant usage on sequences to petstore_service', owner);

  -- For roles that log in as members, also through a pooler. Settings of a role in a database have the highest precedence.
  for object in
    select rolname as name, coalesce(setconfig, '{}') as present
    from pg_roles
    left join pg_db_role_setting
      on setrole = pg_roles.oid and setdatabase = (select oid from pg_database where datname = current_database())
    where rolcanlogin and not rolsuper and pg_has_role(pg_roles.oid, 'petstore_service', 'member')
  loop
    begin
      foreach wanted slice 1 in array settings loop
        continue when wanted[1] || '=' || wanted[2] = any (object.present);
        execute format('alter role %I in database %I set %I = %L', object.name, current_database(), wanted[1], wanted[2]);
      end loop;
    exception
      -- Not allowed, or the role was dropped meanwhile. On direct connections the service sets them itself; behind a pooler
      -- `petstore doctor` reports what is missing.
      when insufficient_privilege or undefined_object then null;
    end;
  end loop;

  -- Warn if a role has more rights than this script grants.
  for object in
    select c.oid::regclass as name
    from pg_class c
    where c.relnamespace = 'public'::regnamespace
      and pg_get_userbyid(c.relowner) = owner
      and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and c.relname not in (select grants[i][3] from generate_subscripts(grants, 1) as i)
  loop
    raise warning 'roles.sql does not know %: rights on it are unchanged', object.name;
  end loop;
  if has_schema_privilege('petstore_service', 'public', 'create') then
    raise warning 'petstore_service may still create objects in the schema public. Ask its owner to run "revoke create on schema public from public"';
  end if;
  if has_database_privilege('petstore_service', current_database(), 'temporary') then
    raise warning 'petstore_service may still create temporary tables. Ask the owner of the database to run "revoke temporary on database % from public"', quote_ident(current_database());
  end if;
  if has_function_privilege('petstore_service', 'lo_create(oid)', 'execute') then
    raise warning 'petstore_service may still create large objects. Run this as a superuser';
  end if;
end
$script$;
