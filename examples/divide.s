; Division on GCN, with the sequence that is exact for every operand:
;   norn run --target gcn --arch 1.4 examples/divide.s
; run: v0=f32[1, 7, 22, -1] v2=f32[3, 2, 7, 0] => v14=f32[0.33333334, 3.5, 3.142857, -inf]
v_div_scale_f32 v4, vcc, v2, v2, v0
v_div_scale_f32 v6, vcc, v0, v2, v0
v_rcp_f32 v8, v4
v_fma_f32 v10, -v4, v8, 1.0
v_fma_f32 v8, v10, v8, v8
v_mul_f32 v12, v6, v8
v_fma_f32 v10, -v4, v12, v6
v_fma_f32 v12, v10, v8, v12
v_fma_f32 v10, -v4, v12, v6
v_div_fmas_f32 v12, v10, v8, v12
v_div_fixup_f32 v14, v12, v2, v0
