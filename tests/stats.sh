#!/usr/bin/env bash
# norn stats: its counts against counts of the disassembly, the formats, and comparisons of two outputs.
# Usage: stats.sh NORN SOURCE
set -u
. "$(dirname "$0")/work_folder.sh"
source=$(realpath "$2")
cd "$work" || exit 1

# The figures of a program as "NAME VALUE" lines, counted in its disassembly.
count_text() {
  awk '/:$/ { next }
    { split($1, part, "."); name = part[1]; instructions++ }
    $1 ~ /\.wait/ { waits++ }
    name == "NOP" { nops++ }
    $1 ~ /^MOV\.i32/ { moves++ }
    $1 ~ /^IADD_IMM\.i32/ && $3 == "0x0," { constants++ }
    name ~ /^BRANCHZI?$/ { branches++ }
    $1 ~ /\.slot[0-2]/ || name ~ /^(BARRIER|ATEST|ZS_EMIT)$/ { messages++ }
    END { print "instructions", instructions; print "waits", waits + 0; print "nops", nops + 0; print "moves", moves + 0
      print "constant_moves", constants + 0; print "branches", branches + 0; print "messages", messages + 0 }' "$1"
}

# The member of the only program of a JSON output.
member() { grep -oE "\"$2\" : [0-9.]+" "$1" | head -1 | sed -E 's/.* : //; s/\.0+$//'; }

programs=0
for file in "$source"/examples/*.norn "$source"/bench/kernels/*.norn; do
  "$norn" stats --format json "$file" >out.json || fail "$file"
  [ "$(grep -c '"file"' out.json)" -eq 1 ] || continue # two programs
  "$norn" compile "$file" --emit asm >out.s || fail "$file"
  while read -r name value; do
    got=$(member out.json "$name")
    [ "$got" = "$value" ] || fail "$file: $name is $got, the text has $value"
  done < <(count_text out.s)
  "$norn" compile "$file" -o out.bin && "$norn" stats --format json out.bin >code.json || fail "$file as code"
  for name in instructions cycles longest_cycles waits; do
    [ "$(member out.json $name)" = "$(member code.json $name)" ] || fail "$file: $name differs for its code"
  done
  programs=$((programs + 1))
done
[ $programs -ge 10 ] || fail "only $programs programs counted"

# Two outputs compared: the same, worse, within the limit; what cannot be compared.
"$norn" stats --format json "$source/bench/kernels" >new.json || fail "stats of a folder"
"$norn" stats --format json -O0 -j 3 "$source/bench/kernels" >old.json || fail "stats on threads"
"$norn" stats --diff new.json new.json >same.txt || fail "the same is not worse"
grep -q '^instructions *1.0000 *0 *0$' same.txt || fail "the same has ratio 1"
"$norn" stats --diff new.json old.json >worse.txt && fail "-O0 is worse"
grep -q '/matmul.norn compute$' worse.txt || fail "what got worse is listed"
"$norn" stats --diff --limit 100000 new.json old.json >/dev/null || fail "within the limit"
echo '[1]' >bad.json
"$norn" stats --diff bad.json new.json >/dev/null 2>err.txt && fail "no such file of figures"
grep -q 'bad.json: expected' err.txt || fail "the message names the file"

# A program that does not compile is told, the others are counted.
echo 'shader nonsense' >bad.norn
"$norn" stats --format table "$source/examples/saxpy.norn" bad.norn >out.txt 2>err.txt && fail "a bad file is an error"
grep -q 'saxpy.norn compute *9 ' out.txt || fail "the good one is counted"
grep -q 'bad.norn:1:' err.txt || fail "the bad one is told"
"$norn" stats 2>/dev/null; [ $? -eq 2 ] || fail "usage"
"$norn" stats --trips 0 "$source/examples/saxpy.norn" 2>/dev/null; [ $? -eq 2 ] || fail "trips"
[ "$failed" -eq 0 ]
