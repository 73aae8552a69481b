#!/usr/bin/env bash
# Code outside of ir/ creates instructions only with a builder, and does not copy source locations itself.
# Usage: constructors.sh ROOT
set -euo pipefail
cd "$1"
found=$(grep -rnE 'ir/construct\.h|column = .*->column\b' --include=*.[ch] passes compiler check sim spirv tools tests || true)
[ -z "$found" ] || { printf 'use ir/builder.h instead:\n%s\n' "$found"; exit 1; }
grep -q norn_inst_create ir/construct.h || { echo "ir/construct.h has moved"; exit 1; }
