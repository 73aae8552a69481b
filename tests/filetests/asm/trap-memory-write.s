; A store to memory that a load in flight reads.
; test fails: run -q
; run: grid=1 u0=i32[1; 16]
SHADDX.u64 r62, u0, r60.w0, shift:0x2
LOAD.i32.unsigned.slot1 @r1, r62, offset:0
STORE.i32.slot0.wait0 @r60, r62, offset:0
NOP.end
; expect:
; error: trap-memory-write.s:3: trap at 0x10 (STORE.i32.slot0.wait0 @r60, r62, offset:0), invocation 0 (lane 0): writes 0xffffff00, which a message in flight reads; wait for slot 1 first [memory-in-flight]
