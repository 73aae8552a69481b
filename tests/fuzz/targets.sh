#!/usr/bin/env bash
# Makes the seeds and runs each fuzz target on mutations of them.
#   targets.sh NORN MUTATE COUNT
set -eu -o pipefail
norn=$(realpath "$1")
mutate=$(realpath "$2")
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
"$(dirname "$0")/seeds.sh" "$seeds" "$norn"
for target in ir compiler assembler disassembler simulator spirv; do
  directory=$seeds/fuzz-$target
  # Those of SPIR-V need tools that may be missing.
  if [ -d "$directory" ] || [ "$target" != spirv ]; then "$mutate" "$target" "$3" 1 "$directory"/*; fi
done
