; test fails: asm --target gcn --arch 1.2
v_interp_p1_f32 v1, v1, attr0.x
; expect:
; error: refused-interpolation.s:2:1: 'v_interp_p1_f32 v1, v1, attr0.x': V_INTERP_P1_F32 breaks the rule apart: VDST and VSRC must be different registers
