; test fails: asm --target gcn --arch 1.2
v_add_f32 v0, s1, s2
; expect:
; error: refused-two-scalars.s:2:19: 's2': V_ADD_F32 breaks the rule one_scalar: an instruction reads at most one scalar register, pair or condition
