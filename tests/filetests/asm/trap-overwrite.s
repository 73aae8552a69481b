; A register that a message will write must not be written either.
; test fails: run -q
; run: grid=1 u0=i32[1; 16]
LOAD.i32.unsigned.slot0 @r0, u0, offset:0
MOV.i32.wait0 r0, u0
STORE.i32.slot0.end @r0, u0, offset:0
; expect:
; error: trap-overwrite.s:3: trap at 0x8 (MOV.i32.wait0 r0, u0), invocation 0 (lane 0): r0 is written while a message that writes it is in flight; wait for slot 0 first [register-in-flight]
