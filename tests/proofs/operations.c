/* The results of generic operations as terms: the rows of terms.def and the functions they need. */
#include "tests/proofs/operations.h"

#define Z t->z3
#define ITE(c, a, b) Z3_mk_ite(Z, c, a, b)
#define EQ(a, b) Z3_mk_eq(Z, a, b)
#define ULT(a, b) Z3_mk_bvult(Z, a, b)
#define SLT(a, b) Z3_mk_bvslt(Z, a, b)
#define ADD(a, b) Z3_mk_bvadd(Z, a, b)
#define SUB(a, b) Z3_mk_bvsub(Z, a, b)
#define MUL(a, b) Z3_mk_bvmul(Z, a, b)
#define NEG(a) Z3_mk_bvneg(Z, a)
#define AND_(a, b) Z3_mk_bvand(Z, a, b)
#define OR_(a, b) Z3_mk_bvor(Z, a, b)
#define XOR_(a, b) Z3_mk_bvxor(Z, a, b)
#define NOT_(a) Z3_mk_bvnot(Z, a)
#define SHIFT_LEFT(a, b) Z3_mk_bvshl(Z, a, b)
#define SHIFT_RIGHT(a, b) Z3_mk_bvlshr(Z, a, b)
#define IS_ZERO(a) bv_is_zero(t, a)
#define EXTRACT(a, low, width) bv_extract(t, a, low, width)

/* --- Integers --- */

static Z3_ast
add_with_carry(Terms *t, Z3_ast a, Z3_ast b, Z3_ast carry, Z3_ast *results) {
  unsigned width = bv_width(t, a), wide = width + 1;
  Z3_ast sum = ADD(ADD(bv_resize(t, a, wide, false), bv_resize(t, b, wide, false)),
                   bv_resize(t, carry, wide, false));
  results[1] = EXTRACT(sum, width, 1);
  return EXTRACT(sum, 0, width);
}

static Z3_ast
subtract_with_borrow(Terms *t, Z3_ast a, Z3_ast b, Z3_ast borrow, Z3_ast *results) {
  unsigned width = bv_width(t, a), wide = width + 1;
  Z3_ast difference = SUB(SUB(bv_resize(t, a, wide, false), bv_resize(t, b, wide, false)),
                          bv_resize(t, borrow, wide, false));
  results[1] = EXTRACT(difference, width, 1);
  return EXTRACT(difference, 0, width);
}

static Z3_ast
dot_product(Terms *t, Z3_ast a, Z3_ast b, bool a_signed, bool b_signed) {
  Z3_ast sum = bv_constant(t, 0, 32);
  for (unsigned k = 0; k < 4; k++)
    sum = ADD(sum, MUL(bv_resize(t, EXTRACT(a, 8 * k, 8), 32, a_signed),
                       bv_resize(t, EXTRACT(b, 8 * k, 8), 32, b_signed)));
  return sum;
}

/* With a constant it is a product, for which the solver has a normal form. */
static Z3_ast
shift_left(Terms *t, Z3_ast a, Z3_ast amount) {
  unsigned width = bv_width(t, a);
  uint64_t bits;
  Z3_ast by = Z3_simplify(Z, bv_amount(t, amount, width));
  return bv_is_constant(t, by, &bits) ? MUL(a, bv_constant(t, UINT64_C(1) << bits, width))
                                      : SHIFT_LEFT(a, by);
}

static Z3_ast
funnel(Terms *t, Z3_ast high, Z3_ast low, Z3_ast amount, bool left) {
  unsigned width = bv_width(t, high);
  Z3_ast both = bv_concat(t, high, low);
  Z3_ast by = bv_resize(t, bv_amount(t, amount, width), 2 * width, false);
  return left ? EXTRACT(SHIFT_LEFT(both, by), width, width)
              : EXTRACT(SHIFT_RIGHT(both, by), 0, width);
}

/* The effective number of bits of a field of `count` bits (32 wide) from bit `offset` on. */
static Z3_ast
field_bits(Terms *t, Z3_ast offset, Z3_ast count, unsigned width) {
  Z3_ast start = AND_(offset, bv_constant(t, width - 1, 32));
  Z3_ast room = SUB(bv_constant(t, width, 32), start);
  return ITE(ULT(count, room), count, room);
}

/* Ones below bit `bits`, which is at most the width. */
static Z3_ast
ones_below(Terms *t, Z3_ast bits, unsigned width) {
  Z3_ast by = bv_resize(t, bits, width + 1, false);
  Z3_ast one = bv_constant(t, 1, width + 1);
  return EXTRACT(SUB(SHIFT_LEFT(one, by), one), 0, width);
}

static Z3_ast
field_mask(Terms *t, Z3_ast offset, Z3_ast count, unsigned width) {
  return ones_below(t, field_bits(t, offset, count, width), width);
}

static Z3_ast
extract_signed(Terms *t, Z3_ast a, Z3_ast offset, Z3_ast count) {
  unsigned width = bv_width(t, a);
  Z3_ast bits = field_bits(t, offset, count, width), mask = ones_below(t, bits, width);
  Z3_ast field = AND_(SHIFT_RIGHT(a, bv_amount(t, offset, width)), mask);
  Z3_ast sign = AND_(field, SUB(mask, SHIFT_RIGHT(mask, bv_constant(t, 1, width))));
  return ITE(IS_ZERO(sign), field, OR_(field, NOT_(mask)));
}

static Z3_ast
insert_field(Terms *t, Z3_ast base, Z3_ast field, Z3_ast offset, Z3_ast count) {
  unsigned width = bv_width(t, base);
  Z3_ast by = bv_amount(t, offset, width);
  Z3_ast mask = SHIFT_LEFT(field_mask(t, offset, count, width), by);
  return OR_(AND_(base, NOT_(mask)), AND_(SHIFT_LEFT(field, by), mask));
}

static Z3_ast
compare_integers(Terms *t, const NornEvaluator *e, Z3_ast a, Z3_ast b) {
  switch ((NornIntCondition)e->modifier) {
  case NORN_INT_CONDITION_EQ:
    return EQ(a, b);
  case NORN_INT_CONDITION_NE:
    return Z3_mk_not(Z, EQ(a, b));
  case NORN_INT_CONDITION_ULT:
    return ULT(a, b);
  case NORN_INT_CONDITION_ULE:
    return Z3_mk_bvule(Z, a, b);
  case NORN_INT_CONDITION_UGT:
    return ULT(b, a);
  case NORN_INT_CONDITION_UGE:
    return Z3_mk_bvule(Z, b, a);
  case NORN_INT_CONDITION_SLT:
    return SLT(a, b);
  case NORN_INT_CONDITION_SLE:
    return Z3_mk_bvsle(Z, a, b);
  case NORN_INT_CONDITION_SGT:
    return SLT(b, a);
  default:
    return Z3_mk_bvsle(Z, b, a);
  }
}

/* --- Floats --- */

/* The relations that satisfy each condition; '?' is unordered. */
static const char *const float_conditions[] = {
    [NORN_FLOAT_CONDITION_OEQ] = "=",   [NORN_FLOAT_CONDITION_ONE] = "<>",
    [NORN_FLOAT_CONDITION_OLT] = "<",   [NORN_FLOAT_CONDITION_OLE] = "<=",
    [NORN_FLOAT_CONDITION_OGT] = ">",   [NORN_FLOAT_CONDITION_OGE] = ">=",
    [NORN_FLOAT_CONDITION_ORD] = "<=>", [NORN_FLOAT_CONDITION_UEQ] = "?=",
    [NORN_FLOAT_CONDITION_UNE] = "?<>", [NORN_FLOAT_CONDITION_ULT] = "?<",
    [NORN_FLOAT_CONDITION_ULE] = "?<=", [NORN_FLOAT_CONDITION_UGT] = "?>",
    [NORN_FLOAT_CONDITION_UGE] = "?>=", [NORN_FLOAT_CONDITION_UNO] = "?",
};

static Z3_ast
compare_floats(Terms *t, const NornEvaluator *e, NornFloatFormat format, Z3_ast a, Z3_ast b) {
  const NornFloatMode *mode = format == e->format ? &e->mode : &e->conversion;
  FpRelation is = fp_compare(t, format, mode->flush_inputs, a, b);
  Z3_ast holds = Z3_mk_false(Z);
  for (const char *relation = float_conditions[e->modifier]; *relation; relation++)
    holds = bv_or(t, holds,
                  *relation == '<'   ? is.less
                  : *relation == '=' ? is.equal
                  : *relation == '>' ? is.greater
                                     : is.unordered);
  return holds;
}

static Z3_ast
is_of_class(Terms *t, NornFloatFormat format, Z3_ast a, Z3_ast classes) {
  Z3_ast negative = fp_is_negative(t, format, a), is_nan = fp_is_nan(t, format, a);
  Z3_ast quiet =
      AND_(a, fp_constant(t, format, UINT64_C(1) << (norn_float_fraction_bits(format) - 1)));
  Z3_ast infinite = fp_is_infinite(t, format, a), zero = fp_is_zero(t, format, a);
  Z3_ast subnormal = fp_is_subnormal(t, format, a);
#define CLASS(bit) bv_constant(t, 1u << (bit), 32)
#define SIGNED(minus, plus) ITE(negative, CLASS(minus), CLASS(plus))
  Z3_ast class = SIGNED(3, 8);
  class = ITE(subnormal, SIGNED(4, 7), class);
  class = ITE(zero, SIGNED(5, 6), class);
  class = ITE(infinite, SIGNED(2, 9), class);
  class = ITE(is_nan, ITE(IS_ZERO(quiet), CLASS(0), CLASS(1)), class);
#undef SIGNED
#undef CLASS
  return Z3_mk_not(Z, IS_ZERO(AND_(class, classes)));
}

static Z3_ast
clamp(Terms *t, const NornEvaluator *e, Z3_ast a, Z3_ast low, Z3_ast high) {
  Z3_ast raised = fp_extreme(t, e->format, e->mode, a, low, true, true);
  return fp_extreme(t, e->format, e->mode, raised, high, false, true);
}

static Z3_ast
fraction(Terms *t, const NornEvaluator *e, Z3_ast a) {
  NornFloatMode down = e->mode;
  down.round = NORN_ROUND_DOWN;
  Z3_ast floor = fp_round_to_integral(t, e->format, down, a);
  return fp_add(t, e->format, e->mode, a, fp_negate(t, e->format, floor));
}

#define ONE_OF(e, negative) fp_constant(t, e->format, norn_float_one(e->format, negative))
#define ZERO_OF(e) fp_constant(t, e->format, 0)

static Z3_ast
sign(Terms *t, const NornEvaluator *e, Z3_ast a) {
  FpRelation is = fp_compare(t, e->format, e->mode.flush_inputs, a, ZERO_OF(e));
  return ITE(is.less, ONE_OF(e, true), ITE(is.greater, ONE_OF(e, false), ZERO_OF(e)));
}

static Z3_ast
narrow_to_half(Terms *t, const NornEvaluator *e, Z3_ast a) {
  NornFloatMode mode = {e->conversion.round, e->conversion.flush_inputs, e->flush_half};
  return fp_convert(t, NORN_FLOAT_32, NORN_FLOAT_16, mode, a);
}

static Z3_ast
widened_half(Terms *t, const NornEvaluator *e, Z3_ast a) {
  NornFloatMode mode = {NORN_ROUND_NEAREST_EVEN, e->flush_half, false};
  return fp_convert(t, NORN_FLOAT_16, NORN_FLOAT_32, mode, a);
}

static Z3_ast
unpack_halves(Terms *t, const NornEvaluator *e, Z3_ast a, Z3_ast *results) {
  results[1] = widened_half(t, e, EXTRACT(a, 16, 16));
  return widened_half(t, e, EXTRACT(a, 0, 16));
}

/* 2^n - 1 as a float. */
static uint64_t
largest_code(unsigned bits, bool is_signed) {
  return norn_float_from_int(NORN_FLOAT_32, NORN_FLOAT_MODE_DEFAULT,
                             norn_int_mask(is_signed ? bits - 1 : bits), 32, false);
}

static Z3_ast
pack_normalized(Terms *t, const NornEvaluator *e, const Z3_ast *operands, unsigned bits,
                bool is_signed) {
  const NornFloatFormat f32 = NORN_FLOAT_32;
  Z3_ast one = fp_constant(t, f32, norn_float_one(f32, false)), packed = NULL;
  Z3_ast low = fp_constant(t, f32, is_signed ? norn_float_one(f32, true) : 0);
  Z3_ast scale = fp_constant(t, f32, largest_code(bits, is_signed));
  for (unsigned k = 0; k < 32 / bits; k++) {
    Z3_ast scaled = fp_multiply(t, f32, e->mode, clamp(t, e, operands[k], low, one), scale);
    Z3_ast code = fp_to_int(t, f32, NORN_FLOAT_MODE_DEFAULT, scaled, bits, is_signed);
    packed = packed ? bv_concat(t, code, packed) : code;
  }
  return packed;
}

static Z3_ast
unpack_normalized(Terms *t, const NornEvaluator *e, Z3_ast a, unsigned bits, bool is_signed,
                  Z3_ast *results) {
  const NornFloatFormat f32 = NORN_FLOAT_32;
  uint64_t scale = norn_float_divide(f32, NORN_FLOAT_MODE_DEFAULT, norn_float_one(f32, false),
                                     largest_code(bits, is_signed));
  for (unsigned k = 0; k < 32 / bits; k++) {
    Z3_ast number =
        fp_from_int(t, f32, NORN_FLOAT_MODE_DEFAULT, EXTRACT(a, k * bits, bits), is_signed);
    Z3_ast scaled = fp_multiply(t, f32, e->mode, number, fp_constant(t, f32, scale));
    results[k] = fp_extreme(t, f32, e->mode, scaled, fp_constant(t, f32, norn_float_one(f32, true)),
                            true, true);
  }
  return results[0];
}

/* --- Packed values as a whole --- */

static Z3_ast
construct(Terms *t, const NornEvaluator *e, const Z3_ast *operands) {
  Z3_ast packed = operands[0];
  for (unsigned lane = 1; lane < e->lanes; lane++)
    packed = bv_concat(t, operands[lane], packed);
  return packed;
}

static unsigned
immediate(Terms *t, Z3_ast a) {
  uint64_t bits = 0;
  if (!bv_is_constant(t, a, &bits))
    g_error("an immediate operand is not a constant");
  return (unsigned)bits;
}

static Z3_ast
extract_lane(Terms *t, const NornEvaluator *e, Z3_ast packed, Z3_ast lane) {
  return EXTRACT(packed, immediate(t, lane) % e->lanes * e->width, e->width);
}

static Z3_ast
insert_lane(Terms *t, const NornEvaluator *e, Z3_ast packed, Z3_ast value, Z3_ast lane) {
  Z3_ast parts[4] = {0};
  for (unsigned k = 0; k < e->lanes; k++)
    parts[k] = EXTRACT(packed, k * e->width, e->width);
  parts[immediate(t, lane) % e->lanes] = value;
  return construct(t, e, parts);
}

static Z3_ast
swizzle(Terms *t, const NornEvaluator *e, Z3_ast packed, Z3_ast digits) {
  Z3_ast parts[4] = {0};
  for (unsigned k = 0; k < e->lanes; k++)
    parts[k] =
        EXTRACT(packed, (immediate(t, digits) >> 4 * k & 15) % e->lanes * e->width, e->width);
  return construct(t, e, parts);
}

/* --- The table --- */

#define A operands[0]
#define B operands[1]
#define C operands[2]
#define D operands[3]
#define W ((unsigned)e->width)
#define NUMBER(bits) bv_constant(t, bits, W)

typedef void (*TermFunction)(Terms *t, const NornEvaluator *e, const Z3_ast *operands,
                             Z3_ast *results);

#define LANES(id, ...)                                                                             \
  static void terms_of_##id(Terms *t, const NornEvaluator *e, const Z3_ast *operands,              \
                            Z3_ast *results) {                                                     \
    (void)t, (void)e;                                                                              \
    results[0] = __VA_ARGS__;                                                                      \
  }
#define WHOLE LANES
#include "tests/proofs/terms.def"
#undef LANES
#undef WHOLE

static const TermFunction rows[NORN_OP_COUNT] = {
#define LANES(id, ...) [NORN_OP_##id] = terms_of_##id,
#define WHOLE LANES
#include "tests/proofs/terms.def"
#undef LANES
#undef WHOLE
};

bool
operation_has_terms(NornOp op) {
  return op < NORN_OP_COUNT && rows[op];
}

bool
operation_terms(Terms *t, const NornEvaluator *e, NornOp op, const Z3_ast *operands,
                Z3_ast *results) {
  if (!operation_has_terms(op))
    return false;
  unsigned lanes = e->split_operands | e->split_results ? e->lanes : 1;
  for (unsigned lane = 0; lane < lanes; lane++) {
    Z3_ast of_lane[NORN_EVALUATE_OPERANDS], made[NORN_EVALUATE_RESULTS];
    for (unsigned k = 0; k < e->operand_count; k++)
      of_lane[k] = e->split_operands >> k & 1
                       ? EXTRACT(operands[k], lane * e->operand_width[k], e->operand_width[k])
                       : operands[k];
    rows[op](t, e, of_lane, made);
    for (unsigned k = 0; k < e->result_count; k++)
      results[k] = lane ? bv_concat(t, made[k], results[k]) : made[k];
  }
  return true;
}
