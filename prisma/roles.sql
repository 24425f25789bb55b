-- Creates three roles and grants each the rights that role_rights() lists. Run it after the first migration and after each later one:
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
  if to_regprocedure('public.rights_that_differ()') is null then
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

  -- The migrations brought the list of rights: prisma/sql/functions/role_rights.sql.
  -- First what is beyond it: a right on a table that is revoked takes those on its columns with it.
  for object in
    select format('revoke %s on %s from %I cascade', privilege, target, role) as statement
    from public.rights_that_differ() where difference = 'beyond'
  loop
    execute object.statement;
  end loop;
  for object in
    select format('grant %s on %s to %I', privilege, target, role) as statement
    from public.rights_that_differ() where difference = 'missing'
  loop
    execute object.statement;
  end loop;

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
  for object in select * from public.rights_that_differ() loop
    if object.difference <> 'undecided' then
      raise warning 'cannot change: % (% on %) is %', object.role, object.privilege, object.target, object.difference;
    elsif object.target like 'table %' then
      raise warning 'role_rights() does not list the %: rights on it are unchanged', object.target;
    end if;
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
