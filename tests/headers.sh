#!/usr/bin/env bash
# Each internal header compiles by itself, and all of them together: no header depends on another one being included
# first, and no two define the same name differently.
# Usage: headers.sh SOURCE BUILD COMPILER...
set -u
source=$1 build=$2
shift 2
read -ra glib <<<"$(pkg-config --cflags glib-2.0 libxml-2.0 json-glib-1.0 check)"
flags=(-std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -fsyntax-only -x c
  -I"$source" -I"$build" -I"$source/include" -I"$build/include" -I"$build/include/norn" -I"$build/isa" -I"$source/tools" -I"$source/fuzz" "${glib[@]}")
cd "$source" || exit 1
mapfile -t headers < <(find ir passes compiler check sim isa report spirv fuzz tools -name '*.h' | sort)
[ ${#headers[@]} -ge 50 ] || { echo "found only ${#headers[@]} headers"; exit 1; }
# A header that a source file includes first has already been compiled by itself.
declare -A is_first
while IFS= read -r header; do is_first[$header]=1; done < <(find ir passes compiler check sim isa report spirv fuzz tools -name '*.c' -exec grep -hm1 '^#include' {} + | sed -n 's/^#include "\(.*\)"$/\1/p')
failed=0
for header in "${headers[@]}"; do
  [ -z "${is_first[$header]:-}" ] || continue
  "$@" "${flags[@]}" - <<<"#include \"$header\"" || { echo "FAILED: $header by itself"; failed=1; }
done
printf '#include "%s"\n' "${headers[@]}" | "$@" "${flags[@]}" - || { echo "FAILED: all headers together"; failed=1; }
exit "$failed"
