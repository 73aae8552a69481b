#!/usr/bin/env bash
# The prompt of `norn run`: its exact output for commands from a pipe.
#   debug.sh NORN
set -u
. "$(dirname "$0")/work_folder.sh"
cd "$work" || exit 1

# prompt STATUS COMMANDS ARGUMENT...: runs with the commands, one per line; must exit with the status and print the text on
# standard input.
prompt() {
  local status=$1 commands=$2
  shift 2
  printf '%s\n' "$commands" | tr '/' '\n' | "$norn" run "$@" >out.txt 2>&1
  local got=$?
  if [ "$got" -ne "$status" ] || ! diff - out.txt >diff.txt; then
    printf 'FAILED: run %s, commands %s: exit status %s\n' "$*" "$commands" "$got"
    cat diff.txt
    failed=$((failed + 1))
  fi
}

cat >code.s <<'E2'
SHADDX.u64 r2, u0, r60.w0, shift:0x2
LOAD.i32.unsigned.slot1 @r0, r2, offset:0
IADD.u32 r4, ^r60, u2
NOP.wait1
FMA.f32 r0, r0, 0x3F800000, 0x0.neg
STORE.i32.slot0.end @r0, ^r2, offset:0
E2
sed 's/NOP.wait1/NOP/' code.s >hazard.s
run=(--workgroup=2 grid=1 'u0=f32[1.5, -2]' u2=5)

prompt 0 'registers/step/step 2/registers 1/slots/print r4/print r0 f32 1/print u2/memory u0 1/memory shared/lanes/continue' --step code.s "${run[@]}" <<'E2'
step 1, warp 0, lanes 0-1, 0x0: SHADDX.u64 r2, u0, r60.w0, shift:0x2
r55 = 0x0 0x1
r56 = 0x0? x2
r57 = 0x0 x2
r58 = 0x0 x2
r59 = 0x0 x2
r60 = 0x0 0x1
r61 = 0x0 x2
r62 = 0x0 x2
step 2, warp 0, lanes 0-1, 0x8: LOAD.i32.unsigned.slot1 @r0, r2, offset:0
step 4, warp 0, lanes 0-1, 0x18: NOP.wait1
r0 = 0xc0000000
r2 = 0xffffff04
r3 = 0x0
r4 = 0x6
r55 = 0x1
r56 = 0x0?
r57 = 0x0
r58 = 0x0
r59 = 0x0
r61 = 0x0
r62 = 0x0
slot 1: r0 written
r4 = 0x5 0x6
r0 = -2
u2 = 0x5 x2
u0[1...] = f32[-2]
memory: expected the name of a buffer, shared or scratch, found 'shared'
active: 0-1; alive: 0-1; helpers: none; workgroup 0,0,0, lane 0 is invocation 0
u0=f32[1.5, -2]
E2

# Breakpoints by address; unknown commands and bad arguments; when the input ends, the run continues.
prompt 0 'p/p r99/p r0 f32 16/step 0/frob/delete 1/break/break 0x28/break %x/c/slots' --break 0x8 code.s "${run[@]}" <<'E2'
breakpoint 0x8
step 2, warp 0, lanes 0-1, 0x8: LOAD.i32.unsigned.slot1 @r0, r2, offset:0
print: expected a value (%x), a register (r4) or a uniform word (u2)
'r99' does not exist here or is no longer in a register
'16' is not a lane from 0 to 15
expected a number of steps, found '0'
unknown command 'frob'; help lists the commands
delete: unknown breakpoint '1'
0x8
breakpoint '%x': machine code has no lines and names, expected an address such as 0x18
breakpoint 0x28
step 6, warp 0, lanes 0-1, 0x28: STORE.i32.slot0.end @r0, ^r2, offset:0
no message with registers is in flight
u0=f32[1.5, -2]
E2

# A trap also stops the run, so that the registers can be inspected.
prompt 1 'slots/p r2/c' -q --break 0x28 hazard.s "${run[@]}" <<'E2'
trap at 0x20 (FMA.f32 r0, r0, 0x3F800000, 0x0.neg), invocation 0 (lane 0): r0 is read while a message that writes it is in flight; wait for slot 1 first [register-in-flight]
step 5, warp 0, lanes 0-1, 0x20: FMA.f32 r0, r0, 0x3F800000, 0x0.neg
slot 1: r0 written
r2 = 0xffffff00 0xffffff04
breakpoint 0x28 was not reached
error: hazard.s: trap at 0x20 (FMA.f32 r0, r0, 0x3F800000, 0x0.neg), invocation 0 (lane 0): r0 is read while a message that writes it is in flight; wait for slot 1 first [register-in-flight]
E2

# The user can quit a run.
prompt 0 'step/quit' --step code.s "${run[@]}" <<'E2'
step 1, warp 0, lanes 0-1, 0x0: SHADDX.u64 r2, u0, r60.w0, shift:0x2
step 2, warp 0, lanes 0-1, 0x8: LOAD.i32.unsigned.slot1 @r0, r2, offset:0
E2

cat >kernel.norn <<'E2'
shader compute @k workgroup(2, 1, 1) {
  fau x: i64 @ 0, n: i32 @ 2
entry:
  %i = global_id.x
  %p = shladd.u32.i64 fau.x, %i, 2
  %v = load.global.f32 %p
  jump loop(0, %v)
loop(%k: i32, %a: f32):
  %b = fmul.f32 %a, 0.5
  %k1 = iadd.i32 %k, 1
  %more = icmp.ult.i32 %k1, fau.n
  br %more, loop(%k1, %b), done
done:
  store.global.f32 %b, %p
  end
}
E2

# The interpreter: lines, blocks and values.
prompt 0 'p k/p %a/s/p b/c/p b/delete loop/c' --engine interpreter --break loop --break 14 kernel.norn grid=1 n=3 'x=f32[4, 8]' <<'E2'
breakpoint loop
step 5, warp 0, lanes 0-1, kernel.norn:9: %b = fmul.f32 %a, 0.5
%k = 0x0 x2
%a = 4 8
step 6, warp 0, lanes 0-1, kernel.norn:10: %k1 = iadd.i32 %k, 1
%b = 2 4
breakpoint loop
step 9, warp 0, lanes 0-1, kernel.norn:9: %b = fmul.f32 %a, 0.5
%b = 2 4
breakpoint 14
step 17, warp 0, lanes 0-1, kernel.norn:14: store.global.f32 %b, %p
x=f32[0.5, 1]
E2

# Breakpoints that the run does not reach; an unknown name.
prompt 0 'c/c' --engine interpreter -q --break done --break %w --break 12 kernel.norn grid=1 n=1 'x=f32[4, 8]' <<'E2'
breakpoint 12
step 8, warp 0, lanes 0-1, kernel.norn:12: br %more, loop(%k1, %b), done
breakpoint done
step 9, warp 0, lanes 0-1, kernel.norn:14: store.global.f32 %b, %p
breakpoint %w was not reached
E2

# The simulator shows the names and lines of compiled code, in whatever registers values are.
printf 'p %%v\np nothing\nc\n' | "$norn" run --break b -q kernel.norn grid=1 n=1 'x=f32[4, 8]' >out.txt 2>&1
sed -i 's/^step .*kernel.norn:\([0-9]*\): .*/line \1/' out.txt
diff - out.txt <<'E2' || failed=$((failed + 1))
breakpoint b
line 9
%v = 4 8
'nothing' does not exist here or is no longer in a register
E2

# Two engines: the first difference comes from the machine's approximation; it is found when the run is repeated.
cat >sine.norn <<'E2'
shader compute @k workgroup(2, 1, 1) {
  fau x: i64 @ 0, n: i32 @ 2
entry:
  %i = global_id.x
  %p = shladd.u32.i64 fau.x, %i, 2
  %v = load.global.f32 %p
  jump loop(0, %v)
loop(%k: i32, %a: f32):
  %s = fsin.f32 %a
  %a1 = fadd.f32 %a, 0.5
  %k1 = iadd.i32 %k, 1
  %more = icmp.ult.i32 %k1, fau.n
  br %more, loop(%k1, %a1), done
done:
  store.global.f32 %s, %p
  end
}
E2
"$norn" run -q --engine both sine.norn grid=1 n=2 'x=f32[0, 0]' >out.txt 2>&1
[ $? -eq 1 ] || failed=$((failed + 1))
sed -i 's/0\.[0-9]* (0x3[ef][0-9a-f]*)/NUMBER/g; s/f32\[[0-9.]*\]/NUMBER/g' out.txt
diff - out.txt <<'E2' || failed=$((failed + 1))
error: <command line>:1:12: x[0] is NUMBER, but the interpreter computes NUMBER
  the first value that differs is %s, sine.norn:9, in invocation 0, occurrence 2: the compiled code computes NUMBER, but the source computes NUMBER
E2

# The same if messages complete later: results that are still in flight do not count as a difference.
"$norn" run -q --engine both --seed=3 sine.norn grid=1 n=2 'x=f32[0, 0]' 2>&1 | grep -q 'first value that differs is %s, sine.norn:9' || failed=$((failed + 1))

# Two engines that diverge in the code, because the program leaves an order undefined.
cat >order.norn <<'E2'
shader compute @k workgroup(4, 1, 1) {
  fau x: i64 @ 0, y: i64 @ 2
entry:
  %i = global_id.x
  %p = shladd.u32.i64 fau.y, %i, 2
  %one = iadd.i32 %i, 1
  %old = atomic.global.add.i32 fau.x, %one
  %s = imul.i32 %old, 3
  store.global.i32 %s, %p
  end
}
E2
"$norn" run -q --engine both --seed=1 order.norn grid=1 'x=i32[0]' 'y=i32[0; 4]' >out.txt 2>&1
[ $? -eq 1 ] || failed=$((failed + 1))
sed -i 's/step .*order.norn:\([0-9]*\): [A-Z_]*.*/line \1/; s/i32\[[0-9]*\]/NUMBER/g; s/: r[0-9]* is 0x[0-9a-f]*/: REGISTER/' out.txt
diff - out.txt <<'E2' || failed=$((failed + 1))
error: <command line>:1:17: y[0] is NUMBER, but the interpreter computes NUMBER
  the first difference is at line 7
  in invocation 0: REGISTER, but the same instruction on IR values computes 0x0
E2

# Wrong calls.
usage() {
  local pattern=$1
  shift
  "$norn" run "$@" >/dev/null 2>err.txt </dev/null
  if [ $? -ne 2 ] || ! grep -q -- "$pattern" err.txt; then
    printf 'FAILED: run %s\n' "$*"
    cat err.txt
    failed=$((failed + 1))
  fi
}
usage 'need a single engine' --step --engine both kernel.norn grid=1
usage 'are only for Valhall' --trace --target vp1 code.s grid=1
usage '--trace: .x. is not an unsigned number' --trace=x code.s grid=1

[ "$failed" -eq 0 ]
