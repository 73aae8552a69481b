#!/usr/bin/env bash
# Every example after every step of the pipeline, compared with the program as written.
#   pipeline.sh NORN FILE...
# After each step of the pipeline the module prints, parses and prints the same and still computes the same in the
# interpreter; the binary disassembles and assembles to the same words; simulator and interpreter agree at
# each optimization level.
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

# results FILE RUNS: what the interpreter leaves in the buffers on what the run lines of RUNS say; what
# should come out is checked by other tests.
results() {
  sed 's/ *=>.*//' "$2" >"$folder/runs.norn"
  "$norn" run --engine interpreter --format text --runs="$folder/runs.norn" "$1"
}

same_results() {
  results "$1" "$1" >"$folder/as-written.txt" || return 1
  results "$2" "$1" >"$folder/as-changed.txt" || return 1
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

# None is left out: each example of the first file's folder is among the files.
left_out=$(comm -23 <(cd "$(dirname "$1")" && printf '%s\n' *.norn | sort) <(printf '%s\n' "${@##*/}" | sort))
holds "every example is tried, not all but $left_out" test -z "$left_out"

for file in "$@"; do
  name=$(basename "$file")
  for level in -O0 -O1 -O2 -O3; do
    holds "$name $level: simulator and interpreter agree" "$norn" run --engine both -q "$level" "$file"
    holds "$name $level: the disassembly assembles to the same words" reassembles "$file" "$level"
    before=$file
    number=0
    for step in $("$norn" passes "$level" | sed -n 's/^pipeline at -O.: //p'); do
      [ "$step" = pack ] && break
      number=$((number + 1))
      after=$folder/$number.norn
      holds "$name $level: $step" "$norn" opt --no-promote-constants -p "$step" "$before" -o "$after"
      holds "$name $level: prints the same after $step" round_trip "$after"
      holds "$name $level: computes the same after $step" same_results "$file" "$after"
      before=$after
    done
  done
done
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
