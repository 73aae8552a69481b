#!/usr/bin/env bash
# Writes a directory of seeds for each fuzz target from the inputs of the tests.
#   seeds.sh DIRECTORY [NORN]: with the command, also machine code
# If a target reads its first byte as a choice (doc/fuzzing.md), the seed starts with one.
set -eu -o pipefail
out=$(realpath -m "$1")
norn=${2:+$(realpath "$2")}
cd "$(dirname "$0")/../.."

# seed TARGET plain|choice|ISA FILE...: copies the files. If the target reads a choice, each copy starts with a byte that
# differs by file; if an instruction set is given, the byte selects it.
isas=(valhall gcn vp1)
seed() {
  local directory=$out/fuzz-$1 kind=$2 number=0 file byte isa
  shift 2
  mkdir -p "$directory"
  for file; do
    number=$((number % 255 + 1)) byte=$number
    for isa in "${!isas[@]}"; do
      if [ "$kind" = "${isas[isa]}" ]; then byte=$((number % (255 / ${#isas[@]}) * ${#isas[@]} + isa)); fi
    done
    if [ "$kind" != plain ]; then printf "\\x$(printf %x "$byte")"; fi | cat - "$file" >"$directory/$kind-$number-$(basename "$file")"
  done
}

seed ir plain examples/*.norn tests/filetests/{ir,passes}/*.norn
seed compiler choice examples/*.norn tests/filetests/{run,values}/*.norn bench/kernels/*.norn
seed assembler valhall tests/filetests/asm/*.s
seed assembler gcn tests/filetests/gcn/*.s
seed assembler vp1 tests/filetests/vp1/*.s
seed xml plain tests/toy/*.xml
mkdir -p "$out/fuzz-pipeline"
for number in {1..64}; do
  printf "\\x$(printf %x "$number")" >"$out/fuzz-pipeline/$number"
done

# environment FILE OTHER: the SPIR-V environment that the file requests.
environment() {
  local named
  named=$(sed -n 's/^; environment: //p' "$1")
  echo "${named:-$2}"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if command -v glslangValidator spirv-as >/dev/null; then
  for source in tests/spirv/*.{comp,vert,frag}; do
    glslangValidator --target-env "$(environment "$source" vulkan1.1)" "$source" -o "$work/$(basename "$source").spv" >/dev/null
  done
  for source in tests/spirv/*.spvasm; do
    spirv-as --preserve-numeric-ids --target-env "$(environment "$source" spv1.3)" "$source" -o "$work/$(basename "$source").spv"
  done
  seed spirv choice "$work"/*.spv
fi
if [ -n "$norn" ]; then
  mkdir "${isas[@]/#/$work/}"
  for isa in "${isas[@]}"; do
    for source in tests/filetests/"${isa/valhall/asm}"/*.s; do
      "$norn" asm --target "$isa" "$source" -o "$work/$isa/$(basename "$source").bin" 2>/dev/null || true
    done
  done
  for source in examples/*.norn bench/kernels/*.norn; do
    "$norn" compile "$source" -o "$work/valhall/$(basename "$source").bin" 2>/dev/null || true
  done
  for isa in "${isas[@]}"; do
    seed disassembler "$isa" "$work/$isa"/*
    seed simulator "$isa" "$work/$isa"/*
  done
fi
