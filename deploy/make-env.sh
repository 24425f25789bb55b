#!/bin/sh
# Writes .env for docker-compose.yml, and a random password into each file of secrets/. Never overwrites one, because it is the
# password of a database volume. Moves passwords from an older .env.
set -eu
cd "$(dirname "$0")/.."
umask 077

# 48 hexadecimal digits, 192 bits.
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

mkdir -p secrets
chmod 700 secrets
while read -r name variable; do
  if [ ! -e "secrets/$name" ]; then
    password=$([ ! -e .env ] || sed -n "s/^$variable=//p" .env)
    # `set -e` misses a full disk in a pipeline.
    password=${password:-$(random)}
    [ -n "$password" ]
    printf '%s' "$password" >"secrets/.$name"
    # Containers read it as other users; nobody else can enter the directory.
    chmod 644 "secrets/.$name"
    mv "secrets/.$name" "secrets/$name"
  fi
  if [ -e .env ]; then
    sed "/^$variable=/d" .env >.env.new
    mv .env.new .env
  fi
done <<'NAMES'
postgres POSTGRES_PASSWORD
petstore_owner PETSTORE_OWNER_PASSWORD
petstore_api PETSTORE_API_PASSWORD
petstore_api_2 PETSTORE_API_2_PASSWORD
petstore_cli PETSTORE_CLI_PASSWORD
grafana GRAFANA_PASSWORD
NAMES

[ -e .env ] || cp .env.example .env
echo 'The passwords are in secrets/. Keep them: they are stored nowhere else.'
