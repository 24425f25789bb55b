#!/bin/sh
# A dump of the database into /backups each BACKUP_EVERY_HOURS hours, and the last BACKUP_KEEP of them: docker-compose.yml, profile backup.
# `sh backup.sh once` makes one and ends.
set -eu
umask 077
directory=/backups

# Shells read 08 as octal, and 0 would keep nothing.
require_number() {
  case $2 in
    '' | 0* | *[!0-9]* | ?????*)
      echo "$1 must be a whole number from 1 to 9999, not '$2'." >&2
      exit 2
      ;;
  esac
}
require_number BACKUP_KEEP "${BACKUP_KEEP:-}"
[ "${1:-}" = once ] || require_number BACKUP_EVERY_HOURS "${BACKUP_EVERY_HOURS:-}"

part=
child=
# In the background, because a shell heeds signals only while it waits.
run() {
  "$@" &
  child=$!
  status=0
  wait "$child" || status=$?
  child=
  return "$status"
}
clean_up() {
  trap '' TERM INT
  if [ -n "$child" ]; then kill "$child" && wait; fi
  if [ -n "$part" ]; then rm -f "$part"; fi
}
trap clean_up EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

back_up() {
  # Left over from a killed run.
  find "$directory" -name 'petstore-*.dump.part' -mmin +60 -exec rm -f {} +
  file=$directory/petstore-$(date -u +%Y%m%dT%H%M%SZ).dump
  part=$file.part
  # Renamed only once it is complete.
  if run pg_dump --username postgres --format custom --file "$part" petstore && mv "$part" "$file"; then
    part=
    echo "backed up: $file, $(wc -c <"$file") bytes"
    find "$directory" -name 'petstore-*.dump' | sort -r | tail -n "+$((BACKUP_KEEP + 1))" | tr '\n' '\0' | xargs -0 -r rm --
  else
    rm -f "$part"
    part=
    echo 'no backup: see the line before' >&2
    return 1
  fi
}

if [ "${1:-}" = once ]; then
  back_up
  exit
fi
while :; do
  # Sooner after a failure: the database may just have been restarted.
  if back_up; then run sleep "$((BACKUP_EVERY_HOURS * 3600))"; else run sleep 60; fi
done
