#!/bin/sh
# Has HAProxy and Prometheus read their configuration again, without a request that fails: after a change of deploy/haproxy,
# deploy/prometheus, deploy/grafana or of a certificate. Grafana finds new dashboards by itself.
set -eu
cd "$(dirname "$0")/.."

compose() { docker compose --profile '*' "$@" </dev/null; }
is_running() { [ -n "$(compose ps --quiet "$1")" ]; }

is_running haproxy || is_running prometheus || exit 0
compose build --quiet configuration
compose run --rm --no-deps configuration
if is_running haproxy; then
  # One that is wrong would end with the next restart.
  compose exec --no-TTY haproxy haproxy -c -q -f /configuration/haproxy/haproxy.cfg
  compose kill --signal USR2 haproxy
fi
if is_running prometheus; then compose kill --signal HUP prometheus; fi
