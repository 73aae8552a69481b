/* Control flow and dominance.
 *
 * Dominators are found by the algorithm of Lengauer and Tarjan with path compression, O(m log n) on
 * any graph, reducible or not; its vertices are depth-first numbers plus 1 (0 means none). What is
 * recursive in the textbook is iterative here, since the depth is only bounded by the size of the
 * input. Loops are found in ir/analysis/loops.c. */
#include "ir/analysis/dominance.h"
#include "ir/analysis/loops.h"
#include <string.h>

static void
collect_successors(NornArena *arena, NornDominance *dominance, const NornFunction *function) {
  uint32_t count = function->block_count, edges = 0;
  for (uint32_t block = 0; block < count; block++) {
    uint32_t terminator = norn_block_terminator(function, block);
    dominance->successor_first[block] = edges;
    if (terminator != NORN_INDEX_NONE)
      norn_for_each_edge (function, terminator, edge)
        edges++;
  }
  dominance->successor_first[count] = edges;
  dominance->successors = NORN_NEW(arena, uint32_t, edges);
  for (uint32_t block = 0; block < count; block++) {
    uint32_t *next = &dominance->successors[dominance->successor_first[block]];
    if (dominance->successor_first[block + 1] != dominance->successor_first[block])
      norn_for_each_edge (function, norn_block_terminator(function, block), edge)
        *next++ = edge.block;
  }
}

/* Reverse postorder. */
static void
order_blocks(NornDominance *dominance, const NornDepthFirst *walk) {
  dominance->order_count = walk->count;
  for (uint32_t i = 0; i < walk->count; i++) {
    dominance->order[i] = walk->node[walk->finished[walk->count - 1 - i]];
    dominance->position[dominance->order[i]] = i;
  }
}

static void
collect_predecessors(NornArena *arena, NornDominance *dominance) {
  uint32_t count = dominance->block_count;
  uint32_t *start = dominance->predecessor_first;
  for (uint32_t i = 0; i < dominance->order_count; i++)
    for (uint32_t k = 0; k < norn_successor_count(dominance, dominance->order[i]); k++)
      start[norn_successor(dominance, dominance->order[i], k) + 1]++;
  for (uint32_t block = 0; block < count; block++)
    start[block + 1] += start[block];
  dominance->predecessors = NORN_NEW(arena, uint32_t, start[count]);
  NornArenaMark mark = norn_arena_mark(arena);
  uint32_t *next = NORN_NEW(arena, uint32_t, count);
  memcpy(next, start, count * sizeof *next);
  for (uint32_t i = 0; i < dominance->order_count; i++)
    for (uint32_t k = 0; k < norn_successor_count(dominance, dominance->order[i]); k++)
      dominance->predecessors[next[norn_successor(dominance, dominance->order[i], k)]++] =
          dominance->order[i];
  norn_arena_release(arena, mark);
}

/* Arrays by vertex. */
typedef struct Tree {
  uint32_t count;
  uint32_t *parent, *semi, *idom, *ancestor, *label;
  uint32_t *bucket, *bucket_next;
  uint32_t *stack;
} Tree;

/* The vertex of least semidominator on the path from v up to, but not including, the root of its
 * tree in the forest. Compresses the path. */
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

/* The edges to node n come from sources[first[n]] up to sources[first[n + 1] - 1]. */
static void
find_dominators(Tree *tree, const NornDepthFirst *walk, const uint32_t *first,
                const uint32_t *sources) {
  for (uint32_t v = 1; v <= tree->count; v++)
    tree->semi[v] = tree->label[v] = v;
  for (uint32_t w = tree->count; w >= 2; w--) {
    uint32_t node = walk->node[w - 1];
    for (uint32_t k = first[node]; k < first[node + 1]; k++) {
      uint32_t v = walk->number[sources[k]] + 1;
      if (!v)
        continue;
      uint32_t u = evaluate(tree, v);
      tree->semi[w] = MIN(tree->semi[w], tree->semi[u]);
    }
    NORN_ASSERT(tree->semi[w] < w);
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

void
norn_graph_dominators(NornArena *arena, const NornDepthFirst *walk, const uint32_t *first,
                      const uint32_t *sources, uint32_t *idom, uint32_t node_count) {
  NornArenaMark mark = norn_arena_mark(arena);
  size_t size = (size_t)walk->count + 1;
  uint32_t *memory = NORN_NEW0(arena, uint32_t, 8 * size);
  Tree tree = {
      .count = walk->count,
      .parent = memory,
      .semi = memory + size,
      .idom = memory + 2 * size,
      .ancestor = memory + 3 * size,
      .label = memory + 4 * size,
      .bucket = memory + 5 * size,
      .bucket_next = memory + 6 * size,
      .stack = memory + 7 * size,
  };
  for (uint32_t v = 1; v <= tree.count; v++)
    tree.parent[v] = walk->parent[v - 1] + 1;
  find_dominators(&tree, walk, first, sources);
  memset(idom, 0xFF, node_count * sizeof *idom);
  for (uint32_t w = 2; w <= tree.count; w++)
    idom[walk->node[w - 1]] = walk->node[tree.idom[w] - 1];
  norn_arena_release(arena, mark);
}

/* A block's interval starts at its number in a preorder of the tree and is as long as its subtree.
 * Parents come before children in the order. */
static void
find_intervals(NornArena *arena, NornDominance *dominance) {
  NornArenaMark mark = norn_arena_mark(arena);
  uint32_t count = dominance->order_count;
  uint32_t *size = NORN_NEW(arena, uint32_t, dominance->block_count);
  /* Where the next child's interval starts. */
  uint32_t *next = NORN_NEW(arena, uint32_t, dominance->block_count);
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
  norn_arena_release(arena, mark);
}

/* Converts walk numbers to blocks; a header comes before the blocks of its loop. */
static void
find_loops(NornArena *arena, NornDominance *dominance, const NornFlowGraph *graph,
           const NornDepthFirst *walk) {
  NornArenaMark mark = norn_arena_mark(arena);
  NornLoopForest forest;
  norn_loop_forest(arena, graph, walk, &forest);
  for (uint32_t v = 0; v < walk->count; v++) {
    uint32_t block = walk->node[v], parent = forest.parent[v];
    uint32_t around = parent == NORN_INDEX_NONE ? NORN_INDEX_NONE : walk->node[parent];
    uint32_t depth = parent == NORN_INDEX_NONE ? 0 : dominance->loop_depth[around];
    dominance->loop_depth[block] = depth + forest.is_header[v];
    dominance->loop_header[block] = forest.is_header[v] ? block : around;
    dominance->loop_parent[block] = forest.is_header[v] ? around : NORN_INDEX_NONE;
  }
  norn_arena_release(arena, mark);
}

/* The state of a walk over all joins. */
typedef struct FrontierWalk {
  const NornDominance *dominance;
  NornFrontiers *frontiers;
  uint32_t *last; /* by block: the last join whose walk came through it, + 1 */
  uint32_t
      *header; /* by block: itself, or a block that dominates it and is in its iterated frontier */
} FrontierWalk;

/* The last one that is reached from the block by following `header`. */
static uint32_t
outermost_header(FrontierWalk *walk, uint32_t block) {
  while (walk->header[block] != block) {
    walk->header[block] = walk->header[walk->header[block]];
    block = walk->header[block];
  }
  return block;
}

/* Adds the join to the frontiers of the blocks from one of its predecessors up to, but not
 * including, its immediate dominator. A block with a header needs no entry: the walk, which comes
 * to the header as well, adds one there. (The header is below the immediate dominator, because
 * joins are visited in postorder.) */
static void
walk_up(FrontierWalk *walk, uint32_t join, uint32_t predecessor) {
  const NornDominance *dominance = walk->dominance;
  NornFrontiers *frontiers = walk->frontiers;
  bool is_back_edge = norn_dominates(dominance, join, predecessor);
  uint32_t runner = predecessor;
  while (runner != dominance->idom[join]) {
    runner = outermost_header(walk, runner);
    /* If the walk from another predecessor came through here, everything above already has the
     * join. */
    if (walk->last[runner] == join + 1)
      return;
    walk->last[runner] = join + 1;
    if (frontiers->blocks)
      frontiers->blocks[frontiers->first[runner + 1]++] = join;
    else
      frontiers->first[runner + 2]++;
    if (is_back_edge)
      walk->header[runner] = join;
    runner = dominance->idom[runner];
  }
}

/* Counts the blocks of each frontier in `first`, two entries on; once `blocks` is allocated, stores
 * them there. */
static void
walk_frontiers(FrontierWalk *walk) {
  const NornDominance *dominance = walk->dominance;
  memset(walk->last, 0, dominance->block_count * sizeof *walk->last);
  for (uint32_t block = 0; block < dominance->block_count; block++)
    walk->header[block] = block;
  for (uint32_t k = dominance->order_count; k-- > 0;) {
    uint32_t block = dominance->order[k], count = norn_predecessor_count(dominance, block);
    for (uint32_t p = 0; count > 1 && p < count; p++)
      walk_up(walk, block, norn_predecessor(dominance, block, p));
  }
}

NornFrontiers
norn_dominance_frontiers(NornArena *arena, const NornDominance *dominance) {
  uint32_t blocks = dominance->block_count;
  NornFrontiers frontiers = {.first = NORN_NEW0(arena, uint32_t, (size_t)blocks + 2)};
  FrontierWalk walk = {dominance, &frontiers, NORN_NEW(arena, uint32_t, blocks),
                       NORN_NEW(arena, uint32_t, blocks)};
  walk_frontiers(&walk);
  for (uint32_t block = 2; block < blocks + 2; block++)
    frontiers.first[block] += frontiers.first[block - 1];
  frontiers.blocks = NORN_NEW(arena, uint32_t, (size_t)frontiers.first[blocks + 1] + 1);
  walk_frontiers(&walk);
  return frontiers;
}

bool
norn_blocks_remove_unreachable(NornArena *arena, NornFunction *function,
                               const NornDominance *dominance) {
  if (dominance->order_count == function->block_order_count)
    return false;
  NornArenaMark mark = norn_arena_mark(arena);
  bool *remove = NORN_NEW0(arena, bool, function->block_count);
  norn_for_each_block (function, block)
    remove[block] = dominance->position[block] == NORN_INDEX_NONE;
  norn_blocks_remove(function, remove);
  norn_arena_release(arena, mark);
  return true;
}

bool
norn_has_loops(const NornDominance *dominance) {
  for (uint32_t k = 0; k < dominance->order_count; k++)
    if (dominance->loop_depth[dominance->order[k]])
      return true;
  return false;
}

bool
norn_joins_others(const NornDominance *dominance, uint32_t from, uint32_t block) {
  if (norn_dominates(dominance, block, from))
    return true;
  for (unsigned k = 0; k < norn_predecessor_count(dominance, block); k++) {
    uint32_t other = norn_predecessor(dominance, block, k);
    if (other != from && !norn_dominates(dominance, block, other))
      return true;
  }
  return false;
}

bool
norn_loops_have_one_entry(const NornDominance *dominance) {
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t block = dominance->order[k], around = norn_loop_around(dominance, block);
    if (around != NORN_INDEX_NONE && !norn_dominates(dominance, around, block))
      return false;
  }
  return true;
}

NornDominance *
norn_dominance_new(NornArena *arena, const NornFunction *function) {
  uint32_t count = function->block_count;
  NornDominance *dominance = NORN_NEW(arena, NornDominance, 1);
  *dominance = (NornDominance){
      .block_count = count,
      .order = norn_arena_indexes(arena, count),
      .position = norn_arena_indexes(arena, count),
      .idom = norn_arena_indexes(arena, count),
      .enter = norn_arena_indexes(arena, count),
      .leave = norn_arena_indexes(arena, count),
      .loop_header = norn_arena_indexes(arena, count),
      .loop_parent = norn_arena_indexes(arena, count),
      .loop_depth = NORN_NEW0(arena, uint32_t, count),
      .successor_first = NORN_NEW(arena, uint32_t, count + (size_t)1),
      .predecessor_first = NORN_NEW0(arena, uint32_t, count + (size_t)1),
  };
  collect_successors(arena, dominance, function);
  if (!function->block_order_count)
    return dominance;
  NornFlowGraph graph = {count, function->block_order[0], dominance->successor_first,
                         dominance->successors};
  /* The walk is allocated before the result and cannot be released separately; it is small and is
   * released with it. */
  NornDepthFirst walk;
  norn_depth_first(arena, &graph, &walk);
  order_blocks(dominance, &walk);
  collect_predecessors(arena, dominance);
  norn_graph_dominators(arena, &walk, dominance->predecessor_first, dominance->predecessors,
                        dominance->idom, count);
  dominance->idom[graph.entry] = graph.entry;
  find_intervals(arena, dominance);
  find_loops(arena, dominance, &graph, &walk);
  return dominance;
}

uint32_t *
norn_post_dominators(NornArena *arena, const NornDominance *dominance) {
  /* The virtual exit is node `count`; in the reversed graph its successors are the blocks that end
   * the function. */
  uint32_t count = dominance->block_count, exits = 0, in_count = 0;
  uint32_t edges = dominance->predecessor_first[count];
  uint32_t *idom = NORN_NEW(arena, uint32_t, (size_t)count + 1);
  NornArenaMark mark = norn_arena_mark(arena);
  uint32_t *out_first = NORN_NEW(arena, uint32_t, (size_t)count + 2);
  uint32_t *out = NORN_NEW(arena, uint32_t, (size_t)edges + count);
  uint32_t *in_first = NORN_NEW(arena, uint32_t, (size_t)count + 2);
  uint32_t *in = NORN_NEW(arena, uint32_t, (size_t)edges + count);
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
  NornDepthFirst walk;
  norn_depth_first(arena, &(NornFlowGraph){count + 1, count, out_first, out}, &walk);
  norn_graph_dominators(arena, &walk, in_first, in, idom, count + 1);
  for (uint32_t block = 0; block < count; block++)
    if (idom[block] == count)
      idom[block] = NORN_INDEX_NONE;
  norn_arena_release(arena, mark);
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

uint32_t
norn_loop_predecessor(const NornDominance *dominance, uint32_t header) {
  uint32_t found = NORN_INDEX_NONE;
  for (uint32_t k = 0; k < norn_predecessor_count(dominance, header); k++) {
    uint32_t from = norn_predecessor(dominance, header, k);
    if (norn_loop_contains(dominance, header, from))
      continue;
    if (found != NORN_INDEX_NONE)
      return NORN_INDEX_NONE;
    found = from;
  }
  return found != NORN_INDEX_NONE && dominance->loop_header[found] == dominance->loop_parent[header]
             ? found
             : NORN_INDEX_NONE;
}
