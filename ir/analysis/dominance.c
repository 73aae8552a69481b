/* Flow of control and dominance.
 *
 * Reverse post-order by a depth-first walk with a stack of its own. Dominators by the method of
 * Lengauer and Tarjan with path compression, O(m log n) on any graph, reducible or not; its
 * vertices are depth-first numbers from 1 (0 means none). Everything that is recursion in the
 * textbook is a loop here, since depth is the size of the input. Loops are found in ir/analysis/loops.c. */
#include "ir/analysis/dominance.h"
#include "ir/analysis/loops.h"
#include <string.h>

static void
collect_successors(NornDominance *dominance, const NornFunction *function) {
  uint32_t count = function->block_count, capacity = 0, edges = 0;
  uint32_t *terminators = g_new(uint32_t, count);
  for (uint32_t block = 0; block < count; block++)
    terminators[block] = norn_block_terminator(function, block);
  for (uint32_t block = 0; block < count; block++) {
    dominance->successor_first[block] = edges;
    if (terminators[block] == NORN_INDEX_NONE)
      continue;
    norn_for_each_edge (function, terminators[block], edge) {
      NORN_GROW(dominance->successors, capacity, (uint64_t)edges + 1);
      dominance->successors[edges++] = edge.block;
    }
  }
  dominance->successor_first[count] = edges;
  g_free(terminators);
}

/* Depth-first from the entry; fills `order` from its end, then moves it to the front. */
static void
order_blocks(NornDominance *dominance, const NornFunction *function) {
  uint32_t count = function->block_count;
  if (!function->block_order_count)
    return;
  uint32_t *stack = g_new(uint32_t, count), *next = g_new(uint32_t, count);
  uint32_t depth = 0, place = count;
  stack[depth++] = function->block_order[0];
  dominance->position[stack[0]] = 0; /* seen; the number comes below */
  next[stack[0]] = dominance->successor_first[stack[0]];
  while (depth) {
    uint32_t block = stack[depth - 1];
    if (next[block] == dominance->successor_first[block + 1]) {
      dominance->order[--place] = block;
      depth--;
      continue;
    }
    uint32_t successor = dominance->successors[next[block]++];
    if (dominance->position[successor] != NORN_INDEX_NONE)
      continue;
    dominance->position[successor] = 0;
    next[successor] = dominance->successor_first[successor];
    stack[depth++] = successor;
  }
  dominance->order_count = count - place;
  for (uint32_t i = 0; i < dominance->order_count; i++) {
    dominance->order[i] = dominance->order[place + i];
    dominance->position[dominance->order[i]] = i;
  }
  g_free(stack);
  g_free(next);
}

static void
collect_predecessors(NornDominance *dominance, const NornFunction *function) {
  uint32_t count = function->block_count;
  uint32_t *start = dominance->predecessor_first;
  for (uint32_t i = 0; i < dominance->order_count; i++)
    for (uint32_t k = 0; k < norn_successor_count(dominance, dominance->order[i]); k++)
      start[norn_successor(dominance, dominance->order[i], k) + 1]++;
  for (uint32_t block = 0; block < count; block++)
    start[block + 1] += start[block];
  dominance->predecessors = g_new(uint32_t, start[count]);
  uint32_t *fill = g_memdup2(start, ((size_t)count + 1) * sizeof *start);
  for (uint32_t i = 0; i < dominance->order_count; i++)
    for (uint32_t k = 0; k < norn_successor_count(dominance, dominance->order[i]); k++)
      dominance->predecessors[fill[norn_successor(dominance, dominance->order[i], k)]++] =
          dominance->order[i];
  g_free(fill);
}

/* A rooted graph in arrays: edges of vertex v are [first[v], first[v + 1]). */
typedef struct Graph {
  uint32_t count, root;
  const uint32_t *successor_first, *successors;
  const uint32_t *predecessor_first, *predecessors;
} Graph;

typedef struct Tree {
  const Graph *graph;
  uint32_t count;   /* numbered vertices */
  uint32_t *number; /* of each vertex of the graph, 0 if unreachable */
  uint32_t *vertex; /* by number, as are the rest */
  uint32_t *parent, *semi, *idom, *ancestor, *label;
  uint32_t *bucket, *bucket_next;
  uint32_t *stack;
} Tree;

static void
number_vertices(Tree *tree) {
  const Graph *graph = tree->graph;
  uint32_t *next = g_new(uint32_t, graph->count), depth = 0;
  tree->number[graph->root] = ++tree->count;
  tree->vertex[1] = graph->root;
  tree->parent[1] = 0;
  next[graph->root] = graph->successor_first[graph->root];
  tree->stack[depth++] = graph->root;
  while (depth) {
    uint32_t v = tree->stack[depth - 1];
    if (next[v] == graph->successor_first[v + 1]) {
      depth--;
      continue;
    }
    uint32_t w = graph->successors[next[v]++];
    if (tree->number[w])
      continue;
    tree->number[w] = ++tree->count;
    tree->vertex[tree->count] = w;
    tree->parent[tree->count] = tree->number[v];
    next[w] = graph->successor_first[w];
    tree->stack[depth++] = w;
  }
  g_free(next);
}

/* The vertex of least semidominator on the path from v up to, not including, the root of its tree
 * in the forest. Shortens the path. */
static uint32_t
evaluate(Tree *tree, uint32_t v) {
  if (!tree->ancestor[v])
    return v;
  uint32_t depth = 0;
  for (uint32_t u = v; tree->ancestor[tree->ancestor[u]]; u = tree->ancestor[u])
    tree->stack[depth++] = u;
  while (depth) {
    uint32_t u = tree->stack[--depth], up = tree->ancestor[u];
    if (tree->semi[tree->label[up]] < tree->semi[tree->label[u]])
      tree->label[u] = tree->label[up];
    tree->ancestor[u] = tree->ancestor[up];
  }
  return tree->label[v];
}

static void
find_dominators(Tree *tree) {
  const Graph *graph = tree->graph;
  for (uint32_t v = 1; v <= tree->count; v++)
    tree->semi[v] = tree->label[v] = v;
  for (uint32_t w = tree->count; w >= 2; w--) {
    uint32_t block = tree->vertex[w];
    for (uint32_t k = graph->predecessor_first[block]; k < graph->predecessor_first[block + 1];
         k++) {
      uint32_t v = tree->number[graph->predecessors[k]];
      if (!v)
        continue;
      uint32_t u = evaluate(tree, v);
      tree->semi[w] = MIN(tree->semi[w], tree->semi[u]);
    }
    tree->bucket_next[w] = tree->bucket[tree->semi[w]];
    tree->bucket[tree->semi[w]] = w;
    tree->ancestor[w] = tree->parent[w];
    uint32_t parent = tree->parent[w];
    for (uint32_t v = tree->bucket[parent]; v; v = tree->bucket_next[v]) {
      uint32_t u = evaluate(tree, v);
      tree->idom[v] = tree->semi[u] < tree->semi[v] ? u : parent;
    }
    tree->bucket[parent] = 0;
  }
  for (uint32_t w = 2; w <= tree->count; w++)
    if (tree->idom[w] != tree->semi[w])
      tree->idom[w] = tree->idom[tree->idom[w]];
}

/* The immediate dominators of a graph into idom, by vertex; NORN_INDEX_NONE for the root and what
 * it does not reach. */
static void
dominators_of_graph(const Graph *graph, uint32_t *idom) {
  size_t size = (size_t)graph->count + 1;
  uint32_t *memory = g_new0(uint32_t, 10 * size);
  Tree tree = {
      .graph = graph,
      .number = memory,
      .vertex = memory + size,
      .parent = memory + 2 * size,
      .semi = memory + 3 * size,
      .idom = memory + 4 * size,
      .ancestor = memory + 5 * size,
      .label = memory + 6 * size,
      .bucket = memory + 7 * size,
      .bucket_next = memory + 8 * size,
      .stack = memory + 9 * size,
  };
  number_vertices(&tree);
  find_dominators(&tree);
  memset(idom, 0xFF, graph->count * sizeof *idom);
  for (uint32_t w = 2; w <= tree.count; w++)
    idom[tree.vertex[w]] = tree.vertex[tree.idom[w]];
  g_free(memory);
}

/* A block's interval starts at its number in a preorder of the tree and is as long as its subtree.
 * Parents come before children in the order. */
static void
find_intervals(NornDominance *dominance, uint32_t block_count) {
  uint32_t count = dominance->order_count;
  uint32_t *size = g_new(uint32_t, block_count);
  uint32_t *next = g_new(uint32_t, block_count); /* where the next child's interval starts */
  for (uint32_t k = 0; k < count; k++)
    size[dominance->order[k]] = 1;
  for (uint32_t k = count; k-- > 1;)
    size[dominance->idom[dominance->order[k]]] += size[dominance->order[k]];
  for (uint32_t k = 0; k < count; k++) {
    uint32_t block = dominance->order[k], start = 0;
    if (k) {
      start = next[dominance->idom[block]];
      next[dominance->idom[block]] += size[block];
    }
    dominance->enter[block] = start;
    dominance->leave[block] = start + size[block];
    next[block] = start + 1;
  }
  g_free(size);
  g_free(next);
}

NornDominance *
norn_dominance_new(const NornFunction *function) {
  uint32_t count = function->block_count;
  NornDominance *dominance = g_new0(NornDominance, 1);
  dominance->block_count = count;
  dominance->order = norn_new_indexes(count);
  dominance->position = norn_new_indexes(count);
  dominance->idom = norn_new_indexes(count);
  dominance->enter = norn_new_indexes(count);
  dominance->leave = norn_new_indexes(count);
  dominance->loop_header = norn_new_indexes(count);
  dominance->loop_parent = norn_new_indexes(count);
  dominance->loop_depth = g_new0(uint32_t, MAX(1, count));
  dominance->successor_first = g_new0(uint32_t, count + (size_t)1);
  dominance->predecessor_first = g_new0(uint32_t, count + (size_t)1);
  collect_successors(dominance, function);
  order_blocks(dominance, function);
  collect_predecessors(dominance, function);
  if (!dominance->order_count)
    return dominance;
  Graph graph = {
      .count = count,
      .root = dominance->order[0],
      .successor_first = dominance->successor_first,
      .successors = dominance->successors,
      .predecessor_first = dominance->predecessor_first,
      .predecessors = dominance->predecessors,
  };
  dominators_of_graph(&graph, dominance->idom);
  dominance->idom[graph.root] = graph.root;
  find_intervals(dominance, count);
  norn_find_loops(dominance);
  return dominance;
}

uint32_t *
norn_post_dominators(const NornDominance *dominance) {
  /* The virtual exit is vertex `count`; in the reversed graph its successors are the blocks that
   * end the function. */
  uint32_t count = dominance->block_count, exits = 0, in_count = 0;
  uint32_t edges = dominance->predecessor_first[count];
  uint32_t *out_first = g_new(uint32_t, (size_t)count + 2);
  uint32_t *out = g_new(uint32_t, (size_t)edges + count + 1);
  uint32_t *in_first = g_new(uint32_t, (size_t)count + 2);
  uint32_t *in = g_new(uint32_t, (size_t)dominance->successor_first[count] + count + 1);
  if (edges)
    memcpy(out, dominance->predecessors, edges * sizeof *out);
  for (uint32_t block = 0; block < count; block++) {
    out_first[block] = dominance->predecessor_first[block];
    in_first[block] = in_count;
    if (dominance->position[block] == NORN_INDEX_NONE)
      continue;
    for (uint32_t k = 0; k < norn_successor_count(dominance, block); k++)
      in[in_count++] = norn_successor(dominance, block, k);
    if (norn_successor_count(dominance, block))
      continue;
    in[in_count++] = count;
    out[edges + exits++] = block;
  }
  out_first[count] = edges;
  out_first[count + 1] = edges + exits;
  in_first[count] = in_first[count + 1] = in_count;
  Graph graph = {count + 1, count, out_first, out, in_first, in};
  uint32_t *idom = g_new(uint32_t, (size_t)count + 1);
  dominators_of_graph(&graph, idom);
  for (uint32_t block = 0; block < count; block++)
    if (idom[block] == count)
      idom[block] = NORN_INDEX_NONE;
  g_free(out_first);
  g_free(out);
  g_free(in_first);
  g_free(in);
  return idom;
}

bool
norn_dominance_equal(const NornDominance *a, const NornDominance *b) {
  if (a->block_count != b->block_count || a->order_count != b->order_count ||
      memcmp(a->order, b->order, a->order_count * sizeof *a->order) != 0)
    return false;
  for (uint32_t i = 0; i < a->order_count; i++) {
    uint32_t block = a->order[i], count = norn_successor_count(a, block);
    if (count != norn_successor_count(b, block) ||
        (count && memcmp(&a->successors[a->successor_first[block]],
                         &b->successors[b->successor_first[block]], count * sizeof(uint32_t)) != 0))
      return false;
  }
  return true;
}

void
norn_dominance_free(NornDominance *dominance) {
  if (!dominance)
    return;
  g_free(dominance->order);
  g_free(dominance->position);
  g_free(dominance->idom);
  g_free(dominance->enter);
  g_free(dominance->leave);
  g_free(dominance->loop_header);
  g_free(dominance->loop_parent);
  g_free(dominance->loop_depth);
  g_free(dominance->successor_first);
  g_free(dominance->successors);
  g_free(dominance->predecessor_first);
  g_free(dominance->predecessors);
  g_free(dominance);
}
