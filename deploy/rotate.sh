#!/bin/sh
# Gives one of the passwords in secrets/ a new value, everywhere: sh deploy/rotate.sh api|owner|cli|postgres|grafana
# The service has two roles in turn. Both work while its containers are replaced, one after another where there are several.
set -eu
cd "$(dirname "$0")/.."

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

# In place, because containers have mounted this very file.
renew() { printf '%s' "$(random)" >"secrets/$1"; }

apply() { docker compose run --rm --no-deps roles; }

is_running() { [ -n "$(docker compose --profile scale ps --quiet "$1")" ]; }

pooler_reads_passwords() {
  if is_running pgbouncer; then docker compose exec pgbouncer sh /etc/pgbouncer/start.sh reload; fi
}

rotate_api() {
  present=$(sed -n 's/^PETSTORE_API_ROLE=//p' .env)
  case ${present:-petstore_api} in
    petstore_api) next=petstore_api_2 ;;
    *) next=petstore_api ;;
  esac
  renew "$next"
  apply
  pooler_reads_passwords
  { sed '/^PETSTORE_API_ROLE=/d' .env; echo "PETSTORE_API_ROLE=$next"; } >.env.new
  mv .env.new .env
  if is_running api; then docker compose up --detach --wait api; fi
  if is_running api-1; then sh deploy/roll.sh; fi
  # Now nothing uses the former one.
  renew "${present:-petstore_api}"
  apply
  pooler_reads_passwords
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
    renew grafana
    docker compose --profile observe exec grafana sh -c 'grafana cli admin reset-admin-password "$(cat /run/secrets/grafana)"'
    ;;
  *)
    echo 'usage: sh deploy/rotate.sh api|owner|cli|postgres|grafana' >&2
    exit 2
    ;;
esac
