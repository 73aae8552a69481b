; A whole number that does not fit is not taken for a float.
; test fails: run --target gcn --arch 1.4
; run: s4=4294967296
v_mov_b32 v1, s4
; expect:
; error: refused-large-number.s:3:8: '4294967296' is not a number of type i32 or f32
