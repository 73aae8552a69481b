/* Ordering the blocks of a program for converging execution.
 *
 * Strongly connected components, found by Tarjan's algorithm, come out in reverse topological
 * order. Each component of more than one node, or with an edge to itself, is a loop: the preferred
 * one of its entries (nodes with an edge from outside) becomes its header, the edges back to the
 * header are left out, and the component is ordered by itself in the same way, in place. A node
 * that is explored later comes earlier, so the last successor of a node follows it if it can. Every
 * level is linear; the work of all levels is limited. Nothing is recursive. */
#include "ir/analysis/convergence.h"
#include "ir/ops.h"
#include "ir/text/printer.h"
#include <glib.h>

/* Nodes visited at all levels together: some 5000 loops around one another. */
#define VISIT_LIMIT (UINT64_C(1) << 25)

/* Nodes sequence[first] up to sequence[end - 1], the header of the loop first. */
typedef struct Region {
  uint32_t first, end, depth;
} Region;

typedef struct Frame {
  uint32_t node, edge;
} Frame;

typedef struct RegionOrder {
  const NornFlowGraph *graph;
  uint32_t *sequence;  /* the nodes in order, once all regions are done */
  uint32_t *region_of; /* number of the region that a node is in while that is walked */
  uint32_t *component; /* of the region at hand: the first place of the node's component */
  uint32_t *entered;   /* number + 1 of the last region in which the node's component is entered */
  bool *is_entry;      /* of some loop */
  uint32_t *visit;     /* Tarjan's number of a node, 0 if not visited; all ones once done */
  uint32_t *low;
  uint32_t *pending; /* Tarjan's stack */
  Frame *frames;     /* the walk's stack */
  uint32_t current;  /* number of the region being walked */
  uint32_t header;   /* its header; edges to it do not count */
  uint32_t visits, pending_count;
  uint32_t reached; /* where the nodes that the entry reaches begin in the sequence */
  uint32_t place;   /* components are stored downwards from here */
  GArray *work;     /* Region, to be ordered */
  GArray *loops;    /* Region, outer ones before inner ones */
} RegionOrder;

#define DONE UINT32_MAX

static bool
has_edge_to_itself(const RegionOrder *order, uint32_t node) {
  const NornFlowGraph *graph = order->graph;
  for (uint32_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++)
    if (graph->targets[e] == node)
      return true;
  return false;
}

/* Takes the component whose first node is `root` off the stack and stores it, the root first. */
static void
finish_component(RegionOrder *order, uint32_t root, uint32_t depth) {
  uint32_t end = order->place, node;
  do {
    node = order->pending[--order->pending_count];
    order->visit[node] = DONE;
    order->sequence[--order->place] = node;
  } while (node != root);
  Region region = {order->place, end, depth + 1};
  for (uint32_t i = region.first; i < end; i++)
    order->component[order->sequence[i]] = region.first;
  bool is_large = region.end - region.first > 1;
  if (is_large || (root != order->header && has_edge_to_itself(order, root)))
    g_array_append_val(order->loops, region);
  if (is_large)
    g_array_append_val(order->work, region);
}

static void
enter_node(RegionOrder *order, uint32_t node, uint32_t *depth) {
  order->visit[node] = order->low[node] = ++order->visits;
  order->pending[order->pending_count++] = node;
  order->frames[(*depth)++] = (Frame){node, order->graph->first_edge[node]};
}

/* Whether an edge to the node counts in the region at hand. */
static bool
is_inside(const RegionOrder *order, uint32_t target) {
  return order->region_of[target] == order->current && target != order->header;
}

/* Walks the current region from `root`. */
static void
walk(RegionOrder *order, uint32_t root, uint32_t level) {
  uint32_t depth = 0;
  enter_node(order, root, &depth);
  while (depth) {
    Frame *frame = &order->frames[depth - 1];
    uint32_t node = frame->node;
    if (frame->edge == order->graph->first_edge[node + 1]) {
      if (order->low[node] == order->visit[node])
        finish_component(order, node, level);
      if (--depth) {
        uint32_t parent = order->frames[depth - 1].node;
        order->low[parent] = MIN(order->low[parent], order->low[node]);
      }
      continue;
    }
    uint32_t target = order->graph->targets[frame->edge++];
    if (!is_inside(order, target))
      continue;
    if (!order->visit[target])
      enter_node(order, target, &depth);
    else if (order->visit[target] != DONE)
      order->low[node] = MIN(order->low[node], order->visit[target]);
  }
}

/* Marks the nodes of the current region, which is walked, that have an edge from another component.
 */
static void
find_entries(RegionOrder *order, uint32_t first, uint32_t end) {
  const NornFlowGraph *graph = order->graph;
  for (uint32_t i = first; i < end; i++) {
    uint32_t node = order->sequence[i];
    for (uint32_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++) {
      uint32_t target = graph->targets[e];
      if (is_inside(order, target) && order->component[target] != order->component[node])
        order->entered[target] = order->current + 1;
    }
  }
}

/* Puts the preferred entry of a loop first. */
static void
choose_header(RegionOrder *order, const Region *loop) {
  uint32_t *sequence = order->sequence, best = DONE;
  for (uint32_t i = loop->first; i < loop->end; i++) {
    if (order->entered[sequence[i]] != order->current + 1)
      continue;
    order->is_entry[sequence[i]] = true;
    if (best == DONE ||
        order->graph->preference[sequence[i]] < order->graph->preference[sequence[best]])
      best = i;
  }
  uint32_t header = sequence[best];
  sequence[best] = sequence[loop->first];
  sequence[loop->first] = header;
}

/* Walks the region from its first node and finds the loops in it. */
static void
order_region(RegionOrder *order, uint32_t root, const Region *region) {
  guint known = order->loops->len;
  order->visits = 0;
  order->place = region->end;
  walk(order, root, region->depth);
  if (order->loops->len == known)
    return;
  find_entries(order, order->place, region->end);
  for (guint i = known; i < order->loops->len; i++)
    choose_header(order, &g_array_index(order->loops, Region, i));
}

static void
order_loop(RegionOrder *order, const Region *loop) {
  order->current++;
  for (uint32_t i = loop->first; i < loop->end; i++) {
    order->region_of[order->sequence[i]] = order->current;
    order->visit[order->sequence[i]] = 0;
  }
  order->header = order->sequence[loop->first];
  order_region(order, order->header, loop);
}

static bool
order_nodes(RegionOrder *order, uint32_t *node) {
  uint32_t count = order->graph->count;
  uint64_t visits = count;
  /* The whole graph has no header to which edges do not count. */
  order->header = NORN_KEY_NONE;
  order->entered[order->graph->entry] = 1;
  order_region(order, order->graph->entry, &(Region){0, count, 0});
  order->reached = order->place;
  while (order->work->len) {
    Region region = g_array_index(order->work, Region, order->work->len - 1);
    g_array_set_size(order->work, order->work->len - 1);
    visits += region.end - region.first;
    if (visits > VISIT_LIMIT) {
      *node = order->sequence[region.first];
      return false;
    }
    order_loop(order, &region);
  }
  return true;
}

/* Hands out keys along the sequence: one for each node and, after the last node of each loop, one
 * for the loop's end, inner loops first. */
static void
number_keys(const RegionOrder *order, NornConvergence *convergence) {
  uint32_t count = order->graph->count, key = 0, depth = 0, *open = order->pending;
  uint32_t *loop_end = g_new0(uint32_t, (size_t)count + 1); /* by first place */
  for (guint i = 0; i < order->loops->len; i++) {
    const Region *loop = &g_array_index(order->loops, Region, i);
    loop_end[loop->first] = loop->end;
  }
  for (uint32_t i = order->reached; i < count; i++) {
    uint32_t node = order->sequence[i];
    if (loop_end[i]) {
      convergence->parent_of_loop[node] = depth ? order->sequence[open[depth - 1]] : NORN_KEY_NONE;
      open[depth++] = i;
    }
    convergence->loop_of_node[node] = depth ? order->sequence[open[depth - 1]] : NORN_KEY_NONE;
    if (order->is_entry[node])
      convergence->rank_of_entry[node] = depth + !loop_end[i];
    convergence->key_of_node[node] = key;
    convergence->node_of_key[key++] = node;
    for (; depth && loop_end[open[depth - 1]] == i + 1; depth--) {
      uint32_t header = order->sequence[open[depth - 1]];
      convergence->end_of_node[header] = key;
      convergence->node_of_key[key++] = header;
    }
  }
  convergence->key_count = key;
  g_free(loop_end);
}

static void
init_arrays(NornConvergence *convergence, uint32_t count) {
  *convergence = (NornConvergence){
      .node_of_key = g_new(uint32_t, 2 * (size_t)count),
      .key_of_node = norn_new_indexes(count),
      .end_of_node = norn_new_indexes(count),
      .loop_of_node = norn_new_indexes(count),
      .parent_of_loop = norn_new_indexes(count),
      .rank_of_entry = g_new0(uint32_t, MAX(1, count)),
  };
}

bool
norn_convergence_init(NornConvergence *convergence, const NornFlowGraph *graph, uint32_t *node) {
  uint32_t *memory = g_new0(uint32_t, 7 * (size_t)graph->count), count = graph->count;
  RegionOrder order = {
      .graph = graph,
      .sequence = memory,
      .region_of = memory + count,
      .component = memory + 2 * (size_t)count,
      .entered = memory + 3 * (size_t)count,
      .visit = memory + 4 * (size_t)count,
      .low = memory + 5 * (size_t)count,
      .pending = memory + 6 * (size_t)count,
      .frames = g_new(Frame, count),
      .is_entry = g_new0(bool, count),
      .work = g_array_new(FALSE, FALSE, sizeof(Region)),
      .loops = g_array_new(FALSE, FALSE, sizeof(Region)),
  };
  init_arrays(convergence, count);
  bool done = order_nodes(&order, node);
  if (done)
    number_keys(&order, convergence);
  else
    norn_convergence_clear(convergence);
  g_free(memory);
  g_free(order.frames);
  g_free(order.is_entry);
  g_array_free(order.work, TRUE);
  g_array_free(order.loops, TRUE);
  return done;
}

void
norn_convergence_clear(NornConvergence *convergence) {
  g_free(convergence->node_of_key);
  g_free(convergence->key_of_node);
  g_free(convergence->end_of_node);
  g_free(convergence->loop_of_node);
  g_free(convergence->parent_of_loop);
  g_free(convergence->rank_of_entry);
  *convergence = (NornConvergence){0};
}

/* --- functions --- */

uint32_t
norn_loop_rank(const NornFunction *function, uint32_t block) {
  uint32_t first = function->blocks[block].first;
  if (first == NORN_INDEX_NONE || function->insts[first].op != NORN_OP_LOOP_ENTRY)
    return 0;
  return (uint32_t)norn_constant_bits(function->module, norn_operand(function, first, 0));
}

uint64_t
norn_entry_preference(const NornFunction *function, uint32_t block, uint32_t position) {
  uint32_t rank = norn_loop_rank(function, block);
  return (uint64_t)(rank ? rank : UINT32_MAX) << 32 | position;
}

bool
norn_convergence_of_function(NornConvergence *convergence, const NornFunction *function,
                             GError **error) {
  uint32_t count = function->block_count, edges = 0, capacity = 0, node = 0;
  uint32_t *first_edge = g_new(uint32_t, (size_t)count + 1), *targets = NULL;
  uint64_t *preference = g_new0(uint64_t, (size_t)count + 1);
  for (uint32_t i = 0; i < function->block_order_count; i++)
    preference[function->block_order[i]] =
        norn_entry_preference(function, function->block_order[i], i);
  for (uint32_t block = 0; block < count; block++) {
    uint32_t terminator = norn_block_terminator(function, block);
    first_edge[block] = edges;
    if (terminator == NORN_INDEX_NONE)
      continue;
    norn_for_each_edge (function, terminator, edge) {
      NORN_GROW(targets, capacity, (uint64_t)edges + 1);
      targets[edges++] = edge.block;
    }
  }
  first_edge[count] = edges;
  NornFlowGraph graph = {count, function->block_order[0], first_edge, targets, preference};
  bool done = norn_convergence_init(convergence, &graph, &node);
  if (!done)
    norn_inst_error(function, &function->insts[function->blocks[node].first], NORN_ERROR_LIMIT,
                    error, NORN_LOOPS_TOO_DEEP);
  g_free(first_edge);
  g_free(targets);
  g_free(preference);
  return done;
}

uint32_t
norn_bypass_target(const NornFunction *function, uint32_t block) {
  uint32_t first = function->blocks[block].first;
  if (first == NORN_INDEX_NONE || function->insts[first].op != NORN_OP_JUMP ||
      function->blocks[block].parameter_count || block == function->block_order[0])
    return NORN_INDEX_NONE;
  uint32_t target = norn_ref_payload(norn_operand(function, first, 0));
  return target == block ? NORN_INDEX_NONE : target;
}

bool *
norn_divergent_loops(const NornConvergence *convergence, const NornFunction *function) {
  bool *is_divergent = g_new0(bool, MAX(1, function->block_count));
  norn_for_each_block (function, from) {
    uint32_t terminator = norn_block_terminator(function, from), header;
    if (terminator == NORN_INDEX_NONE || convergence->key_of_node[from] == NORN_KEY_NONE)
      continue;
    if (function->insts[terminator].flags & NORN_INST_DIVERGENT)
      for (header = convergence->loop_of_node[from]; header != NORN_KEY_NONE;
           header = convergence->parent_of_loop[header])
        is_divergent[header] = true;
    norn_for_each_edge (function, terminator, edge)
      for (header = convergence->loop_of_node[edge.block];
           header != NORN_KEY_NONE && !norn_is_in_loop(convergence, header, from);
           header = convergence->parent_of_loop[header])
        is_divergent[header] |= header != edge.block;
  }
  return is_divergent;
}

bool
norn_block_is_convergent(const NornFunction *function, uint32_t block) {
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = &function->insts[index];
    if (!norn_is_machine(inst) && inst->op != NORN_OP_LOOP_ENTRY &&
        norn_ops[inst->op].flags & NORN_OP_CONVERGENT)
      return true;
  }
  return false;
}

/* --- two graphs --- */

typedef struct ConvergenceComparison {
  const NornConvergence *before, *after;
  bool *is_dissolved; /* by header before: its loop is none any more */
} ConvergenceComparison;

/* Whether the loop `old` and those around it are, without the dissolved ones, `new` and those
 * around it. */
static bool
same_loops(const ConvergenceComparison *comparison, uint32_t old, uint32_t new) {
  for (;;) {
    while (old != new) {
      if (old == NORN_KEY_NONE || !comparison->is_dissolved[old])
        return false;
      old = comparison->before->parent_of_loop[old];
    }
    if (old == NORN_KEY_NONE)
      return true;
    old = comparison->before->parent_of_loop[old];
    new = comparison->after->parent_of_loop[new];
  }
}

/* Outer loops come first. A loop is dissolved if its header is where the loop was. */
static void
find_dissolved(const ConvergenceComparison *comparison) {
  const NornConvergence *before = comparison->before, *after = comparison->after;
  for (uint32_t key = 0; key < before->key_count; key++) {
    uint32_t node = before->node_of_key[key];
    if (before->key_of_node[node] != key || before->end_of_node[node] == NORN_KEY_NONE ||
        after->key_of_node[node] == NORN_KEY_NONE || after->end_of_node[node] != NORN_KEY_NONE)
      continue;
    comparison->is_dissolved[node] =
        same_loops(comparison, before->parent_of_loop[node], after->loop_of_node[node]);
  }
}

/* Whether every edge that is left leads back if it did, and forward if it did, and no block is an
 * entry that was none. */
static bool
same_edges(const NornFunction *function, const ConvergenceComparison *comparison) {
  const NornConvergence *before = comparison->before, *after = comparison->after;
  norn_for_each_block (function, from) {
    uint32_t terminator = norn_block_terminator(function, from);
    if (terminator == NORN_INDEX_NONE || after->key_of_node[from] == NORN_KEY_NONE)
      continue;
    if (after->rank_of_entry[from] && !before->rank_of_entry[from])
      return false;
    norn_for_each_edge (function, terminator, edge)
      if (norn_is_back_edge(before, from, edge.block) != norn_is_back_edge(after, from, edge.block))
        return false;
  }
  return true;
}

bool
norn_reconverges_alike(const NornFunction *function, const NornConvergence *before,
                       const NornConvergence *after) {
  ConvergenceComparison comparison = {before, after, g_new0(bool, MAX(1, function->block_count))};
  bool same = same_edges(function, &comparison);
  find_dissolved(&comparison);
  norn_for_each_block (function, block)
    if (same && after->key_of_node[block] != NORN_KEY_NONE &&
        norn_block_is_convergent(function, block))
      same = same_loops(&comparison, before->loop_of_node[block], after->loop_of_node[block]);
  g_free(comparison.is_dissolved);
  return same;
}
