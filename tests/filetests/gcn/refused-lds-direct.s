; test fails: asm --target gcn --arch 1.4
v_add_f32 v0, v1, lds_direct
; expect:
; error: refused-lds-direct.s:2:19: 'lds_direct' is not a source of V_ADD_F32
