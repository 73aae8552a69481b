; Immediates with names may be in any order; tables 60 to 63 have four bits.
; test: asm
LEA_TEX_IMM.slot0 @r4:r5:r6, ^r60, 0x0, table:0x2, index:0x1
LEA_TEX_IMM.slot0 @r4:r5:r6, ^r60, 0x0, index:0x1, table:0x2
LD_ATTR_IMM.v4.f32.slot0 @r0:r1:r2:r3, r60, r61, index:0x1, table:0x2
LD_ATTR_IMM.v4.f32.slot0 @r0:r1:r2:r3, r60, r61, table:0x2, index:0x1
LEA_BUF_IMM.slot1.wait0 @r4:r5, ^r59, table:0xD, index:0x0
LEA_BUF_IMM.slot1.wait0 @r4:r5, ^r59, index:0x0, table:61
LEA_BUF_IMM.slot1.wait0 @r4:r5, ^r59, table:0x3C, index:0xFF
LEA_BUF_IMM.slot1.wait0 @r4:r5, ^r59, table:63, index:0xFF
; expect:
; 7cc0120026846700
; 7cc0120026846700
; 3c3d123208806600
; 3c3d123208806600
; 7b0d004004845e08
; 7b0d004004845e08
; 7bfc0f4004845e08
; 7bff0f4004845e08
