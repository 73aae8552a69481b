; test fails: asm --target gcn --arch 1.1
v_perm_b32 v0, v1, v2, v3
; expect:
; error: refused-generation.s:2:1: 'V_PERM_B32' exists only since architecture 1.2, not on 1.1
