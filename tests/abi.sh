#!/usr/bin/env bash
# What programs built against the last release rely on is still so: the library's name for the loader, its symbols with
# their version, and the sizes of the public types. New ones may come. Usage: abi.sh LIBRARY LIST SOURCE BUILD COMPILER...
# With NORN_TEST_BLESS=1 the list becomes what is there now: that breaks programs where lines go or change, so raise the
# soname (soversion in meson.build, norn.map) along with it if there was a release since.
set -euo pipefail
library=$1 list=$2 source=$3 build=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -ra glib <<<"$(pkg-config --cflags glib-2.0)"

# A program that prints the size of each type with a name; the sizes are those of machines with 64-bit pointers.
mapfile -t types < <(grep -ohE '^\} Norn[A-Za-z0-9]+;' "$source"/include/norn/*.h | sed -E 's/^\} (.*);/\1/' | sort -u)
[ ${#types[@]} -ge 30 ] || { echo "found only ${#types[@]} types"; exit 1; }
{
  printf '#include <norn/norn.h>\n#include <stdio.h>\nint\nmain(void) {\n'
  for type in "${types[@]}"; do printf '  printf("size %%s %%zu\\n", "%s", sizeof(%s));\n' "$type" "$type"; done
  printf '  return sizeof(void *) == 8 ? 0 : 77;\n}\n'
} >"$work/sizes.c"
"$@" -I"$source/include" -I"$build/include" "${glib[@]}" -o "$work/sizes" "$work/sizes.c"
status=0
"$work/sizes" >"$work/now" || status=$?
[ "$status" -ne 77 ] || { echo "not a machine with 64-bit pointers"; exit 77; }
readelf -d "$library" | sed -nE 's/.*\(SONAME\).*\[(.*)\]/soname \1/p' >>"$work/now"
nm --dynamic --defined-only --format=posix "$library" | sed -nE 's/^(norn_[^ ]*) .*/symbol \1/p' >>"$work/now"
sort -o "$work/now" "$work/now"
[ "$(grep -c '^symbol .*@@NORN_' "$work/now")" -ge 100 ] || { echo "symbols without version"; exit 1; }
if [ "${NORN_TEST_BLESS:-}" = 1 ]; then cp "$work/now" "$list"; fi
lost=$(LC_ALL=C comm -23 <(LC_ALL=C sort "$list") <(LC_ALL=C sort "$work/now"))
[ -z "$lost" ] && exit 0
printf 'Programs built against the last release rely on this, which is not so any more:\n%s\n' "$lost"
printf 'If there was no release since it came, or the soname is raised: NORN_TEST_BLESS=1 meson test abi\n'
exit 1
