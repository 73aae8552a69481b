/* The functions that compute one lane, and the macros that define them; the table in semantics.c
 * says which function each instruction uses.
 *
 * Integer functions work on exact 64-bit values (the executor truncates the result to its type
 * or, with CLAMP, saturates it). Float functions work on bit patterns through ir/numeric.h, in
 * the format and mode of the lane. */
#ifndef NORN_SIM_GCN_LANE_H
#define NORN_SIM_GCN_LANE_H

#include "sim/gcn/semantics.h"

/* Declares the lane function with that name in the table. */
#define LANE(function) void norn_gcn_lane_##function(NornGcnLane *l, const NornGcnSemantics *row)

/* Defines a function whose result is one expression of the sources a, b, c. The casts to void
 * allow expressions that do not use all of them. */
#define COMPUTE(function, expression)                                                              \
  LANE(function) {                                                                                 \
    const uint64_t a = l->src[0], b = l->src[1], c = l->src[2];                                    \
    const NornFloatFormat f = l->format;                                                           \
    const NornFloatMode m = l->mode;                                                               \
    (void)row, (void)a, (void)b, (void)c, (void)f, (void)m;                                        \
    l->result = (expression);                                                                      \
  }

#define SIGNED(x) ((int64_t)(x))

/* integer.c */
NornGcnLaneFunction norn_gcn_lane_copy, norn_gcn_lane_bit_not, norn_gcn_lane_bit_and,
    norn_gcn_lane_bit_or, norn_gcn_lane_bit_xor, norn_gcn_lane_or3, norn_gcn_lane_and_or,
    norn_gcn_lane_bit_insert, norn_gcn_lane_bit_mask, norn_gcn_lane_bit_reverse, norn_gcn_lane_add3,
    norn_gcn_lane_xor_add, norn_gcn_lane_shift_left_add, norn_gcn_lane_add_shift_left,
    norn_gcn_lane_shift_left_or, norn_gcn_lane_minimum, norn_gcn_lane_maximum,
    norn_gcn_lane_multiply_low, norn_gcn_lane_multiply_low_16, norn_gcn_lane_multiply_high_unsigned,
    norn_gcn_lane_multiply_high_signed, norn_gcn_lane_multiply_add, norn_gcn_lane_count_add,
    norn_gcn_lane_align_bit, norn_gcn_lane_align_byte, norn_gcn_lane_pack,
    norn_gcn_lane_select_by_mask, norn_gcn_lane_shift_left, norn_gcn_lane_shift_left_reversed,
    norn_gcn_lane_shift_left_reversed_16, norn_gcn_lane_shift_right,
    norn_gcn_lane_shift_right_reversed, norn_gcn_lane_shift_right_reversed_16,
    norn_gcn_lane_shift_left_64, norn_gcn_lane_shift_left_reversed_64, norn_gcn_lane_shift_right_64,
    norn_gcn_lane_shift_right_reversed_64, norn_gcn_lane_shift_right_signed_64,
    norn_gcn_lane_shift_right_signed_reversed_64, norn_gcn_lane_add, norn_gcn_lane_subtract,
    norn_gcn_lane_subtract_reversed, norn_gcn_lane_add_carry, norn_gcn_lane_subtract_borrow,
    norn_gcn_lane_subtract_borrow_reversed, norn_gcn_lane_multiply_add_u64,
    norn_gcn_lane_multiply_add_i64, norn_gcn_lane_extract_unsigned, norn_gcn_lane_extract_signed,
    norn_gcn_lane_minimum3, norn_gcn_lane_maximum3, norn_gcn_lane_median3,
    norn_gcn_lane_find_high_unsigned, norn_gcn_lane_find_low, norn_gcn_lane_find_high_signed,
    norn_gcn_lane_count_below_low, norn_gcn_lane_count_below_high, norn_gcn_lane_permute_bytes,
    norn_gcn_lane_average_bytes, norn_gcn_lane_sad_u8, norn_gcn_lane_sad_hi_u8,
    norn_gcn_lane_msad_u8, norn_gcn_lane_sad_u16, norn_gcn_lane_sad_u32, norn_gcn_lane_qsad_pk_u16,
    norn_gcn_lane_mqsad_pk_u16, norn_gcn_lane_mqsad_u32;

/* float.c */
NornGcnLaneFunction norn_gcn_lane_float_add, norn_gcn_lane_float_subtract,
    norn_gcn_lane_float_subtract_reversed, norn_gcn_lane_float_multiply, norn_gcn_lane_float_fma,
    norn_gcn_lane_float_mad, norn_gcn_lane_float_sqrt, norn_gcn_lane_float_floor,
    norn_gcn_lane_float_ceil, norn_gcn_lane_float_truncate, norn_gcn_lane_float_round_even,
    norn_gcn_lane_float_frexp_mantissa, norn_gcn_lane_float_multiply_legacy,
    norn_gcn_lane_float_mad_legacy, norn_gcn_lane_float_mac_legacy,
    norn_gcn_lane_float_multiply_lit, norn_gcn_lane_float_fract, norn_gcn_lane_float_ldexp,
    norn_gcn_lane_float_frexp_exponent, norn_gcn_lane_division_fixup, norn_gcn_lane_division_scale,
    norn_gcn_lane_division_fmas, norn_gcn_lane_trig_preop, norn_gcn_lane_float_reciprocal,
    norn_gcn_lane_float_reciprocal_sqrt, norn_gcn_lane_float_exp2, norn_gcn_lane_float_log2,
    norn_gcn_lane_float_sin, norn_gcn_lane_float_cos, norn_gcn_lane_reciprocal_clamp,
    norn_gcn_lane_reciprocal_legacy, norn_gcn_lane_reciprocal_sqrt_clamp,
    norn_gcn_lane_reciprocal_sqrt_legacy, norn_gcn_lane_log2_clamp, norn_gcn_lane_float_minimum,
    norn_gcn_lane_float_maximum, norn_gcn_lane_float_minimum3, norn_gcn_lane_float_maximum3,
    norn_gcn_lane_float_median3, norn_gcn_lane_float_minimum_legacy,
    norn_gcn_lane_float_maximum_legacy;

/* cube.c */
NornGcnLaneFunction norn_gcn_lane_cube_id, norn_gcn_lane_cube_s, norn_gcn_lane_cube_t,
    norn_gcn_lane_cube_major;

/* convert.c */
NornGcnLaneFunction norn_gcn_lane_f16_from_f32, norn_gcn_lane_f32_from_f16,
    norn_gcn_lane_f32_from_f64, norn_gcn_lane_f64_from_f32, norn_gcn_lane_float_from_signed,
    norn_gcn_lane_float_from_unsigned, norn_gcn_lane_float_from_byte0,
    norn_gcn_lane_float_from_byte1, norn_gcn_lane_float_from_byte2, norn_gcn_lane_float_from_byte3,
    norn_gcn_lane_float_from_nibble, norn_gcn_lane_float_to_i32, norn_gcn_lane_float_to_u32,
    norn_gcn_lane_float_to_i16, norn_gcn_lane_float_to_u16, norn_gcn_lane_float_to_i32_floor,
    norn_gcn_lane_float_to_i32_half_up, norn_gcn_lane_normalize_i16_f32,
    norn_gcn_lane_normalize_u16_f32, norn_gcn_lane_normalize_i16_f16,
    norn_gcn_lane_normalize_u16_f16, norn_gcn_lane_normalize_one_i16_f16,
    norn_gcn_lane_normalize_one_u16_f16, norn_gcn_lane_pack_half_toward_zero,
    norn_gcn_lane_pack_unsigned, norn_gcn_lane_pack_signed, norn_gcn_lane_saturate_bytes,
    norn_gcn_lane_screen_partition, norn_gcn_lane_pack_byte, norn_gcn_lane_accumulate_byte;

/* compare.c */
NornGcnLaneFunction norn_gcn_lane_compare_floats, norn_gcn_lane_compare_signed,
    norn_gcn_lane_compare_unsigned, norn_gcn_lane_classify;

/* interpolate.c */
NornGcnLaneFunction norn_gcn_lane_interp_p1, norn_gcn_lane_interp_p2, norn_gcn_lane_interp_mov,
    norn_gcn_lane_interp_p1ll, norn_gcn_lane_interp_p1lv, norn_gcn_lane_interp_p2_half;

#endif
