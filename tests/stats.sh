#!/usr/bin/env bash
# norn stats: its counts compared with those that tests/count.py derives from the disassembly, its formats, and comparisons of
# two outputs.
# Usage: stats.sh NORN SOURCE
set -u
. "$(dirname "$0")/work_folder.sh"
source=$(realpath "$2")
cd "$work" || exit 1

# A member of the only program in a JSON output.
member() { grep -oE "\"$2\" : [0-9.]+" "$1" | head -1 | sed 's/.* : //'; }

programs=0
for file in "$source"/examples/*.norn "$source"/bench/kernels/*.norn; do
  "$norn" stats --format json "$file" >out.json || fail "$file"
  [ "$(grep -c '"file"' out.json)" -eq 1 ] || continue # two programs
  "$norn" compile "$file" --emit asm >out.s || fail "$file"
  python3 "$source/tests/count.py" "$source/tests/oracle/mali-isa-v9-v14.tsv" 9 out.s out.json || fail "$file"
  "$norn" compile "$file" -o out.bin && "$norn" stats --format json out.bin >code.json || fail "$file as code"
  for name in instructions cycles longest_cycles waits; do
    [ "$(member out.json $name)" = "$(member code.json $name)" ] || fail "$file: $name differs for its code"
  done
  programs=$((programs + 1))
done
[ $programs -ge 10 ] || fail "only $programs programs counted"

# Constant data follows the code, and is counted separately.
cat >table.norn <<'END'
shader compute @table workgroup(16, 1, 1) {
  fau out: i64 @ 0
  data i32 10, 20, 30, 40
entry:
  %i = local_index
  %low = and.i32 %i, 3
  %table = data_address 0
  %from = shladd.u32.i64 %table, %low, 2
  %x = load.global.i32 %from
  %to = shladd.u32.i64 fau.out, %i, 2
  store.global.i32 %x, %to
  end
}
END
"$norn" stats --format json table.norn >out.json || fail "table.norn"
[ "$(member out.json data_bytes)" = 16 ] || fail "table.norn has no 16 bytes of constant data"
"$norn" stats table.norn | grep -q '^  constant data: 16 bytes$' || fail "table.norn: constant data is not told"

# The program of positions has that name even if a vertex has no varyings and so no other program.
cat >point.norn <<'END'
shader vertex @point {
entry:
  %place = collect.f32.w4 1.0, 2.0, 3.0, 1.0
  store.position.w4 %place
  end
}
END
for part in 9:position 12:vertex; do
  "$norn" stats --format json --arch "${part%:*}" point.norn >out.json || fail "point.norn on ${part%:*}"
  [ "$(grep -c '"part"' out.json)" -eq 1 ] || fail "point.norn on ${part%:*} has several programs"
  grep -q "\"part\" : \"${part#*:}\"" out.json || fail "point.norn on ${part%:*} is no ${part#*:}: $(grep '"part"' out.json)"
done

# Reasons: spilled values and their numbers, moves by origin, waits and loops; the lists agree with the counts.
check_lists() {
  python3 - "$1" <<'END' || fail "the lists of $2"
import json, sys
for program in json.load(open(sys.argv[1]))["programs"]:
    spilled = program["spilled"]
    # one message may move several values
    assert program["spills"] <= sum(value["stores"] for value in spilled) <= 4 * program["spills"], "spills"
    assert program["fills"] <= sum(value["fills"] for value in spilled) <= 4 * program["fills"], "fills"
    moves = program["moves_for"].values()
    assert sum(move["constants"] for move in moves) == program["constant_moves"], "moves of constants"
    assert sum(move["registers"] + move["uniforms"] for move in moves) == program["moves"], "moves"
    assert len({wait["instruction"] for wait in program["waits_for"]}) == program["waits"], "waits"
    assert len(program["loop_list"]) == program["loops"], "loops"
END
}
for options in -O0 -O2 "-O1 --chaos=spill" "-O2 --chaos=spill,registers,schedule --seed=3"; do
  # shellcheck disable=SC2086 # several options
  "$norn" stats $options --format json "$source/bench/kernels" "$source/examples" >out.json || fail "stats $options"
  check_lists out.json "stats $options"
done
"$norn" stats --chaos=spill --skip-passes=rematerialize "$source/bench/kernels/matmul.norn" >spilled.txt || fail "stats of spills"
grep -Eq '^    %row \(preload, line 6\): stored 1 time, filled 1 time; ' spilled.txt || fail "a spilled value by its name"
grep -Eq '^    a value \([A-Z].*[0-9] registers\): .*in 1 loop; its next use is the farthest, [0-9]+ instructions' spilled.txt ||
  fail "why it was spilled"
cat >loops.norn <<'END'
shader compute @loops workgroup(1, 1, 1) {
  fau out: i64 @ 0, n: i32 @ 2
entry:
  jump outer(0, 0)
outer(%i: i32, %sum: i32):
  %i1 = iadd.i32 %i, 1
  jump inner(0, %sum)
inner(%k: i32, %part: i32):
  %more = iadd.i32 %part, %k
  store.global.i32 %more, fau.out
  %k1 = iadd.i32 %k, 1
  %goes = icmp.ult.i32 %k1, fau.n
  br %goes, inner(%k1, %more), next
next:
  %again = icmp.ult.i32 %i1, 3
  br %again, outer(%i1, %more), done
done:
  end
}
END
"$norn" stats -O1 --trips 5 loops.norn >loops.txt || fail "stats of loops"
grep -Eq '^  loop at [0-9]+: [0-9]+ instructions, 3 times$' loops.txt || fail "a loop that is counted: $(grep loop loops.txt)"
grep -Eq '^    loop at [0-9]+: [0-9]+ instructions, n1 times$' loops.txt || fail "a loop that is not: $(grep loop loops.txt)"
grep -q '^  longest path: 3\*n1 cycles (ls)$' loops.txt || fail "the sum: $(grep 'longest path:' loops.txt)"
grep -Eq '^  longest path .* 15\.00 .* ls$' loops.txt || fail "with trips: $(grep longest loops.txt)"

# The simulator issues as many instructions as both paths say for counted loops.
cat >rounds.norn <<'END'
; run: grid=1 out=i32[0] => out=i32[240]
shader compute @rounds workgroup(16, 1, 1) {
  fau out: i64 @ 0
entry:
  jump outer(0, 0)
outer(%i: i32, %sum: i32):
  %i1 = iadd.i32 %i, 3
  jump inner(10, %sum)
inner(%k: i32, %part: i32):
  %k1 = isub.i32 %k, 2
  %stays = icmp.sgt.i32 %k1, -7
  br %stays, more, next
more:
  %even = and.i32 %k1, 1
  %part1 = iadd.i32 %part, %even
  %part2 = iadd.i32 %part1, 3
  jump inner(%k1, %part2)
next:
  %again = icmp.ult.i32 %i1, 30
  br %again, outer(%i1, %part), done
done:
  store.global.i32 %part, fau.out
  end
}
END
for level in 0 1; do
  "$norn" stats -O$level --run --format json -o rounds.json rounds.norn || fail "runs counted loops"
  python3 - <<'END' || fail "executed, shortest and longest path at -O$level"
import json
program = json.load(open("rounds.json"))["programs"][0]
rates = {"fma": 64, "cvt": 64, "sfu": 16, "ls": 1, "v": 16, "t": 4}
for path in ("shortest", "longest"):
    issued = sum(unit[path] * rates[name] for name, unit in program["units"].items())
    assert program["executed"] == issued > 500, (program["executed"], path, issued)
END
done

# Two outputs compared: the same, worse, within the limit; outputs that cannot be compared.
"$norn" stats --format json "$source/bench/kernels" >new.json || fail "stats of a folder"
"$norn" stats --format json -O0 -j3 "$source/bench/kernels" >old.json || fail "stats on threads"
"$norn" stats --diff new.json new.json >same.txt || fail "the same is not worse"
grep -q '^instructions *1.0000 *0 *0$' same.txt || fail "the same has ratio 1"
"$norn" stats --diff new.json old.json >worse.txt && fail "-O0 is worse"
grep -q '/matmul.norn compute$' worse.txt || fail "what got worse is listed"
"$norn" stats --diff --limit 100000 new.json old.json >/dev/null || fail "within the limit"
# Single figures: more threads are better; if one side is 0, one is added to both.
while IFS='|' read -r before after status mean; do
  printf '{"programs": [{"file": "a", %s}]}' "$before" >before.json
  printf '{"programs": [{"file": "a", %s}]}' "$after" >after.json
  "$norn" stats --diff before.json after.json >figures.txt
  [ $? -eq "$status" ] && tr -s ' ' <figures.txt | grep -qx "$mean" ||
    { fail "figures $before and $after: no status $status, or no line $mean"; cat figures.txt; }
done <<'END'
"threads": 2|"threads": 1|1|threads 0.5000 0 1
"threads": 1|"threads": 2|0|threads 2.0000 1 0
"spills": 3|"spills": 0|0|spills 0.2500 1 0
"spills": 0|"spills": 3|1|spills 4.0000 0 1
"spills": 0|"spills": 0|0|spills 1.0000 0 0
END
echo '[1]' >bad.json
"$norn" stats --diff bad.json new.json >/dev/null 2>err.txt && fail "no such file of figures"
grep -q 'bad.json: expected' err.txt || fail "the message names the file"
echo '{"programs": [{"file": "a", "instructions": []}]}' >bad.json
"$norn" stats --diff bad.json new.json >/dev/null 2>err.txt && fail "a figure must be a number"
grep -q 'bad.json: programs\[0\].instructions: expected a number' err.txt || fail "the message names the figure"

# The same with another build: a command that compiles worse, one that fails to compile, one that is not a command.
"$norn" stats --against "$norn" --limit=0 "$source/bench/kernels" >same.txt || fail "the same build is not worse"
grep -q '^instructions *1.0000 *0 *0$' same.txt || fail "the same build has ratio 1"
printf '#!/bin/sh\nexec "%s" "$@" -O0\n' "$norn" >other
chmod +x other
"$norn" stats --against=./other -o better.txt "$source/bench/kernels" || fail "better than -O0"
grep -Eq '^instructions +0\.[0-9]+ ' better.txt || fail "less than the other build: $(grep ^instr better.txt)"
grep -q '/matmul.norn compute$' better.txt || fail "the best are listed"
sed 's/-O0/-O2 --limit-code=100000/' other >fine && chmod +x fine
"$norn" stats -O0 --against ./fine "$source/bench/kernels" >/dev/null && fail "worse than the other build"
"$norn" stats --limit-code=100 --against ./fine "$source/examples/hash.norn" >/dev/null 2>&1 && fail "what compiles no more is worse"
"$norn" stats --against /bin/true "$source/examples/hash.norn" >/dev/null 2>err.txt && fail "no norn"
grep -q 'against: /bin/true printed nothing' err.txt || fail "the message names the command"
"$norn" stats --against ./nothing "$source/examples/hash.norn" >/dev/null 2>err.txt && fail "no command"
grep -q 'against: ' err.txt || fail "the message names the option"

# Runs: the instructions that the simulator counts; worse figures of a run also count as a difference.
for name in dot hash; do
  "$norn" stats --run --format json "$source/examples/$name.norn" >run.json || fail "runs $name"
  issued=$("$norn" run -q --stats "$source/examples/$name.norn" | awk '{ for (k = 2; k < NF; k++) if ($(k + 1) == "issued,") sum += $(k - 1) } END { print sum }')
  [ "$(member run.json executed)" = "$issued" ] || fail "$name: $(member run.json executed) executed, not $issued"
  [ -n "$(member run.json estimated_cycles)" ] || fail "$name has estimated cycles"
done
"$norn" stats --format json "$source/examples/hash.norn" | grep -q '"executed"' && fail "nothing is executed unless asked"
sed -E 's/"executed" : [0-9]+/"executed" : 1/' run.json >less.json
"$norn" stats --diff run.json less.json >diff.txt || fail "less is better"
grep -Eq '^executed +0\.00[0-9]+ +1 +0$' diff.txt || fail "fewer executed instructions: $(grep ^executed diff.txt)"
"$norn" stats --diff less.json run.json >/dev/null && fail "more is worse"
echo '{"programs": [' >open.json
"$norn" stats --diff open.json open.json >/dev/null 2>err.txt && fail "JSON that does not end"
grep -q '^error: open.json:[0-9]*:[0-9]*: ' err.txt || fail "the place in the JSON: $(cat err.txt)"
"$norn" stats nothing.norn >out.txt 2>err.txt && fail "a file that is missing is counted"
[ "$(cat err.txt)" = 'error: nothing.norn: cannot open: No such file or directory' ] || fail "it is named once: $(cat err.txt)"
[ "$(cat out.txt)" = 'nothing.norn: failed' ] || fail "and told of once: $(cat out.txt)"
printf '\377\377\377\377\377\377\377\377' >none.bin
"$norn" stats none.bin >/dev/null 2>err.txt && fail "what is no instruction is counted"
grep -q '^error: none.bin: ' err.txt || fail "the file is named: $(cat err.txt)"
"$norn" stats --run tests/nothing.norn >/dev/null 2>&1 && fail "a missing file is an error"
printf 'shader compute @f workgroup(1, 1, 1) {\nentry:\n  end\n}\n' >quiet.norn
"$norn" stats --run quiet.norn >quiet.txt || fail "a file without runs"
grep -q 'executed:' quiet.txt && fail "it executes nothing"

# The listing: a row for each instruction, below the source line that it was compiled from.
"$norn" stats --annotate "$source/examples/dot.norn" >list.txt || fail "annotates"
rows=$(grep -Ec '^ +[0-9]+ +[0-9-]+ +[0-9]+ +[0-9]+  [a-z]' list.txt)
[ "$rows" = "$(member <("$norn" stats --format json "$source/examples/dot.norn") instructions)" ] || fail "$rows rows"
awk '/^; %yv = load.global/ { getline; exit !($5 == "ls" && $3 == 1 && $10 ~ /^LOAD/) }' list.txt || fail "a load of a loop: $(grep -A1 '%yv =' list.txt)"
grep -Eq '^ +9 .*ICMP_OR.u32.lt.m1.wait0 .*; slot 0: 7, results for 10$' list.txt || fail "what is waited for and who needs it"
grep -Eq '^ +1 .*IADD_IMM.i32.*; arguments$' list.txt || fail "what a move is for"
grep -Eq 'BRANCHZ.*; waits for [0-9]+$' list.txt || fail "who waits for whom"
if command -v glslangValidator >/dev/null; then
  printf '#version 450\nlayout(local_size_x = 16) in;\nlayout(set = 0, binding = 0) buffer B { uint b[]; };\nvoid main() { b[gl_GlobalInvocationID.x] += 3u; }\n' >add.comp
  glslangValidator -V add.comp -o add.spv >/dev/null && glslangValidator -g -V add.comp -o lines.spv >/dev/null || fail "GLSL"
  "$norn" stats --annotate add.spv >list.txt || fail "annotates SPIR-V"
  grep -q '^; %.* = load.buffer.i32 ' list.txt || fail "IR beside the code of SPIR-V"
  "$norn" stats --annotate lines.spv >list.txt || fail "annotates SPIR-V with lines"
  grep -q '^; void main() { b' list.txt || fail "GLSL beside the code of SPIR-V"
  od -An -v -tx4 -w4 lines.spv | sed 's/ \(..\)\(..\)\(..\)\(..\)/\\x\1\\x\2\\x\3\\x\4/' | tr -d '\n' | xargs -0 printf >swapped.spv
  "$norn" stats --annotate swapped.spv | sed 's/^swapped/lines/' | diff - list.txt || fail "SPIR-V in the other order of bytes"
fi
"$norn" stats --annotate --run "$source/examples/dot.norn" >list.txt || fail "annotates a run"
awk '/^; %yv = load.global/ { getline; exit !($6 > 1) }' list.txt || fail "instructions of loops are issued several times"
"$norn" stats --parameters | grep -Eq '^memory_latency +[0-9]+  low ' || fail "parameters"

# Errors in a vertex shader are reported with its own lines, although it is compiled to two programs.
printf 'shader vertex @f {\nentry:\n  ; nothing\n  barrier.workgroup\n  end\n}\n' >vertex.norn
"$norn" stats vertex.norn >/dev/null 2>err.txt && fail "no barriers in vertex shaders"
grep -v '^ ' err.txt | grep -v 'vertex.norn:4:' && fail "lines of the source"

# The cost of passes: each pass that runs has a row; the trace has an event per run, nested correctly in time.
"$norn" compile --time-passes --trace-passes=trace.json -o out.bin "$source/examples/saxpy.norn" 2>passes.txt || fail "times passes"
grep -Eq '^pass +runs +(instructions|nanoseconds) ' passes.txt || fail "the head of the table of passes"
for pass in select schedule allocate pack; do
  grep -Eq "^$pass +1 +[1-9][0-9]* +[0-9.]+% +[1-9][0-9]*$" passes.txt || fail "$pass ran once: $(grep "^$pass" passes.txt)"
done
python3 - trace.json passes.txt <<'END' || fail "the trace"
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
rows = [line.split() for line in open(sys.argv[2]) if not line.startswith("pass ")]
assert len(events) == sum(int(row[1]) for row in rows), (len(events), rows)
for row in rows:
    assert int(row[4]) == max(event["args"]["memory"] for event in events if event["name"] == row[0]), row
assert all(event["ph"] == "X" and event["dur"] >= 0 and event["args"]["memory"] > 0 for event in events)
assert all(a["ts"] + a["dur"] <= b["ts"] for a, b in zip(events, events[1:])), "passes run one after another"
END
"$norn" stats --time-passes --trace-passes=trace.json -j 2 "$source/examples" >/dev/null 2>passes.txt || fail "times passes of many"
[ "$(awk '$1 == "select" { print $2 }' passes.txt)" = "$(ls "$source"/examples/*.norn | wc -l)" ] || fail "select ran for each"
grep -q 'dot.norn' trace.json || fail "the trace names files"
"$norn" compile -o out.bin "$source/examples/saxpy.norn" 2>passes.txt && [ ! -s passes.txt ] || fail "nothing is measured unless asked"

# GLSL is not read, and a folder may contain no readable file.
mkdir glsl && printf '#version 450\nvoid main() {}\n' >glsl/empty.frag
"$norn" stats glsl/empty.frag >/dev/null 2>err.txt && fail "GLSL"
grep -q 'empty.frag:1: this is GLSL; compile it to SPIR-V first: glslangValidator -V ' err.txt || fail "says what to do: $(cat err.txt)"
"$norn" stats glsl >/dev/null 2>err.txt && fail "no shaders"
grep -q 'glsl: no shaders (.norn, .spv) in this folder' err.txt || fail "says what is looked for: $(cat err.txt)"

# The line for shader-db, for a program that ends in the middle of 16 bytes.
printf 'NOP\nNOP\nNOP.end\n' >odd.s
"$norn" stats --format shader-db odd.s | grep -qx 'odd.s - MESA_SHADER_COMPUTE shader: 3 inst, 0.046875 cycles, .*, 2 quadwords, 2 threads, 0 loops, 0:0 spills:fills' || fail "shader-db"

# At most as many registers are live as the half-sized file has, so naming others is why only half of the threads run.
{ for reg in $(seq 0 31); do echo "MOV.i32 r$reg, u0"; done
  for reg in $(seq 0 4 28); do echo "STORE.i128.slot0 @r$reg:r$((reg + 1)):r$((reg + 2)):r$((reg + 3)), u0, offset:0"; done; echo NOP.end; } >live.s
"$norn" stats live.s | grep -q 'occupancy: 50%, since instruction 16 uses r16, though at most 32 registers are live' || fail "names of registers: $("$norn" stats live.s)"

# A program that does not compile is reported, and the others are counted.
echo 'shader nonsense' >bad.norn
"$norn" stats --format table "$source/examples/saxpy.norn" bad.norn >out.txt 2>err.txt && fail "a bad file is an error"
grep -q 'saxpy.norn compute *9 ' out.txt || fail "the good one is counted"
grep -q 'bad.norn:1:' err.txt || fail "the bad one is told"
"$norn" stats 2>/dev/null; [ $? -eq 2 ] || fail "usage"
"$norn" stats --trips 0 "$source/examples/saxpy.norn" 2>/dev/null; [ $? -eq 2 ] || fail "trips"
[ "$failed" -eq 0 ]
