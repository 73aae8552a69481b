/* See block_copies.h. */
#include "passes/optimize/block_copies.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/repair_ssa.h"

bool
norn_is_cheap_to_copy(const NornFunction *function, uint32_t first, uint64_t forbidden) {
  unsigned count = 0;
  for (uint32_t index = first; index != NORN_INDEX_NONE; index = norn_inst(function, index)->next) {
    const NornInst *inst = norn_inst(function, index);
    if (!norn_is_terminator(function, inst) &&
        (norn_ops[inst->op].flags & forbidden || inst->op == NORN_OP_ALLOCA ||
         ++count > NORN_MAX_COPIED))
      return false;
  }
  return true;
}

void
norn_block_copies_init(NornBlockCopies *copies, NornPassContext *context, NornFunction *function,
                       uint32_t max_count) {
  *copies = (NornBlockCopies){
      .context = context,
      .function = function,
      .behind = norn_arena_indexes(&context->arena, (size_t)function->block_count + max_count),
      .first_name = function->value_count,
  };
}

static void
note_copy(NornBlockCopies *copies, uint32_t value, uint32_t copy) {
  norn_grow_roots(&copies->context->arena, &copies->root, copy);
  norn_list_push(&copies->context->arena, &copies->root, value);
}

uint32_t
norn_block_copies_add(NornBlockCopies *copies, uint32_t block) {
  NornFunction *function = copies->function;
  uint32_t copy = norn_block_create_detached(function, 0);
  norn_block(function, copy)->line = norn_block(function, block)->line;
  for (unsigned k = 0; k < norn_block(function, block)->parameter_count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    note_copy(copies, parameter,
              norn_block_add_parameter(function, copy, norn_value(function, parameter)->type, 0));
  }
  NornBuilder builder = norn_builder_at_end(function, copy);
  norn_for_each_inst (function, block, inst) {
    if (norn_is_terminator(function, norn_inst(function, inst)))
      break;
    uint32_t clone = norn_build_clone(&builder, function, inst);
    for (unsigned k = 0; k < norn_inst(function, inst)->result_count; k++)
      note_copy(copies, norn_inst(function, inst)->result + k,
                norn_inst(function, clone)->result + k);
  }
  return copy;
}

void
norn_block_copies_add_terminator(const NornBlockCopies *copies, uint32_t block, uint32_t copy) {
  NornBuilder builder = norn_builder_at_end(copies->function, copy);
  norn_build_clone(&builder, copies->function, norn_block_terminator(copies->function, block));
}

void
norn_block_copies_place(const NornBlockCopies *copies, uint32_t block, uint32_t fresh) {
  copies->behind[fresh] = copies->behind[block];
  copies->behind[block] = fresh;
}

static void
order_blocks(const NornBlockCopies *copies) {
  NornFunction *function = copies->function;
  NornIndexList order = {0};
  norn_for_each_block (function, first)
    for (uint32_t block = first; block != NORN_INDEX_NONE; block = copies->behind[block])
      norn_list_push(&copies->context->arena, &order, block);
  norn_blocks_order(function, order.items, order.count);
}

void
norn_block_copies_finish(NornBlockCopies *copies) {
  NornPassContext *context = copies->context;
  NornFunction *function = copies->function;
  order_blocks(copies);
  norn_pass_blocks_changed(context);
  norn_pass_remove_unreachable(context, function);
  norn_grow_roots(&context->arena, &copies->root, function->value_count);
  norn_repair_ssa(&context->arena, function, norn_pass_dominance(context, function),
                  copies->root.items, copies->first_name, NULL);
}
