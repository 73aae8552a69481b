#!/usr/bin/env bash
# The driver example on shaders of each stage, one of them invalid.
# Usage: driver.sh DRIVER TESTS; 77 (skipped) without glslang
set -eu -o pipefail
driver=$(realpath "$1") tests=$2
command -v glslangValidator >/dev/null || { echo "glslangValidator is missing"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for shader in saxpy.comp shared.comp transform.vert picture.frag; do
  glslangValidator -V --target-env vulkan1.1 "$tests/spirv/$shader" -o "$work/${shader%.*}.spv" >/dev/null
done
cp "$work/saxpy.spv" "$work/copy.spv"
printf 'no shader' >"$work/wrong.spv"
cd "$work"
"$tests/output.sh" "$tests/examples/driver.txt" "$driver" saxpy.spv shared.spv transform.spv picture.spv
# The same bytes are the same shader under any name; an error is reported once for all users.
"$driver" saxpy.spv copy.spv >out.txt
grep -qx '1 compiled, 3 found in the cache' out.txt || { cat out.txt; exit 1; }
if "$driver" saxpy.spv wrong.spv missing.spv >out.txt 2>err.txt; then echo "wrong files are not refused"; exit 1; fi
grep -qx 'wrong.spv: refused' out.txt && grep -qx 'missing.spv: refused' out.txt && grep -q '^wrong.spv: ' err.txt ||
  { cat out.txt err.txt; exit 1; }
grep -qx '2 compiled, 2 found in the cache' out.txt || { cat out.txt; exit 1; }
