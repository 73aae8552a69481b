; test fails: run -q
; run: grid=1 u0=i32[1; 16]
MOV.i32 r0, u0
MOV.i32 r1, ^r0
MOV.i32 r2, r0
NOP.end
; expect:
; error: trap-last-use-later.s:2: trap at 0x10 (MOV.i32 r2, r0), invocation 0 (lane 0): r0 is read after its last use [last-used]
