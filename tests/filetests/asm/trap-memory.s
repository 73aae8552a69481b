; A load after a store to the same address without a wait in between.
; test fails: run -q
; run: grid=1 u0=i32[1; 16]
SHADDX.u64 r62, u0, r60.w0, shift:0x2
STORE.i32.slot0 @r60, r62, offset:0
LOAD.i32.unsigned.slot1.wait1 @r1, r62, offset:0
NOP.end
; expect:
; error: trap-memory.s:3: trap at 0x10 (LOAD.i32.unsigned.slot1.wait1 @r1, r62, offset:0), invocation 0 (lane 0): reads 0xffffff00, which a message in flight writes; wait for slot 0 first [memory-in-flight]
