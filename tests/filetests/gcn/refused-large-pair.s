; A whole number that does not fit a pair of registers is not taken for a float.
; test fails: run --target gcn --arch 1.4
; run: exec=18446744073709551616
v_mov_b32 v1, s4
; expect:
; error: refused-large-pair.s:3:8: '18446744073709551616' is not a number of type i64 or f32
