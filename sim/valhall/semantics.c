/* What the ALU instructions compute, lane by lane.
 *
 * Where the hardware's answer is not public the choice is a named constant or function with a
 * comment that says so; instructions of which nothing is known have no row and are refused when
 * decoded. */
#include "sim/valhall/semantics.h"
#include <math.h>
#include <norn/valhall.h>

/* The rows' names for types and flags. */
enum {
  NO_LANE = NORN_VALHALL_LANE_NONE,
  U8 = NORN_VALHALL_LANE_U8,
  S8 = NORN_VALHALL_LANE_S8,
  U16 = NORN_VALHALL_LANE_U16,
  S16 = NORN_VALHALL_LANE_S16,
  U32 = NORN_VALHALL_LANE_U32,
  S32 = NORN_VALHALL_LANE_S32,
  U64 = NORN_VALHALL_LANE_U64,
  S64 = NORN_VALHALL_LANE_S64,
  F16 = NORN_VALHALL_LANE_F16,
  F32 = NORN_VALHALL_LANE_F32,
  RAW_FLOATS = NORN_VALHALL_ROW_RAW_FLOATS,
  NARROWS = NORN_VALHALL_ROW_NARROWS,
  SCALAR_HALF = NORN_VALHALL_ROW_SCALAR_HALF,
  SOURCE_PER_LANE = NORN_VALHALL_ROW_SOURCE_PER_LANE,
  IMMEDIATE = NORN_VALHALL_ROW_IMMEDIATE,
  EXCHANGE = NORN_VALHALL_ROW_EXCHANGE,
  FLUSHES = NORN_VALHALL_ROW_FLUSHES,
  KEEPS_SINCE_11 = NORN_VALHALL_ROW_KEEPS_SINCE_11,
  EXCHANGE_PERMUTE = NORN_VALHALL_EXCHANGE_PERMUTE,
  EXCHANGE_BALLOT = NORN_VALHALL_EXCHANGE_BALLOT,
};

const NornValhallLaneInfo norn_valhall_lanes[NORN_VALHALL_LANE_TYPE_COUNT] = {
    [U8] = {8},
    [S8] = {8, true},
    [U16] = {16},
    [S16] = {16, true},
    [U32] = {32},
    [S32] = {32, true},
    [U64] = {64},
    [S64] = {64, true},
    [F16] = {16, true, true, NORN_FLOAT_16},
    [F32] = {32, true, true, NORN_FLOAT_32},
};

static uint8_t
modifier(const NornValhallLane *lane, NornValhallModifier which) {
  return lane->operation->modifier[which];
}

static NornFloatFormat
result_format(const NornValhallLane *lane) {
  return norn_valhall_lanes[lane->row->result].format;
}

static NornFloatFormat
source_format(const NornValhallLane *lane, unsigned source) {
  return norn_valhall_lanes[lane->row->source[source]].format;
}

static unsigned
result_width(const NornValhallLane *lane) {
  return norn_valhall_lanes[lane->row->result].width;
}

static bool
result_signed(const NornValhallLane *lane) {
  return norn_valhall_lanes[lane->row->result].is_signed;
}

/* --- Integer arithmetic --- */

static uint64_t
integer_add(const NornValhallLane *lane, const uint64_t *s) {
  unsigned width = result_width(lane);
  if (modifier(lane, NORN_VALHALL_MODIFIER_SATURATE))
    return norn_int_add_saturate(s[0], s[1], width, result_signed(lane));
  return norn_int_truncate(s[0] + s[1], width);
}

static uint64_t
integer_subtract(const NornValhallLane *lane, const uint64_t *s) {
  unsigned width = result_width(lane);
  if (modifier(lane, NORN_VALHALL_MODIFIER_SATURATE))
    return norn_int_subtract_saturate(s[0], s[1], width, result_signed(lane));
  return norn_int_truncate(s[0] - s[1], width);
}

static uint64_t
integer_multiply(const NornValhallLane *lane, const uint64_t *s) {
  unsigned width = result_width(lane);
  if (modifier(lane, NORN_VALHALL_MODIFIER_SATURATE))
    return norn_int_multiply_saturate(s[0], s[1], width, result_signed(lane));
  return norn_int_truncate(s[0] * s[1], width);
}

static uint64_t
half_add(const NornValhallLane *lane, const uint64_t *s) {
  return norn_int_half_add(s[0], s[1], result_width(lane), result_signed(lane),
                           modifier(lane, NORN_VALHALL_MODIFIER_RHADD));
}

static uint64_t
integer_absolute(const NornValhallLane *lane, const uint64_t *s) {
  return norn_int_absolute(s[0], result_width(lane));
}

static uint64_t
shift_add_extended(const NornValhallLane *lane, const uint64_t *s) {
  return s[0] + (s[1] << modifier(lane, NORN_VALHALL_MODIFIER_SHIFT));
}

/* That `preserve_null` gives 0 for a null segment base is a guess from its name. */
static uint64_t
segment_add(const NornValhallLane *lane, const uint64_t *s) {
  if (modifier(lane, NORN_VALHALL_MODIFIER_PRESERVE_NULL) && !s[0])
    return 0;
  return modifier(lane, NORN_VALHALL_MODIFIER_NEGATE) ? s[0] - s[1] : s[0] + s[1];
}

/* c + the exact sum of four products of bytes; only the last addition can overflow. */
static uint64_t
dot_product(const NornValhallLane *lane, const uint64_t *s) {
  bool is_signed = result_signed(lane);
  int64_t sum = 0;
  for (unsigned i = 0; i < 4; i++) {
    uint64_t a = norn_int_truncate(s[0] >> 8 * i, 8), b = norn_int_truncate(s[1] >> 8 * i, 8);
    sum += is_signed ? norn_int_sign_extend(a, 8) * norn_int_sign_extend(b, 8) : (int64_t)(a * b);
  }
  uint64_t products = norn_int_truncate((uint64_t)sum, 32);
  if (modifier(lane, NORN_VALHALL_MODIFIER_SATURATE))
    return norn_int_add_saturate(products, s[2], 32, is_signed);
  return norn_int_truncate(products + s[2], 32);
}

static uint64_t
leading_zeros(const NornValhallLane *lane, const uint64_t *s) {
  unsigned width = result_width(lane);
  if (!s[0] && modifier(lane, NORN_VALHALL_MODIFIER_MASK))
    return norn_int_mask(width);
  return norn_int_leading_zeros(s[0], width);
}

static uint64_t
population_count(const NornValhallLane *lane, const uint64_t *s) {
  return norn_int_population_count(s[0], result_width(lane));
}

static uint64_t
bit_reverse(const NornValhallLane *lane, const uint64_t *s) {
  return norn_int_bit_reverse(s[0], result_width(lane));
}

static uint64_t
complement(const NornValhallLane *lane, const uint64_t *s) {
  return s[0] ^ norn_int_mask(result_width(lane));
}

/* --- Moves and logic --- */

static uint64_t
move(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  return s[0];
}

static uint64_t
pick_source_of_lane(const NornValhallLane *lane, const uint64_t *s) {
  return s[lane->index];
}

static uint64_t
make_bytes(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  return s[0] | s[1] << 8 | s[2] << 16;
}

enum { OP_AND, OP_OR, OP_XOR };
enum { SHIFT_RIGHT, SHIFT_LEFT, ROTATE_RIGHT, ROTATE_LEFT, SHIFT_ARITHMETIC };
#define SHIFT_LOGIC(shift, logic) ((shift) << 2 | (logic))

/* The amount counts modulo the width, whatever its upper bits are. */
static uint64_t
shifted(unsigned kind, uint64_t value, uint64_t amount, unsigned width) {
  amount &= width - 1;
  switch (kind) {
  case SHIFT_RIGHT:
    return value >> amount;
  case SHIFT_LEFT:
    return norn_int_truncate(value << amount, width);
  case ROTATE_RIGHT:
    return norn_int_rotate_right(value, amount, width);
  case ROTATE_LEFT:
    return norn_int_rotate_left(value, amount, width);
  default:
    return norn_int_truncate((uint64_t)(norn_int_sign_extend(value, width) >> amount), width);
  }
}

static uint64_t
combined(unsigned logic, uint64_t a, uint64_t b) {
  switch (logic) {
  case OP_AND:
    return a & b;
  case OP_OR:
    return a | b;
  default:
    return a ^ b;
  }
}

static unsigned
shift_kind(const NornValhallLane *lane) {
  unsigned kind = lane->row->parameter >> 2;
  bool is_arithmetic = kind == SHIFT_RIGHT && modifier(lane, NORN_VALHALL_MODIFIER_SIGNED);
  return is_arithmetic ? SHIFT_ARITHMETIC : kind;
}

static uint64_t
shift_and_combine(const NornValhallLane *lane, const uint64_t *s) {
  unsigned width = result_width(lane);
  uint64_t r =
      combined(lane->row->parameter & 3, shifted(shift_kind(lane), s[0], s[1], width), s[2]);
  return modifier(lane, NORN_VALHALL_MODIFIER_NOT_RESULT) ? r ^ norn_int_mask(width) : r;
}

static uint64_t
combine_immediate(const NornValhallLane *lane, const uint64_t *s) {
  return combined(lane->row->parameter, s[0], s[1]);
}

static uint64_t
multiplex(const NornValhallLane *lane, const uint64_t *s) {
  uint64_t sign = UINT64_C(1) << (result_width(lane) - 1);
  switch (modifier(lane, NORN_VALHALL_MODIFIER_MUX)) {
  case NORN_VALHALL_MUX_NEG:
    return s[2] & sign ? s[0] : s[1];
  case NORN_VALHALL_MUX_INT_ZERO:
    return !s[2] ? s[0] : s[1];
  case NORN_VALHALL_MUX_FP_ZERO:
    return !(s[2] & ~sign) ? s[0] : s[1];
  default:
    return (s[0] & s[2]) | (s[1] & ~s[2]);
  }
}

/* --- Comparison --- */

static bool
relation_holds(unsigned condition, NornRelation relation) {
  switch (condition) {
  case NORN_VALHALL_CONDITION_EQ:
    return relation == NORN_RELATION_EQUAL;
  case NORN_VALHALL_CONDITION_GT:
    return relation == NORN_RELATION_GREATER;
  case NORN_VALHALL_CONDITION_GE:
    return relation == NORN_RELATION_GREATER || relation == NORN_RELATION_EQUAL;
  case NORN_VALHALL_CONDITION_NE:
    return relation != NORN_RELATION_EQUAL;
  case NORN_VALHALL_CONDITION_LT:
    return relation == NORN_RELATION_LESS;
  case NORN_VALHALL_CONDITION_LE:
    return relation == NORN_RELATION_LESS || relation == NORN_RELATION_EQUAL;
  default: /* gtlt */
    return relation == NORN_RELATION_LESS || relation == NORN_RELATION_GREATER;
  }
}

static NornRelation
integer_relation(uint64_t a, uint64_t b, unsigned width, bool is_signed) {
  if (a == b)
    return NORN_RELATION_EQUAL;
  bool less = is_signed ? norn_int_sign_extend(a, width) < norn_int_sign_extend(b, width) : a < b;
  return less ? NORN_RELATION_LESS : NORN_RELATION_GREATER;
}

/* Whether the condition holds between the first two sources. */
static bool
condition_holds(const NornValhallLane *lane, const uint64_t *s) {
  unsigned condition = modifier(lane, NORN_VALHALL_MODIFIER_CONDITION);
  unsigned type = lane->row->source[0];
  if (!norn_valhall_lanes[type].is_float)
    return relation_holds(condition, integer_relation(s[0], s[1], norn_valhall_lanes[type].width,
                                                      norn_valhall_lanes[type].is_signed));
  NornFloatFormat format = norn_valhall_lanes[type].format;
  if (condition == NORN_VALHALL_CONDITION_TOTAL)
    return norn_float_total_less_equal(format, s[0], s[1]);
  return relation_holds(condition, norn_float_compare(format, NORN_FLOAT_MODE_DEFAULT, s[0], s[1]));
}

static uint64_t
boolean(const NornValhallLane *lane, bool value) {
  unsigned width = result_width(lane);
  switch (modifier(lane, NORN_VALHALL_MODIFIER_RESULT_TYPE)) {
  case NORN_VALHALL_RESULT_TYPE_F1:
    return value ? norn_float_one(norn_float_of_width(width), false) : 0;
  case NORN_VALHALL_RESULT_TYPE_M1:
    return value ? norn_int_mask(width) : 0;
  default:
    return value;
  }
}

static uint64_t
compare_or(const NornValhallLane *lane, const uint64_t *s) {
  return boolean(lane, condition_holds(lane, s) || s[2]);
}

static uint64_t
compare_and(const NornValhallLane *lane, const uint64_t *s) {
  return boolean(lane, condition_holds(lane, s) && s[2]);
}

/* The order of (a, b), or if they are equal that of the order so far, c, which is -1, 0 or 1. */
static uint64_t
compare_chained(const NornValhallLane *lane, const uint64_t *s) {
  NornRelation relation =
      integer_relation(s[0], s[1], 32, norn_valhall_lanes[lane->row->source[0]].is_signed);
  if (relation == NORN_RELATION_EQUAL)
    relation = integer_relation(s[2], 0, 32, true);
  if (modifier(lane, NORN_VALHALL_MODIFIER_RESULT_TYPE) == NORN_VALHALL_RESULT_TYPE_U1) {
    if (relation == NORN_RELATION_EQUAL)
      return 0;
    return relation == NORN_RELATION_LESS ? UINT32_MAX : 1;
  }
  return boolean(lane, relation_holds(modifier(lane, NORN_VALHALL_MODIFIER_CONDITION), relation));
}

static uint64_t
select_by_condition(const NornValhallLane *lane, const uint64_t *s) {
  return condition_holds(lane, s) ? s[2] : s[3];
}

static uint64_t
test_condition(const NornValhallLane *lane, const uint64_t *s) {
  return condition_holds(lane, s);
}

/* --- Float arithmetic --- */

static uint64_t
float_add(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_add(result_format(lane), lane->mode, s[0], s[1]);
}

static uint64_t
float_fma(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_fma(result_format(lane), lane->mode, s[0], s[1], s[2]);
}

static uint64_t
float_minimum(const NornValhallLane *lane, const uint64_t *s) {
  if (modifier(lane, NORN_VALHALL_MODIFIER_NAN_HANDLING))
    return norn_float_minimum(result_format(lane), lane->mode, s[0], s[1]);
  return norn_float_minimum_number(result_format(lane), lane->mode, s[0], s[1]);
}

static uint64_t
float_maximum(const NornValhallLane *lane, const uint64_t *s) {
  if (modifier(lane, NORN_VALHALL_MODIFIER_NAN_HANDLING))
    return norn_float_maximum(result_format(lane), lane->mode, s[0], s[1]);
  return norn_float_maximum_number(result_format(lane), lane->mode, s[0], s[1]);
}

static uint64_t
float_round(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_round_to_integral(result_format(lane), lane->mode, s[0]);
}

static uint64_t
float_ldexp(const NornValhallLane *lane, const uint64_t *s) {
  int64_t scale = norn_int_sign_extend(s[1], norn_valhall_lanes[lane->row->source[1]].width);
  return norn_float_ldexp(result_format(lane), lane->mode, s[0], scale);
}

static uint64_t
float_flush(const NornValhallLane *lane, const uint64_t *s) {
  NornFloatFormat format = result_format(lane);
  uint64_t a = s[0];
  if (norn_float_is_nan(format, a)) {
    switch (modifier(lane, NORN_VALHALL_MODIFIER_NAN_MODE)) {
    case NORN_VALHALL_NAN_MODE_FLUSH_NAN:
      return 0;
    case NORN_VALHALL_NAN_MODE_QUIET_NAN:
      return a | UINT64_C(1) << (norn_float_fraction_bits(format) - 1);
    default:
      return a;
    }
  }
  if (modifier(lane, NORN_VALHALL_MODIFIER_FLUSH_INF) && norn_float_is_infinite(format, a))
    return norn_float_largest(format, norn_float_is_negative(format, a));
  return modifier(lane, NORN_VALHALL_MODIFIER_FTZ) ? norn_float_flush(format, a) : a;
}

enum { RSCALE, RSCALE_N, RSCALE_LEFT };

/* (a * b + c) * 2^d; the variants say what a product with a zero is. That there is one rounding, at
 * the end, is a guess. */
static uint64_t
float_fma_scale(const NornValhallLane *lane, const uint64_t *s) {
  uint64_t a = s[0], b = s[1];
  bool has_zero = norn_float_is_zero(NORN_FLOAT_32, a) || norn_float_is_zero(NORN_FLOAT_32, b);
  if (has_zero && lane->row->parameter != RSCALE) {
    a = lane->row->parameter == RSCALE_N ? 0 : a;
    b = norn_float_one(NORN_FLOAT_32, false);
  }
  return norn_float_fma_scale(NORN_FLOAT_32, lane->mode, a, b, s[2],
                              norn_int_sign_extend(s[3], 32));
}

/* --- Conversion --- */

static uint64_t
float_to_integer(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_to_int(source_format(lane, 0), lane->mode, s[0], result_width(lane),
                           result_signed(lane));
}

static uint64_t
integer_to_float(const NornValhallLane *lane, const uint64_t *s) {
  unsigned type = lane->row->source[0];
  return norn_float_from_int(result_format(lane), lane->mode, s[0], norn_valhall_lanes[type].width,
                             norn_valhall_lanes[type].is_signed);
}

static uint64_t
integer_widen(const NornValhallLane *lane, const uint64_t *s) {
  unsigned type = lane->row->source[0];
  if (!norn_valhall_lanes[type].is_signed)
    return s[0];
  int64_t value = norn_int_sign_extend(s[0], norn_valhall_lanes[type].width);
  return norn_int_truncate((uint64_t)value, result_width(lane));
}

static uint64_t
half_to_float(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_convert(NORN_FLOAT_16, NORN_FLOAT_32, lane->mode, s[0]);
}

/* Lane i is source i as f16. Clamping after the rounding is the same as before it. */
static uint64_t
floats_to_halves(const NornValhallLane *lane, const uint64_t *s) {
  return norn_float_convert(NORN_FLOAT_32, NORN_FLOAT_16, lane->mode, s[lane->index]);
}

/* --- Fraction and exponent --- */

/* Whether `a` is normal; then *exponent is that of its leading 1. */
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

/* The M that belongs to reduced_exponent. Zeros, infinities and NaN stay; so do subnormal numbers,
 * which is a guess (FADD_LSCALE is known to do that). */
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

/* The functions of later architectures are taken to be as good as FRCP and FRSQ, which is a guess;
 * so is that the square root takes subnormal numbers as zeros, as FRSQ does. */
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

/* log2(m) / (m - 1) for the m of the logarithm's reduction. What it gives for what has no m is a
 * guess with which the standard sequence yields -inf, +inf and NaN where it must. */
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

/* 2^(k / 2^24), where the float b says what k was made from. Beyond the range of k the float
 * decides, which is a guess. */
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
  return norn_float_flush(NORN_FLOAT_32, norn_float_from_double(NORN_FLOAT_32, value));
}

/* Significant bits of the approximations' tables. */
#define APPROXIMATION_BITS 17
/* Those of the logarithm's reduction factor, and the mantissa bits that choose it. */
#define LOG_FACTOR_BITS 5
#define LOG_INDEX_BITS 4

/* `value`, positive, rounded to that many significant bits. */
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
 * nearest number with the lower half of the fraction clear. */
static uint64_t
part_of(double value, unsigned precision) {
  if (precision == NORN_VALHALL_FLOG_PRECISION_NONE)
    return norn_float_from_double(NORN_FLOAT_32, value);
  double magnitude = fabs(value), high = magnitude == 0.0 ? 0.0 : rounded_to_bits(magnitude, 12);
  high = copysign(high, value);
  return norn_float_from_double(
      NORN_FLOAT_32, precision == NORN_VALHALL_FLOG_PRECISION_HIGH ? high : value - high);
}

/* A factor r that brings the m of a logarithm near 1, or -log r. Of r it is known that the top bits
 * of the fraction choose it and that it has few bits; that it belongs to the middle of the range is
 * a guess. */
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

/* --- Cube maps --- */

#define CUBE_FACE_SHIFT 29
#define CUBE_INFINITE_BIT (UINT64_C(1) << 16)
#define CUBE_FACE_OF_NAN 4

/* The largest magnitude of three coordinates, or a NaN if one is. */
static uint64_t
largest_magnitude(const uint64_t *s) {
  uint64_t largest = 0;
  for (unsigned i = 0; i < 3; i++) {
    if (norn_float_is_nan(NORN_FLOAT_32, s[i]))
      return norn_float_quiet_nan(NORN_FLOAT_32);
    largest = MAX(largest, norn_float_absolute(NORN_FLOAT_32, s[i]));
  }
  return largest;
}

static uint64_t
cube_magnitude(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  uint64_t largest = largest_magnitude(s);
  if (norn_float_is_infinite(NORN_FLOAT_32, largest))
    return norn_float_one(NORN_FLOAT_32, false);
  if (largest <= norn_int_mask(norn_float_fraction_bits(NORN_FLOAT_32)))
    return norn_float_from_double(NORN_FLOAT_32, 2.0);
  return largest;
}

static uint64_t
cube_face(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  uint64_t largest = largest_magnitude(s);
  if (norn_float_is_nan(NORN_FLOAT_32, largest))
    return (uint64_t)CUBE_FACE_OF_NAN << CUBE_FACE_SHIFT;
  unsigned axis = 2;
  while (axis > 0 && norn_float_absolute(NORN_FLOAT_32, s[axis]) != largest)
    axis--;
  uint64_t a = s[axis];
  bool negative = norn_float_is_negative(NORN_FLOAT_32, a) && !norn_float_is_zero(NORN_FLOAT_32, a);
  uint64_t infinite = norn_float_is_infinite(NORN_FLOAT_32, largest) ? CUBE_INFINITE_BIT : 0;
  return (uint64_t)(2 * axis + negative) << CUBE_FACE_SHIFT | infinite;
}

enum { PLUS_A, MINUS_A, PLUS_B, MINUS_B };

/* Which of the two coordinates each face takes, as the APIs' tables have it. Faces 6 and 7 do not
 * occur. */
static const uint8_t cube_s_choice[8] = {MINUS_A, PLUS_A,  PLUS_B, PLUS_B,
                                         PLUS_B,  MINUS_B, PLUS_B, PLUS_B};
static const uint8_t cube_t_choice[8] = {MINUS_A, MINUS_A, PLUS_B,  MINUS_B,
                                         MINUS_A, MINUS_A, MINUS_A, MINUS_A};

/* With the mark of an infinite direction infinities count as 1 and finite values as 0: a guess with
 * which the coordinates come out 0, 1/2 or 1. */
static uint64_t
cube_coordinate(const uint8_t *choices, const uint64_t *s) {
  unsigned choice = choices[s[2] >> CUBE_FACE_SHIFT & 7];
  uint64_t a = choice == PLUS_A || choice == MINUS_A ? s[0] : s[1];
  if (choice == MINUS_A || choice == MINUS_B)
    a = norn_float_negate(NORN_FLOAT_32, a);
  if (!(s[2] & CUBE_INFINITE_BIT))
    return a;
  if (norn_float_is_infinite(NORN_FLOAT_32, a))
    return norn_float_one(NORN_FLOAT_32, norn_float_is_negative(NORN_FLOAT_32, a));
  return 0;
}

static uint64_t
cube_s(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  return cube_coordinate(cube_s_choice, s);
}

static uint64_t
cube_t(const NornValhallLane *lane, const uint64_t *s) {
  (void)lane;
  return cube_coordinate(cube_t_choice, s);
}

/* --- Warps --- */

/* A function of one invocation, done for some: what does not change from one to the next is found
 * once. */
#define FOR_WARP(function)                                                                         \
  static void function##_of_warp(const NornValhallLane *lane, const uint64_t *const *s,            \
                                 unsigned count, uint64_t *restrict r) {                           \
    const uint64_t *a = s[0], *b = s[1], *c = s[2], *d = s[3];                                     \
    for (unsigned i = 0; i < count; i++) {                                                         \
      const uint64_t sources[] = {a[i], b[i], c[i], d[i]};                                         \
      r[i] = function(lane, sources);                                                              \
    }                                                                                              \
  }

FOR_WARP(integer_add)
FOR_WARP(integer_subtract)
FOR_WARP(half_add)
FOR_WARP(integer_multiply)
FOR_WARP(integer_absolute)
FOR_WARP(dot_product)
FOR_WARP(shift_add_extended)
FOR_WARP(segment_add)
FOR_WARP(leading_zeros)
FOR_WARP(population_count)
FOR_WARP(bit_reverse)
FOR_WARP(complement)
FOR_WARP(move)
FOR_WARP(pick_source_of_lane)
FOR_WARP(make_bytes)
FOR_WARP(combine_immediate)
FOR_WARP(multiplex)
FOR_WARP(compare_or)
FOR_WARP(compare_and)
FOR_WARP(compare_chained)
FOR_WARP(select_by_condition)
FOR_WARP(test_condition)
FOR_WARP(float_add)
FOR_WARP(float_fma)
FOR_WARP(float_minimum)
FOR_WARP(float_maximum)
FOR_WARP(float_round)
FOR_WARP(float_flush)
FOR_WARP(float_ldexp)
FOR_WARP(add_log_scaled)
FOR_WARP(float_fma_scale)
FOR_WARP(fraction_of)
FOR_WARP(exponent_of)
FOR_WARP(float_to_integer)
FOR_WARP(integer_to_float)
FOR_WARP(integer_widen)
FOR_WARP(half_to_float)
FOR_WARP(floats_to_halves)
FOR_WARP(reciprocal)
FOR_WARP(reciprocal_sqrt)
FOR_WARP(log_divided)
FOR_WARP(log_table)
FOR_WARP(approximate_reciprocal)
FOR_WARP(approximate_reciprocal_sqrt)
FOR_WARP(exponential)
FOR_WARP(square_root)
FOR_WARP(logarithm)
FOR_WARP(exponential_of_float)
FOR_WARP(power)
FOR_WARP(exponential_table)
FOR_WARP(sine_table)
FOR_WARP(cosine_table)
FOR_WARP(cube_magnitude)
FOR_WARP(cube_face)
FOR_WARP(cube_s)
FOR_WARP(cube_t)
FOR_WARP(shift_and_combine)

/* --- The table --- */

#define NO_FUNCTION_of_warp NULL
#define ROW(id, function, parameter, flags, lanes, result, ...)                                    \
  [NORN_VALHALL_##id] = {function##_of_warp, parameter, flags, lanes, result, {__VA_ARGS__}}
/* Families: the same function on lanes of several types, all sources alike. */
#define ROWS_UNSIGNED(name, function, ...)                                                         \
  ROW(name##_U32, function, 0, 0, 1, U32, __VA_ARGS__(U32)),                                       \
      ROW(name##_V2U16, function, 0, 0, 2, U16, __VA_ARGS__(U16)),                                 \
      ROW(name##_V4U8, function, 0, 0, 4, U8, __VA_ARGS__(U8))
#define ROWS_SIGNED(name, function, ...)                                                           \
  ROW(name##_S32, function, 0, 0, 1, S32, __VA_ARGS__(S32)),                                       \
      ROW(name##_V2S16, function, 0, 0, 2, S16, __VA_ARGS__(S16)),                                 \
      ROW(name##_V4S8, function, 0, 0, 4, S8, __VA_ARGS__(S8))
#define ROWS_64(name, function)                                                                    \
  ROW(name##_U64, function, 0, 0, 1, U64, U64, U64),                                               \
      ROW(name##_S64, function, 0, 0, 1, S64, S64, S64)
#define ROWS_COMPARE(name, function)                                                               \
  ROW(name##_U32, function, 0, 0, 1, U32, U32, U32, U32),                                          \
      ROW(name##_V2U16, function, 0, 0, 2, U16, U16, U16, U16),                                    \
      ROW(name##_V4U8, function, 0, 0, 4, U8, U8, U8, U8),                                         \
      ROW(name##_S32, function, 0, 0, 1, U32, S32, S32, U32),                                      \
      ROW(name##_V2S16, function, 0, 0, 2, U16, S16, S16, U16),                                    \
      ROW(name##_V4S8, function, 0, 0, 4, U8, S8, S8, U8)
#define ROWS_SHIFT(name, shift, logic)                                                             \
  ROW(name##_I32, shift_and_combine, SHIFT_LOGIC(shift, logic), 0, 1, U32, U32, U8, U32),          \
      ROW(name##_V2I16, shift_and_combine, SHIFT_LOGIC(shift, logic), 0, 2, U16, U16, U8, U16),    \
      ROW(name##_V4I8, shift_and_combine, SHIFT_LOGIC(shift, logic), 0, 4, U8, U8, U8, U8),        \
      ROW(name##_I64, shift_and_combine, SHIFT_LOGIC(shift, logic), 0, 1, U64, U64, U8, U64)
#define TWO(type) type, type
#define ONE(type) type

static const NornValhallRow rows[] = {
    /* integers */
    ROWS_UNSIGNED(IADD, integer_add, TWO),
    ROWS_SIGNED(IADD, integer_add, TWO),
    ROWS_64(IADD, integer_add),
    ROWS_UNSIGNED(ISUB, integer_subtract, TWO),
    ROWS_SIGNED(ISUB, integer_subtract, TWO),
    ROWS_64(ISUB, integer_subtract),
    ROWS_UNSIGNED(HADD, half_add, TWO),
    ROWS_SIGNED(HADD, half_add, TWO),
    ROW(IMUL_I32, integer_multiply, 0, 0, 1, U32, U32, U32),
    ROW(IMUL_V2I16, integer_multiply, 0, 0, 2, U16, U16, U16),
    ROW(IMUL_V4I8, integer_multiply, 0, 0, 4, U8, U8, U8),
    ROWS_SIGNED(IMUL, integer_multiply, TWO),
    ROW(IMULD_U64, integer_multiply, 0, 0, 1, U64, U64, U64),
    ROW(IMUL_S64, integer_multiply, 0, 0, 1, S64, S64, S64),
    ROW(IADD_IMM_I32, integer_add, 0, IMMEDIATE, 1, U32, U32, U32),
    ROW(IADD_IMM_V2I16, integer_add, 0, IMMEDIATE, 2, U16, U16, U16),
    ROW(IADD_IMM_V4I8, integer_add, 0, IMMEDIATE, 4, U8, U8, U8),
    ROWS_SIGNED(IABS, integer_absolute, ONE),
    ROW(IDP_V4S8, dot_product, 0, 0, 1, S32, U32, U32, U32),
    ROW(IDP_V4U8, dot_product, 0, 0, 1, U32, U32, U32, U32),
    ROWS_64(SHADDX, shift_add_extended),
    ROW(SEG_ADD_U64, segment_add, 0, 0, 1, U64, U64, U64),
    ROWS_UNSIGNED(CLZ, leading_zeros, ONE),
    ROW(POPCOUNT_I32, population_count, 0, 0, 1, U32, U32),
    ROW(BITREV_I32, bit_reverse, 0, 0, 1, U32, U32),
    ROW(NOT_OLD_I32, complement, 0, 0, 1, U32, U32),
    ROW(NOT_OLD_I64, complement, 0, 0, 1, U64, U64),

    /* moves and logic */
    ROW(MOV_I32, move, 0, 0, 1, U32, U32),
    ROW(MKVEC_V2I16, pick_source_of_lane, 0, SOURCE_PER_LANE, 2, U16, U16, U16),
    ROW(MKVEC_V2I8, make_bytes, 0, 0, 1, U32, U8, U8, U16),
    ROW(AND_IMM_I32, combine_immediate, OP_AND, IMMEDIATE, 1, U32, U32, U32),
    ROW(OR_IMM_I32, combine_immediate, OP_OR, IMMEDIATE, 1, U32, U32, U32),
    ROW(XOR_IMM_I32, combine_immediate, OP_XOR, IMMEDIATE, 1, U32, U32, U32),
    ROWS_SHIFT(LSHIFT_AND, SHIFT_LEFT, OP_AND),
    ROWS_SHIFT(LSHIFT_OR, SHIFT_LEFT, OP_OR),
    ROWS_SHIFT(LSHIFT_XOR, SHIFT_LEFT, OP_XOR),
    ROWS_SHIFT(RSHIFT_AND, SHIFT_RIGHT, OP_AND),
    ROWS_SHIFT(RSHIFT_OR, SHIFT_RIGHT, OP_OR),
    ROWS_SHIFT(RSHIFT_XOR, SHIFT_RIGHT, OP_XOR),
    ROWS_SHIFT(LROT_AND, ROTATE_LEFT, OP_AND),
    ROWS_SHIFT(LROT_OR, ROTATE_LEFT, OP_OR),
    ROWS_SHIFT(LROT_XOR, ROTATE_LEFT, OP_XOR),
    ROWS_SHIFT(RROT_AND, ROTATE_RIGHT, OP_AND),
    ROWS_SHIFT(RROT_OR, ROTATE_RIGHT, OP_OR),
    ROWS_SHIFT(RROT_XOR, ROTATE_RIGHT, OP_XOR),
    ROW(MUX_I32, multiplex, 0, 0, 1, U32, U32, U32, U32),
    ROW(MUX_V2I16, multiplex, 0, 0, 2, U16, U16, U16, U16),
    ROW(MUX_V4I8, multiplex, 0, 0, 4, U8, U8, U8, U8),

    /* comparison */
    ROWS_COMPARE(ICMP_OR, compare_or),
    ROWS_COMPARE(ICMP_AND, compare_and),
    ROW(ICMP_MULTI_U32, compare_chained, 0, 0, 1, U32, U32, U32, U32),
    ROW(ICMP_MULTI_S32, compare_chained, 0, 0, 1, U32, S32, S32, U32),
    ROW(FCMP_OR_F32, compare_or, 0, 0, 1, U32, F32, F32, U32),
    ROW(FCMP_OR_V2F16, compare_or, 0, 0, 2, U16, F16, F16, U16),
    ROW(FCMP_AND_F32, compare_and, 0, 0, 1, U32, F32, F32, U32),
    ROW(FCMP_AND_V2F16, compare_and, 0, 0, 2, U16, F16, F16, U16),
    ROW(CSEL_U32, select_by_condition, 0, 0, 1, U32, U32, U32, U32, U32),
    ROW(CSEL_V2U16, select_by_condition, 0, 0, 2, U16, U16, U16, U16, U16),
    ROW(CSEL_S32, select_by_condition, 0, 0, 1, U32, S32, S32, U32, U32),
    ROW(CSEL_V2S16, select_by_condition, 0, 0, 2, U16, S16, S16, U16, U16),
    ROW(CSEL_F32, select_by_condition, 0, RAW_FLOATS, 1, U32, F32, F32, U32, U32),
    ROW(CSEL_V2F16, select_by_condition, 0, RAW_FLOATS, 2, U16, F16, F16, U16, U16),
    ROW(DISCARD_F32, test_condition, 0, 0, 1, U32, F32, F32),

    /* floats */
    ROW(FADD_F32, float_add, 0, NARROWS, 1, F32, F32, F32),
    ROW(FADD_V2F16, float_add, 0, 0, 2, F16, F16, F16),
    ROW(FADD_IMM_F32, float_add, 0, IMMEDIATE, 1, F32, F32, F32),
    ROW(FADD_IMM_V2F16, float_add, 0, IMMEDIATE, 2, F16, F16, F16),
    ROW(FMA_F32, float_fma, 0, NARROWS, 1, F32, F32, F32, F32),
    ROW(FMA_V2F16, float_fma, 0, 0, 2, F16, F16, F16, F16),
    ROW(FMIN_F32, float_minimum, 0, 0, 1, F32, F32, F32),
    ROW(FMIN_V2F16, float_minimum, 0, 0, 2, F16, F16, F16),
    ROW(FMAX_F32, float_maximum, 0, 0, 1, F32, F32, F32),
    ROW(FMAX_V2F16, float_maximum, 0, 0, 2, F16, F16, F16),
    ROW(FROUND_F32, float_round, 0, KEEPS_SINCE_11, 1, F32, F32),
    ROW(FROUND_V2F16, float_round, 0, 0, 2, F16, F16),
    ROW(FLUSH_F32, float_flush, 0, 0, 1, F32, F32),
    ROW(FLUSH_V2F16, float_flush, 0, 0, 2, F16, F16),
    ROW(LDEXP_F32, float_ldexp, 0, 0, 1, F32, F32, S32),
    ROW(LDEXP_V2F16, float_ldexp, 0, 0, 2, F16, F16, S16),
    ROW(FADD_LSCALE_F32, add_log_scaled, 0, NARROWS, 1, F32, F32, F32),
    ROW(FMA_RSCALE_F32, float_fma_scale, RSCALE, 0, 1, F32, F32, F32, F32, S32),
    ROW(FMA_RSCALE_N_F32, float_fma_scale, RSCALE_N, 0, 1, F32, F32, F32, F32, S32),
    ROW(FMA_RSCALE_LEFT_F32, float_fma_scale, RSCALE_LEFT, 0, 1, F32, F32, F32, F32, S32),
    ROW(FREXPM_F32, fraction_of, 0, 0, 1, F32, F32),
    ROW(FREXPM_V2F16, fraction_of, 0, 0, 2, F16, F16),
    ROW(FREXPE_F32, exponent_of, 0, 0, 1, S32, F32),
    ROW(FREXPE_V2F16, exponent_of, 0, 0, 2, S16, F16),

    /* conversions */
    ROW(F32_TO_S32, float_to_integer, 0, 0, 1, S32, F32),
    ROW(F32_TO_U32, float_to_integer, 0, 0, 1, U32, F32),
    ROW(F16_TO_S32, float_to_integer, 0, 0, 1, S32, F16),
    ROW(F16_TO_U32, float_to_integer, 0, 0, 1, U32, F16),
    ROW(V2F16_TO_V2S16, float_to_integer, 0, 0, 2, S16, F16),
    ROW(V2F16_TO_V2U16, float_to_integer, 0, 0, 2, U16, F16),
    ROW(S32_TO_F32, integer_to_float, 0, 0, 1, F32, S32),
    ROW(U32_TO_F32, integer_to_float, 0, 0, 1, F32, U32),
    ROW(S16_TO_F32, integer_to_float, 0, 0, 1, F32, S16),
    ROW(U16_TO_F32, integer_to_float, 0, 0, 1, F32, U16),
    ROW(S8_TO_F32, integer_to_float, 0, 0, 1, F32, S8),
    ROW(U8_TO_F32, integer_to_float, 0, 0, 1, F32, U8),
    ROW(V2S16_TO_V2F16, integer_to_float, 0, 0, 2, F16, S16),
    ROW(V2U16_TO_V2F16, integer_to_float, 0, 0, 2, F16, U16),
    ROW(V2S8_TO_V2F16, integer_to_float, 0, 0, 2, F16, S8),
    ROW(V2U8_TO_V2F16, integer_to_float, 0, 0, 2, F16, U8),
    ROW(S16_TO_S32, integer_widen, 0, 0, 1, S32, S16),
    ROW(U16_TO_U32, integer_widen, 0, 0, 1, U32, U16),
    ROW(S8_TO_S32, integer_widen, 0, 0, 1, S32, S8),
    ROW(U8_TO_U32, integer_widen, 0, 0, 1, U32, U8),
    ROW(V2S8_TO_V2S16, integer_widen, 0, 0, 2, S16, S8),
    ROW(V2U8_TO_V2U16, integer_widen, 0, 0, 2, U16, U8),
    ROW(F16_TO_F32, half_to_float, 0, 0, 1, F32, F16),
    ROW(V2F32_TO_V2F16, floats_to_halves, 0, SOURCE_PER_LANE, 2, F16, F32, F32),

    /* special functions */
    ROW(FRCP_F32, reciprocal, 0, FLUSHES, 1, F32, F32),
    ROW(FRCP_F16, reciprocal, 0, SCALAR_HALF, 1, F16, F16),
    ROW(FRSQ_F32, reciprocal_sqrt, 0, FLUSHES, 1, F32, F32),
    ROW(FRSQ_F16, reciprocal_sqrt, 0, SCALAR_HALF, 1, F16, F16),
    ROW(FLOGD_F32, log_divided, 0, 0, 1, F32, F32),
    ROW(FLOG_TABLE_F32, log_table, 0, 0, 1, F32, F32),
    ROW(FRCP_APPROX_F32, approximate_reciprocal, 0, 0, 1, F32, F32),
    ROW(FRSQ_APPROX_F32, approximate_reciprocal_sqrt, 0, 0, 1, F32, F32),
    ROW(FEXP_F32, exponential, 0, 0, 1, F32, S32, F32),
    ROW(FSQRT_F32, square_root, 0, FLUSHES, 1, F32, F32),
    ROW(FLOG_F32, logarithm, 0, 0, 1, F32, F32),
    ROW(FLOG_F16, logarithm, 0, SCALAR_HALF, 1, F16, F16),
    ROW(FEXPF_F32, exponential_of_float, 0, 0, 1, F32, F32),
    ROW(FPOW_F16, power, 0, SCALAR_HALF, 1, F16, F16, F16),
    ROW(FEXP_TABLE_U4, exponential_table, 0, 0, 1, F32, U32),
    ROW(FSIN_TABLE_U6, sine_table, 0, 0, 1, F32, U32),
    ROW(FCOS_TABLE_U6, cosine_table, 0, 0, 1, F32, U32),
    ROW(CUBEFACE1, cube_magnitude, 0, 0, 1, F32, F32, F32, F32),
    ROW(CUBEFACE2_V9, cube_face, 0, 0, 1, U32, F32, F32, F32),
    ROW(CUBE_SSEL, cube_s, 0, 0, 1, F32, F32, F32, U32),
    ROW(CUBE_TSEL, cube_t, 0, 0, 1, F32, F32, F32, U32),

    /* other lanes, and branches, whose function is apart */
    ROW(CLPER_I32, NO_FUNCTION, EXCHANGE_PERMUTE, EXCHANGE, 1, U32, U32, U8),
    ROW(WMASK, NO_FUNCTION, EXCHANGE_BALLOT, EXCHANGE, 1, U32, U32),
    ROW(BRANCHZ, NO_FUNCTION, 0, 0, 1, U32, U32),
    ROW(BRANCHZI, NO_FUNCTION, 0, 0, 1, U32, U32, U32),
};

const NornValhallRow *
norn_valhall_row(uint16_t instruction) {
  return instruction < G_N_ELEMENTS(rows) && rows[instruction].lanes ? &rows[instruction] : NULL;
}

/* --- Undefined bits --- */

/* Which bits of a lane's result are undefined, given the sources and the masks of their undefined
 * bits. */
typedef uint64_t (*UndefinedFunction)(const NornValhallLane *lane, const uint64_t *s,
                                      const uint64_t *u);

static uint64_t
undefined_move(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  (void)lane, (void)s;
  return u[0];
}

static uint64_t
undefined_source_of_lane(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  (void)s;
  return u[lane->index];
}

static uint64_t
undefined_bytes(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  (void)s;
  return make_bytes(lane, u);
}

/* A defined 0 decides a conjunction, a defined 1 a disjunction. */
static uint64_t
undefined_combination(unsigned logic, const uint64_t s[2], const uint64_t u[2]) {
  switch (logic) {
  case OP_AND:
    return (u[0] & (s[1] | u[1])) | (u[1] & (s[0] | u[0]));
  case OP_OR:
    return (u[0] & (~s[1] | u[1])) | (u[1] & (~s[0] | u[0]));
  default:
    return u[0] | u[1];
  }
}

static uint64_t
undefined_shift(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  unsigned width = result_width(lane), kind = shift_kind(lane);
  if (u[1] & (width - 1))
    return norn_int_mask(width);
  const uint64_t sources[] = {shifted(kind, s[0], s[1], width), s[2]};
  const uint64_t undefined[] = {shifted(kind, u[0], s[1], width), u[2]};
  return undefined_combination(lane->row->parameter & 3, sources, undefined);
}

static uint64_t
undefined_immediate(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  return undefined_combination(lane->row->parameter, s, u);
}

static uint64_t
undefined_multiplex(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  unsigned width = result_width(lane);
  if (modifier(lane, NORN_VALHALL_MODIFIER_MUX) == NORN_VALHALL_MUX_BIT)
    return (u[0] & (s[2] | u[2])) | (u[1] & (~s[2] | u[2])) | (u[2] & (s[0] ^ s[1]));
  const uint64_t choice[] = {u[0], u[1], s[2]};
  return u[2] ? norn_int_mask(width) : multiplex(lane, choice);
}

static uint64_t
undefined_selection(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  if (u[0] | u[1])
    return norn_int_mask(result_width(lane));
  return condition_holds(lane, s) ? u[2] : u[3];
}

/* A sum or difference is right below its lowest undefined bit. */
static uint64_t
undefined_sum(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  (void)s;
  uint64_t lowest = (u[0] | u[1]) & -(u[0] | u[1]);
  if (lowest && modifier(lane, NORN_VALHALL_MODIFIER_SATURATE))
    return norn_int_mask(result_width(lane));
  return lowest ? ~(lowest - 1) : 0;
}

/* A product is right below its lowest undefined bit: of one factor, times the lowest bit that is
 * set or undefined in the other one. */
static uint64_t
undefined_product(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  uint64_t lowest[2], mask = norn_int_mask(result_width(lane));
  if ((u[0] | u[1]) && modifier(lane, NORN_VALHALL_MODIFIER_SATURATE))
    return mask;
  for (unsigned k = 0; k < 2; k++) {
    uint64_t other = (s[1 - k] | u[1 - k]) & mask;
    lowest[k] = (u[k] & -u[k]) * (other & -other);
  }
  uint64_t below = MIN(lowest[0] - 1, lowest[1] - 1); /* all bits where there is none */
  return ~below;
}

/* The functions that leave some bits of their results defined where bits of a source are not. */
static const struct {
  NornValhallLaneFunction function;
  UndefinedFunction undefined;
} bit_functions[] = {
    {move_of_warp, undefined_move},
    {pick_source_of_lane_of_warp, undefined_source_of_lane},
    {make_bytes_of_warp, undefined_bytes},
    {shift_and_combine_of_warp, undefined_shift},
    {combine_immediate_of_warp, undefined_immediate},
    {multiplex_of_warp, undefined_multiplex},
    {integer_add_of_warp, undefined_sum},
    {integer_subtract_of_warp, undefined_sum},
    {integer_multiply_of_warp, undefined_product},
    {select_by_condition_of_warp, undefined_selection},
};

uint64_t
norn_valhall_undefined_lane(const NornValhallLane *lane, const uint64_t *s, const uint64_t *u) {
  const uint8_t *types = lane->row->source;
  uint64_t any = 0;
  for (unsigned i = 0; i < G_N_ELEMENTS(bit_functions); i++)
    if (bit_functions[i].function == lane->row->function)
      return norn_int_truncate(bit_functions[i].undefined(lane, s, u), result_width(lane));
  for (unsigned k = 0; k < NORN_VALHALL_SOURCES && types[k] != NO_LANE; k++)
    any |= lane->row->flags & SOURCE_PER_LANE && k != lane->index ? 0 : u[k];
  return any ? norn_int_mask(result_width(lane)) : 0;
}
