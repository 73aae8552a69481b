; A difference with undefined high bits is defined below them, so that lanes may exchange it and store its low half.
; test: run -q
; run: grid=1 u0=i16[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] => u0=i16[-3, -2, -5, -4, -7, -6, -9, -8, -11, -10, -13, -12, -15, -14, -17, -16]
SHADDX.u64 r62, u0, r60.w0, shift:0x1
LOAD.i16.h0.slot0.wait0 @r0, r62, offset:0
ISUB.u32 r0, 0xFFFFFFFF, ^r0
IADD_IMM.i32 r1, 0x0, #1
CLPER.i32.xor r2, ^r0, ^r1.b0
STORE.i16.h0.slot0.end @r2, ^r62, offset:0
; expect:
