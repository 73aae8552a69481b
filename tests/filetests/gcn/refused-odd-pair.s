; test fails: asm --target gcn --arch 1.4
v_add_f64 v[0:1], v[2:3], s[3:4]
; expect:
; error: refused-odd-pair.s:2:27: 's[3:4]' is not a source of V_ADD_F64; expected S[0:1], S[2:3] to S[100:101]
