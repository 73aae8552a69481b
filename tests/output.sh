#!/usr/bin/env bash
# output.sh EXPECTED COMMAND...: the command succeeds and prints exactly what the file holds.
set -eu -o pipefail
expected=$1
shift
"$@" | diff "$expected" -
