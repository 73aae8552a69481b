#!/usr/bin/env bash
# The command on bad calls and bad input: exit status, one clear error with its location, nothing written.
#   command.sh NORN EXAMPLES
set -u
. "$(dirname "$0")/work_folder.sh"
examples=$(realpath "$2")
cd "$work" || exit 1
passed=0

# expect STATUS PATTERN COMMAND...: the command must exit with the status, and print one line that matches to standard
# error (none for an empty pattern).
expect() {
  local status=$1 pattern=$2
  shift 2
  "$@" >out.txt 2>err.txt </dev/null
  local got=$?
  if [ "$got" -ne "$status" ]; then
    printf 'FAILED: %s\n  exit status %s instead of %s\n' "$*" "$got" "$status"
    sed 's/^/  /' err.txt | head -20
  elif [ -n "$pattern" ] && ! grep -qE -- "$pattern" err.txt; then
    printf 'FAILED: %s\n  standard error has no line like %s:\n' "$*" "$pattern"
    sed 's/^/  /' err.txt | head -20
  elif [ "$status" -eq 0 ] && [ -s err.txt ]; then
    printf 'FAILED: %s\n  printed to standard error:\n' "$*"
    sed 's/^/  /' err.txt | head -20
  else
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
}

absent() {
  if ls "$1"* >/dev/null 2>&1; then
    printf 'FAILED: %s was written\n' "$1"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
}

kernel() { sed "$1" "$examples/saxpy.norn" >"$2"; }

# Calls
expect 2 'usage' "$norn"
expect 0 '' "$norn" --help
expect 0 '' "$norn" --version
expect 2 "unknown verb 'frobnicate'" "$norn" frobnicate
expect 2 'expected one input' "$norn" compile
expect 2 'expected an input' "$norn" run
expect 2 'expected one input' "$norn" check
for verb in compile check asm disasm opt reduce report; do
  expect 2 "unexpected argument 'two'" "$norn" $verb one two
done
expect 2 "unexpected argument 'one'" "$norn" passes one
expect 2 "unexpected argument 'one'" "$norn" lsp one
expect 2 "unexpected argument 'FADD'" "$norn" isa --format html FADD
expect 2 "unexpected argument 'FMA.f32'" "$norn" isa --format json FADD.f32 FMA.f32
expect 2 "unknown format 'xml', expected text, json or html" "$norn" isa --format xml
expect 1 "valhall has nothing named 'FADDD'; did you mean FADD\?$" "$norn" isa --format json FADDD
expect 2 'Unknown option' "$norn" compile --frobnicate "$examples/saxpy.norn"
expect 2 "unknown output format 'elf', expected bin, hex, asm or ir" "$norn" compile --emit elf "$examples/saxpy.norn"
expect 2 '--level \(-O\): expected a number from 0 to 3, found 7' "$norn" compile -O7 "$examples/saxpy.norn"
expect 2 "unknown format 'xml', expected text or json" "$norn" passes --format xml
expect 2 "unknown format 'xml', expected text or json" "$norn" disasm --format xml "$examples/saxpy.norn"
expect 2 "unknown format 'xml', expected text, markdown or json" "$norn" ops --format xml
expect 1 "no operation is named 'wip' or mentions it$" "$norn" ops wip
expect 1 "no operation is named 'fmax2' or mentions it; did you mean fmax" "$norn" ops fmax2
expect 1 "valhall has nothing named 'FADDD' or that mentions it; did you mean FADD" "$norn" isa FADDD
expect 1 "valhall has 'HADD.u32' only on architecture 9, 10, not on 14$" "$norn" isa --arch 14 HADD.u32
expect 1 "valhall has 'FSQRT.f32' only on architecture 14, not on 9$" "$norn" isa --arch 9 --format json FSQRT.f32
expect 1 "gcn has 'V_MIN3_F16' only on architecture 1.4, not on 1.0$" "$norn" isa --target gcn --arch 1.0 V_MIN3_F16
for option in opt\ -p compile\ --dump-after compile\ --skip-passes reduce\ -p; do
  expect 2 "unknown pass 'scheduel'; did you mean schedule\? \(\`norn passes\` lists them\)" "$norn" $option scheduel "$examples/saxpy.norn"
done
for verb in compile opt check run stats report reduce asm disasm isa; do
  expect 2 "unknown target 'valhal', expected valhall, gcn or vp1; did you mean valhall\?" "$norn" $verb --target=valhal "$examples/saxpy.norn"
  expect 2 "valhall has no architecture '42', expected 9, 10, 11, 12, 13 or 14" "$norn" $verb --arch=42 "$examples/saxpy.norn"
done
expect 2 "unknown target 'valhal', expected valhall, gcn or vp1; did you mean valhall\?" "$norn" passes --target=valhal
expect 2 "valhall has no architecture '42'" "$norn" lsp --arch=42
for verb in compile opt passes asm disasm run isa test; do
  expect 0 '' "$norn" "$verb" --help
done
# Instructions as JSON: the words of an encoding match a mask, and its operands are fields.
cat >isa.py <<'END'
import json
for instruction in json.load(open("isa.json")):
    assert instruction["name"] and instruction["encodings"], instruction
    for encoding in instruction["encodings"]:
        fields = {field["name"]: field for field in encoding["fields"]}
        assert int(encoding["match"], 16) & ~int(encoding["mask"], 16) == 0, instruction
        assert all(operand.get("field") in [*fields, None] for operand in encoding["operands"]), instruction
        for field in fields.values():
            assert field["kind"] != "modifier" or "default" not in field or field["default"] in field["values"].values(), field
        if instruction["name"] == "FADD.f32" and encoding["since"] == "9":
            assert (encoding["until"], encoding["unit"], [*fields][:2]) == ("9", "fma", ["destination", "dest_mask"])
            assert [operand["name"] for operand in encoding["operands"]] == ["destination", "source0", "source1"]
            clamp = {"": 0, "clamp_0_inf": 1, "clamp_m1_1": 2, "clamp_0_1": 3}
            assert fields["clamp"] == {"name": "clamp", "kind": "modifier", "position": 32, "width": 2, "default": 0,
                                       "values": clamp}
            print("as expected")
END
for target in valhall gcn vp1; do
  expect 0 '' "$norn" isa --target $target --format json -o isa.json
  expect 0 '' python3 isa.py
done
for options in '' '--arch=9'; do
  expect 0 '' "$norn" isa --format json $options FADD.f32 -o isa.json
  expect 0 '' bash -c 'python3 isa.py | grep -qx "as expected"'
done
expect 0 '' "$norn" isa --format json FADD -o isa.json
expect 0 '' test "$(grep -o '"name":"FADD\.[a-z0-9]*"' isa.json | tr '\n' ' ')" = '"name":"FADD.f32" "name":"FADD.v2f16" '
# It is documented which passes can be skipped: exactly those that --skip-passes accepts.
expect 0 '' "$norn" passes -o passes.txt
expect 0 '' cmp passes.txt <("$norn" passes)
expect 0 '' "$norn" passes --format json -o passes.json
names() { python3 -c 'import json; print(*(p["name"] for p in json.load(open("passes.json"))["passes"] if p["is_optional"] == '"$1"' and not p["is_group"]))'; }
for pass in $(names True); do
  expect 0 '' "$norn" compile --skip-passes="$pass" "$examples/saxpy.norn"
  expect 0 '' grep -qE "^$pass +.* optional " passes.txt
done
for pass in $(names False); do
  expect 2 "skip-passes: '$pass' is not optional" "$norn" compile --skip-passes="$pass" "$examples/saxpy.norn"
done
# What is printed after passes: only after those named, or after each that changed the module.
dumped() { "$norn" compile "$examples/saxpy.norn" -o dumped.bin --dump-after="$1" 2>&1 | grep '^; after'; }
expect 0 '' cmp <(dumped pack,select) <(printf '; after %s\n' select pack)
expect 0 '' test "$(dumped all | grep -cxE '; after (inline|select|allocate)')" = 3
expect 1 '' grep -xE '; after (associate-products|factor)' <(dumped all)
expect 2 "'optimize' is a group of passes, expected one of its passes" "$norn" compile --dump-after=dce,optimize "$examples/saxpy.norn"
# Options that would have no effect.
for option in stage=fragment noalias=0 info=report.json; do
  expect 2 "^norn check: --${option%=*} is only for machine code" "$norn" check --$option "$examples/saxpy.norn"
done
"$norn" compile "$examples/saxpy.norn" -o code.bin
for option in -O1 --check=all --chaos=wait --dump-after=all --pass-limit=0; do
  expect 1 "^error: code.bin: the option ${option%[=1]*} is only for compiling, not for machine code" "$norn" run $option code.bin
done
expect 1 '^error: code.bin: the option --chaos is only for compiling' "$norn" check --chaos=wait code.bin
expect 0 '' "$norn" check --check=waits code.bin
"$norn" compile "$examples/saxpy.norn" -o code.hex
for verb in check stats; do
  expect 0 '' cmp <("$norn" $verb code.hex) <("$norn" $verb code.bin | sed 's/code.bin/code.hex/')
done
expect 0 '' "$norn" run code.hex --runs="$examples/saxpy.norn"
printf '0000000000c00078\r\n0000000000c00078' >other-lines.hex
expect 0 '' cmp <("$norn" disasm other-lines.hex) <(printf 'NOP.end\nNOP.end\n')
expect 2 '^norn stats: --format is not for comparisons' "$norn" stats --parameters --format json
expect 2 '^norn stats: --limit: expected a percentage of at least 0, found nan' "$norn" stats --limit=nan --diff a b
expect 2 '^norn reduce: --condition slow needs --slower-than' "$norn" reduce --condition slow "$examples/saxpy.norn"
expect 2 '^norn reduce: --condition script needs --script' "$norn" reduce --condition script "$examples/saxpy.norn"
expect 2 "unexpected argument '.*/saxpy.norn'" "$norn" stats --parameters "$examples/saxpy.norn"
expect 2 '^norn stats: --annotate is only for --format text' "$norn" stats --annotate --format json "$examples/saxpy.norn"
expect 2 '^norn stats: --annotate is only for --format text' "$norn" stats --annotate --against "$norn" "$examples/saxpy.norn"
expect 2 '^norn stats: --limit: expected a percentage of at least 0, found -1' "$norn" stats --diff --limit=-1 old.json new.json
expect 2 '^norn stats: --limit is only for --diff and --against' "$norn" stats --limit 3 "$examples/saxpy.norn"
expect 2 '^norn isa: --arch is not for html' "$norn" isa --format html --arch 9
# -O 0 is -O0.
expect 0 '' cmp <("$norn" compile -O 0 "$examples/saxpy.norn") <("$norn" compile -O0 "$examples/saxpy.norn")
expect 1 '' cmp <("$norn" compile -O 0 "$examples/saxpy.norn") <("$norn" compile "$examples/saxpy.norn")
expect 2 "no operation has a name that begins with 'zz' \(\`norn ops\` lists them\)" "$norn" fuzz --only=zz
expect 2 '^norn reduce: --match: ' "$norn" reduce '--match=(' "$examples/saxpy.norn"
expect 2 '^norn reduce: --script: ' "$norn" reduce "--script='" "$examples/saxpy.norn"

# Files
expect 1 'missing.norn: cannot open: No such file' "$norn" compile missing.norn
expect 1 'cannot read: Is a directory' "$norn" compile "$work"
expect 1 'cannot create: No such file' "$norn" compile "$examples/saxpy.norn" -o missing/out.bin
expect 0 '' "$norn" compile "$examples/saxpy.norn" -o out.bin
expect 1 'cannot write: No space left' "$norn" compile "$examples/saxpy.norn" --emit bin -o /dev/full

# Every verb reports an error if its output cannot be written, but not for messages that are not printed.
full() { expect 1 'cannot write: No space left' bash -c '"$@" >/dev/full' - "$norn" "$@"; }
closed() { expect 1 'cannot write: Bad file' bash -c '"$@" >&-' - "$norn" "$@"; }
printf 'v_mov_b32 v0, 1.0\n' >move.s
printf 'vabs u $v1 $v0\n' >unit.s
printf '; test: opt\n; expect:\n' >one.norn
printf '; test: passes --help\n; expect:\n; no\n' >other.norn
for print in full closed; do
  "$print" --help
  "$print" --version
  for verb in compile opt passes asm disasm run isa ops test; do
    "$print" "$verb" --help
  done
  "$print" compile "$examples/saxpy.norn"
  "$print" compile "$examples/saxpy.norn" --emit bin
  "$print" compile "$examples/saxpy.norn" -o unread.bin --info=-
  "$print" opt "$examples/saxpy.norn"
  "$print" passes
  "$print" passes --format json
  "$print" asm --target gcn move.s
  "$print" disasm out.bin
  "$print" run "$examples/saxpy.norn"
  "$print" run --target gcn move.s s0=0
  "$print" isa
  "$print" isa FADD
  "$print" isa --format html
  "$print" ops
  "$print" ops fma
done
expect 1 'cannot write: No space left' bash -c '"$@" >/dev/full' - "$norn" test other.norn
expect 1 'cannot write: No space left' bash -c '"$@" >/dev/full' - "$norn" run --trace "$examples/saxpy.norn"
expect 0 '' test "$(grep -c 'cannot write' err.txt)" = 1
# A file that is opened later must not become standard output.
expect 1 'cannot write: Bad file' bash -c '"$@" >&-' - "$norn" compile "$examples/saxpy.norn" --info=closed.json
expect 0 '' bash -c '"$@" >&-' - "$norn" compile "$examples/saxpy.norn" -o closed.bin
expect 0 '' cmp closed.bin out.bin
expect 0 '' bash -c '"$@" 2>&-' - "$norn" compile "$examples/saxpy.norn" -o closed.bin
expect 0 '' cmp closed.bin out.bin
expect 1 '' bash -c '"$@" 2>/dev/full' - "$norn" compile "$examples/saxpy.norn" -o closed.bin --dump-after all
# Nor is a closed standard input an empty one.
for input in - /dev/stdin; do expect 1 'cannot read: Is a directory' bash -c '"$@" <&-' - "$norn" disasm $input; done

# Output is written to the target of the path: links remain links, devices and pipes are written to, modes are preserved.
compile() { "$norn" compile "$examples/saxpy.norn" --emit bin "$@"; }
mkdir real
printf x >real/old.bin
chmod 640 real/old.bin
ln -s real/old.bin link.bin
ln -s ../link.bin real/chain.bin
ln -s real/new.bin dangling.bin
ln -s loop.bin loop.bin
expect 0 '' compile -o real/chain.bin
expect 0 '' cmp real/old.bin out.bin
expect 0 '' test "$(readlink link.bin)" = real/old.bin
expect 0 '' test -L link.bin -a -L real/chain.bin -a "$(stat -c %a real/old.bin)" = 640
long=$(printf '%0255d' 0)
expect 0 '' compile -o "$long"
expect 0 '' cmp "$long" out.bin
expect 1 'limited.bin: cannot write: File too large' bash -c '(ulimit -f 0; exec "$@" -o limited.bin 2>&1) | cat >&2; exit ${PIPESTATUS[0]}' - "$norn" compile "$examples/saxpy.norn"
absent limited.bin
expect 0 '' compile -o dangling.bin
expect 0 '' cmp real/new.bin out.bin
expect 0 '' test -L dangling.bin
expect 1 'loop.bin: cannot open for writing: Too many' compile -o loop.bin
expect 1 'real: cannot open for writing: Is a directory' compile -o real
expect 1 'the name of an output file is empty' compile -o ''
mkfifo pipe
cat pipe >piped.bin &
expect 0 '' compile -o pipe
wait
expect 0 '' cmp piped.bin out.bin
expect 0 '' test -p pipe
printf begin >appended.bin
expect 0 '' bash -c '"$@" -o /dev/stdout >>appended.bin' - "$norn" compile "$examples/saxpy.norn" --emit bin
expect 0 '' cmp appended.bin <(printf begin; cat out.bin)
expect 0 '' bash -c 'exec 5>descriptor.bin; "$@" -o /dev/fd/5 && [ descriptor.bin -ef /dev/fd/5 ]' - "$norn" compile "$examples/saxpy.norn" --emit bin
expect 0 '' cmp descriptor.bin out.bin
printf begin >more.bin
expect 0 '' bash -c 'exec 5>>more.bin; "$@" -o /dev/fd/5' - "$norn" compile "$examples/saxpy.norn" --emit bin
expect 0 '' cmp more.bin appended.bin
printf begin >errors.bin
expect 0 '' bash -c '"$@" -o /dev/stderr 2>>errors.bin' - "$norn" compile "$examples/saxpy.norn" --emit bin
expect 0 '' cmp errors.bin appended.bin
ln -s /dev/null device.bin
expect 0 '' compile -o device.bin --info=/dev/null
expect 0 '' test -L device.bin -a -c /dev/null

# A file that was read is not overwritten, and no file is written twice.
cp "$examples/saxpy.norn" source.norn
ln source.norn hard.norn
ln -s source.norn soft.norn
for name in source.norn ./source.norn hard.norn soft.norn; do
  expect 1 "$name: the file is also an input" "$norn" compile source.norn -o "$name"
  expect 1 "$name: the file is also an input" "$norn" opt source.norn -o "$name"
done
expect 1 'source.norn: the file is also an input' bash -c '"$@" <source.norn' - "$norn" compile - -o source.norn
expect 1 'source.norn: the file is also an input' "$norn" compile source.norn --emit bin -o written.bin --info source.norn
expect 1 'written.bin: the file is also another output' "$norn" compile source.norn -o written.bin --info ./written.bin
cp move.s again.s
expect 1 'again.s: the file is also an input' "$norn" asm --target gcn again.s -o again.s
expect 1 'out.bin: the file is also an input' "$norn" disasm out.bin -o out.bin
expect 1 'again.s: the file is also an input' "$norn" ops --preface again.s -o again.s
expect 0 '' cmp source.norn "$examples/saxpy.norn"
expect 0 '' cmp again.s move.s
printf '; test: opt\nshader compute @t workgroup(1, 1, 1) {\nentry:\n  end\n}\n' >blessed.norn
expect 0 '' "$norn" test --bless blessed.norn
expect 0 '' "$norn" test blessed.norn
# Folders that contain themselves through links.
mkdir circle && cp blessed.norn circle && ln -s . circle/a && ln -s . circle/b
for verb in test stats; do expect 0 '' timeout 10 "$norn" $verb circle; done
sed '1i; test: opt -p no-such-pass' blessed.norn >half.norn
cp half.norn half.before
expect 0 '' bash -c "'$norn' test --bless half.norn | grep -qx '  the file was not updated, since not all of its tests pass'"
expect 0 '' cmp half.norn half.before
# A file that tests itself would start an endless chain of processes.
printf '; test: test\nshader compute @t workgroup(1, 1, 1) {\nentry:\n  end\n}\n' >itself.norn
expect 0 '' bash -c "timeout 2 '$norn' test itself.norn | grep -q 'the verb .test. cannot be tested: the file would run itself without end'"
{ cat blessed.norn; echo '; expect:'; } >stray.norn
expect 1 '' bash -c '"$@" >told.txt' - "$norn" test stray.norn
expect 0 '' grep 'the expectation at line 11 belongs to no test line' told.txt
# Differences are shown wherever they are, however long the output is; of unchanged stretches only the borders are shown.
{
  printf '; test: opt\nshader compute @t workgroup(1, 1, 1) {\n  fau p: i64 @ 0\nentry:\n'
  seq 6000 | sed 's/.*/  store.global.i32 &, fau.p/'
  printf '  end\n}\n'
} >long.norn
expect 0 '' "$norn" test --bless long.norn
sed 's/^;   store.global.i32 \(20\|5000\), /;   store.global.i32 x\1, /; /^;   store.global.i32 3000,/d; /^;   store.global.i32 5990,/p' long.norn >changed.norn
expect 1 '' bash -c '"$@" >told.txt' - "$norn" test changed.norn
for line in '- .* x20, ' '+ .* 20, ' '+ .* 3000, ' '- .* x5000, ' '+ .* 5000, ' '- .* 5990, ' '  .* 5991, '; do
  expect 0 '' grep -q "^    $line" told.txt
done
expect 0 '' test "$(grep -c '^    [-+]' told.txt) $(wc -l <told.txt)" = '6 32'
sed 's/^; .*store/; other/' long.norn >changed.norn
expect 1 '' bash -c '"$@" >told.txt' - "$norn" test changed.norn
expect 0 '' test "$(grep -c '^    -' told.txt) $(grep -c '^    +' told.txt)" = '6000 6000'
printf 'shader compute @t workgroup(1, 1, 1) {\nentry:\n  end\n}\n' >untested.norn
expect 1 '' bash -c '"$@" >told.txt' - "$norn" test untested.norn
expect 0 '' grep 'has no test line' told.txt

# Options that would be ignored
echo '{}' >abi.json
expect 2 '--limit-work: expected a number from 0 on, found -1' "$norn" compile --limit-work=-1 source.norn
expect 2 '--limit-memory: expected a number from 0 on, found -1' "$norn" compile --limit-memory=-1 source.norn
expect 2 '--limit-code: expected a number from 0 on, found -1' "$norn" compile --limit-code=-1 source.norn
for option in --entry=main --spec=0=1 --abi=abi.json --buffer-addresses --image-words --relaxed-half --full-varyings; do
  for verb in compile opt run reduce check report; do
    expect 1 "source.norn: the option ${option%%=*} is only for SPIR-V, not for IR text$" "$norn" "$verb" "$option" source.norn
  done
  expect 1 "move.s: the option ${option%%=*} is only for SPIR-V, not for machine code$" "$norn" run "$option" move.s
  expect 0 '' "$norn" stats "$option" source.norn
done
# A file that an option names is an input: an error in it is not an error in the call.
echo '{' >torn.json
for verb in compile opt check run stats report reduce; do
  expect 1 'torn.json:1:[0-9]+: ' "$norn" $verb --abi=torn.json source.norn
  expect 1 'missing.json: cannot open: No such file' "$norn" $verb --abi=missing.json source.norn
  expect 2 '--pass-limit' "$norn" $verb --abi=missing.json --pass-limit=-1 source.norn
done
expect 1 '--against: torn.json:1:' "$norn" report --against=--abi=torn.json source.norn
for file in torn missing; do
  expect 1 "$file.json:" "$norn" run --info=$file.json move.s grid=1
  expect 1 "$file.json: (cannot open|no input to run it on)" "$norn" run --runs=$file.json source.norn
done
expect 2 'frobnicate' "$norn" run --info=missing.json --trace=frobnicate move.s grid=1
mkdir empty
expect 1 'empty: no tests' "$norn" test empty
expect 1 'empty: no shaders' "$norn" stats empty
expect 2 '--effort is only for -O3, not for -O2' "$norn" compile --effort=3 source.norn
expect 0 '' "$norn" compile --effort=3 -O3 source.norn
expect 2 "unknown chaos 'frobnicate', expected schedule" "$norn" compile --chaos wait,frobnicate source.norn
expect 2 "unknown pass ''" "$norn" opt -p select, source.norn
expect 2 "--skip-passes: unknown pass 'frobnicate'" "$norn" compile --skip-passes=schedule,frobnicate source.norn
expect 2 "--skip-passes: 'pack' is not optional, expected optional passes" "$norn" compile --skip-passes=schedule,pack source.norn
expect 2 "unknown pass ''" "$norn" compile --skip-passes=schedule, source.norn
expect 0 '' "$norn" compile --skip-passes=schedule,optimize --chaos=wait,slots --seed=3 source.norn
expect 1 'source.norn: exceeded the limit of 50 units of work' "$norn" compile --limit-work=50 source.norn
expect 1 'source.norn: exceeded the limit of 1000 bytes of memory' "$norn" compile --limit-memory=1000 source.norn
expect 1 'source.norn: [0-9]+ bytes of code, expected at most 64' "$norn" compile --limit-code=64 source.norn
expect 0 '' "$norn" run -q --limit-work=100000 --limit-memory=10000000 --limit-code=10000 source.norn
expect 0 '' bash -c '"$0" fuzz --only=iadd --count=2 --time=28800 --jobs=1 | grep -q "^2 modules"' "$norn"
expect 2 'expected one input' "$norn" reduce
expect 2 "unknown condition 'frobnicate'" "$norn" reduce --condition frobnicate source.norn
expect 1 '`norn run --engine both source.norn` does not show the bug to reduce' "$norn" reduce source.norn
cp source.norn 'two words.norn'
expect 1 "\`norn run --engine both 'two words.norn'\` does not show the bug" "$norn" reduce 'two words.norn'
expect 1 "\`sh -c 'exit 1; two' source.norn\` does not show the bug" "$norn" reduce --script "sh -c 'exit 1; two'" source.norn
expect 1 'No such file' "$norn" reduce missing.norn
expect 2 '--pass-limit: expected a number from 0 on, found -1' "$norn" compile --pass-limit=-1 source.norn
expect 2 '--seed: expected a number from 0 on, found -1' "$norn" compile --seed=-1 source.norn
for verb in fuzz stats test; do
  expect 2 '--jobs: expected a number from 0 to 1024, found -1' "$norn" $verb --jobs=-1
done
expect 2 '--trips: expected a number from 1 on, found 0' "$norn" stats --trips=0 source.norn
expect 2 '--timeout: expected a number from 1 on, found 0' "$norn" reduce --timeout=0 source.norn
expect 2 "unknown chaos '', expected" "$norn" compile --chaos= source.norn
expect 2 "unknown chaos 'spil', .*; did you mean spill?" "$norn" compile --chaos=wait,spil source.norn
expect 2 "unknown part of a vertex shader 'all', expected whole, position or varyings" "$norn" compile --vertex-part=all source.norn
expect 1 'source.norn:[0-9]+:1: running by sample is only for fragment shaders' "$norn" compile --by-sample source.norn
expect 1 'source.norn:[0-9]+:1: choosing a vertex part is only for vertex shaders' "$norn" compile --vertex-part=varyings source.norn
expect 1 'source.norn:[0-9]+:1: choosing a vertex part is only for vertex shaders' "$norn" opt -p lower --vertex-part=position source.norn
expect 1 "-O9.norn: cannot open" "$norn" compile -- -O9.norn
expect 1 'source.norn: gcn runs assembly and machine code' "$norn" run --target=gcn source.norn
expect 1 '^error: source.norn: gcn runs assembly and machine code' "$norn" stats --target=gcn source.norn
expect 0 '' cmp <("$norn" stats --target=gcn move.s) <(printf '%s\n' move.s '  work registers: 1' '  instructions: 1 (branches: 0)' '  code: 8 bytes, blocks: 1, loops: 0')
expect 2 '--races is not for gcn, which consists only of registers' "$norn" run --target=gcn --races move.s s0=0
expect 2 '--save is not for gcn, which consists only of registers' "$norn" run --target=gcn --save=v0=save move.s s0=0
expect 2 '--registers is not for gcn, which consists only of registers' "$norn" run --target=gcn --registers=64 move.s s0=0
expect 1 "1:6: gcn has no register 's106', expected s0 to s105, vcc, " "$norn" run --target=gcn move.s s0=0 s106=0
expect 1 "1:1: '0x123456789' is not a number of type i32 or f32" "$norn" run --target=gcn move.s s0=0x123456789
expect 1 "1:1: '256' is not a number of type i8" "$norn" run --target=vp1 unit.s v0=256
expect 0 '' bash -c "'$norn' isa --target=gcn V_ADD_F64 | grep -qxF '  V_ADD_F64 vdst, [-][|]src0[|], [-][|]src1[|] [clamp] [omod]'"
expect 0 '' bash -c "'$norn' isa --target=vp1 mov_vc | grep -qxF '  mov DST \$vc'"
expect 1 'move.s: no input to run it on' "$norn" run --target=gcn move.s
expect 1 '  ; run: v0=' "$norn" run --target=gcn move.s
expect 1 '1:6: .*runs once, without a grid' "$norn" run --target=gcn move.s grid=2 s0=0
printf 'shader vertex @t {\nentry:\n  %%v = vertex_id\n  %%p = load.attribute.f32.w4 %%v, 0, index:0\n  store.position.w4 %%p\n  store.varying.w4 %%p, offset:0\n  end\n}\n' >varying.norn
expect 0 '' bash -c "'$norn' check varying.norn | grep -cE '^varying.norn (position|varyings): [0-9]+ instructions pass' | grep -qx 2"
expect 0 '' bash -c "'$norn' check --arch=12 varying.norn | grep -qE '^varying.norn: [0-9]+ instructions pass'"
expect 0 '' bash -c "'$norn' check --vertex-part=position varying.norn | grep -qE '^varying.norn: [0-9]+ instructions pass'"
expect 1 'two programs: write each to a file with --output, or choose one with --vertex-part' "$norn" compile --emit bin varying.norn
# Each program has its own files, and they contain the same as when the program is requested by itself.
expect 0 '' "$norn" compile varying.norn -o pair.bin --info pair.json
expect 0 '' "$norn" compile varying.norn -o pair.hex
expect 0 '' "$norn" compile varying.norn -o ./pair.norn
for part in position varyings; do
  expect 0 '' "$norn" compile varying.norn --vertex-part=$part -o one.bin --info one.json
  expect 0 '' cmp one.bin pair.$part.bin
  expect 0 '' cmp one.json pair.$part.json
  expect 0 '' "$norn" compile varying.norn --vertex-part=$part -o one.hex
  expect 0 '' cmp one.hex pair.$part.hex
  expect 0 '' "$norn" compile varying.norn --vertex-part=$part -o one.norn
  expect 0 '' cmp one.norn pair.$part.norn
done
absent pair.bin

# Sets of targets are lists, each followed by its formats.
printf 'shader fragment @t {\nentry:\n  %%v = collect.i32.w4 1, 2, 3, 4\n  store.tile.s32.w4 %%v, 0, target:2\n  store.color.u32.w4 %%v, target:1\n  end\n}\n' >tile.norn
expect 0 '' "$norn" compile tile.norn -o tile.bin --info tile.json
expect 0 '' bash -c "tr -d ' \n' <tile.json | grep -F '\"color_targets\":[1],\"color_formats\":[\"u32\"]' | grep -F '\"writes_tile\":[2],\"tile_formats\":[\"s32\"]'"
expect 0 '' "$norn" compile varying.norn --emit hex -o -
cp out.txt both.hex
expect 0 '' grep -q '^; program 2 of 2: --vertex-part=varyings' both.hex
# For people, both programs are printed.
expect 0 '' "$norn" compile varying.norn -o both.s
for part in position varyings; do
  expect 0 '' "$norn" compile varying.norn --vertex-part=$part -o one.s
  sed -n "/--vertex-part=$part\$/,/^\$/{/^;/d;/^\$/d;p}" both.s >part.s
  expect 0 '' cmp one.s part.s
done
expect 0 '' grep -q '^; program 2 of 2: --vertex-part=varyings' both.s
for part in position varyings; do
  expect 0 '' "$norn" compile varying.norn --vertex-part=$part -o unread.bin
done

expect 2 '--workgroup is only for machine code' "$norn" run --workgroup 8 source.norn
expect 2 '--preload is only for machine code' "$norn" run --preload r60 source.norn
printf 'NOP.end\n' >nothing.s
for wrong in '--workgroup=0' '--workgroup=8,8,8,8' '--preload=r64' '--preload=60' '--preload=0xg' '--shared=-1' \
  '--scratch=9999999999' '--registers=48' '--fau-words=129'; do
  expect 2 "${wrong#*=}|32 \(r0|0 to 128" "$norn" run "$wrong" nothing.s grid=1
done
# A tolerance is relative to the larger of both numbers: the result is 12.
for row in '16 0' '9 0' '17 1' '8 1'; do
  kernel "s/=> y=f32\[12,/=> y=f32[${row% *},/" close.norn
  pattern=
  [ "${row#* }" = 0 ] || pattern='y\[0\] is f32\[12\], but should be'
  expect "${row#* }" "$pattern" "$norn" run -q --tolerance 0.25 close.norn
done
# The two programs of a vertex: the second one stores varyings, if this is specified.
set -- 'draw=vertices(1)' 'attribute0=p(rgba32float)' 'p=f32[1, 2, 3, 4]' 'varyings=f32[0, 0, 0, 0]' '=>'
expect 0 '' "$norn" run -q --varyings-program pair.varyings.bin "$@" 'varyings=f32[1, 2, 3, 4]'
expect 1 'varyings\[0\] is f32\[0\], but should be f32\[1\]' "$norn" run -q pair.varyings.bin "$@" 'varyings=f32[1, 2, 3, 4]'
# A load may be executed before a store's message has completed, if their addresses are promised not to alias.
printf 'SHADDX.u64 r2, u4, r0.w0, shift:0x2\nSTORE.i32.slot0 @r0, r2, offset:0\nLOAD.i32.unsigned.slot1.end @r1, u6, offset:4\n' >order.s
expect 1 'order.s: waits: ' "$norn" check --stage compute order.s
expect 0 '' "$norn" check --noalias 4,6 order.s
expect 2 '--noalias: ' "$norn" check --noalias 4,x order.s
# Output formats of code.
printf 'top:\nMOV.i32 r0, u0\nBRANCHZ.eq.end r0, top\n' >jump.s
expect 0 '' "$norn" asm jump.s -o jump.bin
while IFS='|' read -r options line; do
  expect 0 '' "$norn" disasm $options jump.bin -o code.txt
  expect 0 '' grep -qxE -- "$line" code.txt
done <<'END'
|BRANCHZ\.eq\.end r0, L0
--offsets|BRANCHZ\.eq\.end r0, offset:-2
--addresses|/\* 000008 \*/ BRANCHZ\.eq\.end r0, L0
--words|/\* [0-9a-f]{16} \*/ MOV\.i32 r0, u0
--addresses --words|/\* 000000 [0-9a-f]{16} \*/ MOV\.i32 r0, u0
END
printf 'V_ADD_F32 V0, V1, V2\n' >add.s
expect 0 '' "$norn" asm --target gcn add.s -o add.bin
expect 0 '' "$norn" disasm --target gcn --alternate add.bin -o code.txt
expect 0 '' grep -qx 'v_add_f32_e64 v0, v1, v2' code.txt
# Constants are moved to uniform words from level 2 on.
kernel 's/fma.f32 fau.a/fma.f32 1.234/' constant.norn
for options in '-O1 0' '-O1 --promote-constants 0' '-O2 1' '-O2 --no-promote-constants 0'; do
  expect 0 '' "$norn" compile ${options% *} constant.norn -o constant.bin --info constant.json
  expect 0 '' python3 -c 'import json, sys; sys.exit(len(json.load(open("constant.json"))["promoted"]) != int(sys.argv[1]))' "${options##* }"
done
# Code gets exactly what its compilation reported.
expect 0 '' "$norn" compile "$examples/saxpy.norn" -o saxpy.bin --info saxpy.json
set -- saxpy.bin grid=1 'u0=f32[1, 2, 3]' 'u2=f32[10, 20, 30]' u4=0x40000000 u5=3 '=>' 'u2=f32[12, 24, 36]'
expect 0 '' "$norn" run -q --info saxpy.json "$@"
# Names are those of the module that contains the run: lines.
expect 0 '' "$norn" run -q --info saxpy.json --runs "$examples/saxpy.norn" saxpy.bin
# Code of another architecture is not run with this report.
for verb in "run -q" check disasm; do
  expect 1 "^error: saxpy.json: the code was compiled for architecture '9', not for '10'$" "$norn" $verb --arch=10 --info=saxpy.json saxpy.bin
done
sed 's/"valhall"/"gcn"/' saxpy.json >other.json
expect 1 "^error: other.json: the code was compiled for target 'gcn', not for 'valhall'$" "$norn" disasm --info=other.json saxpy.bin
# The file also names the architecture.
"$norn" compile --arch=12 "$examples/saxpy.norn" -o later.bin --info=later.json
expect 0 '' "$norn" check --info=later.json later.bin
expect 0 '' "$norn" disasm --info=later.json later.bin
expect 0 '' "$norn" run -q --info=later.json later.bin --runs="$examples/saxpy.norn"
sed 's/"12"/"77"/' later.json >unknown.json
expect 1 "^error: unknown.json: valhall has no architecture '77'" "$norn" check --info=unknown.json later.bin
expect 0 '' cmp <("$norn" compile --chaos=all "$examples/dot.norn") <("$norn" compile --chaos=schedule,spill,wait,registers,slots "$examples/dot.norn")
sed 's/"valhall"/7/' saxpy.json >other.json
expect 1 "^error: other.json: 'target': expected a name" "$norn" disasm --info=other.json saxpy.bin
sed '/"target"/d; /"architecture"/d' saxpy.json >other.json
expect 0 '' "$norn" run -q --info other.json --runs "$examples/saxpy.norn" saxpy.bin
kernel 's/ a=2.0/ b=2.0/' misnamed.norn
expect 1 "declares no uniform 'b'; it declares x \(uniform\), y \(uniform\), a \(uniform\), n \(uniform\)$" "$norn" run --info saxpy.json --runs misnamed.norn saxpy.bin
kernel 's/ a=2.0//' unnamed.norn
expect 1 "^note: unnamed.norn:3: the uniform 'a' has no value and is 0" "$norn" run --info saxpy.json --runs unnamed.norn saxpy.bin
grep run: "$examples/saxpy.norn" >lines.txt
expect 1 "declares no uniform 'a'; machine code has only u0, u1 and so on" "$norn" run --info saxpy.json --runs lines.txt saxpy.bin
for word in 128 4294967296 18446744073709551616; do # must not be truncated to 0
  expect 1 "declares no uniform 'u$word'; machine code has" "$norn" run -q saxpy.bin grid=1 u$word=5
done
sed 's/"fau_words" : 6/"fau_words" : 5/' saxpy.json >words.json
expect 1 'uniform word 5 is read, but the launch has only 5 \[uniform-limit\]' "$norn" run -q --info words.json "$@"
sed 's/^    60$/    61/' saxpy.json >preload.json
expect 1 'r60 is read, but the preload mask does not include it \[not-preloaded\]' "$norn" run -q --info preload.json "$@"
sed 's/"threads" : 2/"threads" : "2"/' saxpy.json >threads.json
expect 1 "threads.json: 'threads': expected a number up to 2" "$norn" run --info threads.json "$@"
printf '%*s\n' 1000000 '' | tr ' ' '[' >deep.json
expect 1 'deep.json: arrays and objects are nested too deeply' "$norn" run --info deep.json "$@"
expect 1 'deep.json: arrays and objects are nested too deeply' "$norn" stats --diff deep.json deep.json
cat threads.json threads.json >twice.json
expect 1 "twice.json:[1-9][0-9]*:1: expected the end of the file, found '\{'" "$norn" run --info twice.json "$@"
# Constant data follows the code, in whatever format the code is stored; without information on it, all of it is taken for code.
cat >table.norn <<'END'
; run: n=2 x=i32[0] => x=i32[0x7C]
shader compute @table workgroup(1, 1, 1) {
  fau x: i64 @ 0, n: i32 @ 2
  data i32 0x0000007A, 0x0000007B, 0x0000007C
entry:
  %a = data_address 0
  %p = shladd.u32.i64 %a, fau.n, 2
  %v = load.global.i32 %p
  store.global.i32 %v, fau.x
  end
}
END
expect 0 '' "$norn" compile table.norn -o table.bin --info table.json
expect 0 '' python3 - <<'END'
import json, os, sys
info, size = json.load(open("table.json")), os.path.getsize("table.bin")
code = info["instructions"] * 8
sys.exit(info["data_size"] != 12 or info["data_offset"] != (code + 16 + 127) // 128 * 128 or size != info["data_offset"] + 16)
END
expect 0 '' "$norn" run -q --info table.json --runs table.norn table.bin
expect 1 'outside all buffers' "$norn" run -q --runs table.norn table.bin
expect 0 '' "$norn" check --info table.json table.bin
expect 1 'table.bin: code: ' "$norn" check table.bin
expect 0 '' "$norn" disasm --info table.json table.bin -o table.s
expect 0 '' grep -qx '.word .*, 0x0000007a, 0x0000007b' table.s
expect 0 '' grep -qx '.word 0x0000007c, 0x00000000' table.s
expect 0 '' "$norn" asm table.s -o again.bin
expect 0 '' cmp table.bin again.bin
expect 0 '' "$norn" compile table.norn -o printed.s
expect 0 '' cmp table.s printed.s
sed 's/"data_size" : 12/"data_size" : 1200/' table.json >large.json
expect 1 'are too few for the code and the constant data' "$norn" run -q --info large.json --runs table.norn table.bin
expect 1 'are too few for the code and the constant data' "$norn" check --info large.json table.bin
expect 0 '' "$norn" stats table.norn
expect 0 '' "$norn" report table.norn -o table.html
expect 2 '--info is only for machine code' "$norn" run --info saxpy.json source.norn
expect 0 '' "$norn" run --workgroup=2 --preload=0x1000000000000000 --shared=0 --registers=64 nothing.s grid=1
for verb in passes "compile $examples/saxpy.norn" "check $examples/saxpy.norn" "reduce $examples/saxpy.norn" "report $examples/saxpy.norn"; do
  # Its words are arguments of the call.
  # shellcheck disable=SC2086
  expect 2 "compiling for the target 'gcn' is not supported, only for valhall$" "$norn" $verb --target gcn
done
expect 2 "unknown format 'xml', expected text or json" "$norn" passes --target gcn --format xml
expect 1 "^error: '': cannot open" "$norn" compile ''

# Hostile files for a JSON parser and C strings
printf '%*s\n' 1000000 '' | tr ' ' '[' >deep.jsonl
expect 1 'deep.jsonl:1: arrays and objects are nested more than 16 deep' "$norn" run --target vp1 deep.jsonl
printf '{"word": "[[[[[[[[[[[[[[[[[[[[\\"[[[["}\n' >brackets.jsonl
expect 1 "brackets.jsonl:1: 'word' is not an instruction word" "$norn" run --target vp1 brackets.jsonl
printf '\n{\0\n' >zero.jsonl
expect 1 'zero.jsonl:2: the text contains a zero byte' "$norn" run --target vp1 zero.jsonl
printf '; test: opt --help\n\n\0rest' >zero.norn
cp zero.norn kept.norn
expect 1 '' "$norn" test --bless zero.norn
expect 0 '' cmp zero.norn kept.norn

# Text from other systems often starts with a byte-order mark.
mark() { { printf '\357\273\277'; cat "$1"; } >"$2"; }
mark source.norn marked.norn
mark move.s marked.s
mark blessed.norn marked-test.norn
expect 0 '' "$norn" run --engine both marked.norn
expect 0 '' "$norn" test marked-test.norn
expect 0 '' "$norn" asm --target gcn marked.s -o unread.bin
printf '; run: s0=0 => v0=f32[2]\nv_mov_b32 v0, 1.0\n' >plain-run.s
mark plain-run.s marked-run.s
expect 1 'v0, lane 0, is f32\[1\], but should be f32\[2\]' "$norn" run --target gcn marked-run.s
printf 'shade\n' >plain-fault.norn
mark plain-fault.norn marked-fault.norn
expect 1 '^error: marked-fault.norn:1:1: ' "$norn" compile marked-fault.norn
expect 1 '^  shade$' "$norn" compile marked-fault.norn
{ printf '\357\273\277\357\273\277'; cat source.norn; } >twice.norn
expect 1 '^error: twice.norn:1:1: ' "$norn" compile twice.norn

# IR text
kernel '/^body:/,$d' truncated.norn
expect 1 '^error: truncated.norn:[0-9]+:[0-9]+: ' "$norn" compile truncated.norn -o bad.bin
kernel 's/fma\.f32/frobnicate.f32/' unknown.norn
expect 1 "^error: unknown.norn:[0-9]+:[0-9]+: .*frobnicate" "$norn" compile unknown.norn -o bad.bin
kernel 's/fma\.f32 fau.a/fma.f32 %px/' mismatch.norn
expect 1 '^error: mismatch.norn:[0-9]+:' "$norn" compile mismatch.norn -o bad.bin
kernel 's/%yv$/%zv/' undefined.norn
expect 1 '^error: undefined.norn:[0-9]+:[0-9]+: .*%zv' "$norn" compile undefined.norn -o bad.bin
kernel '/jump done/d' unterminated.norn
expect 1 '^error: unterminated.norn:[0-9]+:' "$norn" compile unterminated.norn -o bad.bin
kernel 's/^  end/  store.global.f32 %r, %py\n  end/' dominance.norn
expect 1 '^error: dominance.norn:[0-9]+:.*dominate' "$norn" compile dominance.norn -o bad.bin
kernel 's/%i, 2/%i, 9/' range.norn
expect 1 '^error: range.norn:[0-9]+:.*9' "$norn" compile range.norn -o bad.bin
# All errors in a file, each with its line and a caret
cat >faults.norn <<'END'
shader compute @t workgroup(16, 1, 1) {
entry:
  %a = iadd.i32 1, 2
	%b = fadd.f32 %a, 1.0
  br %a, entry, done(%b)
done:
  end
}
END
cat >faults.txt <<'END'
error: faults.norn:4:2: fadd: operand 1, %a, is i32, expected f32
  	%b = fadd.f32 %a, 1.0
  	^
error: faults.norn:5:3: br: operand 1, %a, is i32, expected i1
    br %a, entry, done(%b)
    ^
error: faults.norn:5:3: br branches to the first block, which must not have a predecessor
    br %a, entry, done(%b)
    ^
error: faults.norn:5:3: br: 1 argument for done, which takes 0
    br %a, entry, done(%b)
    ^
END
expect 1 '^    br %a, entry' "$norn" compile faults.norn -o bad.bin
mv err.txt shown.txt
expect 0 '' diff shown.txt faults.txt
sed 's/faults.norn/<stdin>/' faults.txt >expected.txt
expect 1 '' bash -c "'$norn' compile - -o bad.bin <faults.norn"
mv err.txt shown.txt
expect 0 '' diff shown.txt expected.txt
head -c 100M /dev/zero | tr '\0' 'x' >garbage.norn
expect 1 '^error: garbage.norn:1:' "$norn" compile garbage.norn -o bad.bin
head -c 1M /dev/urandom >random.norn
expect 1 '^error: random.norn:[0-9]+:' "$norn" compile random.norn -o bad.bin
: >empty.norn
expect 1 '^error: empty.norn:1:1: ' "$norn" compile empty.norn -o bad.bin
expect 2 "frobnicate" "$norn" compile --target frobnicate "$examples/saxpy.norn" -o bad.bin
expect 2 "'?8'?" "$norn" compile --arch 8 "$examples/saxpy.norn" -o bad.bin
absent bad.bin

# Binaries and assembly
printf 'abc' >odd.bin
expect 1 'odd.bin: .*8' "$norn" disasm odd.bin
expect 1 'odd.bin: .*8' "$norn" run odd.bin
# Words of a known opcode that are no instruction: no verb takes them for one.
printf '\202\174\047\040\004\374\243\001' >reserved.bin
for verb in check stats; do
  expect 1 "reserved.bin: .*0x0.*0x01a3fc0420277c82.*: SHADDX.u64: reserved bit 34 is set" "$norn" $verb reserved.bin
done
expect 1 "0x0 .*0x01a3fc0420277c82.*: SHADDX.u64: reserved bit 34 is set" "$norn" run reserved.bin grid=1
"$norn" compile --emit hex "$examples/saxpy.norn" >saxpy.hex
"$norn" compile --emit bin "$examples/saxpy.norn" -o saxpy.bin
"$norn" disasm saxpy.bin >saxpy.s
"$norn" disasm - <saxpy.hex >hex.s
expect 0 '' cmp hex.s saxpy.s
# Every verb reads code in hexadecimal, and accepts standard input.
cp saxpy.hex hex.bin
for verb in disasm check stats; do expect 0 '' "$norn" $verb hex.bin; done
expect 1 '<stdin>: code of 3 bytes, expected a multiple of 8' bash -c 'printf abc | "$0" disasm -' "$norn"
expect 1 '<stdin>: expected an object' bash -c 'echo [] | "$0" run hex.bin --info=-' "$norn"
# The info file of a compilation tells the stage of the code.
"$norn" compile "$examples/texture.norn" --emit bin -o fragment.bin --info=fragment.json
expect 0 '' "$norn" check --info=fragment.json fragment.bin
expect 0 '' "$norn" check --stage=fragment fragment.bin
expect 1 'allowed only in fragment programs' "$norn" check fragment.bin
expect 1 'the program is a fragment shader, expected draw=' "$norn" run fragment.bin --info=fragment.json grid=1
expect 1 'allowed only in fragment programs \[wrong-stage\]' "$norn" run fragment.bin grid=1
sed 's/"fragment"/"geometry"/' fragment.json >geometry.json
expect 1 "geometry.json: 'stage': expected compute, vertex or fragment" "$norn" check --info=geometry.json fragment.bin
# Text after a zero byte is not lost, and a byte-order mark is not part of a text.
printf '{}\0{' >zero.json
expect 1 'zero.json:1: the text contains a zero byte' "$norn" run hex.bin --info=zero.json
printf '\357\273\277{}' >mark.json
expect 1 "mark.json: 'flushes_denormals': expected" "$norn" run hex.bin --info=mark.json
sed s/0/x/ saxpy.hex >other.hex
expect 1 "^error: other.hex:1:5: expected two hexadecimal digits for each byte, found 'cx" "$norn" disasm other.hex
printf 'NOP\n.word 1\n' >odd.s
expect 1 '^error: odd.s: code of 12 bytes, expected a multiple of 8' "$norn" asm odd.s
printf 123 >odd.bin
expect 1 '^error: odd.bin: code of 3 bytes, expected a multiple of 8' "$norn" disasm odd.bin
printf 'FADD.f32 r0, r1\n' >short.s
expect 1 '^error: short.s:1:[0-9]+: ' "$norn" asm short.s -o bad.bin
expect 1 '^error: garbage.norn:1:' "$norn" asm garbage.norn -o bad.bin
absent bad.bin

# Runs: each error in a description, with its location. shader.norn reads an attribute into a position; q is an address.
cat >shader.norn <<'END'
shader vertex @t {
  fau q: i64 @ 0, a: f32[4] @ 2
entry:
  %v = vertex_id
  %p = load.attribute.f32.w4 %v, 0, index:0
  store.position.w4 %p
  end
}
END
# fault PATTERN DESCRIPTION
fault() { expect 1 "^error: <command line>:1:$1" "$norn" run --engine interpreter shader.norn "$2"; }
expect 1 "command line>:1:15: expected .*\]" "$norn" run "$examples/saxpy.norn" grid=1 x=f32[1
expect 1 "'?zz'?" "$norn" run "$examples/saxpy.norn" grid=1 zz=1
expect 0 '' "$norn" run --engine interpreter shader.norn 'draw=vertices(3) attribute0=x(rg32float) x=f32[(1, 2); 3] q=i32[0] a=f32[0; 4] => position=f32[(1, 2, 0, 1); 3]'
expect 1 "1:62: position\[4\] is f32\[1\], but should be f32\[7\]" "$norn" run --engine interpreter shader.norn \
  'draw=vertices(2) attribute0=x(rg32float) x=f32[(1, 2); 2] => position=f32[1, 2, 0, 1, 7, 2, 0, 1]'
fault "6: grid is only for compute shaders" 'grid=2 draw=vertices(3)'
fault "13: the grid is given twice" 'grid=1 grid=2'
fault "6: expected workgroups, as in 3,2 or 3x2, found the end" 'grid='
fault "6: expected numbers of workgroups, as in 3,2 or 3x2, found '1,,2'" 'grid=1,,2'
fault "6: expected numbers of workgroups, as in 3,2 or 3x2, found 'x'" 'grid=x'
fault "23: the draw is given twice" 'draw=vertices(3) draw=vertices(4)'
fault "1: the program is a vertex shader, expected draw=vertices\(3\)" 'q=i8[]'
fault "1: expected NAME=VALUE, found 'q'" 'q'
fault "1: expected NAME=VALUE, found '=1'" '=1'
fault "3: expected a value, found the end" 'q='
fault "1: the program declares no uniform 'zz'; it declares q .uniform., a .uniform.$" 'zz=1 draw=vertices(1)'
fault "1: the program declares no uniform 'zz', and no table" 'zz=f32[1] draw=vertices(1)'
fault "8: 'q' is given twice" 'q=i8[] q=i8[]'
fault "3: expected a type \(i8 to i64, u8 to u64, f16, f32, f64, image or sampler\), found 'f33'" 'q=f33[1]'
fault "7: '1x' is not a number of type f32" 'q=f32[1x]'
fault "6: '256' is not a number of type i8" 'q=i8[256]'
fault "9: expected a repeat count, found '\]'" 'q=f32[1;]'
fault "9: more than 16777216 elements" 'q=f32[1;16777217]'
fault "27: more than 16777216 elements" 'q=f32[(1, 2, 3; 4000000); 5]'
fault "11: expected ',', ';' or '\)', found '\]'" 'q=f32[(1,2]'
fault "9: expected a blank, found 'x'" 'q=f32[1]x'
fault "7: /nothing: cannot open" 'q=f32@/nothing'
fault "1: 'a' is an array of 4 elements of type f32" 'a=f32[1] draw=vertices(1)'
fault "1: 'a' is an array of 4 elements of type f32, expected a list such as a=f32\[2.5; 4\]$" 'a=2.5 draw=vertices(1)'
fault "5: expected a list such as f32\[1, 2\] after =>, found '5'" '=>q=5'
fault "10: expected one '=>'" 'q=i8[] =>=>'
fault "6: expected vertices\(...\), fragments\(...\) or triangles\(...\)" 'draw=lines(3)'
fault "6: the program is a vertex shader" 'draw=fragments(4x4)'
fault "14: 'vertices' is missing" 'draw=vertices()'
fault "18: expected one of vertices, instances, first_vertex, first_instance, draw_id, view_index, found 'foo'" 'draw=vertices(3, foo:1)'
fault "18: instances: expected a number from 0 to 16777216" 'draw=vertices(3, instances:-1)'
fault "6: 'position' would have more than 16777216 elements" 'draw=vertices(16777216, instances:16777216)'
fault "14: format: expected a format such as rgba8unorm" 'attribute0=q(r8float) q=i8[]'
fault "12: 'x' has no value before =>" 'attribute0=x(r8uint) draw=vertices(1)'
fault "1: expected attribute0 to attribute255, found 'attribute256'" 'attribute256=q(r8uint)'
fault "8: 't' has no value before =>" 'table0=t draw=vertices(1)'
fault "10: 's:x': expected the bytes of an element" 'table0=-,s:x'
fault "8: the image has more than 16777216 channels" 't=image(r8uint, 65536x65536)'
fault "25: the image has 16 channels, but 2 are given" 't=image(rgba8unorm, 2x2)[1, 2]'
fault "18: size: expected a size such as 4x4" 't=image(r8unorm, 0x4)'
fault "11: wrap: expected one of repeat, mirror, clamp, border, or 3" 's=sampler(wrap:[repeat])'
fault "26: filter is given twice" 's=sampler(filter:linear, filter:linear)'
fault "1: the program declares no uniform 's', and no table names it" 's=sampler() draw=vertices(1)'
fault "1: gradients are only for the varyings of a fragment shader" 'q=gradients[1, 2, 3] draw=vertices(1)'
printf '; run: q=i8[1, \\\n;   2] \\\n;     q=i8[]\n' >lines.norn
expect 1 "^error: lines.norn:3:7: 'q' is given twice" "$norn" run --engine interpreter --runs lines.norn shader.norn
expect 2 "unknown format 'xml', expected text, table or json" "$norn" run --format xml shader.norn q=1
expect 2 "unknown engine 'steam', expected simulator, interpreter or both" "$norn" run --engine steam shader.norn q=1
expect 2 "unexpected argument 'q=1': the input is that of --runs" "$norn" run --runs lines.norn shader.norn q=1

expect 0 '' "$norn" run --engine both "$examples/texture.norn"
expect 0 '' bash -c "'$norn' run --engine both -q - <'$examples/saxpy.norn'"
expect 1 '^error: <stdin>:1:1: ' bash -c "printf x | '$norn' run -"

printf 'shader fragment @t {\nentry:\n  %%s = sample_id\n  %%c = collect.i32.w4 %%s, %%s, %%s, %%s\n  store.color.u32.w4 %%c\n  end\n}\n' >sample.norn
expect 0 '' "$norn" run --engine both sample.norn 'draw=fragments(1x1, samples:2, by_sample) => color0=u32[0; 4, 1; 4]'
for engine in simulator interpreter both; do
  expect 0 '' "$norn" run --engine=$engine sample.norn 'draw=fragments(1x1, samples:2) => color0=u32[0; 4, 1; 4]'
done
sed 's/sample_id/frag_coord.x/; s/[iu]32/f32/g' sample.norn >pixel.norn
for engine in simulator interpreter both; do
  expect 0 '' "$norn" run --engine=$engine --by-sample pixel.norn 'draw=fragments(1x1, samples:2) => color0=f32[0.75; 4, 0.25; 4]'
done
expect 1 "'-129' is not a number of type i8" "$norn" run "$examples/saxpy.norn" grid=1 'x=i8[-128, -129]'
expect 1 'expected a size such as 4x4, each side from 1 to 65536' "$norn" run sample.norn 'draw=fragments(1x1x1x1)'
expect 1 'first_vertex: expected a number from 0 to 4294967295' "$norn" run sample.norn 'draw=vertices(1, first_vertex:-1)'
expect 1 ':1:6: the program was compiled to run for whole pixels; use --by-sample to compile it for samples' "$norn" run pixel.norn 'draw=fragments(1x1, samples:2, by_sample)'

# Programs that run for too long, or would need too much memory.
printf 'shader compute @t workgroup(16, 1, 1) {\nentry:\n  jump entry2\nentry2:\n  jump entry2\n}\n' >endless.norn
expect 1 'endless.norn:5:3: jump in invocation .*: reached the limit of 1000 steps' \
  "$norn" run --engine interpreter --step-limit 1000 endless.norn grid=1
expect 1 'stopped at 0x[0-9a-f]+ \(BRANCHZ.* offset:-1\), invocation .*: reached the limit of 1000 steps' "$norn" run --step-limit 1000 endless.norn grid=1
expect 1 'expected fewer than 2\^32' "$norn" run --engine interpreter endless.norn grid=65536,65536
printf 'shader compute @t workgroup(1, 1, 1) scratch(1048576) {\nentry:\n  end\n}\n' >clearing.norn
expect 1 'the limit of 1000000 steps' "$norn" run --engine interpreter --step-limit 1000000 clearing.norn grid=4294967295
expect 0 '' "$norn" run --engine interpreter clearing.norn grid=4294967295,0,4294967295
{
  printf 'shader compute @t workgroup(1, 1, 1) {\nentry:\n  call.void @f0()\n  end\n}\n'
  for i in $(seq 0 39); do
    printf 'function @f%s() -> void {\nentry:\n  call.void @f%s()\n  call.void @f%s()\n  return.void\n}\n' "$i" $((i + 1)) $((i + 1))
  done
  printf 'function @f40() -> void {\nentry:\n  return.void\n}\n'
} >calls.norn
expect 1 'too large to interpret' "$norn" run --engine interpreter calls.norn grid=1

# Sizes that the input determines are refused instead of allocated: lists, images, outputs, files.
if bash -c 'ulimit -v 2000000 && "$1" --version' - "$norn" >/dev/null 2>&1; then # sanitizers need more
  within() {
    local memory=$1 pattern=$2
    shift 2
    expect 1 "$pattern" bash -c 'ulimit -v "$0" && "$@"' "$memory" "$norn" "$@"
  }
  truncate -s 3G huge.bin
  for memory in 150000 200000; do
    within "$memory" 'not enough memory for' run "$examples/saxpy.norn" grid=1 'x=f64[0; 16777216]' 'y=f64[0; 16777216]'
    within "$memory" 'not enough memory for' run "$examples/texture.norn" 'draw=fragments(1x1) table0=t,u t=image(rgba32float, 2048x2048) u=image(rgba32float, 2048x2048)'
    within "$memory" 'cannot read: Cannot allocate memory' compile /dev/zero
    within "$memory" 'huge.bin: expected at most 268435456 bytes' disasm huge.bin
  done
fi
expect 1 '/dev/zero: expected at most 268435456 bytes' "$norn" compile /dev/zero
expect 1 '1:160: more than 1073741824 bytes in all values' "$norn" run "$examples/saxpy.norn" grid=1 $(printf 'a%s=f64[0;16777216] ' 1 2 3 4 5 6 7 8 9 10)
printf 'shader compute @t workgroup(16, 1, 1) shared(4294967295) {\nentry:\n  end\n}\n' >shared.norn
expect 1 '^error: shared.norn:1:1: 4294967295 bytes of workgroup memory' "$norn" run shared.norn grid=1

# Uniforms without a value are reported.
"$norn" run "$examples/saxpy.norn" grid=1 n=1 'x=f32[1]' 'y=f32[1]' >out.txt 2>err.txt || fail "a uniform without value is no error"
[ "$(cat err.txt)" = "note: the uniform 'a' has no value and is 0; set it with a=VALUE" ] || fail "a uniform without value"
printf '; run: a=1.0 n=0 y=f32[1]\n' >few.norn
"$norn" run "$examples/saxpy.norn" --runs few.norn >out.txt 2>err.txt || fail "an address without value is no error"
[ "$(cat err.txt)" = "note: few.norn:1: the uniform 'x' has no value and is 0; set it with x=TYPE[VALUE, ...]" ] || fail "an address without value"

# Numbers and names without a meaning.
for tolerance in -1 nan inf 1.5; do
  expect 2 "--tolerance: expected a number from 0 to 1, found $tolerance" "$norn" run --tolerance=$tolerance "$examples/saxpy.norn"
done
expect 1 'trace: warp 99 does not exist; there are 2, numbered from 0' "$norn" run -q --trace=99 "$examples/saxpy.norn"
expect 0 '' "$norn" run -q --trace=0 "$examples/saxpy.norn"
expect 2 '--print: expected a number from 0 on, found -5' "$norn" fuzz --print=-5
expect 2 "unknown pass 'nosuch' .\`norn passes\` lists them" "$norn" reduce -p select,nosuch "$examples/saxpy.norn"

# JSON output is valid whatever the file's name is, and a trace has one object per line.
odd=$(printf 'a\377"<b>.norn')
cp "$examples/saxpy.norn" "$odd"
printf x >"$odd.bin"
is_json() { expect 0 '' python3 -c 'import json; json.load(open("out.json", encoding="utf-8"))'; }
for call in 'stats --format=json' 'run --format=json' 'report --format=json'; do
  "$norn" $call "$odd" >out.json
  is_json
done
"$norn" disasm --messages=json "$odd.bin" 2>out.json
is_json
expect 0 '' "$norn" compile "$odd" -o named.bin --trace-passes=out.json
is_json
"$norn" run --trace --format=json "$odd" >lines.json
expect 0 '' python3 -c 'import json; assert [*map(json.loads, open("lines.json", encoding="utf-8"))][-1]["runs"]'

# Formats of results.
run_format() { "$norn" run --format "$1" --engine interpreter shader.norn 'draw=vertices(2) attribute0=x(rg32float) x=f32[(1, 2), (3, -4.5)]'; }
look() {
  if diff <(run_format "$1") -; then
    passed=$((passed + 1))
  else
    printf 'FAILED: norn run --format %s\n' "$1"
    failed=$((failed + 1))
  fi
}
look text <<'END'
x=f32[1, 2, 3, -4.5]
position=f32[1, 2, 0, 1, 3, -4.5, 0, 1]
END
look table <<'END'
<command line>:1, interpreter
x  f32, 4 elements
         0     1    2    3 -4.5
position  f32, 8 elements
         0     1    2    0    1    3 -4.5    0    1
END
look json <<'END'
{
  "runs" : [
    {
      "file" : "<command line>",
      "line" : 1,
      "engine" : "interpreter",
      "results" : [
        {
          "name" : "x",
          "type" : "f32",
          "values" : [
            1.0,
            2.0,
            3.0,
            -4.5
          ]
        },
        {
          "name" : "position",
          "type" : "f32",
          "values" : [
            1.0,
            2.0,
            0.0,
            1.0,
            3.0,
            -4.5,
            0.0,
            1.0
          ]
        }
      ]
    }
  ]
}
END

printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
