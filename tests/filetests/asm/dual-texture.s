; The widths of the two results of a dual texture may identify them, in any order.
; test: asm
TEX_DUAL.slot0.f.32.16.rg.2d.computed @r0:r1:r2, @r8:r9, u0
TEX_DUAL.slot0.f.primary_32.secondary_16.primary_rg.2d.computed @r0:r1:r2, @r8:r9, u0
TEX_DUAL.secondary_f16.2d.primary_rg.f.computed.slot0.primary_f32 @r0:r1:r2, @r8:r9, u0
VAR_TEX_DUAL.slot0.center_store.f.16.32.2d.computed @r0:r1:r2:r3:r4:r5, u0, r5
VAR_TEX_DUAL.slot0.center_store.f.secondary_32.primary_16.2d.computed @r0:r1:r2:r3:r4:r5, u0, r5
VAR_TEX_DUAL.slot0.center_store.f.32.2d.computed @r0:r1:r2:r3:r4, u0, r5
VAR_TEX_DUAL.slot0.center_store.f.32.secondary_16.2d.computed @r0:r1:r2:r3:r4, u0, r5
TEX_DUAL.slot0.2d.primary_f32.primary_rg.secondary_f16.secondary_rgb.computed @r0:r1:r2:r3, @r8:r9, u0
VAR_TEX_DUAL.slot0.center_store.f.16.secondary_32.secondary_rg.2d.computed @r0:r1:r2:r3, u0, r5
; expect:
; 8020c01424482f01
; 8020c01424482f01
; 8020c01424482f01
; 8020051650803f01
; 8020051650803f01
; 8020051540803f01
; 8020051540803f01
; 8020c01034482f01
; 8020051630803f01
