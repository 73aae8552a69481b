/* Hoist arguments: makes constants that a branch hands to where its ways meet before the branch.
 *
 * A constant for a parameter of a block is moved to its register on the edge, in a block of its own
 * that ends in a jump, while the other way computes something else for it. Made before the branch
 * it is in the parameter's register already, which the other way writes later, and the edge needs
 * no block. The other way makes the constant for nothing, so that only a few are worth it, and none
 * where the edge leaves a loop. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "passes/pass.h"

/* The most constants that the other way makes for nothing. */
#define MOST_CONSTANTS 2

/* Whether a jump would be needed at the end of the edge: other ways lead to the block, too. */
static bool
meets_others(const NornDominance *dominance, uint32_t home, uint32_t block) {
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
  return norn_ref_kind(ref) == NORN_REF_CONSTANT || norn_ref_kind(ref) == NORN_REF_UNIFORM;
}

/* An edge of a branch, and the one of a block on it that only jumps on. */
typedef struct Way {
  uint32_t block;  /* that the branch leads to */
  uint32_t holder; /* of the arguments */
  NornEdge edge;
} Way;

static Way
way_of(const NornFunction *function, const NornDominance *dominance, uint32_t branch,
       const NornEdge *edge) {
  Way way = {edge->block, branch, *edge};
  uint32_t first = norn_block(function, edge->block)->first;
  if (edge->argument_count || norn_predecessor_count(dominance, edge->block) != 1 ||
      norn_inst(function, first)->op != NORN_OP_JUMP)
    return way;
  NornEdge onward = {0};
  norn_next_edge(function, first, &onward);
  return (Way){edge->block, first, onward};
}

/* Constants and uniform words among the arguments; 0, too, if one is of several words. */
static unsigned
count_made(const NornFunction *function, const Way *way) {
  unsigned count = 0;
  for (unsigned k = 0; k < way->edge.argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, way->edge.block, k);
    if (!is_made(norn_operand(function, way->holder, way->edge.operand + 1 + k)))
      continue;
    if (norn_type_words(norn_value(function, parameter)->type) != 1)
      return 0;
    count++;
  }
  return count;
}

static void
hoist_way(NornPassContext *context, NornFunction *function, uint32_t branch, const Way *way) {
  NornBuilder builder = norn_builder_before(function, branch);
  builder.origin = NORN_ORIGIN_ARGUMENT;
  for (unsigned k = 0; k < way->edge.argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, way->edge.block, k);
    NornRef argument = norn_operand(function, way->holder, way->edge.operand + 1 + k);
    if (!is_made(argument))
      continue;
    NornRef made = context->target->build_move(context->target, &builder,
                                               norn_value(function, parameter)->type, argument);
    norn_set_operand(function, way->holder, way->edge.operand + 1 + k, made);
  }
}

static bool
visit(NornPassContext *context, NornFunction *function, const NornDominance *dominance,
      uint32_t block) {
  uint32_t branch = norn_block(function, block)->last;
  Way ways[2];
  unsigned count = 0;
  norn_for_each_edge (function, branch, edge) {
    if (count == 2)
      return false;
    ways[count++] = way_of(function, dominance, branch, &edge);
  }
  if (count < 2 || ways[0].block == ways[1].block)
    return false;
  for (unsigned k = 0; k < 2; k++) {
    uint32_t target = ways[k].edge.block;
    unsigned made = count_made(function, &ways[k]);
    if (made && made <= MOST_CONSTANTS && target != ways[1 - k].block &&
        dominance->loop_depth[target] >= dominance->loop_depth[block] &&
        meets_others(dominance, ways[k].block == target ? block : ways[k].block, target)) {
      hoist_way(context, function, branch, &ways[k]);
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
