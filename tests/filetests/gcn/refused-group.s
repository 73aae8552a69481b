; test fails: asm --target gcn --arch 1.4
v_mad_f32 v0, v[0:1], v2, v3
; expect:
; error: refused-group.s:2:15: 'v[0:1]' is not a source of V_MAD_F32; expected V0, V1 to V255
