#!/bin/sh
# Writes .env for docker-compose.yml from .env.example, with a random password at each name that is empty there.
# Never overwrites an existing .env, because its passwords are those of the database volume.
set -eu
cd "$(dirname "$0")/.."

if [ -e .env ]; then
  echo '.env already exists and is not changed' >&2
  exit 1
fi

# 48 hexadecimal digits, 192 bits; letters and digits need no escaping in a URL.
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

umask 077
# Written to a temporary file first, so that an interrupted run leaves no partial .env. The link fails if .env exists.
draft=$(mktemp .env.XXXXXX)
trap 'rm -f "$draft"' EXIT
while IFS= read -r line; do
  case $line in
    [A-Z]*=) printf '%s%s\n' "$line" "$(random)" ;;
    *) printf '%s\n' "$line" ;;
  esac
done <.env.example >"$draft"
ln "$draft" .env
echo 'Wrote .env with random passwords. Keep it: they are stored nowhere else.'
