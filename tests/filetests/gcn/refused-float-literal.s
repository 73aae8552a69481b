; test fails: asm --target gcn --arch 1.4
v_add_f32 v0, v1, 1.5
; expect:
; error: refused-float-literal.s:2:19: '1.5' is not in the table of constants: 0, 1, 2, 3, 4, 5 and 84 more
