; Adding 0 is a move: the high word of a pair remains defined if bits of its low word are not.
; test: run -q
; run: grid=1 u0=i16[0; 16] u2=i32[9; 16] => u2=i32[7; 16]
SHADDX.u64 r62, u0, r60.w0, shift:0x1
LOAD.i16.h0.slot0.wait0 @r0, r62, offset:0
IADD_IMM.i32 r1, 0x0, #7
SHADDX.u64 r62, u2, r60.w0, shift:0x2
IADD.u64 r2, ^r0, 0x0.w0
STORE.i32.slot0.end @r3, ^r62, offset:0
; expect:
