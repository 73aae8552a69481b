/* Makes sure that every edge has a block for a parallel copy.
 *
 * Unreachable blocks are removed. An edge from a block with several successors to one with several
 * predecessors gets a block of its own. The parameters of a block with one predecessor are replaced
 * by the arguments (a constant or uniform through a copy). Afterward, a block with several
 * predecessors is reached only by jumps. */
#include "ir/builder.h"
#include "ir/replacements.h"
#include "passes/regalloc/allocate.h"

/* Splits the critical edges of a block; the new blocks follow it in `order`. */
static void
split_block_edges(NornArena *arena, NornFunction *function, uint32_t block,
                  const uint32_t *incoming, NornIndexList *order) {
  uint32_t terminator = norn_block(function, block)->last;
  unsigned successors = 0;
  norn_for_each_edge (function, terminator, edge) {
    successors++;
  }
  for (unsigned k = 0; k < successors && successors > 1; k++) {
    NornEdge edge = {0};
    for (unsigned i = 0; i <= k; i++)
      norn_next_edge(function, terminator, &edge);
    if (incoming[edge.block] < 2)
      continue;
    uint32_t fresh = norn_edge_split(function, terminator, &edge);
    norn_list_push(arena, order, fresh);
  }
}

static bool
split_critical_edges(NornArena *arena, NornFunction *function, const uint32_t *incoming) {
  NornIndexList order = {0};
  norn_for_each_block (function, block) {
    norn_list_push(arena, &order, block);
    split_block_edges(arena, function, block, incoming, &order);
  }
  bool any = order.count > function->block_order_count;
  norn_blocks_order(function, order.items, order.count);
  return any;
}

/* Replaces the parameters of a block with one predecessor by the arguments of its incoming edge,
 * and removes those. A constant or uniform is copied at the start of the block. */
static void
substitute_arguments(NornFunction *function, uint32_t terminator, const NornEdge *edge,
                     NornReplacements *replacements) {
  NornBuilder builder = norn_builder_at_start(function, edge->block);
  builder.origin = NORN_ORIGIN_ARGUMENT;
  for (unsigned k = 0; k < edge->argument_count; k++) {
    uint32_t parameter = norn_block_parameter(function, edge->block, k);
    NornRef argument = norn_operand(function, terminator, edge->operand + 1 + k);
    if (norn_ref_kind(argument) != NORN_REF_VALUE)
      argument = norn_build_copy(&builder, norn_value(function, parameter)->type, argument);
    norn_replacements_set(replacements, parameter, argument);
    norn_value(function, parameter)->def = NORN_INDEX_NONE;
  }
  norn_block(function, edge->block)->parameter_count = 0;
  norn_inst_splice_operands(function, terminator, edge->operand + 1, edge->argument_count, NULL, 0);
}

static bool
substitute_parameters(NornArena *arena, NornFunction *function, const uint32_t *incoming) {
  NornReplacements replacements = {.arena = arena};
  norn_for_each_block (function, block) {
    NornEdge edge = {0};
    while (norn_next_edge(function, norn_block(function, block)->last, &edge)) {
      if (!edge.argument_count || incoming[edge.block] != 1)
        continue;
      substitute_arguments(function, norn_block(function, block)->last, &edge, &replacements);
      edge.next = edge.operand + 1;
    }
  }
  bool any = replacements.any;
  norn_replacements_apply(&replacements, function);
  return any;
}

/* Whether there are no critical edges and blocks with one predecessor have no parameters. */
G_GNUC_UNUSED static bool
is_prepared(const NornFunction *function, const uint32_t *incoming, uint32_t block_count) {
  norn_for_each_block (function, block) {
    unsigned successors = 0, joins = 0;
    norn_for_each_edge (function, norn_block(function, block)->last, edge) {
      successors++;
      joins += edge.block < block_count && incoming[edge.block] > 1;
    }
    if (successors > 1 && joins)
      return false;
    if (block < block_count && incoming[block] == 1 && norn_block(function, block)->parameter_count)
      return false;
  }
  return true;
}

/* Returns whether anything changed. */
static bool
prepare(NornArena *arena, NornFunction *function) {
  bool *reached = NORN_NEW0(arena, bool, function->block_count);
  uint32_t *incoming = NORN_NEW0(arena, uint32_t, function->block_count);
  uint32_t *stack = NORN_NEW(arena, uint32_t, function->block_count);
  norn_blocks_mark_reachable(function, reached, incoming, stack);
  bool removed = norn_blocks_keep(function, reached);
  bool substituted = substitute_parameters(arena, function, incoming);
  uint32_t block_count = function->block_count;
  bool split = split_critical_edges(arena, function, incoming);
  NORN_ASSERT(is_prepared(function, incoming, block_count));
  (void)block_count;
  return removed || substituted || split;
}

bool
norn_prepare_edges(NornPassContext *context, NornFunction *function) {
  if (context->analyzed == function && context->edges_are_prepared) {
    NORN_ASSERT(!prepare(&context->arena, function));
    return false;
  }
  bool changed = prepare(&context->arena, function);
  if (changed)
    norn_pass_blocks_changed(context);
  norn_pass_dominance(context, function); /* so that every change of the blocks is noticed */
  context->edges_are_prepared = true;
  return changed;
}
