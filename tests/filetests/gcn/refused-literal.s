; test fails: asm --target gcn --arch 1.4
v_add_f32 v0, v1, 100
; expect:
; error: refused-literal.s:2:19: '100' is not in the table of constants: 0, 1, 2, 3, 4, 5 and 84 more
