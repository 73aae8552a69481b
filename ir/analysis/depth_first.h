/* Graphs in arrays, and the depth-first walk that the control-flow analyses start from. */
#ifndef NORN_IR_ANALYSIS_DEPTH_FIRST_H
#define NORN_IR_ANALYSIS_DEPTH_FIRST_H

#include "ir/arena.h"

/* The edges of node n lead to targets[first_edge[n]] up to targets[first_edge[n + 1] - 1]. */
typedef struct NornFlowGraph {
  uint32_t count, entry;
  const uint32_t *first_edge, *targets;
} NornFlowGraph;

/* The nodes reachable from the entry, numbered in preorder: the descendants of a node in the
 * depth-first tree have the numbers that directly follow its own. */
typedef struct NornDepthFirst {
  uint32_t count;
  uint32_t *node;     /* by number */
  uint32_t *number;   /* by node; UINT32_MAX: unreachable */
  uint32_t *parent;   /* by number: that of the parent in the tree; UINT32_MAX for the entry */
  uint32_t *finished; /* the numbers in postorder */
} NornDepthFirst;

/* Follows the edges of each node in order. */
void norn_depth_first(NornArena *arena, const NornFlowGraph *graph, NornDepthFirst *walk);

#endif
