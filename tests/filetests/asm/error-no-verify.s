; test fails: asm --no-verify
FADD.f32 r0, r1, 0x12345678
; expect:
; error: error-no-verify.s:2:18: '0x12345678' is not in the table of constants
