/* Expansions of float operations and conversions on a machine that computes in f32.
 *
 * Operations on halves that only guarantee an accuracy are computed in f32 and narrowed. Correctly
 * rounded ones are only if that cannot round twice. Conversions of 64-bit integers use their two
 * words. */
#include "ir/numeric.h"
#include "passes/lower/short_names.h"

/* Bits of floats. */
#define TWO_TO_32 0x4F800000
#define TWO_TO_MINUS_32 0x2F800000
#define TWO_TO_63 0x5F000000
#define TWO_TO_64 0x5F800000

/* 1 or -1 in the type of the operation. */
static NornRef
one_of(NornLowering *l, bool is_negative) {
  NornFloatFormat format = norn_float_of_width(norn_lane_width(l->type));
  return CONSTANT(l->type, norn_float_one(format, is_negative));
}

static NornRef
widen(NornLowering *l, NornRef half) {
  return ROUNDED(FPCONV, F32, F16, RTE, half);
}

/* Narrows a result; operations that do not round as the module requires are exact. */
static NornRef
narrow(NornLowering *l, NornRef word) {
  bool rounds = norn_ops[l->op].flags & NORN_OP_ROUNDS;
  unsigned rounding = rounds ? (unsigned)l->module->rounding : NORN_ROUND_RTE;
  return norn_lower_emit(l, NORN_OP_FPCONV, F16, F32, rounding, word, 0, 0);
}

/* Computes in f32; for operations that are exact or only guarantee an accuracy. */
static NornRef
through_words(NornLowering *l) {
  NornRef a = widen(l, l->a), b = l->b ? widen(l, l->b) : 0;
  return narrow(l, norn_lower_emit(l, l->op, F32, NORN_TYPE_VOID, l->modifier, a, b, 0));
}

static NornRef
lower_approximate(NornLowering *l, NornRef *more) {
  (void)more;
  return norn_is_packed(l->type) ? norn_lower_by_lane(l) : l->type == F16 ? through_words(l) : 0;
}

bool
norn_lower_can_round(const NornModule *module, NornOp op, NornType type, unsigned modifier) {
  const NornOpInfo *info = &norn_ops[op];
  bool is_half = op == NORN_OP_PACK_HALF ||
                 (info->source_types && norn_types[type].class == NORN_CLASS_FLOAT &&
                  norn_lane_width(type) == 16);
  return info->modifier != NORN_MODIFIER_ROUND || modifier != NORN_ROUND_RNA || !is_half ||
         module->denormals == NORN_DENORMALS_PRESERVE;
}

static bool
can_round_half(const NornLowering *l) {
  return norn_lower_can_round(l->module, l->op, l->type, l->modifier);
}

/* --- Arithmetic --- */

static NornRef
lower_quotient(NornLowering *l, NornRef *more) {
  if (l->type != F32)
    return lower_approximate(l, more);
  return TWO(FMUL, F32, l->a, ONE(FRCP, F32, l->b));
}

static NornRef
lower_root(NornLowering *l, NornRef *more) {
  if (l->type != F32)
    return lower_approximate(l, more);
  return ONE(FRCP, F32, ONE(FRSQ, F32, l->a));
}

static NornRef
lower_fraction(NornLowering *l, NornRef *more) {
  (void)more;
  NornRef floor =
      norn_lower_emit(l, NORN_OP_FROUND, l->type, NORN_TYPE_VOID, NORN_ROUND_RTN, l->a, 0, 0);
  return TWO(FSUB, l->type, l->a, floor);
}

static NornRef
lower_sign(NornLowering *l, NornRef *more) {
  (void)more;
  if (norn_is_packed(l->type))
    return norn_lower_by_lane(l);
  NornRef zero = CONSTANT(l->type, 0), one = one_of(l, false), minus_one = one_of(l, true);
  NornRef below = THREE(SELECT, l->type, FCMP(OLT, l->type, l->a, zero), minus_one, zero);
  return THREE(SELECT, l->type, FCMP(OGT, l->type, l->a, zero), one, below);
}

/* a * 2^b. As f32 the product is exact if b is limited to a range that takes any half out of its
 * own range. */
static NornRef
lower_scaling(NornLowering *l, NornRef *more) {
  (void)more;
  if (l->type != F16)
    return 0;
  NornRef clamped = TWO(SMAX, I32, l->b, CONSTANT(I32, UINT64_MAX - 63));
  NornRef exponent = TWO(SMIN, I32, clamped, CONSTANT(I32, 64));
  return narrow(l, TWO(FLDEXP, F32, widen(l, l->a), exponent));
}

/* Mantissa and exponent, computed from the bits, since subnormals must not be flushed. */
static NornRef
lower_parts(NornLowering *l, NornRef *more) {
  if (l->type != F16 && l->type != F32)
    return 0;
  bool is_half = l->type == F16;
  unsigned mantissa_bits = is_half ? 10 : 23, width = is_half ? 16 : 32, bias = is_half ? 14 : 126;
  uint32_t sign = 1u << (width - 1), infinity = (sign - 1) & ~((1u << mantissa_bits) - 1);
  NornRef bits = is_half
                     ? CONVERT(ZEXT, I32, NORN_TYPE_I16, CONVERT(BITCAST, NORN_TYPE_I16, F16, l->a))
                     : CONVERT(BITCAST, I32, F32, l->a);
  NornRef magnitude = TWO(AND, I32, bits, CONSTANT(I32, sign - 1));
  /* The distance of the highest set bit of a subnormal from the implicit bit; 0 for normal
   * numbers. */
  NornRef zeros = ONE(CLZ, I32, magnitude);
  NornRef missing = TWO(ISUB, I32, zeros, CONSTANT(I32, 31 - mantissa_bits));
  missing = TWO(SMAX, I32, missing, CONSTANT(I32, 0));
  NornRef scaled = TWO(SHL, I32, magnitude, missing);
  NornRef field = TWO(LSHR, I32, magnitude, CONSTANT(I32, mantissa_bits));
  field = TWO(SMAX, I32, field, CONSTANT(I32, 1));
  NornRef exponent = TWO(ISUB, I32, TWO(ISUB, I32, field, CONSTANT(I32, bias)), missing);
  NornRef mantissa = TWO(AND, I32, scaled, CONSTANT(I32, (1u << mantissa_bits) - 1));
  NornRef half = TWO(OR, I32, mantissa, CONSTANT(I32, bias << mantissa_bits));
  NornRef result = TWO(OR, I32, half, TWO(AND, I32, bits, CONSTANT(I32, sign)));
  /* For zeros, infinities and NaN, magnitude - 1 is not less than infinity - 1. */
  NornRef less = TWO(ISUB, I32, magnitude, CONSTANT(I32, 1));
  NornRef is_number = ICMP(ULT, I32, less, CONSTANT(I32, infinity - 1));
  NornRef is_nan = ICMP(UGT, I32, magnitude, CONSTANT(I32, infinity));
  NornRef other =
      THREE(SELECT, I32, is_nan, CONSTANT(I32, infinity | 1u << (mantissa_bits - 1)), bits);
  result = THREE(SELECT, I32, is_number, result, other);
  more[0] = THREE(SELECT, I32, is_number, exponent, CONSTANT(I32, 0));
  if (!is_half)
    return CONVERT(BITCAST, F32, I32, result);
  return CONVERT(BITCAST, F16, NORN_TYPE_I16, CONVERT(TRUNC, NORN_TYPE_I16, I32, result));
}

/* Conversion to a half with ties away from zero: finds the half below, and whether the rest is at
 * least half of the distance to the next one. */
static NornRef
lower_narrowing(NornLowering *l, NornRef *more) {
  enum { LARGEST = 0x7BFF, SIGN = 0x8000, NOT_A_NUMBER = 0x7E00, LARGEST_STEP = 0x42000000 };
  (void)more;
  const NornType i16 = NORN_TYPE_I16;
  if (l->type == l->source_type &&
      norn_type_bits(l->type) <= 32) /* only NaN and subnormals change */
    return TWO(FMUL, l->type, l->a, one_of(l, false));
  if (l->type != F16 || l->source_type != F32 || l->modifier != NORN_ROUND_RNA ||
      !can_round_half(l))
    return 0;
  NornRef magnitude = ONE(FABS, F32, l->a);
  NornRef below = ROUNDED(FPCONV, F16, F32, RTZ, magnitude);
  NornRef bits = CONVERT(ZEXT, I32, i16, CONVERT(BITCAST, i16, F16, below));
  NornRef next_bits = CONVERT(TRUNC, i16, I32, TWO(IADD, I32, bits, CONSTANT(I32, 1)));
  NornRef next = widen(l, CONVERT(BITCAST, F16, i16, next_bits));
  NornRef start = widen(l, below);
  NornRef is_largest = ICMP(EQ, I32, bits, CONSTANT(I32, LARGEST));
  NornRef step =
      THREE(SELECT, F32, is_largest, CONSTANT(F32, LARGEST_STEP), TWO(FSUB, F32, next, start));
  NornRef rest = TWO(FSUB, F32, magnitude, start);
  NornRef is_up = FCMP(OGE, F32, TWO(FADD, F32, rest, rest), step);
  NornRef rounded = TWO(IADD, I32, bits, CONVERT(ZEXT, I32, I1, is_up));
  NornRef high = TWO(LSHR, I32, CONVERT(BITCAST, I32, F32, l->a), CONSTANT(I32, 16));
  NornRef result = TWO(OR, I32, rounded, TWO(AND, I32, high, CONSTANT(I32, SIGN)));
  NornRef is_ordered = FCMP(ORD, F32, l->a, l->a);
  result = THREE(SELECT, I32, is_ordered, result, CONSTANT(I32, NOT_A_NUMBER));
  return CONVERT(BITCAST, F16, i16, CONVERT(TRUNC, i16, I32, result));
}

/* Tests for classes that one comparison distinguishes: of the operand with itself, or of its
 * magnitude with infinity. None depends on whether subnormals are flushed. 0 if there is none for
 * these classes. */
static NornRef
compare_class(NornLowering *l, uint64_t classes) {
  enum { NANS = 0x003, INFINITIES = 0x204, ALL = 0x3FF };
  static const struct {
    uint16_t classes;
    bool is_magnitude;
    uint8_t condition;
  } comparisons[] = {
      {NANS, false, NORN_FLOAT_CONDITION_UNE},
      {ALL & ~NANS, false, NORN_FLOAT_CONDITION_OEQ},
      {INFINITIES, true, NORN_FLOAT_CONDITION_OEQ},
      {ALL & ~INFINITIES, true, NORN_FLOAT_CONDITION_UNE},
      {NANS | INFINITIES, true, NORN_FLOAT_CONDITION_UGE},
      {ALL & ~(NANS | INFINITIES), true, NORN_FLOAT_CONDITION_OLT},
  };
  for (unsigned k = 0; k < G_N_ELEMENTS(comparisons); k++) {
    if (comparisons[k].classes != (classes & ALL))
      continue;
    NornRef a = comparisons[k].is_magnitude ? ONE(FABS, l->type, l->a) : l->a;
    NornRef b = comparisons[k].is_magnitude
                    ? CONSTANT(l->type, l->type == F32 ? 0x7F800000 : 0x7C00)
                    : l->a;
    return norn_lower_fcmp(l, comparisons[k].condition, l->type, a, b);
  }
  return 0;
}

/* Uses a comparison if possible, else bit tests: a class is a range of the magnitude, and a sign.
 * Adjacent ranges with the same signs are merged. */
static NornRef
lower_class(NornLowering *l, NornRef *more) {
  (void)more;
  static const struct {
    uint32_t first[2], last[2]; /* magnitudes, of f16 and f32 */
    int8_t negative, positive;  /* the class's bit */
  } ranges[] = {
      {{0, 0}, {0, 0}, 5, 6},
      {{1, 1}, {0x3FF, 0x7FFFFF}, 4, 7},
      {{0x400, 0x800000}, {0x7BFF, 0x7F7FFFFF}, 3, 8},
      {{0x7C00, 0x7F800000}, {0x7C00, 0x7F800000}, 2, 9},
      {{0x7C01, 0x7F800001}, {0x7DFF, 0x7FBFFFFF}, 0, 0},
      {{0x7E00, 0x7FC00000}, {0x7FFF, 0x7FFFFFFF}, 1, 1},
  };
  if ((l->type != F16 && l->type != F32) || !norn_is_constant(l->b))
    return 0;
  bool is_word = l->type == F32;
  uint64_t classes = norn_constant_bits(l->module, l->b);
  NornRef result = compare_class(l, classes);
  if (result)
    return result;
  NornType integer = is_word ? I32 : NORN_TYPE_I16;
  NornRef bits = CONVERT(BITCAST, integer, l->type, l->a);
  NornRef magnitude = TWO(AND, integer, bits, CONSTANT(integer, is_word ? 0x7FFFFFFF : 0x7FFF));
  NornRef is_negative = ICMP(SLT, integer, bits, CONSTANT(integer, 0));
  result = norn_constant(l->module, 0);
  for (unsigned k = 0; k < G_N_ELEMENTS(ranges); k++) {
    bool negative = classes >> ranges[k].negative & 1, positive = classes >> ranges[k].positive & 1;
    if (!negative && !positive)
      continue;
    uint32_t first = ranges[k].first[is_word];
    while (k + 1 < G_N_ELEMENTS(ranges) && (classes >> ranges[k + 1].negative & 1) == negative &&
           (classes >> ranges[k + 1].positive & 1) == positive)
      k++;
    NornRef offset = TWO(ISUB, integer, magnitude, CONSTANT(integer, first));
    NornRef is_in = ICMP(ULE, integer, offset, CONSTANT(integer, ranges[k].last[is_word] - first));
    if (!positive)
      is_in = TWO(AND, I1, is_in, is_negative);
    if (!negative)
      is_in = TWO(AND, I1, is_in, ONE(NOT, I1, is_negative));
    result = TWO(OR, I1, result, is_in);
  }
  return result;
}

/* --- Integers to floats --- */

/* The highest 32 bits of a magnitude, with the lowest one set if any cut bit is: rounding them
 * rounds the whole. *shift: the left shift that was applied. */
static NornRef
highest_bits(NornLowering *l, NornRef magnitude, NornRef *shift) {
  NornRef words[2];
  NornRef zeros = ONE(CLZ, I64, magnitude);
  NornRef top = TWO(SHL, I64, magnitude, zeros);
  norn_lower_split(l, top, words);
  NornRef rest = ICMP(NE, I32, words[0], CONSTANT(I32, 0));
  *shift = CONVERT(TRUNC, I32, I64, zeros);
  return TWO(OR, I32, words[1], CONVERT(ZEXT, I32, I1, rest));
}

/* A 64-bit magnitude as f32. */
static NornRef
magnitude_to_float(NornLowering *l, NornRef bits, NornRef shift, unsigned round) {
  NornRef value = norn_lower_emit(l, NORN_OP_UITOFP, F32, I32, round, bits, 0, 0);
  return TWO(FLDEXP, F32, value, TWO(ISUB, I32, CONSTANT(I32, 32), shift));
}

static NornRef
long_to_float(NornLowering *l, bool is_signed, unsigned round) {
  NornRef shift;
  if (!is_signed) {
    NornRef bits = highest_bits(l, l->a, &shift);
    NornRef value = magnitude_to_float(l, bits, shift, round);
    return THREE(SELECT, F32, ICMP(EQ, I64, l->a, CONSTANT(I64, 0)), CONSTANT(F32, 0), value);
  }
  /* Rounding up and down are swapped for negative numbers. */
  unsigned mirrored = round == NORN_ROUND_RTP   ? NORN_ROUND_RTN
                      : round == NORN_ROUND_RTN ? NORN_ROUND_RTP
                                                : round;
  NornRef bits = highest_bits(l, ONE(IABS, I64, l->a), &shift);
  NornRef positive = magnitude_to_float(l, bits, shift, round);
  NornRef negative = mirrored == round ? positive : magnitude_to_float(l, bits, shift, mirrored);
  NornRef is_negative = ICMP(SLT, I64, l->a, CONSTANT(I64, 0));
  NornRef value = THREE(SELECT, F32, is_negative, ONE(FNEG, F32, negative), positive);
  return THREE(SELECT, F32, ICMP(EQ, I64, l->a, CONSTANT(I64, 0)), CONSTANT(F32, 0), value);
}

static NornRef
lower_from_integer(NornLowering *l, NornRef *more) {
  (void)more;
  bool is_signed = l->op == NORN_OP_SITOFP;
  if (norn_lane_width(l->type) == 16 && !can_round_half(l))
    return 0;
  if (norn_is_packed(l->type) || norn_is_packed(l->source_type))
    return norn_is_packed(l->type) && norn_types[l->type].lanes == 2 ? norn_lower_by_lane(l) : 0;
  if (l->type == F32)
    return l->source_type == I64 ? long_to_float(l, is_signed, l->modifier) : 0;
  if (l->type != F16)
    return 0;
  /* Numbers that a float cannot hold exactly are too large for a half anyway. */
  NornRef word = norn_lower_emit(l, l->op, F32, l->source_type, NORN_ROUND_RTZ, l->a, 0, 0);
  return norn_lower_emit(l, NORN_OP_FPCONV, F16, F32, l->modifier, word, 0, 0);
}

/* --- Floats to integers --- */

static NornRef
float_to_long(NornLowering *l, bool is_signed) {
  NornRef whole = norn_lower_emit(l, NORN_OP_FROUND, F32, NORN_TYPE_VOID, l->modifier, l->a, 0, 0);
  NornRef magnitude = ONE(FABS, F32, whole);
  NornRef high =
      ROUNDED(FPTOUI, I32, F32, RTZ, TWO(FMUL, F32, magnitude, CONSTANT(F32, TWO_TO_MINUS_32)));
  NornRef high_float = ROUNDED(UITOFP, F32, I32, RTZ, high);
  NornRef rest = THREE(FMA, F32, high_float, CONSTANT(F32, TWO_TO_32 | 0x80000000), magnitude);
  NornRef low = ROUNDED(FPTOUI, I32, F32, RTZ, rest);
  NornRef value = norn_lower_join(l, low, high);
  NornRef is_negative = FCMP(OLT, F32, whole, CONSTANT(F32, 0));
  NornRef limit = CONSTANT(F32, is_signed ? TWO_TO_63 : TWO_TO_64);
  NornRef is_large = FCMP(OGE, F32, magnitude, limit);
  if (!is_signed) {
    value = THREE(SELECT, I64, is_large, CONSTANT(I64, UINT64_MAX), value);
    return THREE(SELECT, I64, is_negative, CONSTANT(I64, 0), value);
  }
  value = THREE(SELECT, I64, is_large, CONSTANT(I64, INT64_MAX), value);
  NornRef negated =
      THREE(SELECT, I64, is_large, CONSTANT(I64, (uint64_t)INT64_MIN), ONE(INEG, I64, value));
  return THREE(SELECT, I64, is_negative, negated, value);
}

static NornRef
lower_to_integer(NornLowering *l, NornRef *more) {
  (void)more;
  bool is_signed = l->op == NORN_OP_FPTOSI;
  if (norn_is_packed(l->type))
    return norn_types[l->type].lanes == 2 ? norn_lower_by_lane(l) : 0;
  if (l->source_type == F16)
    return norn_lower_emit(l, l->op, l->type, F32, l->modifier, widen(l, l->a), 0, 0);
  if (l->source_type != F32)
    return 0;
  if (l->type == I64)
    return float_to_long(l, is_signed);
  NornRef word = norn_lower_emit(l, l->op, I32, F32, l->modifier, l->a, 0, 0);
  return norn_lower_emit(l, is_signed ? NORN_OP_SSAT : NORN_OP_USAT, l->type, I32, 0, word, 0, 0);
}

/* --- Packing --- */

static NornRef
lower_pack(NornLowering *l, NornRef *more) {
  (void)more;
  bool is_signed = l->op == NORN_OP_PACK_SNORM8 || l->op == NORN_OP_PACK_SNORM16;
  bool is_bytes = l->op == NORN_OP_PACK_UNORM8 || l->op == NORN_OP_PACK_SNORM8;
  unsigned count = is_bytes ? 4 : 2;
  NornType vector = is_bytes ? NORN_TYPE_V4I8 : NORN_TYPE_V2I16;
  NornType lane = is_bytes ? NORN_TYPE_I8 : NORN_TYPE_I16;
  /* 255, 127, 65535, 32767 */
  uint32_t scale =
      is_bytes ? (is_signed ? 0x42FE0000 : 0x437F0000) : (is_signed ? 0x46FFFE00 : 0x477FFF00);
  NornRef operands[4] = {l->a, l->b, l->c, l->d}, parts[4];
  for (unsigned k = 0; k < count; k++) {
    NornRef bounded =
        norn_lower_one(l, is_signed ? NORN_OP_FSAT_SIGNED : NORN_OP_FSAT, F32, operands[k]);
    NornRef scaled = TWO(FMUL, F32, bounded, CONSTANT(F32, scale));
    NornRef word = norn_lower_emit(l, is_signed ? NORN_OP_FPTOSI : NORN_OP_FPTOUI, I32, F32,
                                   NORN_ROUND_RTE, scaled, 0, 0);
    parts[k] = CONVERT(TRUNC, lane, I32, word);
  }
  return CONVERT(BITCAST, I32, vector, norn_lower_pack_lanes(l, vector, lane, parts));
}

static NornRef
lower_unpack(NornLowering *l, NornRef *more) {
  bool is_signed = l->op == NORN_OP_UNPACK_SNORM8 || l->op == NORN_OP_UNPACK_SNORM16;
  bool is_bytes = l->op == NORN_OP_UNPACK_UNORM8 || l->op == NORN_OP_UNPACK_SNORM8;
  unsigned count = is_bytes ? 4 : 2, width = 32 / count;
  /* 1 / 255, 1 / 127, 1 / 65535, 1 / 32767 */
  uint32_t scale =
      is_bytes ? (is_signed ? 0x3C010204 : 0x3B808081) : (is_signed ? 0x38000100 : 0x37800080);
  NornRef results[4];
  for (unsigned k = 0; k < count; k++) {
    NornRef part = norn_lower_emit(l, is_signed ? NORN_OP_SBFE : NORN_OP_UBFE, I32, NORN_TYPE_VOID,
                                   0, l->a, CONSTANT(I32, width * k), CONSTANT(I32, width));
    NornRef value = norn_lower_emit(l, is_signed ? NORN_OP_SITOFP : NORN_OP_UITOFP, F32, I32,
                                    NORN_ROUND_RTE, part, 0, 0);
    results[k] = TWO(FMUL, F32, value, CONSTANT(F32, scale));
    /* Only the smallest number is less than -1, and none is greater than 1, however the product is
     * rounded. */
    if (is_signed)
      results[k] = norn_lower_one(l, NORN_OP_FSAT_SIGNED, F32, results[k]);
    if (k)
      more[k - 1] = results[k];
  }
  return results[0];
}

static NornRef
lower_half_packing(NornLowering *l, NornRef *more) {
  if (l->op == NORN_OP_PACK_HALF && !can_round_half(l))
    return 0;
  if (l->op == NORN_OP_PACK_HALF) {
    NornRef halves[2] = {l->a, l->b};
    for (unsigned k = 0; k < 2; k++)
      halves[k] = norn_lower_emit(l, NORN_OP_FPCONV, F16, F32, l->modifier, halves[k], 0, 0);
    NornRef packed = norn_lower_pack_lanes(l, NORN_TYPE_V2F16, F16, halves);
    return CONVERT(BITCAST, I32, NORN_TYPE_V2F16, packed);
  }
  NornRef packed = CONVERT(BITCAST, NORN_TYPE_V2F16, I32, l->a);
  NornRef results[2];
  for (unsigned k = 0; k < 2; k++)
    results[k] = widen(l, norn_lower_emit(l, NORN_OP_EXTRACT, F16, NORN_TYPE_V2F16, 0, packed,
                                          CONSTANT(I32, k), 0));
  more[0] = results[1];
  return results[0];
}

const NornLowerFunction norn_lower_float[NORN_OP_COUNT] = {
    [NORN_OP_FDIV] = lower_quotient,          [NORN_OP_FSQRT] = lower_root,
    [NORN_OP_FRCP] = lower_approximate,       [NORN_OP_FRSQ] = lower_approximate,
    [NORN_OP_FEXP2] = lower_approximate,      [NORN_OP_FLOG2] = lower_approximate,
    [NORN_OP_FPOW] = lower_approximate,       [NORN_OP_FSIN] = lower_approximate,
    [NORN_OP_FCOS] = lower_approximate,       [NORN_OP_FROUND] = lower_approximate,
    [NORN_OP_FFRACT] = lower_fraction,        [NORN_OP_FSIGN] = lower_sign,
    [NORN_OP_FLDEXP] = lower_scaling,         [NORN_OP_FFREXP] = lower_parts,
    [NORN_OP_FPCONV] = lower_narrowing,       [NORN_OP_FCLASS] = lower_class,
    [NORN_OP_SITOFP] = lower_from_integer,    [NORN_OP_UITOFP] = lower_from_integer,
    [NORN_OP_FPTOSI] = lower_to_integer,      [NORN_OP_FPTOUI] = lower_to_integer,
    [NORN_OP_PACK_UNORM8] = lower_pack,       [NORN_OP_PACK_SNORM8] = lower_pack,
    [NORN_OP_PACK_UNORM16] = lower_pack,      [NORN_OP_PACK_SNORM16] = lower_pack,
    [NORN_OP_UNPACK_UNORM8] = lower_unpack,   [NORN_OP_UNPACK_SNORM8] = lower_unpack,
    [NORN_OP_UNPACK_UNORM16] = lower_unpack,  [NORN_OP_UNPACK_SNORM16] = lower_unpack,
    [NORN_OP_PACK_HALF] = lower_half_packing, [NORN_OP_UNPACK_HALF] = lower_half_packing,
};
