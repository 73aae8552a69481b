/* Arithmetic on raw bit patterns: the single definition of what numbers do.
 *
 * Floats are passed as the low 16, 32 or 64 bits of a uint64_t, with the upper bits zero in
 * arguments and results. Every operation follows IEEE 754 with a single rounding, in the requested
 * mode. The C floating-point environment is assumed to be the default and is never changed.
 * Conventions beyond the standard:
 *   - a result that is not a number is always the positive quiet NaN with an empty payload
 *     (0x7E00, 0x7FC00000, 0x7FF8000000000000); only sign and move operations pass NaN bits on;
 *   - flush_inputs treats a subnormal operand as the zero of its sign; flush_outputs replaces a
 *     result that is subnormal after rounding by the zero of its sign.
 * Integers are passed zero-extended to 64 bits together with their width of 8, 16, 32 or 64 bits;
 * results are zero-extended in the same way. */
#ifndef NORN_IR_NUMERIC_H
#define NORN_IR_NUMERIC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum {
  NORN_FLOAT_16,
  NORN_FLOAT_32,
  NORN_FLOAT_64,
} NornFloatFormat;

typedef enum {
  NORN_ROUND_NEAREST_EVEN, /* rte */
  NORN_ROUND_UP,           /* rtp, toward plus infinity */
  NORN_ROUND_DOWN,         /* rtn, toward minus infinity */
  NORN_ROUND_ZERO,         /* rtz */
  NORN_ROUND_NEAREST_AWAY, /* rna, ties away from zero */
} NornRoundMode;

typedef struct {
  NornRoundMode round : 8;
  bool flush_inputs;
  bool flush_outputs;
} NornFloatMode;

/* Nearest even, subnormals preserved. */
#define NORN_FLOAT_MODE_DEFAULT ((NornFloatMode){NORN_ROUND_NEAREST_EVEN, false, false})
/* Nearest even, subnormal operands and results flushed. */
#define NORN_FLOAT_MODE_FLUSH ((NornFloatMode){NORN_ROUND_NEAREST_EVEN, true, true})

typedef enum {
  NORN_RELATION_LESS,
  NORN_RELATION_EQUAL,
  NORN_RELATION_GREATER,
  NORN_RELATION_UNORDERED,
} NornRelation;

typedef enum {
  NORN_FLOAT_CLASS_ZERO,
  NORN_FLOAT_CLASS_SUBNORMAL,
  NORN_FLOAT_CLASS_NORMAL,
  NORN_FLOAT_CLASS_INFINITE,
  NORN_FLOAT_CLASS_QUIET_NAN,
  NORN_FLOAT_CLASS_SIGNALING_NAN,
} NornFloatClass;

/* --- Formats and constants --- */

/* The format with this many bits; if there is none, the 32-bit format. */
static inline NornFloatFormat
norn_float_of_width(unsigned width) {
  return width == 64 ? NORN_FLOAT_64 : width == 16 ? NORN_FLOAT_16 : NORN_FLOAT_32;
}

/* Width of FORMAT in bits: 16, 32, 64. */
unsigned norn_float_width(NornFloatFormat format);
/* Number of stored fraction bits: 10, 23, 52. */
unsigned norn_float_fraction_bits(NornFloatFormat format);
uint64_t norn_float_sign_bit(NornFloatFormat format);
uint64_t norn_float_quiet_nan(NornFloatFormat format);
uint64_t norn_float_infinity(NornFloatFormat format, bool negative);
uint64_t norn_float_largest(NornFloatFormat format, bool negative);
uint64_t norn_float_one(NornFloatFormat format, bool negative);

/* --- Classes and signs; bits only, never flushing --- */

NornFloatClass norn_float_classify(NornFloatFormat format, uint64_t a);
bool norn_float_is_nan(NornFloatFormat format, uint64_t a);
bool norn_float_is_infinite(NornFloatFormat format, uint64_t a);
bool norn_float_is_zero(NornFloatFormat format, uint64_t a);
bool norn_float_is_subnormal(NornFloatFormat format, uint64_t a);
bool norn_float_is_normal(NornFloatFormat format, uint64_t a);
/* Whether A is normal and a power of two or the negative of one. */
bool norn_float_is_power_of_two(NornFloatFormat format, uint64_t a);
bool norn_float_is_negative(NornFloatFormat format, uint64_t a);
uint64_t norn_float_negate(NornFloatFormat format, uint64_t a);
uint64_t norn_float_absolute(NornFloatFormat format, uint64_t a);
/* The zero of A's sign if A is subnormal, else A. */
uint64_t norn_float_flush(NornFloatFormat format, uint64_t a);
/* The canonical quiet NaN if A is any NaN, else A. */
uint64_t norn_float_canonical(NornFloatFormat format, uint64_t a);

/* --- Arithmetic --- */

/* The default mode, in which the host computes 32-bit results; and the host's numbers. */
static inline bool
norn_float_is_default(NornFloatMode mode) {
  return mode.round == NORN_ROUND_NEAREST_EVEN && !mode.flush_inputs && !mode.flush_outputs;
}

static inline float
norn_float_to_host(uint64_t a) {
  uint32_t bits = (uint32_t)a;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t
norn_float_from_host(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return value != value ? 0x7FC00000 : bits; /* the quiet NaN */
}

/* norn_float_add and norn_float_fma for operands that the host does not compute. */
uint64_t norn_float_add_any(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b);
uint64_t norn_float_fma_any(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b,
                            uint64_t c);

static inline uint64_t
norn_float_add(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b) {
  if (norn_float_is_default(mode) && format == NORN_FLOAT_32)
    return norn_float_from_host(norn_float_to_host(a) + norn_float_to_host(b));
  return norn_float_add_any(format, mode, a, b);
}

uint64_t norn_float_subtract(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b);
uint64_t norn_float_multiply(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b);
/* Whether A, B and *PRODUCT are normal, and the product is below the greatest number. *PRODUCT is
 * rounded toward zero, so that no subnormal product becomes the smallest normal number. */
bool norn_float_normal_product(NornFloatFormat format, uint64_t a, uint64_t b, uint64_t *product);
/* Whether, in addition, *PRODUCT is exact because A or B is a power of two. */
bool norn_float_exact_product(NornFloatFormat format, uint64_t a, uint64_t b, uint64_t *product);
uint64_t norn_float_divide(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b);
uint64_t norn_float_sqrt(NornFloatFormat format, NornFloatMode mode, uint64_t a);
/* a * b + c with one rounding. */
static inline uint64_t
norn_float_fma(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b, uint64_t c) {
  if (norn_float_is_default(mode) && format == NORN_FLOAT_32)
    return norn_float_from_host(
        fmaf(norn_float_to_host(a), norn_float_to_host(b), norn_float_to_host(c)));
  return norn_float_fma_any(format, mode, a, b, c);
}

/* (a * b + c) * 2^scale with one rounding, at the end. */
uint64_t norn_float_fma_scale(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b,
                              uint64_t c, int64_t scale);
/* a * 2^scale with one rounding; zeros and infinities are unchanged. */
uint64_t norn_float_ldexp(NornFloatFormat format, NornFloatMode mode, uint64_t a, int64_t scale);
/* The m of a = m * 2^*EXPONENT with 0.5 <= abs m < 1; subnormals are split by their value. For
 * zeros, infinities and NaN the result is A (NaN made canonical) and *EXPONENT is 0. EXPONENT may
 * be NULL. */
uint64_t norn_float_frexp(NornFloatFormat format, uint64_t a, int *exponent);

/* IEEE 754-2019 minimumNumber and maximumNumber: a number wins over a NaN, -0 < +0. */
uint64_t norn_float_minimum_number(NornFloatFormat format, NornFloatMode mode, uint64_t a,
                                   uint64_t b);
uint64_t norn_float_maximum_number(NornFloatFormat format, NornFloatMode mode, uint64_t a,
                                   uint64_t b);
/* IEEE 754-2019 minimum and maximum: a NaN wins, -0 < +0. */
uint64_t norn_float_minimum(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b);
uint64_t norn_float_maximum(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b);

/* The integer next to A in MODE's direction, as a float; keeps infinities and the sign of zero. */
uint64_t norn_float_round_to_integral(NornFloatFormat format, NornFloatMode mode, uint64_t a);

/* How A compares to B; -0 equals +0, NaN is unordered. Only MODE's flush_inputs matters. */
NornRelation norn_float_compare(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b);
/* Whether A <= B in the total order -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN of the bits. */
bool norn_float_total_less_equal(NornFloatFormat format, uint64_t a, uint64_t b);

/* --- Conversions --- */

/* A of format FROM in format TO. */
uint64_t norn_float_convert(NornFloatFormat from, NornFloatFormat to, NornFloatMode mode,
                            uint64_t a);
/* The half A as an f32, exactly: a NaN keeps its sign and payload. */
uint64_t norn_float_widen_half(uint64_t a);
/* A rounded in MODE's direction, then clamped to the integers of WIDTH bits; NaN gives 0. */
uint64_t norn_float_to_int(NornFloatFormat format, NornFloatMode mode, uint64_t a, unsigned width,
                           bool is_signed);
/* The integer VALUE of WIDTH bits as a float, rounded; overflows as IEEE 754 specifies. */
uint64_t norn_float_from_int(NornFloatFormat format, NornFloatMode mode, uint64_t value,
                             unsigned width, bool is_signed);
/* To and from the host's double, nearest even. */
double norn_float_to_double(NornFloatFormat format, uint64_t a);
uint64_t norn_float_from_double(NornFloatFormat format, double value);

/* --- Elementary functions: within 1 ulp, subnormals according to MODE, always to nearest --- */

uint64_t norn_float_reciprocal_sqrt(NornFloatFormat format, NornFloatMode mode, uint64_t a);
uint64_t norn_float_exp2(NornFloatFormat format, NornFloatMode mode, uint64_t a);
uint64_t norn_float_log2(NornFloatFormat format, NornFloatMode mode, uint64_t a);
uint64_t norn_float_sin(NornFloatFormat format, NornFloatMode mode, uint64_t a);
uint64_t norn_float_cos(NornFloatFormat format, NornFloatMode mode, uint64_t a);
/* 2^(b * log2 a), where 0 times anything is 0. The result is 1 if B is a zero or A is 1, and
 * otherwise NaN for a negative A; -0 counts as +0. */
uint64_t norn_float_pow(NornFloatFormat format, NornFloatMode mode, uint64_t a, uint64_t b);

/* --- Integers of 1 to 64 bits --- */

/* All ones of WIDTH bits. */
static inline uint64_t
norn_int_mask(unsigned width) {
  return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* VALUE's low WIDTH bits, as a number. */
static inline uint64_t
norn_int_truncate(uint64_t value, unsigned width) {
  return value & norn_int_mask(width);
}

/* The greatest common divisor; of a number and 0, the number. */
static inline uint64_t
norn_greatest_divisor(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* VALUE's low WIDTH bits as a two's complement number. */
static inline int64_t
norn_int_sign_extend(uint64_t value, unsigned width) {
  uint64_t sign = UINT64_C(1) << (width - 1);
  return (int64_t)((norn_int_truncate(value, width) ^ sign) - sign);
}

uint64_t norn_int_add_saturate(uint64_t a, uint64_t b, unsigned width, bool is_signed);
uint64_t norn_int_subtract_saturate(uint64_t a, uint64_t b, unsigned width, bool is_signed);
uint64_t norn_int_multiply_saturate(uint64_t a, uint64_t b, unsigned width, bool is_signed);
/* The upper WIDTH bits of the product of 2*WIDTH bits. */
uint64_t norn_int_multiply_high(uint64_t a, uint64_t b, unsigned width, bool is_signed);
/* floor((a + b + round_up) / 2) of the exact sum. */
uint64_t norn_int_half_add(uint64_t a, uint64_t b, unsigned width, bool is_signed, bool round_up);
/* abs(a); the least value maps to itself. */
uint64_t norn_int_absolute(uint64_t a, unsigned width);
/* VALUE, a number of FROM bits, clamped to the range of TO bits. */
uint64_t norn_int_saturate(uint64_t value, unsigned from, bool from_signed, unsigned to,
                           bool to_signed);
/* Rotations; the amount counts modulo WIDTH. */
uint64_t norn_int_rotate_left(uint64_t a, uint64_t amount, unsigned width);
uint64_t norn_int_rotate_right(uint64_t a, uint64_t amount, unsigned width);
uint64_t norn_int_bit_reverse(uint64_t a, unsigned width);
unsigned norn_int_population_count(uint64_t a, unsigned width);
/* Zeros above the highest (below the lowest) set bit; WIDTH if A is 0. */
unsigned norn_int_leading_zeros(uint64_t a, unsigned width);
unsigned norn_int_trailing_zeros(uint64_t a, unsigned width);

/* Little-endian numbers of `size` bytes, at most 8. */
static inline uint64_t
norn_bytes_read(const uint8_t *bytes, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; i++)
    value |= (uint64_t)bytes[i] << 8 * i;
  return value;
}

static inline void
norn_bytes_write(uint8_t *bytes, unsigned size, uint64_t value) {
  for (unsigned i = 0; i < size; i++)
    bytes[i] = (uint8_t)(value >> 8 * i);
}

#endif
