#!/usr/bin/env bash
# The shared library exports exactly what the public headers declare (in addition to symbols of sanitizers).
# Usage: exports.sh LIBRARY HEADER...
set -euo pipefail
library=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm --dynamic --defined-only --format=posix "$library" | cut -d' ' -f1 | grep -vE '^(_|NORN_0)' | sed 's/@.*//' | sort >"$work/exported"
# Prototypes are on one line or start one; a function defined in a header has its name at the start of a line.
grep -hE '^[a-zA-Z][a-zA-Z0-9_ ]* \**norn_[a-z0-9_]+\(' "$@" | grep -v '^static' |
  sed -E 's/\(.*//; s/.*[ *]//' | sort -u >"$work/declared"
[ -s "$work/declared" ] || { echo "no prototypes found"; exit 1; }
diff "$work/exported" "$work/declared" || { echo "(<: exported only; >: declared only)"; exit 1; }
