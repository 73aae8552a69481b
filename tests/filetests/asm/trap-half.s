; A register with one defined half may be moved, but not stored.
; test fails: run -q
; run: grid=1 u0=i32[0x12345678; 16]
LOAD.i16.h0.slot0.wait0 @r0, u0, offset:0
MOV.i32 r1, r0
STORE.i32.slot0 @r1, u0, offset:0
NOP.end
; expect:
; error: trap-half.s:3: trap at 0x10 (STORE.i32.slot0 @r1, u0, offset:0), invocation 0 (lane 0): bits 0xffff0000 of staging register r1 are undefined [undefined-bits]
