; test fails: run -q
; run: grid=1 u0=i32[1; 4]
LOAD.i32.unsigned.slot0.wait0 @r0, u0, offset:2
NOP.end
; expect:
; error: trap-alignment.s:2: trap at 0x0 (LOAD.i32.unsigned.slot0.wait0 @r0, u0, offset:2), invocation 0 (lane 0): load of 4 bytes at 0xffffff02, which is not a multiple of 4 [misaligned]
