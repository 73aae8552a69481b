#!/usr/bin/env bash
# Builds the fuzz targets as OSS-Fuzz requires: in $OUT, each with its dictionary and seeds, and the libraries that are
# missing on the machine that runs them. OSS-Fuzz sets $CC, $CFLAGS and $LIB_FUZZING_ENGINE.
set -eu -o pipefail
: "${OUT:?}" "${WORK:?}" "${LIB_FUZZING_ENGINE:?}"
cd "$(dirname "$(realpath "$0")")"
source=$(git rev-parse --show-toplevel 2>/dev/null || echo "${SRC:?}/norn")
build=$WORK/norn

rm -rf "$build"
meson setup "$build" "$source" -Dfuzz=true -Dfuzz_engine="$LIB_FUZZING_ENGINE" -Dmove_arrays=true -Ddocs=false -Db_lundef=false
ninja -C "$build" fuzz-targets
find "$build/tests/fuzz" -maxdepth 1 -type f -name 'fuzz-*' -perm -u+x -exec install -m 755 -t "$OUT" {} +
install -m 644 "$build"/tests/fuzz/fuzz-*.dict "$OUT"

# Seeds: the inputs of the tests.
"$source/tests/fuzz/seeds.sh" "$WORK/seeds"
for directory in "$WORK"/seeds/*; do
  python3 - "$OUT/$(basename "$directory")_seed_corpus.zip" "$directory"/* <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for number, path in enumerate(sys.argv[2:]):
        archive.write(path, str(number))
PYTHON
done

# Shared libraries are shipped with the targets.
mkdir -p "$OUT/lib"
for target in "$OUT"/fuzz-*; do
  [ -x "$target" ] && [[ $target != *.* ]] || continue
  ldd "$target" | awk '$3 ~ /lib(glib|json-glib|gobject|gio|gmodule|xml2|pcre|ffi|icu)/ { print $3 }' | xargs -r cp -t "$OUT/lib" -n
  if command -v patchelf >/dev/null; then patchelf --set-rpath '$ORIGIN/lib' "$target"; fi
done
