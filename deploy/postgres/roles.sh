#!/bin/sh
# The roles that log in and the database that one of them owns. The image of PostgreSQL runs it when its volume is new. To
# give the roles new passwords, change .env and run it again:
#
#   docker compose up --detach database && docker compose exec database sh /docker-entrypoint-initdb.d/10-roles.sh
#
# What petstore_service and petstore_operator may do is granted after the migrations, by `petstore db roles`.
set -eu

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
-- Passwords come from the environment, so that they stand in no list of processes.
\getenv owner_password PETSTORE_OWNER_PASSWORD
\getenv api_password PETSTORE_API_PASSWORD
\getenv cli_password PETSTORE_CLI_PASSWORD

select format('create role %I %s', name, attributes)
from (
  values
    ('petstore_service', 'nologin'),
    ('petstore_operator', 'nologin'),
    ('petstore_owner', 'login'),
    ('petstore_api', 'login in role petstore_service'),
    ('petstore_cli', 'login in role petstore_operator')
) as wanted (name, attributes)
where not exists (select from pg_roles where rolname = wanted.name)
\gexec

alter role petstore_owner password :'owner_password';
alter role petstore_api password :'api_password';
alter role petstore_cli password :'cli_password';

-- The server, too, gives up what nobody waits for, 100 ms before the service does (DATABASE_STATEMENT_TIMEOUT_MS, 950). It
-- belongs to the role because behind a pooler no session is the service's own.
alter role petstore_api set statement_timeout = '850ms';
alter role petstore_api set lock_timeout = '400ms';
alter role petstore_api set idle_in_transaction_session_timeout = '5s';

select 'create database petstore owner petstore_owner'
where not exists (select from pg_database where datname = 'petstore')
\gexec
SQL
