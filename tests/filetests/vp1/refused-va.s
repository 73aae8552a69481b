; The accumulator has 28 bits.
; test fails: run --target vp1
; run: va=i32[134217728]
vadd u $v3 $v1 0x0A
; expect:
; error: refused-va.s:3:8: 'va' holds numbers from -134217728 to 134217727, not 134217728
