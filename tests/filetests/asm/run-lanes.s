; Divergence and reconvergence: odd lanes take 1, even ones 2, then all add their number.
; test: run -q
; run: grid=1 u0=i32[0; 16] => u0=i32[2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14, 16, 16]
SHADDX.u64 r62, u0, r60.w0, shift:0x2
IADD_IMM.i32 r0, 0x0, #1
LSHIFT_AND.i32 r0, r60, 0x0.b00, ^r0
IADD_IMM.i32 r1, 0x0, #2
BRANCHZ.eq.reconverge ^r0, even
IADD_IMM.i32.reconverge r1, 0x0, #1
even:
IADD.u32 r1, r1, ^r60
STORE.i32.slot0.end @r1, ^r62, offset:0
; expect:
