; test fails: asm --target gcn --arch 1.0
v_div_scale_f32 v0, vcc, v1, v2, v3 clamp
; expect:
; error: refused-clamp.s:2:37: 'clamp' of V_DIV_SCALE_F32 exists only since architecture 1.2, not on 1.0
