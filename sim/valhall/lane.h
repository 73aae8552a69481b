/* The functions that compute one lane of an ALU instruction's result, and their helpers.
 *
 * Each is applied to all invocations of a warp, with the sources of one invocation at a time;
 * the table in semantics.c says which function each instruction uses. */
#ifndef NORN_SIM_VALHALL_LANE_H
#define NORN_SIM_VALHALL_LANE_H

#include "sim/valhall/semantics.h"

/* --- A lane --- */

static inline uint8_t
modifier(const NornValhallLane *lane, NornValhallModifier which) {
  return lane->operation->modifier[which];
}

static inline NornFloatFormat
result_format(const NornValhallLane *lane) {
  return norn_valhall_lanes[lane->row->result].format;
}

static inline NornFloatFormat
source_format(const NornValhallLane *lane, unsigned source) {
  return norn_valhall_lanes[lane->row->source[source]].format;
}

static inline unsigned
result_width(const NornValhallLane *lane) {
  return norn_valhall_lanes[lane->row->result].width;
}

static inline bool
result_signed(const NornValhallLane *lane) {
  return norn_valhall_lanes[lane->row->result].is_signed;
}

/* --- Functions --- */

/* Defines a function of one invocation and applies it to `count` of them; values that are the
 * same for all invocations are computed once. */
#define FOR_WARP(function)                                                                         \
  void norn_valhall_##function##_of_warp(const NornValhallLane *lane, const uint64_t *const *s,    \
                                         unsigned count, uint64_t *restrict r) {                   \
    const uint64_t *a = s[0], *b = s[1], *c = s[2], *d = s[3];                                     \
    for (unsigned i = 0; i < count; i++) {                                                         \
      const uint64_t sources[] = {a[i], b[i], c[i], d[i]};                                         \
      r[i] = function(lane, sources);                                                              \
    }                                                                                              \
  }

/* integer.c */
NornValhallLaneFunction norn_valhall_integer_add_of_warp, norn_valhall_integer_subtract_of_warp,
    norn_valhall_integer_multiply_of_warp, norn_valhall_half_add_of_warp,
    norn_valhall_integer_absolute_of_warp, norn_valhall_shift_add_extended_of_warp,
    norn_valhall_segment_add_of_warp, norn_valhall_dot_product_of_warp,
    norn_valhall_leading_zeros_of_warp, norn_valhall_population_count_of_warp,
    norn_valhall_bit_reverse_of_warp, norn_valhall_complement_of_warp;

/* logic.c */
NornValhallLaneFunction norn_valhall_move_of_warp, norn_valhall_pick_source_of_lane_of_warp,
    norn_valhall_make_bytes_of_warp, norn_valhall_shift_and_combine_of_warp,
    norn_valhall_combine_immediate_of_warp, norn_valhall_multiplex_of_warp;

/* compare.c */
NornValhallLaneFunction norn_valhall_compare_or_of_warp, norn_valhall_compare_and_of_warp,
    norn_valhall_compare_chained_of_warp, norn_valhall_select_by_condition_of_warp,
    norn_valhall_test_condition_of_warp;

/* float.c */
NornValhallLaneFunction norn_valhall_float_add_of_warp, norn_valhall_float_fma_of_warp,
    norn_valhall_float_minimum_of_warp, norn_valhall_float_maximum_of_warp,
    norn_valhall_float_round_of_warp, norn_valhall_float_ldexp_of_warp,
    norn_valhall_float_flush_of_warp, norn_valhall_float_fma_scale_of_warp;

/* convert.c */
NornValhallLaneFunction norn_valhall_float_to_integer_of_warp,
    norn_valhall_integer_to_float_of_warp, norn_valhall_integer_widen_of_warp,
    norn_valhall_half_to_float_of_warp, norn_valhall_floats_to_halves_of_warp;

/* elementary.c */
NornValhallLaneFunction norn_valhall_fraction_of_of_warp, norn_valhall_exponent_of_of_warp,
    norn_valhall_add_log_scaled_of_warp, norn_valhall_reciprocal_of_warp,
    norn_valhall_reciprocal_sqrt_of_warp, norn_valhall_square_root_of_warp,
    norn_valhall_logarithm_of_warp, norn_valhall_exponential_of_float_of_warp,
    norn_valhall_power_of_warp, norn_valhall_log_divided_of_warp, norn_valhall_exponential_of_warp,
    norn_valhall_approximate_reciprocal_of_warp, norn_valhall_approximate_reciprocal_sqrt_of_warp,
    norn_valhall_log_table_of_warp, norn_valhall_exponential_table_of_warp,
    norn_valhall_sine_table_of_warp, norn_valhall_cosine_table_of_warp;

/* cube.c */
NornValhallLaneFunction norn_valhall_cube_magnitude_of_warp, norn_valhall_cube_face_of_warp,
    norn_valhall_cube_s_of_warp, norn_valhall_cube_t_of_warp;

/* --- Parameters of rows: the variants of one function --- */

/* Shifts and logic. */
enum { OP_AND, OP_OR, OP_XOR };
enum { SHIFT_RIGHT, SHIFT_LEFT, ROTATE_RIGHT, ROTATE_LEFT, SHIFT_ARITHMETIC };
#define SHIFT_LOGIC(shift, logic) ((shift) << 2 | (logic))

/* Scaled multiply-adds: what a product with a zero is. */
enum { RSCALE, RSCALE_N, RSCALE_LEFT };

/* --- Shared by the computation of values and of undefined bits --- */

/* The amount is taken modulo the width, whatever its upper bits are. */
uint64_t norn_valhall_shifted(unsigned kind, uint64_t value, uint64_t amount, unsigned width);
/* The kind of shift of a lane's row. */
unsigned norn_valhall_shift_kind(const NornValhallLane *lane);

#endif
