/* The loop nesting forest of a flow graph. */
#ifndef NORN_IR_ANALYSIS_LOOPS_H
#define NORN_IR_ANALYSIS_LOOPS_H

#include "ir/analysis/depth_first.h"
#include <stdbool.h>

/* An entry of a loop other than its header, both as numbers of the walk. */
typedef struct NornLoopEntry {
  uint32_t header, entry;
} NornLoopEntry;

/* Arrays by number of the walk. A loop is a strongly connected component of the graph, or of the
 * loop around it without the edges to its header; its header is what the walk meets first of it. */
typedef struct NornLoopForest {
  bool *is_header;
  uint32_t *parent;       /* header of the innermost loop around, for a header around its own loop;
                             UINT32_MAX: none */
  NornLoopEntry *entries; /* one for each edge into a loop from the loop around it (or from outside
                             of loops) that does not lead to its header */
  uint32_t entry_count;
} NornLoopForest;

/* Fills the forest of a graph that has been walked from its entry; its arrays are the arena's. */
void norn_loop_forest(NornArena *arena, const NornFlowGraph *graph, const NornDepthFirst *walk,
                      NornLoopForest *forest);

#endif
