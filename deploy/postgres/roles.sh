#!/bin/sh
# The roles that log in, their settings, and the database that one of them owns. Each statement may be repeated: after a run
# that was interrupted, and to give the roles new passwords, run it again. docker-compose.yml runs it at each start.
#
#   PGHOST=… PGPASSWORD=… PETSTORE_OWNER_PASSWORD=… PETSTORE_API_PASSWORD=… PETSTORE_CLI_PASSWORD=… sh roles.sh
#
# as a superuser: PGUSER, or else postgres. POSTGRES_PASSWORD, where it is set, becomes the password of that user, and
# PETSTORE_API_2_PASSWORD that of a second role for the service. With SECRETS=DIRECTORY the passwords come from files.
# What petstore_service and petstore_operator may do is granted after the migrations, by `petstore db roles`.
set -eu

export PGUSER="${PGUSER:-postgres}"
if [ -n "${SECRETS:-}" ]; then
  secret() { tr -d '\r\n' <"$SECRETS/$1"; }
  POSTGRES_PASSWORD=$(secret postgres)
  PETSTORE_OWNER_PASSWORD=$(secret petstore_owner)
  PETSTORE_API_PASSWORD=$(secret petstore_api)
  PETSTORE_API_2_PASSWORD=$(secret petstore_api_2)
  PETSTORE_CLI_PASSWORD=$(secret petstore_cli)
  export POSTGRES_PASSWORD PETSTORE_OWNER_PASSWORD PETSTORE_API_PASSWORD PETSTORE_API_2_PASSWORD PETSTORE_CLI_PASSWORD
  # `docker compose restart` starts it together with the database.
  for _ in $(seq 60); do
    pg_isready --quiet && break
    sleep 1
  done
fi
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --dbname postgres <<'SQL'
-- Passwords come from the environment, so that they stand in no list of processes.
\getenv superuser_password POSTGRES_PASSWORD
\getenv owner_password PETSTORE_OWNER_PASSWORD
\getenv api_password PETSTORE_API_PASSWORD
\getenv api_2_password PETSTORE_API_2_PASSWORD
\getenv cli_password PETSTORE_CLI_PASSWORD
-- Without the notice that a membership is there already.
set client_min_messages = warning;
-- Nor in the log of the server.
set log_statement = 'none';
set log_min_error_statement = 'panic';
-- Another run waits.
\o /dev/null
select pg_advisory_lock(hashtext('roles.sh'));
\o

\if :{?superuser_password}
alter role current_user password :'superuser_password';
\endif

-- One statement for each role: a list for \gexec comes in the order of the planner's choice, and a role that is granted must
-- exist before.
select 'create role petstore_service nologin'
where not exists (select from pg_roles where rolname = 'petstore_service') \gexec
select 'create role petstore_operator nologin'
where not exists (select from pg_roles where rolname = 'petstore_operator') \gexec
select 'create role petstore_support nologin'
where not exists (select from pg_roles where rolname = 'petstore_support') \gexec
select 'create role petstore_owner'
where not exists (select from pg_roles where rolname = 'petstore_owner') \gexec
select 'create role petstore_api'
where not exists (select from pg_roles where rolname = 'petstore_api') \gexec
select 'create role petstore_cli'
where not exists (select from pg_roles where rolname = 'petstore_cli') \gexec

alter role petstore_owner login password :'owner_password';
alter role petstore_api login password :'api_password';
alter role petstore_cli login password :'cli_password';
grant petstore_service to petstore_api;
grant petstore_operator to petstore_cli;

\if :{?api_2_password}
select 'create role petstore_api_2'
where not exists (select from pg_roles where rolname = 'petstore_api_2') \gexec
alter role petstore_api_2 login password :'api_2_password';
grant petstore_service to petstore_api_2;
\endif

-- The service cannot use another encoding.
select $$create database petstore owner petstore_owner template template0 encoding 'UTF8'$$
where not exists (select from pg_database where datname = 'petstore') \gexec
alter database petstore owner to petstore_owner;

-- What the service relies on (roleSettings in src/database/session-settings.ts): behind a pooler no session is its own. Settings of a role
-- in a database override all others. The server ends statements 350 ms before the service gives their connections up
-- (DATABASE_STATEMENT_TIMEOUT_MS, 950).
select format('alter role %I in database petstore set %I = %L', rolname, name, value)
from pg_roles
cross join (
  values
    ('DateStyle', 'ISO, MDY'),
    ('TimeZone', 'UTC'),
    ('IntervalStyle', 'postgres'),
    ('standard_conforming_strings', 'on'),
    ('transform_null_equals', 'off'),
    ('search_path', 'public'),
    ('bytea_output', 'hex'),
    ('extra_float_digits', '1'),
    ('array_nulls', 'on'),
    ('exit_on_error', 'off'),
    ('default_transaction_isolation', 'read committed'),
    ('jit', 'off'),
    ('statement_timeout', '600ms'),
    ('lock_timeout', '400ms'),
    ('idle_in_transaction_session_timeout', '5s')
) as setting (name, value)
where rolname in ('petstore_api', 'petstore_api_2') \gexec

-- Large objects would fill the disk. Only a superuser may revoke these.
\connect petstore
revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) from public;
SQL
