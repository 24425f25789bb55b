#!/bin/sh
# Installs a certificate chain and its key for HAProxy, and reloads it for new connections. Also for renewals:
#
#   sh deploy/certificate.sh fullchain.pem privkey.pem
set -eu
[ $# -eq 2 ] || {
  echo 'usage: sh deploy/certificate.sh fullchain.pem privkey.pem' >&2
  exit 2
}
chain=$(cat "$1")
key=$(cat "$2")
cd "$(dirname "$0")/.."
umask 077
mkdir -p secrets/certificates
# HAProxy reads it as another user; only the owner can enter secrets/. HAProxy ignores names that begin with a dot.
chmod 755 secrets/certificates
printf '%s\n%s\n' "$chain" "$key" >secrets/certificates/.new
chmod 644 secrets/certificates/.new
[ ! -e secrets/certificates/site.pem ] || cp -p secrets/certificates/site.pem secrets/certificates/.former
mv secrets/certificates/.new secrets/certificates/site.pem
if ! sh deploy/reload.sh; then
  [ ! -e secrets/certificates/.former ] || mv secrets/certificates/.former secrets/certificates/site.pem
  echo 'HAProxy does not accept the certificate; the former one has been restored.' >&2
  exit 1
fi
rm -f secrets/certificates/.former
