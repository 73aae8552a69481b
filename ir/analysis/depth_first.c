/* A depth-first walk with an explicit stack, since the depth is only bounded by the size of the
 * input. The stack is the path up the tree. */
#include "ir/analysis/depth_first.h"
#include "ir/assert.h"

static uint32_t
enter(NornDepthFirst *walk, uint32_t node, uint32_t parent) {
  uint32_t number = walk->count++;
  walk->node[number] = node;
  walk->number[node] = number;
  walk->parent[number] = parent;
  return number;
}

void
norn_depth_first(NornArena *arena, const NornFlowGraph *graph, NornDepthFirst *walk) {
  uint32_t count = graph->count, finished = 0;
  NORN_ASSERT(graph->entry < count);
  *walk = (NornDepthFirst){
      .node = NORN_NEW(arena, uint32_t, count),
      .number = norn_arena_indexes(arena, count),
      .parent = NORN_NEW(arena, uint32_t, count),
      .finished = NORN_NEW(arena, uint32_t, count),
  };
  NornArenaMark mark = norn_arena_mark(arena);
  uint32_t *next = NORN_NEW(arena, uint32_t, count); /* by node: the edge to take next */
  uint32_t number = enter(walk, graph->entry, UINT32_MAX);
  next[graph->entry] = graph->first_edge[graph->entry];
  while (number != UINT32_MAX) {
    uint32_t node = walk->node[number];
    if (next[node] == graph->first_edge[node + 1]) {
      walk->finished[finished++] = number;
      number = walk->parent[number];
      continue;
    }
    uint32_t target = graph->targets[next[node]++];
    NORN_ASSERT(target < count);
    if (walk->number[target] != UINT32_MAX)
      continue;
    next[target] = graph->first_edge[target];
    number = enter(walk, target, number);
  }
  NORN_ASSERT(finished == walk->count);
  norn_arena_release(arena, mark);
}
