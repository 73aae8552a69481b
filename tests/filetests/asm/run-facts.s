; Machine code gets the registers, uniform words and memory that the options specify: invocations reverse their numbers through workgroup
; memory and keep the product with a float in thread-local memory.
; test: run -q --workgroup=8,4 --shared=128 --scratch=16 --preload=r55,r60 --registers=32 --fau-words=4
; run: grid=1 u0=f32[0; 32] u2=2.5 u3=31 => u0=f32[77.5, 75, 72.5, 70, 67.5, 65, 62.5, 60, 57.5, 55, 52.5, 50, 47.5, \
;      45, 42.5, 40, 37.5, 35, 32.5, 30, 27.5, 25, 22.5, 20, 17.5, 15, 12.5, 10, 7.5, 5, 2.5, 0]
LSHIFT_OR.i32 r0, r55.h1, 0x3020100.b33, 0x0
U16_TO_U32 r1, ^r55.h0
IADD.u32 r0, ^r0, ^r1
U32_TO_F32 r1, r0
SHADDX.u64 r2, workgroup_local_pointer, r0.w0, shift:0x2
STORE.i32.slot0.wait0 @r1, ^r2, offset:0
BARRIER.slot7.wait
ISUB.u32 r4, u3, r0
SHADDX.u64 r2, workgroup_local_pointer, r4.w0, shift:0x2
LOAD.i32.unsigned.slot0.wait0 @r1, ^r2, offset:0
FMA.f32 r1, ^r1, u2, 0x0.neg
STORE.i32.force.slot0.wait0 @r1, thread_local_pointer, offset:4
LOAD.i32.unsigned.force.slot0 @r4, thread_local_pointer, offset:4
SHADDX.u64 r2, u0, ^r0.w0, shift:0x2
NOP.wait0
STORE.i32.slot0.end @r4, ^r2, offset:0
; expect:
