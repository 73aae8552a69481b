#!/usr/bin/env bash
# The file tests generated for an operation pass after the expectations are filled in, and fail before.
# Usage: skeleton.sh SKELETON NORN
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/ir" "$folder/values"
for operation in smin fma bitcast sdot4 split vec fcmp tex zext unpack_unorm8 shladd select load.attribute store.depth; do
  "$1" "$operation" "$folder" >/dev/null || { echo "FAILED: $operation"; exit 1; }
done
[ "$(find "$folder" -name '*.norn' | wc -l)" -ge 36 ] || { echo "files are missing"; exit 1; }
"$2" test "$folder" >/dev/null && { echo "the tests hold before anything is expected"; exit 1; }
"$2" test --bless "$folder" >/dev/null
"$2" test "$folder" | tail -1 | grep -q ' 0 failed' || { "$2" test "$folder"; exit 1; }
