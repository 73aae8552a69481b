; test fails: asm --target gcn --arch 1.4
v_add_f32 v0, v1, 100
; expect:
; error: refused-literal.s:2:19: '100' is not in the table of constants: 0 to 64, -1 to -16, 0.5, -0.5, 1.0, -1.0 and 5 more
