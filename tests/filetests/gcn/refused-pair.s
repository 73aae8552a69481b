; test fails: asm --target gcn --arch 1.4
v_add_f64 v[0:1], v[254:255], v[255:256]
; expect:
; error: refused-pair.s:2:31: 'v[255:256]' is not a source of V_ADD_F64; expected V[0:1], V[1:2] to V[254:255]
