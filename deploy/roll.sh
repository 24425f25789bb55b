#!/bin/sh
# Replaces the replicas of the profile scale one by one while the others serve, or else the single container: after a new image was
# built or pulled, or .env was changed. Dependencies start first, including migrations, which are compatible with the previous
# release. (With --no-deps, the next `up` would replace all containers at once.) If a new container does not become
# healthy, all roll back to the previous image, tagged `before`. Then the configuration of HAProxy and Prometheus
# is reloaded.
set -eu
cd "$(dirname "$0")/.."

# HAProxy checks every second, and uses a replica again after two good responses.
settle() { [ "$1" = api ] || sleep 5; }

compose() { docker compose --profile scale "$@" </dev/null; }
id_of() { compose ps --all --quiet "$1" | head -n 1; }

if [ -n "$(id_of api-1)$(id_of api-2)$(id_of api-3)" ]; then replicas='api-1 api-2 api-3'; else replicas=api; fi

# The last one, because an interrupted run may have replaced the first ones.
before=
for replica in $replicas; do
  running=$(id_of "$replica")
  [ -z "$running" ] || before=$(docker inspect --format '{{.Image}} {{.Config.Image}}' "$running")
done
name=${before#* }
before=${before%% *}

# The image name without its tag; a registry port is not a tag.
repository_of() { case ${1##*/} in *:*) echo "${1%:*}" ;; *) echo "$1" ;; esac }

# The old image gets its tag back, so that the next `up` does not use the new one. Migrations stay.
go_back() {
  compose logs --no-log-prefix --tail 20 "$1" >&2
  [ -n "$before" ] || exit 1
  image=$(docker inspect --format '{{.Config.Image}}' "$(id_of "$1")")
  case $image in
    *@*)
      export PETSTORE_IMAGE="$before"
      echo "$1 is not healthy with $image: reset PETSTORE_IMAGE as well. Back to $name:" >&2
      ;;
    *)
      failed=$(repository_of "$image"):failed
      docker tag "$image" "$failed"
      docker tag "$before" "$image"
      echo "$1 is not healthy with the new image, now tagged $failed. Rolling back to the old one:" >&2
      ;;
  esac
  for replica in $replicas; do
    compose up --detach --wait --wait-timeout 180 --no-deps "$replica" >&2 || true
    settle "$replica"
  done
  exit 1
}

# A rebuild under the same name would leave it untagged.
if [ -n "$before" ] && [ "$(docker image inspect --format '{{.Id}}' "$name" || true)" != "$before" ]; then
  docker tag "$before" "$(repository_of "${name%@*}"):before"
fi

for replica in $replicas; do
  compose up --detach --wait --wait-timeout 180 "$replica" || go_back "$replica"
  settle "$replica"
done
sh deploy/reload.sh
# Replaced only if its own definition has changed, as by a new release: its dependencies are up to date by now.
[ -z "$(id_of haproxy)" ] || compose up --detach --wait haproxy
