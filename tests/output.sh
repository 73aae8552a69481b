#!/usr/bin/env bash
# output.sh EXPECTED COMMAND...: the command succeeds and prints what the file holds. How many instructions and
# registers a program takes changes with every better compiler: such counts stand as N in the file.
set -eu -o pipefail
expected=$1
shift
"$@" | sed -E 's/[0-9]+ (instructions|registers)/N \1/g' | diff "$expected" -
