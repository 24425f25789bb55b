#!/bin/sh
# The login roles, their settings, and the database that one of them owns. It is idempotent: after an interrupted run,
# or to change the passwords, run it again. docker-compose.yml runs it at each start.
#
#   PGHOST=… PGPASSWORD=… PETSTORE_OWNER_PASSWORD=… PETSTORE_API_PASSWORD=… PETSTORE_CLI_PASSWORD=… sh roles.sh
#
# as a superuser: PGUSER, or else postgres. POSTGRES_PASSWORD, where it is set, becomes the password of that user, and
# PETSTORE_API_2_PASSWORD that of a second role for the service. Without PETSTORE_OWNER_PASSWORD the owner keeps its password, which an
# operator of Kubernetes sets. With SECRETS=DIRECTORY the passwords come from files; with
# PASSWORD_CHECK_HOST as well, the script stops if the password of a service that is logged in has changed (ROTATED names roles whose
# password may). It also limits what each role can use of the server: connections, locks, disk. What petstore_service and
# petstore_operator may do is granted after the migrations, by `petstore db roles`.
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
if [ -n "${PASSWORD_CHECK_HOST:-}" ]; then
  # A running service would fail to log in at its next connection. So the file may change only while no session
  # uses it, or by deploy/rotate.sh, which replaces the containers.
  for role in petstore_api petstore_api_2; do
    case " ${ROTATED:-} " in *" $role "*) continue ;; esac
    # Not by the error text, which depends on the server's locale.
    fault=$(PGPASSWORD=$(secret "$role") PGCONNECT_TIMEOUT=5 \
      psql --no-psqlrc --host "$PASSWORD_CHECK_HOST" --username "$role" --dbname petstore --command '' 2>&1 >/dev/null) && continue
    sessions=$(psql --no-psqlrc --tuples-only --no-align --dbname postgres \
      --command "select count(*) from pg_stat_activity where usename = '$role'")
    [ "$sessions" -eq 0 ] && continue
    echo "$role cannot log in with the password in secrets/$role, while it has $sessions open sessions: $fault. If the password was changed, put the former file back, or run \`sh deploy/rotate.sh api\`." >&2
    exit 1
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
-- Nor in pg_stat_activity.
set track_activities = off;
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

alter role petstore_owner login;
\if :{?owner_password}
alter role petstore_owner password :'owner_password';
\endif
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

-- Locks, memory and disk belong to the whole server: operators and support connect to the database petstore alone. Other roles that
-- can connect to the other databases still can.
select format('grant connect on database %I to %I', datname, rolname)
from pg_database
cross join pg_roles
where datname in ('postgres', 'template1') and rolcanlogin and not rolsuper
  and has_database_privilege(pg_roles.oid, pg_database.oid, 'connect')
  and not pg_has_role(pg_roles.oid, 'petstore_operator', 'member')
  and not pg_has_role(pg_roles.oid, 'petstore_support', 'member') \gexec
revoke connect on database postgres, template1 from public;

-- The service leaves room for the owner and for people. A limit that somebody has set for these stays.
select format('alter role %I connection limit %s', rolname, greatest(10,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int - 20))
from pg_roles
where rolcanlogin and not rolsuper and pg_has_role(oid, 'petstore_service', 'member') \gexec
select format('alter role %I connection limit 10', rolname)
from pg_roles
where rolcanlogin and not rolsuper and rolconnlimit = -1
  and (rolname = 'petstore_owner' or pg_has_role(oid, 'petstore_operator', 'member') or pg_has_role(oid, 'petstore_support', 'member')) \gexec

-- To see what other sessions do, and which one holds a lock. Only a superuser may end it.
grant pg_read_all_stats to petstore_owner, petstore_operator;
SQL

# The rest concerns the database, under any names.
sql=$(dirname "$0")/../../prisma/roles.sql
if [ -f "$sql" ]; then
  PGOPTIONS="${PGOPTIONS:-} -c petstore.before_migrations=on -c client_min_messages=error" \
    psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --dbname petstore --file "$sql"
else
  echo 'prisma/roles.sql is not beside this script: run it as a superuser, too.' >&2
fi
