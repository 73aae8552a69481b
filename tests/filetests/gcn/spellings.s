; Both syntaxes and their variants.
; test: asm --target gcn --arch 1.4 --emit hex
V_MAD_F32 V0, |V1|, -S2, 1.0 CLAMP MUL:2
v_mad_f32 v0, |v1|, -s2, 1.0 clamp mul:2
v_mad_f32 v0, abs(v1), neg(s2), 1.0 mul:2 clamp
V_Add_F32_E64 v3, -|v4|, -ABS(V5) DIV:2
v_mul_f32 v0, -1, neg(1)
v_mul_f32 v0, -1.0, neg(1.0)
v_mul_f32 v0, |-1|, -|4.0|
v_mul_f32 v0, -17, -0.15915494
v_mul_f32 v0, neg(17), neg(0.15915494)
v_fma_f64 v[0:1], vcc, |vcc|, 0.5
v_fma_f16 v0, v1, v2, v3 op_sel:[0,1,0,1]
v_fma_f16 v0, v1, v2, v3 op_sel:10
v_add_i16 v0, v1, v2 op_sel:[0,1,1] clamp
v_add_i16 v0, v1, v2 clamp op_sel:[0,1,1]
v_fma_f16 v1, v2, v3, v4 mul:2 op_sel:[1,0,0,0] clamp
v_interp_p2_f16 v20, v1, attr0.x, v2 high op_sel:[1]
v_mov_b32 v0, 0x40
v_mov_b32 v0, src_shared_base
v_mov_b32 v0, lds_direct
v_interp_p1ll_f16 v1, v2, attr3.w high
v_interp_mov_f32 v1, p20, attr32.x
v_readlane_b32 s3, v4, m0
v_cmp_lt_f32 vcc, v1, s4
v_cmpx_class_f64 s[2:3], v[1:2], ttmp4
V_INTERP_P2_F16_LEGACY V1, V1, ATTR0.X, V3
v_interp_p2_legacy_f16 v1, v1, attr0.x, v3
V_ADD_F32 V3, -|V4|, -ABS(V5) VOP3 DIV:2
; expect:
; 0081c1d10105c84b
; 0081c1d10105c84b
; 0081c1d10105c84b
; 030301d1040b0278
; 000005d1c1020140
; 000005d1f3e40140
; 000305d1c1ec0140
; 000005d191f00160
; 000005d191f00160
; 0002ccd16ad4c003
; 005006d201050e04
; 005006d201050e04
; 00d09ed201050200
; 00d09ed201050200
; 018806d20207120c
; 144077d200030a04
; 000041d1c0000000
; 000041d1eb000000
; 000041d1fe000000
; 010074d2c3050200
; 010072d220020000
; 030089d204f90000
; 6a0041d001090000
; 020013d001e10000
; 010076d200020e04
; 010076d200020e04
; 030301d1040b0278
