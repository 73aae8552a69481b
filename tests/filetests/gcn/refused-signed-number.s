; A whole number that is less than the least signed one is not taken for a float.
; test fails: run --target gcn --arch 1.4
; run: s4=-0x80000001
v_mov_b32 v1, s4
; expect:
; error: refused-signed-number.s:3:8: '-0x80000001' is not a number of type i32 or f32
