; test fails: asm --target gcn --arch 1.4
v_add3_u32 v0, -v1, v2, v3
; expect:
; error: refused-integer-negation.s:2:16: '-v1' is not a source of V_ADD3_U32
