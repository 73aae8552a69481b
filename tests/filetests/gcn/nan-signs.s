; A NaN has the sign that it is given with, in every type.
; test: run --target gcn --arch 1.4 -q
; run: v0=f32[-nan, nan, -inf, -0] => v1=u32[0xFFC00000, 0x7FC00000, 0xFF800000, 0x80000000]
; run: v0=f16[-nan, nan] => v1=u32[0xFE00, 0x7E00]
; run: v0=f64[-nan, nan] => v1=u32[0, 0] v3=u32[0xFFF80000, 0x7FF80000]
; run: s4=-nan => v5=u32[0xFFC00000]
v_mov_b32 v3, v1
v_mov_b32 v1, v0
v_mov_b32 v5, s4
; expect:
