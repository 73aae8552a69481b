; test fails: asm
; The pair would have to be consecutive.
LOAD.i64.slot0 @r2:r4, r6, offset:0
; expect:
; error: error-consecutive.s:3:20: 'r4': staging registers must be consecutive
