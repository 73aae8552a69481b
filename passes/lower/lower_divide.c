/* Integer quotients and remainders on a machine without integer division.
 *
 * Division by a constant uses the high half of a product with a rounded-up reciprocal, or a shift.
 * Other divisions use the reciprocal of the divisor as f32. Quotients of 8 and 16 bits are exact in
 * f32 if the reciprocal is not too small. So is the quotient of a 16-bit number and a wider one,
 * which is 0 if the divisor has more bits, since the errors are far less than 2^-16. Other
 * quotients start from a reciprocal that is certainly not too large, scaled to an integer r <=
 * 2^width / d. Steps of Newton's method, r += r * (2^width - d * r) / 2^width, bring it to less
 * than two below that. So the quotient n * r / 2^width is at most two too small, which two
 * comparisons correct, or one too small for n up to 2^(width - 1), as magnitudes are. With a
 * divisor of zero, the remainder is n without further code. Only the quotient checks for it, unless
 * it is `finite`, and uses the result of the first comparison, which is then true. Signed divisions
 * are those of the magnitudes. */
#include "ir/analysis/ranges.h"
#include "passes/lower/short_names.h"

/* 2^32 - 2048 and 2^64 - 2^44 as f32: the difference from the power of two is more than the errors
 * of the reciprocal (1 ulp), of the divisor's conversion and of the product together, in any
 * rounding mode. */
#define SCALE_32 0x4F7FFFF8
#define SCALE_64 0x5F7FFFF0

__extension__ typedef unsigned __int128 Wide;

typedef struct Division {
  NornRef quotient, remainder; /* remainder 0: a - quotient * b */
  NornRef ones;                /* all ones if b is 0, if available without an instruction; else 0 */
} Division;

/* --- Division by constants --- */

/* n / d for n up to `greatest`; d is not zero and not a power of two. */
static NornRef
divide_by_constant(NornLowering *l, NornType type, NornRef n, uint64_t d, uint64_t greatest) {
  unsigned width = norn_lane_width(type);
  if (d >> (width - 1)) /* the quotient is at most 1 */
    return CONVERT(ZEXT, type, I1, ICMP(UGE, type, n, CONSTANT(type, d)));
  for (unsigned shift = 0; shift < width; shift++) {
    Wide power = (Wide)1 << (width + shift);
    Wide factor = (power + d - 1) / d, excess = factor * d - power;
    if (factor >> width)
      break;
    if (excess * greatest >= power)
      continue;
    NornRef high = TWO(UMULH, type, n, CONSTANT(type, (uint64_t)factor));
    return shift ? TWO(LSHR, type, high, CONSTANT(type, shift)) : high;
  }
  /* The factor has one bit more than the type: n times that bit is added in halves. */
  unsigned shift = 64 - (unsigned)__builtin_clzll(d);
  Wide factor = (((Wide)1 << (width + shift)) + d - 1) / d - ((Wide)1 << width);
  NornRef high = TWO(UMULH, type, n, CONSTANT(type, (uint64_t)factor));
  NornRef half = TWO(LSHR, type, TWO(ISUB, type, n, high), CONSTANT(type, 1));
  return TWO(LSHR, type, TWO(IADD, type, half, high), CONSTANT(type, shift - 1));
}

static bool
is_power_of_two(uint64_t d) {
  return d && !(d & (d - 1));
}

/* Division of words of at least 32 bits. */
static Division
divide_unsigned_constant(NornLowering *l, NornType type, NornRef n, uint64_t d, uint64_t greatest) {
  if (!is_power_of_two(d))
    return (Division){divide_by_constant(l, type, n, d, greatest), 0, 0};
  NornRef shift = CONSTANT(type, (unsigned)__builtin_ctzll(d));
  NornRef quotient = TWO(LSHR, type, n, shift);
  return (Division){quotient, TWO(AND, type, n, CONSTANT(type, d - 1)), 0};
}

static NornRef
sign_of(NornLowering *l, NornType type, NornRef value) {
  return TWO(ASHR, type, value, CONSTANT(type, norn_lane_width(type) - 1));
}

/* The magnitude, negated if `value` is negative. 64-bit values are complemented instead of
 * selected. */
static NornRef
with_sign(NornLowering *l, NornType type, NornRef magnitude, NornRef value) {
  if (type == I64) {
    NornRef sign = sign_of(l, type, value);
    return TWO(ISUB, type, TWO(XOR, type, magnitude, sign), sign);
  }
  NornRef is_negative = ICMP(SLT, type, value, CONSTANT(type, 0));
  return THREE(SELECT, type, is_negative, ONE(INEG, type, magnitude), magnitude);
}

static Division
divide_signed_constant(NornLowering *l, NornType type, NornRef n, int64_t d) {
  unsigned width = norn_lane_width(type);
  uint64_t magnitude = d < 0 ? -(uint64_t)d : (uint64_t)d;
  NornRef quotient;
  if (is_power_of_two(magnitude)) {
    /* Negative numbers round up: d - 1 is added to them. */
    unsigned shift = (unsigned)__builtin_ctzll(magnitude);
    if (shift) {
      if (type == I64) {
        NornRef bias = TWO(LSHR, type, sign_of(l, type, n), CONSTANT(type, width - shift));
        n = TWO(IADD, type, n, bias);
      } else {
        NornRef is_negative = ICMP(SLT, type, n, CONSTANT(type, 0));
        n = THREE(SELECT, type, is_negative, TWO(IADD, type, n, CONSTANT(type, magnitude - 1)), n);
      }
      n = TWO(ASHR, type, n, CONSTANT(type, shift));
    }
    quotient = d < 0 ? ONE(INEG, type, n) : n;
    return (Division){quotient, 0, 0};
  }
  NornRef positive =
      divide_by_constant(l, type, ONE(IABS, type, n), magnitude, UINT64_C(1) << (width - 1));
  NornRef sign = d < 0 ? ONE(NOT, type, n) : n;
  return (Division){with_sign(l, type, positive, sign), 0, 0};
}

/* --- Division by the reciprocal --- */

/* The quotient as a word, for dividends of at most 16 bits: the float after the reciprocal is not
 * less than 1 / d, and near enough. */
static NornRef
divide_floats(NornLowering *l, bool is_signed) {
  NornOp to_float = is_signed ? NORN_OP_SITOFP : NORN_OP_UITOFP;
  NornRef n = norn_lower_emit(l, to_float, F32, l->type, NORN_ROUND_RTE, l->a, 0, 0);
  NornRef d = norn_lower_emit(l, to_float, F32, l->type, NORN_ROUND_RTE, l->b, 0, 0);
  NornRef reciprocal = CONVERT(BITCAST, I32, F32, ONE(FRCP, F32, d));
  NornRef above = CONVERT(BITCAST, F32, I32, TWO(IADD, I32, reciprocal, CONSTANT(I32, 1)));
  NornRef product = TWO(FMUL, F32, n, above);
  return norn_lower_emit(l, is_signed ? NORN_OP_FPTOSI : NORN_OP_FPTOUI, I32, F32, NORN_ROUND_RTZ,
                         product, 0, 0);
}

/* One step of Newton's method. */
static NornRef
refine(NornLowering *l, NornType type, NornRef reciprocal, NornRef d) {
  NornRef rest = ONE(INEG, type, TWO(IMUL, type, d, reciprocal));
  return TWO(IADD, type, reciprocal, TWO(UMULH, type, reciprocal, rest));
}

/* n / d for n up to `greatest`. */
static Division
divide_unsigned(NornLowering *l, NornType type, NornRef n, NornRef d, uint64_t greatest) {
  bool is_long = type == I64, is_half = greatest <= UINT64_C(1) << (norn_lane_width(type) - 1);
  NornRef near = ONE(FRCP, F32, ROUNDED(UITOFP, F32, type, RTE, d));
  NornRef scaled = TWO(FMUL, F32, near, CONSTANT(F32, is_long ? SCALE_64 : SCALE_32));
  NornRef reciprocal = ROUNDED(FPTOUI, type, F32, RTZ, scaled);
  for (unsigned step = 0; step < 1 + (unsigned)is_long; step++)
    reciprocal = refine(l, type, reciprocal, d);
  NornRef quotient = TWO(UMULH, type, n, reciprocal);
  NornRef remainder = TWO(ISUB, type, n, TWO(IMUL, type, quotient, d));
  NornRef once = ICMP(UGE, type, remainder, d);
  NornRef ones = CONVERT(SEXT, type, I1, once);
  quotient = TWO(ISUB, type, quotient, ones);
  if (!is_half) {
    NornRef less = TWO(ISUB, type, remainder, d);
    NornRef twice = TWO(AND, I1, ICMP(UGE, type, less, d), once);
    quotient = TWO(ISUB, type, quotient, CONVERT(SEXT, type, I1, twice));
  }
  for (unsigned step = 0; step < (is_half ? 1 : 2); step++) {
    NornRef is_low = ICMP(UGE, type, remainder, d);
    remainder = THREE(SELECT, type, is_low, TWO(ISUB, type, remainder, d), remainder);
  }
  return (Division){quotient, remainder, ones};
}

static Division
divide_signed(NornLowering *l, NornType type, NornRef n, NornRef d) {
  NornRef n_magnitude = ONE(IABS, type, n), d_magnitude = ONE(IABS, type, d);
  Division positive = divide_unsigned(l, type, n_magnitude, d_magnitude,
                                      UINT64_C(1) << (norn_lane_width(type) - 1));
  NornRef quotient = with_sign(l, type, positive.quotient, TWO(XOR, type, n, d));
  return (Division){quotient, with_sign(l, type, positive.remainder, n), positive.ones};
}

/* --- Choosing the method --- */

/* The greatest value of the dividend as an unsigned number. */
static uint64_t
greatest_dividend(const NornLowering *l) {
  return norn_greatest_integer(l->function, norn_pass_dominance(l->context, l->function), NULL,
                               l->a, l->type);
}

/* Division by a constant; narrow types are computed as words. */
static NornRef
by_constant(NornLowering *l, bool is_signed, bool is_quotient) {
  uint64_t bits = norn_constant_bits(l->module, l->b);
  NornType type = norn_is_narrow(l->type) ? I32 : l->type;
  if (!bits)
    return is_quotient ? CONSTANT(l->type, UINT64_MAX) : l->a;
  unsigned unused = 64 - norn_lane_width(l->type);
  int64_t d = (int64_t)(bits << unused) >> unused;
  NornRef n = l->a;
  if (norn_is_narrow(l->type))
    n = norn_lower_convert(l, is_signed ? NORN_OP_SEXT : NORN_OP_ZEXT, I32, l->type, n);
  Division division = is_signed ? divide_signed_constant(l, type, n, d)
                                : divide_unsigned_constant(l, type, n, bits, greatest_dividend(l));
  NornRef result = division.quotient;
  if (!is_quotient && division.remainder) {
    result = division.remainder;
  } else if (!is_quotient) {
    NornRef product = TWO(IMUL, type, result, CONSTANT(type, is_signed ? (uint64_t)d : bits));
    result = TWO(ISUB, type, n, product);
  }
  return norn_is_narrow(l->type) ? CONVERT(TRUNC, l->type, I32, result) : result;
}

static Division
by_reciprocal(NornLowering *l, bool is_signed) {
  if (norn_is_narrow(l->type))
    return (Division){CONVERT(TRUNC, l->type, I32, divide_floats(l, is_signed)), 0, 0};
  if (is_signed)
    return divide_signed(l, l->type, l->a, l->b);
  uint64_t greatest = greatest_dividend(l);
  return l->type == I32 && greatest <= UINT16_MAX
             ? (Division){divide_floats(l, false), 0, 0}
             : divide_unsigned(l, l->type, l->a, l->b, greatest);
}

static NornRef
lower_division(NornLowering *l, NornRef *more) {
  (void)more;
  bool is_signed = l->op == NORN_OP_SDIV || l->op == NORN_OP_SREM;
  bool is_quotient = l->op == NORN_OP_SDIV || l->op == NORN_OP_UDIV;
  if (norn_is_packed(l->type))
    return norn_lower_by_lane(l);
  if (norn_is_constant(l->b))
    return by_constant(l, is_signed, is_quotient);
  /* The expansion relies on the exact result of each operation. */
  bool is_finite = l->builder.flags & NORN_INST_FINITE;
  l->builder.flags &= (uint16_t)~NORN_INST_FINITE;
  Division division = by_reciprocal(l, is_signed);
  if (is_quotient && !is_finite) {
    NornRef is_zero = ICMP(EQ, l->type, l->b, CONSTANT(l->type, 0));
    NornRef ones = division.ones ? division.ones : CONSTANT(l->type, UINT64_MAX);
    return THREE(SELECT, l->type, is_zero, ones, division.quotient);
  }
  if (is_quotient)
    return division.quotient;
  if (division.remainder)
    return division.remainder;
  return TWO(ISUB, l->type, l->a, TWO(IMUL, l->type, division.quotient, l->b));
}

const NornLowerFunction norn_lower_divide[NORN_OP_COUNT] = {
    [NORN_OP_SDIV] = lower_division,
    [NORN_OP_UDIV] = lower_division,
    [NORN_OP_SREM] = lower_division,
    [NORN_OP_UREM] = lower_division,
};
