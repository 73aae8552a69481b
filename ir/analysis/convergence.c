/* Ordering the blocks of a program for converging execution.
 *
 * The loop forest (ir/analysis/loops.h) is that of a depth-first walk: the header of a loop is the
 * block that the walk reaches first. The order places the blocks of a loop after its header and
 * otherwise follows reverse postorder, so that the last successor of a block directly follows it
 * where possible. This takes linear time, however deep the nest.
 *
 * Where another entry of a loop is preferred, the loop is extracted as a separate graph, walked
 * from that entry, and ordered in place in the same way. That happens only for loops with several
 * entries. Deep nests of such loops take long, so the work on them is limited. Nothing is
 * recursive. */
#include "ir/analysis/convergence.h"
#include "ir/analysis/loops.h"
#include "ir/ops.h"
#include "ir/text/locations.h"
#include <glib.h>

/* Limit on the nodes of all extracted loops together: reached by some thousands nested in one
 * another. */
#define VISIT_LIMIT (UINT64_C(1) << 23)

/* A loop to be extracted: `count` nodes starting at sequence[first], entered at `root`. */
typedef struct Region {
  uint32_t first, count, root;
} Region;

typedef struct Ordering {
  NornArena *arena;
  const NornFlowGraph *graph;
  const uint64_t *preference;
  uint32_t *sequence; /* the nodes in order */
  uint32_t
      *loop_end; /* by position of a header in the sequence: where its loop ends; 0: not a header */
  bool *is_entry; /* by node: whether it is an entry of some loop */
  Region *work;   /* regions to be extracted */
  uint32_t work_count;
} Ordering;

/* A graph and the node of the program for each of its nodes; NULL: the same numbers. */
typedef struct SubGraph {
  NornFlowGraph graph;
  const uint32_t *nodes;
} SubGraph;

static uint32_t
node_of(const SubGraph *sub, uint32_t node) {
  return sub->nodes ? sub->nodes[node] : node;
}

/* How the nodes of a graph are ordered; arrays by number of the walk. */
typedef struct NodeOrder {
  NornDepthFirst walk;
  NornLoopForest forest;
  uint32_t *header; /* of a loop: its preferred entry */
  uint32_t *around; /* header of the loop in which the node is placed, or NORN_INDEX_NONE: the
                       innermost loop around it, or the outermost one that is extracted */
  bool *is_taken;   /* by header: the loop is extracted */
} NodeOrder;

/* Finds the preferred entry of each loop. */
static void
choose_headers(const Ordering *ordering, const SubGraph *sub, NodeOrder *order) {
  const NornDepthFirst *walk = &order->walk;
  const uint64_t *preference = ordering->preference;
  for (uint32_t v = 0; v < walk->count; v++)
    order->header[v] = v;
  for (uint32_t i = 0; i < order->forest.entry_count; i++) {
    const NornLoopEntry *entry = &order->forest.entries[i];
    uint32_t *header = &order->header[entry->header];
    if (preference[node_of(sub, walk->node[entry->entry])] <
        preference[node_of(sub, walk->node[*header])])
      *header = entry->entry;
  }
}

/* Whether the loop that the node heads is ordered here or extracted itself, rather than part of an
 * extracted loop. */
static bool
is_outside(const NodeOrder *order, uint32_t v) {
  return order->around[v] == NORN_INDEX_NONE || !order->is_taken[order->around[v]];
}

/* Outer loops have smaller numbers. */
static void
take_out(const Ordering *ordering, const SubGraph *sub, NodeOrder *order) {
  for (uint32_t v = 0; v < order->walk.count; v++) {
    uint32_t parent = order->forest.parent[v];
    bool is_inside = parent != NORN_INDEX_NONE && !is_outside(order, parent);
    order->around[v] = is_inside ? order->around[parent] : parent;
    order->is_taken[v] = is_outside(order, v) && order->header[v] != v;
    if (is_outside(order, v) && order->forest.is_header[v])
      ordering->is_entry[node_of(sub, order->walk.node[v])] = true;
  }
  for (uint32_t i = 0; i < order->forest.entry_count; i++) {
    const NornLoopEntry *entry = &order->forest.entries[i];
    if (is_outside(order, entry->header))
      ordering->is_entry[node_of(sub, order->walk.node[entry->entry])] = true;
  }
}

/* Places the nodes in the sequence from position `first` on. */
static void
arrange_nodes(Ordering *ordering, const SubGraph *sub, const NodeOrder *order, uint32_t first) {
  const NornDepthFirst *walk = &order->walk;
  uint32_t *size = NORN_NEW(ordering->arena, uint32_t, walk->count);
  uint32_t *next =
      NORN_NEW(ordering->arena, uint32_t, walk->count); /* by header: the next position */
  for (uint32_t v = 0; v < walk->count; v++)
    size[v] = 1;
  for (uint32_t v = walk->count; v-- > 0;)
    if (order->around[v] != NORN_INDEX_NONE)
      size[order->around[v]] += size[v];
  for (uint32_t i = walk->count; i-- > 0;) {
    uint32_t v = walk->finished[i];
    uint32_t *position = order->around[v] == NORN_INDEX_NONE ? &first : &next[order->around[v]];
    uint32_t start = *position;
    *position += size[v];
    next[v] = start + 1;
    ordering->sequence[start] = node_of(sub, walk->node[v]);
    if (!order->forest.is_header[v] || !is_outside(order, v))
      continue;
    ordering->loop_end[start] = start + size[v];
    if (order->is_taken[v])
      ordering->work[ordering->work_count++] =
          (Region){start, size[v], node_of(sub, walk->node[order->header[v]])};
  }
}

/* Orders a graph; loops that must begin at another entry are left on the worklist. Returns the
 * number of nodes. */
static uint32_t
order_graph(Ordering *ordering, const SubGraph *sub, uint32_t first) {
  NornArena *arena = ordering->arena;
  NornArenaMark mark = norn_arena_mark(arena);
  NodeOrder order;
  norn_depth_first(arena, &sub->graph, &order.walk);
  norn_loop_forest(arena, &sub->graph, &order.walk, &order.forest);
  uint32_t count = order.walk.count;
  order.header = NORN_NEW(arena, uint32_t, count);
  order.around = NORN_NEW(arena, uint32_t, count);
  order.is_taken = NORN_NEW0(arena, bool, count);
  choose_headers(ordering, sub, &order);
  take_out(ordering, sub, &order);
  arrange_nodes(ordering, sub, &order, first);
  norn_arena_release(arena, mark);
  return count;
}

/* The edges between the nodes of a loop, as a graph entered at the root. */
static SubGraph
extract(Ordering *ordering, const Region *region, uint32_t *local) {
  const NornFlowGraph *whole = ordering->graph;
  uint32_t *nodes = NORN_NEW(ordering->arena, uint32_t, region->count);
  uint32_t *first_edge = NORN_NEW(ordering->arena, uint32_t, (size_t)region->count + 1);
  uint32_t edges = 0;
  for (uint32_t i = 0; i < region->count; i++) {
    nodes[i] = ordering->sequence[region->first + i];
    local[nodes[i]] = i;
    edges += whole->first_edge[nodes[i] + 1] - whole->first_edge[nodes[i]];
  }
  uint32_t *targets = NORN_NEW(ordering->arena, uint32_t, edges);
  edges = 0;
  for (uint32_t i = 0; i < region->count; i++) {
    first_edge[i] = edges;
    for (uint32_t e = whole->first_edge[nodes[i]]; e < whole->first_edge[nodes[i] + 1]; e++) {
      uint32_t to = local[whole->targets[e]];
      if (to < region->count && nodes[to] == whole->targets[e])
        targets[edges++] = to;
    }
  }
  first_edge[region->count] = edges;
  return (SubGraph){{region->count, local[region->root], first_edge, targets}, nodes};
}

/* Orders all nodes; *reached is the number of nodes reachable from the entry. */
static bool
order_nodes(Ordering *ordering, uint32_t *reached, uint32_t *node) {
  NornArena *arena = ordering->arena;
  *reached = order_graph(ordering, &(SubGraph){*ordering->graph, NULL}, 0);
  if (!ordering->work_count)
    return true;
  uint64_t visits = 0;
  uint32_t *local = NORN_NEW0(arena, uint32_t, ordering->graph->count);
  while (ordering->work_count) {
    Region region = ordering->work[--ordering->work_count];
    visits += region.count;
    if (visits > VISIT_LIMIT) {
      *node = region.root;
      return false;
    }
    NornArenaMark mark = norn_arena_mark(arena);
    SubGraph sub = extract(ordering, &region, local);
    uint32_t count = order_graph(ordering, &sub, region.first);
    NORN_ASSERT(count == region.count && ordering->sequence[region.first] == region.root);
    (void)count;
    norn_arena_release(arena, mark);
  }
  return true;
}

/* Assigns keys along the sequence: one for each node and, after the last node of each loop, one for
 * the loop's end, inner loops first. */
static void
number_keys(const Ordering *ordering, uint32_t count, NornConvergence *convergence) {
  uint32_t key = 0, depth = 0;
  uint32_t *open = NORN_NEW(ordering->arena, uint32_t, count); /* where the open loops begin */
  const uint32_t *loop_end = ordering->loop_end, *sequence = ordering->sequence;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t node = sequence[i];
    if (loop_end[i]) {
      convergence->parent_of_loop[node] = depth ? sequence[open[depth - 1]] : NORN_KEY_NONE;
      open[depth++] = i;
    }
    convergence->loop_of_node[node] = depth ? sequence[open[depth - 1]] : NORN_KEY_NONE;
    if (ordering->is_entry[node])
      convergence->rank_of_entry[node] = depth + !loop_end[i];
    convergence->key_of_node[node] = key;
    convergence->node_of_key[key++] = node;
    for (; depth && loop_end[open[depth - 1]] == i + 1; depth--) {
      uint32_t header = sequence[open[depth - 1]];
      convergence->end_of_node[header] = key;
      convergence->node_of_key[key++] = header;
    }
  }
  NORN_ASSERT(!depth);
  convergence->key_count = key;
}

bool
norn_convergence_init(NornArena *arena, NornConvergence *convergence, const NornFlowGraph *graph,
                      const uint64_t *preference, uint32_t *node) {
  uint32_t count = graph->count, reached;
  *convergence = (NornConvergence){
      .node_of_key = NORN_NEW(arena, uint32_t, 2 * (size_t)count),
      .key_of_node = norn_arena_indexes(arena, count),
      .end_of_node = norn_arena_indexes(arena, count),
      .loop_of_node = norn_arena_indexes(arena, count),
      .parent_of_loop = norn_arena_indexes(arena, count),
      .rank_of_entry = NORN_NEW0(arena, uint32_t, count),
  };
  NornArenaMark mark = norn_arena_mark(arena);
  Ordering ordering = {
      .arena = arena,
      .graph = graph,
      .preference = preference,
      .sequence = NORN_NEW(arena, uint32_t, count),
      .loop_end = NORN_NEW0(arena, uint32_t, count),
      .is_entry = NORN_NEW0(arena, bool, count),
      .work = NORN_NEW(arena, Region, count), /* regions on the worklist are disjoint */
  };
  bool done = order_nodes(&ordering, &reached, node);
  if (done)
    number_keys(&ordering, reached, convergence);
  norn_arena_release(arena, mark);
  return done;
}

/* --- Functions --- */

uint32_t
norn_loop_rank(const NornFunction *function, uint32_t block) {
  uint32_t first = norn_block(function, block)->first;
  if (first == NORN_INDEX_NONE || norn_inst(function, first)->op != NORN_OP_LOOP_ENTRY)
    return 0;
  return (uint32_t)norn_constant_bits(function->module, norn_operand(function, first, 0));
}

NornLoopHints
norn_loop_hints(const NornFunction *function, uint32_t block) {
  uint32_t first = norn_block(function, block)->first;
  if (first == NORN_INDEX_NONE || norn_inst(function, first)->op != NORN_OP_LOOP_ENTRY)
    return (NornLoopHints){.iterations = 0};
  uint64_t payload = norn_inst(function, first)->payload;
  return (NornLoopHints){
      .iterations = (unsigned)norn_immediate(payload, NORN_IMMEDIATE_ITERATIONS),
      .is_rest = norn_immediate(payload, NORN_IMMEDIATE_REST) != 0,
      .unroll = (NornUnroll)norn_immediate(payload, NORN_IMMEDIATE_UNROLL),
  };
}

uint64_t
norn_entry_preference(const NornFunction *function, uint32_t block, uint32_t position) {
  uint32_t rank = norn_loop_rank(function, block);
  return (uint64_t)(rank ? rank : UINT32_MAX) << 32 | position;
}

bool
norn_convergence_of_function(NornArena *arena, NornConvergence *convergence,
                             const NornFunction *function, GError **error) {
  uint32_t count = function->block_count, node = 0;
  uint32_t *first_edge = NORN_NEW(arena, uint32_t, (size_t)count + 1);
  uint64_t *preference = NORN_NEW0(arena, uint64_t, count);
  NornIndexList targets = {0};
  for (uint32_t i = 0; i < function->block_order_count; i++)
    preference[function->block_order[i]] =
        norn_entry_preference(function, function->block_order[i], i);
  for (uint32_t block = 0; block < count; block++) {
    uint32_t terminator = norn_block_terminator(function, block);
    first_edge[block] = targets.count;
    if (terminator != NORN_INDEX_NONE)
      norn_for_each_edge (function, terminator, edge)
        norn_list_push(arena, &targets, edge.block);
  }
  first_edge[count] = targets.count;
  NornFlowGraph graph = {count, function->block_order[0], first_edge, targets.items};
  bool done = norn_convergence_init(arena, convergence, &graph, preference, &node);
  if (!done)
    norn_inst_error(function, norn_inst(function, norn_block(function, node)->first),
                    NORN_ERROR_LIMIT, error, NORN_LOOPS_TOO_DEEP);
  return done;
}

uint32_t
norn_bypass_target(const NornFunction *function, uint32_t block) {
  uint32_t first = norn_block(function, block)->first;
  if (first == NORN_INDEX_NONE || norn_inst(function, first)->op != NORN_OP_JUMP ||
      norn_block(function, block)->parameter_count || block == function->block_order[0])
    return NORN_INDEX_NONE;
  uint32_t target = norn_ref_payload(norn_operand(function, first, 0));
  return target == block ? NORN_INDEX_NONE : target;
}

bool *
norn_divergent_loops(NornArena *arena, const NornConvergence *convergence,
                     const NornFunction *function) {
  bool *is_divergent = NORN_NEW0(arena, bool, function->block_count);
  norn_for_each_block (function, from) {
    uint32_t terminator = norn_block_terminator(function, from), header;
    if (terminator == NORN_INDEX_NONE || convergence->key_of_node[from] == NORN_KEY_NONE ||
        !(norn_inst(function, terminator)->flags & NORN_INST_DIVERGENT))
      continue;
    /* If a loop is marked, so are all those around it. */
    for (header = convergence->loop_of_node[from]; header != NORN_KEY_NONE && !is_divergent[header];
         header = convergence->parent_of_loop[header])
      is_divergent[header] = true;
  }
  norn_for_each_block (function, from) {
    uint32_t terminator = norn_block_terminator(function, from), header;
    if (terminator == NORN_INDEX_NONE || convergence->key_of_node[from] == NORN_KEY_NONE)
      continue;
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
    const NornInst *inst = norn_inst(function, index);
    if (!norn_is_machine(inst) && inst->op != NORN_OP_LOOP_ENTRY &&
        norn_ops[inst->op].flags & NORN_OP_CONVERGENT)
      return true;
  }
  return false;
}

/* --- Two graphs --- */

typedef struct ConvergenceComparison {
  const NornConvergence *before, *after;
  bool *is_dissolved; /* by header in `before`: it no longer heads a loop */
} ConvergenceComparison;

/* Whether the loop `old` and those around it, apart from the dissolved ones, are `new` and those
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

/* Visits outer loops first. A loop is dissolved if its header remains but heads no loop, in the
 * same loops as before. */
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

/* Whether each remaining edge is a back edge or a forward edge as before, and no block has become
 * an entry of a loop. */
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
norn_reconverges_alike(NornArena *arena, const NornFunction *function,
                       const NornConvergence *before, const NornConvergence *after) {
  NornArenaMark mark = norn_arena_mark(arena);
  ConvergenceComparison comparison = {before, after, NORN_NEW0(arena, bool, function->block_count)};
  bool same = same_edges(function, &comparison);
  find_dissolved(&comparison);
  norn_for_each_block (function, block)
    if (same && after->key_of_node[block] != NORN_KEY_NONE &&
        norn_block_is_convergent(function, block))
      same = same_loops(&comparison, before->loop_of_node[block], after->loop_of_node[block]);
  norn_arena_release(arena, mark);
  return same;
}
