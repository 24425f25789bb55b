#!/bin/sh
# Builds the images of docker-compose.yml, with their revision and time: sh deploy/build.sh --pull, for new base images as well.
set -eu
cd "$(dirname "$0")/.."
PETSTORE_REVISION=${PETSTORE_REVISION:-$(git rev-parse HEAD 2>/dev/null || echo unknown)}
PETSTORE_CREATED=${PETSTORE_CREATED:-$(date -u +%Y-%m-%dT%H:%M:%SZ)}
export PETSTORE_REVISION PETSTORE_CREATED
docker compose --profile '*' build "$@"
