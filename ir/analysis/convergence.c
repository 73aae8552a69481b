/* Ordering the blocks of a program for converging execution.
 *
 * Strongly connected components, found by Tarjan's algorithm, come out in reverse topological
 * order. Each component of more than one node, or with an edge to itself, is a loop: its first node
 * in the walk becomes its start, the edges back to the start are left out, and the component is
 * ordered by itself in the same way, in place. Every level is linear; the levels are limited.
 * Nothing is recursive. */
#include "ir/analysis/convergence.h"
#include <glib.h>

#define DEPTH_LIMIT 1000

/* Nodes sequence[first] up to sequence[end - 1], the start of the loop first. */
typedef struct Region {
  uint32_t first, end, depth;
} Region;

typedef struct Frame {
  uint32_t node, edge;
} Frame;

typedef struct Order {
  const uint32_t *first_edge, *targets;
  uint32_t *sequence;  /* the nodes in order, once all regions are done */
  uint32_t *region_of; /* number of the region that a node is in while that is walked */
  uint32_t *visit;     /* Tarjan's number of a node, 0 if not visited; all ones once done */
  uint32_t *low;
  uint32_t *pending; /* Tarjan's stack */
  Frame *frames;     /* the walk's stack */
  uint32_t current;  /* number of the region being walked */
  uint32_t start;    /* its start; edges to it do not count */
  uint32_t visits, pending_count;
  uint32_t reached; /* where the nodes that the entry reaches begin in the sequence */
  uint32_t place;   /* components are stored downwards from here */
  GArray *work;     /* Region, to be ordered */
  GArray *loops;    /* Region, outer ones before inner ones */
} Order;

#define DONE UINT32_MAX

static bool
has_edge_to_itself(const Order *order, uint32_t node) {
  for (uint32_t e = order->first_edge[node]; e < order->first_edge[node + 1]; e++)
    if (order->targets[e] == node)
      return true;
  return false;
}

/* Takes the component whose first node is `root` off the stack and stores it, the root first. */
static void
finish_component(Order *order, uint32_t root, uint32_t depth) {
  uint32_t end = order->place, node;
  do {
    node = order->pending[--order->pending_count];
    order->visit[node] = DONE;
    order->sequence[--order->place] = node;
  } while (node != root);
  Region region = {order->place, end, depth + 1};
  bool loop = region.end - region.first > 1;
  if (loop || (root != order->start && has_edge_to_itself(order, root)))
    g_array_append_val(order->loops, region);
  if (loop)
    g_array_append_val(order->work, region);
}

static void
enter_node(Order *order, uint32_t node, uint32_t *depth) {
  order->visit[node] = order->low[node] = ++order->visits;
  order->pending[order->pending_count++] = node;
  order->frames[(*depth)++] = (Frame){node, order->first_edge[node]};
}

/* Walks the current region from `root`. */
static void
walk(Order *order, uint32_t root, uint32_t level) {
  uint32_t depth = 0;
  enter_node(order, root, &depth);
  while (depth) {
    Frame *frame = &order->frames[depth - 1];
    uint32_t node = frame->node;
    if (frame->edge == order->first_edge[node + 1]) {
      if (order->low[node] == order->visit[node])
        finish_component(order, node, level);
      if (--depth) {
        uint32_t parent = order->frames[depth - 1].node;
        order->low[parent] = MIN(order->low[parent], order->low[node]);
      }
      continue;
    }
    uint32_t target = order->targets[frame->edge++];
    if (order->region_of[target] != order->current || target == order->start)
      continue;
    if (!order->visit[target])
      enter_node(order, target, &depth);
    else if (order->visit[target] != DONE)
      order->low[node] = MIN(order->low[node], order->visit[target]);
  }
}

/* Orders the inside of a loop: the walk from its start meets every node. */
static void
order_region(Order *order, Region region) {
  order->current++;
  order->visits = 0;
  for (uint32_t i = region.first; i < region.end; i++) {
    order->region_of[order->sequence[i]] = order->current;
    order->visit[order->sequence[i]] = 0;
  }
  order->start = order->sequence[region.first];
  order->place = region.end;
  walk(order, order->start, region.depth);
}

static bool
order_nodes(Order *order, uint32_t count, GError **error) {
  /* The whole graph has no start to which edges do not count. */
  order->start = NORN_KEY_NONE;
  order->place = count;
  walk(order, 0, 0);
  order->reached = order->place;
  while (order->work->len) {
    Region region = g_array_index(order->work, Region, order->work->len - 1);
    g_array_set_size(order->work, order->work->len - 1);
    if (region.depth > DEPTH_LIMIT) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT, "loops are nested deeper than %d levels",
                  DEPTH_LIMIT);
      return false;
    }
    order_region(order, region);
  }
  return true;
}

/* Hands out keys along the sequence: one for each node and, after the last node of each loop, one
 * for the loop's end, inner loops first. */
static void
number_keys(const Order *order, uint32_t count, NornConvergence *convergence) {
  const Region *loops = (const Region *)(const void *)order->loops->data;
  uint32_t loop_count = order->loops->len;
  uint32_t *last_loop = g_new0(uint32_t, (size_t)count + 1); /* by end: loop + 1 */
  uint32_t *next_loop = g_new0(uint32_t, MAX(loop_count, 1));
  for (uint32_t loop = 0; loop < loop_count; loop++) {
    next_loop[loop] = last_loop[loops[loop].end];
    last_loop[loops[loop].end] = loop + 1;
  }
  uint32_t key = 0;
  for (uint32_t i = order->reached; i < count; i++) {
    convergence->key_of_node[order->sequence[i]] = key;
    convergence->node_of_key[key++] = order->sequence[i];
    for (uint32_t loop = last_loop[i + 1]; loop; loop = next_loop[loop - 1]) {
      uint32_t start = order->sequence[loops[loop - 1].first];
      convergence->end_of_node[start] = key;
      convergence->node_of_key[key++] = start;
    }
  }
  convergence->key_count = key;
  g_free(last_loop);
  g_free(next_loop);
}

bool
norn_convergence_init(NornConvergence *convergence, uint32_t count, const uint32_t *first_edge,
                      const uint32_t *targets, GError **error) {
  Order order = {.first_edge = first_edge, .targets = targets};
  order.sequence = g_new0(uint32_t, count);
  order.region_of = g_new0(uint32_t, count);
  order.visit = g_new0(uint32_t, count);
  order.low = g_new0(uint32_t, count);
  order.pending = g_new0(uint32_t, count);
  order.frames = g_new0(Frame, count);
  order.work = g_array_new(FALSE, FALSE, sizeof(Region));
  order.loops = g_array_new(FALSE, FALSE, sizeof(Region));
  convergence->node_of_key = g_new(uint32_t, 2 * (size_t)count);
  convergence->key_of_node = g_new(uint32_t, count);
  convergence->end_of_node = g_new(uint32_t, count);
  for (uint32_t node = 0; node < count; node++)
    convergence->key_of_node[node] = convergence->end_of_node[node] = NORN_KEY_NONE;
  bool done = order_nodes(&order, count, error);
  if (done)
    number_keys(&order, count, convergence);
  else
    norn_convergence_clear(convergence);
  g_free(order.sequence);
  g_free(order.region_of);
  g_free(order.visit);
  g_free(order.low);
  g_free(order.pending);
  g_free(order.frames);
  g_array_free(order.work, TRUE);
  g_array_free(order.loops, TRUE);
  return done;
}

void
norn_convergence_clear(NornConvergence *convergence) {
  g_free(convergence->node_of_key);
  g_free(convergence->key_of_node);
  g_free(convergence->end_of_node);
  *convergence = (NornConvergence){0};
}
