#!/usr/bin/env bash
# The other programs of the build, generators and benchmarks, on bad calls and bad input: exit status 2 is a wrong call,
# 1 an error in an input or output, and the error is reported.
#   programs.sh PROGRAM...
set -u
. "$(dirname "$0")/work_folder.sh"
mapfile -t programs < <(realpath "$@")
cd "$work" || exit 1
mkdir folder
echo '[]' >list.json
echo '{}' >none.json
echo '{"operand_kinds": [], "instructions": []}' >core.json
echo '{"instructions": []}' >glsl.json
echo 'shader' >text.spv

# PROGRAM STATUS PATTERN ARGUMENTS: the output has a line that matches.
calls='
norn-build-gen|2|^usage: norn-build-gen OUTPUT$|
norn-build-gen|2|^usage: norn-build-gen OUTPUT$|one two
norn-build-gen|2|^usage: norn-build-gen OUTPUT$|--help
norn-build-gen|1|^folder: Is a directory$|folder
norn-build-gen|1|^missing/out.h: No such file|missing/out.h
norn-build-gen|1|^/dev/full: No space left|/dev/full
norn-build-gen|0||build.h
norn-rules-gen|2|^usage: norn-rules-gen OUTPUT$|
norn-rules-gen|2|^usage: norn-rules-gen OUTPUT$|one two
norn-rules-gen|2|^usage: norn-rules-gen OUTPUT$|--help
norn-rules-gen|1|^folder: Is a directory$|folder
norn-rules-gen|1|^/dev/full: No space left|/dev/full
norn-rules-gen|0||rules.c
norn-isa-gen|2|^usage: norn-isa-gen SCHEMA|
norn-isa-gen|2|^usage: norn-isa-gen SCHEMA|schema.rng isa.xml --header out.h
norn-isa-gen|2|expected header or tables, found .both.$|schema.rng isa.xml both out.h
norn-spirv-gen|2|^usage: norn-spirv-gen CORE.grammar.json GLSL.grammar.json OUTPUT$|core.json glsl.json
norn-spirv-gen|2|^usage: norn-spirv-gen |core.json glsl.json --output
norn-spirv-gen|1|missing.json.*No such file|missing.json glsl.json out.c
norn-spirv-gen|1|^norn-spirv-gen: list.json: expected an object with a list .instructions., a grammar|list.json glsl.json out.c
norn-spirv-gen|1|^norn-spirv-gen: none.json: expected an object with a list .instructions., a grammar|core.json none.json out.c
norn-spirv-gen|1|^norn-spirv-gen: glsl.json: expected an object with a list .operand_kinds., a grammar|glsl.json glsl.json out.c
norn-spirv-gen|1|^folder: Is a directory$|core.json glsl.json folder
norn-spirv-gen|0||core.json glsl.json out.c
bench-spirv|2|^usage: bench-spirv|
bench-spirv|2|^usage: bench-spirv|--once
bench-spirv|1|missing.spv.*No such file|--once missing.spv
bench-spirv|1|^text.spv: |--once text.spv
bench-ir|2|^usage: bench-ir|many
bench-ir|2|^usage: bench-ir|1
bench-ir|2|^usage: bench-ir|10 10
bench-ir|0|^[0-9]+ instructions, |100
bench-sim|2|^usage: bench-sim|0
bench-sim|2|^usage: bench-sim|nan
bench-sim|2|^usage: bench-sim|inf
bench-sim|2|^usage: bench-sim|0.01s
bench-sim|2|^usage: bench-sim|0.01 0.01
bench-sim|0|million lane-instructions a second$|0.001
bench-isa|2|^unknown ISA .elf.$|elf
bench-isa|2|^unknown architecture .42.$|valhall 42
bench-isa|2|^usage: bench-isa|valhall 9 many
bench-isa|2|^unexpected .--frobnicate.$|--frobnicate
bench-isa|0|^pack |--once --only pack valhall 9 4096
bench-compile|2|^usage: bench-compile|
bench-compile|2|^usage: bench-compile|--copies many text.spv
bench-compile|2|^usage: bench-compile|--frobnicate text.spv
bench-compile|1|missing.norn.*No such file|--once missing.norn
'
for program in "${programs[@]}"; do
  count=0
  while IFS='|' read -r name status pattern arguments; do
    [ "$name" = "${program##*/}" ] || continue
    count=$((count + 1))
    # shellcheck disable=SC2086 # several words
    "$program" $arguments >out.txt 2>&1 </dev/null
    got=$?
    [ $got -eq "$status" ] && { [ -z "$pattern" ] || grep -qE -- "$pattern" out.txt; } ||
      fail "$name $arguments: exit status $got instead of $status, or no line like $pattern: $(head -c 500 out.txt)"
  done <<<"$calls"
  [ $count -gt 0 ] || fail "nothing is tried with $program"
done
[ "$failed" -eq 0 ]
