/* The loop nesting forest of a flow graph. */
#ifndef NORN_IR_ANALYSIS_LOOPS_H
#define NORN_IR_ANALYSIS_LOOPS_H

#include "ir/analysis/depth_first.h"
#include <stdbool.h>

/* An entry of a loop other than its header; both are walk numbers. */
typedef struct NornLoopEntry {
  uint32_t header, entry;
} NornLoopEntry;

/* Arrays by number of the walk. A loop is a strongly connected component of the graph, or of an
 * outer loop without the edges to that loop's header; its own header is the node that the walk
 * reaches first. */
typedef struct NornLoopForest {
  bool *is_header;
  uint32_t *parent; /* header of the innermost loop around the node, for a header that of the next
                       outer loop; UINT32_MAX: none */
  NornLoopEntry *entries; /* one for each edge into a loop, from the next outer loop or from outside
                             of loops, that does not lead to its header */
  uint32_t entry_count;
} NornLoopForest;

/* Fills in the forest of a graph that has been walked from its entry; the arrays live in the arena.
 */
void norn_loop_forest(NornArena *arena, const NornFlowGraph *graph, const NornDepthFirst *walk,
                      NornLoopForest *forest);

#endif
