#!/usr/bin/env bash
# The formats of errors, and compiling again when the input changes.
# Usage: messages.sh NORN EXAMPLES
set -u
examples=$(realpath "$2")
. "$(dirname "$0")/work_folder.sh"
cd "$work" || exit 1
printf 'shader compute @x workgroup(1, 1, 1) {\nentry:\n  %%1 = iad.i32 1, 2\n  end2\n}\n' >wrong.norn

same() {
  cmp -s "$1" err.txt || { fail "$2"; diff "$1" err.txt; }
}

"$norn" compile --messages gcc wrong.norn 2>err.txt && fail "a wrong file compiles"
cat >wanted.txt <<'END'
wrong.norn:3:8: error: unknown operation 'iad.i32'; did you mean iadd?
wrong.norn:4:3: error: unknown operation 'end2'; did you mean end?
END
same wanted.txt "errors as GCC prints them"

"$norn" compile --messages=json wrong.norn 2>err.txt && fail "a wrong file compiles"
cat >wanted.txt <<'END'
{"severity":"error","file":"wrong.norn","line":3,"column":8,"message":"unknown operation 'iad.i32'; did you mean iadd?"}
{"severity":"error","file":"wrong.norn","line":4,"column":3,"message":"unknown operation 'end2'; did you mean end?"}
END
same wanted.txt "errors as JSON"

# Files with colons and digits in their names, places without a column, no place at all.
cp wrong.norn 'a:1:2.norn'
"$norn" opt --messages gcc 'a:1:2.norn' 2>err.txt
grep -qx "a:1:2.norn:3:8: error: unknown operation 'iad.i32'; did you mean iadd?" err.txt || fail "a name with colons"
# A line break in a name does not split the message.
cp wrong.norn $'a\nb.norn'
"$norn" opt --messages json $'a\nb.norn' 2>err.txt
[ "$(grep -c '^{"severity":"error","file":"a?b.norn","line":' err.txt)" -eq 2 ] && [ "$(wc -l <err.txt)" -eq 2 ] || fail "a name with a line break, as JSON"
"$norn" opt --messages json $'a\nc.norn' 2>err.txt
grep -qx '{"severity":"error","message":"a?c.norn: cannot open: No such file or directory"}' err.txt || fail "a missing file with a line break"
printf 'FROB r0\n' | "$norn" asm --messages gcc - 2>err.txt
grep -q "^<stdin>:1:1: error: 'FROB'" err.txt || fail "assembly as GCC prints it"
for messages in text gcc; do # quoted input must not reach the terminal as commands
  printf 'FROB\033[31m r0\nFADD.f32\033[2J r0, r1, r2\n' | "$norn" asm --messages "$messages" - 2>err.txt
  grep -qF "'FROB?[31m'" err.txt && ! grep -q $'\033' err.txt || fail "control characters, as $messages"
done
"$norn" compile --messages gcc missing.norn 2>err.txt
grep -qx 'norn: error: missing.norn: cannot open: No such file or directory' err.txt || fail "no place, as GCC prints it"
"$norn" compile --messages json missing.norn 2>err.txt
grep -qx '{"severity":"error","message":"missing.norn: cannot open: No such file or directory"}' err.txt || fail "no place, as JSON"
"$norn" run --messages gcc "$examples/saxpy.norn" grid=1 a=1.0 n=1 'x=f32[1]' 'y=f32[1]' '=>' 'y=f32[3]' >out.txt 2>err.txt &&
  fail "a wrong expectation is right"
grep -q 'error: ' err.txt || fail "an error of a run as GCC prints it"
"$norn" compile --messages xml wrong.norn 2>err.txt
[ $? -eq 2 ] && grep -q "unknown message format 'xml', expected text, gcc or json" err.txt || fail "a form that there is not"

# Wrong calls, missing files, and file tests that fail.
"$norn" compile --level 7 --messages json "$examples/saxpy.norn" 2>err.txt
grep -q '^{"severity":"error","message":"--level (-O): expected a number from 0 to 3, found 7.*usage: norn compile ' err.txt || fail "a wrong call as JSON"
"$norn" compile --messages gcc --no-such-option 2>err.txt
grep -qx 'norn: error: Unknown option --no-such-option' err.txt || fail "an unknown option as GCC prints it"
"$norn" isa --messages gcc FADDD 2>err.txt
grep -q "^norn: error: valhall has nothing named 'FADDD'" err.txt || fail "what is no instruction, as GCC prints it"
"$norn" passes --messages json --target gcn 2>err.txt
grep -q '^{"severity":"error","message":"compiling for the target .gcn. is not supported, only for valhall' err.txt || fail "what is no target of the compiler, as JSON"
"$norn" ops --messages json fmax2 2>err.txt
grep -q '^{"severity":"error","message":"no operation is named ' err.txt || fail "what is no operation, as JSON"
"$norn" run --messages gcc "$examples/saxpy.norn" grid=1 n=1 'x=f32[1]' 'y=f32[1]' 2>err.txt >out.txt
grep -qx "norn: note: the uniform 'a' has no value and is 0; set it with a=VALUE" err.txt || fail "a note as GCC prints it"
printf '; test: --version\n; expect:\n; norn 0\n' >old.norn
"$norn" test --messages json old.norn 2>err.txt >out.txt && fail "a test that fails"
grep -q '^{"severity":"error","file":"old.norn","line":1,"message":"the test fails\\n' err.txt || fail "a test that fails, as JSON"

# Quoted input is cut, however long it is and wherever it comes from: no line is longer than a long path.
long=$(printf '%100000s' '' | tr ' ' x)
short() {
  "$norn" "$@" >out.txt 2>err.txt </dev/null
  local status=$?
  [[ $status = [12] ]] && [ -s err.txt ] && [ "$(awk '{ if (length > n) n = length } END { print n }' err.txt)" -lt 1000 ] ||
    fail "${*//xxxxxxxxxx*xx/xxx...}: $(wc -c <err.txt) bytes: $(cut -c 1-200 err.txt)"
}
echo "$long" >word.txt
printf 'FADD.f32 r0, r1, %s\nBRANCHZ r0, %s\nNOP.%s\n' "$long" "$long" "$long" >words.s
sed "s/%inside, body/%$long, body/" "$examples/saxpy.norn" >value.norn
sed "s/fau.n/fau.$long/" "$examples/saxpy.norn" >uniform.norn
sed "s/ n=3/ $long=3/" "$examples/saxpy.norn" >launch.norn
for messages in text gcc json; do
  for verb in asm compile opt run check stats report reduce; do
    short $verb --messages $messages word.txt
  done
  short asm --messages $messages words.s
  short compile --messages $messages value.norn
  short compile --messages $messages uniform.norn
  short run --messages $messages launch.norn
  short run --messages $messages "$examples/saxpy.norn" "$long=1"
  short run --messages $messages "$examples/saxpy.norn" "$long"
  short compile --messages $messages --level "$long" "$examples/saxpy.norn"
  short compile --messages $messages --arch "$long" "$examples/saxpy.norn"
  short opt --messages $messages -p "$long" "$examples/saxpy.norn"
  short compile --messages $messages "--$long" "$examples/saxpy.norn"
  short compile --messages $messages "$long"
  short isa --messages $messages "$long"
  short ops --messages $messages "$long"
  short passes --messages $messages --target "$long"
  short "$long" --messages $messages
done

# Watching: runs once, again when the file is written, again when it is replaced, until it is stopped.
wait_for() {
  for ((try = 0; try < 100; try++)); do
    grep -qs -e "$1" "$2" && return
    sleep 0.1
  done
  fail "nothing like $1 in $2"
}
cp "$examples/saxpy.norn" watched.norn
"$norn" compile --watch watched.norn --messages gcc -o out.hex >/dev/null 2>watch.txt &
watcher=$!
wait_for '^== .* done; waiting for watched.norn to change' watch.txt
first=$(cat out.hex)
cat wrong.norn >watched.norn
wait_for '^watched.norn:3:8: error: ' watch.txt
wait_for '^== .* failed; waiting' watch.txt
cp "$examples/dot.norn" new.norn
mv new.norn watched.norn
for ((try = 0; try < 100; try++)); do
  [ "$(grep -c ' done; waiting' watch.txt)" -eq 2 ] && break
  sleep 0.1
done
[ "$(cat out.hex)" != "$first" ] || fail "a replaced file is not compiled"
kill "$watcher"
wait "$watcher" 2>/dev/null
"$norn" compile --watch - 2>err.txt </dev/null
[ $? -eq 2 ] && grep -q 'standard input cannot be watched' err.txt || fail "watching standard input"
[ "$failed" -eq 0 ]
