/* Float arithmetic, elementary functions, minimum and maximum, lane by lane. */
#include "sim/gcn/divide.h"
#include "sim/gcn/lane.h"
#include <math.h>

/* --- Floats: arithmetic --- */

COMPUTE(float_add, norn_float_add(f, m, a, b))
COMPUTE(float_subtract, norn_float_subtract(f, m, a, b))
COMPUTE(float_subtract_reversed, norn_float_subtract(f, m, b, a))
COMPUTE(float_multiply, norn_float_multiply(f, m, a, b))
COMPUTE(float_fma, norn_float_fma(f, m, a, b, c))
COMPUTE(float_mad, norn_float_add(f, m, norn_float_multiply(f, m, a, b), c))
COMPUTE(float_sqrt, norn_float_sqrt(f, m, a))
COMPUTE(float_floor, norn_float_round_to_integral(
                         f, (NornFloatMode){NORN_ROUND_DOWN, m.flush_inputs, m.flush_outputs}, a))
COMPUTE(float_ceil, norn_float_round_to_integral(
                        f, (NornFloatMode){NORN_ROUND_UP, m.flush_inputs, m.flush_outputs}, a))
COMPUTE(float_truncate,
        norn_float_round_to_integral(
            f, (NornFloatMode){NORN_ROUND_ZERO, m.flush_inputs, m.flush_outputs}, a))
COMPUTE(float_round_even,
        norn_float_round_to_integral(
            f, (NornFloatMode){NORN_ROUND_NEAREST_EVEN, m.flush_inputs, m.flush_outputs}, a))
COMPUTE(float_frexp_mantissa, norn_float_frexp(f, a, NULL))

static bool
float_is_zero(const NornGcnLane *l, uint64_t a) {
  if (l->mode.flush_inputs)
    a = norn_float_flush(l->format, a);
  return norn_float_is_zero(l->format, a);
}

/* A product in which zero times anything is zero. */
static uint64_t
legacy_multiply(const NornGcnLane *l) {
  if (float_is_zero(l, l->src[0]) || float_is_zero(l, l->src[1]))
    return 0;
  return norn_float_multiply(l->format, l->mode, l->src[0], l->src[1]);
}

COMPUTE(float_multiply_legacy, legacy_multiply(l))

/* A zero factor returns the addend unchanged. */
COMPUTE(float_mad_legacy, float_is_zero(l, a) || float_is_zero(l, b)
                              ? norn_float_flush(f, c)
                              : norn_float_add(f, m, norn_float_multiply(f, m, a, b), c))

LANE(float_mac_legacy) {
  l->carry = float_is_zero(l, l->src[0]) || float_is_zero(l, l->src[1]);
  norn_gcn_lane_float_mad_legacy(l, row);
}

LANE(float_multiply_lit) {
  (void)row;
  NornRelation relation = norn_float_compare(l->format, l->mode, l->src[2], 0);
  if (relation == NORN_RELATION_GREATER)
    l->result = legacy_multiply(l);
  else
    l->result = norn_float_largest(l->format, true);
}

/* The first source minus its floor, kept below one. It is -0 for an integer where results are
 * rounded down. */
LANE(float_fract) {
  norn_gcn_lane_float_floor(l, row);
  uint64_t one = norn_float_one(l->format, false);
  l->result = norn_float_subtract(l->format, l->mode, l->src[0], l->result);
  if (l->result == one)
    l->result = one - 1;
}

COMPUTE(float_ldexp, norn_float_ldexp(f, m, a, SIGNED(b)))

LANE(float_frexp_exponent) {
  (void)row;
  int exponent;
  norn_float_frexp(l->format, l->src[0], &exponent);
  l->result = (uint64_t)(int64_t)exponent;
}

COMPUTE(division_fixup, norn_gcn_divide_fixup(f, m, a, b, c))
COMPUTE(division_scale, norn_gcn_divide_scale(f, m, a, b, c, &l->carry))
COMPUTE(division_fmas,
        norn_gcn_divide_fmas(f, m, a, b, c,
                             norn_gcn_scalar_pair(l->state, NORN_GCN_VCC) >> l->number & 1))
COMPUTE(trig_preop, norn_gcn_trig_preop(a, b & 31))

/* ---- floats: the elementary functions ----
 *
 * The hardware approximates; here all of them are rounded to nearest, which is within the bounds
 * in the manuals. */

#define NEAREST(m) ((NornFloatMode){NORN_ROUND_NEAREST_EVEN, (m).flush_inputs, (m).flush_outputs})

COMPUTE(float_reciprocal, norn_float_divide(f, NEAREST(m), norn_float_one(f, false), a))
COMPUTE(float_reciprocal_sqrt, norn_float_reciprocal_sqrt(f, m, a))
COMPUTE(float_exp2, norn_float_exp2(f, m, a))
COMPUTE(float_log2, norn_float_log2(f, m, a))

/* Sine and cosine take revolutions and accept up to 256 of them in either direction: beyond that
 * they return 0 and 1. Quarter turns are subtracted exactly, so their results are exact. The sine
 * of -0 is -0. */
static uint64_t
circular(const NornGcnLane *l, unsigned quarter_offset) {
  static const double quarter_turn = 1.57079632679489661923;
  double turns = norn_float_to_double(l->format, l->src[0]);
  if (l->mode.flush_inputs && norn_float_is_subnormal(l->format, l->src[0]))
    turns = copysign(0.0, turns);
  if (!isfinite(turns))
    return norn_float_quiet_nan(l->format);
  if (fabs(turns) > 256.0)
    turns = 0.0;
  if (turns == 0.0 && quarter_offset == 0)
    return norn_float_from_double(l->format, copysign(0.0, turns));
  double quarters = rint(turns * 4.0);
  double angle = (turns - quarters / 4.0) * 4.0 * quarter_turn;
  unsigned quadrant = ((unsigned)(int)quarters + quarter_offset) & 3;
  double value = quadrant & 1 ? cos(angle) : sin(angle);
  return norn_float_from_double(l->format, quadrant & 2 ? 0.0 - value : value);
}

COMPUTE(float_sin, circular(l, 0))
COMPUTE(float_cos, circular(l, 1))

static uint64_t
replace_infinity(const NornGcnLane *l, uint64_t value, uint64_t magnitude) {
  if (!norn_float_is_infinite(l->format, value))
    return value;
  return magnitude | (value & norn_float_sign_bit(l->format));
}

/* For infinity, the clamping forms return the largest finite number, the legacy ones zero. */
#define CLAMPED(function, base)                                                                    \
  LANE(function##_clamp) {                                                                         \
    norn_gcn_lane_##base(l, row);                                                                  \
    l->result = replace_infinity(l, l->result, norn_float_largest(l->format, false));              \
  }                                                                                                \
  LANE(function##_legacy) {                                                                        \
    norn_gcn_lane_##base(l, row);                                                                  \
    l->result = replace_infinity(l, l->result, 0);                                                 \
  }

CLAMPED(reciprocal, float_reciprocal)
CLAMPED(reciprocal_sqrt, float_reciprocal_sqrt)

LANE(log2_clamp) {
  norn_gcn_lane_float_log2(l, row);
  if (norn_float_is_negative(l->format, l->result))
    l->result = replace_infinity(l, l->result, norn_float_largest(l->format, false));
}

/* --- Floats: minimum, maximum, median --- */

static bool
is_signaling(const NornGcnLane *l, uint64_t a) {
  return norn_float_classify(l->format, a) == NORN_FLOAT_CLASS_SIGNALING_NAN;
}

/* A number is preferred to a NaN; in IEEE mode a signaling NaN is preferred to everything and
 * made quiet. */
static uint64_t
float_pick(const NornGcnLane *l, uint64_t a, uint64_t b, bool largest) {
  bool ieee = l->state->mode >> NORN_GCN_MODE_IEEE & 1;
  if (ieee && (is_signaling(l, a) || is_signaling(l, b)))
    return norn_float_quiet_nan(l->format);
  return largest ? norn_float_maximum_number(l->format, l->mode, a, b)
                 : norn_float_minimum_number(l->format, l->mode, a, b);
}

static uint64_t
float_median(const NornGcnLane *l, uint64_t a, uint64_t b, uint64_t c) {
  NornFloatFormat f = l->format;
  uint64_t low = float_pick(l, a, b, false), high = float_pick(l, a, b, true);
  if (norn_float_is_nan(f, a) || norn_float_is_nan(f, b) || norn_float_is_nan(f, c))
    return float_pick(l, low, c, false);
  return float_pick(l, low, float_pick(l, high, c, false), true);
}

COMPUTE(float_minimum, float_pick(l, a, b, false))
COMPUTE(float_maximum, float_pick(l, a, b, true))
COMPUTE(float_minimum3, float_pick(l, float_pick(l, a, b, false), c, false))
COMPUTE(float_maximum3, float_pick(l, float_pick(l, a, b, true), c, true))
COMPUTE(float_median3, float_median(l, a, b, c))

/* The legacy forms return the second source whenever the comparison is false, including for NaN. */
COMPUTE(float_minimum_legacy, norn_float_compare(f, m, a, b) == NORN_RELATION_LESS ? a : b)
COMPUTE(float_maximum_legacy, norn_float_compare(f, m, a, b) == NORN_RELATION_GREATER ||
                                      norn_float_compare(f, m, a, b) == NORN_RELATION_EQUAL
                                  ? a
                                  : b)
