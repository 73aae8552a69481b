; test fails: asm
IADD.u32 r0, r1, r2
FADD.f32 r0, r1
; expect:
; error: error-operands.s:3:16: expected ',' and another operand of FADD.f32
