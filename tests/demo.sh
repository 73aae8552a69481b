#!/usr/bin/env bash
# ./dev demo shows what it promises, and the next steps that it prints work as typed.
# Usage: demo.sh NORN README
set -u
norn=$(realpath "$1")
readme=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A checkout in which only the command is built.
mkdir -p "$folder/build-demo/tools"
cp "$(dirname "$readme")/dev" "$folder"
ln -s "$(dirname "$readme")"/{examples,README.md} "$folder"
ln -s "$norn" "$folder/build-demo/tools/norn"
touch "$folder/build-demo/build.ninja"
cd "$folder" || exit 1
failed=0
# The packages are installed and the build is done.
mkdir bin
for name in dpkg-query meson ninja; do printf '#!/bin/sh\necho install ok installed\n' >"bin/$name" && chmod +x "bin/$name"; done
PATH=$PWD/bin:$PATH ./dev demo >demo.txt 2>&1 </dev/null || { echo "FAILED: ./dev demo"; failed=1; cat demo.txt; }
for wanted in 'FMA.f32' '^y=f32\[12' '^== to go on'; do
  grep -q -e "$wanted" demo.txt || { echo "FAILED: ./dev demo shows no $wanted"; failed=1; cat demo.txt; }
done
sed -n '/^== to go on/,$s/^  //p' demo.txt >next.sh
grep -q '^norn help$' next.sh || { echo "FAILED: ./dev demo does not say what to type next"; failed=1; }
set --
while IFS= read -r line; do
  eval "$line" >out.txt 2>err.txt || { failed=1; printf 'FAILED: %s\n' "$line"; cat err.txt; }
  case $line in norn*) [[ -s out.txt || $line == *' -o '* ]] || { failed=1; printf 'FAILED: %s prints nothing\n' "$line"; } ;; esac
done <next.sh
exit "$failed"
