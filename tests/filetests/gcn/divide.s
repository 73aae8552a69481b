; The quotient of doubles, over the scales that the sequence handles: near overflow, subnormal, tiny, plain.
; test: run --target gcn --arch 1.0 -q
; test: run --target gcn --arch 1.4 -q
; run: v0=f64[1, 1.7976931348623157e308, 5e-324, 1e-300, -6, 0, inf, nan, 1e308] v2=f64[3, 2.2250738585072014e-308, 5e-324, 1e8, 0.7, 0, 2, 1, 1e-308] => v14=f64[0.3333333333333333, inf, 1, 1e-308, -8.571428571428571, nan, inf, nan, inf]
v_div_scale_f64 v[4:5], vcc, v[2:3], v[2:3], v[0:1]
v_rcp_f64 v[8:9], v[4:5]
v_fma_f64 v[10:11], -v[4:5], v[8:9], 1.0
v_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]
v_fma_f64 v[10:11], -v[4:5], v[8:9], 1.0
v_div_scale_f64 v[6:7], vcc, v[0:1], v[2:3], v[0:1]
v_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]
v_mul_f64 v[12:13], v[6:7], v[8:9]
v_fma_f64 v[10:11], -v[4:5], v[12:13], v[6:7]
v_div_fmas_f64 v[12:13], v[10:11], v[8:9], v[12:13]
v_div_fixup_f64 v[14:15], v[12:13], v[2:3], v[0:1]
; expect:

; expect:
