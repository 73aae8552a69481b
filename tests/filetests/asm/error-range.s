; A number beyond the last register, and an immediate without its mark: the message gives the range.
; test fails: asm
IADD.u32 r64, r0, r1
IADD.u32 r0, u200, r1
IADD.u64 r0, r64, r4
IADD_IMM.i32 r0, r1, 5
LOAD.i32.slot0 @r0, r2, 99999
; expect:
; error: error-range.s:3:10: 'r64' is not a destination of IADD.u32; expected r0 to r63
; error: error-range.s:4:14: 'u200' is not a source of IADD.u32; expected u0 to u127
; error: error-range.s:5:14: 'r64' is not a source of IADD.u64; expected r0 to r62
; error: error-range.s:6:22: '5': expected #NUMBER from 0 to 4294967295
; error: error-range.s:7:25: '99999': expected offset:NUMBER from -32768 to 32767
