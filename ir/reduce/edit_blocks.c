/* Edits of the control flow: calls, functions, edges, blocks and their parameters. */
#include "ir/arena.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/reduce/edit.h"
#include "ir/replacements.h"
#include <string.h>

NornRef
norn_edit_zero(NornFunction *function, uint32_t block, uint32_t before, NornType type) {
  if (type == NORN_TYPE_VOID)
    return 0;
  if (norn_type_bits(type) <= 64)
    return norn_constant(function->module, 0);
  NornRef zeros[NORN_MACHINE_OPERANDS];
  unsigned words = norn_type_words(type);
  for (unsigned k = 0; k < words; k++)
    zeros[k] = norn_constant(function->module, 0);
  NornBuilder builder = before == NORN_INDEX_NONE ? norn_builder_at_start(function, block)
                                                  : norn_builder_before(function, before);
  return norn_build_op(&builder, NORN_OP_COLLECT, 0, NORN_TYPE_I32, type, zeros, words);
}

/* --- Functions --- */

static bool
calls(const NornFunction *function, uint32_t inst, uint32_t callee) {
  const NornInst *self = norn_inst(function, inst);
  return self->op == NORN_OP_CALL && self->operand_count &&
         norn_operand(function, inst, 0) == norn_ref(NORN_REF_FUNCTION, callee);
}

static void
visit_call(NornEditCursor *cursor, NornFunction *function, uint32_t inst,
           NornReplacements *replacements) {
  if (!calls(function, inst, cursor->callee))
    return;
  const NornInst *self = norn_inst(function, inst);
  if (self->result_count) {
    NornType type = (NornType)norn_value(function, self->result)->type;
    norn_replacements_set(replacements, self->result,
                          norn_edit_zero(function, self->block, inst, type));
  }
  norn_inst_erase(function, inst);
}

/* Sites: functions other than the shader itself. Their calls are removed and their values replaced
 * by zeros. */
void
norn_edit_calls(NornEditCursor *cursor) {
  for (cursor->callee = 1; cursor->callee < cursor->module->function_count; cursor->callee++)
    if (norn_edit_takes(cursor))
      norn_edit_visit(cursor, visit_call);
}

static bool
is_called(const NornModule *module, uint32_t callee) {
  for (uint32_t i = 0; i < module->function_count; i++) {
    const NornFunction *function = module->functions[i];
    norn_for_each_block (function, block) {
      norn_for_each_inst (function, block, inst)
        if (calls(function, inst, callee))
          return true;
    }
  }
  return false;
}

/* Renumbers callees after function `removed` was removed. */
static void
renumber_calls(NornFunction *function, uint32_t removed) {
  norn_for_each_block (function, block) {
    norn_for_each_inst (function, block, inst) {
      if (norn_inst(function, inst)->op != NORN_OP_CALL ||
          !norn_inst(function, inst)->operand_count)
        continue;
      uint32_t callee = norn_ref_payload(norn_operand(function, inst, 0));
      if (callee > removed)
        norn_set_operand(function, inst, 0, norn_ref(NORN_REF_FUNCTION, callee - 1));
    }
  }
}

/* Sites: functions that are never called. */
void
norn_edit_unused_functions(NornEditCursor *cursor) {
  NornModule *module = cursor->module;
  for (uint32_t k = module->function_count; k-- > 1;) {
    if (is_called(module, k) || !norn_edit_takes(cursor))
      continue;
    norn_function_remove(module, k);
    for (uint32_t i = 0; i < module->function_count; i++)
      renumber_calls(module->functions[i], k);
  }
}

/* --- Terminators and edges --- */

static unsigned
count_edges(const NornFunction *function, uint32_t inst) {
  unsigned count = 0;
  norn_for_each_edge (function, inst, edge)
    count++;
  return count;
}

static void
end_block(NornFunction *function, uint32_t block, uint32_t terminator, bool is_shader) {
  NornType type = is_shader ? NORN_TYPE_VOID : (NornType)function->result_type;
  NornRef zero = norn_edit_zero(function, block, terminator, type);
  norn_inst_become(function, terminator, is_shader ? NORN_OP_END : NORN_OP_RETURN, 0, &zero,
                   zero != 0);
  norn_inst(function, terminator)->type = (uint8_t)type;
  norn_inst(function, terminator)->flags = 0;
}

/* Sites: blocks with successors. They end the shader or return zeros instead. */
void
norn_edit_ends(NornEditCursor *cursor) {
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    NornFunction *function = cursor->module->functions[i];
    norn_for_each_block (function, block) {
      uint32_t terminator = norn_block_terminator(function, block);
      if (terminator != NORN_INDEX_NONE && count_edges(function, terminator) &&
          norn_edit_takes(cursor))
        end_block(function, block, terminator, i == 0);
    }
  }
}

/* Sites: terminators with several edges. They become a jump along the first edge (variant 0) or the
 * last one (variant 1). */
void
norn_edit_edges(NornEditCursor *cursor) {
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    NornFunction *function = cursor->module->functions[i];
    norn_for_each_block (function, block) {
      uint32_t terminator = norn_block_terminator(function, block);
      if (terminator == NORN_INDEX_NONE || count_edges(function, terminator) < 2 ||
          !norn_edit_takes(cursor))
        continue;
      NornEdge edge = {0}, next = {0};
      while (norn_next_edge(function, terminator, &next)) {
        edge = next;
        if (cursor->variant == 0)
          break;
      }
      norn_inst_become_jump(function, terminator, &edge);
    }
  }
}

/* Sites: the cases of switches, last first. */
void
norn_edit_cases(NornEditCursor *cursor) {
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    NornFunction *function = cursor->module->functions[i];
    norn_for_each_block (function, block) {
      uint32_t inst = norn_block_terminator(function, block);
      if (inst == NORN_INDEX_NONE || norn_inst(function, inst)->op != NORN_OP_SWITCH)
        continue;
      for (unsigned k = count_edges(function, inst); k-- > 1;) {
        NornEdge edge = {0};
        for (unsigned n = 0; n <= k; n++)
          norn_next_edge(function, inst, &edge);
        if (norn_edit_takes(cursor))
          norn_inst_splice_operands(function, inst, edge.operand - 1, edge.argument_count + 2, NULL,
                                    0);
      }
    }
  }
}

/* --- Blocks --- */

/* By block: the number of edges to it. */
static uint32_t *
count_predecessors(const NornFunction *function) {
  uint32_t *counts = g_new0(uint32_t, function->block_count + 1);
  norn_for_each_block (function, block) {
    uint32_t terminator = norn_block_terminator(function, block);
    if (terminator != NORN_INDEX_NONE)
      norn_for_each_edge (function, terminator, edge)
        counts[edge.block]++;
  }
  return counts;
}

/* By block: whether it is reachable. */
static bool *
find_reached(const NornFunction *function) {
  bool *is_reachable = g_new0(bool, function->block_count + 1);
  uint32_t *incoming = g_new0(uint32_t, function->block_count + 1);
  uint32_t *stack = g_new(uint32_t, function->block_count + 1);
  norn_blocks_mark_reachable(function, is_reachable, incoming, stack);
  g_free(incoming);
  g_free(stack);
  return is_reachable;
}

/* Sites: functions with unreachable blocks, all of which are removed (variant 0), or single
 * unreachable blocks (variant 1). */
void
norn_edit_unreachable(NornEditCursor *cursor) {
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    NornFunction *function = cursor->module->functions[i];
    bool *remove = find_reached(function), any = false;
    norn_for_each_block (function, block)
      any |= remove[block] = !remove[block];
    if (cursor->variant == 0 && any && !norn_edit_takes(cursor))
      any = false;
    if (cursor->variant == 1) {
      norn_for_each_block (function, block)
        remove[block] = remove[block] && norn_edit_takes(cursor);
    }
    if (any)
      norn_blocks_remove(function, remove);
    g_free(remove);
  }
}

/* Sites: unreachable blocks without parameters. The entry block gets an edge to one of them if it
 * has at most one edge. */
void
norn_edit_connect(NornEditCursor *cursor) {
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    NornFunction *function = cursor->module->functions[i];
    bool *reached = find_reached(function);
    uint32_t end = norn_block_terminator(function, function->block_order[0]);
    norn_for_each_block (function, block) {
      if (end == NORN_INDEX_NONE || count_edges(function, end) > 1)
        break;
      if (reached[block] || norn_block(function, block)->parameter_count ||
          !norn_edit_takes(cursor))
        continue;
      NornRef target = norn_ref(NORN_REF_BLOCK, block);
      norn_inst_become(function, end, NORN_OP_JUMP, 0, &target, 1);
      norn_inst(function, end)->type = NORN_TYPE_VOID;
    }
    g_free(reached);
  }
}

/* Whether the block contains nothing but a jump to another block. */
static bool
only_jumps(const NornFunction *function, uint32_t block) {
  const NornBlock *self = norn_block(function, block);
  if (self->first == NORN_INDEX_NONE || self->first != self->last || self->parameter_count)
    return false;
  const NornInst *inst = norn_inst(function, self->first);
  return inst->op == NORN_OP_JUMP &&
         norn_operand(function, self->first, 0) != norn_ref(NORN_REF_BLOCK, block);
}

/* Redirects all edges to a block that only jumps to the target of that jump. */
static void
bypass(NornFunction *function, uint32_t block) {
  uint32_t jump = norn_block(function, block)->first;
  norn_for_each_block (function, from) {
    uint32_t terminator = norn_block_terminator(function, from);
    if (terminator == NORN_INDEX_NONE || terminator == jump)
      continue;
    norn_for_each_edge (function, terminator, edge) {
      if (edge.block != block)
        continue;
      unsigned count = norn_inst(function, jump)->operand_count;
      norn_inst_splice_operands(function, terminator, edge.operand, 1,
                                norn_operands(function, norn_inst(function, jump)), count);
      edge.next += count - 1;
    }
  }
}

/* Sites: blocks that only jump. */
void
norn_edit_empty_blocks(NornEditCursor *cursor) {
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    NornFunction *function = cursor->module->functions[i];
    norn_for_each_block (function, block)
      if (block_order != 0 && only_jumps(function, block) && norn_edit_takes(cursor))
        bypass(function, block);
  }
}

/* Replaces the jump that ends `block` by the contents of `next`, its target. */
static void
merge_blocks(NornFunction *function, NornReplacements *replacements, uint32_t block,
             uint32_t next) {
  uint32_t jump = norn_block(function, block)->last;
  for (unsigned k = 0; k < norn_block(function, next)->parameter_count; k++) {
    uint32_t value = norn_block_parameter(function, next, k);
    NornRef ref = norn_replacements_get(replacements,
                                        norn_operand(function, jump, k + 1) & ~NORN_REF_LAST_USE);
    if (ref == norn_ref(NORN_REF_VALUE, value)) /* such blocks are unreachable */
      ref = norn_edit_zero(function, block, jump, (NornType)norn_value(function, value)->type);
    norn_replacements_set(replacements, value, ref);
  }
  norn_inst_erase(function, jump);
  norn_block_split(function, norn_block(function, next)->first, block);
}

/* Sites: blocks that jump to a block with no other predecessor. The two become one. */
void
norn_edit_merges(NornEditCursor *cursor) {
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    NornFunction *function = cursor->module->functions[i];
    NornArena arena = {0};
    NornReplacements replacements = {.arena = &arena};
    uint32_t *predecessors = count_predecessors(function);
    bool *remove = g_new0(bool, function->block_count + 1);
    norn_for_each_block (function, block) {
      uint32_t jump;
      while (!remove[block] && (jump = norn_block_terminator(function, block)) != NORN_INDEX_NONE &&
             norn_inst(function, jump)->op == NORN_OP_JUMP) {
        uint32_t next = norn_ref_payload(norn_operand(function, jump, 0));
        if (next == block || predecessors[next] != 1 || next == function->block_order[0] ||
            !norn_edit_takes(cursor))
          break;
        merge_blocks(function, &replacements, block, next);
        remove[next] = true;
      }
    }
    norn_replacements_apply(&replacements, function);
    norn_blocks_remove(function, remove);
    g_free(remove);
    g_free(predecessors);
    norn_arena_free(&arena);
  }
}

/* --- Parameters --- */

static void
remove_arguments(NornFunction *function, uint32_t block, unsigned k) {
  norn_for_each_block (function, from) {
    uint32_t terminator = norn_block_terminator(function, from);
    if (terminator == NORN_INDEX_NONE)
      continue;
    norn_for_each_edge (function, terminator, edge) {
      if (edge.block != block || k >= edge.argument_count)
        continue;
      norn_inst_splice_operands(function, terminator, edge.operand + 1 + k, 1, NULL, 0);
      edge.next--;
    }
  }
}

static void
remove_call_arguments(NornModule *module, uint32_t callee, unsigned k) {
  for (uint32_t i = 0; i < module->function_count; i++) {
    NornFunction *function = module->functions[i];
    norn_for_each_block (function, block) {
      norn_for_each_inst (function, block, inst)
        if (calls(function, inst, callee) && k + 1 < norn_inst(function, inst)->operand_count)
          norn_inst_splice_operands(function, inst, k + 1, 1, NULL, 0);
    }
  }
}

/* The argument for a parameter on the first edge to its block; 0 if there is none. */
static NornRef
first_argument(const NornFunction *function, uint32_t block, unsigned k) {
  norn_for_each_block (function, from) {
    uint32_t terminator = norn_block_terminator(function, from);
    if (terminator == NORN_INDEX_NONE)
      continue;
    norn_for_each_edge (function, terminator, edge)
      if (edge.block == block && k < edge.argument_count)
        return norn_operand(function, terminator, edge.operand + 1 + k) & ~NORN_REF_LAST_USE;
  }
  return 0;
}

static void
remove_parameter(NornModule *module, uint32_t index, uint32_t block, unsigned k, bool by_argument) {
  NornFunction *function = module->functions[index];
  NornArena arena = {0};
  NornReplacements replacements = {.arena = &arena};
  uint32_t value = norn_block_parameter(function, block, k);
  NornRef ref = by_argument ? first_argument(function, block, k) : 0;
  if (!ref || ref == norn_ref(NORN_REF_VALUE, value))
    ref = norn_edit_zero(function, block, NORN_INDEX_NONE,
                         (NornType)norn_value(function, value)->type);
  norn_replacements_set(&replacements, value, ref);
  norn_replacements_apply(&replacements, function);
  norn_block_remove_parameter(function, block, k);
  remove_arguments(function, block, k);
  if (block == function->block_order[0])
    remove_call_arguments(module, index, k);
  norn_arena_free(&arena);
}

/* Sites: block parameters, including those of functions. They are replaced by zeros (variant 0) or
 * by the argument from the first predecessor (variant 1). */
void
norn_edit_parameters(NornEditCursor *cursor) {
  for (uint32_t i = 0; i < cursor->module->function_count; i++) {
    NornFunction *function = cursor->module->functions[i];
    norn_for_each_block (function, block)
      for (unsigned k = norn_block(function, block)->parameter_count; k-- > 0;)
        if (norn_edit_takes(cursor))
          remove_parameter(cursor->module, i, block, k, cursor->variant == 1);
  }
}
