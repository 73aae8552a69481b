; What each step of the simulator reads and writes: registers, uniform words, slots, lanes that diverge and end; up to the instruction that
; traps.
; test: run --trace -q --workgroup=3
; test fails: run --trace=1 -q --workgroup=17
; test: run --trace --format=json -q --workgroup=1
; run: grid=1 u0=f32[1.5; 17] u2=16
SHADDX.u64 r2, u0, r60.w0, shift:0x2
IADD.u32 r0.h0, r60, 0x3020100.b3
BRANCHZ.eq.reconverge r60, zero
LOAD.i32.unsigned.slot1.wait1 @r0, r2, offset:0
FADD.f32 r0, ^r0, 0x3F800000.neg
ICMP_OR.u32.eq.m1.reconverge r5, r60, u2, 0x0
BRANCHZ.eq.reconverge ^r5, store
SHADDX.u64.reconverge r2, ^r2, r60.w0, shift:0x1
store:
STORE.i32.slot0.reconverge @r0, ^r2, offset:0
zero:
NOP.end
; expect:
; run of trace.s:6
; step 1, warp 0, lanes 0-2, 0x0: SHADDX.u64 r2, u0, r60.w0, shift:0x2
;   reads u0 = 0x00000000ffffff00 x3
;   reads r60 = 0x0 0x1 0x2
;   writes r2:r3 = 0x00000000ffffff00 0x00000000ffffff04 0x00000000ffffff08
; step 2, warp 0, lanes 0-2, 0x8: IADD.u32 r0.h0, r60, 0x3020100.b3
;   reads r60 = 0x0 0x1 0x2
;   writes r0 = 0x3? 0x4? 0x5?
; step 3, warp 0, lanes 0-2, 0x10: BRANCHZ.eq.reconverge r60, offset:6
;   reads r60 = 0x0 0x1 0x2
; step 4, warp 0, lanes 1-2, 0x18: LOAD.i32.unsigned.slot1.wait1 @r0, r2, offset:0
;   reads r2:r3 = 0x00000000ffffff04 0x00000000ffffff08
;   writes r0 = 0x3fc00000 x2
;   signals slot 1
;   waits for slots 1
; step 5, warp 0, lanes 1-2, 0x20: FADD.f32 r0, ^r0, 0x3F800000.neg
;   reads r0 = 0x3fc00000 x2
;   writes r0 = 0x3f000000 x2
; step 6, warp 0, lanes 1-2, 0x28: ICMP_OR.u32.eq.m1.reconverge r5, r60, u2, 0x0
;   reads r60 = 0x1 0x2
;   reads u2 = 0x10 x2
;   writes r5 = 0x0 x2
; step 7, warp 0, lanes 1-2, 0x30: BRANCHZ.eq.reconverge ^r5, offset:1
;   reads r5 = 0x0 x2
; step 8, warp 0, lanes 1-2, 0x40: STORE.i32.slot0.reconverge @r0, ^r2, offset:0
;   reads r0 = 0x3f000000 x2
;   reads r2:r3 = 0x00000000ffffff04 0x00000000ffffff08
;   signals slot 0
; step 9, warp 0, lanes 0-2, 0x48: NOP.end
;   ends lanes 0-2
; expect:
; error: trace.s:6: trap at 0x40 (STORE.i32.slot0.reconverge @r0, ^r2, offset:0), invocation 16 (lane 0): store of 4 bytes at 0xffffff60, outside all buffers; the buffer below, 'u0', has 68 bytes at 0xffffff00 [out-of-bounds]
; expect:
; {"step":1,"warp":0,"workgroup":[0,0,0],"active":1,"alive":1,"helpers":0,"address":0,"word":"0x01a3c20020273c80","text":"SHADDX.u64 r2, u0, r60.w0, shift:0x2","reads":[{"name":"u0","lanes":1,"words":[[4294967040,0]]},{"name":"r60","lanes":1,"words":[[0]]}],"writes":[{"name":"r2:r3","lanes":1,"words":[[4294967040,0]]}],"waits":0}
; {"step":2,"warp":0,"workgroup":[0,0,0],"active":1,"alive":1,"helpers":0,"address":8,"word":"0x00a040001c00c83c","text":"IADD.u32 r0.h0, r60, 0x3020100.b3","reads":[{"name":"r60","lanes":1,"words":[[0]]}],"writes":[{"name":"r0","lanes":1,"words":[[3]]}],"waits":0}
; {"step":3,"warp":0,"workgroup":[0,0,0],"active":1,"alive":1,"helpers":0,"address":16,"word":"0x501fc0100000063c","text":"BRANCHZ.eq.reconverge r60, offset:6","reads":[{"name":"r60","lanes":1,"words":[[0]]}],"writes":[],"waits":0}
; {"step":4,"warp":0,"workgroup":[0,0,0],"active":1,"alive":0,"helpers":0,"address":72,"word":"0x7800c00000000000","text":"NOP.end","reads":[],"writes":[],"waits":0}
; {"runs":[{"file":"trace.s","line":6,"engine":"simulator","results":[]}]}
