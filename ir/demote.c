/* Demotion in place of termination; see demote.h. */
#include "ir/demote.h"
#include "ir/builder.h"
#include "ir/ops.h"

static bool
has_constant_handles(const NornFunction *function, const NornInst *inst) {
  const NornRef *operands = norn_operands(function, inst);
  NornSignatureCursor cursor = norn_inst_operands(inst);
  for (unsigned k = 0; k < inst->operand_count; k++, norn_cursor_next(&cursor))
    if (norn_cursor_kind(&cursor) == NORN_LETTER_HANDLE && !norn_is_constant(operands[k]))
      return false;
  return true;
}

/* Whether the instruction accesses only bytes of a variable, in every invocation. */
static bool
is_in_variable(const NornFunction *function, const NornInst *inst, unsigned address) {
  const NornInst *def = norn_defining_inst(function, norn_operands(function, inst)[address]);
  int64_t offset = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET);
  return def && def->op == NORN_OP_ALLOCA && offset >= 0 &&
         (uint64_t)offset + norn_type_bits(inst->type) / 8 <=
             norn_constant_bits(function->module, norn_operands(function, def)[0]);
}

/* Whether no other invocation is affected if this one executes the instruction as a helper. */
static bool
suits_helpers(const NornFunction *function, const NornInst *inst, bool keeps_neighbors) {
  const uint64_t forbidden = NORN_OP_READS_MEMORY | NORN_OP_CONVERGENT;
  switch (inst->op) {
  case NORN_OP_DEMOTE:
  case NORN_OP_ALPHA_TEST:
    return true;
  case NORN_OP_LOAD_BUFFER:
    return has_constant_handles(function, inst);
  case NORN_OP_LOAD_SCRATCH:
    return is_in_variable(function, inst, 0);
  case NORN_OP_STORE_SCRATCH:
    return is_in_variable(function, inst, 1);
  case NORN_OP_DDX:
  case NORN_OP_DDY:
    return keeps_neighbors;
  case NORN_OP_TEX:
  case NORN_OP_TEX_BIAS:
  case NORN_OP_TEX_QUERY_LOD:
    return keeps_neighbors && has_constant_handles(function, inst);
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

/* By block: whether invocations may execute it, and everything after it, as helpers. */
static bool *
find_suitable_blocks(NornArena *arena, const NornFunction *function, const NornDominance *dominance,
                     bool keeps_neighbors) {
  bool *suits = NORN_NEW0(arena, bool, MAX(1, function->block_count));
  for (uint32_t i = dominance->order_count; i-- > 0;) {
    uint32_t block = dominance->order[i];
    bool all = true;
    /* Later blocks in the order have already been visited; the target of a back edge has not and
     * counts as unsuitable. */
    for (unsigned k = 0; all && k < norn_successor_count(dominance, block); k++)
      all = suits[norn_successor(dominance, block, k)];
    norn_for_each_inst (function, block, inst)
      all = all && suits_helpers(function, norn_inst(function, inst), keeps_neighbors);
    suits[block] = all;
  }
  return suits;
}

static bool
only_terminates(const NornFunction *function, const NornEdge *edge) {
  uint32_t first = norn_block(function, edge->block)->first;
  return norn_inst(function, first)->op == NORN_OP_TERMINATE;
}

/* Replaces the branch by a demotion and a jump if one of its targets only terminates. */
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
norn_demote_terminated(NornArena *arena, NornFunction *function, const NornDominance *dominance,
                       bool keeps_neighbors) {
  bool *suits = NULL, changed = false;
  norn_for_each_block (function, block) {
    uint32_t last = norn_block(function, block)->last;
    if (norn_inst(function, last)->op != NORN_OP_TERMINATE)
      continue;
    suits = find_suitable_blocks(arena, function, dominance, keeps_neighbors);
    break;
  }
  if (suits)
    norn_for_each_block (function, block) {
      uint32_t last = norn_block(function, block)->last;
      if (norn_inst(function, last)->op == NORN_OP_BR)
        changed |= demote_at(function, last, suits);
    }
  return changed;
}
