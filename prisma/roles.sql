-- Creates three roles and grants each the rights that role_rights() lists. Run it after the first migration and after each later one:
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f prisma/roles.sql
--
-- as the owner of the tables, and once as a superuser: parts of it need one, and warn the owner if they were skipped.
-- Other roles keep their rights unless petstore.revoke_unlisted is on ("petstore db roles --revoke-unlisted"). The script
-- is idempotent and safe while services run. Roles belong to the whole server, and not every owner may create them, so
-- this is a script, not a migration. Without it, everything runs as the owner. People and services log in as their
-- own member roles:
--
--   create role shop_api login password '…' connection limit 50 in role petstore_service;
--   create role alice login password '…' connection limit 10 in role petstore_operator;
--   create role bob login password '…' connection limit 10 in role petstore_support;
--
-- deploy/postgres/roles.sh runs it before the migrations of this release, too (petstore.before_migrations), on a new database or one
-- of the release before. Then it grants no rights: the functions that list them come with the migrations.

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
    -- For the default DATABASE_STATEMENT_TIMEOUT_MS (950); `petstore db roles` passes those for the configured value.
    ['statement_timeout', coalesce(nullif(current_setting('petstore.statement_timeout', true), ''), '600ms')],
    ['lock_timeout', coalesce(nullif(current_setting('petstore.lock_timeout', true), ''), '400ms')],
    ['idle_in_transaction_session_timeout', '5s']
  ];
  -- Long enough for an export of the audit log or a bulk change. Sessions may override them: they stop mistakes, not malice.
  settings_of_people constant text[] := array[
    ['statement_timeout', '15min'],
    ['idle_in_transaction_session_timeout', '5min']
  ];
  -- Only a superuser may set and change it.
  file_limit constant text[] := array[['temp_file_limit', '1GB']];
  -- To this release: the function of 1.1.0 lacks columns that are used below.
  is_migrated constant boolean := exists (
    select from pg_proc where oid = to_regprocedure('public.rights_that_differ()') and 'run_as' = any (proargnames));
  is_superuser constant boolean := current_setting('is_superuser');
  owner constant name := coalesce(
    (select tableowner from pg_tables where schemaname = 'public' and tablename = 'plans'),
    (select pg_get_userbyid(datdba) from pg_database where datname = current_database()));
  wanted text[];
  object record;
begin
  if not is_migrated and current_setting('petstore.before_migrations', true) is distinct from 'on' then
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
  grant usage on schema public to petstore_service, petstore_operator, petstore_support;

  -- Locks fill the memory of the whole server; messages, large objects and exported snapshots its disk; and a loop over commits
  -- uses up its transaction ids. The service and the migrations use locks, a parallel pg_dump a snapshot.
  if is_superuser then
    for object in
      select oid::regprocedure as name, proname
      from pg_proc
      where pronamespace = 'pg_catalog'::regnamespace
        and (proname ~ '^pg_(try_)?advisory_' or proname in (
          'pg_logical_emit_message', 'lo_create', 'lo_creat', 'lo_from_bytea', 'pg_export_snapshot', 'pg_current_xact_id', 'txid_current'))
    loop
      execute format('revoke execute on function %s from public', object.name);
      if object.proname ~ 'advisory|snapshot|xact_id|txid' then
        execute format('grant execute on function %s to %I, pg_database_owner%s', object.name, owner, case
          when object.proname ~ 'advisory' then ', petstore_service'
          when object.proname ~ 'snapshot' then ', pg_read_all_data' end);
      end if;
    end loop;
  end if;

  -- For member login roles, also through a pooler. Settings per role and database have the highest precedence.
  for object in
    select rolname as name, coalesce(setconfig, '{}') as present, serves,
      case when serves then settings else settings_of_people end
        || case when is_superuser and rolname <> owner then file_limit end as wanted
    from pg_roles
    cross join pg_has_role(pg_roles.oid, 'petstore_service', 'member') as serves
    left join pg_db_role_setting
      on setrole = pg_roles.oid and setdatabase = (select oid from pg_database where datname = current_database())
    where rolcanlogin and not rolsuper
      and (serves or rolname <> owner and (pg_has_role(pg_roles.oid, 'petstore_operator', 'member') or pg_has_role(pg_roles.oid, 'petstore_support', 'member')))
  loop
    begin
      foreach wanted slice 1 in array object.wanted loop
        continue when wanted[1] || '=' || wanted[2] = any (object.present);
        -- A value that is already set is kept, unless the service relies on it.
        continue when (not object.serves or wanted[1] = 'temp_file_limit')
          and exists (select from unnest(object.present) as p where p like wanted[1] || '=%' and p !~ '=(0|-1)$');
        execute format('alter role %I in database %I set %I = %L', object.name, current_database(), wanted[1], wanted[2]);
      end loop;
    exception
      -- Not allowed, or the role was dropped meanwhile. On direct connections the service sets its own itself; behind a pooler
      -- `petstore doctor` reports what is missing.
      when insufficient_privilege or undefined_object then null;
    end;
  end loop;

  if not is_migrated then
    return;
  end if;

  -- The migrations create the list of rights: prisma/sql/functions/role_rights.sql.
  -- Revoke first: revoking a right on a table also revokes it on the columns.
  for object in
    select statement
    from public.rights_that_differ()
    where difference = 'beyond'
      -- Memberships are server-wide, so other databases may need them.
      or difference = 'unlisted' and privilege not in ('member', 'owner') and current_setting('petstore.revoke_unlisted', true) = 'on'
  loop
    begin
      execute object.statement;
    exception
      -- A superuser or the grantor may: the warnings name them.
      when insufficient_privilege then null;
    end;
  end loop;
  for object in select role, statement from public.rights_that_differ() where difference = 'missing' loop
    begin
      execute object.statement;
    exception
      when others then
        if object.role in (select role from public.role_rights()) then
          raise;
        end if;
        raise warning 'a row of wanted_rights cannot be granted: %: %', object.statement, sqlerrm;
    end;
  end loop;

  -- Between a migration and the next run of this script, the service may use new tables and operators may not.
  execute format(
    'alter default privileges for role %I in schema public
       grant select, insert, update, delete on tables to petstore_service', owner);
  execute format(
    'alter default privileges for role %I in schema public grant usage on sequences to petstore_service', owner);

  -- Warn if a role has more rights than this script grants.
  for object in select * from public.rights_that_differ() where difference <> 'unlisted' loop
    if object.difference <> 'undecided' then
      raise warning 'cannot change: % (% on %) is %. As %, run: %',
        object.role, object.privilege, object.target, object.difference, object.run_as, object.statement;
    elsif object.target like 'table %' then
      raise warning 'role_rights() does not list the %: rights on it are unchanged', object.target;
    end if;
  end loop;
  for object in select * from public.unlisted_rights() loop
    raise warning '%', object.finding;
  end loop;
  if has_schema_privilege('petstore_service', 'public', 'create') then
    raise warning 'petstore_service may still create objects in the schema public. Ask its owner to run "revoke create on schema public from public"';
  end if;
  if has_database_privilege('petstore_service', current_database(), 'temporary') then
    raise warning 'petstore_service may still create temporary tables. Ask the owner of the database to run "revoke temporary on database % from public"', quote_ident(current_database());
  end if;
  for object in select * from public.missing_protections() loop
    raise warning '%. Only a superuser may change this: deploy/postgres/roles.sh', object.finding;
  end loop;
end
$script$;
