; A sum of 96 bits: carries go from word to word in a scalar pair.
; test: run --target gcn --arch 1.0
; run: v0=i32[-1, 5] v1=i32[-1, 6] v2=i32[7, 7] v3=i32[1, 1] v4=i32[0, 0] v5=i32[0, 0] exec=7 => v6=i32[0, 6, 0] v7=i32[0, 6, 0] v8=i32[8, 7, 0]
v_add_i32 v6, s[0:1], v0, v3
v_addc_u32 v7, s[0:1], v1, v4, s[0:1]
v_addc_u32 v8, s[2:3], v2, v5, s[0:1]
; expect:
; s0=i32[1]
; v6=i32[0, 6, 0]
; v7=i32[0, 6, 0]
; v8=i32[8, 7, 0]
