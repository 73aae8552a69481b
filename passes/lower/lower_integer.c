/* Expansions of integer operations on a machine with 32-bit words.
 *
 * Scalars of 8 and 16 bits are computed as words and truncated; packed types lane by lane, unless
 * the two lanes of a word can be computed together; 64-bit types as pairs of words. An identity
 * that is not plain arithmetic is explained at its function. */
#include "passes/lower/short_names.h"

/* The current operation on words; narrow operands are sign- or zero-extended. */
static NornRef
as_words(NornLowering *l, bool is_signed) {
  NornOp extend = is_signed ? NORN_OP_SEXT : NORN_OP_ZEXT;
  NornRef a = norn_lower_convert(l, extend, I32, l->type, l->a);
  NornRef b = l->b ? norn_lower_convert(l, extend, I32, l->type, l->b) : 0;
  NornRef word = norn_lower_emit(l, l->op, I32, NORN_TYPE_VOID, l->modifier, a, b, 0);
  return CONVERT(TRUNC, l->type, I32, word);
}

/* --- Minimum, maximum, absolute value --- */

static NornRef
lower_minimum(NornLowering *l, NornRef *more) {
  (void)more;
  bool is_signed = l->op == NORN_OP_SMIN || l->op == NORN_OP_SMAX;
  if (norn_is_narrow(l->type))
    return as_words(l, is_signed);
  if (norn_is_packed(l->type))
    return norn_lower_by_lane(l);
  unsigned condition = l->op == NORN_OP_SMIN   ? NORN_INT_CONDITION_SLT
                       : l->op == NORN_OP_SMAX ? NORN_INT_CONDITION_SGT
                       : l->op == NORN_OP_UMIN ? NORN_INT_CONDITION_ULT
                                               : NORN_INT_CONDITION_UGT;
  return THREE(SELECT, l->type, norn_lower_icmp(l, condition, l->type, l->a, l->b), l->a, l->b);
}

/* The sign, as all ones or zeros, complements x and adds the missing one. */
static NornRef
lower_absolute(NornLowering *l, NornRef *more) {
  (void)more;
  if (norn_is_packed(l->type))
    return norn_lower_by_lane(l);
  NornRef sign = TWO(ASHR, l->type, l->a, CONSTANT(l->type, norn_lane_width(l->type) - 1));
  return TWO(ISUB, l->type, TWO(XOR, l->type, l->a, sign), sign);
}

static NornRef
lower_plain(NornLowering *l, NornRef *more) {
  (void)more;
  return norn_is_packed(l->type) ? norn_lower_by_lane(l) : 0;
}

/* --- Multiplication --- */

static NornRef
lower_multiply(NornLowering *l, NornRef *more) {
  (void)more;
  if (norn_is_packed(l->type))
    return norn_lower_by_lane(l);
  if (l->type != I64)
    return 0;
  /* The low words need the full product; of the mixed products only the low halves matter. */
  NornRef a[2], b[2], product[2];
  norn_lower_split(l, l->a, a);
  norn_lower_split(l, l->b, b);
  norn_lower_split(l, TWO(UMULX, NORN_TYPE_VOID, a[0], b[0]), product);
  /* One call per line, here and below: C does not define the order in which arguments are
   * evaluated. */
  NornRef upper = TWO(IMUL, I32, a[0], b[1]);
  NornRef lower = TWO(IMUL, I32, a[1], b[0]);
  NornRef mixed = TWO(IADD, I32, upper, lower);
  return norn_lower_join(l, product[0], TWO(IADD, I32, product[1], mixed));
}

/* The high half of an unsigned 128-bit product: the products of the middle words with their
 * carries. */
static NornRef
high_of_longs(NornLowering *l) {
  NornRef a[2], b[2], low[2], first[2], second[2];
  norn_lower_split(l, l->a, a);
  norn_lower_split(l, l->b, b);
  norn_lower_split(l, TWO(UMULX, NORN_TYPE_VOID, a[0], b[0]), low);
  NornRef carry = CONVERT(ZEXT, I64, I32, low[1]);
  NornRef middle = TWO(IADD, I64, TWO(UMULX, NORN_TYPE_VOID, a[1], b[0]), carry);
  norn_lower_split(l, middle, first);
  NornRef other = TWO(UMULX, NORN_TYPE_VOID, a[0], b[1]);
  carry = CONVERT(ZEXT, I64, I32, first[0]);
  other = TWO(IADD, I64, other, carry);
  norn_lower_split(l, other, second);
  NornRef high = TWO(UMULX, NORN_TYPE_VOID, a[1], b[1]);
  carry = CONVERT(ZEXT, I64, I32, first[1]);
  high = TWO(IADD, I64, high, carry);
  return TWO(IADD, I64, high, CONVERT(ZEXT, I64, I32, second[1]));
}

static NornRef
lower_multiply_high(NornLowering *l, NornRef *more) {
  (void)more;
  bool is_signed = l->op == NORN_OP_SMULH;
  if (norn_is_packed(l->type))
    return norn_lower_by_lane(l);
  if (norn_is_narrow(l->type)) {
    NornOp extend = is_signed ? NORN_OP_SEXT : NORN_OP_ZEXT;
    NornRef a = norn_lower_convert(l, extend, I32, l->type, l->a);
    NornRef b = norn_lower_convert(l, extend, I32, l->type, l->b);
    NornRef product = TWO(IMUL, I32, a, b);
    NornRef high = TWO(LSHR, I32, product, CONSTANT(I32, norn_lane_width(l->type)));
    return CONVERT(TRUNC, l->type, I32, high);
  }
  if (l->type == I32) {
    NornRef words[2];
    norn_lower_split(
        l, norn_lower_two(l, is_signed ? NORN_OP_SMULX : NORN_OP_UMULX, NORN_TYPE_VOID, l->a, l->b),
        words);
    return words[1];
  }
  NornRef high = high_of_longs(l);
  if (!is_signed)
    return high;
  /* A negative operand was counted as 2^64 more, times the other operand. */
  NornRef last = CONSTANT(I64, 63);
  NornRef less = TWO(AND, I64, TWO(ASHR, I64, l->a, last), l->b);
  NornRef and_less = TWO(AND, I64, TWO(ASHR, I64, l->b, last), l->a);
  return TWO(ISUB, I64, TWO(ISUB, I64, high, less), and_less);
}

/* --- Carries, saturation, averages --- */

static NornRef
lower_carry(NornLowering *l, NornRef *more) {
  bool is_sum = l->op == NORN_OP_IADDC;
  NornOp op = is_sum ? NORN_OP_IADD : NORN_OP_ISUB;
  NornRef carry = CONVERT(ZEXT, l->type, NORN_TYPE_I1, l->c);
  NornRef first = norn_lower_two(l, op, l->type, l->a, l->b);
  NornRef second = norn_lower_two(l, op, l->type, first, carry);
  /* A sum has wrapped if it is less than an operand, a difference if it is greater. */
  NornRef wraps = is_sum ? ICMP(ULT, l->type, first, l->a) : ICMP(ULT, l->type, l->a, l->b);
  NornRef wraps_too = is_sum ? ICMP(ULT, l->type, second, first) : ICMP(ULT, l->type, first, carry);
  more[0] = TWO(OR, NORN_TYPE_I1, wraps, wraps_too);
  return second;
}

static NornRef
clamp_word(NornLowering *l, NornRef word, NornType type, bool is_signed) {
  unsigned width = norn_lane_width(type);
  uint64_t top = is_signed ? (UINT64_C(1) << (width - 1)) - 1 : (UINT64_C(1) << width) - 1;
  uint64_t bottom = is_signed ? ~top : 0;
  NornRef clamped = TWO(SMAX, I32, word, CONSTANT(I32, bottom));
  return TWO(SMIN, I32, clamped, CONSTANT(I32, top));
}

/* Narrow sums, differences and products fit into words, except products of unsigned halves. */
static NornRef
saturate_narrow(NornLowering *l, NornOp op, bool is_signed) {
  NornOp extend = is_signed ? NORN_OP_SEXT : NORN_OP_ZEXT;
  NornRef a = norn_lower_convert(l, extend, I32, l->type, l->a);
  NornRef b = norn_lower_convert(l, extend, I32, l->type, l->b);
  NornRef exact = norn_lower_two(l, op, I32, a, b);
  uint64_t top = (UINT64_C(1) << norn_lane_width(l->type)) - 1;
  NornRef clamped = op == NORN_OP_IMUL && !is_signed ? TWO(UMIN, I32, exact, CONSTANT(I32, top))
                                                     : clamp_word(l, exact, l->type, is_signed);
  return CONVERT(TRUNC, l->type, I32, clamped);
}

/* The bound with the sign of a. */
static NornRef
bound_of_sign(NornLowering *l, NornRef a) {
  NornRef sign = TWO(ASHR, I64, a, CONSTANT(I64, 63));
  return TWO(XOR, I64, sign, CONSTANT(I64, INT64_MAX));
}

static NornRef
saturate_long_sum(NornLowering *l, bool is_sum, bool is_signed) {
  NornRef result = norn_lower_two(l, is_sum ? NORN_OP_IADD : NORN_OP_ISUB, I64, l->a, l->b);
  if (!is_signed && is_sum)
    return THREE(SELECT, I64, ICMP(ULT, I64, result, l->a), CONSTANT(I64, UINT64_MAX), result);
  if (!is_signed)
    return THREE(SELECT, I64, ICMP(ULT, I64, l->a, l->b), CONSTANT(I64, 0), result);
  /* It overflows if the operands' signs allow that and the sign of the result differs from that of
   * a. */
  NornRef differs = TWO(XOR, I64, l->a, result);
  NornRef signs = TWO(XOR, I64, l->a, l->b);
  NornRef possible = is_sum ? ONE(NOT, I64, signs) : signs;
  NornRef overflow = TWO(AND, I64, differs, possible);
  return THREE(SELECT, I64, ICMP(SLT, I64, overflow, CONSTANT(I64, 0)), bound_of_sign(l, l->a),
               result);
}

static NornRef
saturate_long_product(NornLowering *l, bool is_signed) {
  NornRef low = TWO(IMUL, I64, l->a, l->b);
  NornRef high = norn_lower_two(l, is_signed ? NORN_OP_SMULH : NORN_OP_UMULH, I64, l->a, l->b);
  NornRef expected = is_signed ? TWO(ASHR, I64, low, CONSTANT(I64, 63)) : CONSTANT(I64, 0);
  NornRef bound =
      is_signed ? bound_of_sign(l, TWO(XOR, I64, l->a, l->b)) : CONSTANT(I64, UINT64_MAX);
  return THREE(SELECT, I64, ICMP(EQ, I64, high, expected), low, bound);
}

static NornRef
lower_saturating(NornLowering *l, NornRef *more) {
  (void)more;
  bool is_signed = l->op == NORN_OP_SADDSAT || l->op == NORN_OP_SSUBSAT || l->op == NORN_OP_SMULSAT;
  bool is_product = l->op == NORN_OP_SMULSAT || l->op == NORN_OP_UMULSAT;
  bool is_sum = l->op == NORN_OP_SADDSAT || l->op == NORN_OP_UADDSAT;
  NornOp op = is_product ? NORN_OP_IMUL : is_sum ? NORN_OP_IADD : NORN_OP_ISUB;
  if (norn_is_packed(l->type))
    return norn_lower_by_lane(l);
  if (norn_is_narrow(l->type))
    return saturate_narrow(l, op, is_signed);
  if (l->type != I64)
    return 0;
  return is_product ? saturate_long_product(l, is_signed) : saturate_long_sum(l, is_sum, is_signed);
}

/* The common bits plus half of the differing ones: (a & b) + ((a ^ b) >> 1), or rounded up (a | b)
 * - ((a ^ b) >> 1). */
static NornRef
lower_average(NornLowering *l, NornRef *more) {
  (void)more;
  bool is_signed = l->op == NORN_OP_SHADD || l->op == NORN_OP_SRHADD;
  bool rounds_up = l->op == NORN_OP_SRHADD || l->op == NORN_OP_URHADD;
  NornRef differ = TWO(XOR, l->type, l->a, l->b);
  NornRef half = norn_lower_two(l, is_signed ? NORN_OP_ASHR : NORN_OP_LSHR, l->type, differ,
                                CONSTANT(l->type, 1));
  if (rounds_up)
    return TWO(ISUB, l->type, TWO(OR, l->type, l->a, l->b), half);
  return TWO(IADD, l->type, TWO(AND, l->type, l->a, l->b), half);
}

/* --- Dot products --- */

/* b - 128 is signed; the missing part is 128 times the sum of a's lanes. */
static NornRef
lower_mixed_dot(NornLowering *l, NornRef *more) {
  (void)more;
  NornType v4i8 = NORN_TYPE_V4I8;
  bool saturates = l->op == NORN_OP_SUDOT4SAT;
  NornRef zero = CONSTANT(I32, 0);
  NornRef shifted = TWO(XOR, v4i8, l->b, CONSTANT(v4i8, 0x80));
  NornRef sum = THREE(SDOT4, v4i8, l->a, CONSTANT(v4i8, 1), zero);
  NornRef rest = TWO(SHL, I32, sum, CONSTANT(I32, 7));
  NornRef product =
      TWO(IADD, I32, THREE(SDOT4, v4i8, l->a, shifted, saturates ? zero : l->c), rest);
  return saturates ? TWO(SADDSAT, I32, product, l->c) : product;
}

/* --- Bits --- */

static NornRef
lower_bit_choice(NornLowering *l, NornRef *more) {
  (void)more;
  if (l->type != I64)
    return 0;
  NornRef a[2], b[2], c[2];
  norn_lower_split(l, l->a, a);
  norn_lower_split(l, l->b, b);
  norn_lower_split(l, l->c, c);
  NornRef low = THREE(BITSELECT, I32, a[0], b[0], c[0]);
  return norn_lower_join(l, low, THREE(BITSELECT, I32, a[1], b[1], c[1]));
}

/* Shifts (a:b). The far operand is shifted by one bit and then by the rest, so that a shift amount
 * of 0 takes none of it. */
static NornRef
lower_funnel(NornLowering *l, NornRef *more) {
  (void)more;
  bool is_left = l->op == NORN_OP_FSHL;
  NornType type = l->type;
  if (l->a == l->b)
    return norn_lower_two(l, is_left ? NORN_OP_ROTL : NORN_OP_ROTR, type, l->a, l->c);
  NornRef rest = TWO(XOR, type, l->c, CONSTANT(type, norn_lane_width(type) - 1));
  NornRef one = CONSTANT(type, 1);
  NornRef near = is_left ? TWO(SHL, type, l->a, l->c) : TWO(LSHR, type, l->b, l->c);
  NornRef far = is_left ? TWO(LSHR, type, l->b, one) : TWO(SHL, type, l->a, one);
  far = is_left ? TWO(LSHR, type, far, rest) : TWO(SHL, type, far, rest);
  return TWO(OR, type, near, far);
}

/* A word as a value of the current type. */
static NornRef
from_word(NornLowering *l, NornRef word) {
  if (l->type == I32)
    return word;
  return l->type == I64 ? CONVERT(ZEXT, I64, I32, word) : CONVERT(TRUNC, l->type, I32, word);
}

/* The number of bits of a field: c, limited to those up to the top. *first: b modulo the width. */
static NornRef
field_size(NornLowering *l, NornRef start, NornRef size, NornRef *first) {
  unsigned width = norn_lane_width(l->type);
  *first = TWO(AND, I32, start, CONSTANT(I32, width - 1));
  return TWO(UMIN, I32, size, TWO(ISUB, I32, CONSTANT(I32, width), *first));
}

/* Shifts the field to the top, then down again. */
static NornRef
lower_field(NornLowering *l, NornRef *more) {
  (void)more;
  NornRef first, size = field_size(l, l->b, l->c, &first);
  NornRef down = TWO(ISUB, I32, CONSTANT(I32, norn_lane_width(l->type)), size);
  NornRef up = TWO(ISUB, I32, down, first);
  NornRef top = TWO(SHL, l->type, l->a, from_word(l, up));
  NornRef field = norn_lower_two(l, l->op == NORN_OP_SBFE ? NORN_OP_ASHR : NORN_OP_LSHR, l->type,
                                 top, from_word(l, down));
  NornRef is_empty = ICMP(EQ, I32, size, CONSTANT(I32, 0));
  return THREE(SELECT, l->type, is_empty, CONSTANT(l->type, 0), field);
}

static NornRef
lower_field_insert(NornLowering *l, NornRef *more) {
  (void)more;
  NornType type = l->type;
  NornRef first, size = field_size(l, l->c, l->d, &first);
  NornRef offset = from_word(l, first);
  NornRef rest = from_word(l, TWO(ISUB, I32, CONSTANT(I32, norn_lane_width(type)), size));
  NornRef ones = TWO(LSHR, type, CONSTANT(type, UINT64_MAX), rest);
  NornRef mask = TWO(SHL, type, ones, offset);
  NornRef result = THREE(BITSELECT, type, mask, TWO(SHL, type, l->b, offset), l->a);
  NornRef is_empty = ICMP(EQ, I32, size, CONSTANT(I32, 0));
  return THREE(SELECT, type, is_empty, l->a, result);
}

static NornRef
lower_leading_zeros(NornLowering *l, NornRef *more) {
  (void)more;
  if (l->type != I64)
    return lower_plain(l, more);
  NornRef words[2];
  norn_lower_split(l, l->a, words);
  NornRef is_low = ICMP(EQ, I32, words[1], CONSTANT(I32, 0));
  NornRef low = TWO(IADD, I32, ONE(CLZ, I32, words[0]), CONSTANT(I32, 32));
  return from_word(l, THREE(SELECT, I32, is_low, low, ONE(CLZ, I32, words[1])));
}

/* A one above a narrow value stops the count. */
static NornRef
lower_trailing_zeros(NornLowering *l, NornRef *more) {
  (void)more;
  if (norn_is_packed(l->type))
    return norn_lower_by_lane(l);
  if (!norn_is_narrow(l->type))
    return ONE(CLZ, l->type, ONE(BITREVERSE, l->type, l->a));
  NornRef word = CONVERT(ZEXT, I32, l->type, l->a);
  NornRef stop = CONSTANT(I32, UINT64_C(1) << norn_lane_width(l->type));
  return from_word(l, ONE(CTZ, I32, TWO(OR, I32, word, stop)));
}

static NornRef
lower_population_count(NornLowering *l, NornRef *more) {
  (void)more;
  if (norn_is_packed(l->type))
    return norn_lower_by_lane(l);
  if (norn_is_narrow(l->type))
    return as_words(l, false);
  if (l->type != I64)
    return 0;
  NornRef words[2];
  norn_lower_split(l, l->a, words);
  NornRef low = ONE(POPCOUNT, I32, words[0]);
  NornRef high = ONE(POPCOUNT, I32, words[1]);
  return from_word(l, TWO(IADD, I32, low, high));
}

static NornRef
lower_bit_reverse(NornLowering *l, NornRef *more) {
  (void)more;
  if (norn_is_packed(l->type))
    return norn_lower_by_lane(l);
  if (norn_is_narrow(l->type)) {
    NornRef word = ONE(BITREVERSE, I32, CONVERT(ZEXT, I32, l->type, l->a));
    return from_word(l, TWO(LSHR, I32, word, CONSTANT(I32, 32 - norn_lane_width(l->type))));
  }
  NornRef words[2];
  norn_lower_split(l, l->a, words);
  NornRef low = ONE(BITREVERSE, I32, words[1]);
  return norn_lower_join(l, low, ONE(BITREVERSE, I32, words[0]));
}

/* Computed from the count of leading zeros, which is the width for 0, so that the result is -1.
 * That of the lowest one of a word is cheaper from the trailing zeros. */
static NornRef
lower_find(NornLowering *l, NornRef *more) {
  (void)more;
  NornType type = l->type;
  NornRef value = l->a;
  if (norn_is_packed(type))
    return norn_lower_by_lane(l);
  if (l->op == NORN_OP_FIND_LSB && type == I32)
    return THREE(SELECT, I32, ICMP(EQ, I32, value, CONSTANT(I32, 0)), CONSTANT(I32, UINT32_MAX),
                 ONE(CTZ, I32, value));
  if (l->op == NORN_OP_FIND_LSB)
    value = TWO(AND, type, value, ONE(INEG, type, value));
  if (l->op == NORN_OP_FIND_SMSB)
    value =
        TWO(XOR, type, value, TWO(ASHR, type, value, CONSTANT(type, norn_lane_width(type) - 1)));
  return TWO(ISUB, type, CONSTANT(type, norn_lane_width(type) - 1), ONE(CLZ, type, value));
}

/* --- Comparison, clamping conversions --- */

static NornRef
lower_mask(NornLowering *l, NornRef *more) {
  (void)more;
  NornType lane = norn_lower_lane_type(l->type);
  unsigned lanes = norn_types[l->type].lanes;
  NornRef parts[4];
  for (unsigned k = 0; k < lanes; k++) {
    NornRef number = CONSTANT(I32, k);
    NornRef a = norn_lower_emit(l, NORN_OP_EXTRACT, lane, l->type, 0, l->a, number, 0);
    NornRef b = norn_lower_emit(l, NORN_OP_EXTRACT, lane, l->type, 0, l->b, number, 0);
    parts[k] = CONVERT(SEXT, lane, NORN_TYPE_I1, norn_lower_icmp(l, l->modifier, lane, a, b));
  }
  return norn_lower_pack_lanes(l, l->type, lane, parts);
}

/* Clamps in the source's type; then the value fits the result's type. */
static NornRef
lower_clamping(NornLowering *l, NornRef *more) {
  (void)more;
  NornType from = l->source_type, to = l->type;
  unsigned width = norn_lane_width(to);
  bool from_signed = l->op == NORN_OP_SSAT || l->op == NORN_OP_SUSAT;
  bool to_signed = l->op == NORN_OP_SSAT || l->op == NORN_OP_USSAT;
  uint64_t top = to_signed     ? (UINT64_C(1) << (width - 1)) - 1
                 : width >= 64 ? UINT64_MAX
                               : (UINT64_C(1) << width) - 1;
  uint64_t bottom = to_signed ? ~top : 0;
  NornRef value = l->a;
  if (norn_lane_width(from) < width) {
    /* Only a negative value can be out of range of the wider type. */
    if (l->op == NORN_OP_SUSAT)
      value = TWO(SMAX, from, value, CONSTANT(from, 0));
    return CONVERT(ZEXT, to, from, value);
  }
  if (from_signed)
    value = TWO(SMAX, from, value, CONSTANT(from, bottom));
  bool is_bounded_above = width < norn_lane_width(from) || !from_signed;
  if (is_bounded_above)
    value = norn_lower_two(l, from_signed ? NORN_OP_SMIN : NORN_OP_UMIN, from, value,
                           CONSTANT(from, top));
  return width == norn_lane_width(from) ? value : CONVERT(TRUNC, to, from, value);
}

const NornLowerFunction norn_lower_integer[NORN_OP_COUNT] = {
    [NORN_OP_SMIN] = lower_minimum,
    [NORN_OP_SMAX] = lower_minimum,
    [NORN_OP_UMIN] = lower_minimum,
    [NORN_OP_UMAX] = lower_minimum,
    [NORN_OP_IABS] = lower_absolute,
    [NORN_OP_IADD] = lower_plain,
    [NORN_OP_ISUB] = lower_plain,
    [NORN_OP_INEG] = lower_plain,
    [NORN_OP_IMUL] = lower_multiply,
    [NORN_OP_SMULH] = lower_multiply_high,
    [NORN_OP_UMULH] = lower_multiply_high,
    [NORN_OP_IADDC] = lower_carry,
    [NORN_OP_ISUBB] = lower_carry,
    [NORN_OP_SADDSAT] = lower_saturating,
    [NORN_OP_UADDSAT] = lower_saturating,
    [NORN_OP_SSUBSAT] = lower_saturating,
    [NORN_OP_USUBSAT] = lower_saturating,
    [NORN_OP_SMULSAT] = lower_saturating,
    [NORN_OP_UMULSAT] = lower_saturating,
    [NORN_OP_SHADD] = lower_average,
    [NORN_OP_UHADD] = lower_average,
    [NORN_OP_SRHADD] = lower_average,
    [NORN_OP_URHADD] = lower_average,
    [NORN_OP_SUDOT4] = lower_mixed_dot,
    [NORN_OP_SUDOT4SAT] = lower_mixed_dot,
    [NORN_OP_BITSELECT] = lower_bit_choice,
    [NORN_OP_FSHL] = lower_funnel,
    [NORN_OP_FSHR] = lower_funnel,
    [NORN_OP_UBFE] = lower_field,
    [NORN_OP_SBFE] = lower_field,
    [NORN_OP_BFI] = lower_field_insert,
    [NORN_OP_CLZ] = lower_leading_zeros,
    [NORN_OP_CTZ] = lower_trailing_zeros,
    [NORN_OP_POPCOUNT] = lower_population_count,
    [NORN_OP_BITREVERSE] = lower_bit_reverse,
    [NORN_OP_FIND_LSB] = lower_find,
    [NORN_OP_FIND_UMSB] = lower_find,
    [NORN_OP_FIND_SMSB] = lower_find,
    [NORN_OP_ICMPMASK] = lower_mask,
    [NORN_OP_SSAT] = lower_clamping,
    [NORN_OP_USAT] = lower_clamping,
    [NORN_OP_SUSAT] = lower_clamping,
    [NORN_OP_USSAT] = lower_clamping,
};
