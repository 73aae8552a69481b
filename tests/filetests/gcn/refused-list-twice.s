; test fails: asm --target gcn --arch 1.4
v_add_i16 v1, v2, v3 op_sel:[1,0,0] clamp op_sel:[0,0,0]
; expect:
; error: refused-list-twice.s:2:43: 'op_sel:' is given twice
