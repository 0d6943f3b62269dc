#!/usr/bin/env bash
# Makes two Python wheels, secmon and secmon-mock, in target/package: each holds its program, that of the mock a pytest plugin
# too, so that a Python project needs no Rust. Needs maturin (`.ci/package-tools.sh`), which adds an SBOM.
#
#   .ci/package-wheels.sh                    for this computer's platform
#   .ci/package-wheels.sh --target TRIPLE    for another one
set -euo pipefail
cd "$(dirname "$0")/.."

results=${CARGO_TARGET_DIR:-target}/package
# One after the other: built together, each would have the features that the other one asks for.
wheel() { # a package's folder, its profile, more for maturin
  maturin build --profile "$2" --locked --manifest-path "$1/Cargo.toml" --out "$results" "${@:3}"
}
wheel cli dist-cli "$@"
wheel mock-server dist --features durable "$@"
