; test fails: asm
FROB.f32 r0, r1
; expect:
; error: error-mnemonic.s:2:1: 'FROB.f32' is not an instruction of valhall
