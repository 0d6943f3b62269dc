#!/usr/bin/env bash
# Tests what the wheel and the npm package of secmon-mock bring for tests: a pytest plugin and a Node helper. SECMON_MOCK names
# the program, target/release has it otherwise. Needs python3 with venv, and Node.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
SECMON_MOCK=$(realpath "${SECMON_MOCK:-$target/release/secmon-mock}")
export SECMON_MOCK PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -x "$target/helpers/bin/pytest" ] || {
  python3 -m venv "$target/helpers"
  "$target/helpers/bin/pip" install --quiet --disable-pip-version-check pytest==9.2.0
}
PYTHONPATH=$PWD/mock-server/python PYTEST_PLUGINS=secmon_mock.pytest_plugin \
  "$target/helpers/bin/pytest" --quiet -p no:cacheprovider mock-server/python/tests

mkdir -p "$work/node_modules/secmon-mock"
cp packaging/node/*.js "$work/node_modules/secmon-mock"
echo '{"name": "secmon-mock", "main": "index.js"}' >"$work/node_modules/secmon-mock/package.json"
cp packaging/node/test/*.mjs "$work"
cd "$work"
node --test
