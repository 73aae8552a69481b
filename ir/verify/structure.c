/* Indexes and lists: all other rules rely on them being valid. */
#include "ir/verify/verifier.h"

static bool
check_ref(NornVerifier *v, NornRef ref, unsigned k) {
  const NornFunction *function = v->function;
  uint32_t payload = norn_ref_payload(ref), limit;
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    limit = function->value_count;
    break;
  case NORN_REF_CONSTANT:
    limit = v->module->constants.count;
    break;
  case NORN_REF_UNIFORM:
    limit = NORN_FAU_WORDS;
    break;
  case NORN_REF_BLOCK:
    limit = function->block_count;
    break;
  case NORN_REF_FUNCTION:
    limit = v->module->function_count;
    break;
  case NORN_REF_SPECIAL:
    limit = v->module->machine ? UINT32_MAX : 0;
    break;
  default:
    limit = 0;
  }
  if (payload < limit && (!(ref & NORN_REF_LAST_USE) || norn_ref_kind(ref) == NORN_REF_VALUE))
    return true;
  norn_verify_fault(v, "%s: operand %u is not a valid reference (0x%08x)",
                    norn_verify_inst_name(norn_inst(function, v->inst)), k + 1, ref);
  return false;
}

/* Checks that the instruction's runs are within their arrays and that its results refer back to it.
 */
static bool
check_inst_structure(NornVerifier *v) {
  const NornFunction *function = v->function;
  const NornInst *inst = norn_inst(function, v->inst);
  if (!norn_verify_has_operation(v->module, inst)) {
    norn_verify_fault(v, "operation %u does not exist", inst->op);
    return false;
  }
  if (!norn_verify_has_runs(function, inst)) {
    norn_verify_fault(v, "%s: operands or results are out of bounds", norn_verify_inst_name(inst));
    return false;
  }
  bool ok = true;
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    bool is_value = ref >> 28 == NORN_REF_VALUE && norn_ref_payload(ref) < function->value_count;
    ok &= is_value || check_ref(v, ref, k);
  }
  for (unsigned k = 0; k < inst->result_count; k++) {
    const NornValue *value = norn_value(function, inst->result + k);
    if (value->def == v->inst && !value->is_parameter && value->index == k &&
        value->type < NORN_TYPE_COUNT && value->type != NORN_TYPE_VOID)
      continue;
    char name[NORN_VERIFY_NAME_SIZE];
    norn_verify_fault(v, "%s: result %u (%s) does not belong to it or has no type",
                      norn_verify_inst_name(inst), k + 1,
                      norn_verify_value_name(v, inst->result + k, name));
    ok = false;
  }
  return ok;
}

static bool
check_parameters_structure(NornVerifier *v) {
  const NornFunction *function = v->function;
  const NornBlock *block = norn_block(function, v->block);
  if (!norn_verify_has_parameter_run(function, block)) {
    norn_verify_fault(v, "the parameters are out of bounds");
    return false;
  }
  for (unsigned k = 0; k < block->parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, v->block, k);
    const NornValue *value =
        parameter < function->value_count ? norn_value(function, parameter) : NULL;
    if (value && value->is_parameter && value->def == v->block && value->index == k &&
        value->type < NORN_TYPE_COUNT && value->type != NORN_TYPE_VOID)
      continue;
    norn_verify_fault(v, "parameter %u does not belong to the block or has no type", k + 1);
    return false;
  }
  return true;
}

/* The doubly linked list of a block's instructions. */
static bool
check_block_structure(NornVerifier *v) {
  const NornFunction *function = v->function;
  const NornBlock *block = norn_block(function, v->block);
  uint32_t previous = NORN_INDEX_NONE;
  bool ok = check_parameters_structure(v);
  for (uint32_t inst = block->first; inst != NORN_INDEX_NONE;
       inst = norn_inst(function, inst)->next) {
    if (!norn_verify_is_linked(function, v->block, inst, previous)) {
      norn_verify_fault(v, "the list of instructions is broken");
      return false;
    }
    v->inst = inst;
    ok &= check_inst_structure(v);
    v->inst = NORN_INDEX_NONE;
    previous = inst;
    if (norn_diagnostics_full(&v->diagnostics))
      return false;
  }
  if (block->last == previous)
    return ok;
  norn_verify_fault(v, "the list of instructions is broken");
  return false;
}

bool
norn_verify_structure(NornVerifier *v) {
  const NornFunction *function = v->function;
  NornArenaMark mark = norn_arena_mark(&v->arena);
  bool *placed = NORN_NEW0(&v->arena, bool, function->block_count);
  bool ok = true;
  for (uint32_t i = 0; i < function->block_order_count && ok; i++) {
    uint32_t block = function->block_order[i];
    ok = block < function->block_count && !placed[block];
    if (ok)
      placed[block] = true;
    else
      norn_verify_fault(v, "the order of blocks is broken");
  }
  for (uint32_t i = 0; i < function->block_order_count && ok; i++) {
    v->block = function->block_order[i];
    ok = check_block_structure(v);
  }
  for (uint32_t i = 0; i < function->block_order_count && ok; i++) {
    v->block = function->block_order[i];
    uint32_t last = norn_block_terminator(function, v->block);
    if (last == NORN_INDEX_NONE)
      continue;
    v->inst = last;
    norn_for_each_edge (function, last, edge) {
      if (!placed[edge.block]) {
        norn_verify_fault(v, "%s branches to a block that was removed",
                          norn_verify_inst_name(norn_inst(function, last)));
        ok = false;
      }
    }
    v->inst = NORN_INDEX_NONE;
  }
  v->block = v->inst = NORN_INDEX_NONE;
  norn_arena_release(&v->arena, mark);
  return ok;
}
