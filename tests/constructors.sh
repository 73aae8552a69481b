#!/usr/bin/env bash
# Nothing outside of ir/ makes instructions but with a builder, or copies source locations itself.
# Usage: constructors.sh ROOT
set -euo pipefail
cd "$1"
found=$(grep -rnE 'ir/construct\.h|column = .*->column\b' --include=*.[ch] passes compiler check sim tools tests || true)
[ -z "$found" ] || { printf 'use ir/builder.h instead:\n%s\n' "$found"; exit 1; }
grep -q norn_inst_create ir/construct.h || { echo "ir/construct.h has moved"; exit 1; }
