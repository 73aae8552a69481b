/* Products with powers of two that rounding scales, sums, addresses, and rounding to integral
 * floats. */
#include "compiler/valhall/valhall.h"
#include "ir/numeric.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"

/* --- Products with powers of two --- */

/* Exponents that rounding is made to scale by: the magnitudes that are known to be used. */
#define MAX_POWER 24

/* A factor that is a power of two, or its negation. */
typedef struct PowerFactor {
  int power; /* 0: it is neither, or 1 or -1 */
  bool is_negative;
} PowerFactor;

/* Whether the scaled product can read the value as well as a plain product can. */
static bool
is_whole_value(const NornSelector *selector, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE &&
         norn_select_definition(selector, ref).op != NORN_OP_FPCONV;
}

/* Whether an instruction that scales while rounding can compute a result of that type. */
static bool
can_scale(const NornSelector *selector, NornType type) {
  return type == NORN_TYPE_F32 && selector->module->rounding == NORN_ROUND_RTE &&
         norn_valhall_has(selector, NORN_VALHALL_FMA_RSCALE_F32);
}

/* Exponents other than 1 and -1 take a uniform word. */
static PowerFactor
power_of_factor(const NornSelector *selector, NornRef factor) {
  uint64_t bits;
  PowerFactor result = {0};
  if (!norn_select_constant(selector, factor, &bits) ||
      !norn_float_is_power_of_two(NORN_FLOAT_32, bits & INT32_MAX))
    return result;
  int power = (int)(bits >> 23 & 0xFF) - 127,
      max = selector->context->options->promote_constants ? MAX_POWER : 1;
  if (ABS(power) <= max)
    result = (PowerFactor){power, bits >> 31};
  return result;
}

/* Builds (a * b + c) * 2^power, or (a * b - c) * 2^power if it is a difference; or the negation.
 * If they are 0, b is 1, and c is -0. */
static bool
build_scaled(NornSelector *selector, uint32_t inst, NornRef a, NornRef b, NornRef c,
             bool is_difference, PowerFactor factor) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_RSCALE_F32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_NEG0, factor.is_negative);
  norn_valhall_source(&machine, a, NORN_VALHALL_SIGNS, NORN_TYPE_F32);
  if (b)
    norn_valhall_source(&machine, b, NORN_VALHALL_SIGNS, NORN_TYPE_F32);
  else
    norn_valhall_constant(&machine, F32_ONE);
  if (c) {
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_NEG2, is_difference != factor.is_negative);
    norn_valhall_source(&machine, c, NORN_VALHALL_SIGNS, NORN_TYPE_F32);
  } else {
    norn_valhall_constant(&machine, F32_MINUS_ZERO);
  }
  norn_valhall_constant(&machine, (uint32_t)factor.power);
  return norn_valhall_finish(&machine);
}

/* The factor of a product with a power of two, without other uses, and the value that it scales. If
 * the product overflows, any result must be acceptable. If it may be rounded to a subnormal, it
 * must be allowed to be rounded differently. */
static PowerFactor
scaled_value(const NornSelector *selector, NornRef ref, NornRef *value) {
  const NornInst product = norn_select_definition(selector, ref);
  PowerFactor factor = {0};
  if (product.op != NORN_OP_FMUL || product.type != NORN_TYPE_F32 ||
      !norn_inst_is_finite(&product) || !norn_select_is_only_use(selector, ref))
    return factor;
  const NornRef *operands = norn_operands(selector->function, &product);
  for (unsigned k = 0; k < 2 && !factor.power; k++) {
    factor = power_of_factor(selector, norn_select_resolve(selector, operands[k]));
    *value = norn_select_resolve(selector, operands[1 - k]);
  }
  if (factor.power < 0 &&
      !(selector->context->options->contract && norn_inst_may_reassociate(&product)))
    factor.power = 0;
  return factor;
}

/* (a * 2^n) * b: the exponent changes when the product is rounded. */
static bool
select_scaled_factor(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  for (unsigned k = 0; k < 2; k++) {
    NornRef a, b = norn_select_operand(selector, inst, 1 - k);
    PowerFactor factor = scaled_value(selector, norn_select_operand(selector, inst, k), &a);
    if (factor.power < 0 && !norn_inst_may_reassociate(&self))
      continue;
    if (factor.power && is_whole_value(selector, a) && is_whole_value(selector, b))
      return build_scaled(selector, inst, a, b, 0, false, factor);
  }
  return false;
}

/* (a + b) * 2^n, (a * b + c) * 2^n and (a * b) * 2^n. What is scaled is not rounded by itself,
 * which only makes a difference for subnormal results. */
static bool
select_scaled_result(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  if (!selector->context->options->contract || !norn_inst_may_reassociate(&self))
    return false;
  for (unsigned k = 0; k < 2; k++) {
    NornRef ref = norn_select_operand(selector, inst, k), terms[3] = {0};
    PowerFactor factor = power_of_factor(selector, norn_select_operand(selector, inst, 1 - k));
    const NornInst scaled = norn_select_definition(selector, ref);
    bool is_sum = scaled.op == NORN_OP_FADD || scaled.op == NORN_OP_FSUB;
    if (!factor.power || (!is_sum && scaled.op != NORN_OP_FMA && scaled.op != NORN_OP_FMUL) ||
        !norn_inst_may_reassociate(&scaled) || !norn_select_is_only_use(selector, ref))
      continue;
    const NornRef *operands = norn_operands(selector->function, &scaled);
    bool are_whole = true;
    for (unsigned i = 0; i < scaled.operand_count; i++) {
      terms[i] = norn_select_resolve(selector, operands[i]);
      are_whole &= is_whole_value(selector, terms[i]);
    }
    if (are_whole)
      return is_sum ? build_scaled(selector, inst, terms[0], 0, terms[1], scaled.op == NORN_OP_FSUB,
                                   factor)
                    : build_scaled(selector, inst, terms[0], terms[1], terms[2], false, factor);
  }
  return false;
}

bool
norn_valhall_select_product(NornSelector *selector, uint32_t inst) {
  return norn_valhall_select_chosen_product(selector, inst) ||
         (can_scale(selector, norn_inst(selector->function, inst)->type) &&
          (select_scaled_factor(selector, inst) || select_scaled_result(selector, inst)));
}

/* a * 2^m + b * 2^n, as (a * 2^(m - n) + b) * 2^n: both products are exact, except for subnormal
 * ones. At most one of the two powers is not in the table. */
bool
norn_valhall_select_product_sum(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  NornRef b;
  PowerFactor of_b = {0};
  if (can_scale(selector, self.type) && selector->context->options->contract &&
      norn_inst_may_reassociate(&self))
    of_b = scaled_value(selector, norn_select_operand(selector, inst, 2), &b);
  if (!of_b.power || !is_whole_value(selector, b))
    return false;
  for (unsigned k = 0; k < 2; k++) {
    NornRef a = norn_select_operand(selector, inst, k);
    PowerFactor of_a = power_of_factor(selector, norn_select_operand(selector, inst, 1 - k));
    if (!of_a.power || !is_whole_value(selector, a) ||
        (of_a.power != of_b.power && ABS(of_b.power) != 1))
      continue;
    uint32_t power = (uint32_t)(127 + of_a.power - of_b.power) << 23;
    bool is_difference = of_a.is_negative != of_b.is_negative;
    PowerFactor factor = {of_b.power, of_a.is_negative};
    return build_scaled(selector, inst, a, norn_select_word(selector, power), b, is_difference,
                        factor);
  }
  return false;
}

/* --- 64-bit sums and addresses --- */

bool
norn_valhall_select_address(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  uint64_t shift = 0;
  norn_select_constant(selector, norn_select_operand(selector, inst, 2), &shift);
  NornValhallInst machine = norn_valhall_begin_address(
      selector, inst, norn_select_operand(selector, inst, 0),
      norn_select_operand(selector, inst, 1), shift & 7, self.modifier == NORN_EXTEND_S32);
  return norn_valhall_finish(&machine);
}

bool
norn_valhall_select_sum(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  uint64_t bits;
  if (norn_valhall_select_counted(selector, inst) ||
      (self.op == NORN_OP_IADD && norn_valhall_select_disjoint_sum(selector, inst)) ||
      norn_valhall_select_dot(selector, inst))
    return true;
  if (self.type != NORN_TYPE_I64 ||
      !norn_select_constant(selector, norn_select_operand(selector, inst, 1), &bits))
    return false;
  bool is_negated = bits > UINT32_MAX;
  if (is_negated && -bits > UINT32_MAX)
    return false;
  bool is_sum = (self.op == NORN_OP_IADD) != is_negated;
  NornValhallInst machine =
      norn_valhall_begin(selector, inst, is_sum ? NORN_VALHALL_IADD_U64 : NORN_VALHALL_ISUB_U64);
  norn_valhall_plain(&machine, norn_select_operand(selector, inst, 0));
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE1, NORN_VALHALL_WIDEN_INTEGER_W0);
  norn_valhall_constant(&machine, (uint32_t)(is_negated ? -bits : bits));
  return norn_valhall_finish(&machine);
}

/* --- Rounding --- */

/* From architecture 11 on, rounding does not flush subnormals: if the shader flushes, a sum with -0
 * comes first. */
enum { FIRST_WITHOUT_FLUSH = NORN_VALHALL_ARCHITECTURE_11 };

bool
norn_valhall_select_flushed_round(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  if (selector->module->denormals == NORN_DENORMALS_PRESERVE || self.type != NORN_TYPE_F32 ||
      selector->target->architecture < FIRST_WITHOUT_FLUSH)
    return false;
  unsigned round = self.modifier;
  NornValhallInst sum = norn_valhall_begin(selector, inst, NORN_VALHALL_FADD_F32);
  norn_valhall_source(&sum, norn_select_operand(selector, inst, 0), NORN_VALHALL_FLOAT,
                      NORN_TYPE_F32);
  norn_valhall_constant(&sum, F32_MINUS_ZERO);
  NornRef flushed = norn_valhall_emit(&sum, 1);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FROUND_F32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_ROUND, round);
  norn_valhall_plain(&machine, flushed);
  return norn_valhall_finish(&machine);
}
