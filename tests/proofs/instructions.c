/* The results of Valhall's instructions as terms. Sources are selected, widened, made absolute,
 * negated and flushed according to the decoded operation (sim/valhall/alu.h). Each row of
 * sim/valhall/semantics.c has a row here, by mnemonic, that says what it does with lanes.
 * Approximations are uninterpreted functions. */
#include "tests/proofs/operations.h"
#include <norn/valhall.h>
#include <string.h>

#define Z t->z3
#define ITE(c, a, b) Z3_mk_ite(Z, c, a, b)
#define MODIFIER(id) i->operation->modifier[NORN_VALHALL_MODIFIER_##id]

/* A lane of an instruction. */
typedef struct Lane {
  const NornValhallOperation *operation;
  const NornValhallLaneInfo *result;
  const char *mnemonic;
  NornFloatMode mode;
  unsigned index;
} Lane;

typedef Z3_ast (*LaneFunction)(Terms *t, const Lane *i, const Z3_ast *s);

static const NornValhallLaneInfo *
source_info(const Lane *i, unsigned k) {
  return &norn_valhall_lanes[i->operation->row->source[k]];
}

/* --- Integers --- */

static Z3_ast
add(Terms *t, const Lane *i, const Z3_ast *s) {
  return MODIFIER(SATURATE) ? bv_add_saturate(t, s[0], s[1], i->result->is_signed)
                            : Z3_mk_bvadd(Z, s[0], s[1]);
}

static Z3_ast
subtract(Terms *t, const Lane *i, const Z3_ast *s) {
  return MODIFIER(SATURATE) ? bv_subtract_saturate(t, s[0], s[1], i->result->is_signed)
                            : Z3_mk_bvsub(Z, s[0], s[1]);
}

static Z3_ast
multiply(Terms *t, const Lane *i, const Z3_ast *s) {
  return MODIFIER(SATURATE) ? bv_multiply_saturate(t, s[0], s[1], i->result->is_signed)
                            : bv_multiply(t, s[0], s[1]);
}

static Z3_ast
half_add(Terms *t, const Lane *i, const Z3_ast *s) {
  return bv_half_add(t, s[0], s[1], i->result->is_signed, MODIFIER(RHADD));
}

static Z3_ast
absolute(Terms *t, const Lane *i, const Z3_ast *s) {
  (void)i;
  return bv_absolute(t, s[0]);
}

static Z3_ast
shift_add(Terms *t, const Lane *i, const Z3_ast *s) {
  return Z3_mk_bvadd(Z, s[0], Z3_mk_bvshl(Z, s[1], bv_constant(t, MODIFIER(SHIFT), 64)));
}

static Z3_ast
dot_product(Terms *t, const Lane *i, const Z3_ast *s) {
  bool is_signed = i->result->is_signed;
  Z3_ast sum = bv_constant(t, 0, 32);
  for (unsigned k = 0; k < 4; k++)
    sum = Z3_mk_bvadd(
        Z, sum,
        bv_product(t, bv_extract(t, s[0], 8 * k, 8), bv_extract(t, s[1], 8 * k, 8), 32, is_signed));
  return MODIFIER(SATURATE) ? bv_add_saturate(t, sum, s[2], is_signed) : Z3_mk_bvadd(Z, sum, s[2]);
}

static Z3_ast
leading_zeros(Terms *t, const Lane *i, const Z3_ast *s) {
  Z3_ast zeros = bv_leading_zeros(t, s[0]);
  return MODIFIER(MASK)
             ? ITE(bv_is_zero(t, s[0]), bv_constant(t, UINT64_MAX, i->result->width), zeros)
             : zeros;
}

static Z3_ast
population_count(Terms *t, const Lane *i, const Z3_ast *s) {
  (void)i;
  return bv_population_count(t, s[0]);
}

static Z3_ast
bit_reverse(Terms *t, const Lane *i, const Z3_ast *s) {
  (void)i;
  return bv_bit_reverse(t, s[0]);
}

static Z3_ast
complement(Terms *t, const Lane *i, const Z3_ast *s) {
  (void)i;
  return Z3_mk_bvnot(Z, s[0]);
}

/* --- Moves and logic --- */

static Z3_ast
move(Terms *t, const Lane *i, const Z3_ast *s) {
  (void)t, (void)i;
  return s[0];
}

static Z3_ast
make_vector(Terms *t, const Lane *i, const Z3_ast *s) {
  if (i->operation->row->lanes > 1) /* of two halves: lane by lane */
    return s[i->index];
  return bv_concat(t, s[2], bv_concat(t, s[1], s[0]));
}

static Z3_ast
combine(Terms *t, const char *logic, Z3_ast a, Z3_ast b) {
  return logic[0] == 'A'   ? Z3_mk_bvand(Z, a, b)
         : logic[0] == 'O' ? Z3_mk_bvor(Z, a, b)
                           : Z3_mk_bvxor(Z, a, b);
}

static Z3_ast
shifted(Terms *t, const Lane *i, Z3_ast value, Z3_ast amount) {
  unsigned width = i->result->width;
  Z3_ast by = bv_amount(t, amount, width);
  if (g_str_has_prefix(i->mnemonic, "LSHIFT"))
    return Z3_mk_bvshl(Z, value, by);
  if (g_str_has_prefix(i->mnemonic, "RSHIFT"))
    return MODIFIER(SIGNED) ? Z3_mk_bvashr(Z, value, by) : Z3_mk_bvlshr(Z, value, by);
  return bv_rotate(t, value, amount, i->mnemonic[0] == 'L');
}

static Z3_ast
shift_and_combine(Terms *t, const Lane *i, const Z3_ast *s) {
  Z3_ast result = combine(t, strchr(i->mnemonic, '_') + 1, shifted(t, i, s[0], s[1]), s[2]);
  return MODIFIER(NOT_RESULT) ? Z3_mk_bvnot(Z, result) : result;
}

static Z3_ast
combine_immediate(Terms *t, const Lane *i, const Z3_ast *s) {
  return combine(t, i->mnemonic, s[0], s[1]);
}

static Z3_ast
multiplex(Terms *t, const Lane *i, const Z3_ast *s) {
  unsigned width = i->result->width;
  switch (MODIFIER(MUX)) {
  case NORN_VALHALL_MUX_NEG:
    return ITE(Z3_mk_bvslt(Z, s[2], bv_constant(t, 0, width)), s[0], s[1]);
  case NORN_VALHALL_MUX_INT_ZERO:
    return ITE(bv_is_zero(t, s[2]), s[0], s[1]);
  case NORN_VALHALL_MUX_FP_ZERO:
    return ITE(bv_is_zero(t, bv_extract(t, s[2], 0, width - 1)), s[0], s[1]);
  default:
    return Z3_mk_bvor(Z, Z3_mk_bvand(Z, s[0], s[2]), Z3_mk_bvand(Z, s[1], Z3_mk_bvnot(Z, s[2])));
  }
}

/* --- Comparison --- */

static FpRelation
relation_of(Terms *t, const Lane *i, Z3_ast a, Z3_ast b) {
  const NornValhallLaneInfo *type = source_info(i, 0);
  if (type->is_float)
    return fp_compare(t, type->format, false, a, b);
  Z3_ast less = type->is_signed ? Z3_mk_bvslt(Z, a, b) : Z3_mk_bvult(Z, a, b);
  Z3_ast greater = type->is_signed ? Z3_mk_bvslt(Z, b, a) : Z3_mk_bvult(Z, b, a);
  return (FpRelation){less, Z3_mk_eq(Z, a, b), greater, Z3_mk_false(Z)};
}

static Z3_ast
holds(Terms *t, unsigned condition, FpRelation is) {
  switch (condition) {
  case NORN_VALHALL_CONDITION_EQ:
    return is.equal;
  case NORN_VALHALL_CONDITION_GT:
    return is.greater;
  case NORN_VALHALL_CONDITION_GE:
    return bv_or(t, is.greater, is.equal);
  case NORN_VALHALL_CONDITION_NE:
    return Z3_mk_not(Z, is.equal);
  case NORN_VALHALL_CONDITION_LT:
    return is.less;
  case NORN_VALHALL_CONDITION_LE:
    return bv_or(t, is.less, is.equal);
  default: /* gtlt */
    return bv_or(t, is.less, is.greater);
  }
}

/* The order of the bits: all NaN of one sign are beyond the infinities. */
static Z3_ast
total_less_equal(Terms *t, NornFloatFormat format, Z3_ast a, Z3_ast b) {
  Z3_ast v[] = {a, b};
  for (unsigned k = 0; k < 2; k++)
    v[k] = ITE(fp_is_negative(t, format, v[k]), Z3_mk_bvnot(Z, fp_absolute(t, format, v[k])), v[k]);
  return Z3_mk_bvsle(Z, v[0], v[1]);
}

static Z3_ast
condition_of(Terms *t, const Lane *i, const Z3_ast *s) {
  unsigned condition = MODIFIER(CONDITION);
  const NornValhallLaneInfo *type = source_info(i, 0);
  if (type->is_float && condition == NORN_VALHALL_CONDITION_TOTAL)
    return total_less_equal(t, type->format, s[0], s[1]);
  return holds(t, condition, relation_of(t, i, s[0], s[1]));
}

static Z3_ast
boolean(Terms *t, const Lane *i, Z3_ast condition) {
  unsigned width = i->result->width;
  NornFloatFormat format = norn_float_of_width(width);
  switch (MODIFIER(RESULT_TYPE)) {
  case NORN_VALHALL_RESULT_TYPE_F1:
    return ITE(condition, bv_constant(t, norn_float_one(format, false), width),
               bv_constant(t, 0, width));
  case NORN_VALHALL_RESULT_TYPE_M1:
    return bv_ones_if(t, condition, width);
  default:
    return bv_one_if(t, condition, width);
  }
}

static Z3_ast
compare(Terms *t, const Lane *i, const Z3_ast *s) {
  Z3_ast other = Z3_mk_not(Z, bv_is_zero(t, s[2])), is = condition_of(t, i, s);
  bool is_or = g_str_has_suffix(i->mnemonic, "_OR");
  return boolean(t, i, is_or ? bv_or(t, is, other) : bv_and(t, is, other));
}

static Z3_ast
compare_chained(Terms *t, const Lane *i, const Z3_ast *s) {
  FpRelation is = relation_of(t, i, s[0], s[1]);
  Z3_ast zero = bv_constant(t, 0, 32);
  is.less = bv_or(t, is.less, bv_and(t, is.equal, Z3_mk_bvslt(Z, s[2], zero)));
  is.greater = bv_or(t, is.greater, bv_and(t, is.equal, Z3_mk_bvslt(Z, zero, s[2])));
  is.equal = bv_and(t, is.equal, bv_is_zero(t, s[2]));
  if (MODIFIER(RESULT_TYPE) == NORN_VALHALL_RESULT_TYPE_U1)
    return ITE(is.less, bv_constant(t, UINT32_MAX, 32), bv_one_if(t, is.greater, 32));
  return boolean(t, i, holds(t, MODIFIER(CONDITION), is));
}

static Z3_ast
select_by_condition(Terms *t, const Lane *i, const Z3_ast *s) {
  return ITE(condition_of(t, i, s), s[2], s[3]);
}

/* --- Floats --- */

static Z3_ast
float_add(Terms *t, const Lane *i, const Z3_ast *s) {
  return fp_add(t, i->result->format, i->mode, s[0], s[1]);
}

static Z3_ast
float_fma(Terms *t, const Lane *i, const Z3_ast *s) {
  return fp_fma(t, i->result->format, i->mode, s[0], s[1], s[2]);
}

static Z3_ast
float_extreme(Terms *t, const Lane *i, const Z3_ast *s) {
  return fp_extreme(t, i->result->format, i->mode, s[0], s[1], g_str_equal(i->mnemonic, "FMAX"),
                    !MODIFIER(NAN_HANDLING));
}

static Z3_ast
float_round(Terms *t, const Lane *i, const Z3_ast *s) {
  return fp_round_to_integral(t, i->result->format, i->mode, s[0]);
}

static Z3_ast
float_ldexp(Terms *t, const Lane *i, const Z3_ast *s) {
  return fp_ldexp(t, i->result->format, i->mode, s[0], s[1]);
}

static Z3_ast
fma_scale(Terms *t, const Lane *i, const Z3_ast *s) {
  return fp_fma_scale(t, NORN_FLOAT_32, i->mode, s[0], s[1], s[2], s[3]);
}

static Z3_ast
float_to_integer(Terms *t, const Lane *i, const Z3_ast *s) {
  return fp_to_int(t, source_info(i, 0)->format, i->mode, s[0], i->result->width,
                   i->result->is_signed);
}

static Z3_ast
integer_to_float(Terms *t, const Lane *i, const Z3_ast *s) {
  return fp_from_int(t, i->result->format, i->mode, s[0], source_info(i, 0)->is_signed);
}

static Z3_ast
widen(Terms *t, const Lane *i, const Z3_ast *s) {
  return bv_resize(t, s[0], i->result->width, source_info(i, 0)->is_signed);
}

static Z3_ast
half_to_float(Terms *t, const Lane *i, const Z3_ast *s) {
  return fp_convert(t, NORN_FLOAT_16, NORN_FLOAT_32, i->mode, s[0]);
}

static Z3_ast
floats_to_halves(Terms *t, const Lane *i, const Z3_ast *s) {
  return fp_convert(t, NORN_FLOAT_32, NORN_FLOAT_16, i->mode, s[i->index]);
}

static Z3_ast
reciprocal(Terms *t, const Lane *i, const Z3_ast *s) {
  NornFloatFormat format = i->result->format;
  Z3_ast one = fp_constant(t, format, norn_float_one(format, false));
  return fp_divide(t, format, i->mode, one, s[0]);
}

static Z3_ast
reciprocal_root(Terms *t, const Lane *i, const Z3_ast *s) {
  return fp_elementary(t, FP_RSQ, i->result->format, i->mode, s[0], NULL);
}

static Z3_ast
root(Terms *t, const Lane *i, const Z3_ast *s) {
  return fp_sqrt(t, i->result->format, i->mode, s[0]);
}

/* --- The table --- */

static const struct {
  const char *mnemonic;
  LaneFunction function;
} rows[] = {
    {"IADD", add},
    {"IADD_IMM", add},
    {"ISUB", subtract},
    {"IMUL", multiply},
    {"IMULD", multiply},
    {"HADD", half_add},
    {"IABS", absolute},
    {"SHADDX", shift_add},
    {"IDP", dot_product},
    {"CLZ", leading_zeros},
    {"POPCOUNT", population_count},
    {"BITREV", bit_reverse},
    {"NOT_OLD", complement},
    {"MOV", move},
    {"MKVEC", make_vector},
    {"AND_IMM", combine_immediate},
    {"OR_IMM", combine_immediate},
    {"XOR_IMM", combine_immediate},
    {"LSHIFT_AND", shift_and_combine},
    {"LSHIFT_OR", shift_and_combine},
    {"LSHIFT_XOR", shift_and_combine},
    {"RSHIFT_AND", shift_and_combine},
    {"RSHIFT_OR", shift_and_combine},
    {"RSHIFT_XOR", shift_and_combine},
    {"LROT_AND", shift_and_combine},
    {"LROT_OR", shift_and_combine},
    {"LROT_XOR", shift_and_combine},
    {"RROT_AND", shift_and_combine},
    {"RROT_OR", shift_and_combine},
    {"RROT_XOR", shift_and_combine},
    {"MUX", multiplex},
    {"ICMP_OR", compare},
    {"ICMP_AND", compare},
    {"ICMP_MULTI", compare_chained},
    {"FCMP_OR", compare},
    {"FCMP_AND", compare},
    {"CSEL", select_by_condition},
    {"FADD", float_add},
    {"FADD_IMM", float_add},
    {"FMA", float_fma},
    {"FMIN", float_extreme},
    {"FMAX", float_extreme},
    {"FROUND", float_round},
    {"LDEXP", float_ldexp},
    {"FMA_RSCALE", fma_scale},
    {"F32_TO_S32", float_to_integer},
    {"F32_TO_U32", float_to_integer},
    {"F16_TO_S32", float_to_integer},
    {"F16_TO_U32", float_to_integer},
    {"V2F16_TO_V2S16", float_to_integer},
    {"V2F16_TO_V2U16", float_to_integer},
    {"S32_TO_F32", integer_to_float},
    {"U32_TO_F32", integer_to_float},
    {"S16_TO_F32", integer_to_float},
    {"U16_TO_F32", integer_to_float},
    {"S8_TO_F32", integer_to_float},
    {"U8_TO_F32", integer_to_float},
    {"V2S16_TO_V2F16", integer_to_float},
    {"V2U16_TO_V2F16", integer_to_float},
    {"V2S8_TO_V2F16", integer_to_float},
    {"V2U8_TO_V2F16", integer_to_float},
    {"S16_TO_S32", widen},
    {"U16_TO_U32", widen},
    {"S8_TO_S32", widen},
    {"U8_TO_U32", widen},
    {"V2S8_TO_V2S16", widen},
    {"V2U8_TO_V2U16", widen},
    {"F16_TO_F32", half_to_float},
    {"V2F32_TO_V2F16", floats_to_halves},
    {"FRCP", reciprocal},
    {"FRSQ", reciprocal_root},
    {"FSQRT", root},
};

/* A function that depends only on the sources. */
static Z3_ast
approximate(Terms *t, const Lane *i, const Z3_ast *s) {
  unsigned count = 0;
  while (count < NORN_VALHALL_SOURCES && i->operation->row->source[count])
    count++;
  GString *name = g_string_new(i->mnemonic);
  for (unsigned k = 0; k < NORN_VALHALL_MODIFIER_COUNT; k++)
    g_string_append_printf(name, ".%u", i->operation->modifier[k]);
  Z3_ast result = bv_function(t, name->str, i->result->width, s, count);
  t->has_floats = true;
  g_string_free(name, TRUE);
  return result;
}

static LaneFunction
find_row(const char *mnemonic) {
  for (unsigned k = 0; k < G_N_ELEMENTS(rows); k++)
    if (g_str_equal(rows[k].mnemonic, mnemonic))
      return rows[k].function;
  return approximate;
}

/* --- Around a lane --- */

static Z3_ast
float_source(Terms *t, const NornValhallOperation *operation, unsigned k, Z3_ast a,
             NornFloatFormat format, const bool *flush) {
  if (bv_width(t, a) == 16 && format == NORN_FLOAT_32) {
    if (flush[NORN_FLOAT_16])
      a = fp_flush(t, NORN_FLOAT_16, a);
    a = fp_widen_half(t, a);
  }
  if (operation->absolute[k])
    a = fp_absolute(t, format, a);
  if (operation->negate[k])
    a = fp_negate(t, format, a);
  return flush[format] ? fp_flush(t, format, a) : a;
}

static Z3_ast
source_lane(Terms *t, const NornValhallOperation *operation, unsigned k, unsigned index, Z3_ast raw,
            const bool *flush) {
  const NornValhallLaneInfo *info = &norn_valhall_lanes[operation->row->source[k]];
  const NornIsaSwizzle *swizzle = &operation->swizzle[k];
  unsigned bits = swizzle->bits ? swizzle->bits : info->width;
  if (swizzle->bits)
    index = swizzle->index[index % swizzle->count];
  Z3_ast a = bv_extract(t, raw, bits * index, bits);
  if (info->is_float)
    return float_source(t, operation, k, a, info->format, flush);
  a = bv_resize(t, a, info->width, info->is_signed);
  return operation->complement[k] ? Z3_mk_bvnot(Z, a) : a;
}

static Z3_ast
clamped(Terms *t, unsigned clamp, NornFloatFormat format, Z3_ast a) {
  if (clamp == NORN_VALHALL_CLAMP_NONE)
    return a;
  uint64_t low = clamp == NORN_VALHALL_CLAMP_CLAMP_M1_1 ? norn_float_one(format, true) : 0;
  uint64_t high = clamp == NORN_VALHALL_CLAMP_CLAMP_0_INF ? norn_float_infinity(format, false)
                                                          : norn_float_one(format, false);
  a = fp_extreme(t, format, NORN_FLOAT_MODE_DEFAULT, a, fp_constant(t, format, low), true, true);
  return fp_extreme(t, format, NORN_FLOAT_MODE_DEFAULT, a, fp_constant(t, format, high), false,
                    true);
}

/* The result in the position of the write mask; the other bits are unknown. */
static Z3_ast
placed(Terms *t, const NornValhallOperation *operation, Z3_ast a) {
  if (operation->write_mask == NORN_VALHALL_DESTINATION_LOW)
    return bv_concat(t, bv_unknown(t, 16), bv_extract(t, a, 0, 16));
  if (operation->write_mask == NORN_VALHALL_DESTINATION_HIGH)
    return bv_concat(t, bv_extract(t, a, 16, 16), bv_unknown(t, 16));
  return a;
}

bool
instruction_terms(Terms *t, const char *mnemonic, const NornValhallOperation *operation,
                  NornFtzMode ftz, const Z3_ast *sources, Z3_ast *result) {
  const NornValhallRow *row = operation->row;
  const NornValhallLaneInfo *info = &norn_valhall_lanes[row->result];
  LaneFunction function = find_row(mnemonic);
  if (row->flags & NORN_VALHALL_ROW_EXCHANGE || !row->function)
    return false;
  bool raw = row->flags & NORN_VALHALL_ROW_RAW_FLOATS || operation->never_flushes;
  bool flush[] = {
      [NORN_FLOAT_16] = ftz == NORN_FTZ_ALL && !raw,
      [NORN_FLOAT_32] = (ftz != NORN_FTZ_PRESERVE && !raw) || row->flags & NORN_VALHALL_ROW_FLUSHES,
  };
  NornFloatMode mode = {operation->modifier[NORN_VALHALL_MODIFIER_ROUND], false,
                        info->is_float && flush[info->format]};
  Z3_ast whole = NULL;
  for (unsigned index = 0; index < row->lanes; index++) {
    Lane lane = {operation, info, mnemonic, mode, index};
    Z3_ast s[NORN_VALHALL_SOURCES] = {0};
    for (unsigned k = 0; k < NORN_VALHALL_SOURCES && row->source[k]; k++) {
      Z3_ast value = row->flags & NORN_VALHALL_ROW_IMMEDIATE && k == 1
                         ? bv_constant(t, operation->immediate, 64)
                         : sources[k];
      unsigned from = row->flags & NORN_VALHALL_ROW_SOURCE_PER_LANE ? 0 : index;
      s[k] = source_lane(t, operation, k, from, value, flush);
    }
    Z3_ast part = function(t, &lane, s);
    if (info->is_float)
      part = clamped(t, operation->modifier[NORN_VALHALL_MODIFIER_CLAMP], info->format, part);
    whole = whole ? bv_concat(t, part, whole) : part;
  }
  bool narrows = row->flags & NORN_VALHALL_ROW_NARROWS &&
                 operation->write_mask != NORN_VALHALL_DESTINATION_ALL;
  if (narrows) {
    mode.flush_outputs = flush[NORN_FLOAT_16];
    whole = fp_convert(t, NORN_FLOAT_32, NORN_FLOAT_16, mode, whole);
  }
  if (narrows || row->flags & NORN_VALHALL_ROW_SCALAR_HALF)
    whole = bv_concat(t, whole, whole);
  if (bv_width(t, whole) < 32)
    whole = bv_resize(t, whole, 32, false);
  *result = placed(t, operation, whole);
  return true;
}
