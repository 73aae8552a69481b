#include "ir/analysis/range.h"

static bool
get_constant(const NornFunction *function, NornRef ref, uint32_t *bits) {
  if (norn_ref_kind(ref) != NORN_REF_CONSTANT)
    return false;
  *bits = (uint32_t)norn_constant_bits(function->module, ref);
  return true;
}

bool
norn_find_maximum(const NornFunction *function, NornRef ref, uint32_t *maximum) {
  const NornInst *inst = norn_defining_inst(function, ref);
  if (!inst || inst->type != NORN_TYPE_I32 ||
      (inst->op != NORN_OP_UMIN && inst->op != NORN_OP_AND && inst->op != NORN_OP_UREM))
    return false;
  const NornRef *operands = norn_operands(function, inst);
  if (!get_constant(function, operands[1], maximum) &&
      (inst->op == NORN_OP_UREM || !get_constant(function, operands[0], maximum)))
    return false;
  if (inst->op == NORN_OP_UREM)
    return (*maximum)-- != 0;
  return true;
}
