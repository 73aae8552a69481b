/* See arrays.h. */
#include "passes/optimize/arrays.h"
#include "ir/analysis/alias.h"
#include "ir/analysis/ranges.h"
#include "ir/ops.h"
#include "ir/replacements.h"

static uint32_t
array_of(const NornArrays *arrays, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_VALUE ? arrays->array_of[norn_ref_payload(ref)]
                                              : NORN_INDEX_NONE;
}

static bool
is_load(unsigned op) {
  return op == NORN_OP_LOAD_SCRATCH || op == NORN_OP_ULOAD_SCRATCH || op == NORN_OP_SLOAD_SCRATCH;
}

/* Records what an instruction does with the address in its operand `k`. */
static void
visit_use(NornArrays *arrays, uint32_t index, unsigned k, uint32_t number) {
  const NornInst *inst = norn_inst(arrays->function, index);
  if (is_load(inst->op) || (inst->op == NORN_OP_STORE_SCRATCH && k == 1)) {
    const NornArrayAccess access = {index, number};
    norn_list_push(&arrays->context->arena, &arrays->accesses, access);
  } else if (inst->op == NORN_OP_IADD && inst->type == NORN_TYPE_I32) {
    arrays->array_of[inst->result] = number;
  } else {
    arrays->items.items[number].escapes = true;
  }
}

static void
visit(NornArrays *arrays, uint32_t index) {
  const NornFunction *function = arrays->function;
  const NornInst *inst = norn_inst(function, index);
  const NornRef *operands = norn_operands(function, inst);
  if (inst->op == NORN_OP_ALLOCA) {
    arrays->array_of[inst->result] = arrays->items.count;
    const NornArray array = {index, (uint32_t)norn_constant_bits(function->module, operands[0]),
                             false};
    norn_list_push(&arrays->context->arena, &arrays->items, array);
    return;
  }
  uint32_t other = NORN_INDEX_NONE; /* the array whose address an earlier operand is */
  for (unsigned k = 0; arrays->items.count && k < inst->operand_count; k++) {
    uint32_t number = array_of(arrays, operands[k]);
    if (number == NORN_INDEX_NONE)
      continue;
    visit_use(arrays, index, k, number);
    if (other != NORN_INDEX_NONE)
      arrays->items.items[number].escapes = arrays->items.items[other].escapes = true;
    other = number;
  }
}

NornArrays
norn_arrays_find(NornPassContext *context, NornFunction *function) {
  NornArrays arrays = {.context = context,
                       .function = function,
                       .dominance = norn_pass_dominance(context, function),
                       .array_of = norn_arena_indexes(&context->arena, function->value_count)};
  for (uint32_t k = 0; k < arrays.dominance->order_count; k++)
    norn_for_each_inst (function, arrays.dominance->order[k], inst)
      if (norn_pass_continues(context, 1))
        visit(&arrays, inst);
  return arrays;
}

bool
norn_array_place(const NornArrays *arrays, NornRef address, uint32_t array, int64_t *place) {
  const NornFunction *function = arrays->function;
  while (norn_split_address(function, &address, place, 32))
    ;
  const NornInst *inst = norn_defining_inst(function, address);
  return inst && inst == norn_inst(function, arrays->items.items[array].inst);
}

void
norn_arrays_erase(const NornArrays *arrays, const bool *goes) {
  NornFunction *function = arrays->function;
  NornReplacements replacements = {.arena = &arrays->context->arena};
  for (uint32_t k = 0; k < arrays->accesses.count; k++) {
    const NornArrayAccess *access = &arrays->accesses.items[k];
    if (goes[access->array] && norn_inst(function, access->inst)->op == NORN_OP_STORE_SCRATCH)
      norn_inst_erase(function, access->inst);
  }
  for (uint32_t k = 0; k < arrays->items.count; k++) {
    uint32_t inst = arrays->items.items[k].inst;
    if (!goes[k])
      continue;
    norn_replacements_set(&replacements, norn_inst(function, inst)->result,
                          norn_constant(function->module, 0));
    norn_inst_erase(function, inst);
  }
  norn_replacements_apply(&replacements, function);
}

NornRef
norn_array_limit_index(const NornArrays *arrays, NornBuilder *builder, uint32_t bytes,
                       unsigned size, NornRef index, int64_t *offset) {
  uint32_t last = (bytes - size) & ~(uint32_t)(MIN(size, 4) - 1);
  uint64_t greatest =
      norn_greatest_integer(arrays->function, arrays->dominance, NULL, index, NORN_TYPE_I32);
  if (*offset >= 0 && greatest + (uint64_t)*offset <= last)
    return index;
  if (*offset)
    index =
        norn_build_iadd(builder, NORN_TYPE_I32, index, norn_build_bits(builder, (uint32_t)*offset));
  *offset = 0;
  return norn_build_umin(builder, NORN_TYPE_I32, index, norn_build_bits(builder, last));
}
