; What LDS_DIRECT and sources of 128 bits cannot be.
; test fails: asm --target gcn --arch 1.4
v_sad_u8 v0, lds_direct, v1, v2
v_add_f64 v[0:1], lds_direct, v[2:3]
v_lshlrev_b32 v0, lds_direct, v1
v_subrev_f32 v0, lds_direct, v1
v_mqsad_u32_u8 v[2:5], v[8:9], v10, s[0:3]
v_mqsad_u32_u8 v[2:5], v[8:9], v10, 0
; expect:
; error: refused-sources.s:4:19: 'lds_direct' cannot be a source of V_ADD_F64: expected 64 bits that start at an even register or word
; error: refused-sources.s:5:19: 'lds_direct' is not a source of V_LSHLREV_B32
; error: refused-sources.s:6:18: 'lds_direct' is not a source of V_SUBREV_F32
; error: refused-sources.s:7:37: 's[0:3]' is not a source of V_MQSAD_U32_U8
; error: refused-sources.s:8:37: '0' is not in the table of constants
