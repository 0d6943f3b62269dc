#!/usr/bin/env bash
# Installs the npm packages and the wheels of target/package in empty folders, for this computer's platform, uses each
# program, runs the tests of what helps tests, and removes them again. Needs node, npm and python3 with venv; pytest and
# TypeScript come from the registries.
set -euo pipefail
cd "$(dirname "$0")/.."

checkout=$PWD
results=$(realpath "${CARGO_TARGET_DIR:-target}/package")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home
mkdir -p "$HOME"

use() { # what comes before the name of a program
  "$@" secmon --version
  "$@" secmon --local provision 203.0.113.10 -c 42 --nickname web-1 --wait | grep 22/tcp
  "$@" secmon-mock --version
  # shellcheck disable=SC2016  # for the shell that it runs
  "$@" secmon-mock exec -- sh -c 'test -n "$SECMON_BASE_URL"'
  code=0
  "$@" secmon-mock exec -- sh -c 'exit 7' || code=$?
  [ "$code" = 7 ] || { echo "exit code $code of a command that ends with 7" >&2; return 1; }
  rm -rf "$HOME/.local"
}

gone() { # a folder
  local left
  # npm leaves an empty folder.
  left=$(find "$1" -path '*secmon*' -not -type d)
  [ -z "$left" ] || { printf 'left behind:\n%s\n' "$left" >&2; return 1; }
}

npm_packages() {
  local platform
  platform=$(node --print 'process.platform + "-" + process.arch')
  mkdir "$work/npm"
  cd "$work/npm"
  echo '{"private": true}' >package.json
  npm install --silent --offline --no-audit --no-fund "$results"/secmon-secmon{,-mock}-"$platform"-[0-9]*.tgz \
    "$results"/secmon{,-mock}-[0-9].[0-9]*.[0-9]*.tgz
  for package in node_modules/secmon{,-mock} node_modules/@secmon/*; do
    [ -e "$package/LICENSE-MIT" ] && [ -e "$package/LICENSE-APACHE" ] || { echo "$package has no licence" >&2; return 1; }
  done
  for package in node_modules/@secmon/*; do
    [ -s "$package/NOTICES.txt" ] && [ -s "$package/sbom.cdx.json" ] || { echo "$package has no notices" >&2; return 1; }
  done
  use npx --offline
  cp "$checkout"/packaging/node/test/* .
  node --test
  npx --offline secmon-mock exec --deny-notices -- node --test billing.test.mjs
  npm install --silent --no-save --no-audit --no-fund typescript@5 @types/node@20
  npx --offline tsc --noEmit --strict --module nodenext --target es2022 types.ts
  npm uninstall --silent --offline secmon secmon-mock "@secmon/secmon-$platform" "@secmon/secmon-mock-$platform"
  gone node_modules
}

wheels() {
  cd "$work"
  python3 -m venv venv
  venv/bin/pip install --quiet --disable-pip-version-check --no-index --only-binary :all: --find-links "$results" secmon secmon-mock
  for wheel in venv/lib/python3*/site-packages/secmon*.dist-info; do
    [ -s "$wheel/licenses/LICENSE-MIT" ] && [ -s "$wheel/licenses/NOTICES.txt" ] || { echo "$wheel has no licence" >&2; return 1; }
    [ -n "$(ls "$wheel/sboms")" ] || { echo "$wheel has no SBOM" >&2; return 1; }
  done
  use env PATH="$work/venv/bin:$PATH"
  venv/bin/pip install --quiet --disable-pip-version-check pytest
  cp -r "$checkout/mock-server/python/tests" python-tests
  venv/bin/pytest --quiet python-tests
  venv/bin/secmon-mock exec --deny-notices -- venv/bin/pytest --quiet python-tests/test_billing.py
  venv/bin/pip uninstall --quiet --disable-pip-version-check --yes secmon secmon-mock
  gone venv
}

(npm_packages)
(wheels)
echo "npm packages and wheels were installed, used and removed"
