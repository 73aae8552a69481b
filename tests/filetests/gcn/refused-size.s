; test fails: asm --target gcn --arch 1.4
v_add_f64 v[0:1], v[2:3], v4
; expect:
; error: refused-size.s:2:27: 'v4' cannot be a source of V_ADD_F64: expected 64 bits, such as V[4:5]
