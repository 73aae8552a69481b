; A pair of registers has a name of its own, and vector registers need not be even.
; test fails: asm --target gcn
V_ADD_F64 v0, v[1:2], v[2:3]
V_ADD_F64 v[0:1], v7, v[2:3]
V_ADD_F64 v[0:1], s1, v[2:3]
; expect:
; error: refused-first-of-pair.s:3:11: 'v0' cannot be a destination of V_ADD_F64: expected 64 bits, such as V[0:1]
; error: refused-first-of-pair.s:4:19: 'v7' cannot be a source of V_ADD_F64: expected 64 bits, such as V[7:8]
; error: refused-first-of-pair.s:5:19: 's1' cannot be a source of V_ADD_F64: expected 64 bits, such as S[0:1]
