/* Products with powers of two that rounding scales, sums, addresses, and rounding to integral
 * floats. */
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"

/* --- Products --- */

/* The value that a product with 2, without other uses, doubles; 0: it is not one. If the product
 * overflows, any result must be acceptable. */
static NornRef
doubled(const NornSelector *selector, NornRef ref) {
  const NornInst product = norn_select_definition(selector, ref);
  if (product.op != NORN_OP_FMUL || product.type != NORN_TYPE_F32 ||
      !norn_inst_is_finite(&product) || !norn_select_is_only_use(selector, ref))
    return 0;
  const NornRef *operands = norn_operands(selector->function, &product);
  for (unsigned k = 0; k < 2; k++) {
    uint64_t bits;
    NornRef factor = norn_select_resolve(selector, operands[k]);
    if (norn_select_constant(selector, factor, &bits) && bits == 0x40000000)
      return norn_select_resolve(selector, operands[1 - k]);
  }
  return 0;
}

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

/* (a * 2) * b: the exponent increases when the product is rounded. */
static bool
select_doubled_product(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  if (!can_scale(selector, self.type))
    return false;
  for (unsigned k = 0; k < 2; k++) {
    NornRef a = doubled(selector, norn_select_operand(selector, inst, k));
    NornRef b = norn_select_operand(selector, inst, 1 - k);
    if (!a || !is_whole_value(selector, a) || !is_whole_value(selector, b))
      continue;
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_RSCALE_F32);
    norn_valhall_source(&machine, a, NORN_VALHALL_SIGNS, NORN_TYPE_F32);
    norn_valhall_source(&machine, b, NORN_VALHALL_SIGNS, NORN_TYPE_F32);
    norn_valhall_constant(&machine, F32_MINUS_ZERO);
    norn_valhall_constant(&machine, 1);
    return norn_valhall_finish(&machine);
  }
  return false;
}

/* What halves or doubles a number, as the power of two; 0 for any other factor. */
static int
power_of_factor(const NornSelector *selector, NornRef factor) {
  uint64_t bits;
  if (!norn_select_constant(selector, factor, &bits))
    return 0;
  return bits == 0x3F000000 ? -1 : bits == 0x40000000 ? 1 : 0;
}

/* (a + b) / 2 and (a * b + c) / 2, or times 2. The sum is not rounded by itself, which only makes a
 * difference for subnormal results. */
static bool
select_scaled_sum(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  if (!can_scale(selector, self.type) || !selector->context->options->contract ||
      !norn_inst_may_reassociate(&self))
    return false;
  for (unsigned k = 0; k < 2; k++) {
    NornRef ref = norn_select_operand(selector, inst, k), terms[3];
    int power = power_of_factor(selector, norn_select_operand(selector, inst, 1 - k));
    const NornInst sum = norn_select_definition(selector, ref);
    bool is_fma = sum.op == NORN_OP_FMA;
    if (!power || (!is_fma && sum.op != NORN_OP_FADD && sum.op != NORN_OP_FSUB) ||
        !norn_inst_may_reassociate(&sum) || !norn_select_is_only_use(selector, ref))
      continue;
    const NornRef *operands = norn_operands(selector->function, &sum);
    bool are_whole = true;
    for (unsigned i = 0; i < sum.operand_count; i++) {
      terms[i] = norn_select_resolve(selector, operands[i]);
      are_whole &= is_whole_value(selector, terms[i]);
    }
    if (!are_whole)
      continue;
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_RSCALE_F32);
    norn_valhall_source(&machine, terms[0], NORN_VALHALL_SIGNS, NORN_TYPE_F32);
    if (is_fma)
      norn_valhall_source(&machine, terms[1], NORN_VALHALL_SIGNS, NORN_TYPE_F32);
    else
      norn_valhall_constant(&machine, F32_ONE);
    if (sum.op == NORN_OP_FSUB)
      norn_valhall_set(&machine, NORN_VALHALL_FIELD_NEG2, 1);
    norn_valhall_source(&machine, terms[is_fma ? 2 : 1], NORN_VALHALL_SIGNS, NORN_TYPE_F32);
    norn_valhall_constant(&machine, (uint32_t)power);
    return norn_valhall_finish(&machine);
  }
  return false;
}

bool
norn_valhall_select_product(NornSelector *selector, uint32_t inst) {
  return norn_valhall_select_chosen_product(selector, inst) ||
         select_doubled_product(selector, inst) || select_scaled_sum(selector, inst);
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
