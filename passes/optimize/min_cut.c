/* The minimum cut by augmenting paths, each of which adds one to the flow (Ford and Fulkerson). */
#include "passes/optimize/min_cut.h"
#include <string.h>

void
norn_cut_clear(NornCutGraph *graph) {
  graph->edge_count = 0;
  graph->is_full = false;
  memset(graph->first_edge, 0, sizeof graph->first_edge);
}

void
norn_cut_add_edge(NornCutGraph *graph, unsigned from, unsigned to, uint8_t capacity) {
  if (graph->edge_count == 2 * NORN_MAX_CUT_EDGES) {
    graph->is_full = true;
    return;
  }
  for (unsigned back = 0; back < 2; back++) {
    unsigned start = back ? to : from, end = back ? from : to;
    graph->edges[graph->edge_count++] =
        (NornCutEdge){(uint16_t)end, graph->first_edge[start], back ? 0 : capacity};
    graph->first_edge[start] = (uint16_t)graph->edge_count;
  }
}

/* Finds the points that the source reaches. Returns whether the sink is one of them. */
static bool
reach(NornCutGraph *graph, unsigned source, unsigned sink) {
  uint16_t queue[NORN_MAX_CUT_POINTS];
  unsigned count = 0;
  memset(graph->is_reached, 0, sizeof graph->is_reached);
  queue[count++] = (uint16_t)source;
  graph->is_reached[source] = true;
  for (unsigned k = 0; k < count && !graph->is_reached[sink]; k++)
    for (unsigned number = graph->first_edge[queue[k]]; number;
         number = graph->edges[number - 1].next) {
      const NornCutEdge *edge = &graph->edges[number - 1];
      if (!edge->capacity || graph->is_reached[edge->to])
        continue;
      graph->is_reached[edge->to] = true;
      graph->came_by[edge->to] = (uint16_t)(number - 1);
      queue[count++] = edge->to;
    }
  return graph->is_reached[sink];
}

bool
norn_cut_find(NornCutGraph *graph, unsigned source, unsigned sink, unsigned limit) {
  for (unsigned flow = 0; flow < limit; flow++) {
    if (!reach(graph, source, sink))
      return true;
    for (unsigned at = sink; at != source;) {
      NornCutEdge *edge = &graph->edges[graph->came_by[at]],
                  *opposite = &graph->edges[graph->came_by[at] ^ 1u];
      if (edge->capacity != NORN_CUT_UNLIMITED)
        edge->capacity--;
      if (opposite->capacity != NORN_CUT_UNLIMITED)
        opposite->capacity++;
      at = opposite->to;
    }
  }
  return false;
}
