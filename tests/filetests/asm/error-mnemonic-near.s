; A misspelled name suggests the nearest one; its types and modifiers do not count as letters of it.
; test fails: asm
FAD.f32 r0, r1, r2
IADDD.s32.sat r0, r1, r2
; expect:
; error: error-mnemonic-near.s:3:1: 'FAD.f32' is not an instruction of valhall; did you mean FADD.f32?
; error: error-mnemonic-near.s:4:1: 'IADDD.s32.sat' is not an instruction of valhall; did you mean IADD.s32?
