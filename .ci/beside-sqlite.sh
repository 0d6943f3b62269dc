#!/usr/bin/env bash
# Resolves the mock as a dependency of tests in crates that have a SQLite of their own: cargo links one into a program, so
# the mock may bring none. Needs the index of crates.io.
#
#   .ci/beside-sqlite.sh           each crate's versions can stand side by side
#   .ci/beside-sqlite.sh --build   and a test in each starts the mock; minutes, and several hundred MB in target/
set -euo pipefail
cd "$(dirname "$0")/.."
checkout=$PWD
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A crate of this name with these dependencies, whose test starts the mock.
try() {
  local crate=$folder/$1
  mkdir -p "$crate/src"
  # The versions that the mock is tested with.
  cp Cargo.lock "$crate/"
  cat >"$crate/Cargo.toml" <<END
[package]
name = "$1"
edition = "2024"

[dependencies]
$2

[dev-dependencies]
secmon-mock = { path = "$checkout/mock-server" }

[workspace]
END
  cat >"$crate/src/lib.rs" <<'END'
//! A billing module.

#[test]
fn the_mock_runs_in_its_tests() {
    let server = secmon_mock::MockServer::start().expect("a mock");
    assert!(server.url().starts_with("http://"));
}
END
  cargo generate-lockfile --quiet --manifest-path "$crate/Cargo.toml"
  if [ "$build" = --build ]; then
    cargo test --quiet --lib --manifest-path "$crate/Cargo.toml" --target-dir "$target/beside-sqlite"
  fi
}

build=${1:-}
try beside-sqlx-postgres 'sqlx = { version = "0.8", default-features = false, features = ["runtime-tokio", "postgres"] }'
try beside-sqlx-sqlite 'sqlx = { version = "0.8", default-features = false, features = ["runtime-tokio", "sqlite"] }'
try beside-diesel 'diesel = { version = "2", default-features = false, features = ["sqlite"] }
libsqlite3-sys = { version = "*", features = ["bundled"] }'
try beside-rusqlite 'rusqlite = { version = "0.37", features = ["bundled"] }'
