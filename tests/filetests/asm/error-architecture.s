; test fails: asm --arch 42
; test fails: asm --target riscv
NOP.end
; expect:
; error: valhall has no architecture '42', only 9, 10, 11, 12, 13, 14
; expect:
; error: there is no target 'riscv', only valhall, gcn, vp1
