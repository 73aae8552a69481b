/* Hoist arguments: before a branch, makes constants that one of its edges passes to the join of its
 * paths.
 *
 * A constant passed to a block parameter is normally moved to the parameter's register on the edge,
 * in a block of its own that ends in a jump, while the other path computes a different value for
 * the parameter. Made before the branch instead, the constant is already in the parameter's
 * register, the other path overwrites it later, and the edge needs no block. The other path then
 * makes the constant for nothing, so only a few are hoisted, and none where the edge leaves a loop.
 * If a block contains only instructions that make constants and a jump (for example one instruction
 * that makes two constants), these instructions are hoisted as well. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "passes/pass.h"

/* The maximum number of instructions that the other path executes for nothing. */
#define MAX_MADE 2
/* The maximum number of machine instructions in a short path. */
#define MAX_SHORT 32

static bool
is_made(NornRef ref) {
  return norn_is_constant(ref) || norn_ref_kind(ref) == NORN_REF_UNIFORM;
}

/* An edge of a branch; if it leads to a block that only makes constants and jumps, that block's
 * edge. */
typedef struct BranchPath {
  uint32_t block;  /* target of the branch */
  uint32_t holder; /* instruction that has the arguments */
  unsigned made;   /* constants that the holder's block makes */
  NornEdge edge;
} BranchPath;

/* Whether the instruction makes or splits a constant without reading values from other blocks. */
static bool
makes_constant(const NornPassContext *context, const NornFunction *function, const NornInst *inst) {
  norn_for_each_use (function, inst, use) {
    const NornInst *definition = norn_defining_inst(function, norn_ref(NORN_REF_VALUE, use.value));
    if (!definition || definition->block != inst->block)
      return false;
  }
  return inst->op == NORN_OP_SPLIT ||
         (norn_is_machine(inst) && !norn_is_terminator(function, inst) &&
          norn_target_is_arithmetic(context->target, function, inst));
}

static BranchPath
path_of(const NornPassContext *context, const NornFunction *function,
        const NornDominance *dominance, uint32_t branch, const NornEdge *edge) {
  BranchPath path = {edge->block, branch, 0, *edge};
  if (edge->argument_count || norn_predecessor_count(dominance, edge->block) != 1)
    return path;
  uint32_t inst = norn_block(function, edge->block)->first;
  unsigned made = 0;
  while (made <= MAX_MADE && makes_constant(context, function, norn_inst(function, inst))) {
    made += norn_is_machine(norn_inst(function, inst));
    inst = norn_inst(function, inst)->next;
  }
  if (norn_inst(function, inst)->op != NORN_OP_JUMP)
    return path;
  NornEdge onward = {0};
  norn_next_edge(function, inst, &onward);
  return (BranchPath){edge->block, inst, made, onward};
}

/* The number of instructions needed to make the constants and uniform words among the arguments; 0
 * also if one of them has several words. */
static unsigned
count_made(const NornFunction *function, const BranchPath *path) {
  unsigned count = path->made;
  for (unsigned k = 0; k < path->edge.argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, path->edge.block, k);
    if (!is_made(norn_operand(function, path->holder, path->edge.operand + 1 + k)))
      continue;
    if (norn_type_words(norn_value(function, parameter)->type) != 1)
      return 0;
    count++;
  }
  return count;
}

static void
hoist_on_path(NornPassContext *context, NornFunction *function, uint32_t branch,
              const BranchPath *path) {
  NornBuilder builder = norn_builder_before(function, branch);
  while (path->holder != branch && norn_block(function, path->block)->first != path->holder)
    norn_builder_insert(&builder, norn_block(function, path->block)->first);
  builder.origin = NORN_ORIGIN_ARGUMENT;
  for (unsigned k = 0; k < path->edge.argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, path->edge.block, k);
    NornRef argument = norn_operand(function, path->holder, path->edge.operand + 1 + k);
    if (!is_made(argument))
      continue;
    NornRef made = context->target->build_move(context->target, &builder,
                                               norn_value(function, parameter)->type, argument);
    norn_set_operand(function, path->holder, path->edge.operand + 1 + k, made);
  }
}

/* Whether a path is a single short block that jumps to `join`. */
static bool
is_short_path(const NornFunction *function, const NornDominance *dominance, uint32_t block,
              uint32_t join) {
  if (norn_predecessor_count(dominance, block) != 1 ||
      norn_successor_count(dominance, block) != 1 || norn_successor(dominance, block, 0) != join)
    return false;
  unsigned count = 0;
  norn_for_each_inst (function, block, inst)
    if (norn_is_machine(norn_inst(function, inst)) && ++count > MAX_SHORT)
      return false;
  return true;
}

static bool
visit(NornPassContext *context, NornFunction *function, const NornDominance *dominance,
      uint32_t block) {
  uint32_t branch = norn_block(function, block)->last;
  BranchPath paths[2];
  unsigned count = 0;
  norn_for_each_edge (function, branch, edge) {
    if (count == 2)
      return false;
    paths[count++] = path_of(context, function, dominance, branch, &edge);
  }
  if (count < 2 || paths[0].block == paths[1].block)
    return false;
  for (unsigned k = 0; k < 2; k++) {
    uint32_t target = paths[k].edge.block;
    unsigned made = count_made(function, &paths[k]);
    if (paths[k].made && !is_short_path(function, dominance, paths[1 - k].block, target))
      continue;
    if (made && made <= MAX_MADE && target != paths[1 - k].block &&
        dominance->loop_depth[target] >= dominance->loop_depth[block] &&
        norn_joins_others(dominance, paths[k].block == target ? block : paths[k].block, target)) {
      hoist_on_path(context, function, branch, &paths[k]);
      return true;
    }
  }
  return false;
}

bool
norn_pass_hoist_arguments(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  bool changed = false;
  for (uint32_t i = 0; i < dominance->order_count; i++)
    changed |= visit(context, function, dominance, dominance->order[i]);
  norn_pass_report(context, changed);
  return true;
}
