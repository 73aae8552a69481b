; A store reads the byte that it names: a defined one, or not.
; test fails: run -q
; run: grid=1 u0=i32[0x12345678; 16]
LOAD.i16.h0.slot0.wait0 @r0, u0, offset:0
STORE.i8.b1.slot0.wait0 @r0, u0, offset:0
STORE.i8.b2.slot0 @r0, u0, offset:0
NOP.end
; expect:
; error: trap-store-lane.s:3: trap at 0x10 (STORE.i8.b2.slot0 @r0, u0, offset:0), invocation 0 (lane 0): bits 0xffff0000 of staging register r0 are undefined [undefined-bits]
