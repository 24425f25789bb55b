#!/bin/sh
# A dump of the database into /backups each BACKUP_EVERY_HOURS hours, and the last BACKUP_KEEP of them: docker-compose.yml, profile backup.
# `sh backup.sh once` makes one and ends.
set -eu
umask 077

back_up() {
  file=/backups/petstore-$(date -u +%Y%m%dT%H%M%SZ).dump
  # Under its name only when it is whole.
  if pg_dump --username postgres --format custom --file "$file.part" petstore && mv "$file.part" "$file"; then
    echo "backed up: $file, $(wc -c <"$file") bytes"
    find /backups -name 'petstore-*.dump' | sort -r | tail -n "+$((BACKUP_KEEP + 1))" | xargs -r rm --
  else
    rm -f "$file.part"
    echo 'no backup: see the line before' >&2
    return 1
  fi
}

if [ "${1:-}" = once ]; then
  back_up
  exit
fi
while :; do
  # After a failure sooner, because the database may have been restarted.
  if back_up; then sleep "$((BACKUP_EVERY_HOURS * 3600))"; else sleep 60; fi
done
