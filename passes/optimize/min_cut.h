/* A minimum cut of a small directed graph: the edges of the least total capacity without which the
 * source does not reach the sink. */
#ifndef NORN_PASSES_OPTIMIZE_MIN_CUT_H
#define NORN_PASSES_OPTIMIZE_MIN_CUT_H

#include <stdbool.h>
#include <stdint.h>

enum {
  NORN_MAX_CUT_POINTS = 258,
  NORN_MAX_CUT_EDGES = 512,
  NORN_CUT_UNLIMITED = UINT8_MAX, /* the capacity of an edge that no cut contains */
};

/* What is left of an edge's capacity; each edge is followed by the one in the other direction. */
typedef struct NornCutEdge {
  uint16_t to, next; /* next: of those from the same point, + 1 */
  uint8_t capacity;
} NornCutEdge;

typedef struct NornCutGraph {
  NornCutEdge edges[2 * NORN_MAX_CUT_EDGES];
  unsigned edge_count;
  bool is_full;                             /* an edge did not fit */
  uint16_t first_edge[NORN_MAX_CUT_POINTS]; /* + 1 */
  uint16_t came_by[NORN_MAX_CUT_POINTS];
  bool is_reached[NORN_MAX_CUT_POINTS]; /* after norn_cut_find: on the side of the source */
} NornCutGraph;

/* Removes all edges. */
void norn_cut_clear(NornCutGraph *graph);
void norn_cut_add_edge(NornCutGraph *graph, unsigned from, unsigned to, uint8_t capacity);
/* Whether a cut takes less capacity than `limit`. If so, `is_reached` tells the side of each point
 * for the minimum cut nearest the source. */
bool norn_cut_find(NornCutGraph *graph, unsigned source, unsigned sink, unsigned limit);

#endif
