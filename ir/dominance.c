/* Dominance and loops.
 *
 * Reverse postorder by an explicit-stack depth-first search; immediate dominators by the iteration
 * of Cooper, Harvey and Kennedy over it, where a block's number is its position in the order; the
 * tree's intervals from a count of subtree sizes. A natural loop is found from each edge to a
 * dominator (its header), inner headers first, by walking predecessors backwards; a block already
 * in an inner loop is passed over by going on from the outermost known loop around it. */
#include "ir/dominance.h"
#include <string.h>

/* Depth-first search; fills order and position, and how many edges lead to each block. */
static void
find_order(NornDominance *dominance, const NornFunction *function) {
  typedef struct Frame {
    uint32_t block;
    NornEdge edge;
  } Frame;
  uint32_t count = function->block_count, depth = 0, postorder = 0;
  Frame *stack = g_new(Frame, MAX(1, count));
  bool *seen = g_new0(bool, MAX(1, count));
  if (function->block_order_count) {
    seen[function->block_order[0]] = true;
    stack[depth++] = (Frame){.block = function->block_order[0]};
  }
  while (depth) {
    Frame *frame = &stack[depth - 1];
    uint32_t last = norn_block_terminator(function, frame->block);
    if (last != NORN_INDEX_NONE && norn_next_edge(function, last, &frame->edge)) {
      uint32_t block = frame->edge.block;
      dominance->predecessor_first[block + 1]++;
      if (!seen[block]) {
        seen[block] = true;
        stack[depth++] = (Frame){.block = block};
      }
      continue;
    }
    dominance->order[postorder++] = frame->block;
    depth--;
  }
  dominance->order_count = postorder;
  for (uint32_t low = 0, high = postorder; low < high; low++) {
    uint32_t block = dominance->order[low];
    dominance->order[low] = dominance->order[--high];
    dominance->order[high] = block;
  }
  for (uint32_t k = 0; k < postorder; k++)
    dominance->position[dominance->order[k]] = k;
  g_free(stack);
  g_free(seen);
}

static void
find_predecessors(NornDominance *dominance, const NornFunction *function) {
  uint32_t *first = dominance->predecessor_first;
  for (uint32_t block = 0; block < function->block_count; block++)
    first[block + 1] += first[block];
  dominance->predecessors = g_new(uint32_t, MAX(1, first[function->block_count]));
  uint32_t *fill = g_memdup2(first, (function->block_count + (size_t)1) * sizeof *first);
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t block = dominance->order[k];
    uint32_t last = norn_block_terminator(function, block);
    if (last == NORN_INDEX_NONE)
      continue;
    norn_for_each_edge(function, last, edge) dominance->predecessors[fill[edge.block]++] = block;
  }
  g_free(fill);
}

/* The nearest common dominator of two blocks that have one already. */
static uint32_t
intersect(const NornDominance *dominance, uint32_t a, uint32_t b) {
  while (a != b) {
    while (dominance->position[a] > dominance->position[b])
      a = dominance->idom[a];
    while (dominance->position[b] > dominance->position[a])
      b = dominance->idom[b];
  }
  return a;
}

static void
find_dominators(NornDominance *dominance) {
  if (!dominance->order_count)
    return;
  dominance->idom[dominance->order[0]] = dominance->order[0];
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = 1; k < dominance->order_count; k++) {
      uint32_t block = dominance->order[k], idom = NORN_INDEX_NONE;
      for (uint32_t p = dominance->predecessor_first[block];
           p < dominance->predecessor_first[block + 1]; p++) {
        uint32_t predecessor = dominance->predecessors[p];
        if (dominance->idom[predecessor] != NORN_INDEX_NONE)
          idom = idom == NORN_INDEX_NONE ? predecessor : intersect(dominance, predecessor, idom);
      }
      changed = changed || dominance->idom[block] != idom;
      dominance->idom[block] = idom;
    }
  }
}

/* A block's interval starts at its number in a preorder of the tree and is as long as its subtree.
 * Parents come before children in the order. */
static void
find_intervals(NornDominance *dominance, uint32_t block_count) {
  uint32_t count = dominance->order_count;
  uint32_t *size = g_new(uint32_t, MAX(1, block_count));
  uint32_t *next =
      g_new(uint32_t, MAX(1, block_count)); /* where the next child's interval starts */
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

/* The outermost loop known to contain the block. */
static uint32_t
outermost(const NornDominance *dominance, uint32_t block) {
  uint32_t header = dominance->loop_header[block];
  while (header != NORN_INDEX_NONE && dominance->loop_parent[header] != NORN_INDEX_NONE)
    header = dominance->loop_parent[header];
  return header;
}

/* Puts the predecessors of `block` that are not yet known to be in the loop on the stack. */
static uint32_t
push_predecessors(const NornDominance *dominance, uint32_t block, uint32_t *stack, uint32_t depth) {
  for (uint32_t p = dominance->predecessor_first[block];
       p < dominance->predecessor_first[block + 1]; p++)
    stack[depth++] = dominance->predecessors[p];
  return depth;
}

/* Collects the loop of a header from the sources of its back edges. */
static void
find_loop(NornDominance *dominance, uint32_t header, uint32_t *stack) {
  uint32_t depth = 0;
  for (uint32_t p = dominance->predecessor_first[header];
       p < dominance->predecessor_first[header + 1]; p++)
    if (norn_dominates(dominance, header, dominance->predecessors[p]))
      stack[depth++] = dominance->predecessors[p];
  if (!depth)
    return;
  dominance->loop_header[header] = header;
  while (depth) {
    uint32_t block = stack[--depth];
    uint32_t inner = outermost(dominance, block);
    if (inner == header || !norn_dominates(dominance, header, block))
      continue;
    if (inner == NORN_INDEX_NONE) {
      dominance->loop_header[block] = header;
      depth = push_predecessors(dominance, block, stack, depth);
    } else {
      dominance->loop_parent[inner] = header;
      depth = push_predecessors(dominance, inner, stack, depth);
    }
  }
}

static void
find_loops(NornDominance *dominance, const NornFunction *function) {
  uint32_t edges = dominance->predecessor_first[function->block_count];
  uint32_t *stack = g_new(uint32_t, (size_t)edges * 2 + 1);
  for (uint32_t k = dominance->order_count; k-- > 0;)
    find_loop(dominance, dominance->order[k], stack);
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t block = dominance->order[k], header = dominance->loop_header[block];
    if (header == NORN_INDEX_NONE)
      continue;
    /* A header comes before the blocks of its loop, and an outer header before an inner one. */
    uint32_t parent = dominance->loop_parent[header];
    if (block != header)
      dominance->loop_depth[block] = dominance->loop_depth[header];
    else
      dominance->loop_depth[block] =
          parent == NORN_INDEX_NONE ? 1 : dominance->loop_depth[parent] + 1;
  }
  g_free(stack);
}

static uint32_t *
new_array(uint32_t count) {
  uint32_t *array = g_new(uint32_t, MAX(1, count));
  memset(array, 0xFF, count * sizeof *array);
  return array;
}

NornDominance *
norn_dominance_new(const NornFunction *function) {
  uint32_t count = function->block_count;
  NornDominance *dominance = g_new0(NornDominance, 1);
  dominance->order = new_array(count);
  dominance->position = new_array(count);
  dominance->idom = new_array(count);
  dominance->enter = new_array(count);
  dominance->leave = new_array(count);
  dominance->loop_header = new_array(count);
  dominance->loop_parent = new_array(count);
  dominance->loop_depth = g_new0(uint32_t, MAX(1, count));
  dominance->predecessor_first = g_new0(uint32_t, count + (size_t)1);
  find_order(dominance, function);
  find_predecessors(dominance, function);
  find_dominators(dominance);
  find_intervals(dominance, count);
  find_loops(dominance, function);
  return dominance;
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
  g_free(dominance->predecessor_first);
  g_free(dominance->predecessors);
  g_free(dominance);
}
