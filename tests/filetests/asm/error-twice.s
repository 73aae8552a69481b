; test fails: asm
MOV.i32.reconverge.end r0, r1
; expect:
; error: error-twice.s:2:20: 'end': flow is given twice
