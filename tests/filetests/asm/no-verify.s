; Without the rules, anything that the bits can hold is encoded: the first page, a listed count where it has its own field, odd pairs. Names
; without an encoding remain errors.
; test: asm --no-verify
FADD.f32 r0, u0, u65
FADD.f32 r0, u65, u0
FADD.f32 r0, lane_id.w0, 0x0
LOAD.i32.slot0 @r1:r2:r3, r4, offset:0
LD_VAR_BUF_IMM.f32.slot0.v4.src_f32.center.retrieve @r0:r1, r61, index:0x0
TEX_SINGLE.slot0.f.32.2d.computed @r0:r1:r2:r3, @r4, u0
LEA_BUF_IMM.slot1 @r4, r59, table:0xD, index:0x0
IADD.u64 r1, u1, ^r5
; expect:
; 8081000000c0a400
; 8180000000c0a402
; e2c0000000c0a406
; 0400001806816000
; 3d00003214805c00
; 8020c01734442801
; 3b0d004004845e00
; 8145000000c1a301
