#!/usr/bin/env bash
# The result of `meson install` is usable: a program is built with pkg-config and with CMake's use of it, and the command runs.
# Usage: installed.sh SOURCE BUILD COMPILER...
set -eu
source=$1 build=$2
shift 2
has() { command -v "$1" >/dev/null; }
has pkg-config || { echo "no pkg-config"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}

meson install -C "$build" --no-rebuild --quiet --destdir "$work/root"
pc=$(find "$work/root" -name norn.pc)
prefix=$work/root$(sed -n 's/^prefix=//p' "$pc")
export PKG_CONFIG_PATH=${pc%/*} LD_LIBRARY_PATH=${pc%/pkgconfig/*}
# The prefix in the file does not include the staging root: adjust it in our file only.
sed -i "s|^prefix=.*|prefix=$prefix|" "$pc"

[ "$("$prefix/bin/norn" --version)" = "norn $(pkg-config --modversion norn)" ] || fail "the command's version is not the library's"
"$prefix/bin/norn" run -q "$source/examples/saxpy.norn" || fail "norn run"
for page in norn norn-lsp; do find "$prefix" -name "$page.1*" | grep -q . || fail "no manual page $page"; done

# same WHAT PROGRAM: the program prints the same as the example.
same() {
  bash "$source/tests/output.sh" "$source/tests/examples/embed_compute.txt" "$2" || fail "$1: prints something else"
}
read -ra flags <<<"$(pkg-config --cflags --libs norn)"
"$@" -o "$work/program" "$source/examples/embed_compute.c" "${flags[@]}" -lm
same "pkg-config" "$work/program"

if has cmake; then
  mkdir "$work/cmake"
  cp "$source/examples/embed_compute.c" "$work/cmake"
  cat >"$work/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(NORN REQUIRED IMPORTED_TARGET norn)
add_executable(user embed_compute.c)
target_link_libraries(user PkgConfig::NORN m)
END
  if cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_C_COMPILER="${*: -1}" >"$work/log" 2>&1 && cmake --build "$work/cmake/build" >>"$work/log" 2>&1; then
    same "CMake" "$work/cmake/build/user"
  else
    fail "CMake"
    cat "$work/log"
  fi
fi
exit "$failed"
