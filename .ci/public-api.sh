#!/usr/bin/env bash
# Holds the client's public names against sdk/public-api.txt, and shows what differs. After a wanted change:
# .ci/public-api.sh --write. Needs cargo-public-api (cargo install --locked cargo-public-api@0.52.0, which reads what
# rustdoc 1.95 writes). No nightly toolchain: RUSTC_BOOTSTRAP lets the stable rustdoc write JSON.
set -euo pipefail
cd "$(dirname "$0")/.."

# A folder of its own, because the variable makes cargo build dependencies anew. With the default features these are all
# but tls-aws-lc-rs, which has no name of its own.
target=${CARGO_TARGET_DIR:-target}/public-api
describe() {
  RUSTC_BOOTSTRAP=secmon cargo rustdoc -p secmon --lib --features redis-tls,reqwest,test-util,tower --locked --target-dir "$target" \
    -- -Z unstable-options --output-format json
}
cargo public-api --version > /dev/null 2>&1 || {
  echo "needs cargo-public-api: cargo install --locked cargo-public-api@0.52.0" >&2
  exit 2
}
names() { cargo public-api --rustdoc-json "$target/doc/secmon.json" -sss; }

case "${1:-}" in
  "") describe && diff -u sdk/public-api.txt <(names) && echo "the public API is as sdk/public-api.txt says" ;;
  --write) describe && names > "$target/names" && cp "$target/names" sdk/public-api.txt ;;
  *) echo "usage: .ci/public-api.sh [--write]" >&2; exit 2 ;;
esac
