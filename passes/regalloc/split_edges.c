/* Makes every edge a place where a parallel copy can stand.
 *
 * Unreachable blocks go away. An edge from a block with several successors to one with several
 * predecessors gets a block of its own. A block with one predecessor needs no parameters: its
 * arguments take their place (a constant or uniform through a copy). Afterwards whoever reaches a
 * block with several predecessors does so with a jump. */
#include "ir/construct.h"
#include "ir/ops.h"
#include "passes/regalloc/allocate.h"
#include <string.h>

/* Marks what the entry reaches and counts the edges into each block. */
static void
count_edges(const NornFunction *function, bool *reached, uint32_t *incoming) {
  uint32_t *stack = g_new(uint32_t, function->block_count + 1), depth = 0;
  stack[depth++] = function->block_order[0];
  reached[function->block_order[0]] = true;
  while (depth) {
    uint32_t block = stack[--depth];
    norn_for_each_edge (function, function->blocks[block].last, edge) {
      incoming[edge.block]++;
      if (!reached[edge.block]) {
        reached[edge.block] = true;
        stack[depth++] = edge.block;
      }
    }
  }
  g_free(stack);
}

static bool
remove_unreached(NornFunction *function, bool *reached) {
  bool any = false;
  for (uint32_t block = 0; block < function->block_count; block++)
    reached[block] = !reached[block];
  norn_for_each_block (function, block)
    any |= reached[block];
  if (any)
    norn_blocks_remove(function, reached);
  return any;
}

/* A block that does nothing but take the edge and its arguments; not yet in the order. */
static uint32_t
split_edge(NornFunction *function, uint32_t terminator, const NornEdge *edge) {
  uint32_t block = norn_block_create_unplaced(function, 0);
  unsigned count = edge->argument_count;
  uint32_t jump = norn_inst_create(function, NORN_OP_JUMP, count + 1, 0);
  NornRef *to = function->operands + function->insts[jump].operand;
  NornRef *from = function->operands + function->insts[terminator].operand + edge->operand;
  for (unsigned k = 0; k <= count; k++)
    to[k] = from[k];
  from[0] = norn_ref(NORN_REF_BLOCK, block);
  norn_inst_splice_operands(function, terminator, edge->operand + 1, count, NULL, 0);
  function->insts[jump].line = function->insts[terminator].line;
  norn_inst_append(function, block, jump);
  return block;
}

/* Splits the critical edges of a block; the new blocks follow it in `order`. */
static void
split_block_edges(NornFunction *function, uint32_t block, const uint32_t *incoming, GArray *order) {
  uint32_t terminator = function->blocks[block].last;
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
    uint32_t fresh = split_edge(function, terminator, &edge);
    g_array_append_val(order, fresh);
  }
}

static bool
split_critical_edges(NornFunction *function, const uint32_t *incoming) {
  GArray *order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  norn_for_each_block (function, block) {
    g_array_append_val(order, block);
    split_block_edges(function, block, incoming, order);
  }
  NORN_GROW(function->block_order, function->block_order_capacity, order->len);
  memcpy(function->block_order, order->data, order->len * sizeof(uint32_t));
  bool any = order->len > function->block_order_count;
  function->block_order_count = order->len;
  g_array_free(order, TRUE);
  return any;
}

/* A copy of a constant or uniform at the start of the block. */
static NornRef
copy_at_start(NornFunction *function, uint32_t block, NornRef source, NornType type) {
  uint32_t inst = norn_inst_create(function, NORN_OP_COPY, 1, 1);
  NornInst *self = &function->insts[inst];
  self->type = (uint8_t)type;
  function->values[self->result].type = (uint8_t)type;
  function->operands[self->operand] = source;
  norn_inst_prepend(function, block, inst);
  return norn_result(function, inst, 0);
}

/* Replaces the parameters of blocks with one predecessor by that one's arguments. */
static void
substitute_parameters(NornFunction *function, const uint32_t *incoming) {
  NornRef *map = NULL;
  uint32_t map_size = 0;
  norn_for_each_block (function, block) {
    uint32_t terminator = function->blocks[block].last;
    NornEdge edge = {0};
    while (norn_next_edge(function, terminator, &edge)) {
      if (!edge.argument_count || incoming[edge.block] != 1)
        continue;
      if (!map) {
        map_size = function->value_count;
        map = g_new0(NornRef, map_size);
      }
      for (unsigned k = 0; k < edge.argument_count; k++) {
        uint32_t parameter = norn_block_parameter(function, edge.block, k);
        NornRef argument = norn_operand(function, terminator, edge.operand + 1 + k);
        if (norn_ref_kind(argument) != NORN_REF_VALUE)
          argument =
              copy_at_start(function, edge.block, argument, function->values[parameter].type);
        map[parameter] = argument;
        function->values[parameter].def = NORN_INDEX_NONE;
      }
      function->blocks[edge.block].parameter_count = 0;
      norn_inst_splice_operands(function, terminator, edge.operand + 1, edge.argument_count, NULL,
                                0);
      edge.next = edge.operand + 1;
    }
  }
  if (map) {
    map = g_renew(NornRef, map, function->value_count);
    memset(map + map_size, 0, (function->value_count - map_size) * sizeof *map);
    norn_function_replace_values(function, map);
  }
  g_free(map);
}

bool
norn_prepare_edges(NornFunction *function) {
  bool *reached = g_new0(bool, function->block_count);
  uint32_t *incoming = g_new0(uint32_t, function->block_count);
  count_edges(function, reached, incoming);
  bool removed = remove_unreached(function, reached);
  substitute_parameters(function, incoming);
  bool split = split_critical_edges(function, incoming);
  g_free(reached);
  g_free(incoming);
  return removed || split;
}
