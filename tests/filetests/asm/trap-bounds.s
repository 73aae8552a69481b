; test fails: run -q
; run: grid=1 u0=i32[1; 4]
LOAD.i32.unsigned.slot0.wait0 @r0, u0, offset:16
NOP.end
; expect:
; error: trap-bounds.s:2: trap at 0x0 (LOAD.i32.unsigned.slot0.wait0 @r0, u0, offset:16), invocation 0 (lane 0): load of 4 bytes at 0xffffff10, outside all buffers; the buffer below, 'u0', has 16 bytes at 0xffffff00 [out-of-bounds]
