#!/bin/sh
# Rotates one of the passwords in secrets/ everywhere: sh deploy/rotate.sh api|owner|cli|postgres|grafana
# The service alternates between two roles. Both work while its containers are replaced, one by one if there are several.
# After an interruption, run it again.
set -eu
cd "$(dirname "$0")/.."
umask 077

fail() {
  echo "$1" >&2
  exit 1
}

# Overwrites in place: containers have mounted this inode, and a full disk must leave the old content.
renew() {
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >secrets/.new
  [ "$(wc -c <secrets/.new)" -eq 48 ] || fail 'secrets/ has no room for a file.'
  if [ "$(wc -c <"secrets/$1")" -eq 48 ]; then
    dd if=secrets/.new of="secrets/$1" conv=notrunc,fsync 2>/dev/null
  else
    cat secrets/.new >"secrets/$1"
  fi
  rm secrets/.new
}

is_running() { [ -n "$(docker compose --profile '*' ps --quiet "$1")" ]; }

# Applies the passwords to PostgreSQL and PgBouncer. The arguments are roles that may have open sessions.
apply() {
  docker compose run --rm --no-deps --env ROTATED="$*" roles </dev/null
  if is_running pgbouncer; then docker compose exec --no-TTY pgbouncer sh /etc/pgbouncer/start.sh reload </dev/null; fi
}

# Replaces only containers without the role from .env.
replace_containers() {
  if is_running api || is_running api-1; then sh deploy/roll.sh; fi
}

# As Compose reads .env and the environment, in every form that it allows.
present_role() {
  docker compose config api | sed -n 's|.* DATABASE_PASSWORD_FILE: /run/secrets/||p' | grep -vxE 'petstore_(owner|cli)' | sort -u
}

rotate_api() {
  present=$(present_role)
  case $present in
    petstore_api) next=petstore_api_2 ;;
    petstore_api_2) next=petstore_api ;;
    *) fail "PETSTORE_API_ROLE is $present: it must be petstore_api or petstore_api_2." ;;
  esac
  # An interrupted rotation may have left containers that use the next role.
  replace_containers
  renew "$next"
  apply "$next"
  [ -e .env ] || : >.env
  {
    echo "PETSTORE_API_ROLE=$next"
    sed -E '/^[[:space:]]*(export[[:space:]]+)?PETSTORE_API_ROLE[[:space:]]*[=:]/d' .env
  } >.env.new
  cp .env .env.former
  mv .env.new .env
  if [ "$(present_role)" != "$next" ]; then
    mv .env.former .env
    fail 'Compose does not take PETSTORE_API_ROLE from .env: is it set in the environment of this shell? Unset it there.'
  fi
  rm .env.former
  replace_containers
  # Now nothing uses the former role.
  renew "$present"
  apply "$present"
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
    # It reads the file only at its first start.
    is_running grafana || fail 'Start Grafana first: docker compose --profile observe up --detach grafana'
    renew grafana
    docker compose exec --no-TTY grafana sh -c \
      'grafana cli admin reset-admin-password --password-from-stdin </run/secrets/grafana' </dev/null
    ;;
  *)
    echo 'usage: sh deploy/rotate.sh api|owner|cli|postgres|grafana' >&2
    exit 2
    ;;
esac
