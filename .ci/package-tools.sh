#!/usr/bin/env bash
# Installs what packages are made with into target/package-tools, unless it is there, and prints the folder of the programs:
#
#     PATH=$(.ci/package-tools.sh):$PATH
#     PATH=$(.ci/package-tools.sh --cross):$PATH    # with what links for another platform: zig and cargo-zigbuild
#
# Needs cargo, and python3 with pip.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=${CARGO_TARGET_DIR:-$PWD/target}/package-tools
python=$(command -v python3 || command -v python)
install_python() { # a package, its version; each in a folder of its own, since pip replaces a `bin` that is there
  [ -e "$tools/python/$1/$1-$2.dist-info" ] || [ -e "$tools/python/$1/${1//-/_}-$2.dist-info" ] ||
    "$python" -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps \
      --upgrade --target "$tools/python/$1" "$1==$2"
}
{
  install_python maturin 1.16.0
  if [ "${1:-}" = --cross ]; then
    install_python ziglang 0.17.1
    install_python cargo-zigbuild 0.24.1
  fi
  [ -e "$tools/bin/cargo-cyclonedx" ] || [ -e "$tools/bin/cargo-cyclonedx.exe" ] ||
    cargo install --quiet --locked --root "$tools" --version 0.5.9 cargo-cyclonedx
  mkdir -p "$tools/bin"
  cp "$tools"/python/*/bin/* "$tools/bin"
  [ "${1:-}" != --cross ] || ln -sf ../python/ziglang/ziglang/zig "$tools/bin/zig"
} >&2
# A path of Windows for its runners.
if command -v cygpath >/dev/null; then cygpath -w "$tools/bin"; else printf '%s\n' "$tools/bin"; fi
