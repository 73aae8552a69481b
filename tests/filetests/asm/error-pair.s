; test fails: asm
IADD.u64 r0, r3, r4
; expect:
; error: error-pair.s:2:14: 'r3' cannot be a source of IADD.u64: expected 64 bits that start at an even register or word
