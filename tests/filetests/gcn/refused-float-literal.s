; test fails: asm --target gcn --arch 1.4
v_add_f32 v0, v1, 1.5
; expect:
; error: refused-float-literal.s:2:19: '1.5' is not in the table of constants: 0 to 64, -1 to -16, 0.5, -0.5, 1.0, -1.0 and 5 more
