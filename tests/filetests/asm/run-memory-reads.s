; Two loads from one address, and a store next to it, need no wait.
; test: run -q
; run: grid=1 u0=i32[1; 32] => u0=i32[1; 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
SHADDX.u64 r62, u0, r60.w0, shift:0x2
LOAD.i32.unsigned.slot0 @r0, r62, offset:0
LOAD.i32.unsigned.slot1 @r1, r62, offset:0
STORE.i32.slot2 @r60, r62, offset:64
NOP.end
; expect:
