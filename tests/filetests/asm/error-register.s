; test fails: asm
FADD.f32 r0, r64, r1
; expect:
; error: error-register.s:2:14: 'r64' is not a source of FADD.f32; expected r0 to r63
