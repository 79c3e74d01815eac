#!/bin/sh
# Makes deploy/.env with new passwords and keys, readable only by its owner. Never changes an existing file.
set -eu
file=$(dirname "$0")/../.env
if [ -e "$file" ]; then
  echo "$file exists: nothing changed." >&2
  exit 0
fi
umask 077
# Starts with a letter: NATS reads a bare number as a number, not as a password.
password() { printf 'p%s' "$(openssl rand -hex 24)"; }
cat >"$file" <<END
POSTGRES_PASSWORD=$(password)
CLICKHOUSE_PASSWORD=$(password)
NATS_PASSWORD=$(password)
# Encrypts the API keys and webhook secrets in PostgreSQL: keep a copy elsewhere. A back-up is worth little without it.
MASTER_KEY=$(openssl rand -base64 32)
HTTP_PORT=8080
END
echo "Wrote $file."
