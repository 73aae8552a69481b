/* The order in which diverged lanes run: small graphs with known keys, and random graphs by the
 * rules that the order promises. Also, which edges may be removed without lanes reconverging
 * elsewhere. */
#include "ir/analysis/convergence.h"
#include "ir_text.h"
#include "unit.h"
#include <glib.h>
#include <norn/module.h>
#include <stdlib.h>
#include <string.h>

#define NONE NORN_KEY_NONE

typedef struct Graph {
  uint32_t count;
  uint32_t first[64 + 1], targets[256];
  uint64_t preference[64];
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
    graph.preference[node] = node;
    for (uint32_t i = 0; i < edge_count; i++)
      if (edges[i].from == node)
        graph.targets[used++] = edges[i].to;
  }
  graph.first[count] = used;
  return graph;
}

/* Freed after each test. */
static NornArena arena;

static void
free_arena(void) {
  norn_arena_free(&arena);
}

static NornConvergence
order(const Graph *graph) {
  NornConvergence convergence;
  NornFlowGraph flow = {graph->count, 0, graph->first, graph->targets};
  uint32_t node;
  ck_assert(norn_convergence_init(&arena, &convergence, &flow, graph->preference, &node));
  return convergence;
}

/* The rules of the order, for every edge and key. */
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
      /* Lanes only wait at greater keys. */
      ck_assert_uint_gt(edge_key, key);
    }
  }
  /* A node is in its loop, but not in a smaller one. */
  for (uint32_t node = 0; node < graph->count; node++) {
    uint32_t key = c->key_of_node[node], header = c->loop_of_node[node];
    for (uint32_t other = 0; other < graph->count && key != NONE; other++) {
      bool is_in_other = c->end_of_node[other] != NONE && key >= c->key_of_node[other] &&
                         key < c->end_of_node[other];
      if (header == NONE)
        ck_assert(!is_in_other);
      else if (is_in_other)
        ck_assert(c->key_of_node[other] <= c->key_of_node[header] &&
                  c->end_of_node[other] >= c->end_of_node[header]);
    }
  }
  /* Loops are either nested or disjoint. */
  for (uint32_t a = 0; a < graph->count; a++)
    for (uint32_t b = 0; b < graph->count; b++) {
      uint32_t a_end = c->end_of_node[a], b_end = c->end_of_node[b];
      if (a == b || a_end == NONE || b_end == NONE)
        continue;
      bool inside = c->key_of_node[b] > c->key_of_node[a] && c->key_of_node[b] < a_end;
      if (inside)
        ck_assert(b_end < a_end);
    }
}

#define ORDER(count, ...)                                                                          \
  static const Edge edges[] = {__VA_ARGS__};                                                       \
  Graph graph = graph_of(count, edges, G_N_ELEMENTS(edges));                                       \
  NornConvergence c = order(&graph);                                                               \
  check_rules(&graph, &c)

START_TEST(a_diamond_joins_at_its_end) {
  ORDER(4, {0, 1}, {0, 2}, {1, 3}, {2, 3});
  ck_assert_uint_eq(c.key_count, 4);
  ck_assert_uint_eq(c.key_of_node[0], 0);
  ck_assert_uint_eq(c.key_of_node[3], 3);
}
END_TEST

START_TEST(the_exit_waits_for_the_loop) {
  /* The exit is the first successor, but it still comes after the loop's blocks. */
  ORDER(4, {0, 1}, {1, 3}, {1, 2}, {2, 1});
  ck_assert_uint_eq(c.key_of_node[1], 1);
  ck_assert_uint_eq(c.key_of_node[2], 2);
  ck_assert_uint_eq(c.end_of_node[1], 3);
  ck_assert_uint_eq(c.key_of_node[3], 4);
  ck_assert_uint_eq(norn_convergence_edge_key(&c, 2, 1), 3);
  ck_assert_uint_eq(norn_convergence_edge_key(&c, 0, 1), 1);
}
END_TEST

START_TEST(a_block_that_branches_to_itself_is_a_loop) {
  ORDER(3, {0, 1}, {1, 1}, {1, 2});
  ck_assert_uint_eq(c.end_of_node[1], 2);
  ck_assert_uint_eq(c.key_of_node[2], 3);
}
END_TEST

START_TEST(loops_nest) {
  /* 1 { 2 { 3 } 4 } 5, and an edge from 3 straight to the next iteration of 1. */
  ORDER(6, {0, 1}, {1, 2}, {1, 5}, {2, 3}, {2, 4}, {3, 2}, {3, 1}, {4, 1});
  ck_assert_uint_eq(c.key_of_node[1], 1);
  ck_assert_uint_eq(c.key_of_node[2], 2);
  ck_assert_uint_eq(c.key_of_node[3], 3);
  ck_assert_uint_eq(c.end_of_node[2], 4);
  ck_assert_uint_eq(c.key_of_node[4], 5);
  ck_assert_uint_eq(c.end_of_node[1], 6);
  ck_assert_uint_eq(c.key_of_node[5], 7);
  ck_assert_uint_eq(norn_convergence_edge_key(&c, 3, 1), 6);
}
END_TEST

START_TEST(unreachable_blocks_have_no_key) {
  ORDER(4, {0, 1}, {2, 1}, {2, 3}, {3, 2});
  ck_assert_uint_eq(c.key_count, 2);
  ck_assert_uint_eq(c.key_of_node[2], NONE);
  ck_assert_uint_eq(c.key_of_node[3], NONE);
}
END_TEST

START_TEST(an_irreducible_loop_has_one_header) {
  /* The first of its entries, whatever the order of the edges. */
  ORDER(4, {0, 2}, {0, 1}, {1, 2}, {2, 1}, {2, 3});
  ck_assert_uint_eq(c.end_of_node[1], 3);
  ck_assert_uint_eq(c.end_of_node[2], NONE);
  ck_assert_uint_eq(c.key_of_node[3], 4);
  ck_assert_uint_eq(c.rank_of_entry[1], 1);
  ck_assert_uint_eq(c.rank_of_entry[2], 2);
  graph.preference[2] = 0;
  c = order(&graph);
  check_rules(&graph, &c);
  ck_assert_uint_eq(c.end_of_node[1], NONE);
  ck_assert_uint_eq(c.end_of_node[2], 3);
}
END_TEST

START_TEST(ranks_choose_the_same_headers_again) {
  /* 1 { 2 { 3 } } with an edge from outside to each: 2 and 3 are entries of the outer loop, too. */
  ORDER(5, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}, {3, 2}, {3, 1}, {3, 4});
  ck_assert_uint_eq(c.rank_of_entry[1], 1);
  ck_assert_uint_eq(c.rank_of_entry[2], 2);
  ck_assert_uint_eq(c.rank_of_entry[3], 3);
  ck_assert_uint_eq(c.parent_of_loop[2], 1);
  ck_assert_uint_eq(c.parent_of_loop[1], NONE);
  ck_assert_uint_eq(c.loop_of_node[3], 2);
  ck_assert_uint_eq(c.rank_of_entry[4], 0);
}
END_TEST

START_TEST(random_graphs_keep_the_rules) {
  GRand *random = g_rand_new_with_seed(1);
  for (unsigned n = 0; n < unit_effort(3000); n++) {
    Graph graph = {.count = (uint32_t)g_rand_int_range(random, 1, 30)};
    uint32_t used = 0;
    for (uint32_t node = 0; node < graph.count; node++) {
      graph.first[node] = used;
      for (int k = g_rand_int_range(random, 0, 4); k > 0; k--)
        graph.targets[used++] = (uint32_t)g_rand_int_range(random, 0, (gint32)graph.count);
    }
    graph.first[graph.count] = used;
    for (uint32_t node = 0; node < graph.count; node++)
      graph.preference[node] = g_rand_int(random);
    NornConvergence c = order(&graph);
    check_rules(&graph, &c);
    /* The order of edges and other preferences do not matter if ranks are given. */
    Graph again = {.count = graph.count};
    memcpy(again.first, graph.first, sizeof again.first);
    for (uint32_t node = 0; node < graph.count; node++) {
      again.preference[node] =
          (uint64_t)(c.rank_of_entry[node] ? c.rank_of_entry[node] : UINT32_MAX) << 32 |
          g_rand_int(random);
      for (uint32_t e = graph.first[node]; e < graph.first[node + 1]; e++)
        again.targets[e] = graph.targets[graph.first[node] + graph.first[node + 1] - 1 - e];
    }
    NornConvergence d = order(&again);
    ck_assert_mem_eq(c.loop_of_node, d.loop_of_node, graph.count * sizeof *c.loop_of_node);
    ck_assert_mem_eq(c.parent_of_loop, d.parent_of_loop, graph.count * sizeof *c.loop_of_node);
    ck_assert_mem_eq(c.rank_of_entry, d.rank_of_entry, graph.count * sizeof *c.loop_of_node);
  }
  g_rand_free(random);
}
END_TEST

static bool
order_large(uint32_t count, const uint32_t *first, const uint32_t *targets,
            const uint64_t *preferred) {
  uint64_t *preference = g_new0(uint64_t, count);
  if (preferred)
    memcpy(preference, preferred, count * sizeof *preference);
  NornFlowGraph graph = {count, 0, first, targets};
  NornConvergence c;
  uint32_t node = UINT32_MAX;
  bool done = norn_convergence_init(&arena, &c, &graph, preference, &node);
  if (done)
    ck_assert_uint_ge(c.key_count, count);
  else
    ck_assert_uint_lt(node, count);
  g_free(preference);
  return done;
}

/* DEPTH nested loops: block i leads to i + 1 and, through a back edge, to itself. */
static bool
order_nest(uint32_t depth) {
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
  bool done = order_large(count, first, targets, NULL);
  g_free(first);
  g_free(targets);
  return done;
}

/* DEPTH nested loops, each with the entries 3 * k + 1 and 3 * k + 2, of which the second one is
 * preferred. */
static bool
order_irreducible_nest(uint32_t depth) {
  uint32_t count = 3 * depth + 1, used = 0;
  uint32_t *first = g_new(uint32_t, count + 1), *targets = g_new(uint32_t, 3 * count);
  uint64_t *preference = g_new(uint64_t, count);
  for (uint32_t node = 0; node < count; node++) {
    preference[node] = 3 - node % 3;
    first[node] = used;
    if (node % 3 == 1) {
      targets[used++] = node + 1;
    } else if (node % 3 == 2 || !node) { /* to both entries of the next loop, or back */
      bool is_last = node + 3 > count;
      uint32_t next = node ? node + 2 : 1;
      targets[used++] = is_last ? node + 1 : next;
      if (!is_last)
        targets[used++] = next + 1;
    } else {
      targets[used++] = node - 2;
      targets[used++] = node - 1;
      if (node > 3)
        targets[used++] = node - 3;
    }
  }
  first[count] = used;
  bool done = order_large(count, first, targets, preference);
  g_free(first);
  g_free(targets);
  g_free(preference);
  return done;
}

/* The result only differs if thousands of loops with several entries are nested. */
START_TEST(deep_nests_and_long_chains) {
  ck_assert(order_nest(200000));
  ck_assert(order_irreducible_nest(100));
  if (!getenv("NORN_TEST_QUICK")) { /* millions of steps */
    ck_assert(order_irreducible_nest(1000));
    ck_assert(!order_irreducible_nest(3000));
  }
  uint32_t count = 1000000;
  uint32_t *first = g_new(uint32_t, count + 1), *targets = g_new(uint32_t, count);
  for (uint32_t node = 0; node <= count; node++)
    first[node] = MIN(node, count - 1);
  for (uint32_t node = 0; node + 1 < count; node++)
    targets[node] = node + 1;
  ck_assert(order_large(count, first, targets, NULL));
  g_free(first);
  g_free(targets);
}
END_TEST

/* Two graphs of a function in which b1 is the only convergent block: without the edges of the
 * second list, lanes must (not) reconverge elsewhere. */
static bool
alike(const char *before, const char *after) {
  NornModule *modules[2];
  NornConvergence c[2];
  const char *bodies[2] = {before, after};
  for (unsigned k = 0; k < 2; k++) {
    char *text = g_strconcat("shader compute @t workgroup(16, 1, 1) {\n", bodies[k], "}\n", NULL);
    modules[k] = parse_text(text);
    ck_assert(norn_convergence_of_function(&arena, &c[k], modules[k]->functions[0], NULL));
    g_free(text);
  }
  bool same = norn_reconverges_alike(&arena, modules[1]->functions[0], &c[0], &c[1]);
  for (unsigned k = 0; k < 2; k++)
    norn_module_free(modules[k]);
  return same;
}

#define ENTRY "entry:\n  jump h\n"
#define CONVERGENT "  %b = ballot true\n"

START_TEST(blocks_drop_out_of_loops) {
  /* The convergent block a runs in each iteration; without its back edge it runs once, after
   * all. */
  ck_assert(!alike(ENTRY "h:\n  br true, h, a\na:\n" CONVERGENT "  br true, x, h\nx:\n  end\n",
                   ENTRY "h:\n  br true, h, a\na:\n" CONVERGENT "  jump x\nx:\n  end\n"));
  /* As long as it reaches the header, there is no difference. */
  ck_assert(alike(ENTRY "h:\n" CONVERGENT "  br true, h, a\na:\n  br true, x, h\nx:\n  end\n",
                  ENTRY "h:\n" CONVERGENT "  br true, h, a\na:\n  jump x\nx:\n  end\n"));
  /* A loop that is no longer one had a single iteration. */
  ck_assert(alike(ENTRY "h:\n  jump a\na:\n" CONVERGENT "  br true, x, h\nx:\n  end\n",
                  ENTRY "h:\n  jump a\na:\n" CONVERGENT "  jump x\nx:\n  end\n"));
  /* The outer one of two loops is removed, not the inner one. */
  ck_assert(alike(ENTRY "h:\n  jump i\ni:\n" CONVERGENT "  br true, i, j\nj:\n  br true, x, h\n"
                        "x:\n  end\n",
                  ENTRY "h:\n  jump i\ni:\n" CONVERGENT "  br true, i, j\nj:\n  jump x\n"
                        "x:\n  end\n"));
  /* A header that is no longer entered leaves the loop to another one. */
  ck_assert(!alike(
      "entry:\n  br true, i, h\nh:\n  jump i\ni:\n" CONVERGENT "  br true, h, x\nx:\n  end\n",
      "entry:\n  br true, i, i\nh:\n  jump i\ni:\n" CONVERGENT "  br true, h, x\nx:\n  end\n"));
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("convergence");
  TCase *tests = tcase_create("convergence");
  tcase_add_test(tests, a_diamond_joins_at_its_end);
  tcase_add_test(tests, the_exit_waits_for_the_loop);
  tcase_add_test(tests, a_block_that_branches_to_itself_is_a_loop);
  tcase_add_test(tests, loops_nest);
  tcase_add_test(tests, unreachable_blocks_have_no_key);
  tcase_add_test(tests, an_irreducible_loop_has_one_header);
  tcase_add_test(tests, ranks_choose_the_same_headers_again);
  tcase_add_test(tests, random_graphs_keep_the_rules);
  tcase_add_test(tests, deep_nests_and_long_chains);
  tcase_add_test(tests, blocks_drop_out_of_loops);
  tcase_set_timeout(tests, 60);
  tcase_add_checked_fixture(tests, NULL, free_arena);
  suite_add_tcase(suite, tests);
  return suite;
}
