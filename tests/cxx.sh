#!/usr/bin/env bash
# Each public header compiles as C++ by itself without a warning, and a program in C++ works.
# Usage: cxx.sh LIBRARY SOURCE BUILD
set -u
library=$1 source=$2 build=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -ra glib <<<"$(pkg-config --cflags --libs glib-2.0)"
flags=(-std=c++17 -Wall -Wextra -Werror -I"$source/include" -I"$build/include")
failed=0
for header in "$source"/include/norn/*.h "$build"/include/norn/*.h; do
  g++ "${flags[@]}" "${glib[@]}" -fsyntax-only -x c++ - <<<"#include <norn/$(basename "$header")>" ||
    { echo "FAILED: norn/$(basename "$header")"; failed=1; }
done
g++ "${flags[@]}" "$source/tests/cxx.cc" "$library" "${glib[@]}" -Wl,-rpath,"$(dirname "$(realpath "$library")")" -o "$work/program" &&
  [ "$("$work/program")" = 42 ] || { echo "FAILED: tests/cxx.cc"; failed=1; }
exit "$failed"
