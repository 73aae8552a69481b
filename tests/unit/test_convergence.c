/* The order in which parted lanes run: known graphs key by key, random graphs by the rules that the
 * order promises. */
#include "ir/analysis/convergence.h"
#include "unit.h"
#include <glib.h>

#define NONE NORN_KEY_NONE

typedef struct Graph {
  uint32_t count;
  uint32_t first[64 + 1], targets[256];
} Graph;

typedef struct Edge {
  uint32_t from, to;
} Edge;

/* Edges must be in the order of their first nodes. */
static Graph
graph_of(uint32_t count, const Edge *edges, uint32_t edge_count) {
  Graph graph = {.count = count};
  uint32_t used = 0;
  for (uint32_t node = 0; node < count; node++) {
    graph.first[node] = used;
    for (uint32_t i = 0; i < edge_count; i++)
      if (edges[i].from == node)
        graph.targets[used++] = edges[i].to;
  }
  graph.first[count] = used;
  return graph;
}

static NornConvergence
order(const Graph *graph) {
  NornConvergence convergence;
  GError *error = NULL;
  bool done =
      norn_convergence_init(&convergence, graph->count, graph->first, graph->targets, &error);
  ck_assert_msg(done, "%s", error ? error->message : "");
  return convergence;
}

/* What the order promises, for every edge and key. */
static void
check_rules(const Graph *graph, const NornConvergence *c) {
  for (uint32_t from = 0; from < graph->count; from++) {
    uint32_t key = c->key_of_node[from];
    if (key == NONE)
      continue;
    ck_assert_uint_eq(c->node_of_key[key], from);
    uint32_t end = c->end_of_node[from];
    if (end != NONE) {
      ck_assert_uint_gt(end, key);
      ck_assert_uint_eq(c->node_of_key[end], from);
    }
    for (uint32_t e = graph->first[from]; e < graph->first[from + 1]; e++) {
      uint32_t to = graph->targets[e];
      uint32_t edge_key = norn_convergence_edge_key(c, from, to);
      ck_assert_uint_ne(edge_key, NONE);
      ck_assert_uint_eq(c->node_of_key[edge_key], to);
      /* Lanes only ever wait at greater keys. */
      ck_assert_uint_gt(edge_key, key);
    }
  }
  /* Loops are nested or apart. */
  for (uint32_t a = 0; a < graph->count; a++)
    for (uint32_t b = 0; b < graph->count; b++) {
      uint32_t a_end = c->end_of_node[a], b_end = c->end_of_node[b];
      if (a == b || a_end == NONE || b_end == NONE)
        continue;
      bool inside = c->key_of_node[b] > c->key_of_node[a] && c->key_of_node[b] < a_end;
      ck_assert(!inside || b_end < a_end);
    }
}

#define ORDER(count, ...)                                                                          \
  static const Edge edges[] = {__VA_ARGS__};                                                       \
  Graph graph = graph_of(count, edges, G_N_ELEMENTS(edges));                                       \
  NornConvergence c = order(&graph);                                                               \
  check_rules(&graph, &c)

START_TEST(a_diamond_meets_at_its_end) {
  ORDER(4, {0, 1}, {0, 2}, {1, 3}, {2, 3});
  ck_assert_uint_eq(c.key_count, 4);
  ck_assert_uint_eq(c.key_of_node[0], 0);
  ck_assert_uint_eq(c.key_of_node[3], 3);
  norn_convergence_clear(&c);
}
END_TEST

START_TEST(the_exit_waits_for_the_loop) {
  /* The exit is the first successor; still it comes after the loop's blocks. */
  ORDER(4, {0, 1}, {1, 3}, {1, 2}, {2, 1});
  ck_assert_uint_eq(c.key_of_node[1], 1);
  ck_assert_uint_eq(c.key_of_node[2], 2);
  ck_assert_uint_eq(c.end_of_node[1], 3);
  ck_assert_uint_eq(c.key_of_node[3], 4);
  ck_assert_uint_eq(norn_convergence_edge_key(&c, 2, 1), 3);
  ck_assert_uint_eq(norn_convergence_edge_key(&c, 0, 1), 1);
  norn_convergence_clear(&c);
}
END_TEST

START_TEST(a_block_that_goes_to_itself_is_a_loop) {
  ORDER(3, {0, 1}, {1, 1}, {1, 2});
  ck_assert_uint_eq(c.end_of_node[1], 2);
  ck_assert_uint_eq(c.key_of_node[2], 3);
  norn_convergence_clear(&c);
}
END_TEST

START_TEST(loops_nest) {
  /* 1 { 2 { 3 } 4 } 5, and a way from 3 straight to the next round of 1. */
  ORDER(6, {0, 1}, {1, 2}, {1, 5}, {2, 3}, {2, 4}, {3, 2}, {3, 1}, {4, 1});
  ck_assert_uint_eq(c.key_of_node[1], 1);
  ck_assert_uint_eq(c.key_of_node[2], 2);
  ck_assert_uint_eq(c.key_of_node[3], 3);
  ck_assert_uint_eq(c.end_of_node[2], 4);
  ck_assert_uint_eq(c.key_of_node[4], 5);
  ck_assert_uint_eq(c.end_of_node[1], 6);
  ck_assert_uint_eq(c.key_of_node[5], 7);
  ck_assert_uint_eq(norn_convergence_edge_key(&c, 3, 1), 6);
  norn_convergence_clear(&c);
}
END_TEST

START_TEST(what_is_never_reached_has_no_key) {
  ORDER(4, {0, 1}, {2, 1}, {2, 3}, {3, 2});
  ck_assert_uint_eq(c.key_count, 2);
  ck_assert_uint_eq(c.key_of_node[2], NONE);
  ck_assert_uint_eq(c.key_of_node[3], NONE);
  norn_convergence_clear(&c);
}
END_TEST

START_TEST(an_irreducible_loop_has_one_start) {
  ORDER(4, {0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3});
  ck_assert_uint_eq(c.end_of_node[1], 3);
  ck_assert_uint_eq(c.end_of_node[2], NONE);
  ck_assert_uint_eq(c.key_of_node[3], 4);
  norn_convergence_clear(&c);
}
END_TEST

START_TEST(random_graphs_keep_the_rules) {
  GRand *random = g_rand_new_with_seed(1);
  for (unsigned n = 0; n < 3000; n++) {
    Graph graph = {.count = (uint32_t)g_rand_int_range(random, 1, 30)};
    uint32_t used = 0;
    for (uint32_t node = 0; node < graph.count; node++) {
      graph.first[node] = used;
      for (int k = g_rand_int_range(random, 0, 4); k > 0; k--)
        graph.targets[used++] = (uint32_t)g_rand_int_range(random, 0, (gint32)graph.count);
    }
    graph.first[graph.count] = used;
    NornConvergence c = order(&graph);
    check_rules(&graph, &c);
    norn_convergence_clear(&c);
  }
  g_rand_free(random);
}
END_TEST

/* DEPTH loops around one another: block i leads to i + 1 and, on the way back, to itself. */
static bool
order_nest(uint32_t depth, GError **error) {
  uint32_t count = 2 * depth + 1, used = 0;
  uint32_t *first = g_new(uint32_t, count + 1), *targets = g_new(uint32_t, 3 * count);
  for (uint32_t node = 0; node < count; node++) {
    first[node] = used;
    if (node + 1 < count)
      targets[used++] = node + 1;
    if (node >= depth && node + 1 < count)
      targets[used++] = 2 * depth - node;
  }
  first[count] = used;
  NornConvergence c = {0};
  bool done = norn_convergence_init(&c, count, first, targets, error);
  norn_convergence_clear(&c);
  g_free(first);
  g_free(targets);
  return done;
}

START_TEST(deep_nests_are_refused_and_long_chains_are_not) {
  GError *error = NULL;
  ck_assert(order_nest(900, NULL));
  ck_assert(!order_nest(20000, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_LIMIT));
  g_clear_error(&error);
  uint32_t count = 1000000;
  uint32_t *first = g_new(uint32_t, count + 1), *targets = g_new(uint32_t, count);
  for (uint32_t node = 0; node <= count; node++)
    first[node] = MIN(node, count - 1);
  for (uint32_t node = 0; node + 1 < count; node++)
    targets[node] = node + 1;
  NornConvergence c;
  ck_assert(norn_convergence_init(&c, count, first, targets, NULL));
  ck_assert_uint_eq(c.key_of_node[count - 1], count - 1);
  norn_convergence_clear(&c);
  g_free(first);
  g_free(targets);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("convergence");
  TCase *tests = tcase_create("convergence");
  tcase_add_test(tests, a_diamond_meets_at_its_end);
  tcase_add_test(tests, the_exit_waits_for_the_loop);
  tcase_add_test(tests, a_block_that_goes_to_itself_is_a_loop);
  tcase_add_test(tests, loops_nest);
  tcase_add_test(tests, what_is_never_reached_has_no_key);
  tcase_add_test(tests, an_irreducible_loop_has_one_start);
  tcase_add_test(tests, random_graphs_keep_the_rules);
  tcase_add_test(tests, deep_nests_are_refused_and_long_chains_are_not);
  suite_add_tcase(suite, tests);
  return suite;
}
