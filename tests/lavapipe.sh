#!/usr/bin/env bash
# Compares GLSL shaders with Mesa's lavapipe: none may differ, and COUNT of them must agree.
#   lavapipe.sh LAVAPIPE COUNT SHADER...; exit status 77 (skipped) if glslang or lavapipe is missing
# For a longer run, use tests/lavapipe/lavapipe in the build folder, with --seeds=N and folders of SPIR-V.
set -u
lavapipe=$(realpath "$1")
count=$2
shift 2
command -v glslangValidator >/dev/null || { echo "glslangValidator is missing"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for source; do
  glslangValidator -V --target-env vulkan1.1 "$source" -o "$folder/$(basename "$source").spv" >"$folder/log.txt" || { cat "$folder/log.txt"; exit 1; }
done
"$lavapipe" --seeds=2 "$folder" >"$folder/out.txt"
status=$?
cat "$folder/out.txt"
[ $status -eq 0 ] || exit $status
[ "$(grep -c '^agree' "$folder/out.txt")" -ge "$count" ] || { echo "fewer than $count agree"; exit 1; }
