; A misspelt name brings the nearest one; its types and modifiers do not count as letters of it.
; test: asm
FAD.f32 r0, r1, r2
IADDD.s32.sat r0, r1, r2
