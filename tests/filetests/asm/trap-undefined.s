; test fails: run -q
; run: grid=1 u0=i32[0; 16]
MOV.i32 r0, r1
STORE.i32.slot0.end @r0, u0, offset:0
; expect:
; error: trap-undefined.s:2: trap at 0x0 (MOV.i32 r0, r1), invocation 0 (lane 0): r1 is read but undefined [undefined-register]
