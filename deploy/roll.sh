#!/bin/sh
# Replaces the three replicas of the profile scale one after another, while the two others serve: after a new image was built
# or pulled, or .env was changed. The migrations come first, for they work with the release before, too.
set -eu
cd "$(dirname "$0")/.."

# HAProxy checks every second, and uses a replica again after two good responses.
settle_seconds=5

docker compose --profile scale run --rm migrate
for replica in api-1 api-2 api-3; do
  docker compose --profile scale up --detach --no-deps --wait "$replica"
  sleep "$settle_seconds"
done
