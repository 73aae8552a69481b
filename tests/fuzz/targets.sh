#!/usr/bin/env bash
# Creates the seeds and runs each fuzz target on mutations of them, and the others on the seeds themselves.
#   targets.sh NORN MUTATE COUNT PIPELINE_INPUTS XML_INPUTS
set -eu -o pipefail
norn=$(realpath "$1")
mutate=$(realpath "$2")
pipeline=$(realpath "$4")
xml=$(realpath "$5")
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
"$(dirname "$0")/seeds.sh" "$seeds" "$norn"
for target in ir compiler assembler disassembler simulator spirv; do
  directory=$seeds/fuzz-$target
  # Those for SPIR-V need tools that may be missing.
  if [ -d "$directory" ] || [ "$target" != spirv ]; then "$mutate" "$target" "$3" 1 "$directory"/*; fi
done
"$pipeline" "$seeds"/fuzz-pipeline/?
# Memory that it holds at an error is leaked.
ASAN_OPTIONS=detect_leaks=0 "$xml" "$seeds"/fuzz-xml/*
