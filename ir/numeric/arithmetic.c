/* Arithmetic on the raw bit patterns of floats, and their conversions.
 *
 * The general path unpacks a float to sign * significand * 2^exponent with a significand of 128
 * bits, computes exactly or with a sticky lowest bit, and rounds once in round_pack. Invariants: an
 * unpacked significand stays below 2^127; a sticky bit is always at least two bits below those that
 * the format keeps, so it never changes which side of a tie a value is on. The fast path computes
 * binary32 and binary64 in the default mode on the host's FPU, which conforms to IEEE 754 with
 * correct rounding and for which the code is compiled without contraction. */
#include "ir/numeric.h"
#include "ir/numeric/format.h"
#include "ir/numeric/wide.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* Larger than any sum of exponents that decides a result, small enough never to overflow an int. */
#define SCALE_LIMIT 16384
/* The position of the leading bit of a normalized significand; one bit is left for the carry. */
#define NORMALIZED_TOP 125

typedef enum { KIND_ZERO, KIND_FINITE, KIND_INFINITE, KIND_NAN } FloatClass;

typedef struct {
  FloatClass kind;
  bool negative;
  int exponent;
  Wide significand;
} Unpacked;

/* --- Rounding --- */

static int
top_bit(Wide x) {
  uint64_t high = (uint64_t)(x >> 64);
  return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)x);
}

/* X / 2^SHIFT, with the bits shifted out ORed into the lowest one. */
static Wide
shift_right_sticky(Wide x, int shift) {
  if (shift == 0)
    return x;
  if (shift > 127)
    return x != 0;
  return (x >> shift) | ((x & (((Wide)1 << shift) - 1)) != 0);
}

/* X * 2^-SHIFT as an integer, for X below 2^127; the caller ensures that a left shift fits. */
static Wide
round_shift(Wide x, int shift, bool negative, NornRoundMode round) {
  if (shift <= 0)
    return x << -shift;
  if (shift > 127) {
    x = x != 0;
    shift = 2;
  }
  Wide kept = x >> shift;
  Wide lost = x & (((Wide)1 << shift) - 1);
  Wide half = (Wide)1 << (shift - 1);
  bool increment = false;
  switch (round) {
  case NORN_ROUND_NEAREST_EVEN:
    increment = lost > half || (lost == half && (kept & 1));
    break;
  case NORN_ROUND_UP:
    increment = lost != 0 && !negative;
    break;
  case NORN_ROUND_DOWN:
    increment = lost != 0 && negative;
    break;
  case NORN_ROUND_ZERO:
    break;
  case NORN_ROUND_NEAREST_AWAY:
    increment = lost >= half;
    break;
  }
  return kept + increment;
}

static uint64_t
overflow_bits(const FloatFormat *f, bool negative, NornRoundMode round) {
  bool finite = round == NORN_ROUND_ZERO || (round == NORN_ROUND_UP && negative) ||
                (round == NORN_ROUND_DOWN && !negative);
  return sign_of(f, negative) | (infinity_bits(f) - finite);
}

/* significand * 2^exponent, rounded once and packed. */
static uint64_t
round_pack(const FloatFormat *f, NornFloatMode mode, bool negative, int exponent,
           Wide significand) {
  if (significand == 0)
    return sign_of(f, negative);
  int leading = exponent + top_bit(significand);
  if (leading > f->bias)
    return overflow_bits(f, negative, mode.round);
  int lowest = MAX(leading, 1 - f->bias) - f->fraction_bits;
  Wide kept = round_shift(significand, lowest - exponent, negative, mode.round);
  /* The hidden bit of a normal number and a carry out of the rounding both increment the exponent
   * field. */
  uint64_t field = (uint64_t)(lowest + f->fraction_bits + f->bias - 1);
  uint64_t bits = (field << f->fraction_bits) + (uint64_t)kept;
  if (bits >= infinity_bits(f))
    return overflow_bits(f, negative, mode.round);
  if (mode.flush_outputs && bits < UINT64_C(1) << f->fraction_bits)
    bits = 0;
  return sign_of(f, negative) | bits;
}

static Unpacked
unpack(const FloatFormat *f, NornFloatMode mode, uint64_t a) {
  uint64_t magnitude = magnitude_of(f, a);
  uint64_t hidden = UINT64_C(1) << f->fraction_bits;
  int field = (int)(magnitude >> f->fraction_bits);
  Unpacked u = {KIND_FINITE, a != magnitude, 0, magnitude & (hidden - 1)};
  if (magnitude >= infinity_bits(f)) {
    u.kind = magnitude == infinity_bits(f) ? KIND_INFINITE : KIND_NAN;
  } else if (magnitude < hidden) {
    u.kind = magnitude == 0 || mode.flush_inputs ? KIND_ZERO : KIND_FINITE;
    u.exponent = 1 - f->bias - f->fraction_bits;
  } else {
    u.significand |= hidden;
    u.exponent = field - f->bias - f->fraction_bits;
  }
  return u;
}

static Unpacked
normalize(Unpacked u) {
  int shift = NORMALIZED_TOP - top_bit(u.significand);
  u.significand <<= shift;
  u.exponent -= shift;
  return u;
}

/* --- Host arithmetic --- */

static double
host_double(uint64_t a) {
  double value;
  memcpy(&value, &a, sizeof value);
  return value;
}

static uint64_t
double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return value != value ? norn_float_quiet_nan(NORN_FLOAT_64) : bits;
}

/* --- Arithmetic --- */

/* (x + y) * 2^scale; neither is a NaN, nor are both infinite with opposite signs. */
static uint64_t
add_unpacked(const FloatFormat *f, NornFloatMode mode, Unpacked x, Unpacked y, int scale) {
  if (x.kind == KIND_INFINITE || y.kind == KIND_INFINITE) {
    bool negative = x.kind == KIND_INFINITE ? x.negative : y.negative;
    return sign_of(f, negative) | infinity_bits(f);
  }
  bool canceled_sign = mode.round == NORN_ROUND_DOWN;
  if (x.kind == KIND_ZERO && y.kind == KIND_ZERO)
    return sign_of(f, x.negative == y.negative ? x.negative : canceled_sign);
  if (x.kind == KIND_ZERO || y.kind == KIND_ZERO) {
    Unpacked u = x.kind == KIND_ZERO ? y : x;
    return round_pack(f, mode, u.negative, u.exponent + scale, u.significand);
  }
  x = normalize(x);
  y = normalize(y);
  if (x.exponent < y.exponent || (x.exponent == y.exponent && x.significand < y.significand)) {
    Unpacked larger = y;
    y = x;
    x = larger;
  }
  Wide aligned = shift_right_sticky(y.significand, x.exponent - y.exponent);
  if (x.negative == y.negative)
    return round_pack(f, mode, x.negative, x.exponent + scale, x.significand + aligned);
  Wide difference = x.significand - aligned;
  bool negative = difference == 0 ? canceled_sign : x.negative;
  return round_pack(f, mode, negative, x.exponent + scale, difference);
}

static bool
opposite_infinities(Unpacked x, Unpacked y) {
  return x.kind == KIND_INFINITE && y.kind == KIND_INFINITE && x.negative != y.negative;
}

uint64_t
norn_float_add_any(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b) {
  if (norn_float_is_default(mode) && format == NORN_FLOAT_64)
    return double_bits(host_double(a) + host_double(b));
  const FloatFormat *f = &norn_float_formats[format];
  Unpacked x = unpack(f, mode, a);
  Unpacked y = unpack(f, mode, b);
  if (x.kind == KIND_NAN || y.kind == KIND_NAN || opposite_infinities(x, y))
    return quiet_nan_of(f);
  return add_unpacked(f, mode, x, y, 0);
}

uint64_t
norn_float_subtract(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b) {
  return norn_float_add(format, mode, a, norn_float_negate(format, b));
}

/* The exact product; KIND_NAN if an operand is NaN or zero is multiplied by infinity. */
static Unpacked
multiply_unpacked(Unpacked x, Unpacked y) {
  Unpacked product = {KIND_FINITE, x.negative != y.negative, x.exponent + y.exponent,
                      x.significand * y.significand};
  bool zero = x.kind == KIND_ZERO || y.kind == KIND_ZERO;
  bool infinite = x.kind == KIND_INFINITE || y.kind == KIND_INFINITE;
  if (x.kind == KIND_NAN || y.kind == KIND_NAN || (zero && infinite))
    product.kind = KIND_NAN;
  else if (infinite)
    product.kind = KIND_INFINITE;
  else if (zero)
    product.kind = KIND_ZERO;
  return product;
}

/* The packed form of a value that is not NaN. */
static uint64_t
pack(const FloatFormat *f, NornFloatMode mode, Unpacked u) {
  if (u.kind == KIND_ZERO)
    return sign_of(f, u.negative);
  if (u.kind == KIND_INFINITE)
    return sign_of(f, u.negative) | infinity_bits(f);
  return round_pack(f, mode, u.negative, u.exponent, u.significand);
}

uint64_t
norn_float_multiply(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b) {
  if (norn_float_is_default(mode) && format == NORN_FLOAT_32)
    return norn_float_from_host(norn_float_to_host(a) * norn_float_to_host(b));
  if (norn_float_is_default(mode) && format == NORN_FLOAT_64)
    return double_bits(host_double(a) * host_double(b));
  const FloatFormat *f = &norn_float_formats[format];
  Unpacked product = multiply_unpacked(unpack(f, mode, a), unpack(f, mode, b));
  return product.kind == KIND_NAN ? quiet_nan_of(f) : pack(f, mode, product);
}

bool
norn_float_normal_product(NornFloatFormat format, uint64_t a, uint64_t b, uint64_t *product) {
  NornFloatMode mode = {.round = NORN_ROUND_ZERO};
  *product = norn_float_multiply(format, mode, a, b);
  /* A product that overflows is rounded to the greatest number. */
  uint64_t greatest = norn_float_infinity(format, false) - 1;
  return norn_float_is_normal(format, a) && norn_float_is_normal(format, b) &&
         norn_float_is_normal(format, *product) &&
         norn_float_absolute(format, *product) != greatest;
}

bool
norn_float_exact_product(NornFloatFormat format, uint64_t a, uint64_t b, uint64_t *product) {
  return norn_float_normal_product(format, a, b, product) &&
         (norn_float_is_power_of_two(format, a) || norn_float_is_power_of_two(format, b));
}

uint64_t
norn_float_divide(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b) {
  if (norn_float_is_default(mode) && format == NORN_FLOAT_32)
    return norn_float_from_host(norn_float_to_host(a) / norn_float_to_host(b));
  if (norn_float_is_default(mode) && format == NORN_FLOAT_64)
    return double_bits(host_double(a) / host_double(b));
  const FloatFormat *f = &norn_float_formats[format];
  Unpacked x = unpack(f, mode, a);
  Unpacked y = unpack(f, mode, b);
  bool negative = x.negative != y.negative;
  if (x.kind == KIND_NAN || y.kind == KIND_NAN || (x.kind == y.kind && x.kind != KIND_FINITE))
    return quiet_nan_of(f);
  if (x.kind == KIND_INFINITE || y.kind == KIND_ZERO)
    return sign_of(f, negative) | infinity_bits(f);
  if (x.kind == KIND_ZERO || y.kind == KIND_INFINITE)
    return sign_of(f, negative);
  /* A quotient of at least NORMALIZED_TOP - 53 bits with the remainder as its sticky bit. */
  x = normalize(x);
  Wide quotient = x.significand / y.significand;
  quotient |= quotient * y.significand != x.significand;
  return round_pack(f, mode, negative, x.exponent - y.exponent, quotient);
}

/* floor(sqrt(x)), the lowest bit sticky. */
static Wide
sqrt_sticky(Wide x) {
  Wide root = 0;
  Wide rest = x;
  for (Wide bit = (Wide)1 << 126; bit != 0; bit >>= 2) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return root | (rest != 0);
}

uint64_t
norn_float_sqrt(NornFloatFormat format, NornFloatMode mode, uint64_t a) {
  if (norn_float_is_default(mode) && format == NORN_FLOAT_32)
    return norn_float_from_host(sqrtf(norn_float_to_host(a)));
  if (norn_float_is_default(mode) && format == NORN_FLOAT_64)
    return double_bits(sqrt(host_double(a)));
  const FloatFormat *f = &norn_float_formats[format];
  Unpacked x = unpack(f, mode, a);
  if (x.kind == KIND_NAN || (x.negative && x.kind != KIND_ZERO))
    return quiet_nan_of(f);
  if (x.kind != KIND_FINITE)
    return pack(f, mode, x);
  x = normalize(x);
  int odd = x.exponent & 1;
  return round_pack(f, mode, false, (x.exponent - odd) / 2, sqrt_sticky(x.significand << odd));
}

uint64_t
norn_float_fma_any(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b, uint64_t c) {
  if (norn_float_is_default(mode) && format == NORN_FLOAT_64)
    return double_bits(fma(host_double(a), host_double(b), host_double(c)));
  return norn_float_fma_scale(format, mode, a, b, c, 0);
}

uint64_t
norn_float_fma_scale(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b, uint64_t c,
                     int64_t scale) {
  const FloatFormat *f = &norn_float_formats[format];
  Unpacked product = multiply_unpacked(unpack(f, mode, a), unpack(f, mode, b));
  Unpacked addend = unpack(f, mode, c);
  if (product.kind == KIND_NAN || addend.kind == KIND_NAN || opposite_infinities(product, addend))
    return quiet_nan_of(f);
  return add_unpacked(f, mode, product, addend, (int)CLAMP(scale, -SCALE_LIMIT, SCALE_LIMIT));
}

uint64_t
norn_float_ldexp(NornFloatFormat format, NornFloatMode mode, uint64_t a, int64_t scale) {
  const FloatFormat *f = &norn_float_formats[format];
  Unpacked x = unpack(f, mode, a);
  x.exponent += (int)CLAMP(scale, -SCALE_LIMIT, SCALE_LIMIT);
  return x.kind == KIND_NAN ? quiet_nan_of(f) : pack(f, mode, x);
}

uint64_t
norn_float_frexp(NornFloatFormat format, uint64_t a, int *exponent) {
  const FloatFormat *f = &norn_float_formats[format];
  Unpacked x = unpack(f, NORN_FLOAT_MODE_DEFAULT, a);
  int scale = x.kind == KIND_FINITE ? x.exponent + top_bit(x.significand) + 1 : 0;
  if (exponent)
    *exponent = scale;
  if (x.kind != KIND_FINITE)
    return norn_float_canonical(format, a);
  return round_pack(f, NORN_FLOAT_MODE_DEFAULT, x.negative, x.exponent - scale, x.significand);
}

uint64_t
norn_float_round_to_integral(NornFloatFormat format, NornFloatMode mode, uint64_t a) {
  const FloatFormat *f = &norn_float_formats[format];
  Unpacked x = unpack(f, mode, a);
  if (x.kind == KIND_NAN)
    return quiet_nan_of(f);
  if (x.kind == KIND_FINITE && x.exponent < 0) {
    x.significand = round_shift(x.significand, -x.exponent, x.negative, mode.round);
    x.exponent = 0;
  }
  return pack(f, mode, x);
}

/* --- Conversions --- */

uint64_t
norn_float_convert(NornFloatFormat from, NornFloatFormat to, NornFloatMode mode, uint64_t a) {
  Unpacked x = unpack(&norn_float_formats[from], mode, a);
  return x.kind == KIND_NAN ? quiet_nan_of(&norn_float_formats[to])
                            : pack(&norn_float_formats[to], mode, x);
}

uint64_t
norn_float_widen_half(uint64_t a) {
  uint64_t payload = a & 0x3FF, sign = a & norn_float_sign_bit(NORN_FLOAT_16);
  return norn_float_is_nan(NORN_FLOAT_16, a)
             ? norn_float_infinity(NORN_FLOAT_32, sign) | payload << (23 - 10)
             : norn_float_convert(NORN_FLOAT_16, NORN_FLOAT_32, NORN_FLOAT_MODE_DEFAULT, a);
}

/* min(abs(x) rounded, limit) for a finite X. */
static uint64_t
integer_magnitude(Unpacked x, NornRoundMode round, uint64_t limit) {
  if (x.exponent >= 0 && x.exponent + top_bit(x.significand) >= 64)
    return limit;
  Wide magnitude = round_shift(x.significand, -x.exponent, x.negative, round);
  return magnitude > limit ? limit : (uint64_t)magnitude;
}

uint64_t
norn_float_to_int(NornFloatFormat format, NornFloatMode mode, uint64_t a, unsigned width,
                  bool is_signed) {
  Unpacked x = unpack(&norn_float_formats[format], mode, a);
  uint64_t limit = norn_int_mask(is_signed ? width - 1 : width);
  if (x.negative)
    limit = is_signed ? limit + 1 : 0;
  uint64_t magnitude = 0;
  if (x.kind == KIND_INFINITE)
    magnitude = limit;
  else if (x.kind == KIND_FINITE)
    magnitude = integer_magnitude(x, mode.round, limit);
  return norn_int_truncate(x.negative ? -magnitude : magnitude, width);
}

uint64_t
norn_float_from_int(NornFloatFormat format, NornFloatMode mode, uint64_t value, unsigned width,
                    bool is_signed) {
  int64_t extended = norn_int_sign_extend(value, width);
  bool negative = is_signed && extended < 0;
  uint64_t magnitude = negative ? -(uint64_t)extended : norn_int_truncate(value, width);
  return round_pack(&norn_float_formats[format], mode, negative, 0, magnitude);
}

double
norn_float_to_double(NornFloatFormat format, uint64_t a) {
  return host_double(norn_float_convert(format, NORN_FLOAT_64, NORN_FLOAT_MODE_DEFAULT, a));
}

uint64_t
norn_float_from_double(NornFloatFormat format, double value) {
  return norn_float_convert(NORN_FLOAT_64, format, NORN_FLOAT_MODE_DEFAULT, double_bits(value));
}
