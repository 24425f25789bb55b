#!/bin/sh
# Reloads the configuration of HAProxy and Prometheus without failed requests, after a change of deploy/haproxy,
# deploy/prometheus, deploy/grafana or of a certificate. Grafana finds new dashboards by itself.
set -eu
cd "$(dirname "$0")/.."

compose() { docker compose --profile '*' "$@" </dev/null; }
is_running() { [ -n "$(compose ps --quiet "$1")" ]; }

is_running haproxy || is_running prometheus || exit 0
compose build --quiet configuration
if is_running haproxy; then
  # Checked next to the current one, which HAProxy would use if it restarted now, and with the environment of this checkout.
  compose run --rm --no-deps --entrypoint sh configuration -c 'rm -rf /configuration/next && cp -R /petstore/deploy /configuration/next'
  compose run --rm --no-deps haproxy haproxy -c -q -f /configuration/next/haproxy/haproxy.cfg
fi
# In the service's own container, not one of `run`: else the next `up` would replace that container, and HAProxy with it.
compose up --detach configuration
[ "$(docker wait "$(compose ps --all --quiet configuration)")" = 0 ]
if is_running haproxy; then compose kill --signal USR2 haproxy; fi
if is_running prometheus; then compose kill --signal HUP prometheus; fi
