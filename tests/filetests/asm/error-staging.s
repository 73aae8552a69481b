; test fails: asm
LOAD.i64.slot0 @r1:r2, r4, offset:0
; expect:
; error: error-staging.s:2:16: '@r1:r2': LOAD.i64 breaks the rule staging_alignment: a group of two or more staging registers starts at an even register
