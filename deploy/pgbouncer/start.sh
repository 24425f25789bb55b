#!/bin/sh
# Writes the users that PgBouncer knows, and becomes PgBouncer. `sh start.sh reload` writes them again and has it read them.
set -eu
umask 077
# In the file a quotation mark is doubled. /tmp is memory.
for role in petstore_api petstore_api_2; do
  printf '"%s" "%s"\n' "$role" "$(tr -d '\r\n' <"/run/secrets/$role" | sed 's/"/""/g')"
done >/tmp/userlist.new
mv /tmp/userlist.new /tmp/userlist.txt
if [ "${1:-}" = reload ]; then
  kill -HUP 1
else
  exec pgbouncer /etc/pgbouncer/pgbouncer.ini
fi
