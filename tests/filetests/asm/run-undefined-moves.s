; Undefined bits move between lanes and through thread-local memory: lanes exchange words of which only the low half was loaded, which then
; stay in memory, and store the low half. A word that is stored with an undefined half is no longer stored there.
; test: run -q --scratch=16
; run: grid=1 u0=i16[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] => u0=i16[2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15]
SHADDX.u64 r62, u0, r60.w0, shift:0x1
LOAD.i16.h0.slot0.wait0 @r0, r62, offset:0
IADD_IMM.i32 r1, 0x0, #1
CLPER.i32.xor r2, ^r0, ^r1.b0
STORE.i32.force.slot0.wait0 @r2, thread_local_pointer.w0, offset:0
LOAD.i32.unsigned.force.slot0.wait0 @r4, thread_local_pointer.w0, offset:0
STORE.i16.h0.slot0.end @r4, ^r62, offset:0
; expect:
