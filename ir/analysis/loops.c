/* The loop nesting forest of an arbitrary CFG, by Ramalingam's version of Havlak's algorithm.
 *
 * Headers are processed innermost first (largest depth-first number first). The body of a header's
 * loop is everything that reaches its back edges, walking backward over tree edges and over those
 * cross and forward edges whose common ancestor has already been passed; a finished body is
 * collapsed into its header. An edge into the middle of a body counts as one to its header.
 * Union-find keeps the algorithm nearly linear.
 *
 * When the common ancestor of the ends of an edge is passed, all loops that contain only its target
 * have been collapsed, and none that contains its source. The vertex that the target is collapsed
 * into is then the header of the loop that the edge enters.
 *
 * The header of a loop with several entries is the entry that the walk reaches first; it need not
 * dominate the loop. That is good enough for weights and distances; where lanes reconverge is
 * decided by the marked header (convergence.h). */
#include "ir/analysis/loops.h"
#include "ir/assert.h"

typedef struct FlowEdge {
  uint32_t from, to, next; /* next edge of the same list, index + 1 */
} FlowEdge;

/* Vertices are depth-first numbers from 0. */
typedef struct Search {
  const NornFlowGraph *graph;
  const NornDepthFirst *walk;
  NornLoopForest *forest;
  uint32_t *collapsed;  /* union-find: toward the header it is collapsed into */
  uint32_t *deferred;   /* edges to be added when this vertex is processed */
  uint32_t *incoming;   /* edges added into this vertex */
  uint32_t *back_edges; /* back edges into this vertex */
  uint32_t *mark;       /* last header whose body this vertex was added to, + 1 */
  uint32_t *body;       /* body of the current loop */
  FlowEdge *edges;
  uint32_t edge_count;
} Search;

static void
add_edge(Search *search, uint32_t *list, uint32_t from, uint32_t to) {
  search->edges[search->edge_count] = (FlowEdge){from, to, *list};
  *list = ++search->edge_count;
}

/* The representative of v, with path halving. */
static uint32_t
find(uint32_t *up, uint32_t v) {
  while (up[v] != v) {
    up[v] = up[up[v]];
    v = up[v];
  }
  return v;
}

/* Sorts the edges by kind, in the order in which the walk left their sources. `open` is a
 * union-find forest in which a vertex that was left leads to its nearest ancestor that was not left
 * yet: the common ancestor of the two ends of a cross edge. */
static void
sort_edges(Search *search, uint32_t *open) {
  const NornFlowGraph *graph = search->graph;
  const NornDepthFirst *walk = search->walk;
  for (uint32_t v = 0; v < walk->count; v++)
    open[v] = v;
  for (uint32_t i = 0; i < walk->count; i++) {
    uint32_t v = walk->finished[i], node = walk->node[v];
    for (uint32_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++) {
      uint32_t w = walk->number[graph->targets[e]];
      uint32_t ancestor = find(open, w);
      if (ancestor == w) /* not left yet: w is an ancestor of v, or v */
        add_edge(search, &search->back_edges[w], v, w);
      else if (walk->parent[w] != v)
        add_edge(search, &search->deferred[ancestor], v, w);
    }
    if (v)
      open[v] = walk->parent[v];
  }
}

/* Adds vertex v (collapsed) to the body of `header` if it is new there. */
static void
take(Search *search, uint32_t header, uint32_t v, uint32_t *count) {
  v = find(search->collapsed, v);
  if (v == header || search->mark[v] == header + 1)
    return;
  NORN_ASSERT(v > header);
  search->mark[v] = header + 1;
  search->body[(*count)++] = v;
}

static void
find_loop(Search *search, uint32_t header) {
  uint32_t count = 0, *body = search->body;
  for (uint32_t e = search->back_edges[header]; e; e = search->edges[e - 1].next) {
    search->forest->is_header[header] = true;
    take(search, header, search->edges[e - 1].from, &count);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t v = body[i];
    take(search, header, search->walk->parent[v], &count);
    for (uint32_t e = search->incoming[v]; e; e = search->edges[e - 1].next)
      take(search, header, search->edges[e - 1].from, &count);
  }
  for (uint32_t i = 0; i < count; i++) {
    search->forest->parent[body[i]] = header;
    search->collapsed[body[i]] = header;
  }
}

/* Adds the edges whose ends have this vertex as their common ancestor. */
static void
add_deferred(Search *search, uint32_t ancestor) {
  NornLoopForest *forest = search->forest;
  for (uint32_t e = search->deferred[ancestor]; e;) {
    FlowEdge edge = search->edges[e - 1];
    uint32_t to = find(search->collapsed, edge.to);
    if (to != edge.to)
      forest->entries[forest->entry_count++] = (NornLoopEntry){to, edge.to};
    add_edge(search, &search->incoming[to], edge.from, to);
    e = edge.next;
  }
}

void
norn_loop_forest(NornArena *arena, const NornFlowGraph *graph, const NornDepthFirst *walk,
                 NornLoopForest *forest) {
  uint32_t count = walk->count, edge_count = graph->first_edge[graph->count];
  *forest = (NornLoopForest){
      .is_header = NORN_NEW0(arena, bool, count),
      .parent = norn_arena_indexes(arena, count),
      .entries = NORN_NEW(arena, NornLoopEntry, edge_count),
  };
  NornArenaMark mark = norn_arena_mark(arena);
  uint32_t *lists = NORN_NEW0(arena, uint32_t, 4 * (size_t)count);
  Search search = {
      .graph = graph,
      .walk = walk,
      .forest = forest,
      .deferred = lists,
      .incoming = lists + count,
      .back_edges = lists + 2 * (size_t)count,
      .mark = lists + 3 * (size_t)count,
      .collapsed = NORN_NEW(arena, uint32_t, count),
      .body = NORN_NEW(arena, uint32_t, count),
      .edges = NORN_NEW(arena, FlowEdge, 2 * (size_t)edge_count),
  };
  sort_edges(&search, search.body);
  for (uint32_t v = 0; v < count; v++)
    search.collapsed[v] = v;
  for (uint32_t header = count; header-- > 0;) {
    add_deferred(&search, header);
    find_loop(&search, header);
  }
  NORN_ASSERT(search.edge_count <= 2 * (uint64_t)edge_count);
  norn_arena_release(arena, mark);
}
