#!/usr/bin/env bash
# Holds the description against the tools that partners use. The clients of four generators have all operations, compile,
# and run their recipes against the mock; .ci/generators.sh tries more of them. Calls that are wrong do not compile. Two
# linters read the description with their recommended rules. The page that is made from it is opened in a headless Chromium.
# Further arguments are recordings that mock-server/description/record.py made; the clients decode them. SECMON_MOCK names a
# program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
settings=$root/mock-server/description
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}")/description

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }

step "tools"
if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium
fi
if [ -z "${SECMON_MOCK:-}" ]; then
  cargo build --release --locked --bin secmon-mock
  SECMON_MOCK=${CARGO_TARGET_DIR:-target}/release/secmon-mock
fi
mock=$(realpath "$SECMON_MOCK")

step "four generators"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SECMON_MOCK=$mock SECMON_CLIENTS=$work .ci/generators.sh openapi-python-client openapi-typescript hey-api php
export PATH="$tools/venv/bin:$tools/node_modules/.bin:$PATH" PYTHONDONTWRITEBYTECODE=1
echo "wrong calls that do not compile: $(grep -c '@ts-expect-error$' "$work/calls.ts")"

step "linters"
for description in mock-server/openapi.yaml mock-server/openapi-mock.yaml; do
  redocly lint --config "$settings/redocly.yaml" "$description"
  spectral lint --fail-severity=warn --ruleset "$settings/spectral.yaml" "$description"
done

cp "$settings"/{decode.php,decode.py,frame.html} "$work/"
cd "$work"

step "a client for Python that steers the mock"
openapi-python-client generate --path "$root/mock-server/openapi-mock.yaml" --meta none --output-path mock_api \
  --fail-on-warning
PYTHONPATH=. "$mock" exec --deny-notices -- python steer.py

step "the page of the reference in a browser"
cp "$root/mock-server/src/admin/docs.html" .
"$mock" openapi --format json >openapi.json
python -u -m http.server --bind 127.0.0.1 0 >http.log 2>&1 &
server=$!
trap 'kill $server; rm -rf "$work"' EXIT
until port=$(grep -om1 'port [0-9]*' http.log); do sleep 0.1; done
browser=$(command -v chromium || command -v chromium-browser)
seen=$("$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" --virtual-time-budget=20000 \
  --enable-logging=stderr --dump-dom http://127.0.0.1:"${port#port }"/frame.html 2>browser.log | sed -n 's:.*<pre>\(.*\)</pre>.*:\1:p')
echo "$seen"
shown="48 operations, 0 too wide, found: Scan a server, Suspend a domain"
[ "$seen" = "1200: $shown; 400: $shown" ]
if grep CONSOLE browser.log; then echo "the page has script errors"; exit 1; fi

if [ $# -gt 0 ]; then
  step "recorded answers"
  PYTHONPATH=. python decode.py "$@"
  php decode.php php/autoload.php "$@"
fi
step "done"
