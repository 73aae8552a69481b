/* Share arguments: makes a constant only once that a guard passes both into a loop and around it.
 *
 * The initial value of a loop variable and its final value if there are no iterations are often the
 * same constant or uniform; at the loop's latch, the two arguments are the same value. Moving it to
 * a register twice takes two instructions, and a block for the edge around the loop. So if a branch
 * passes a constant to parameters of both its successors, and another branch passes one value to
 * both of these parameters, the first branch moves to a new block, to which its old block jumps,
 * and the constant becomes a parameter of the new block. A zero that only one of the edges passes
 * is treated the same way if it makes a pair with another constant. Registers are occupied no
 * longer than before: the parameters can be coalesced. */
#include "ir/builder.h"
#include "passes/pass.h"

/* The maximum number of branches searched for one that passes the same values. */
#define MAX_OTHERS 4
/* The maximum number of arguments of an edge. */
#define MAX_ARGUMENTS 64

/* Blocks that branch to a block. */
typedef struct Branching {
  uint32_t block[MAX_OTHERS], count;
} Branching;

/* A branch and the block that it ends. */
typedef struct TwoPaths {
  uint32_t block, branch;
  NornEdge edges[2];
} TwoPaths;

/* Whether the block ends in a branch to two blocks that passes arguments to both. */
static bool
find_two_paths(const NornFunction *function, uint32_t block, TwoPaths *paths) {
  *paths = (TwoPaths){.block = block, .branch = norn_block(function, block)->last};
  unsigned count = 0;
  norn_for_each_edge (function, paths->branch, edge) {
    if (count == 2 || !edge.argument_count || edge.argument_count > MAX_ARGUMENTS)
      return false;
    paths->edges[count++] = edge;
  }
  return count == 2 && paths->edges[0].block != paths->edges[1].block;
}

/* The branch's edge to that block, or NULL. */
static const NornEdge *
edge_to(const TwoPaths *paths, uint32_t block) {
  for (unsigned k = 0; k < 2; k++)
    if (paths->edges[k].block == block)
      return &paths->edges[k];
  return NULL;
}

static NornRef
argument(const NornFunction *function, const TwoPaths *paths, const NornEdge *edge, unsigned k) {
  return norn_operand(function, paths->branch, edge->operand + 1 + k);
}

/* Makes a parameter for argument k of the first edge and argument j of the second. */
static void
share(NornPassContext *context, NornFunction *function, const TwoPaths *paths, unsigned k,
      unsigned j, uint32_t *fresh, NornIndexList *arguments) {
  uint32_t model = norn_block_parameter(function, paths->edges[0].block, k);
  if (*fresh == NORN_INDEX_NONE)
    *fresh = norn_block_create_detached(function, 0);
  norn_list_push(&context->arena, arguments, argument(function, paths, &paths->edges[0], k));
  NornRef parameter =
      norn_ref(NORN_REF_VALUE,
               norn_block_add_parameter(function, *fresh, norn_value(function, model)->type, 0));
  norn_set_operand(function, paths->branch, paths->edges[0].operand + 1 + k, parameter);
  norn_set_operand(function, paths->branch, paths->edges[1].operand + 1 + j, parameter);
}

static void
share_with(NornPassContext *context, NornFunction *function, const TwoPaths *paths,
           const TwoPaths *other, uint32_t *fresh, NornIndexList *arguments) {
  const NornEdge *edges = paths->edges;
  const NornEdge *others[2] = {edge_to(other, edges[0].block), edge_to(other, edges[1].block)};
  if (!others[0] || !others[1])
    return;
  for (unsigned k = 0; k < edges[0].argument_count; k++) {
    NornRef same = argument(function, other, others[0], k);
    for (unsigned j = 0; j < edges[1].argument_count; j++) {
      NornRef first = argument(function, paths, &edges[0], k);
      bool is_moved = norn_is_constant(first) || norn_ref_kind(first) == NORN_REF_UNIFORM;
      if (is_moved && norn_ref_kind(same) == NORN_REF_VALUE &&
          first == argument(function, paths, &edges[1], j) &&
          same == argument(function, other, others[1], j))
        share(context, function, paths, k, j, fresh, arguments);
    }
  }
}

/* Makes a parameter of the new block for argument k of only this edge. */
static void
take_along(NornPassContext *context, NornFunction *function, const TwoPaths *paths,
           const NornEdge *edge, unsigned k, uint32_t fresh, NornIndexList *arguments) {
  uint32_t model = norn_block_parameter(function, edge->block, k);
  norn_list_push(&context->arena, arguments, argument(function, paths, edge, k));
  NornRef parameter =
      norn_ref(NORN_REF_VALUE,
               norn_block_add_parameter(function, fresh, norn_value(function, model)->type, 0));
  norn_set_operand(function, paths->branch, edge->operand + 1 + k, parameter);
}

/* If an odd number of constants is made before the branch, adds another zero: one instruction may
 * make two. */
static void
make_even(NornPassContext *context, NornFunction *function, const TwoPaths *paths, uint32_t fresh,
          NornIndexList *arguments) {
  NornRef zero = norn_constant(context->module, 0);
  for (unsigned side = 0; side < 2 && arguments->count % 2; side++)
    for (unsigned k = 0; k < paths->edges[side].argument_count && arguments->count % 2; k++)
      if (argument(function, paths, &paths->edges[side], k) == zero &&
          norn_type_words(
              norn_value(function, norn_block_parameter(function, paths->edges[side].block, k))
                  ->type) == 1)
        take_along(context, function, paths, &paths->edges[side], k, fresh, arguments);
}

/* Returns the block that the branch is in now, or NORN_INDEX_NONE if it has not moved. */
static uint32_t
visit(NornPassContext *context, NornFunction *function, const Branching *branching,
      uint32_t block) {
  TwoPaths paths, other;
  NornIndexList arguments = {0};
  uint32_t fresh = NORN_INDEX_NONE;
  if (!find_two_paths(function, block, &paths))
    return NORN_INDEX_NONE;
  for (unsigned side = 0; side < 2; side++) {
    const Branching *others = &branching[paths.edges[side].block];
    for (unsigned k = 0; k < others->count; k++)
      if (others->block[k] != block && find_two_paths(function, others->block[k], &other))
        share_with(context, function, &paths, &other, &fresh, &arguments);
  }
  if (fresh == NORN_INDEX_NONE)
    return NORN_INDEX_NONE;
  make_even(context, function, &paths, fresh, &arguments);
  norn_block_split(function, paths.branch, fresh);
  NornBuilder builder = norn_builder_at_end(function, block);
  norn_build_jump(&builder,
                  (NornBranch){norn_ref(NORN_REF_BLOCK, fresh), arguments.count, arguments.items});
  return fresh;
}

bool
norn_pass_share_arguments(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  NornArena *arena = &context->arena;
  Branching *branching = NORN_NEW0(arena, Branching, function->block_count);
  NornIndexList order = {0};
  TwoPaths paths;
  norn_for_each_block (function, block)
    for (unsigned k = 0; find_two_paths(function, block, &paths) && k < 2; k++) {
      Branching *list = &branching[paths.edges[k].block];
      if (list->count < MAX_OTHERS)
        list->block[list->count++] = block;
    }
  norn_for_each_block (function, block) {
    norn_list_push(arena, &order, block);
    uint32_t fresh = visit(context, function, branching, block);
    if (fresh != NORN_INDEX_NONE)
      norn_list_push(arena, &order, fresh);
  }
  bool changed = order.count > function->block_order_count;
  if (changed) {
    norn_blocks_order(function, order.items, order.count);
    norn_pass_blocks_changed(context);
  }
  norn_pass_report(context, changed);
  return true;
}
