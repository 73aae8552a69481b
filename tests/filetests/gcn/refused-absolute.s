; test fails: asm --target gcn --arch 1.2
v_div_scale_f32 v0, vcc, |v1|, v2, v3
; expect:
; error: refused-absolute.s:2:26: '|v1|': this operand of V_DIV_SCALE_F32 cannot be made absolute
