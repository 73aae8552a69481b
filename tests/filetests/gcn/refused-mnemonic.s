; test fails: asm --target gcn --arch 1.4
v_frobnicate_f32 v0, v1
; expect:
; error: refused-mnemonic.s:2:1: 'v_frobnicate_f32' is not an instruction of gcn
