; test fails: asm --no-verify
FADD.f32 r0, r1, 0x12345678
; expect:
; error: error-no-verify.s:2:18: '0x12345678' is not in the table of constants: 0x0, 0xFFFFFFFF, 0x7FFFFFFF, 0xFAFCFDFE, 0x1000000, 0x80002000 and 26 more
