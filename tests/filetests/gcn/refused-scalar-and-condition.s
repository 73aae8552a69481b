; test fails: asm --target gcn --arch 1.2
v_mad_f32 v0, vcc_lo, v1, src_scc
; expect:
; error: refused-scalar-and-condition.s:2:27: 'src_scc': V_MAD_F32 breaks the rule one_scalar: an instruction reads at most one scalar register, pair or condition
