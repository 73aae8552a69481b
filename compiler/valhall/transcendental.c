/* f32 functions that take several instructions: powers, logarithms, sine and cosine.
 *
 * exp2: FEXP takes the argument times 2^24 as an integer; if the argument is a product, the scale
 * 2^24 is folded into a factor. The reciprocal of a power is a power with the negated exponent.
 * log2: the exponent plus (m - 1) times the result of FLOGD for the mantissa m. pow: both, where
 * the product of logarithm and exponent is scaled at the same time; the logarithm of a constant is
 * a constant. sine: a table of 64 angles and two terms of the series around them; the sum of the
 * angle and 786432 has the number of the table's angle in its low bits. */
#include "compiler/valhall/valhall.h"
#include "ir/numeric.h"

/* Bits of floats. */
#define TWO_OVER_PI 0x3F22F983
#define HALF_PI 0x3FC90FDB
#define TABLE_BIAS 0x49400000 /* 786432: its last place is 1/16 */

/* The scale of FEXP's argument, 2^24. */
#define EXP_SCALE 24
#define POWER_OF_EXP_SCALE 0x4B800000

/* 2^(scaled / 2^24), replaces the instruction. */
static bool
finish_exp2(NornSelector *selector, uint32_t inst, NornRef scaled) {
  NornValhallInst fixed = norn_valhall_begin(selector, inst, NORN_VALHALL_F32_TO_S32);
  norn_valhall_plain(&fixed, scaled);
  NornRef integer = norn_valhall_emit(&fixed, 1);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FEXP_F32);
  norn_valhall_plain(&machine, integer);
  norn_valhall_plain(&machine, scaled);
  return norn_valhall_finish(&machine);
}

/* How a product is computed. */
enum {
  ZERO_WINS = 1 << 0, /* 0 if a factor is 0 */
  NEGATED = 1 << 1,
};

/* a * b * 2^scale */
static NornRef
scaled_product(NornSelector *selector, uint32_t inst, NornRef a, NornRef b, uint32_t scale,
               unsigned how) {
  NornValhallInst machine = norn_valhall_begin(selector, inst,
                                               how & ZERO_WINS ? NORN_VALHALL_FMA_RSCALE_N_F32
                                                               : NORN_VALHALL_FMA_RSCALE_F32);
  norn_valhall_source(&machine, a, NORN_VALHALL_SIGNS, NORN_TYPE_F32);
  if (how & NEGATED)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_NEG1, 1);
  norn_valhall_source(&machine, b, how & NEGATED ? NORN_VALHALL_PLAIN : NORN_VALHALL_SIGNS,
                      NORN_TYPE_F32);
  norn_valhall_constant(&machine, F32_MINUS_ZERO);
  norn_valhall_constant(&machine, scale);
  return norn_valhall_emit(&machine, 1);
}

/* Whether the number can be multiplied by 2^EXP_SCALE exactly; *scaled: the bits of the product. */
static bool
scale_number(uint64_t bits, uint32_t *scaled) {
  unsigned exponent = bits >> 23 & 0xFF;
  *scaled = (uint32_t)bits + (EXP_SCALE << 23);
  return exponent && exponent + EXP_SCALE < 0xFF;
}

/* The same for a factor, which must be a constant. */
static bool
scale_factor(const NornSelector *selector, NornRef factor, uint32_t *scaled) {
  uint64_t bits;
  return norn_select_constant(selector, factor, &bits) && scale_number(bits, scaled);
}

/* The same for the logarithm of a constant. */
static bool
scale_logarithm(const NornSelector *selector, NornRef value, uint32_t *scaled) {
  uint64_t bits;
  return norn_select_constant(selector, value, &bits) &&
         scale_number(norn_float_log2(NORN_FLOAT_32, (NornFloatMode){0}, bits), scaled);
}

/* x * factor, which is given by its bits. */
static NornRef
product_with(NornSelector *selector, uint32_t inst, NornRef x, uint32_t factor, unsigned how) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
  norn_valhall_source(&machine, x, NORN_VALHALL_FLOAT, NORN_TYPE_F32);
  norn_valhall_constant(&machine, how & NEGATED ? factor ^ F32_MINUS_ZERO : factor);
  norn_valhall_constant(&machine, F32_MINUS_ZERO);
  return norn_valhall_emit(&machine, 1);
}

/* Whether the argument is a product that need not be rounded separately; finds its factors. */
static bool
match_product(const NornSelector *selector, uint32_t inst, NornRef x, NornRef factors[2]) {
  const NornInst product = norn_select_definition(selector, x);
  unsigned flags = product.flags | norn_inst(selector->function, inst)->flags;
  if (product.op != NORN_OP_FMUL || product.type != NORN_TYPE_F32 || flags & NORN_INST_EXACT ||
      !selector->context->options->contract || !norn_select_is_only_use(selector, x))
    return false;
  for (unsigned k = 0; k < 2; k++)
    factors[k] = norn_valhall_operand_of(selector, &product, k);
  return true;
}

/* Whether some term is a half that a sum would widen: the instruction that scales its result
 * cannot. */
static bool
has_half(const NornSelector *selector, const NornRef *terms) {
  for (unsigned k = 0; k < 3; k++) {
    NornInst inst = norn_select_definition(selector, terms[k]);
    while (inst.op == NORN_OP_FNEG || inst.op == NORN_OP_FABS)
      inst = norn_select_definition(selector, norn_valhall_operand_of(selector, &inst, 0));
    if (inst.op == NORN_OP_FPCONV)
      return true;
  }
  return false;
}

/* If the argument is a sum, computes it scaled in the same instruction: an exact scale does not
 * change the rounding. With constants, the scale is folded into them. 0: not a sum. */
static NornRef
scaled_sum(NornSelector *selector, uint32_t inst, NornRef x) {
  const NornInst sum = norn_select_definition(selector, x);
  bool is_product = sum.op == NORN_OP_FMA, is_difference = sum.op == NORN_OP_FSUB;
  if ((!is_product && !is_difference && sum.op != NORN_OP_FADD) || sum.type != NORN_TYPE_F32 ||
      selector->module->rounding != NORN_ROUND_RTE || !norn_select_is_only_use(selector, x))
    return 0;
  NornRef terms[3] = {0}; /* two factors and what is added to their product */
  for (unsigned k = 0; k < sum.operand_count; k++)
    terms[is_product ? k : 2 * k] = norn_valhall_operand_of(selector, &sum, k);
  if (!is_product)
    terms[1] = norn_select_word(selector, F32_ONE);
  if (is_difference && norn_ref_kind(terms[0]) == NORN_REF_CONSTANT) {
    NornRef constant = terms[0];
    terms[0] = terms[2];
    terms[1] = norn_select_word(selector, F32_MINUS_ONE);
    terms[2] = constant;
    is_difference = false;
  }
  unsigned k = norn_ref_kind(terms[0]) == NORN_REF_CONSTANT ? 0 : 1;
  uint32_t factor, addend;
  if (scale_factor(selector, terms[k], &factor) && scale_factor(selector, terms[2], &addend)) {
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
    norn_valhall_source(&machine, terms[1 - k], NORN_VALHALL_FLOAT, NORN_TYPE_F32);
    norn_valhall_constant(&machine, factor);
    norn_valhall_constant(&machine, is_difference ? addend ^ F32_MINUS_ZERO : addend);
    return norn_valhall_emit(&machine, 1);
  }
  if (has_half(selector, terms))
    return 0;
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_RSCALE_F32);
  for (k = 0; k < 3; k++) {
    if (k == 2 && is_difference)
      norn_valhall_set(&machine, NORN_VALHALL_FIELD_NEG2, 1);
    norn_valhall_source(&machine, terms[k], NORN_VALHALL_SIGNS, NORN_TYPE_F32);
  }
  norn_valhall_constant(&machine, EXP_SCALE);
  return norn_valhall_emit(&machine, 1);
}

static bool
select_exp2(NornSelector *selector, uint32_t inst, NornRef x, unsigned how) {
  NornRef factors[2], scaled = how & NEGATED ? 0 : scaled_sum(selector, inst, x);
  uint32_t factor = POWER_OF_EXP_SCALE;
  if (scaled)
    return finish_exp2(selector, inst, scaled);
  if (match_product(selector, inst, x, factors)) {
    unsigned k = norn_is_constant(factors[0]) ? 0 : 1;
    scaled = scale_factor(selector, factors[k], &factor)
                 ? product_with(selector, inst, factors[1 - k], factor, how)
                 : scaled_product(selector, inst, factors[0], factors[1], EXP_SCALE, how);
  } else {
    scaled = product_with(selector, inst, x, factor, how);
  }
  return finish_exp2(selector, inst, scaled);
}

/* Begins the last instruction of a logarithm, times 2^scale. */
static NornValhallInst
begin_log2(NornSelector *selector, uint32_t inst, NornRef value, unsigned scale) {
  NornValhallInst exponent = norn_valhall_begin(selector, inst, NORN_VALHALL_FREXPE_F32);
  norn_valhall_set(&exponent, NORN_VALHALL_FIELD_FREXP, NORN_VALHALL_FREXP_LOG);
  norn_valhall_plain(&exponent, value);
  NornRef integer = norn_valhall_emit(&exponent, 1);
  NornValhallInst conversion = norn_valhall_begin(selector, inst, NORN_VALHALL_S32_TO_F32);
  norn_valhall_plain(&conversion, integer);
  NornRef whole = norn_valhall_emit(&conversion, 1);
  NornValhallInst table = norn_valhall_begin(selector, inst, NORN_VALHALL_FLOGD_F32);
  norn_valhall_plain(&table, value);
  NornRef slope = norn_valhall_emit(&table, 1);
  NornValhallInst mantissa = norn_valhall_begin(selector, inst, NORN_VALHALL_FADD_LSCALE_F32);
  norn_valhall_constant(&mantissa, F32_MINUS_ONE);
  norn_valhall_plain(&mantissa, value);
  NornRef distance = norn_valhall_emit(&mantissa, 1);
  NornValhallInst machine = norn_valhall_begin(
      selector, inst, scale ? NORN_VALHALL_FMA_RSCALE_F32 : NORN_VALHALL_FMA_F32);
  norn_valhall_plain(&machine, slope);
  norn_valhall_plain(&machine, distance);
  norn_valhall_plain(&machine, whole);
  if (scale)
    norn_valhall_constant(&machine, scale);
  return machine;
}

static bool
select_log2(NornSelector *selector, uint32_t inst) {
  NornValhallInst machine = begin_log2(selector, inst, norn_select_operand(selector, inst, 0), 0);
  return norn_valhall_finish(&machine);
}

/* A zero exponent gives 1, as does a base of 1, regardless of the other operand. If the exponent is
 * a uniform word, it cannot be read together with the scale, which is then applied to the
 * logarithm. */
static bool
select_pow(NornSelector *selector, uint32_t inst, NornRef base, NornRef exponent, unsigned how) {
  uint32_t factor;
  if (scale_logarithm(selector, base, &factor))
    return finish_exp2(selector, inst, product_with(selector, inst, exponent, factor, how));
  unsigned scale = norn_ref_kind(exponent) == NORN_REF_UNIFORM ? EXP_SCALE : 0;
  NornValhallInst machine = begin_log2(selector, inst, base, scale);
  NornRef logarithm = norn_valhall_emit(&machine, 1);
  NornRef scaled =
      scale_factor(selector, exponent, &factor)
          ? product_with(selector, inst, logarithm, factor, how)
          : scaled_product(selector, inst, exponent, logarithm, EXP_SCALE - scale, how | ZERO_WINS);
  return finish_exp2(selector, inst, scaled);
}

/* The reciprocal of a power, unless the power is also needed. The result differs if the power is
 * infinite, or subnormal and flushed to 0. */
bool
norn_valhall_select_reciprocal(NornSelector *selector, uint32_t inst) {
  const NornInst *self = norn_inst(selector->function, inst);
  NornRef x = norn_select_operand(selector, inst, 0);
  const NornInst power = norn_select_definition(selector, x);
  if ((power.op != NORN_OP_FEXP2 && power.op != NORN_OP_FPOW) || power.type != NORN_TYPE_F32 ||
      !norn_inst_is_finite(self) || (self->flags | power.flags) & NORN_INST_EXACT ||
      !norn_select_is_only_use(selector, x))
    return false;
  NornRef first = norn_valhall_operand_of(selector, &power, 0);
  return power.op == NORN_OP_FEXP2
             ? select_exp2(selector, inst, first, NEGATED)
             : select_pow(selector, inst, first, norn_valhall_operand_of(selector, &power, 1),
                          NEGATED);
}

static NornRef
table_value(NornSelector *selector, uint32_t inst, unsigned instruction, NornRef angle) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, instruction);
  norn_valhall_plain(&machine, angle);
  return norn_valhall_emit(&machine, 1);
}

/* f(x) = f + e * (f' - e/2 * f), where e is the distance from the table's angle; computed with e/2
 * and twice the slope. Far from 0, where angles are not exact, e can be anything, so the result is
 * clamped. */
static bool
select_sine(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  bool is_sine = self.op == NORN_OP_FSIN;
  bool is_finite = self.flags & (NORN_INST_FINITE | NORN_INST_NINF);
  NornRef x = norn_select_operand(selector, inst, 0);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
  norn_valhall_source(&machine, x, NORN_VALHALL_FLOAT, NORN_TYPE_F32);
  norn_valhall_constant(&machine, TWO_OVER_PI);
  norn_valhall_constant(&machine, TABLE_BIAS);
  NornRef angle = norn_valhall_emit(&machine, 1);
  machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FADD_F32);
  norn_valhall_plain(&machine, angle);
  norn_valhall_constant(&machine, TABLE_BIAS | F32_MINUS_ZERO);
  NornRef quarters = norn_valhall_emit(&machine, 1);
  machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_RSCALE_F32);
  norn_valhall_plain(&machine, quarters);
  norn_valhall_constant(&machine, HALF_PI | F32_MINUS_ZERO);
  norn_valhall_source(&machine, x, NORN_VALHALL_SIGNS, NORN_TYPE_F32);
  norn_valhall_constant(&machine, UINT32_MAX);
  NornRef rest = norn_valhall_emit(&machine, 1);
  NornRef sine = table_value(selector, inst, NORN_VALHALL_FSIN_TABLE_U6, angle);
  NornRef cosine = table_value(selector, inst, NORN_VALHALL_FCOS_TABLE_U6, angle);
  NornRef value = is_sine ? sine : cosine;
  machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_RSCALE_F32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_NEG0, 1);
  norn_valhall_plain(&machine, rest);
  norn_valhall_plain(&machine, value);
  if (!is_sine)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_NEG2, 1);
  norn_valhall_plain(&machine, is_sine ? cosine : sine);
  norn_valhall_constant(&machine, 1);
  NornRef slope = norn_valhall_emit(&machine, 1);
  machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CLAMP, NORN_VALHALL_CLAMP_CLAMP_M1_1);
  norn_valhall_plain(&machine, rest);
  norn_valhall_plain(&machine, slope);
  norn_valhall_plain(&machine, value);
  if (is_finite)
    return norn_valhall_finish(&machine);
  /* Infinities and NaNs become NaN, which the clamp turns into -1; adding rest * 0 restores the
   * NaN. */
  NornRef clamped = norn_valhall_emit(&machine, 1);
  machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
  norn_valhall_plain(&machine, rest);
  norn_valhall_constant(&machine, 0);
  norn_valhall_plain(&machine, clamped);
  return norn_valhall_finish(&machine);
}

bool
norn_valhall_select_transcendental(NornSelector *selector, uint32_t inst) {
  NornRef first = norn_select_operand(selector, inst, 0);
  switch (norn_inst(selector->function, inst)->op) {
  case NORN_OP_FEXP2:
    return select_exp2(selector, inst, first, 0);
  case NORN_OP_FLOG2:
    return select_log2(selector, inst);
  case NORN_OP_FPOW:
    return select_pow(selector, inst, first, norn_select_operand(selector, inst, 1), 0);
  default:
    return select_sine(selector, inst);
  }
}
