/* Demotes where a branch would terminate.
 *
 * `br %c, ends, goes_on`, where `ends` does nothing but terminate, becomes `demote %c` and a jump
 * to `goes_on`: no branch, and no block to be reached with outputs that nobody wants. The
 * invocations that would have ended go on as helpers, so nothing reachable from `goes_on` may tell:
 *
 * - no loop, which might never end for them;
 * - nothing that looks at other invocations: they would be among those;
 * - no access to memory whose address they may have wrong, or resource whose handle they may.
 *   Buffers are checked for their bounds, and helpers write nothing.
 *
 * What they compute in vain costs less than a branch unless all of them end at once, where
 * they are ended as helpers that nobody needs. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "ir/ops.h"
#include "passes/pass.h"

static bool
has_constant_handles(const NornFunction *function, const NornInst *inst) {
  const NornRef *operands = norn_operands(function, inst);
  NornSignatureCursor cursor = norn_inst_operands(inst);
  for (unsigned k = 0; k < inst->operand_count; k++, norn_cursor_next(&cursor))
    if (norn_cursor_kind(&cursor) == NORN_LETTER_HANDLE &&
        norn_ref_kind(operands[k]) != NORN_REF_CONSTANT)
      return false;
  return true;
}

/* Whether it makes no difference to any other invocation that this one executes the instruction as
 * a helper. */
static bool
suits_helpers(const NornFunction *function, const NornInst *inst) {
  const uint64_t forbidden = NORN_OP_READS_MEMORY | NORN_OP_CONVERGENT | NORN_OP_ORDERS;
  switch (inst->op) {
  case NORN_OP_DEMOTE:
  case NORN_OP_ALPHA_TEST:
    return true;
  case NORN_OP_LOAD_BUFFER:
    return has_constant_handles(function, inst);
  case NORN_OP_CALL:
  case NORN_OP_UNREACHABLE:
    return false;
  default:
    break;
  }
  uint64_t flags = norn_ops[inst->op].flags;
  return !(flags & forbidden) && (!(flags & NORN_OP_WRITES_MEMORY) || flags & NORN_OP_OUTPUT) &&
         has_constant_handles(function, inst);
}

/* By block: whether invocations may go through it, and on from there, as helpers. */
static bool *
find_suitable_blocks(NornPassContext *context, const NornFunction *function) {
  const NornDominance *dominance = norn_pass_dominance(context, function);
  bool *suits = NORN_NEW0(&context->arena, bool, MAX(1, function->block_count));
  for (uint32_t i = dominance->order_count; i-- > 0;) {
    uint32_t block = dominance->order[i];
    bool all = true;
    /* What comes later in the order has been looked at; a back edge's target has not, and does not
     * suit. */
    for (unsigned k = 0; all && k < norn_successor_count(dominance, block); k++)
      all = suits[norn_successor(dominance, block, k)];
    norn_for_each_inst (function, block, inst)
      all = all && suits_helpers(function, norn_inst(function, inst));
    suits[block] = all;
  }
  return suits;
}

static bool
only_terminates(const NornFunction *function, const NornEdge *edge) {
  uint32_t first = norn_block(function, edge->block)->first;
  return norn_inst(function, first)->op == NORN_OP_TERMINATE;
}

/* Demotes in place of the branch if one of its targets only terminates. */
static bool
demote_at(NornFunction *function, uint32_t branch, const bool *suits) {
  NornEdge edges[2];
  norn_edges_of(function, branch, edges);
  for (unsigned side = 0; side < 2; side++) {
    const NornEdge *on = &edges[1 - side];
    if (!only_terminates(function, &edges[side]) || !suits[on->block] ||
        on->block == edges[side].block)
      continue;
    NornBuilder builder = norn_builder_before(function, branch);
    NornRef condition = norn_operand(function, branch, 0);
    if (side)
      condition = norn_build_not(&builder, NORN_TYPE_I1, condition);
    norn_build_demote(&builder, condition);
    norn_inst_become_jump(function, branch, on);
    return true;
  }
  return false;
}

bool
norn_pass_demote_terminated(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  bool *suits = NULL, changed = false;
  norn_for_each_block (function, block) {
    uint32_t last = norn_block(function, block)->last;
    if (norn_inst(function, last)->op != NORN_OP_TERMINATE)
      continue;
    suits = find_suitable_blocks(context, function);
    break;
  }
  if (suits)
    norn_for_each_block (function, block) {
      uint32_t last = norn_block(function, block)->last;
      if (norn_inst(function, last)->op == NORN_OP_BR)
        changed |= demote_at(function, last, suits);
    }
  if (changed) {
    norn_pass_blocks_changed(context);
    norn_pass_remove_unreachable(context, function);
  }
  norn_pass_report(context, changed);
  return true;
}
