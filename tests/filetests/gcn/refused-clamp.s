; test fails: asm --target gcn --arch 1.0
v_div_scale_f32 v0, vcc, v1, v2, v3 clamp
; expect:
; error: refused-clamp.s:2:37: 'clamp' is no modifier here; V_DIV_SCALE_F32 takes: MUL:2 MUL:4 DIV:2
