/* Loop deletion: removes loops that only count.
 *
 * Dead code elimination leaves the test of a loop even if nothing else in it is needed. If the loop
 * is a single block without effects, nothing outside of it uses what it computes, and it ends at
 * some time whatever the numbers are, then the branch back becomes a jump out of the loop.
 *
 * Lanes that would leave the loop in different iterations wait for each other after it, so that it
 * makes no difference to them. */
#include "ir/analysis/trip_count.h"
#include "ir/ops.h"
#include "passes/pass.h"
#include <string.h>

/* Whether a counter that steps past the limit, as the condition requires, cannot wrap around before
 * the condition sees that. Equality is only tested for steps by 1. */
static bool
ends(const NornFunction *function, const NornLimit *limit) {
  bool is_signed = false, has_equality = false;
  uint64_t mask = norn_type_mask(limit->type);
  switch (limit->condition) {
  case NORN_INT_CONDITION_NE:
    return true;
  case NORN_INT_CONDITION_SLE:
  case NORN_INT_CONDITION_SGE:
    has_equality = true;
    is_signed = true;
    break;
  case NORN_INT_CONDITION_SLT:
  case NORN_INT_CONDITION_SGT:
    is_signed = true;
    break;
  case NORN_INT_CONDITION_ULE:
  case NORN_INT_CONDITION_UGE:
    has_equality = true;
    break;
  default:
    break;
  }
  uint64_t past = limit->step - !has_equality;
  if (!past || !norn_is_constant(limit->limit))
    return !past;
  uint64_t bits = norn_constant_bits(function->module, limit->limit);
  uint64_t above_least = is_signed ? bits ^ (mask ^ mask >> 1) : bits;
  return past <= (limit->goes_down ? above_least : mask - above_least);
}

/* Whether the block is a whole loop that ends and has no effects. */
static bool
is_empty_loop(const NornFunction *function, const NornDominance *dominance, uint32_t block,
              unsigned *leaving) {
  NornNaturalLoop loop = {function, dominance, block};
  NornLimit limit;
  if (dominance->loop_header[block] != block || !norn_find_limit(&loop, &limit) ||
      limit.latch != block || !ends(function, &limit))
    return false;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    if (inst->op != NORN_OP_LOOP_ENTRY && !norn_is_terminator(function, inst) &&
        norn_has_effect(function, inst))
      return false;
  }
  *leaving = limit.edge;
  return true;
}

static uint32_t
defining_block(const NornFunction *function, NornRef ref) {
  const NornValue *value = norn_value(function, norn_ref_payload(ref));
  return value->is_parameter ? value->def : norn_inst(function, value->def)->block;
}

enum { IS_KEPT = 2 }; /* not the number of an edge */

/* Keeps the loops that compute what the instruction uses after them. */
static void
keep_used(const NornFunction *function, uint32_t index, uint8_t *leaving) {
  const NornInst *inst = norn_inst(function, index);
  NornEdge exit = {0};
  if (leaving[inst->block] != IS_KEPT && norn_is_terminator(function, inst))
    exit = norn_edge_of(function, index, leaving[inst->block]);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = norn_operands(function, inst)[k];
    if (norn_ref_kind(ref) != NORN_REF_VALUE)
      continue;
    uint32_t block = defining_block(function, ref);
    bool is_argument = k > exit.operand && k <= exit.operand + exit.argument_count;
    if (block != inst->block || is_argument)
      leaving[block] = IS_KEPT;
  }
}

/* Turns the branch at the end of the block into a jump along the edge. The block is no longer the
 * entry of a loop. */
static void
delete_loop(NornFunction *function, uint32_t block, unsigned leaving) {
  uint32_t first = norn_block(function, block)->first, last = norn_block(function, block)->last;
  NornEdge edge = norn_edge_of(function, last, leaving);
  norn_inst_become_jump(function, last, &edge);
  if (norn_inst(function, first)->op == NORN_OP_LOOP_ENTRY)
    norn_inst_erase(function, first);
}

/* Finds the edges that leave loops without effects; false if there are none. */
static bool
find_empty_loops(const NornFunction *function, const NornDominance *dominance, uint8_t *leaving) {
  bool any = false;
  if (!norn_loops_have_one_entry(dominance))
    return false;
  memset(leaving, IS_KEPT, function->block_count);
  norn_for_each_block (function, block) {
    unsigned edge;
    if (!is_empty_loop(function, dominance, block, &edge))
      continue;
    leaving[block] = (uint8_t)edge;
    any = true;
  }
  return any;
}

static bool
delete_empty_loops(NornFunction *function, const NornDominance *dominance, NornArena *arena) {
  uint8_t *leaving = NORN_NEW(arena, uint8_t, function->block_count); /* the edge */
  bool changed = false;
  if (!find_empty_loops(function, dominance, leaving))
    return false;
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst)
      keep_used(function, inst, leaving);
  norn_for_each_block (function, block)
    if (leaving[block] != IS_KEPT) {
      delete_loop(function, block, leaving[block]);
      changed = true;
    }
  return changed;
}

bool
norn_pass_delete_loops(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  bool changed =
      norn_has_loops(dominance) && delete_empty_loops(function, dominance, &context->arena);
  if (changed)
    norn_pass_blocks_changed(context);
  norn_pass_report(context, changed);
  return true;
}
