-- Two roles and exactly what each may do. Run it once the database is migrated, and again after each release that migrates:
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f prisma/roles.sql
--
-- as the owner of the tables or as a superuser. It may be run any number of times, also beside running services. Roles
-- belong to the whole server and not every owner may make them, so this is a script and no migration: without it there is
-- one role, the owner, and all works as well. People and services log in with roles of their own that are members:
--
--   create role shop_api login password '…' in role petstore_service;
--   create role alice login password '…' in role petstore_operator;

do $script$
declare
  -- What a role may do with a table or view. Tables that are named here and are not there yet are passed over.
  grants constant text[] := array[
    ['petstore_service', 'select', '_prisma_migrations'],
    ['petstore_service', 'select', 'plans'],
    ['petstore_service', 'select', 'api_keys'],
    ['petstore_service', 'select', 'api_key_secrets'],
    ['petstore_service', 'select, insert, update', 'api_key_counters'],
    ['petstore_service', 'select, insert, update, delete', 'api_key_usage'],
    ['petstore_service', 'select, insert, update, delete', 'idempotency_keys'],
    ['petstore_service', 'select, insert, update', 'pets'],
    ['petstore_service', 'select, insert, update', 'pet_counts'],
    ['petstore_service', 'select, insert, update', 'orders'],
    -- Operators: the columns that are theirs to say. What identifies a row, and hashes, are made by functions alone.
    ['petstore_operator', 'select', '_prisma_migrations'],
    ['petstore_operator', 'select', 'plans'],
    ['petstore_operator', 'insert (id, requests_per_minute, requests_per_day, custom)', 'plans'],
    ['petstore_operator', 'update (requests_per_minute, requests_per_day, custom)', 'plans'],
    ['petstore_operator', 'delete', 'plans'],
    ['petstore_operator', 'select', 'api_keys'],
    ['petstore_operator', 'insert (name, plan_id, requests_per_minute, requests_per_day, expires_at, suspended_until)', 'api_keys'],
    ['petstore_operator', 'update (name, plan_id, requests_per_minute, requests_per_day, expires_at, revoked_at, suspended_until, bans_lifted_at)', 'api_keys'],
    ['petstore_operator', 'select (api_key_id, prefix, created_at, expires_at)', 'api_key_secrets'],
    ['petstore_operator', 'update (expires_at)', 'api_key_secrets'],
    ['petstore_operator', 'select', 'api_key_counters'],
    ['petstore_operator', 'select', 'api_key_usage'],
    ['petstore_operator', 'select', 'api_key_overview'],
    ['petstore_operator', 'select', 'api_key_daily_usage'],
    ['petstore_operator', 'select', 'plan_overview'],
    ['petstore_operator', 'select', 'noisiest_api_keys'],
    ['petstore_operator', 'select', 'expiring_api_keys'],
    ['petstore_operator', 'select', 'audit_log']
  ];
  -- The service draws identifiers before it inserts.
  service_sequences constant text[] := array['pets_id_seq', 'orders_id_seq'];
  operator_functions constant text[] := array[
    'issue_api_key', 'rotate_api_key', 'revoke_api_key', 'set_api_key_plan', 'set_api_key_limits', 'suspend_api_key',
    'resume_api_key', 'unban_api_key', 'create_plan', 'set_plan', 'api_key_overview_of'
  ];
  -- What the statements of the service rely on: src/prisma/session-settings.ts.
  settings constant text[] := array[
    ['DateStyle', 'ISO, MDY'],
    ['TimeZone', 'UTC'],
    ['IntervalStyle', 'postgres'],
    ['standard_conforming_strings', 'on'],
    ['transform_null_equals', 'off'],
    ['default_transaction_isolation', 'read committed'],
    ['jit', 'off']
  ];
  owner constant name := (select tableowner from pg_tables where schemaname = 'public' and tablename = 'plans');
  wanted text[];
  object record;
begin
  if owner is null then
    raise exception 'the database is not migrated' using hint = 'Run "petstore db migrate" first.';
  end if;
  -- The lock of the migrations: they and another run of this script wait.
  perform pg_advisory_xact_lock(72707369);

  for object in
    select r as name from unnest(array['petstore_service', 'petstore_operator']) as r
    where not exists (select from pg_roles where rolname = r)
  loop
    begin
      execute format('create role %I nologin', object.name);
    exception
      -- Another database of this server made it meanwhile.
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise exception 'there is no role %, and % may not make it', object.name, current_user
          using errcode = 'insufficient_privilege',
                hint = 'Have an administrator run: create role petstore_service nologin; create role petstore_operator nologin;';
    end;
  end loop;

  -- A temporary table is a table, too; and before PostgreSQL 15 everybody might make others.
  execute format('revoke temporary on database %I from public', current_database());
  execute format('grant connect on database %I to petstore_service, petstore_operator', current_database());
  revoke create on schema public from public;
  grant usage on schema public to petstore_service, petstore_operator;

  -- What a former release granted and this one does not goes away. Of tables that only a later release knows, see below.
  for object in
    select distinct c.oid::regclass as name
    from pg_class c
    where c.relnamespace = 'public'::regnamespace
      and c.relname in (select grants[i][3] from generate_subscripts(grants, 1) as i)
  loop
    execute format('revoke all on table %s from petstore_service, petstore_operator, public', object.name);
  end loop;
  foreach wanted slice 1 in array grants loop
    continue when to_regclass('public.' || wanted[3]) is null;
    execute format('grant %s on table public.%I to %I', wanted[2], wanted[3], wanted[1]);
  end loop;
  for object in
    select s as name from unnest(service_sequences) as s where to_regclass('public.' || s) is not null
  loop
    execute format('grant usage on sequence public.%I to petstore_service', object.name);
  end loop;

  -- Of functions the service needs those that are everybody's; the migrations have kept these from everybody.
  for object in
    select p.oid::regprocedure as signature
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and p.proname = any (operator_functions)
  loop
    execute format('grant execute on function %s to petstore_operator', object.signature);
  end loop;

  -- Between a release's migration and the next run of this script its new tables work for the service, and for nobody else.
  execute format(
    'alter default privileges for role %I in schema public
       grant select, insert, update, delete on tables to petstore_service', owner);
  execute format(
    'alter default privileges for role %I in schema public grant usage on sequences to petstore_service', owner);

  -- For programs that log in as a member, behind a pooler too. What is set for a role in a database wins over all other places.
  for object in
    select rolname as name from pg_roles
    where rolcanlogin and not rolsuper and pg_has_role(oid, 'petstore_service', 'member')
  loop
    begin
      foreach wanted slice 1 in array settings loop
        execute format('alter role %I in database %I set %I = %L', object.name, current_database(), wanted[1], wanted[2]);
      end loop;
    exception
      -- Whoever runs this may not, or the role was dropped meanwhile. On direct connections the service sets them itself, and
      -- behind a pooler `petstore doctor` names what is missing.
      when insufficient_privilege or undefined_object then null;
    end;
  end loop;

  -- Said aloud, because a role that may do more than is written here is worse than none.
  for object in
    select c.oid::regclass as name
    from pg_class c
    where c.relnamespace = 'public'::regnamespace
      and pg_get_userbyid(c.relowner) = owner
      and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and c.relname not in (select grants[i][3] from generate_subscripts(grants, 1) as i)
  loop
    raise warning 'this release''s roles.sql does not know %: the roles may do with it what they could before', object.name;
  end loop;
  if has_schema_privilege('petstore_service', 'public', 'create') then
    raise warning 'petstore_service may still create in the schema public: have its owner run "revoke create on schema public from public"';
  end if;
  if has_database_privilege('petstore_service', current_database(), 'temporary') then
    raise warning 'petstore_service may still make temporary tables: have the owner of the database run "revoke temporary on database % from public"', quote_ident(current_database());
  end if;
end
$script$;
