/* The table of GCN instructions and what each does to one lane.
 *
 * One row per instruction: name, result type, source types, function. Integer functions work on
 * exact 64-bit values (the executor truncates or, with CLAMP, saturates the result to its type),
 * float functions on bit patterns through ir/numeric.h, in the format and mode of the lane. */
#include "sim/gcn/semantics.h"
#include "sim/gcn/divide.h"
#include "sim/gcn/sources.h"
#include <math.h>
#include <norn/gcn.h>

bool
norn_gcn_is_float(NornGcnType type) {
  return type == NORN_GCN_F16 || type == NORN_GCN_F32 || type == NORN_GCN_F64;
}

NornFloatFormat
norn_gcn_format(NornGcnType type) {
  return type == NORN_GCN_F16   ? NORN_FLOAT_16
         : type == NORN_GCN_F32 ? NORN_FLOAT_32
                                : NORN_FLOAT_64;
}

NornFloatMode
norn_gcn_mode(uint32_t mode, NornFloatFormat format) {
  static const NornRoundMode rounds[4] = {NORN_ROUND_NEAREST_EVEN, NORN_ROUND_UP, NORN_ROUND_DOWN,
                                          NORN_ROUND_ZERO};
  bool single = format == NORN_FLOAT_32;
  unsigned round = mode >> (single ? NORN_GCN_MODE_ROUND_32 : NORN_GCN_MODE_ROUND_64) & 3;
  unsigned keep = mode >> (single ? NORN_GCN_MODE_DENORMAL_32 : NORN_GCN_MODE_DENORMAL_64) & 3;
  return (NornFloatMode){rounds[round], !(keep & 1), !(keep & 2)};
}

#define LANE(function) static void function(NornGcnLane *l, const NornGcnSemantics *row)

/* A function whose result is one expression of the sources a, b, c. The casts to void allow for
 * expressions that need not all of them. */
#define COMPUTE(function, expression)                                                              \
  LANE(function) {                                                                                 \
    const uint64_t a = l->src[0], b = l->src[1], c = l->src[2];                                    \
    const NornFloatFormat f = l->format;                                                           \
    const NornFloatMode m = l->mode;                                                               \
    (void)row, (void)a, (void)b, (void)c, (void)f, (void)m;                                        \
    l->result = (expression);                                                                      \
  }

#define SIGNED(x) ((int64_t)(x))

/* ---- integers ---- */

COMPUTE(copy, a)
COMPUTE(bit_not, ~a &UINT32_MAX)
COMPUTE(bit_and, a &b)
COMPUTE(bit_or, a | b)
COMPUTE(bit_xor, a ^ b)
COMPUTE(or3, a | b | c)
COMPUTE(and_or, (a & b) | c)
COMPUTE(bit_insert, (a & b) | (~a & c))
COMPUTE(bit_mask, ((UINT64_C(1) << (a & 31)) - 1) << (b & 31) & UINT32_MAX)
COMPUTE(bit_reverse, norn_int_bit_reverse(a, 32))
COMPUTE(add3, a + b + c)
COMPUTE(xor_add, (a ^ b) + c)
COMPUTE(shift_left_add, (uint32_t)(a << (b & 31)) + c)
COMPUTE(add_shift_left, (uint64_t)(uint32_t)(a + b) << (c & 31) & UINT32_MAX)
COMPUTE(shift_left_or, (uint32_t)(a << (b & 31)) | c)
COMPUTE(minimum, SIGNED(a) < SIGNED(b) ? a : b)
COMPUTE(maximum, SIGNED(a) > SIGNED(b) ? a : b)
COMPUTE(multiply_low, (uint32_t)(a *b))
COMPUTE(multiply_low_16, (uint16_t)(a *b))
COMPUTE(multiply_high_unsigned, a *b >> 32)
COMPUTE(multiply_high_signed, (uint64_t)(SIGNED(a) * SIGNED(b) >> 32))
COMPUTE(multiply_add, a *b + c)
COMPUTE(count_add, norn_int_population_count(a, 32) + b)
COMPUTE(align_bit, (uint32_t)((a << 32 | b) >> (c & 31)))
COMPUTE(align_byte, (uint32_t)((a << 32 | b) >> (c & 3) * 8))
COMPUTE(pack, a | b << 16)
COMPUTE(select_by_mask, c ? b : a)

/* Shifts: "reversed" ones take the amount from the first source. Left shifts are cut to the width
 * before CLAMP could see the bits that fall out. */
COMPUTE(shift_left, (uint32_t)(a << (b & 31)))
COMPUTE(shift_left_reversed, (uint32_t)(b << (a & 31)))
COMPUTE(shift_left_reversed_16, (uint16_t)(b << (a & 15)))
COMPUTE(shift_right, (uint64_t)(SIGNED(a) >> (b & 31)))
COMPUTE(shift_right_reversed, (uint64_t)(SIGNED(b) >> (a & 31)))
COMPUTE(shift_right_reversed_16, (uint64_t)(SIGNED(b) >> (a & 15)))
COMPUTE(shift_left_64, a << (b & 63))
COMPUTE(shift_left_reversed_64, b << (a & 63))
COMPUTE(shift_right_64, a >> (b & 63))
COMPUTE(shift_right_reversed_64, b >> (a & 63))
COMPUTE(shift_right_signed_64, (uint64_t)(SIGNED(a) >> (b & 63)))
COMPUTE(shift_right_signed_reversed_64, (uint64_t)(SIGNED(b) >> (a & 63)))

static void
add_with_carry(NornGcnLane *l, uint64_t a, uint64_t b, unsigned carry) {
  l->result = a + b + carry;
  l->carry = ((a & UINT32_MAX) + (b & UINT32_MAX) + carry) >> 32;
}

static void
subtract_with_borrow(NornGcnLane *l, uint64_t a, uint64_t b, unsigned borrow) {
  l->result = a - b - borrow;
  l->carry = (a & UINT32_MAX) < (b & UINT32_MAX) + borrow;
}

LANE(add) {
  (void)row;
  add_with_carry(l, l->src[0], l->src[1], 0);
}

LANE(subtract) {
  (void)row;
  subtract_with_borrow(l, l->src[0], l->src[1], 0);
}

LANE(subtract_reversed) {
  (void)row;
  subtract_with_borrow(l, l->src[1], l->src[0], 0);
}

LANE(add_carry) {
  (void)row;
  add_with_carry(l, l->src[0], l->src[1], l->src[2] != 0);
}

LANE(subtract_borrow) {
  (void)row;
  subtract_with_borrow(l, l->src[0], l->src[1], l->src[2] != 0);
}

LANE(subtract_borrow_reversed) {
  (void)row;
  subtract_with_borrow(l, l->src[1], l->src[0], l->src[2] != 0);
}

/* The second result is the carry out of 64 bits. */
LANE(multiply_add_u64) {
  (void)row;
  l->result = l->src[0] * l->src[1] + l->src[2];
  l->carry = l->result < l->src[2];
  if (l->carry && l->inst->clamp)
    l->result = UINT64_MAX;
}

/* The second result is bit 64 of the exact signed sum, that is its sign. */
LANE(multiply_add_i64) {
  (void)row;
  uint64_t product = l->src[0] * l->src[1];
  bool sum_negative;
  l->result = product + l->src[2];
  if (product >> 63 == l->src[2] >> 63)
    sum_negative = product >> 63;
  else
    sum_negative = l->result >> 63;
  if (l->inst->clamp && sum_negative != (l->result >> 63 != 0))
    l->result = sum_negative ? (uint64_t)INT64_MIN : (uint64_t)INT64_MAX;
  l->carry = sum_negative;
}

static uint64_t
extract(uint64_t value, unsigned shift, unsigned length) {
  return length == 0 ? 0 : norn_int_truncate(value >> shift, MIN(length, 32 - shift));
}

LANE(extract_unsigned) {
  (void)row;
  l->result = extract(l->src[0], l->src[1] & 31, l->src[2] & 31);
}

LANE(extract_signed) {
  (void)row;
  unsigned shift = l->src[1] & 31, length = MIN(l->src[2] & 31, 32 - shift);
  uint64_t bits = extract(l->src[0], shift, length);
  l->result = length == 0 ? 0 : (uint64_t)norn_int_sign_extend(bits, length);
}

static int64_t
least(int64_t a, int64_t b) {
  return MIN(a, b);
}

static int64_t
greatest(int64_t a, int64_t b) {
  return MAX(a, b);
}

COMPUTE(minimum3, (uint64_t)least(least(SIGNED(a), SIGNED(b)), SIGNED(c)))
COMPUTE(maximum3, (uint64_t)greatest(greatest(SIGNED(a), SIGNED(b)), SIGNED(c)))
COMPUTE(median3, (uint64_t)greatest(least(SIGNED(a), SIGNED(b)),
                                    least(greatest(SIGNED(a), SIGNED(b)), SIGNED(c))))

/* Leading zeros, as -1 where there is no set bit. */
COMPUTE(find_high_unsigned, a == 0 ? UINT32_MAX : norn_int_leading_zeros(a, 32))
COMPUTE(find_low, a == 0 ? UINT32_MAX : norn_int_trailing_zeros(a, 32))

/* The first bit below the sign that differs from it, counted from the top. */
LANE(find_high_signed) {
  (void)row;
  uint32_t value = (uint32_t)l->src[0];
  uint32_t differs = value ^ (value >> 31 ? UINT32_MAX : 0);
  l->result = differs == 0 ? UINT32_MAX : norn_int_leading_zeros(differs, 32);
}

COMPUTE(count_below_low, b + norn_int_population_count(a & norn_int_mask(MIN(l->number, 32u)), 32))
COMPUTE(count_below_high,
        b + norn_int_population_count(a & norn_int_mask(l->number > 32 ? l->number - 32 : 0), 32))

LANE(permute_bytes) {
  (void)row;
  uint64_t bytes = l->src[0] << 32 | l->src[1];
  l->result = 0;
  for (unsigned i = 0; i < 4; i++) {
    unsigned choice = l->src[2] >> 8 * i & 0xff;
    uint64_t byte;
    if (choice < 8)
      byte = bytes >> 8 * choice & 0xff;
    else if (choice < 12)
      byte = bytes >> (16 * (choice - 8) + 15) & 1 ? 0xff : 0;
    else
      byte = choice == 12 ? 0 : 0xff;
    l->result |= byte << 8 * i;
  }
}

LANE(average_bytes) {
  (void)row;
  l->result = 0;
  for (unsigned i = 0; i < 32; i += 8) {
    uint64_t sum = (l->src[0] >> i & 0xff) + (l->src[1] >> i & 0xff) + (l->src[2] >> i & 1);
    l->result |= (sum >> 1) << i;
  }
}

/* ---- sums of absolute differences ---- */

static uint64_t
distance(uint64_t a, uint64_t b) {
  return a > b ? a - b : b - a;
}

/* Over four bytes; a masked sum leaves out the bytes where B is zero. */
static uint64_t
byte_distance(uint64_t a, uint64_t b, bool masked) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < 32; i += 8)
    if (!masked || (b >> i & 0xff) != 0)
      sum += distance(a >> i & 0xff, b >> i & 0xff);
  return sum;
}

COMPUTE(sad_u8, byte_distance(a, b, false) + c)
COMPUTE(sad_hi_u8, (byte_distance(a, b, false) << 16) + c)
COMPUTE(msad_u8, byte_distance(a, b, true) + c)
COMPUTE(sad_u16, distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16) + c)
COMPUTE(sad_u32, distance(a, b) + c)

/* Four sums of 16 bits, the reference moved by one byte from each to the next. */
static uint64_t
packed_sums(const NornGcnLane *l, bool masked) {
  uint64_t packed = 0;
  for (unsigned i = 0; i < 4; i++) {
    uint64_t sum = byte_distance(l->src[0] >> 8 * i & UINT32_MAX, l->src[1], masked) +
                   (l->src[2] >> 16 * i & 0xffff);
    if (l->inst->clamp)
      sum = MIN(sum, 0xffff);
    packed |= (sum & 0xffff) << 16 * i;
  }
  return packed;
}

COMPUTE(qsad_pk_u16, packed_sums(l, false))
COMPUTE(mqsad_pk_u16, packed_sums(l, true))

/* Four sums of 32 bits, which saturate. */
LANE(mqsad_u32) {
  (void)row;
  for (unsigned i = 0; i < 4; i++) {
    uint64_t sum = byte_distance(l->src[0] >> 8 * i & UINT32_MAX, l->src[1], true) + l->wide[i];
    l->wide[i] = (uint32_t)MIN(sum, UINT32_MAX);
  }
}

/* ---- floats: arithmetic ---- */

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

/* A zero factor leaves the addend as it is. */
COMPUTE(float_mad_legacy, float_is_zero(l, a) || float_is_zero(l, b)
                              ? norn_float_flush(f, c)
                              : norn_float_add(f, m, norn_float_multiply(f, m, a, b), c))

LANE(float_mac_legacy) {
  l->carry = float_is_zero(l, l->src[0]) || float_is_zero(l, l->src[1]);
  float_mad_legacy(l, row);
}

LANE(float_multiply_lit) {
  (void)row;
  NornRelation relation = norn_float_compare(l->format, l->mode, l->src[2], 0);
  if (relation == NORN_RELATION_GREATER)
    l->result = legacy_multiply(l);
  else
    l->result = norn_float_largest(l->format, true);
}

/* The first source minus its floor, kept below one. */
LANE(float_fract) {
  float_floor(l, row);
  uint64_t below_one = norn_float_one(l->format, false) - 1;
  uint64_t fract = norn_float_subtract(l->format, l->mode, l->src[0], l->result);
  l->result = norn_float_is_nan(l->format, fract) ? fract : MIN(fract, below_one);
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
 * The hardware approximates; here every one of them is rounded to nearest, which is within any
 * bound the manuals give. */

#define NEAREST(m) ((NornFloatMode){NORN_ROUND_NEAREST_EVEN, (m).flush_inputs, (m).flush_outputs})

COMPUTE(float_reciprocal, norn_float_divide(f, NEAREST(m), norn_float_one(f, false), a))
COMPUTE(float_reciprocal_sqrt, norn_float_reciprocal_sqrt(f, m, a))
COMPUTE(float_exp2, norn_float_exp2(f, m, a))
COMPUTE(float_log2, norn_float_log2(f, m, a))

/* Sine and cosine take revolutions and know 256 of them in either direction: further out they give
 * 0 and 1. Quarter turns are taken off exactly, so that their results are exact. */
static uint64_t
circular(const NornGcnLane *l, unsigned quarter_offset) {
  static const double quarter_turn = 1.57079632679489661923;
  double turns = norn_float_to_double(l->format, l->src[0]);
  if (l->mode.flush_inputs && norn_float_is_subnormal(l->format, l->src[0]))
    turns = 0.0;
  if (!isfinite(turns))
    return norn_float_quiet_nan(l->format);
  if (fabs(turns) > 256.0)
    turns = 0.0;
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

/* The clamping forms give the largest finite number for an infinity, the legacy ones zero. */
#define CLAMPED(function, base)                                                                    \
  LANE(function##_clamp) {                                                                         \
    base(l, row);                                                                                  \
    l->result = replace_infinity(l, l->result, norn_float_largest(l->format, false));              \
  }                                                                                                \
  LANE(function##_legacy) {                                                                        \
    base(l, row);                                                                                  \
    l->result = replace_infinity(l, l->result, 0);                                                 \
  }

CLAMPED(reciprocal, float_reciprocal)
CLAMPED(reciprocal_sqrt, float_reciprocal_sqrt)

LANE(log2_clamp) {
  float_log2(l, row);
  if (norn_float_is_negative(l->format, l->result))
    l->result = replace_infinity(l, l->result, norn_float_largest(l->format, false));
}

/* ---- floats: minimum, maximum, median ---- */

static bool
is_signaling(const NornGcnLane *l, uint64_t a) {
  return norn_float_classify(l->format, a) == NORN_FLOAT_CLASS_SIGNALING_NAN;
}

/* A number wins against NaN; in IEEE mode a signaling NaN wins against all, made quiet. */
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

/* The legacy forms return the second source whenever the comparison fails, so also for NaN. */
COMPUTE(float_minimum_legacy, norn_float_compare(f, m, a, b) == NORN_RELATION_LESS ? a : b)
COMPUTE(float_maximum_legacy, norn_float_compare(f, m, a, b) == NORN_RELATION_GREATER ||
                                      norn_float_compare(f, m, a, b) == NORN_RELATION_EQUAL
                                  ? a
                                  : b)

/* ---- cube maps ---- */

typedef enum { AXIS_X, AXIS_Y, AXIS_Z } Axis;

static Axis
major_axis(const NornGcnLane *l) {
  uint64_t x = norn_float_absolute(l->format, l->src[0]);
  uint64_t y = norn_float_absolute(l->format, l->src[1]);
  uint64_t z = norn_float_absolute(l->format, l->src[2]);
  uint64_t infinity = norn_float_infinity(l->format, false);
  /* Magnitudes compare as integers; a NaN is never the larger one. */
  bool z_over_y = z <= infinity && y <= infinity && z >= y;
  bool z_over_x = z <= infinity && x <= infinity && z >= x;
  if (z_over_y && z_over_x)
    return AXIS_Z;
  return y <= infinity && x <= infinity && y >= x ? AXIS_Y : AXIS_X;
}

/* Whether the value is at least zero, which -0 is and NaN is not. */
static bool
is_at_least_zero(const NornGcnLane *l, uint64_t a) {
  NornRelation relation = norn_float_compare(l->format, l->mode, a, 0);
  return relation == NORN_RELATION_GREATER || relation == NORN_RELATION_EQUAL;
}

static uint64_t
negate_if(const NornGcnLane *l, bool negate, uint64_t a) {
  return negate ? norn_float_negate(l->format, a) : a;
}

LANE(cube_id) {
  (void)row;
  Axis axis = major_axis(l);
  unsigned face = 2 * (unsigned)axis + (is_at_least_zero(l, l->src[axis]) ? 0 : 1);
  l->result = norn_float_from_int(l->format, l->mode, face, 32, false);
}

LANE(cube_s) {
  (void)row;
  bool x_negative = !is_at_least_zero(l, l->src[AXIS_X]);
  bool z_negative = !is_at_least_zero(l, l->src[AXIS_Z]);
  switch (major_axis(l)) {
  case AXIS_X:
    l->result = negate_if(l, !x_negative, l->src[AXIS_Z]);
    break;
  case AXIS_Y:
    l->result = l->src[AXIS_X];
    break;
  case AXIS_Z:
    l->result = negate_if(l, z_negative, l->src[AXIS_X]);
    break;
  }
}

LANE(cube_t) {
  (void)row;
  bool y_negative = !is_at_least_zero(l, l->src[AXIS_Y]);
  if (major_axis(l) == AXIS_Y)
    l->result = negate_if(l, y_negative, l->src[AXIS_Z]);
  else
    l->result = norn_float_negate(l->format, l->src[AXIS_Y]);
}

LANE(cube_major) {
  (void)row;
  uint64_t major = l->src[major_axis(l)];
  l->result = norn_float_add(l->format, l->mode, major, major);
}

/* ---- conversions ---- */

static NornFloatMode
toward(const NornGcnLane *l, NornFloatFormat format, NornRoundMode round) {
  NornFloatMode mode = norn_gcn_mode(l->state->mode, format);
  mode.round = round;
  return mode;
}

/* Between formats: subnormal sources by the mode of theirs, the rest by that of the result. */
static uint64_t
convert_float(const NornGcnLane *l, NornFloatFormat from, NornFloatFormat to) {
  NornFloatMode mode = norn_gcn_mode(l->state->mode, to);
  mode.flush_inputs = norn_gcn_mode(l->state->mode, from).flush_inputs;
  return norn_float_convert(from, to, mode, l->src[0]);
}

COMPUTE(f16_from_f32, convert_float(l, NORN_FLOAT_32, NORN_FLOAT_16))
COMPUTE(f32_from_f16, convert_float(l, NORN_FLOAT_16, NORN_FLOAT_32))
COMPUTE(f32_from_f64, convert_float(l, NORN_FLOAT_64, NORN_FLOAT_32))
COMPUTE(f64_from_f32, convert_float(l, NORN_FLOAT_32, NORN_FLOAT_64))
COMPUTE(float_from_signed, norn_float_from_int(f, m, a, 64, true))
COMPUTE(float_from_unsigned, norn_float_from_int(f, m, a, 64, false))
COMPUTE(float_from_byte0, norn_float_from_int(f, m, a & 0xff, 32, false))
COMPUTE(float_from_byte1, norn_float_from_int(f, m, a >> 8 & 0xff, 32, false))
COMPUTE(float_from_byte2, norn_float_from_int(f, m, a >> 16 & 0xff, 32, false))
COMPUTE(float_from_byte3, norn_float_from_int(f, m, a >> 24 & 0xff, 32, false))

/* A signed nibble in sixteenths. */
LANE(float_from_nibble) {
  (void)row;
  uint64_t nibble = (uint64_t)norn_int_sign_extend(l->src[0], 4);
  uint64_t value = norn_float_from_int(l->format, l->mode, nibble, 64, true);
  l->result = norn_float_ldexp(l->format, l->mode, value, -4);
}

#define TO_INT(function, width, is_signed)                                                         \
  COMPUTE(function, norn_float_to_int(f, toward(l, f, NORN_ROUND_ZERO), a, width, is_signed))
TO_INT(float_to_i32, 32, true)
TO_INT(float_to_u32, 32, false)
TO_INT(float_to_i16, 16, true)
TO_INT(float_to_u16, 16, false)

COMPUTE(float_to_i32_floor, norn_float_to_int(f, toward(l, f, NORN_ROUND_DOWN), a, 32, true))

/* floor(x + 0.5) of the exact sum. */
LANE(float_to_i32_half_up) {
  (void)row;
  const NornFloatMode exact = {NORN_ROUND_DOWN, false, false};
  NornFloatFormat f = l->format;
  uint64_t half = norn_float_from_double(f, 0.5);
  l->result = norn_float_to_int(f, exact, norn_float_add(f, exact, l->src[0], half), 32, true);
}

/* A number of -1..1 (or 0..1) as an integer of 16 bits, nearest even. */
static uint64_t
normalize(const NornGcnLane *l, NornFloatFormat from, uint64_t value, bool is_signed) {
  NornFloatMode mode = toward(l, from, NORN_ROUND_NEAREST_EVEN);
  NornFloatMode nearest = {NORN_ROUND_NEAREST_EVEN, false, false};
  value = norn_float_convert(from, NORN_FLOAT_32, mode, value);
  uint64_t scale = norn_float_from_double(NORN_FLOAT_32, is_signed ? 32767.0 : 65535.0);
  uint64_t product = norn_float_multiply(NORN_FLOAT_32, nearest, value, scale);
  int64_t whole = (int64_t)norn_float_to_int(NORN_FLOAT_32, nearest, product, 64, true);
  int64_t bound = is_signed ? 32767 : 65535;
  return (uint64_t)CLAMP(whole, is_signed ? -bound : 0, bound) & 0xffff;
}

static uint64_t
normalize_pair(const NornGcnLane *l, NornFloatFormat from, bool is_signed) {
  return normalize(l, from, l->src[0], is_signed) | normalize(l, from, l->src[1], is_signed) << 16;
}

COMPUTE(normalize_i16_f32, normalize_pair(l, NORN_FLOAT_32, true))
COMPUTE(normalize_u16_f32, normalize_pair(l, NORN_FLOAT_32, false))
COMPUTE(normalize_i16_f16, normalize_pair(l, NORN_FLOAT_16, true))
COMPUTE(normalize_u16_f16, normalize_pair(l, NORN_FLOAT_16, false))
COMPUTE(normalize_one_i16_f16, normalize(l, NORN_FLOAT_16, a, true))
COMPUTE(normalize_one_u16_f16, normalize(l, NORN_FLOAT_16, a, false))

static uint64_t
half_toward_zero(const NornGcnLane *l, uint64_t value) {
  NornFloatMode mode = toward(l, NORN_FLOAT_16, NORN_ROUND_ZERO);
  mode.flush_inputs = norn_gcn_mode(l->state->mode, NORN_FLOAT_32).flush_inputs;
  return norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, mode, value);
}

COMPUTE(pack_half_toward_zero, half_toward_zero(l, a) | half_toward_zero(l, b) << 16)
COMPUTE(pack_unsigned, norn_int_saturate(a, 32, false, 16, false) |
                           norn_int_saturate(b, 32, false, 16, false) << 16)
COMPUTE(pack_signed, norn_int_saturate(a &UINT32_MAX, 32, true, 16, true) |
                         norn_int_saturate(b & UINT32_MAX, 32, true, 16, true) << 16)
COMPUTE(saturate_bytes, norn_int_saturate(a & 0xffff, 16, true, 8, false) |
                            norn_int_saturate(a >> 16, 16, true, 8, false) << 8)

/* The answers of V_SCREEN_PARTITION_4SE_B32 by the low byte of the source: four bits each, sixteen
 * in a row, the first in the highest digit. */
static const uint64_t screen_partitions[16] = {
    UINT64_C(0x137F5FFF7FFFFFFF), UINT64_C(0xF26EFAFFFBFFFFFF), UINT64_C(0xDF4CFF5FFFDFFFFF),
    UINT64_C(0x9BF8FFFAFFFEFFFF), UINT64_C(0xFFFF4CDF6FFFEFFF), UINT64_C(0xFFFFF89BF99FFDFF),
    UINT64_C(0xFFFF7F13FF9FFFBF), UINT64_C(0xFFFF6EF26FF6FFF7), UINT64_C(0xBFFFFFFF23BFAFFF),
    UINT64_C(0xF7FFFFFFF19DF5FF), UINT64_C(0xFFEFFFFFEF8CFFAF), UINT64_C(0xFFFDFFFF67F4FFF5),
    UINT64_C(0x9FFFDFFFFFFF8CEF), UINT64_C(0xF66FFEFFFFFFF467), UINT64_C(0xFF6FFF7FFFFFBF23),
    UINT64_C(0x9FF9FFFBFFFF9DF1)};

COMPUTE(screen_partition, screen_partitions[a >> 4 & 15] >> (60 - (a & 15) * 4) & 15)

/* The first source as a byte, rounded by MODE, in place of byte B of C. */
static uint64_t
insert_byte(const NornGcnLane *l, uint64_t rest) {
  NornFloatMode mode = norn_gcn_mode(l->state->mode, NORN_FLOAT_32);
  unsigned shift = (l->src[1] & 3) * 8;
  uint64_t byte = norn_float_to_int(NORN_FLOAT_32, mode, l->src[0], 8, false);
  return (rest & ~(UINT64_C(0xff) << shift)) | byte << shift;
}

COMPUTE(pack_byte, insert_byte(l, c))
COMPUTE(accumulate_byte, insert_byte(l, l->old))

/* ---- comparisons ---- */

LANE(compare_floats) {
  NornRelation relation = norn_float_compare(l->format, l->mode, l->src[0], l->src[1]);
  l->result = row->relations >> relation & 1;
}

LANE(compare_signed) {
  int64_t a = SIGNED(l->src[0]), b = SIGNED(l->src[1]);
  NornRelation relation = a < b   ? NORN_RELATION_LESS
                          : a > b ? NORN_RELATION_GREATER
                                  : NORN_RELATION_EQUAL;
  l->result = row->relations >> relation & 1;
}

LANE(compare_unsigned) {
  NornRelation relation = l->src[0] < l->src[1]   ? NORN_RELATION_LESS
                          : l->src[0] > l->src[1] ? NORN_RELATION_GREATER
                                                  : NORN_RELATION_EQUAL;
  l->result = row->relations >> relation & 1;
}

/* The second source selects classes: signaling NaN, quiet NaN, then -infinity, -normal, -subnormal,
 * -0 and the same of positive numbers in reverse. */
LANE(classify) {
  (void)row;
  bool negative = norn_float_is_negative(l->format, l->src[0]);
  unsigned bit = 0;
  switch (norn_float_classify(l->format, l->src[0])) {
  case NORN_FLOAT_CLASS_SIGNALING_NAN:
    bit = 0;
    break;
  case NORN_FLOAT_CLASS_QUIET_NAN:
    bit = 1;
    break;
  case NORN_FLOAT_CLASS_INFINITE:
    bit = negative ? 2 : 9;
    break;
  case NORN_FLOAT_CLASS_NORMAL:
    bit = negative ? 3 : 8;
    break;
  case NORN_FLOAT_CLASS_SUBNORMAL:
    bit = negative ? 4 : 7;
    break;
  case NORN_FLOAT_CLASS_ZERO:
    bit = negative ? 5 : 6;
    break;
  }
  l->result = l->src[1] >> bit & 1;
}

/* ---- interpolation ----
 *
 * LDS holds twelve words per attribute and primitive: P0 and P10 of each channel in pairs, then the
 * four P20. */

enum { PARAMETER_P10, PARAMETER_P20, PARAMETER_P0 };

static uint32_t
read_parameter(NornGcnLane *l, unsigned parameter) {
  const NornGcnDecoded *inst = l->inst;
  uint64_t primitive = l->state->primitive[l->number / 4];
  uint64_t base = 12 * ((uint64_t)inst->attribute * l->state->primitive_count + primitive);
  uint64_t word = parameter == PARAMETER_P20   ? base + 8 + inst->channel
                  : parameter == PARAMETER_P10 ? base + 2u * inst->channel + 1
                                               : base + 2u * inst->channel;
  if (word >= l->state->lds_words) {
    l->problem = "the attribute lies beyond the end of LDS";
    return 0;
  }
  return l->state->lds[word];
}

/* A half of VALUE, widened. */
static uint64_t
widen_half(const NornGcnLane *l, uint32_t value) {
  NornFloatMode mode = norn_gcn_mode(l->state->mode, NORN_FLOAT_16);
  return norn_float_convert(NORN_FLOAT_16, NORN_FLOAT_32, mode,
                            l->inst->high ? value >> 16 : value & 0xffff);
}

/* The multiply-add of all interpolations: two roundings and no subnormals, as V_MAD_F32. */
static uint64_t
interpolate(const NornGcnLane *l, uint64_t factor, uint64_t coordinate, uint64_t base) {
  NornFloatMode mode = norn_gcn_mode(l->state->mode, NORN_FLOAT_32);
  mode.flush_inputs = mode.flush_outputs = true;
  uint64_t product = norn_float_multiply(NORN_FLOAT_32, mode, factor, coordinate);
  return norn_float_add(NORN_FLOAT_32, mode, product, base);
}

COMPUTE(interp_p1,
        interpolate(l, read_parameter(l, PARAMETER_P10), b, read_parameter(l, PARAMETER_P0)))
COMPUTE(interp_p2, interpolate(l, read_parameter(l, PARAMETER_P20), b, l->old))
COMPUTE(interp_mov, read_parameter(l, l->inst->parameter))
COMPUTE(interp_p1ll, interpolate(l, widen_half(l, read_parameter(l, PARAMETER_P10)), b,
                                 widen_half(l, read_parameter(l, PARAMETER_P0))))
COMPUTE(interp_p1lv, interpolate(l, widen_half(l, read_parameter(l, PARAMETER_P10)), b,
                                 widen_half(l, (uint32_t)c)))
COMPUTE(interp_p2_half,
        norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, m,
                           interpolate(l, widen_half(l, read_parameter(l, PARAMETER_P20)), b, c)))

/* ---- across lanes ---- */

static bool
read_lane(NornGcnState *state, const NornGcnDecoded *inst, GError **error) {
  uint32_t lane;
  if (inst->src[0] < 256) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_TRAP, "readlane: source %u is no vector register",
                inst->src[0]);
    return false;
  }
  if (!norn_gcn_read_scalar(state, inst->src[1], &lane, error))
    return false;
  if (inst->vdst < NORN_GCN_SCALARS)
    state->s[inst->vdst] = state->v[inst->src[0] - 256][lane % NORN_GCN_LANES];
  return true;
}

static bool
write_lane(NornGcnState *state, const NornGcnDecoded *inst, GError **error) {
  uint32_t value, lane;
  if (!norn_gcn_read_scalar(state, inst->src[0], &value, error) ||
      !norn_gcn_read_scalar(state, inst->src[1], &lane, error))
    return false;
  state->v[inst->vdst][lane % NORN_GCN_LANES] = value;
  return true;
}

/* Exceptions are not kept. */
static bool
do_nothing(NornGcnState *state, const NornGcnDecoded *inst, GError **error) {
  (void)state, (void)inst, (void)error;
  return true;
}

/* ---- the table ---- */

#define T(type) NORN_GCN_##type
#define ROW1(name, result, a, function)                                                            \
  [NORN_GCN_##name] = {T(result), {T(a)}, 0, 0, function, NULL}
#define ROW2(name, result, a, b, function)                                                         \
  [NORN_GCN_##name] = {T(result), {T(a), T(b)}, 0, 0, function, NULL}
#define ROW3(name, result, a, b, c, function)                                                      \
  [NORN_GCN_##name] = {T(result), {T(a), T(b), T(c)}, 0, 0, function, NULL}
#define ROWF(name, result, a, b, c, flags, function)                                               \
  [NORN_GCN_##name] = {T(result), {T(a), T(b), T(c)}, flags, 0, function, NULL}
#define ROWW(name, function) [NORN_GCN_##name] = {T(NONE), {T(NONE)}, 0, 0, NULL, function}

/* Which relations a comparison holds for. */
#define LT (1 << NORN_RELATION_LESS)
#define EQ (1 << NORN_RELATION_EQUAL)
#define GT (1 << NORN_RELATION_GREATER)
#define UN (1 << NORN_RELATION_UNORDERED)

#define COMPARE(prefix, relation, type, holds, flags, function)                                    \
  [NORN_GCN_V_##prefix##_##relation##_##                                                           \
      type] = {T(MASK), {T(type), T(type)}, flags, holds, function, NULL}
#define CLASSIFY(prefix, type, flags)                                                              \
  [NORN_GCN_V_##prefix##_CLASS_##type] = {T(MASK), {T(type), T(U32)}, flags, 0, classify, NULL}

#define FLOAT_RELATIONS(prefix, type, flags)                                                       \
  COMPARE(prefix, F, type, 0, flags, compare_floats),                                              \
      COMPARE(prefix, LT, type, LT, flags, compare_floats),                                        \
      COMPARE(prefix, EQ, type, EQ, flags, compare_floats),                                        \
      COMPARE(prefix, LE, type, LT | EQ, flags, compare_floats),                                   \
      COMPARE(prefix, GT, type, GT, flags, compare_floats),                                        \
      COMPARE(prefix, LG, type, LT | GT, flags, compare_floats),                                   \
      COMPARE(prefix, GE, type, GT | EQ, flags, compare_floats),                                   \
      COMPARE(prefix, O, type, LT | EQ | GT, flags, compare_floats),                               \
      COMPARE(prefix, U, type, UN, flags, compare_floats),                                         \
      COMPARE(prefix, NGE, type, LT | UN, flags, compare_floats),                                  \
      COMPARE(prefix, NLG, type, EQ | UN, flags, compare_floats),                                  \
      COMPARE(prefix, NGT, type, LT | EQ | UN, flags, compare_floats),                             \
      COMPARE(prefix, NLE, type, GT | UN, flags, compare_floats),                                  \
      COMPARE(prefix, NEQ, type, LT | GT | UN, flags, compare_floats),                             \
      COMPARE(prefix, NLT, type, EQ | GT | UN, flags, compare_floats),                             \
      COMPARE(prefix, TRU, type, LT | EQ | GT | UN, flags, compare_floats)

#define INT_RELATIONS(prefix, type, flags, function)                                               \
  COMPARE(prefix, F, type, 0, flags, function), COMPARE(prefix, LT, type, LT, flags, function),    \
      COMPARE(prefix, EQ, type, EQ, flags, function),                                              \
      COMPARE(prefix, LE, type, LT | EQ, flags, function),                                         \
      COMPARE(prefix, GT, type, GT, flags, function),                                              \
      COMPARE(prefix, NE, type, LT | GT, flags, function),                                         \
      COMPARE(prefix, GE, type, GT | EQ, flags, function),                                         \
      COMPARE(prefix, T, type, LT | EQ | GT, flags, function)

/* All comparisons of one kind: plain ones, and "X" ones that write EXEC too. Signaling ones ("S")
 * compare alike. */
#define COMPARISONS(plain, signaling, flags)                                                       \
  FLOAT_RELATIONS(plain, F16, flags), FLOAT_RELATIONS(plain, F32, flags),                          \
      FLOAT_RELATIONS(plain, F64, flags), FLOAT_RELATIONS(signaling, F32, flags),                  \
      FLOAT_RELATIONS(signaling, F64, flags), INT_RELATIONS(plain, I16, flags, compare_signed),    \
      INT_RELATIONS(plain, I32, flags, compare_signed),                                            \
      INT_RELATIONS(plain, I64, flags, compare_signed),                                            \
      INT_RELATIONS(plain, U16, flags, compare_unsigned),                                          \
      INT_RELATIONS(plain, U32, flags, compare_unsigned),                                          \
      INT_RELATIONS(plain, U64, flags, compare_unsigned), CLASSIFY(plain, F16, flags),             \
      CLASSIFY(plain, F32, flags), CLASSIFY(plain, F64, flags)

#define FLUSH NORN_GCN_FLUSH
#define MAC (NORN_GCN_FLUSH | NORN_GCN_ACCUMULATE)

static const NornGcnSemantics table[NORN_GCN_INSTRUCTION_COUNT] = {
    /* VOP3 of three sources, in the order of the opcodes */
    ROWF(V_MAD_LEGACY_F32, F32, F32, F32, F32, FLUSH, float_mad_legacy),
    ROWF(V_MAD_F32, F32, F32, F32, F32, FLUSH, float_mad),
    ROW3(V_MAD_I32_I24, I32, I24, I24, I32, multiply_add),
    ROW3(V_MAD_U32_U24, U32, U24, U24, U32, multiply_add),
    ROW3(V_CUBEID_F32, F32, F32, F32, F32, cube_id),
    ROW3(V_CUBESC_F32, F32, F32, F32, F32, cube_s),
    ROW3(V_CUBETC_F32, F32, F32, F32, F32, cube_t),
    ROW3(V_CUBEMA_F32, F32, F32, F32, F32, cube_major),
    ROW3(V_BFE_U32, U32, U32, U32, U32, extract_unsigned),
    ROW3(V_BFE_I32, I32, U32, U32, U32, extract_signed),
    ROW3(V_BFI_B32, U32, U32, U32, U32, bit_insert),
    ROW3(V_FMA_F32, F32, F32, F32, F32, float_fma),
    ROW3(V_FMA_F64, F64, F64, F64, F64, float_fma),
    ROW3(V_LERP_U8, U32, U32, U32, U32, average_bytes),
    ROW3(V_ALIGNBIT_B32, U32, U32, U32, U32, align_bit),
    ROW3(V_ALIGNBYTE_B32, U32, U32, U32, U32, align_byte),
    ROW3(V_MULLIT_F32, F32, F32, F32, F32, float_multiply_lit),
    ROW3(V_MIN3_F32, F32, F32, F32, F32, float_minimum3),
    ROW3(V_MIN3_I32, I32, I32, I32, I32, minimum3),
    ROW3(V_MIN3_U32, U32, U32, U32, U32, minimum3),
    ROW3(V_MAX3_F32, F32, F32, F32, F32, float_maximum3),
    ROW3(V_MAX3_I32, I32, I32, I32, I32, maximum3),
    ROW3(V_MAX3_U32, U32, U32, U32, U32, maximum3),
    ROW3(V_MED3_F32, F32, F32, F32, F32, float_median3),
    ROW3(V_MED3_I32, I32, I32, I32, I32, median3),
    ROW3(V_MED3_U32, U32, U32, U32, U32, median3),
    ROW3(V_SAD_U8, U32, U32, U32, U32, sad_u8),
    ROW3(V_SAD_HI_U8, U32, U32, U32, U32, sad_hi_u8),
    ROW3(V_SAD_U16, U32, U32, U32, U32, sad_u16),
    ROW3(V_SAD_U32, U32, U32, U32, U32, sad_u32),
    ROW3(V_CVT_PK_U8_F32, U32, F32, U32, U32, pack_byte),
    ROW3(V_DIV_FIXUP_F32, F32, F32, F32, F32, division_fixup),
    ROW3(V_DIV_FIXUP_F64, F64, F64, F64, F64, division_fixup),
    ROW2(V_LSHL_B64, U64, U64, U32, shift_left_64),
    ROW2(V_LSHR_B64, U64, U64, U32, shift_right_64),
    ROW2(V_ASHR_I64, I64, I64, U32, shift_right_signed_64),
    ROW2(V_ADD_F64, F64, F64, F64, float_add),
    ROW2(V_MUL_F64, F64, F64, F64, float_multiply),
    ROW2(V_MIN_F64, F64, F64, F64, float_minimum),
    ROW2(V_MAX_F64, F64, F64, F64, float_maximum),
    ROW2(V_LDEXP_F64, F64, F64, I32, float_ldexp),
    ROW2(V_MUL_LO_U32, U32, U32, U32, multiply_low),
    ROW2(V_MUL_HI_U32, U32, U32, U32, multiply_high_unsigned),
    ROW2(V_MUL_LO_I32, U32, U32, U32, multiply_low),
    ROW2(V_MUL_HI_I32, I32, I32, I32, multiply_high_signed),
    ROW3(V_DIV_SCALE_F32, F32, F32, F32, F32, division_scale),
    ROW3(V_DIV_SCALE_F64, F64, F64, F64, F64, division_scale),
    ROW3(V_DIV_FMAS_F32, F32, F32, F32, F32, division_fmas),
    ROW3(V_DIV_FMAS_F64, F64, F64, F64, F64, division_fmas),
    ROW3(V_MSAD_U8, U32, U32, U32, U32, msad_u8),
    ROW3(V_QSAD_U8, U64, U64, U32, U64, qsad_pk_u16),
    ROW3(V_QSAD_PK_U16_U8, U64, U64, U32, U64, qsad_pk_u16),
    ROW3(V_MQSAD_U8, U64, U64, U32, U64, mqsad_pk_u16),
    ROW3(V_MQSAD_PK_U16_U8, U64, U64, U32, U64, mqsad_pk_u16),
    ROW3(V_MQSAD_U32_U8, U128, U64, U32, U128, mqsad_u32),
    ROW2(V_TRIG_PREOP_F64, F64, F64, U32, trig_preop),
    ROW3(V_MAD_U64_U32, U64, U32, U32, U64, multiply_add_u64),
    ROW3(V_MAD_I64_I32, I64, I32, I32, I64, multiply_add_i64),
    ROWF(V_MAD_F16, F16, F16, F16, F16, FLUSH, float_mad),
    ROW3(V_MAD_U16, U16, U16, U16, U16, multiply_add),
    ROW3(V_MAD_I16, I16, I16, I16, I16, multiply_add),
    ROWF(V_MAD_LEGACY_F16, F16, F16, F16, F16, FLUSH, float_mad),
    ROW3(V_MAD_LEGACY_U16, U16, U16, U16, U16, multiply_add),
    ROW3(V_MAD_LEGACY_I16, I16, I16, I16, I16, multiply_add),
    ROW3(V_PERM_B32, U32, U32, U32, U32, permute_bytes),
    ROW3(V_FMA_F16, F16, F16, F16, F16, float_fma),
    ROW3(V_FMA_LEGACY_F16, F16, F16, F16, F16, float_fma),
    ROW3(V_DIV_FIXUP_F16, F16, F16, F16, F16, division_fixup),
    ROW3(V_DIV_FIXUP_LEGACY_F16, F16, F16, F16, F16, division_fixup),
    ROW2(V_CVT_PKACCUM_U8_F32, U32, F32, U32, accumulate_byte),
    ROW3(V_MAD_U32_U16, U32, U16, U16, U32, multiply_add),
    ROW3(V_MAD_I32_I16, I32, I16, I16, I32, multiply_add),
    ROW3(V_XAD_U32, U32, U32, U32, U32, xor_add),
    ROW3(V_MIN3_F16, F16, F16, F16, F16, float_minimum3),
    ROW3(V_MIN3_I16, I16, I16, I16, I16, minimum3),
    ROW3(V_MIN3_U16, U16, U16, U16, U16, minimum3),
    ROW3(V_MAX3_F16, F16, F16, F16, F16, float_maximum3),
    ROW3(V_MAX3_I16, I16, I16, I16, I16, maximum3),
    ROW3(V_MAX3_U16, U16, U16, U16, U16, maximum3),
    ROW3(V_MED3_F16, F16, F16, F16, F16, float_median3),
    ROW3(V_MED3_I16, I16, I16, I16, I16, median3),
    ROW3(V_MED3_U16, U16, U16, U16, U16, median3),
    ROW3(V_LSHL_ADD_U32, U32, U32, U32, U32, shift_left_add),
    ROW3(V_ADD_LSHL_U32, U32, U32, U32, U32, add_shift_left),
    ROW3(V_ADD3_U32, U32, U32, U32, U32, add3),
    ROW3(V_LSHL_OR_B32, U32, U32, U32, U32, shift_left_or),
    ROW3(V_AND_OR_B32, U32, U32, U32, U32, and_or),
    ROW3(V_OR3_B32, U32, U32, U32, U32, or3),

    /* interpolation: the coordinate is the second source, VSRC1 the third */
    ROW2(V_INTERP_P1_F32, F32, NONE, F32, interp_p1),
    ROW2(V_INTERP_P2_F32, F32, NONE, F32, interp_p2),
    ROW1(V_INTERP_MOV_F32, F32, NONE, interp_mov),
    ROW2(V_INTERP_P1LL_F16, F32, NONE, F32, interp_p1ll),
    ROW3(V_INTERP_P1LV_F16, F32, NONE, F32, U32, interp_p1lv),
    ROW3(V_INTERP_P2_F16, F16, NONE, F32, F32, interp_p2_half),
    ROW3(V_INTERP_P2_F16_LEGACY, F16, NONE, F32, F32, interp_p2_half),

    /* VOP3 of two sources that exist only there */
    ROW2(V_LDEXP_F32, F32, F32, I32, float_ldexp),
    ROWW(V_READLANE_B32, read_lane),
    ROWW(V_READLANE_REGRD_B32, read_lane),
    ROWW(V_WRITELANE_B32, write_lane),
    ROW2(V_BCNT_U32_B32, U32, U32, U32, count_add),
    ROW2(V_MBCNT_LO_U32_B32, U32, U32, U32, count_below_low),
    ROW2(V_MBCNT_HI_U32_B32, U32, U32, U32, count_below_high),
    ROWF(V_MAC_LEGACY_F32, F32, F32, F32, F32, MAC | NORN_GCN_KEEP, float_mac_legacy),
    ROW2(V_LSHLREV_B64, U64, U32, U64, shift_left_reversed_64),
    ROW2(V_LSHRREV_B64, U64, U32, U64, shift_right_reversed_64),
    ROW2(V_ASHRREV_I64, I64, U32, I64, shift_right_signed_reversed_64),
    ROW2(V_BFM_B32, U32, U32, U32, bit_mask),
    ROW2(V_CVT_PKNORM_I16_F32, U32, F32, F32, normalize_i16_f32),
    ROW2(V_CVT_PKNORM_U16_F32, U32, F32, F32, normalize_u16_f32),
    ROW2(V_CVT_PKRTZ_F16_F32, U32, F32, F32, pack_half_toward_zero),
    ROW2(V_CVT_PK_U16_U32, U32, U32, U32, pack_unsigned),
    ROW2(V_CVT_PK_I16_I32, U32, U32, U32, pack_signed),
    ROW2(V_CVT_PKNORM_I16_F16, U32, F16, F16, normalize_i16_f16),
    ROW2(V_CVT_PKNORM_U16_F16, U32, F16, F16, normalize_u16_f16),
    ROW2(V_ADD_I32, I32, I32, I32, add),
    ROW2(V_SUB_I32, I32, I32, I32, subtract),
    ROW2(V_ADD_I16, I16, I16, I16, add),
    ROW2(V_SUB_I16, I16, I16, I16, subtract),
    ROW2(V_PACK_B32_F16, U32, F16, F16, pack),

    /* VOP2 */
    ROW3(V_CNDMASK_B32, U32, U32, U32, MASK, select_by_mask),
    ROW2(V_ADD_F32, F32, F32, F32, float_add),
    ROW2(V_SUB_F32, F32, F32, F32, float_subtract),
    ROW2(V_SUBREV_F32, F32, F32, F32, float_subtract_reversed),
    ROW2(V_MUL_LEGACY_F32, F32, F32, F32, float_multiply_legacy),
    ROW2(V_MUL_F32, F32, F32, F32, float_multiply),
    ROW2(V_MUL_I32_I24, U32, I24, I24, multiply_low),
    ROW2(V_MUL_HI_I32_I24, I32, I24, I24, multiply_high_signed),
    ROW2(V_MUL_U32_U24, U32, U24, U24, multiply_low),
    ROW2(V_MUL_HI_U32_U24, U32, U24, U24, multiply_high_unsigned),
    ROW2(V_MIN_LEGACY_F32, F32, F32, F32, float_minimum_legacy),
    ROW2(V_MAX_LEGACY_F32, F32, F32, F32, float_maximum_legacy),
    ROW2(V_MIN_F32, F32, F32, F32, float_minimum),
    ROW2(V_MAX_F32, F32, F32, F32, float_maximum),
    ROW2(V_MIN_I32, I32, I32, I32, minimum),
    ROW2(V_MAX_I32, I32, I32, I32, maximum),
    ROW2(V_MIN_U32, U32, U32, U32, minimum),
    ROW2(V_MAX_U32, U32, U32, U32, maximum),
    ROW2(V_LSHR_B32, U32, U32, U32, shift_right),
    ROW2(V_LSHRREV_B32, U32, U32, U32, shift_right_reversed),
    ROW2(V_ASHR_I32, I32, I32, U32, shift_right),
    ROW2(V_ASHRREV_I32, I32, U32, I32, shift_right_reversed),
    ROW2(V_LSHL_B32, U32, U32, U32, shift_left),
    ROW2(V_LSHLREV_B32, U32, U32, U32, shift_left_reversed),
    ROW2(V_AND_B32, U32, U32, U32, bit_and),
    ROW2(V_OR_B32, U32, U32, U32, bit_or),
    ROW2(V_XOR_B32, U32, U32, U32, bit_xor),
    ROWF(V_MAC_F32, F32, F32, F32, F32, MAC, float_mad),
    ROWF(V_MAC_F16, F16, F16, F16, F16, MAC, float_mad),
    ROW2(V_SUBREV_I32, I32, I32, I32, subtract_reversed),
    ROW2(V_ADD_U32, U32, U32, U32, add),
    ROW2(V_SUB_U32, U32, U32, U32, subtract),
    ROW2(V_SUBREV_U32, U32, U32, U32, subtract_reversed),
    ROW2(V_ADD_CO_U32, U32, U32, U32, add),
    ROW2(V_SUB_CO_U32, U32, U32, U32, subtract),
    ROW2(V_SUBREV_CO_U32, U32, U32, U32, subtract_reversed),
    ROW3(V_ADDC_U32, U32, U32, U32, MASK, add_carry),
    ROW3(V_SUBB_U32, U32, U32, U32, MASK, subtract_borrow),
    ROW3(V_SUBBREV_U32, U32, U32, U32, MASK, subtract_borrow_reversed),
    ROW3(V_ADDC_CO_U32, U32, U32, U32, MASK, add_carry),
    ROW3(V_SUBB_CO_U32, U32, U32, U32, MASK, subtract_borrow),
    ROW3(V_SUBBREV_CO_U32, U32, U32, U32, MASK, subtract_borrow_reversed),
    ROW2(V_ADD_F16, F16, F16, F16, float_add),
    ROW2(V_SUB_F16, F16, F16, F16, float_subtract),
    ROW2(V_SUBREV_F16, F16, F16, F16, float_subtract_reversed),
    ROW2(V_MUL_F16, F16, F16, F16, float_multiply),
    ROW2(V_ADD_U16, U16, U16, U16, add),
    ROW2(V_SUB_U16, U16, U16, U16, subtract),
    ROW2(V_SUBREV_U16, U16, U16, U16, subtract_reversed),
    ROW2(V_MUL_LO_U16, U16, U16, U16, multiply_low_16),
    ROW2(V_LSHLREV_B16, U16, U16, U16, shift_left_reversed_16),
    ROW2(V_LSHRREV_B16, U16, U16, U16, shift_right_reversed_16),
    ROW2(V_ASHRREV_I16, I16, U16, I16, shift_right_reversed_16),
    ROW2(V_MAX_F16, F16, F16, F16, float_maximum),
    ROW2(V_MIN_F16, F16, F16, F16, float_minimum),
    ROW2(V_MAX_U16, U16, U16, U16, maximum),
    ROW2(V_MAX_I16, I16, I16, I16, maximum),
    ROW2(V_MIN_U16, U16, U16, U16, minimum),
    ROW2(V_MIN_I16, I16, I16, I16, minimum),
    ROW2(V_LDEXP_F16, F16, F16, I16, float_ldexp),

    /* VOP1 */
    ROWW(V_NOP, do_nothing),
    ROWW(V_CLREXCP, do_nothing),
    ROW1(V_MOV_B32, U32, U32, copy),
    ROW1(V_CVT_I32_F64, U32, F64, float_to_i32),
    ROW1(V_CVT_F64_I32, F64, I32, float_from_signed),
    ROW1(V_CVT_F32_I32, F32, I32, float_from_signed),
    ROW1(V_CVT_F32_U32, F32, U32, float_from_unsigned),
    ROW1(V_CVT_U32_F32, U32, F32, float_to_u32),
    ROW1(V_CVT_I32_F32, U32, F32, float_to_i32),
    ROW1(V_CVT_F16_F32, F16, F32, f16_from_f32),
    ROW1(V_CVT_F32_F16, F32, F16, f32_from_f16),
    ROW1(V_CVT_RPI_I32_F32, U32, F32, float_to_i32_half_up),
    ROW1(V_CVT_FLR_I32_F32, U32, F32, float_to_i32_floor),
    ROW1(V_CVT_OFF_F32_I4, F32, U32, float_from_nibble),
    ROW1(V_CVT_F32_F64, F32, F64, f32_from_f64),
    ROW1(V_CVT_F64_F32, F64, F32, f64_from_f32),
    ROW1(V_CVT_F32_UBYTE0, F32, U32, float_from_byte0),
    ROW1(V_CVT_F32_UBYTE1, F32, U32, float_from_byte1),
    ROW1(V_CVT_F32_UBYTE2, F32, U32, float_from_byte2),
    ROW1(V_CVT_F32_UBYTE3, F32, U32, float_from_byte3),
    ROW1(V_CVT_U32_F64, U32, F64, float_to_u32),
    ROW1(V_CVT_F64_U32, F64, U32, float_from_unsigned),
    ROW1(V_TRUNC_F64, F64, F64, float_truncate),
    ROW1(V_CEIL_F64, F64, F64, float_ceil),
    ROW1(V_RNDNE_F64, F64, F64, float_round_even),
    ROW1(V_FLOOR_F64, F64, F64, float_floor),
    ROW1(V_FRACT_F32, F32, F32, float_fract),
    ROW1(V_TRUNC_F32, F32, F32, float_truncate),
    ROW1(V_CEIL_F32, F32, F32, float_ceil),
    ROW1(V_RNDNE_F32, F32, F32, float_round_even),
    ROW1(V_FLOOR_F32, F32, F32, float_floor),
    ROW1(V_EXP_F32, F32, F32, float_exp2),
    ROW1(V_LOG_CLAMP_F32, F32, F32, log2_clamp),
    ROW1(V_LOG_F32, F32, F32, float_log2),
    ROW1(V_RCP_CLAMP_F32, F32, F32, reciprocal_clamp),
    ROW1(V_RCP_LEGACY_F32, F32, F32, reciprocal_legacy),
    ROW1(V_RCP_F32, F32, F32, float_reciprocal),
    ROW1(V_RCP_IFLAG_F32, F32, F32, float_reciprocal),
    ROW1(V_RSQ_CLAMP_F32, F32, F32, reciprocal_sqrt_clamp),
    ROW1(V_RSQ_LEGACY_F32, F32, F32, reciprocal_sqrt_legacy),
    ROW1(V_RSQ_F32, F32, F32, float_reciprocal_sqrt),
    ROW1(V_RCP_F64, F64, F64, float_reciprocal),
    ROW1(V_RCP_CLAMP_F64, F64, F64, reciprocal_clamp),
    ROW1(V_RSQ_F64, F64, F64, float_reciprocal_sqrt),
    ROW1(V_RSQ_CLAMP_F64, F64, F64, reciprocal_sqrt_clamp),
    ROW1(V_SQRT_F32, F32, F32, float_sqrt),
    ROW1(V_SQRT_F64, F64, F64, float_sqrt),
    ROW1(V_SIN_F32, F32, F32, float_sin),
    ROW1(V_COS_F32, F32, F32, float_cos),
    ROW1(V_NOT_B32, U32, U32, bit_not),
    ROW1(V_BFREV_B32, U32, U32, bit_reverse),
    ROW1(V_FFBH_U32, U32, U32, find_high_unsigned),
    ROW1(V_FFBL_B32, U32, U32, find_low),
    ROW1(V_FFBH_I32, U32, U32, find_high_signed),
    ROW1(V_FREXP_EXP_I32_F64, I32, F64, float_frexp_exponent),
    ROW1(V_FREXP_MANT_F64, F64, F64, float_frexp_mantissa),
    ROW1(V_FRACT_F64, F64, F64, float_fract),
    ROW1(V_FREXP_EXP_I32_F32, I32, F32, float_frexp_exponent),
    ROW1(V_FREXP_MANT_F32, F32, F32, float_frexp_mantissa),
    ROWF(V_MOVRELD_B32, U32, U32, NONE, NONE, NORN_GCN_RELATIVE_DST, copy),
    ROWF(V_MOVRELS_B32, U32, U32, NONE, NONE, NORN_GCN_RELATIVE_SRC, copy),
    ROWF(V_MOVRELSD_B32, U32, U32, NONE, NONE, NORN_GCN_RELATIVE_SRC | NORN_GCN_RELATIVE_DST, copy),
    ROW1(V_LOG_LEGACY_F32, F32, F32, float_log2),
    ROW1(V_EXP_LEGACY_F32, F32, F32, float_exp2),
    ROW1(V_CVT_F16_U16, F16, U16, float_from_unsigned),
    ROW1(V_CVT_F16_I16, F16, I16, float_from_signed),
    ROW1(V_CVT_U16_F16, U16, F16, float_to_u16),
    ROW1(V_CVT_I16_F16, U16, F16, float_to_i16),
    ROW1(V_RCP_F16, F16, F16, float_reciprocal),
    ROW1(V_SQRT_F16, F16, F16, float_sqrt),
    ROW1(V_RSQ_F16, F16, F16, float_reciprocal_sqrt),
    ROW1(V_LOG_F16, F16, F16, float_log2),
    ROW1(V_EXP_F16, F16, F16, float_exp2),
    ROW1(V_FREXP_MANT_F16, F16, F16, float_frexp_mantissa),
    ROW1(V_FREXP_EXP_I16_F16, I16, F16, float_frexp_exponent),
    ROW1(V_FLOOR_F16, F16, F16, float_floor),
    ROW1(V_CEIL_F16, F16, F16, float_ceil),
    ROW1(V_TRUNC_F16, F16, F16, float_truncate),
    ROW1(V_RNDNE_F16, F16, F16, float_round_even),
    ROW1(V_FRACT_F16, F16, F16, float_fract),
    ROW1(V_SIN_F16, F16, F16, float_sin),
    ROW1(V_COS_F16, F16, F16, float_cos),
    ROW1(V_CVT_NORM_I16_F16, U16, F16, normalize_one_i16_f16),
    ROW1(V_CVT_NORM_U16_F16, U16, F16, normalize_one_u16_f16),
    ROW1(V_SAT_PK_U8_I16, U16, U32, saturate_bytes),
    ROW1(V_SCREEN_PARTITION_4SE_B32, U32, U32, screen_partition),

    COMPARISONS(CMP, CMPS, 0),
    COMPARISONS(CMPX, CMPSX, NORN_GCN_WRITE_EXEC),
};

const NornGcnSemantics *
norn_gcn_semantics(unsigned instruction) {
  return &table[instruction];
}
