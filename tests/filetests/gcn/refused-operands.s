; test fails: asm --target gcn --arch 1.4
v_add_f32 v0, v1
; expect:
; error: refused-operands.s:2:17: expected ',' and another operand of V_ADD_F32
