/* Inline: replaces calls by the bodies of the called functions.
 *
 * A call splits its block, and the copy of the function's blocks is inserted between the two parts.
 * The parameters of its entry are replaced by the arguments, and each return jumps to the second
 * part, whose parameter is the call's value. Copies may contain further calls. Functions are not
 * recursive, so this ends, but it may multiply code, so there is a limit. Afterward only the
 * shader remains. */
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/replacements.h"
#include "ir/text/locations.h"
#include "passes/pass.h"
#include <string.h>

/* Maximum number of instructions of a shader after inlining. */
#define MAX_INSTRUCTIONS (1u << 20)

/* The order of the blocks while it grows, as a linked list. */
typedef struct BlockOrder {
  NornArena *arena;
  uint32_t *next;
  uint32_t capacity;
} BlockOrder;

/* Creates a block after `after`. */
static uint32_t
insert_block(NornFunction *function, BlockOrder *order, uint32_t after, uint32_t line) {
  uint32_t block = norn_block_create_detached(function, 0);
  NORN_ARENA_GROW(order->arena, order->next, order->capacity, block + 1);
  order->next[block] = order->next[after];
  order->next[after] = block;
  norn_block(function, block)->line = line;
  return block;
}

/* A copy of a function's blocks in another function. */
typedef struct Copier {
  NornFunction *to;
  const NornFunction *from;
  uint32_t *blocks, *values; /* by original: its copy */
  uint32_t rest;             /* the block that returns jump to */
} Copier;

static NornRef
copied_ref(const Copier *copier, NornRef ref) {
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    return norn_ref(NORN_REF_VALUE, copier->values[norn_ref_payload(ref)]);
  case NORN_REF_BLOCK:
    return norn_ref(NORN_REF_BLOCK, copier->blocks[norn_ref_payload(ref)]);
  default:
    return ref;
  }
}

/* Copies the instructions of a block; the operands still refer to the callee. */
static void
copy_insts(const Copier *copier, uint32_t block) {
  NornBuilder builder = norn_builder_at_end(copier->to, copier->blocks[block]);
  norn_for_each_inst (copier->from, block, inst) {
    uint32_t copy = norn_build_clone(&builder, copier->from, inst);
    const NornInst *from = norn_inst(copier->from, inst);
    for (unsigned k = 0; k < from->result_count; k++)
      copier->values[from->result + k] = norn_inst(copier->to, copy)->result + k;
  }
}

/* Renames the operands of a block's copy. This is done at the end because they may refer to later
 * values and blocks. */
static void
rename_operands(const Copier *copier, uint32_t block) {
  NornFunction *to = copier->to;
  norn_for_each_inst (to, copier->blocks[block], copy) {
    unsigned count = norn_inst(to, copy)->operand_count;
    for (unsigned k = 0; k < count; k++)
      norn_set_operand(to, copy, k, copied_ref(copier, norn_operand(to, copy, k)));
    if (norn_inst(to, copy)->op == NORN_OP_RETURN) {
      NornRef refs[2] = {norn_ref(NORN_REF_BLOCK, copier->rest),
                         count ? norn_operand(to, copy, 0) : 0};
      norn_inst_become(to, copy, NORN_OP_JUMP, 0, refs, 1 + count);
      norn_inst(to, copy)->type = NORN_TYPE_VOID;
    }
  }
}

static void
copy_blocks(Copier *copier, BlockOrder *order, uint32_t after) {
  const NornFunction *from = copier->from;
  norn_for_each_block (from, block) {
    uint32_t copy = insert_block(copier->to, order, after, norn_block(from, block)->line);
    copier->blocks[block] = after = copy;
    for (unsigned k = 0; k < norn_block(from, block)->parameter_count; k++) {
      uint32_t parameter = norn_block_parameter(from, block, k);
      copier->values[parameter] =
          norn_block_add_parameter(copier->to, copy, norn_value(from, parameter)->type, 0);
    }
  }
  norn_for_each_block (from, block)
    copy_insts(copier, block);
  norn_for_each_block (from, block)
    rename_operands(copier, block);
}

/* Splits the block after the call; a parameter of the second part replaces the call's result. */
static void
split_behind(NornFunction *function, BlockOrder *order, uint32_t call, NornReplacements *results) {
  uint32_t rest = insert_block(function, order, norn_inst(function, call)->block,
                               norn_inst(function, call)->line);
  norn_block_split(function, norn_inst(function, call)->next, rest);
  if (!norn_inst(function, call)->result_count)
    return;
  uint32_t result = norn_inst(function, call)->result;
  uint32_t value = norn_block_add_parameter(function, rest, norn_value(function, result)->type, 0);
  NornRef parameter = norn_ref(NORN_REF_VALUE, value);
  norn_move_name(function, parameter, result);
  norn_replacements_set(results, result, parameter);
}

/* Splits the block after each of its calls; the parts follow it in the order. The last call is the
 * first, so that each instruction moves only once. */
static void
split_behind_calls(NornFunction *function, BlockOrder *order, uint32_t block,
                   NornReplacements *results) {
  for (uint32_t inst = norn_block(function, block)->last; inst != NORN_INDEX_NONE;
       inst = norn_inst(function, inst)->previous) {
    bool is_last = norn_inst(function, inst)->next == NORN_INDEX_NONE;
    if (norn_inst(function, inst)->op == NORN_OP_CALL && !is_last)
      split_behind(function, order, inst, results);
  }
}

/* Inlines the call at the end of a block; what is behind it is the next block in the order. */
static void
inline_call(NornFunction *function, BlockOrder *order, uint32_t call) {
  NornModule *module = function->module;
  const NornFunction *callee = module->functions[norn_ref_payload(norn_operand(function, call, 0))];
  Copier copier = {.to = function,
                   .from = callee,
                   .blocks = NORN_NEW0(order->arena, uint32_t, callee->block_count),
                   .values = NORN_NEW0(order->arena, uint32_t, callee->value_count),
                   .rest = order->next[norn_inst(function, call)->block]};
  copy_blocks(&copier, order, norn_inst(function, call)->block);
  NornBuilder builder = norn_builder_before(function, call);
  const NornRef *operands = norn_operands(function, norn_inst(function, call));
  NornRef entry = norn_ref(NORN_REF_BLOCK, copier.blocks[callee->block_order[0]]);
  norn_build_jump(&builder,
                  (NornBranch){entry, norn_inst(function, call)->operand_count - 1u, operands + 1});
  norn_inst_erase(function, call);
}

static bool
inline_calls(NornPassContext *context, NornFunction *function, GError **error) {
  NornArena *arena = &context->arena;
  NornReplacements results = {.arena = arena};
  bool is_done = true, any = false;
  BlockOrder order = {arena, NORN_NEW(arena, uint32_t, function->block_count),
                      function->block_count};
  for (uint32_t k = 0; k < function->block_order_count; k++)
    order.next[function->block_order[k]] =
        k + 1 < function->block_order_count ? function->block_order[k + 1] : NORN_INDEX_NONE;
  /* A copy is inserted after the call, where the walk reaches it next. */
  uint32_t first = function->block_order_count ? function->block_order[0] : NORN_INDEX_NONE;
  for (uint32_t block = first; is_done && block != NORN_INDEX_NONE; block = order.next[block]) {
    split_behind_calls(function, &order, block, &results);
    norn_for_each_inst (function, block, inst)
      is_done = is_done && norn_pass_continues(context, 1);
    uint32_t last = norn_block(function, block)->last;
    if (!is_done || last == NORN_INDEX_NONE || norn_inst(function, last)->op != NORN_OP_CALL)
      continue;
    const NornInst *call = norn_inst(function, last);
    if (function->inst_count > MAX_INSTRUCTIONS) {
      is_done = norn_inst_error(function, call, NORN_ERROR_LIMIT, error,
                                "after inlining, the shader has more than %u instructions",
                                MAX_INSTRUCTIONS);
    } else {
      inline_call(function, &order, last);
      any = true;
    }
  }
  function->block_order_count = 0;
  for (uint32_t block = first; block != NORN_INDEX_NONE; block = order.next[block])
    norn_block_append(function, block);
  norn_replacements_apply(&results, function);
  bool drops = function == context->module->functions[0] && context->module->function_count > 1;
  norn_pass_report(context, any || drops);
  return is_done;
}

bool
norn_pass_inline(NornPassContext *context, NornFunction *function, GError **error) {
  NornModule *module = context->module;
  if (!inline_calls(context, function, error))
    return false;
  norn_pass_blocks_changed(context); /* and the function that was analyzed may be removed */
  while (function == module->functions[0] && module->function_count > 1)
    norn_function_remove(module, module->function_count - 1);
  return true;
}
