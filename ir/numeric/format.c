/* Formats of floats, and operations on bits without arithmetic: constants, classes, signs, order.
 */
#include "ir/numeric/format.h"

const FloatFormat norn_float_formats[] = {
    [NORN_FLOAT_16] = {16, 10, 15},
    [NORN_FLOAT_32] = {32, 23, 127},
    [NORN_FLOAT_64] = {64, 52, 1023},
};

/* --- Formats and constants --- */

unsigned
norn_float_width(NornFloatFormat format) {
  return norn_float_formats[format].width;
}

unsigned
norn_float_fraction_bits(NornFloatFormat format) {
  return (unsigned)norn_float_formats[format].fraction_bits;
}

uint64_t
norn_float_sign_bit(NornFloatFormat format) {
  return sign_of(&norn_float_formats[format], true);
}

uint64_t
norn_float_quiet_nan(NornFloatFormat format) {
  return quiet_nan_of(&norn_float_formats[format]);
}

uint64_t
norn_float_infinity(NornFloatFormat format, bool negative) {
  return sign_of(&norn_float_formats[format], negative) |
         infinity_bits(&norn_float_formats[format]);
}

uint64_t
norn_float_largest(NornFloatFormat format, bool negative) {
  return sign_of(&norn_float_formats[format], negative) |
         (infinity_bits(&norn_float_formats[format]) - 1);
}

uint64_t
norn_float_one(NornFloatFormat format, bool negative) {
  const FloatFormat *f = &norn_float_formats[format];
  return sign_of(f, negative) | (uint64_t)f->bias << f->fraction_bits;
}

/* --- Classes and signs --- */

NornFloatClass
norn_float_classify(NornFloatFormat format, uint64_t a) {
  const FloatFormat *f = &norn_float_formats[format];
  uint64_t magnitude = magnitude_of(f, a);
  if (magnitude == 0)
    return NORN_FLOAT_CLASS_ZERO;
  if (magnitude < UINT64_C(1) << f->fraction_bits)
    return NORN_FLOAT_CLASS_SUBNORMAL;
  if (magnitude < infinity_bits(f))
    return NORN_FLOAT_CLASS_NORMAL;
  if (magnitude == infinity_bits(f))
    return NORN_FLOAT_CLASS_INFINITE;
  return magnitude >= quiet_nan_of(f) ? NORN_FLOAT_CLASS_QUIET_NAN : NORN_FLOAT_CLASS_SIGNALING_NAN;
}

bool
norn_float_is_nan(NornFloatFormat format, uint64_t a) {
  return magnitude_of(&norn_float_formats[format], a) > infinity_bits(&norn_float_formats[format]);
}

bool
norn_float_is_infinite(NornFloatFormat format, uint64_t a) {
  return magnitude_of(&norn_float_formats[format], a) == infinity_bits(&norn_float_formats[format]);
}

bool
norn_float_is_zero(NornFloatFormat format, uint64_t a) {
  return magnitude_of(&norn_float_formats[format], a) == 0;
}

bool
norn_float_is_subnormal(NornFloatFormat format, uint64_t a) {
  uint64_t magnitude = magnitude_of(&norn_float_formats[format], a);
  return magnitude != 0 && magnitude < UINT64_C(1) << norn_float_formats[format].fraction_bits;
}

bool
norn_float_is_normal(NornFloatFormat format, uint64_t a) {
  return norn_float_classify(format, a) == NORN_FLOAT_CLASS_NORMAL;
}

bool
norn_float_is_power_of_two(NornFloatFormat format, uint64_t a) {
  uint64_t fraction = (UINT64_C(1) << norn_float_formats[format].fraction_bits) - 1;
  return !(a & fraction) && norn_float_is_normal(format, a);
}

bool
norn_float_is_negative(NornFloatFormat format, uint64_t a) {
  return (a & sign_of(&norn_float_formats[format], true)) != 0;
}

uint64_t
norn_float_negate(NornFloatFormat format, uint64_t a) {
  return a ^ sign_of(&norn_float_formats[format], true);
}

uint64_t
norn_float_absolute(NornFloatFormat format, uint64_t a) {
  return magnitude_of(&norn_float_formats[format], a);
}

uint64_t
norn_float_flush(NornFloatFormat format, uint64_t a) {
  return norn_float_is_subnormal(format, a) ? a & norn_float_sign_bit(format) : a;
}

uint64_t
norn_float_canonical(NornFloatFormat format, uint64_t a) {
  return norn_float_is_nan(format, a) ? norn_float_quiet_nan(format) : a;
}

/* --- Order --- */

/* A number that increases with the float A, which must not be NaN; -0 is below +0. */
static int64_t
order_of(const FloatFormat *f, uint64_t a) {
  uint64_t magnitude = magnitude_of(f, a);
  return a == magnitude ? (int64_t)magnitude : -(int64_t)magnitude - 1;
}

static uint64_t
choose(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b, bool larger,
       bool nan_wins) {
  const FloatFormat *f = &norn_float_formats[format];
  if (mode.flush_inputs || mode.flush_outputs) {
    a = norn_float_flush(format, a);
    b = norn_float_flush(format, b);
  }
  bool a_nan = norn_float_is_nan(format, a);
  bool b_nan = norn_float_is_nan(format, b);
  if ((a_nan && b_nan) || (nan_wins && (a_nan || b_nan)))
    return quiet_nan_of(f);
  if (a_nan || b_nan)
    return a_nan ? b : a;
  return (order_of(f, a) > order_of(f, b)) == larger ? a : b;
}

uint64_t
norn_float_minimum_number(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b) {
  return choose(format, mode, a, b, false, false);
}

uint64_t
norn_float_maximum_number(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b) {
  return choose(format, mode, a, b, true, false);
}

uint64_t
norn_float_minimum(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b) {
  return choose(format, mode, a, b, false, true);
}

uint64_t
norn_float_maximum(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b) {
  return choose(format, mode, a, b, true, true);
}

NornRelation
norn_float_compare(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b) {
  const FloatFormat *f = &norn_float_formats[format];
  if (mode.flush_inputs) {
    a = norn_float_flush(format, a);
    b = norn_float_flush(format, b);
  }
  if (norn_float_is_nan(format, a) || norn_float_is_nan(format, b))
    return NORN_RELATION_UNORDERED;
  if (a == b || (magnitude_of(f, a) | magnitude_of(f, b)) == 0)
    return NORN_RELATION_EQUAL;
  return order_of(f, a) < order_of(f, b) ? NORN_RELATION_LESS : NORN_RELATION_GREATER;
}

bool
norn_float_total_less_equal(NornFloatFormat format, uint64_t a, uint64_t b) {
  return order_of(&norn_float_formats[format], a) <= order_of(&norn_float_formats[format], b);
}
