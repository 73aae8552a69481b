; A constant by any number that is its pattern.
; test: asm
IADD.u32 r0, r1, 0xFFFFFFFF
IADD.u32 r0, r1, 4294967295
IADD.u32 r0, r1, -1
IADD.u32 r0, r1, -0x1
FADD.f32 r0, r1, 0x3F800000
FADD.f32 r0, r1, 1065353216
; expect:
; 01c1000000c0a000
; 01c1000000c0a000
; 01c1000000c0a000
; 01c1000000c0a000
; 01d0000000c0a400
; 01d0000000c0a400
