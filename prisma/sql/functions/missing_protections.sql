-- prisma/roles.sql and deploy/postgres/roles.sh set these. The list of functions repeats that of prisma/roles.sql, which also runs before
-- they exist.
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
  select format('every role may call functions that use up memory, disk or transaction ids of the whole server, such as %s', min(oid::regprocedure::text))
  from pg_proc
  where pronamespace = 'pg_catalog'::regnamespace
    and (proname ~ '^pg_(try_)?advisory_' or proname in (
      'pg_logical_emit_message', 'lo_create', 'lo_creat', 'lo_from_bytea', 'pg_export_snapshot', 'pg_current_xact_id', 'txid_current'))
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
  'Missing protections against roles that use up the server''s connections, memory, disk or transaction ids: one sentence each.';
