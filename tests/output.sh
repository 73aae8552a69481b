#!/usr/bin/env bash
# output.sh EXPECTED COMMAND...: the command succeeds and prints the contents of the file. The numbers of instructions
# and registers of a program change with every improvement of the compiler: such counts are N in the file.
set -eu -o pipefail
expected=$1
shift
"$@" | sed -E 's/[0-9]+ (instructions|registers)/N \1/g' | diff "$expected" -
