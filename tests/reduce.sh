#!/usr/bin/env bash
# norn reduce: what each condition finds in a module, how small the result is, and what is reported.
#   reduce.sh NORN
set -u
. "$(dirname "$0")/work_folder.sh"
cd "$work" || exit 1

# check NAME MOST: NAME.out holds at most that many instructions.
check_size() {
  local count
  count=$(grep -cE '^  [^f]|^  f[^a]' "$1.out")
  [ "$count" -le "$2" ] || { fail "$1: $count instructions, expected at most $2"; cat "$1.out"; }
}

# check NAME PATTERN: NAME.out has a line like that.
check_line() {
  grep -qE -- "$2" "$1.out" || { fail "$1: no line like $2"; cat "$1.out"; }
}

# A module with everything that can be removed, around one sine, which each engine approximates in its own way.
cat >wrong.norn <<'END'
; run: grid=2 n=5 x=f32[1, 2, 3, 4, 5, 6, 7, 8] y=f32[0; 16] unused=i32[1; 100]
shader compute @t workgroup(8, 1, 1) shared(64) {
  fau x: i64 @ 0, y: i64 @ 2, n: i32 @ 4, unused: i64 @ 6
entry:
  %i = global_id.x
  %inside = icmp.ult.i32 %i, fau.n
  %px = shladd.u32.i64 fau.x, %i, 2
  br %inside, body, done
body:
  %v = load.global.f32 %px
  %b = call.f32 @f(%v, %i)
  jump head(0, %b)
head(%k: i32, %s: f32):
  %more = icmp.ult.i32 %k, 3
  br %more, round, out
round:
  %next = iadd.i32 %k, 1
  %t = fadd.f32 exact %s, 1.0
  switch.i32 %k, head(%next, %t), 1: head(%next, %s), 2: out
out:
  %py = shladd.u32.i64 fau.y, %i, 2
  %r = fsin.f32 %b
  store.global.f32 %r, %py
  jump done
done:
  end
}
function @f(%a: f32, %i: i32) -> f32 {
entry:
  %c = icmp.eq.i32 %i, 1
  br %c, one, other
one:
  return.f32 %a
other:
  %d = fmul.f32 %a, 3.0
  return.f32 %d
}
END
"$norn" reduce wrong.norn --chaos schedule,wait --seed 3 --arch 10 -o wrong.out || fail "wrong: exit status $?"
check_size wrong 3
check_line wrong '^; norn run --engine both --arch=10 -O0 wrong.out$'
check_line wrong '^; differs: y\[0\] is f32'
check_line wrong '^; wrong after [a-z-]+ \(pass [0-9]+\): y\[0\]'
check_line wrong '^; run: y=f32\[0\]$'
check_line wrong 'workgroup\(1, 1, 1\) \{$'
# The command in the first line reproduces it.
sed -n '1s/^; norn //p' wrong.out | xargs "$norn" >/dev/null 2>err.txt && fail "wrong: the command shows nothing"
grep -q 'the interpreter computes' err.txt || fail "wrong: the command says something else"
"$norn" reduce wrong.norn --chaos schedule,wait --seed 3 --arch 10 -o again.out
diff <(sed 1d wrong.out) <(sed 1d again.out) || fail "wrong: another result the second time"
"$norn" reduce - <wrong.out >/dev/null 2>&1 && fail "without a launch it is not run, so it shows nothing"

# An error of the compiler, found by its message.
cat >fails.norn <<'END'
; run: grid=1 y=f64[0]
shader compute @t workgroup(1, 1, 1) rounding(rtz) {
  fau y: i64 @ 0
entry:
  %a = load.global.f64 fau.y
  %b = fadd.f64 %a, 1.0
  %c = fmul.f64 %b, %a
  store.global.f64 %c, fau.y
  end
}
END
if "$norn" compile fails.norn >/dev/null 2>&1; then
  fail "fails: it compiles"
else
  "$norn" reduce fails.norn -o fails.out || fail "fails: exit status $?"
  check_line fails '^; fails: .*does not support'
  check_size fails 2
fi

# A script, passes, and the number of instructions.
cat >script.sh <<END
"$norn" compile "\$1" 2>/dev/null | grep -q FMA
END
"$norn" reduce wrong.norn --script "bash $work/script.sh" -o script.out || fail "script: exit status $?"
check_line script '^; script$'
check_size script 4
sed 's/fsin.f32 %b/fmul.f32 %b, %b/; s/icmp.ult.i32 %k, 3/icmp.ult.i32 %k, fau.n/' wrong.norn >right.norn
"$norn" reduce right.norn --slower-than 20 -o slow.out || fail "slow: exit status $?"
check_line slow '^; slow$'
check_line slow '^; norn run --stats'
"$norn" reduce right.norn -p inline,lower-switch,optimize,pack -o passes.out || fail "passes: exit status $?"
check_line passes '^; norn opt -p pack --no-contract passes.out$'
check_size passes 2

# Removing any of many equal elements gives the same result, so it is tried only once.
cat >equal.sh <<END
echo >>tried
grep -q 'y=f32\[0; 1500\]' "\$1"
END
sed 's/y=f32\[0; 16\]/y=f32[0; 1500]/' wrong.norn >equal.norn
"$norn" reduce equal.norn --script "bash $work/equal.sh" -o equal.out || fail "equal: exit status $?"
[ "$(wc -l <tried)" -lt 200 ] || fail "equal: $(wc -l <tried) trials"

# A long list is only cut roughly before the module is small: if nothing can be removed from it by then, not every element is
# tried.
cat >long.sh <<END
echo >>long_tried
! grep -q @f "\$1" || [ "\$(head -n 1 "\$1" | tr -cd , | wc -c)" -ge 1999 ]
END
sed "s/x=f32.*8\] /x=f32[$(seq -s ', ' 2000)] /" wrong.norn >long.norn
"$norn" reduce long.norn --script "bash $work/long.sh" -o long.out || fail "long: exit status $?"
[ "$(wc -l <long_tried)" -lt 1000 ] || fail "long: $(wc -l <long_tried) trials"
check_line long '^; run:( [a-z=0-9]*)?$'

# A signal ends the search, and the smallest module so far is written.
cat >stop.sh <<END
echo >>calls
[ "\$(wc -l <calls)" -lt 40 ] || kill -TERM "\$(cat pid)"
bash "$work/script.sh" "\$1"
END
"$norn" reduce wrong.norn --script "bash $work/stop.sh" -o stopped.out &
echo $! >pid
wait $!
[ $? -eq 143 ] || fail "stopped: exit status $?"
check_line stopped '^; script$'
bash script.sh stopped.out || fail "stopped: what is written does not show it"
[ "$(wc -l <stopped.out)" -lt "$(wc -l <wrong.norn)" ] || fail "stopped: nothing became smaller"
[ "$(wc -l <calls)" -lt 60 ] || fail "stopped: it went on"

# Limits, and inputs without a fault.
"$norn" reduce wrong.norn --script "$work/no-such-script" >/dev/null 2>err.txt
[ $? -eq 1 ] || fail "missing script: exit status"
grep -q 'no-such-script cannot be run: No such file' err.txt || fail "missing script: $(cat err.txt)"
# script_fails NAME PATTERN SCRIPT OPTIONS...: nothing is reduced, and the error says why.
script_fails() {
  "$norn" reduce wrong.norn --script "$3" "${@:4}" >out.txt 2>err.txt
  [ $? -eq 1 ] && [ ! -s out.txt ] && grep -qE "^error: wrong.norn: cannot be reduced: $2\$" err.txt || fail "$1: $(cat err.txt)"
}
echo true >not_executable.sh
script_fails "a script that is no program" ".*/not_executable.sh cannot be run: Permission denied" "$work/not_executable.sh"
script_fails "a script that takes long" 'the script takes longer than 1 s \(--timeout\)' "bash -c 'sleep 20'" --timeout=1
script_fails "a script that is ended" 'the script is ended by signal 9 \(Killed\)' "bash -c 'echo printed; kill -9 \$\$'"
grep -q ' printed$' err.txt || fail "what a script printed before it ended"
script_fails "a script with a wrong command" 'the script exits with 127, as shells do for what they cannot run' "bash -c no-such-command"

# If no process can be created, nothing is reported about the module. After a large comment is read, the command gets no
# more files.
{
  yes ';' | head -c 1000000
  prlimit --pid "$(cat pid)" --nofile=3
  cat wrong.norn
} | bash -c 'echo $$ >pid; exec "$@"' - "$norn" reduce - >out.txt 2>err.txt
[ "${PIPESTATUS[1]}" -eq 1 ] && [ ! -s out.txt ] && grep -qE '^error: <stdin>: cannot be reduced: cannot create a process for a trial: Too many open files$' err.txt ||
  fail "no process: $(cat err.txt)"
rm -f calls
cat >lone.sh <<END
echo >>calls
[ "\$(wc -l <calls)" -lt 40 ] || prlimit --pid "\$(cat pid)" --nofile=3
bash "$work/script.sh" "\$1"
END
bash -c 'echo $$ >pid; exec "$@"' - "$norn" reduce wrong.norn --script "bash $work/lone.sh" >lone.out 2>err.txt
[ $? -eq 1 ] && grep -q '^error: wrong.norn: stopped; the smallest module so far was written: cannot create a process for a trial' err.txt || fail "no more processes: $(cat err.txt)"
check_line lone '^; script$'
bash script.sh lone.out || fail "no more processes: what is written does not show it"
[ "$(wc -l <lone.out)" -lt "$(wc -l <wrong.norn)" ] || fail "no more processes: nothing became smaller"

# An output that cannot be written is detected before anything is tried.
for output in missing/out.norn . wrong.norn; do
  rm -f calls
  "$norn" reduce wrong.norn --script "bash $work/stop.sh" -o $output 2>err.txt
  [ $? -eq 1 ] && grep -qE "^error: $output: (cannot (create|open for writing)|the file is also an input)" err.txt && [ ! -e calls ] || fail "output $output: $(cat err.txt)"
done
"$norn" reduce wrong.norn --tries 3 -o few.out || fail "tries: exit status $?"
check_line few 'differs'
"$norn" reduce right.norn >/dev/null 2>err.txt
[ $? -eq 1 ] || fail "nothing: exit status"
grep -q 'does not show' err.txt || fail "nothing: $(cat err.txt)"
"$norn" reduce wrong.norn --condition traps >/dev/null 2>err.txt
[ $? -eq 1 ] || fail "traps: exit status"
"$norn" reduce wrong.norn --match 'no such message' >/dev/null 2>err.txt
[ $? -eq 1 ] || fail "match: exit status"
sed 's/%v = load.*/%v = load.global.f32 64/' wrong.norn >trap.norn
"$norn" reduce trap.norn >/dev/null 2>err.txt
[ $? -eq 1 ] || fail "trap: exit status"
grep -q 'cannot be reduced: .*outside all buffers' err.txt || fail "trap: $(cat err.txt)"
cat >race.norn <<'END'
; run: y=i32[0; 4]
shader compute @t workgroup(4, 1, 1) {
  fau y: i64 @ 0
entry:
  %i = local_id.x
  store.global.i32 %i, fau.y
  end
}
END
"$norn" reduce race.norn >/dev/null 2>err.txt
[ $? -eq 1 ] || fail "race, not looked for: exit status"
grep -q 'does not show' err.txt || fail "race, not looked for: $(cat err.txt)"
"$norn" reduce --races race.norn >/dev/null 2>err.txt
[ $? -eq 1 ] || fail "race: exit status"
grep -q 'cannot be reduced: .*without a barrier in between' err.txt || fail "race: $(cat err.txt)"

# An invalid launch is refused with its location in the file; repeat counts are decimal, as in norn run.
{ echo '; no launch'; sed 's/^; run: .*/; run:  x=f32[1; -1]/' wrong.norn; } >place.norn
"$norn" reduce --messages gcc place.norn >/dev/null 2>err.txt
grep -qx "place.norn:2:18: error: expected a repeat count, found '-1'" err.txt || fail "the place of a launch: $(cat err.txt)"
sed 's/^; run: .*/; run: x=f32[1; 010]/' wrong.norn >decimal.norn
"$norn" reduce decimal.norn --script "grep -q 'f32.1; 10.'" -o decimal.out 2>err.txt || fail "decimal: $(cat err.txt)"
check_line decimal '^; run: x=f32.1; 10.$'
[ "$failed" -eq 0 ]
