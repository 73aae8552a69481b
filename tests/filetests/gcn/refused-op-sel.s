; test fails: asm --target gcn --arch 1.2
v_fma_f16 v0, v1, v2, v3 op_sel:[0,0,0,1]
; expect:
; error: refused-op-sel.s:2:26: 'op_sel' is not a modifier here; V_FMA_F16 takes: CLAMP MUL:2 MUL:4 DIV:2
