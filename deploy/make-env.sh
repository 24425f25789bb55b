#!/bin/sh
# Writes .env for docker-compose.yml from .env.example, with a random password at each name that is empty there.
# An .env that is there already stays as it is: its passwords are those of the database's volume.
set -eu
cd "$(dirname "$0")/.."

if [ -e .env ]; then
  echo '.env is there already and stays as it is' >&2
  exit 1
fi

# 48 hexadecimal digits, 192 bits; letters and digits need no escaping in a URL.
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

umask 077
# Aside first, so that whoever interrupts it leaves no half of it. The link fails where somebody was first.
draft=$(mktemp .env.XXXXXX)
trap 'rm -f "$draft"' EXIT
while IFS= read -r line; do
  case $line in
    [A-Z]*=) printf '%s%s\n' "$line" "$(random)" ;;
    *) printf '%s\n' "$line" ;;
  esac
done <.env.example >"$draft"
ln "$draft" .env
echo 'wrote .env, readable by you alone: keep it, nothing else knows these passwords'
