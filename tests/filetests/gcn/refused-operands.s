; test fails: asm --target gcn --arch 1.4
v_add_f32 v0, v1
; expect:
; error: refused-operands.s:2:17: V_ADD_F32 has more operands: expected ','
