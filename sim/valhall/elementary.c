/* Reciprocals, roots, logarithms, powers and sines, lane by lane: the special functions, the
 * tables for sequences that compute them, and the fractions and exponents that such sequences
 * start from. */
#include "sim/valhall/lane.h"
#include <float.h>
#include <math.h>
#include <norn/valhall.h>

/* --- Fraction and exponent --- */

/* Whether `a` is normal; if so, *exponent is that of its leading 1. */
static bool
split_normal(NornFloatFormat format, uint64_t a, int *exponent) {
  if (norn_float_classify(format, a) != NORN_FLOAT_CLASS_NORMAL)
    return false;
  unsigned fraction = norn_float_fraction_bits(format);
  int bias = (1 << (norn_float_width(format) - 2 - fraction)) - 1;
  *exponent = (int)(norn_float_absolute(format, a) >> fraction) - bias;
  return true;
}

/* `a`, which is normal, with the exponent of its leading 1 replaced. */
static uint64_t
with_exponent(NornFloatFormat format, uint64_t a, int exponent) {
  unsigned fraction = norn_float_fraction_bits(format);
  int bias = (1 << (norn_float_width(format) - 2 - fraction)) - 1;
  uint64_t keep = norn_float_sign_bit(format) | norn_int_mask(fraction);
  return (a & keep) | (uint64_t)(exponent + bias) << fraction;
}

/* The E of a = M * 2^E (M * 4^E for square roots), where |M| is in [0.5, 1), in [0.25, 1) for
 * square roots and in [0.75, 1.5) for logarithms. *exponent is that of a's leading 1. */
static int
reduced_exponent(NornFloatFormat format, unsigned reduction, uint64_t a, int exponent) {
  bool upper_half = a >> (norn_float_fraction_bits(format) - 1) & 1;
  switch (reduction) {
  case NORN_VALHALL_FREXP_SQRT:
    return (exponent & ~1) / 2 + 1;
  case NORN_VALHALL_FREXP_LOG:
    return exponent + upper_half;
  default:
    return exponent + 1;
  }
}

/* The M for the E of reduced_exponent. Zeros, infinities and NaN are returned unchanged; so are
 * subnormal numbers, which is a guess (FADD_LSCALE is known to do that). */
static uint64_t
reduced(NornFloatFormat format, unsigned reduction, uint64_t a) {
  int exponent;
  if (!split_normal(format, a, &exponent))
    return a;
  int e = reduced_exponent(format, reduction, a, exponent);
  return with_exponent(format, a, exponent - (reduction == NORN_VALHALL_FREXP_SQRT ? 2 * e : e));
}

static unsigned
reduction_of(const NornValhallLane *lane) {
  return modifier(lane, NORN_VALHALL_MODIFIER_FREXP);
}

static uint64_t
fraction_of(const NornValhallLane *lane, const uint64_t *s) {
  return reduced(result_format(lane), reduction_of(lane), s[0]);
}

static uint64_t
exponent_of(const NornValhallLane *lane, const uint64_t *s) {
  NornFloatFormat format = source_format(lane, 0);
  int exponent, result = 0;
  if (split_normal(format, s[0], &exponent))
    result = reduced_exponent(format, reduction_of(lane), s[0], exponent);
  if (modifier(lane, NORN_VALHALL_MODIFIER_NEG_RESULT))
    result = -result;
  return norn_int_truncate((uint64_t)(int64_t)result, result_width(lane));
}

static uint64_t
add_log_scaled(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_add(NORN_FLOAT_32, lane->mode, s[0],
                        reduced(NORN_FLOAT_32, NORN_VALHALL_FREXP_LOG, s[1]));
}

/* --- Special functions --- */

static uint64_t
reciprocal(const NornValhallLane *lane, const uint64_t *s) {
  NornFloatFormat format = result_format(lane);
  return norn_float_divide(format, lane->mode, norn_float_one(format, false), s[0]);
}

static uint64_t
reciprocal_sqrt(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_reciprocal_sqrt(result_format(lane), lane->mode, s[0]);
}

/* The functions of later architectures are assumed to be as accurate as FRCP and FRSQ, which is
 * a guess. Another guess is that the square root treats subnormal numbers as zeros, as FRSQ
 * does. */
static uint64_t
square_root(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_sqrt(result_format(lane), lane->mode, s[0]);
}

static uint64_t
logarithm(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_log2(result_format(lane), lane->mode, s[0]);
}

static uint64_t
exponential_of_float(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_exp2(result_format(lane), lane->mode, s[0]);
}

static uint64_t
power(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_pow(result_format(lane), lane->mode, s[0], s[1]);
}

/* log2(m) / (m - 1) for the m of the logarithm's reduction. The result for values without an m
 * is a guess with which the standard sequence returns -inf, +inf and NaN where it must. */
static uint64_t
log_divided(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  uint64_t a = s[0];
  if (norn_float_is_nan(NORN_FLOAT_32, a))
    return norn_float_quiet_nan(NORN_FLOAT_32);
  if (norn_float_is_zero(NORN_FLOAT_32, a) || norn_float_is_subnormal(NORN_FLOAT_32, a))
    return norn_float_infinity(NORN_FLOAT_32, false);
  if (norn_float_is_negative(NORN_FLOAT_32, a))
    return norn_float_quiet_nan(NORN_FLOAT_32);
  if (norn_float_is_infinite(NORN_FLOAT_32, a))
    return a;
  double m = norn_float_to_double(NORN_FLOAT_32, reduced(NORN_FLOAT_32, NORN_VALHALL_FREXP_LOG, a));
  return norn_float_from_double(NORN_FLOAT_32, m == 1.0 ? 1.0 / log(2.0) : log2(m) / (m - 1.0));
}

/* 2^(k / 2^24), where k was computed from the float b; zero if that is subnormal. Beyond the range
 * of k, the float determines the result, which is a guess. */
static uint64_t
exponential(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  double b = norn_float_to_double(NORN_FLOAT_32, s[1]);
  if (isnan(b))
    return norn_float_quiet_nan(NORN_FLOAT_32);
  if (b >= 2147483648.0)
    return norn_float_infinity(NORN_FLOAT_32, false);
  if (b <= -2147483648.0)
    return 0;
  double value = exp2((double)norn_int_sign_extend(s[0], 32) / 16777216.0);
  return value < FLT_MIN ? 0 : norn_float_from_double(NORN_FLOAT_32, value);
}

/* Significant bits in the approximations' tables. */
#define APPROXIMATION_BITS 17
/* Significant bits of the logarithm's reduction factor, and the number of mantissa bits that
 * select it. */
#define LOG_FACTOR_BITS 5
#define LOG_INDEX_BITS 4

/* `value`, which is positive, rounded to that many significant bits. */
static double
rounded_to_bits(double value, unsigned bits) {
  int exponent;
  double fraction = frexp(value, &exponent);
  return ldexp(rint(ldexp(fraction, (int)bits)), exponent - (int)bits);
}

static uint64_t
approximate_reciprocal(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  uint64_t a = s[0];
  bool negative = norn_float_is_negative(NORN_FLOAT_32, a);
  if (norn_float_is_nan(NORN_FLOAT_32, a))
    return norn_float_quiet_nan(NORN_FLOAT_32);
  if (norn_float_is_infinite(NORN_FLOAT_32, a))
    return negative ? norn_float_sign_bit(NORN_FLOAT_32) : 0;
  if (norn_float_classify(NORN_FLOAT_32, a) != NORN_FLOAT_CLASS_NORMAL)
    return norn_float_infinity(NORN_FLOAT_32, negative);
  double m =
      fabs(norn_float_to_double(NORN_FLOAT_32, reduced(NORN_FLOAT_32, NORN_VALHALL_FREXP_NONE, a)));
  double r = rounded_to_bits(1.0 / m, APPROXIMATION_BITS);
  return norn_float_from_double(NORN_FLOAT_32, negative ? -r : r);
}

static uint64_t
approximate_reciprocal_sqrt(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  uint64_t a = s[0];
  bool negative = norn_float_is_negative(NORN_FLOAT_32, a);
  if (norn_float_is_zero(NORN_FLOAT_32, a) || norn_float_is_subnormal(NORN_FLOAT_32, a))
    return norn_float_infinity(NORN_FLOAT_32, negative);
  if (norn_float_is_nan(NORN_FLOAT_32, a) || negative)
    return norn_float_quiet_nan(NORN_FLOAT_32);
  if (norn_float_is_infinite(NORN_FLOAT_32, a))
    return 0;
  double m =
      norn_float_to_double(NORN_FLOAT_32, reduced(NORN_FLOAT_32, NORN_VALHALL_FREXP_SQRT, a));
  return norn_float_from_double(NORN_FLOAT_32, rounded_to_bits(1.0 / sqrt(m), APPROXIMATION_BITS));
}

/* The upper or lower part of `value`, or all of it. The split is a guess: the upper part is the
 * nearest number in which the lower half of the fraction is zero. */
static uint64_t
part_of(double value, unsigned precision) {
  if (precision == NORN_VALHALL_FLOG_PRECISION_NONE)
    return norn_float_from_double(NORN_FLOAT_32, value);
  double magnitude = fabs(value), high = magnitude == 0.0 ? 0.0 : rounded_to_bits(magnitude, 12);
  high = copysign(high, value);
  return norn_float_from_double(
      NORN_FLOAT_32, precision == NORN_VALHALL_FLOG_PRECISION_HIGH ? high : value - high);
}

/* A factor r that brings the m of a logarithm near 1, or -log r. It is known that the top bits
 * of the fraction select r and that r has few bits; it is a guess that r is computed for the
 * middle of the range. */
static uint64_t
log_table(const NornValhallLane *lane, const uint64_t *s) {
  uint64_t a = reduced(NORN_FLOAT_32, NORN_VALHALL_FREXP_LOG, s[0]);
  double r = 1.0;
  if (norn_float_classify(NORN_FLOAT_32, a) == NORN_FLOAT_CLASS_NORMAL) {
    unsigned dropped = norn_float_fraction_bits(NORN_FLOAT_32) - LOG_INDEX_BITS;
    uint64_t middle = (norn_float_absolute(NORN_FLOAT_32, a) & ~norn_int_mask(dropped)) |
                      UINT64_C(1) << (dropped - 1);
    r = rounded_to_bits(1.0 / norn_float_to_double(NORN_FLOAT_32, middle), LOG_FACTOR_BITS);
  }
  unsigned precision = modifier(lane, NORN_VALHALL_MODIFIER_PRECISION);
  switch (modifier(lane, NORN_VALHALL_MODIFIER_MODE)) {
  case NORN_VALHALL_FLOG_MODE_BASE2:
    return part_of(0.0 - log2(r), precision);
  case NORN_VALHALL_FLOG_MODE_NATURAL:
    return part_of(0.0 - log(r), precision);
  default:
    return norn_float_from_double(NORN_FLOAT_32, r);
  }
}

static uint64_t
exponential_table(const NornValhallLane *lane, const uint64_t *s) {
  double value = exp2((double)(s[0] & 15) / 16.0);
  uint64_t nearest = norn_float_from_double(NORN_FLOAT_32, value);
  if (!modifier(lane, NORN_VALHALL_MODIFIER_ADJUST))
    return nearest;
  double rest = value - norn_float_to_double(NORN_FLOAT_32, nearest);
  return norn_float_from_double(NORN_FLOAT_32, rest);
}

/* sin(i * pi / 32), exact at the multiples of pi / 2. */
static double
sine_of_step(unsigned i) {
  double quarter = (i & 15) * 3.14159265358979323846 / 32.0;
  double value = i & 16 ? cos(quarter) : sin(quarter);
  return i & 32 ? 0.0 - value : value;
}

static uint64_t
sine_table(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  return norn_float_from_double(NORN_FLOAT_32, sine_of_step(s[0] & 63));
}

static uint64_t
cosine_table(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  return norn_float_from_double(NORN_FLOAT_32, sine_of_step((s[0] + 16) & 63));
}

FOR_WARP(fraction_of)
FOR_WARP(exponent_of)
FOR_WARP(add_log_scaled)
FOR_WARP(reciprocal)
FOR_WARP(reciprocal_sqrt)
FOR_WARP(square_root)
FOR_WARP(logarithm)
FOR_WARP(exponential_of_float)
FOR_WARP(power)
FOR_WARP(log_divided)
FOR_WARP(exponential)
FOR_WARP(approximate_reciprocal)
FOR_WARP(approximate_reciprocal_sqrt)
FOR_WARP(log_table)
FOR_WARP(exponential_table)
FOR_WARP(sine_table)
FOR_WARP(cosine_table)
