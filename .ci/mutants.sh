#!/usr/bin/env bash
# Mutation testing with cargo-mutants and cargo-nextest (cargo install --locked both): the engine, and the client's
# pipeline and envelopes. Each mutant meets its crate's own tests first; what survives meets the contract suite.
#
#   .ci/mutants.sh run engine 3     one shard, an hour at most; the same command again goes on where it ended
#   .ci/mutants.sh all              every shard that is not done, one after the other
#   .ci/mutants.sh again engine     what was missed, once more, after new tests; and what is new since
#   .ci/mutants.sh survivors        what survived so far, against the contract suite
#   .ci/mutants.sh report           writes report.md there; fails below 90 %, on survivors that
#                                nobody explained and on mutants that were not tried
#
# Results stand in target/mutants (MUTANTS_DIR); MUTANTS_JOBS mutants are tried at a time. Reasons for survivors stand in
# .ci/mutants-explained.tsv, one a line: the mutant without line and column, a tab, the reason.
set -euo pipefail
cd "$(dirname "$0")/.."

results=${MUTANTS_DIR:-target/mutants}
longest=${MUTANTS_MINUTES:-60}
jobs=${MUTANTS_JOBS:-1}
unset CARGO_TARGET_DIR
export CARGO_PROFILE_DEV_DEBUG=0 INSTA_UPDATE=no

# A loop without end is told by the processor time it took: by the clock, a busy machine would kill mutants.
runner=CARGO_TARGET_$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')_RUNNER
export "$runner=prlimit --cpu=60 --"

# A crate's own tests; a mutant ends at the first that fails.
own_tests=(--test-tool nextest --cargo-test-arg={--lib,--tests,--max-fail=1:immediate})

# A subject: its package, how many shards its files are dealt to, which files are changed, and how it is built.
subjects=(engine client redis)
describe() {
  case "$1" in
    engine) package=secmon-engine shards=8 where=() features=() ;;
    client) package=secmon shards=3 features=()
      where=(--file sdk/src/pipeline.rs --file 'sdk/src/pipeline/**' --file sdk/src/envelope.rs
        --exclude 'sdk/src/pipeline/pacer/redis*' --exclude 'sdk/src/pipeline/pacer/redis/**') ;;
    redis) package=secmon shards=1 features=(--features redis)
      where=(--file sdk/src/pipeline/pacer/redis.rs --file 'sdk/src/pipeline/pacer/redis/**') ;;
    *) echo "there is no subject $1; there are ${subjects[*]}" >&2; exit 2 ;;
  esac
  [ "$(listed | wc -l)" -gt 0 ] || { echo "no mutants of $1 can be listed" >&2; exit 1; }
}

# Every mutant of the subject, or with --list-files every file.
listed() { cargo mutants "${1:---list}" --package "$package" ${where[@]+"${where[@]}"}; }

mutate() { # where the results go, further arguments
  local out=$1 code=0
  shift
  mkdir -p "$out"
  timeout --signal=INT "${longest}m" cargo mutants --output "$out" --iterate --no-times --colors never \
    --jobs "$jobs" --minimum-test-timeout 600 --cap-lints true --package "$package" ${features[@]+"${features[@]}"} \
    "$@" || code=$?
  for list in caught missed timeout unviable; do
    touch "$out/$list"
    sort -u -o "$out/$list" "$out/mutants.out/$list.txt" "$out/$list"
  done
  case $code in
    0 | 2 | 3) touch "$out/done" ;;
    124 | 130) echo "$out is not done after $longest minutes; the same command goes on" ;;
    *) exit "$code" ;;
  esac
}

run() { # subject, shard from 1
  describe "$1"
  local out=$results/$1/$2-of-$shards
  [ -e "$out/done" ] && { echo "$out is done"; return; }
  # By file: the tool's own shards are dealt anew from what an earlier run left.
  local all files
  all=$(listed --list-files)
  mapfile -t files < <(awk -v shard="$2" -v shards="$shards" 'NR % shards == shard % shards' <<<"$all")
  [ ${#files[@]} -gt 0 ] || { echo "shard $2 of $1 has no file; there are $shards" >&2; exit 2; }
  mutate "$out" "${files[@]/#/--file=}" "${own_tests[@]}"
}

again() { # subject
  describe "$1"
  local names
  mapfile -t names < <({ missed "$1"; untried "$1"; } | sort -u)
  [ ${#names[@]} -eq 0 ] || { only "${names[@]}"; mutate "$results/$1/again-of-all" "${only[@]}" "${own_tests[@]}"; }
}

only() { # names of mutants: sets the arguments that choose them
  only=()
  local name
  for name in "$@"; do
    # The file too: version 27.1 lets mutants of struct fields through every --re.
    only+=(--file "${name%%:*}" --re "^$(printf '%s' "$name" | sed 's/[][().*+?^${}|\\]/\\&/g')\$")
  done
}

all() {
  for subject in "${subjects[@]}"; do
    describe "$subject"
    if [ "$subject" = redis ] && ! command -v redis-server >/dev/null; then
      echo "no redis-server: $subject is left out"
      continue
    fi
    for shard in $(seq "$shards"); do run "$subject" "$shard"; done
  done
}

collected() { # subject, list: every mutant of the list in any shard that the source still has
  comm -12 <({ cat "$results/$1"/*-of-*/"$2" 2>/dev/null || true; } | sort -u) <(listed | sort -u)
}

killed_by_contract() { cat "$results/$1/contract/"{caught,timeout} 2>/dev/null | sort -u || true; }

# Missed by the crate's own tests in the last run that met them.
missed() { comm -23 <(collected "$1" missed) <(killed_by_own "$1"); }

killed_by_own() { { collected "$1" caught; collected "$1" timeout; } | sort -u; }

untried() {
  comm -23 <(listed | sort -u) <(for list in caught timeout missed unviable; do collected "$1" "$list"; done | sort -u)
}

# The suite without what starts servers and programs of its own: a mutant takes seconds.
suite=(--test contract -- --skip honesty:: --skip remote:: --skip recipes:: --skip playbooks::)

survivors() {
  local names
  # cargo-mutants would run the changed crate's own tests for a baseline.
  cargo test --quiet --package secmon-contract-tests "${suite[@]}" >/dev/null
  export "$runner=prlimit --cpu=300 --"
  # It runs without Redis.
  for subject in engine client; do
    describe "$subject"
    mapfile -t names < <(comm -23 <(missed "$subject") <(killed_by_contract "$subject"))
    [ ${#names[@]} -eq 0 ] && continue
    only "${names[@]}"
    rm -f "$results/$subject/contract/done"
    mutate "$results/$subject/contract" "${only[@]}" --test-package secmon-contract-tests \
      --baseline skip --timeout 1200 --build-timeout 1200 "${suite[@]/#/--cargo-test-arg=}"
  done
}

# A mutant's name as it stands in .ci/mutants-explained.tsv: lines move.
unplaced() { sed -E 's/:[0-9]+:[0-9]+: / /'; }

reason() { awk -F '\t' -v name="$1" '$1 == name { print $2; exit }' .ci/mutants-explained.tsv; }

report() {
  local bad=0 text=$results/report.md
  {
    echo "# Mutants"
    echo
    echo "The engine and the client's pipeline and envelopes with one thing changed at a time, by cargo-mutants"
    echo "($(cargo mutants --version)), on $(date -u +%F) at $(git rev-parse --short HEAD). A mutant meets its crate's own"
    echo "tests first, a survivor the contract suite (which has no Redis); one that does not end in time counts as killed."
    echo "Written by \`.ci/mutants.sh report\`."
    echo
    echo "| subject | not tried yet | mutants tried | killed by own tests | by the contract suite | survived | killed |"
    echo "| --- | --- | --- | --- | --- | --- | --- |"
  } >"$text"
  local survived=""
  for subject in "${subjects[@]}"; do
    describe "$subject"
    local own contract left untried killed
    untried=$(untried "$subject" | wc -l)
    [ "$untried" -gt 0 ] && bad=1
    own=$(killed_by_own "$subject" | wc -l)
    contract=$(comm -12 <(missed "$subject") <(killed_by_contract "$subject") | wc -l)
    left=$(comm -23 <(missed "$subject") <(killed_by_contract "$subject"))
    local many=0
    [ -n "$left" ] && many=$(wc -l <<<"$left")
    local tried=$((own + contract + many))
    killed="not run"
    if [ "$tried" -gt 0 ]; then
      killed="$(awk "BEGIN { printf \"%.1f %%\", 100 * ($own + $contract) / $tried }")"
      awk "BEGIN { exit !(($own + $contract) / $tried < 0.9) }" && bad=1
    fi
    echo "| $subject | $untried | $tried | $own | $contract | $many | $killed |" >>"$text"
    survived+=$left$'\n'
  done
  survived=$(sed '/^$/d' <<<"$survived" | unplaced | sort -u)
  if [ -n "$survived" ]; then
    { echo; echo "Survivors, each with the reason why it may live:"; echo; } >>"$text"
    while IFS= read -r name; do
      local why
      why=$(reason "$name")
      [ -n "$why" ] || { why="not explained yet"; bad=1; }
      echo "- \`$name\`: $why" >>"$text"
    done <<<"$survived"
  fi
  cat "$text"
  return $bad
}

case "${1:-}" in
  run) [ $# -eq 3 ] || { echo "usage: .ci/mutants.sh run SUBJECT SHARD" >&2; exit 2; }; run "$2" "$3" ;;
  all) all ;;
  again) [ $# -eq 2 ] || { echo "usage: .ci/mutants.sh again SUBJECT" >&2; exit 2; }; again "$2" ;;
  survivors) survivors ;;
  report) report ;;
  *) sed -n '2,14s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
