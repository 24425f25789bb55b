#!/bin/sh
# Writes the one user that PgBouncer knows, and becomes PgBouncer. /tmp is memory.
set -eu
umask 077
# In the file a quotation mark is doubled.
password=$(printf '%s' "$PETSTORE_API_PASSWORD" | sed 's/"/""/g')
printf '"petstore_api" "%s"\n' "$password" >/tmp/userlist.txt
exec pgbouncer /etc/pgbouncer/pgbouncer.ini
