; test fails: asm
LEA_BUF_IMM.slot1 @r4:r5, r59, index:0, index:1
; expect:
; error: error-named-twice.s:2:41: 'index:1': expected table:NUMBER from 0 to 15
