/* Orders the blocks and makes branches of the jumps that remain.
 *
 * Blocks that only jump on are bypassed. The order is a reverse post-order in which a loop's blocks
 * stay together (the way out of a loop is explored first, so it comes last) and the fall-through
 * successor follows if it can. Where the taken successor follows instead, the branch is inverted;
 * where neither does, a block with a jump takes the fall-through. A jump to the next block stays
 * generic: it is no code. */
#include "ir/analysis/dominance.h"
#include "ir/construct.h"
#include "ir/ops.h"
#include "passes/finish/machine_code.h"
#include <string.h>

/* --- blocks that only jump -----------------------------------------------------------------------
 */

/* Where a block without code and parameters leads, or NORN_INDEX_NONE. */
static uint32_t
only_jumps_to(const NornFunction *function, uint32_t block) {
  uint32_t first = function->blocks[block].first;
  const NornInst *inst = &function->insts[first];
  if (block == function->block_order[0] || function->blocks[block].parameter_count ||
      inst->op != NORN_OP_JUMP)
    return NORN_INDEX_NONE;
  uint32_t target = norn_ref_payload(function->operands[inst->operand]);
  return target == block ? NORN_INDEX_NONE : target;
}

/* Sends an edge past blocks that only jump; their arguments come along. A cycle of such blocks is
 * left after as many steps as there are blocks. */
static void
bypass(NornFunction *function, uint32_t terminator, unsigned number) {
  for (uint32_t steps = 0; steps < function->block_count; steps++) {
    NornEdge edge = {0};
    for (unsigned i = 0; i <= number; i++)
      norn_next_edge(function, terminator, &edge);
    if (only_jumps_to(function, edge.block) == NORN_INDEX_NONE)
      return;
    const NornInst *jump = &function->insts[function->blocks[edge.block].first];
    norn_inst_splice_operands(function, terminator, edge.operand, 1 + edge.argument_count,
                              function->operands + jump->operand, jump->operand_count);
  }
}

static void
bypass_all(NornFunction *function) {
  norn_for_each_block (function, block) {
    uint32_t terminator = function->blocks[block].last;
    unsigned count = 0;
    norn_for_each_edge (function, terminator, edge)
      count++;
    for (unsigned k = 0; k < count; k++)
      bypass(function, terminator, k);
  }
}

/* --- order
 * ----------------------------------------------------------------------------------------- */

/* A block whose successors are being explored. */
typedef struct Visit {
  uint32_t block;
  unsigned next;
} Visit;

/* The successors of a block, those to explore first (to be placed last) first. */
static unsigned
successors_to_explore(const NornFunction *function, const NornDominance *dominance, uint32_t block,
                      uint32_t *successors) {
  unsigned count = 0;
  norn_for_each_edge (function, function->blocks[block].last, edge) {
    if (count < 2)
      successors[count++] = edge.block;
  }
  if (count == 2 && dominance->loop_depth[successors[1]] < dominance->loop_depth[successors[0]]) {
    uint32_t swap = successors[0];
    successors[0] = successors[1];
    successors[1] = swap;
  }
  return count;
}

static void
order_blocks(NornPassContext *context, NornFunction *function) {
  const NornDominance *dominance = norn_pass_dominance(context, function);
  bool *seen = g_new0(bool, function->block_count);
  Visit *stack = g_new(Visit, function->block_count);
  uint32_t *order = g_new(uint32_t, dominance->order_count);
  uint32_t depth = 0, placed = dominance->order_count;
  stack[depth++] = (Visit){function->block_order[0], 0};
  seen[function->block_order[0]] = true;
  while (depth) {
    Visit *visit = &stack[depth - 1];
    uint32_t successors[2];
    unsigned count = successors_to_explore(function, dominance, visit->block, successors);
    if (visit->next < count) {
      uint32_t next = successors[visit->next++];
      if (!seen[next]) {
        seen[next] = true;
        stack[depth++] = (Visit){next, 0};
      }
      continue;
    }
    order[--placed] = visit->block;
    depth--;
  }
  for (uint32_t block = 0; block < function->block_count; block++)
    seen[block] = !seen[block];
  norn_blocks_remove(function, seen);
  memcpy(function->block_order, order, dominance->order_count * sizeof *order);
  g_free(seen);
  g_free(stack);
  g_free(order);
}

/* --- branches
 * -------------------------------------------------------------------------------------- */

/* The fall-through edge of a branch gets a block of its own, which follows it. */
static uint32_t
add_jump_block(NornFunction *function, uint32_t branch) {
  NornEdge edge = {0};
  norn_next_edge(function, branch, &edge);
  norn_next_edge(function, branch, &edge);
  uint32_t block = norn_block_create_unplaced(function, 0);
  uint32_t jump = norn_inst_create(function, NORN_OP_JUMP, 0, 0);
  norn_inst_set_operands(function, jump,
                         function->operands + function->insts[branch].operand + edge.operand,
                         1 + edge.argument_count);
  norn_inst_append(function, block, jump);
  NornRef to = norn_ref(NORN_REF_BLOCK, block);
  norn_inst_splice_operands(function, branch, edge.operand, 1 + edge.argument_count, &to, 1);
  return block;
}

static void
finish_terminator(NornPassContext *context, NornFunction *function, uint32_t block, uint32_t next,
                  GArray *order) {
  uint32_t terminator = function->blocks[block].last;
  uint32_t to[2] = {NORN_INDEX_NONE, NORN_INDEX_NONE};
  unsigned count = 0;
  norn_for_each_edge (function, terminator, edge) {
    if (count < 2)
      to[count++] = edge.block;
  }
  if (function->insts[terminator].op == NORN_OP_JUMP) {
    if (to[0] != next)
      context->target->make_branch(context->target, function, terminator);
    return;
  }
  if (count < 2 || to[1] == next)
    return;
  if (to[0] == next) {
    context->target->invert_branch(context->target, function, terminator);
    return;
  }
  uint32_t fresh = add_jump_block(function, terminator);
  context->target->make_branch(context->target, function, function->blocks[fresh].last);
  g_array_append_val(order, fresh);
}

bool
norn_pass_layout(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  bypass_all(function);
  norn_pass_blocks_changed(context);
  order_blocks(context, function);
  GArray *order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t i = 0; i < function->block_order_count; i++) {
    uint32_t block = function->block_order[i];
    uint32_t next =
        i + 1 < function->block_order_count ? function->block_order[i + 1] : NORN_INDEX_NONE;
    g_array_append_val(order, block);
    finish_terminator(context, function, block, next, order);
  }
  NORN_GROW(function->block_order, function->block_order_capacity, order->len);
  memcpy(function->block_order, order->data, order->len * sizeof(uint32_t));
  function->block_order_count = order->len;
  g_array_free(order, TRUE);
  norn_pass_blocks_changed(context);
  return true;
}
