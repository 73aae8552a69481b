; test fails: asm --target gcn --arch 1.4
v_div_fmas_f32 v0, s0, v1, v2
; expect:
; error: refused-fmas.s:2:20: 's0': V_DIV_FMAS_F32 breaks the rule one_scalar: an instruction reads at most one scalar register, pair or condition
