; test fails: asm
LEA_BUF_IMM.slot1 @r4:r5, r59, table:59, index:0
; expect:
; error: error-table.s:2:32: 'table:59' is out of range: 0 to 15
