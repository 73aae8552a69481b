; test fails: run -q
; run: grid=1 u0=i32[1; 16]
LOAD.i32.unsigned.slot1.wait0 @r0, u0, offset:0
IADD.u32 r0, r0, r0
STORE.i32.slot0.end @r0, u0, offset:0
; expect:
; error: trap-wrong-slot.s:2: trap at 0x8 (IADD.u32 r0, r0, r0), invocation 0 (lane 0): r0 is read while a message that writes it is in flight; wait for slot 1 first [register-in-flight]
