#!/usr/bin/env bash
# Holds a running mock against its own description with schemathesis: all checks, all phases, a fixed seed.
# Further arguments go to schemathesis. SECMON_MOCK names a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

settings=mock-server/schemathesis
target=${CARGO_TARGET_DIR:-target}
venv=$target/schemathesis

if [ ! -x "$venv/bin/schemathesis" ]; then
  python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$settings/requirements.txt"

if [ -z "${SECMON_MOCK:-}" ]; then
  cargo build --release --locked --bin secmon-mock
  SECMON_MOCK=$target/release/secmon-mock
fi
export PATH="$venv/bin:$PATH" HYPOTHESIS_STORAGE_DIRECTORY="$venv/hypothesis" PYTHONDONTWRITEBYTECODE=1
# shellcheck disable=SC2016  # the inner shell knows the address
exec "$SECMON_MOCK" exec --config "$settings/service.toml" --seed 1 --clock manual --rate-limit off -- \
  bash -c 'schemathesis --config-file "$0/config.toml" run "$SECMON_BASE_URL/openapi.json" --url "$SECMON_BASE_URL" "$@"' "$settings" "$@"
