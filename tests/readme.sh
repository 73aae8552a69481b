#!/usr/bin/env bash
# The commands of the README's tour work as typed, from the checkout. Usage: readme.sh NORN README
set -u
norn=$(realpath "$1")
readme=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A checkout where only the command is built.
mkdir -p "$folder/build/tools"
ln -s "$(dirname "$readme")"/{examples,README.md} "$folder"
ln -s "$norn" "$folder/build/tools/norn"
cd "$folder" || exit 1
awk '/^## / { inside = /^## Five minutes/ } inside && /^```/ { shell = /^```sh$/; next } inside && shell' README.md >tour.sh
[ "$(grep -c '^norn ' tour.sh)" -ge 8 ] || { echo "found only:"; cat tour.sh; exit 1; }
failed=0
set --
while IFS= read -r line; do
  eval "$line" >out.txt 2>err.txt || { failed=1; printf 'FAILED: %s\n' "$line"; cat err.txt; }
  case $line in norn*) [[ -s out.txt || $line == *' -o '* ]] || { failed=1; printf 'FAILED: %s prints nothing\n' "$line"; } ;; esac
done <tour.sh
exit "$failed"
