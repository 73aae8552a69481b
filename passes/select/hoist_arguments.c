/* Hoist arguments: makes constants that a branch passes to the join of its paths before the branch.
 *
 * A constant for a parameter of a block is moved to its register on the edge, in a block of its own
 * that ends in a jump, while the other path computes something else for it. Made before the branch
 * it is in the parameter's register already, which the other path writes later, and the edge needs
 * no block. The other path makes the constant for nothing, so that only a few are worth it, and
 * none where the edge leaves a loop. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "passes/pass.h"

/* The most constants that the other path makes for nothing. */
#define MAX_CONSTANTS 2

/* Whether a jump would be needed at the end of the edge: other paths lead to the block, too. */
static bool
joins_others(const NornDominance *dominance, uint32_t home, uint32_t block) {
  if (norn_dominates(dominance, block, home))
    return true;
  for (unsigned k = 0; k < norn_predecessor_count(dominance, block); k++) {
    uint32_t from = norn_predecessor(dominance, block, k);
    if (from != home && !norn_dominates(dominance, block, from))
      return true;
  }
  return false;
}

static bool
is_made(NornRef ref) {
  return norn_is_constant(ref) || norn_ref_kind(ref) == NORN_REF_UNIFORM;
}

/* An edge of a branch, and the one of a block on it that only jumps on. */
typedef struct BranchPath {
  uint32_t block;  /* that the branch leads to */
  uint32_t holder; /* of the arguments */
  NornEdge edge;
} BranchPath;

static BranchPath
path_of(const NornFunction *function, const NornDominance *dominance, uint32_t branch,
        const NornEdge *edge) {
  BranchPath path = {edge->block, branch, *edge};
  uint32_t first = norn_block(function, edge->block)->first;
  if (edge->argument_count || norn_predecessor_count(dominance, edge->block) != 1 ||
      norn_inst(function, first)->op != NORN_OP_JUMP)
    return path;
  NornEdge onward = {0};
  norn_next_edge(function, first, &onward);
  return (BranchPath){edge->block, first, onward};
}

/* Constants and uniform words among the arguments; 0, too, if one is of several words. */
static unsigned
count_made(const NornFunction *function, const BranchPath *path) {
  unsigned count = 0;
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

static bool
visit(NornPassContext *context, NornFunction *function, const NornDominance *dominance,
      uint32_t block) {
  uint32_t branch = norn_block(function, block)->last;
  BranchPath paths[2];
  unsigned count = 0;
  norn_for_each_edge (function, branch, edge) {
    if (count == 2)
      return false;
    paths[count++] = path_of(function, dominance, branch, &edge);
  }
  if (count < 2 || paths[0].block == paths[1].block)
    return false;
  for (unsigned k = 0; k < 2; k++) {
    uint32_t target = paths[k].edge.block;
    unsigned made = count_made(function, &paths[k]);
    if (made && made <= MAX_CONSTANTS && target != paths[1 - k].block &&
        dominance->loop_depth[target] >= dominance->loop_depth[block] &&
        joins_others(dominance, paths[k].block == target ? block : paths[k].block, target)) {
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
