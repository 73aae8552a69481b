/* Changes the parameters of blocks and their arguments together; see passes/block_parameters.h. */
#include "passes/block_parameters.h"

/* --- One block --- */

typedef struct EdgeChange {
  NornFunction *function;
  NornArena *arena;
  const NornParameterChange *change;
  NornMakeArguments make;
  void *data;
} EdgeChange;

void
norn_for_each_edge_into(const NornFunction *function, const NornDominance *dominance,
                        uint32_t block, NornVisitEdge visit, void *data) {
  for (uint32_t k = 0; k < norn_predecessor_count(dominance, block); k++) {
    uint32_t from = norn_predecessor(dominance, block, k);
    /* A terminator may have several edges to this block, which are consecutive predecessors. */
    if (k && norn_predecessor(dominance, block, k - 1) == from)
      continue;
    uint32_t terminator = norn_block_terminator(function, from);
    for (NornEdge edge = {0}; norn_next_edge(function, terminator, &edge);) {
      uint32_t count = norn_inst(function, terminator)->operand_count;
      if (edge.block == block)
        visit(data, terminator, &edge);
      edge.next += norn_inst(function, terminator)->operand_count - count;
    }
  }
}

static void
change_edge(void *data, uint32_t terminator, const NornEdge *edge) {
  const EdgeChange *self = data;
  const NornIndexList *removed = &self->change->removed;
  NornArenaMark mark = norn_arena_mark(self->arena);
  NornRef *arguments =
      NORN_NEW(self->arena, NornRef, edge->argument_count + self->change->added.count);
  uint32_t count = 0, gone = 0;
  for (uint32_t k = 0; k < edge->argument_count; k++)
    if (gone < removed->count && removed->items[gone] == k)
      gone++;
    else
      arguments[count++] = norn_operand(self->function, terminator, edge->operand + 1 + k);
  self->make(self->data, terminator, edge, arguments + count);
  norn_inst_splice_operands(self->function, terminator, edge->operand + 1, edge->argument_count,
                            arguments, count + self->change->added.count);
  norn_arena_release(self->arena, mark);
}

void
norn_block_change_parameters(NornFunction *function, const NornDominance *dominance,
                             NornArena *arena, uint32_t block, const NornParameterChange *change,
                             NornMakeArguments make, void *data) {
  EdgeChange edges = {function, arena, change, make, data};
  norn_for_each_edge_into(function, dominance, block, change_edge, &edges);
  for (uint32_t k = change->removed.count; k-- > 0;)
    norn_block_remove_parameter(function, block, change->removed.items[k]);
  norn_block_append_parameters(function, block, change->added.items, change->added.count);
}

/* --- All blocks --- */

/* Moves the operands that stay to the front; reading never falls behind writing. */
static void
keep_arguments(NornFunction *function, uint32_t block, const bool *keep) {
  uint32_t last = norn_block_terminator(function, block);
  if (last == NORN_INDEX_NONE)
    return;
  NornRef *operands = norn_operands(function, norn_inst(function, last));
  unsigned kept = 0, read = 0;
  norn_for_each_edge (function, last, edge) {
    while (read <= edge.operand)
      operands[kept++] = operands[read++];
    for (unsigned k = 0; k < edge.argument_count; k++, read++)
      if (keep[norn_block_parameter(function, edge.block, k)])
        operands[kept++] = operands[read];
  }
  if (kept != read)
    norn_inst_resize_operands(function, last, kept);
}

void
norn_keep_parameters(NornFunction *function, const bool *keep) {
  norn_for_each_block (function, block)
    keep_arguments(function, block, keep);
  norn_for_each_block (function, block) {
    for (unsigned k = norn_block(function, block)->parameter_count; k-- > 0;)
      if (!keep[norn_block_parameter(function, block, k)])
        norn_block_remove_parameter(function, block, k);
  }
}
