#!/bin/sh
# Gives one of the passwords in secrets/ a new value, everywhere: sh deploy/rotate.sh api|owner|cli|postgres|grafana
# The service has two roles in turn. Both work while its containers are replaced, one after another where there are several.
# After an interruption, run it again.
set -eu
cd "$(dirname "$0")/.."
umask 077

# In place, because containers have mounted this very file.
renew() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"secrets/$1"; }

is_running() { [ -n "$(docker compose --profile '*' ps --quiet "$1")" ]; }

# Has PostgreSQL and PgBouncer know the passwords of the files.
apply() {
  docker compose run --rm --no-deps roles
  if is_running pgbouncer; then docker compose exec pgbouncer sh /etc/pgbouncer/start.sh reload; fi
}

# Replaces only what does not run with the role of .env yet.
replace_containers() {
  if is_running api; then docker compose up --detach --wait api; fi
  if is_running api-1; then sh deploy/roll.sh; fi
}

rotate_api() {
  present=$(sed -n 's/^PETSTORE_API_ROLE=//p' .env)
  present=${present:-petstore_api}
  case $present in
    petstore_api) next=petstore_api_2 ;;
    *) next=petstore_api ;;
  esac
  # An interrupted rotation may have left containers that log in as the role that is next.
  replace_containers
  renew "$next"
  apply
  {
    echo "PETSTORE_API_ROLE=$next"
    sed '/^PETSTORE_API_ROLE=/d' .env
  } >.env.new
  mv .env.new .env
  replace_containers
  # Now nothing uses the former role.
  renew "$present"
  apply
}

case ${1:-} in
  api) rotate_api ;;
  owner | cli)
    renew "petstore_$1"
    apply
    ;;
  postgres)
    renew postgres
    apply
    ;;
  grafana)
    # It reads the file at its first start alone.
    if ! is_running grafana; then
      echo 'Start Grafana first: docker compose --profile observe up --detach grafana' >&2
      exit 1
    fi
    renew grafana
    docker compose exec --no-TTY grafana sh -c \
      'grafana cli admin reset-admin-password --password-from-stdin </run/secrets/grafana'
    ;;
  *)
    echo 'usage: sh deploy/rotate.sh api|owner|cli|postgres|grafana' >&2
    exit 2
    ;;
esac
