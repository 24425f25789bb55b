#!/bin/sh
# Replaces the three replicas of the profile scale one after another, while the two others serve: after a new image was built
# or pulled, or .env was changed. Each replica's dependencies come first, the migrations among them, which work with the release
# before, too. (With --no-deps, Compose would replace all containers at once at the next `up`.)
set -eu
cd "$(dirname "$0")/.."

# HAProxy checks every second, and uses a replica again after two good responses.
settle_seconds=5

for replica in api-1 api-2 api-3; do
  docker compose --profile scale up --detach --wait --wait-timeout 180 "$replica"
  sleep "$settle_seconds"
done
