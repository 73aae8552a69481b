; The last use of a pair drops both registers.
; test fails: run -q
; run: grid=1 u0=i32[1; 16]
SHADDX.u64 r0, u0, r60.w0, shift:0x0
SHADDX.u64 r2, ^r0, r60.w0, shift:0x0
MOV.i32 r4, r1
NOP.end
; expect:
; error: trap-last-use-pair.s:3: trap at 0x10 (MOV.i32 r4, r1), invocation 0 (lane 0): r1 is read after its last use [last-used]
