#!/usr/bin/env bash
# Every example after every step of the pipeline, compared with the program as written.
#   pipeline.sh NORN FILE...
# After each step of the pipeline, the module can be printed and parsed without a change and still has the same results
# in the interpreter; the binary disassembles and assembles to the same words; simulator and interpreter agree at each
# optimization level.
set -u
norn=$(realpath "$1")
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0

# holds WHAT COMMAND...: counts whether the command succeeds.
holds() {
  local what=$1
  shift
  if "$@" >"$folder/log.txt" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$what"
    sed 's/^/  /' "$folder/log.txt" | head -20
  fi
}

# results FILE: the buffers' contents after the interpreter's runs according to the example's run lines; other tests
# check that they are correct.
results() {
  "$norn" run --engine interpreter --format text --runs="$folder/runs.norn" "$1"
}

same_results() {
  results "$1" >"$folder/as-changed.txt" || return 1
  diff "$folder/as-written.txt" "$folder/as-changed.txt"
}

round_trip() {
  "$norn" opt "$1" -o "$folder/again.norn" && diff "$1" "$folder/again.norn"
}

reassembles() {
  "$norn" compile "$2" "$1" -o "$folder/code.bin" &&
    "$norn" disasm "$folder/code.bin" -o "$folder/code.s" &&
    "$norn" asm "$folder/code.s" -o "$folder/again.bin" &&
    cmp "$folder/code.bin" "$folder/again.bin"
}

# None is missing: every example in the first file's folder is among the files.
left_out=$(comm -23 <(cd "$(dirname "$1")" && printf '%s\n' *.norn | sort) <(printf '%s\n' "${@##*/}" | sort))
holds "every example is tried, not all but $left_out" test -z "$left_out"

# steps FILE LEVEL STEP...: a result for a step is reused if the same text occurs again, since the same step gives the same
# result for it.
steps() {
  local before=$1 level=$2 name after
  name=$(basename "$before")
  shift 2
  for step in "$@"; do
    if [ -z "${made["$before $step"]-}" ]; then
      holds "$name $level: $step" "$norn" opt --no-promote-constants -p "$step" "$before" -o "$folder/after.norn"
      after=$(sha256sum <"$folder/after.norn")
      after=$folder/${after%% *}.norn
      if [ ! -e "$after" ]; then
        mv "$folder/after.norn" "$after"
        holds "$name $level: prints the same after $step" round_trip "$after"
        holds "$name $level: computes the same after $step" same_results "$after"
      fi
      made["$before $step"]=$after
    fi
    before=${made["$before $step"]}
  done
}

for file in "$@"; do
  name=$(basename "$file")
  sed 's/ *=>.*//' "$file" >"$folder/runs.norn"
  results "$file" >"$folder/as-written.txt" || failed=$((failed + 1))
  declare -A made=()
  for level in -O0 -O1 -O2 -O3; do
    holds "$name $level: simulator and interpreter agree" "$norn" run --engine both -q "$level" "$file"
    holds "$name $level: the disassembly assembles to the same words" reassembles "$file" "$level"
    list=$("$norn" passes "$level" | sed -n 's/^pipeline at -O.: //p' | tr '\n' ' ')
    holds "$name $level: the pipeline has a step that packs" grep -q ' pack ' <<<"$list"
    # shellcheck disable=SC2086
    steps "$file" "$level" ${list%% pack *}
  done
done
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
