; test fails: run -q
; run: grid=1 u0=i32[1; 16]
MOV.i32 r0, u0
; expect:
; error: trap-no-end.s:2: trap at 0x0 (MOV.i32 r0, u0), invocation 0 (lane 0): the program runs past its end [program-end]
