; test fails: asm
TEX_DUAL.slot0.2d.32.rg.16.secondary_r.computed @r0:r1:r2:r3, @r8:r9, u0
; expect:
; error: error-secondary.s:2:1: 'TEX_DUAL.slot0.2d.32.rg.16.secondary_r.computed @r0:r1:r2:r3, @r8:r9, u0': TEX_DUAL breaks the rule secondary_mask: the registers of the second result are those that its components need
