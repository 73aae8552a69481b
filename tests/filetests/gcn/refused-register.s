; test fails: asm --target gcn --arch 1.4
v_mov_b32 v256, v0
; expect:
; error: refused-register.s:2:11: 'v256' is not a destination of V_MOV_B32; expected V0 to V255
