; test fails: asm
LOAD.i32.slot0 @r0, r2, offset:32768
; expect:
; error: error-offset.s:2:25: 'offset:32768' is out of range: -32768 to 32767
