#!/usr/bin/env bash
# bench/scoreboard: means, lists and history for a folder with made-up figures of other compilers.
# Usage: scoreboard.sh NORN SOURCE
set -u
. "$(dirname "$0")/work_folder.sh"
source=$(realpath "$2")
cd "$work" || exit 1
board() { "$source/bench/scoreboard" --norn "$norn" --only "$@"; }

mkdir set
cp "$source"/examples/{saxpy,hash}.norn "$source/tests/filetests/ir/vertex.norn" set
"$norn" stats --format json -o ours.json --buffer-addresses set || fail "stats"
# figure FILE PART NAME
figure() { python3 -c 'import json, sys
for p in json.load(open("ours.json"))["programs"]:
  if p["file"].endswith(sys.argv[1]) and p["part"] == sys.argv[2]: print(p[sys.argv[3]])' "$@"; }
saxpy=$(figure saxpy.norn compute instructions) hash=$(figure hash.norn compute instructions)
position=$(figure vertex.norn position instructions)

# Twice and eight times the instructions of two programs: the ratios 1/2 and 1/8 have the mean 1/4.
cat >set/a.csv <<END
shader,mode,part,inst,cycles,waits,threads
saxpy.norn,gl-like,COMPUTE,$(awk "BEGIN { print 2 * $saxpy }"),1000,0,2
saxpy.norn,other,COMPUTE,1,1,0,2
hash.norn,gl-like,COMPUTE,$(awk "BEGIN { print 9 * $hash }"),1000,0,2
vertex.norn,gl-like,VARYING,1,1,0,2
END
# Another file has better figures for one of them: the best of both counts, figure by figure.
cat >set/b.csv <<END
shader,part,inst,cycles
hash.norn,COMPUTE,$(awk "BEGIN { print 8 * $hash }"),2000
missing.norn,COMPUTE,1,1
saxpy.norn,COMPUTE,0,0
END
echo 'a table,of,something else' >set/c.csv
board --json out.json set >out.txt || fail "runs"
grep -Eq '^  ratio +0\.250 ' out.txt || fail "the mean of 1/2 and 1/8: $(grep ratio out.txt)"
grep -Eq '^  worse than the peer +0 +0 ' out.txt || fail "none is worse"
grep -q '^set: 2 programs without figures' out.txt || fail "without POSITION both programs of a vertex shader are left out"
awk '/^worst instructions/ { getline; exit $1 != "saxpy.norn" || $3 != "0.500" }' out.txt || fail "the worst"
awk '/^best instructions/ { getline; exit $1 != "hash.norn" || $3 != "0.125" }' out.txt || fail "the best"
board --list 1 set | grep -c '\.norn ' >lines.txt
[ "$(cat lines.txt)" -eq 6 ] || fail "lists of one"

# A program that is removed entirely says nothing about code.
printf 'shader compute @empty workgroup(1, 1, 1) {\nentry:\n  end\n}\n' >set/empty.norn
echo 'empty.norn,gl-like,COMPUTE,100,1,0,2' >>set/a.csv
board set >out.txt || fail "runs with a program that does nothing"
grep -Eq '^  ratio +0\.250 ' out.txt || fail "the empty program counts: $(grep ratio out.txt)"
grep -q '^set: 1 programs that do nothing are left out' out.txt || fail "says that one is left out"

# A vertex shader with both programs counts; more instructions than the peer's are worse.
echo "vertex.norn,gl-like,POSITION,$(awk "BEGIN { print $position / 2 }"),1,0,1" >>set/a.csv
board set >out.txt || fail "runs with a vertex shader"
grep -Eq '^set +4 ' out.txt || fail "four programs"
awk '/^worst instructions/ { getline; getline; exit $2 != "position" || $3 != "2.000" }' out.txt || fail "position is twice as long"

# History: a row with the columns of the first row; a set that was not measured has none.
printf '# words\ndate\tcommit\tnote\tset.programs\tset.instructions\tother.cycles\n' >history.tsv
board --record $'first\trow' --history history.tsv set >/dev/null || fail "records"
ratio=$(python3 -c 'import json; print("%.4f" % json.load(open("out.json"))[0]["means"]["instructions"]["ratio"])')
[ "$ratio" = 0.2500 ] || fail "JSON: $ratio"
[ "$(tail -1 history.tsv | cut -f3,4,6)" = $'first row\t4\t-' ] || fail "the row: $(tail -1 history.tsv)"
[ "$(tail -1 history.tsv | awk -F'\t' '{ print NF }')" -eq 6 ] || fail "as many columns as the first row"
echo nothing >bad.tsv
board --record x --history bad.tsv set >/dev/null 2>err.txt && fail "no history"
grep -q 'bad.tsv: expected' err.txt || fail "says what is expected"

# Errors are reported.
board nowhere >/dev/null 2>err.txt && fail "no such folder"
grep -q 'nowhere: no such folder' err.txt || fail "names the folder"
echo 'saxpy.norn,gl-like,COMPUTE,many,1,0,2' >>set/a.csv
board set >/dev/null 2>err.txt && fail "no number"
grep -q "inst is 'many'" err.txt || fail "says what is no number"
[ "$failed" -eq 0 ]
