/* The loop nesting forest of any flow graph, by Ramalingam's form of Havlak's algorithm.
 *
 * Headers are taken innermost first (largest depth-first number first). The body of a header's loop
 * is what reaches its back edges, walking over tree edges and over those cross and forward edges
 * that the walk up has passed the common ancestor of; a found body is collapsed into its header. An
 * edge into the middle of a body counts as one to its header. Union-find keeps it nearly linear.
 * The header of a loop with several entries is the one that the walk meets first and need not
 * dominate it. That is good for weights and distances; where lanes reconverge, the mark of the
 * header counts (convergence.h). */
#include "ir/analysis/loops.h"

typedef struct FlowEdge {
  uint32_t from, to, next; /* next edge of the same list, index + 1 */
} FlowEdge;

/* Vertices are depth-first numbers from 0. */
typedef struct Forest {
  const NornDominance *flow;
  uint32_t count;
  uint32_t *number; /* of each block, NORN_INDEX_NONE if unreachable */
  uint32_t *block;  /* of each number; the arrays below are by number too */
  uint32_t *tree_parent;
  uint32_t *collapsed;   /* union-find: toward the header it is collapsed into */
  uint32_t *loop_parent; /* header of the loop the vertex is in, other than its own */
  uint32_t *deferred;    /* edges to be added when this vertex is processed */
  uint32_t *incoming;    /* edges added into this vertex */
  uint32_t *back_edges;  /* back edges into this vertex */
  uint32_t *mark;        /* last header + 1 whose body took the vertex */
  bool *is_header;
  FlowEdge *edges;
  uint32_t edge_count, edge_capacity;
} Forest;

static void
add_edge(Forest *forest, uint32_t *list, uint32_t from, uint32_t to) {
  NORN_GROW(forest->edges, forest->edge_capacity, (uint64_t)forest->edge_count + 1);
  forest->edges[forest->edge_count] = (FlowEdge){from, to, *list};
  *list = ++forest->edge_count;
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

/* Walks depth-first, sorting edges by kind. `open` is a union-find forest in which a finished
 * vertex leads to its nearest unfinished ancestor: the common ancestor of the two ends of a cross
 * edge. */
static void
walk(Forest *forest) {
  const NornDominance *flow = forest->flow;
  uint32_t *open = g_new(uint32_t, flow->order_count), *next = g_new(uint32_t, flow->order_count);
  bool *finished = g_new0(bool, flow->order_count);
  uint32_t entry = flow->order[0], v = 0;
  forest->number[entry] = 0;
  forest->block[0] = entry;
  forest->tree_parent[0] = NORN_INDEX_NONE;
  forest->count = 1;
  open[0] = 0;
  next[0] = flow->successor_first[entry];
  for (;;) {
    uint32_t block = forest->block[v];
    if (next[v] == flow->successor_first[block + 1]) {
      finished[v] = true;
      uint32_t parent = forest->tree_parent[v];
      if (parent == NORN_INDEX_NONE)
        break;
      open[v] = parent;
      v = parent;
      continue;
    }
    uint32_t successor = flow->successors[next[v]++];
    uint32_t w = forest->number[successor];
    if (w == NORN_INDEX_NONE) {
      w = forest->count++;
      forest->number[successor] = w;
      forest->block[w] = successor;
      forest->tree_parent[w] = v;
      open[w] = w;
      next[w] = flow->successor_first[successor];
      v = w;
    } else if (finished[w]) {
      add_edge(forest, &forest->deferred[find(open, w)], v, w);
    } else {
      add_edge(forest, &forest->back_edges[w], v, w);
    }
  }
  g_free(open);
  g_free(next);
  g_free(finished);
}

/* Takes vertex v (collapsed) into the body of `header` if it is new there. */
static void
take(Forest *forest, uint32_t header, uint32_t v, uint32_t *body, uint32_t *count) {
  v = find(forest->collapsed, v);
  if (v == header || forest->mark[v] == header + 1)
    return;
  forest->mark[v] = header + 1;
  body[(*count)++] = v;
}

static void
find_loop(Forest *forest, uint32_t header, uint32_t *body) {
  uint32_t count = 0;
  for (uint32_t e = forest->back_edges[header]; e; e = forest->edges[e - 1].next) {
    forest->is_header[header] = true;
    take(forest, header, forest->edges[e - 1].from, body, &count);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t v = body[i];
    take(forest, header, forest->tree_parent[v], body, &count);
    for (uint32_t e = forest->incoming[v]; e; e = forest->edges[e - 1].next)
      take(forest, header, forest->edges[e - 1].from, body, &count);
  }
  for (uint32_t i = 0; i < count; i++) {
    forest->loop_parent[body[i]] = header;
    forest->collapsed[body[i]] = header;
  }
}

static void
find_loops(Forest *forest) {
  uint32_t *body = g_new(uint32_t, forest->count);
  for (uint32_t v = 0; v < forest->count; v++)
    forest->collapsed[v] = v;
  for (uint32_t header = forest->count; header-- > 0;) {
    for (uint32_t e = forest->deferred[header]; e;) {
      FlowEdge edge = forest->edges[e - 1];
      uint32_t to = find(forest->collapsed, edge.to);
      add_edge(forest, &forest->incoming[to], edge.from, to);
      e = edge.next;
    }
    find_loop(forest, header, body);
  }
  g_free(body);
}

/* From numbers to blocks; a header comes before its body. */
static void
fill_loops(const Forest *forest, NornDominance *dominance) {
  for (uint32_t v = 0; v < forest->count; v++) {
    uint32_t block = forest->block[v], outer = forest->loop_parent[v];
    uint32_t around = outer == NORN_INDEX_NONE ? NORN_INDEX_NONE : forest->block[outer];
    uint32_t depth = outer == NORN_INDEX_NONE ? 0 : dominance->loop_depth[around];
    dominance->loop_depth[block] = depth + forest->is_header[v];
    dominance->loop_header[block] = forest->is_header[v] ? block : around;
    dominance->loop_parent[block] = forest->is_header[v] ? around : NORN_INDEX_NONE;
  }
}

void
norn_find_loops(NornDominance *dominance) {
  size_t count = dominance->order_count;
  uint32_t *memory = g_new0(uint32_t, 8 * count);
  Forest forest = {
      .flow = dominance,
      .number = g_new(uint32_t, dominance->block_count),
      .block = memory,
      .tree_parent = memory + count,
      .collapsed = memory + 2 * count,
      .loop_parent = memory + 3 * count,
      .deferred = memory + 4 * count,
      .incoming = memory + 5 * count,
      .back_edges = memory + 6 * count,
      .mark = memory + 7 * count,
      .is_header = g_new0(bool, count),
  };
  for (uint32_t block = 0; block < dominance->block_count; block++)
    forest.number[block] = NORN_INDEX_NONE;
  for (uint32_t v = 0; v < count; v++)
    forest.loop_parent[v] = NORN_INDEX_NONE;
  walk(&forest);
  find_loops(&forest);
  fill_loops(&forest, dominance);
  g_free(forest.number);
  g_free(forest.edges);
  g_free(memory);
  g_free(forest.is_header);
}
