#!/usr/bin/env bash
# Fuzzes the readers of foreign text, one target after the other. Needs a nightly compiler and `cargo install cargo-fuzz`.
#
#   .ci/fuzz.sh 15                  every target for 15 minutes
#   .ci/fuzz.sh 15 state dumps      these
#   .ci/fuzz.sh keep                adds to fuzz/corpus/ the smallest inputs that reach something new
#
# What it finds stands in target/fuzz; an input that breaks something ends the run and is copied to fuzz/corpus/, which
# `cargo test -p secmon-fuzz` replays.
set -euo pipefail
cd "$(dirname "$0")/.."

# More inputs a second.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=3
work=target/fuzz
mapfile -t all < <(sed -n 's/^pub const TARGETS.*//; s/^    ("\([a-z_]*\)".*/\1/p' fuzz/src/lib.rs)

fuzz() { cargo +nightly fuzz "$1" --fuzz-dir fuzz --target-dir target --features libfuzzer "${@:2}"; }

run() { # minutes, target
  mkdir -p "$work/$2" "$work/broken/$2"
  fuzz run "$2" "$work/$2" "fuzz/corpus/$2" -- -max_total_time=$(($1 * 60)) -timeout=20 -rss_limit_mb=4096 \
    -max_len=65536 -artifact_prefix="$PWD/$work/broken/$2/" -print_final_stats=1 2>"$work/$2.log" || {
    cp "$work/broken/$2/"* "fuzz/corpus/$2/"
    tail -40 "$work/$2.log"
    echo "$2 broke: the input stands in fuzz/corpus/$2"
    return 1
  }
  echo "$2: $(grep -c . <(ls "$work/$2")) inputs kept, $(sed -n 's/^stat::number_of_executed_units: //p' "$work/$2.log") tried"
}

case "${1:-}" in
  keep)
    for target in "${all[@]}"; do
      fuzz run "$target" "fuzz/corpus/$target" "$work/$target" -- -merge=1 -max_len=4096
    done
    ;;
  [0-9]*)
    minutes=$1
    shift
    [ $# -gt 0 ] || set -- "${all[@]}"
    for target in "$@"; do run "$minutes" "$target"; done
    ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
