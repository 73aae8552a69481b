#!/usr/bin/env bash
# norn fuzz: what a corpus keeps, that this does not depend on the number of processes and shards, and the commands for
# a finding.
#   fuzz.sh NORN
set -u
. "$(dirname "$0")/work_folder.sh"
cd "$work" || exit 1
modules=80

# expect STATUS PATTERN ARGUMENT...: norn fuzz exits with the status and prints a line like the pattern. Using a single
# operation besides those in all modules is fast, and soon reaches nothing new.
expect() {
  local wanted=$1 pattern=$2 status
  shift 2
  "$norn" fuzz --only iadd "$@" >out.txt 2>&1
  status=$?
  [ "$status" -eq "$wanted" ] || { fail "fuzz $*: exit status $status, expected $wanted"; cat out.txt; }
  grep -qE -- "$pattern" out.txt || { fail "fuzz $*: no line like $pattern"; cat out.txt; }
}

# The kept modules are those of some seeds, not all of them, and always the same, with any number of processes.
expect 0 "^$modules modules .* 0 findings" --count "$modules" --corpus one -j 1
count=$(find one -name '*.norn' | wc -l)
[ "$count" -gt 0 ] && [ "$count" -lt "$modules" ] || fail "$count of $modules modules are kept"
grep -q ", $count kept$" out.txt || fail "$count are kept, but it says otherwise: $(cat out.txt)"
cmp -s one/1.norn <("$norn" fuzz --only iadd --print 1) || fail "the module of seed 1 is kept, but another one"
expect 0 ", $count kept$" --count "$modules" --corpus many -j 3
diff -r one many || fail "three processes keep others"

# A second run checks the kept modules and adds nothing; another range of seeds adds modules.
expect 0 "^$((count + modules)) modules .*, 0 kept$" --count "$modules" --corpus one -j 2
diff -r one many || fail "a second run changes the corpus"
expect 0 "^$((count + 20)) modules .*, [1-9][0-9]* kept$" --seed 1000 --count 20 --corpus many -j 2
diff -r one many | grep -qvE '^Only in many: 10[0-9]{2}\.norn$' && fail "what there was has changed"

# Shards, each with its own corpus, merge to the corpus of a single run.
for i in 1 2 3; do
  expect 0 ' 0 findings' --count "$modules" --shard "$i/3" --corpus "shard$i" -j 1
done
[ "$(cat shard?/*.norn | wc -l)" -gt "$(cat one/*.norn | wc -l)" ] || fail "shards keep no more than is needed"
expect 0 ", $count kept$" --count 0 --corpus merged shard3 shard1 shard2
diff -r one merged || fail "shards keep others"

# A module that no longer agrees is found in the corpus, with commands that reproduce and reduce it.
mkdir wrong
cat >wrong/17.norn <<'END'
; run: grid=1 y=f32[0] x=f32[5]
shader compute @t workgroup(1, 1, 1) {
  fau y: i64 @ 0, x: i64 @ 2
b0:
  %0 = load.global.f32 fau.x
  %1 = fadd.f32 %0, 1.0
  %2 = fsin.f32 %1
  store.global.f32 %2, fau.y
  end
}
END
expect 1 '^wrong/17.norn: seed 17 -O0 .* but the interpreter computes' --count 0 --corpus wrong
sed -n 's/^  norn \(run .*\)/\1/p' out.txt | xargs "$norn" >shown.txt 2>&1 && fail "the command shows nothing"
grep -q 'but the interpreter computes' shown.txt || fail "the command shows something else: $(cat shown.txt)"
sed -n 's/^  norn \(reduce .*\)/\1 -o small.norn/p' out.txt | xargs "$norn" || fail "it is not reduced"
[ "$(grep -c '^  %' small.norn)" -eq 1 ] || { fail "it is not small"; cat small.norn; }

# A signal ends the search, but the results are still reported.
"$norn" fuzz --only fadd --count 100000000 -j 2 --corpus endless >out.txt &
search=$!
until [ -n "$(ls endless 2>/dev/null)" ]; do sleep 0.1; done
kill -TERM $search
wait $search && fail "the signal has no effect"
grep -qE '^[1-9][0-9]* modules from seed 1, .* kept$' out.txt || { fail "nothing is told of the search"; cat out.txt; }

# A module that is only printed.
expect 0 '^shader ' --print 17
for option in --format=json --output=one --corpus=one --shard=1/2 --time=1 -j2; do
  expect 2 'cannot be used with --print' --print 17 "$option"
done

# Invalid corpora.
expect 2 "unexpected argument 'one' without --corpus" one
expect 2 '--corpus cannot be used with --engine=interpreter' --engine interpreter --corpus one
cp one/1.norn wrong/first.norn
expect 1 'wrong/first.norn: .* such as 17.norn' --count 1 --corpus wrong
expect 1 'no-such-directory' --count 1 --corpus one no-such-directory
expect 1 '^error: one/1.norn: not a folder of modules$' --count 1 --corpus one one/1.norn
# If the output cannot be written, this is reported before anything is tried.
for option in -o --corpus; do
  expect 1 '^error: one/1.norn: cannot make this folder or write into it: ' --count 1 "$option" one/1.norn
  expect 1 '^error: /proc/nothing: cannot make this folder or write into it: ' --count 1 "$option" /proc/nothing
done
[ "$failed" -eq 0 ]
