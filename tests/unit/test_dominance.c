/* Dominance and loops against their definitions, on random graphs of blocks. */
#include "ir/dominance.h"
#include "unit.h"
#include <norn/module.h>

#define MOST_BLOCKS 14

typedef struct Graph {
  NornModule *module;
  NornFunction *function;
} Graph;

static Graph
make_graph(GRand *random, unsigned blocks) {
  Graph graph = {.module = norn_module_new(NORN_STAGE_COMPUTE, "test")};
  graph.function = graph.module->functions[0];
  NornFunction *function = graph.function;
  for (unsigned k = 0; k < blocks; k++)
    norn_block_create(function, 0);
  for (unsigned k = 0; k < blocks; k++) {
    int kind = g_rand_int_range(random, 0, 5);
    uint32_t first = (uint32_t)g_rand_int_range(random, 1, (int)blocks);
    uint32_t second = (uint32_t)g_rand_int_range(random, 1, (int)blocks);
    uint32_t inst;
    if (kind == 0) {
      inst = norn_inst_create(function, NORN_OP_END, 0, 0);
    } else if (kind < 3) {
      inst = norn_inst_create(function, NORN_OP_JUMP, 1, 0);
      norn_inst_set_operands(function, inst, (NornRef[]){norn_ref(NORN_REF_BLOCK, first)}, 1);
    } else {
      inst = norn_inst_create(function, NORN_OP_BR, 3, 0);
      norn_inst_set_operands(function, inst,
                             (NornRef[]){norn_constant(graph.module, 1),
                                         norn_ref(NORN_REF_BLOCK, first),
                                         norn_ref(NORN_REF_BLOCK, second)},
                             3);
    }
    norn_inst_append(function, function->block_order[k], inst);
  }
  return graph;
}

/* What the entry reaches if paths may not go through block `without`. */
static void
reach(const NornFunction *function, uint32_t from, uint32_t without, bool *reached) {
  if (from == without || reached[from])
    return;
  reached[from] = true;
  norn_for_each_edge(function, norn_block_terminator(function, from), edge)
      reach(function, edge.block, without, reached);
}

static void
check_dominance(const NornFunction *function, const NornDominance *dominance) {
  bool all[MOST_BLOCKS] = {false};
  reach(function, 0, NORN_INDEX_NONE, all);
  for (uint32_t a = 0; a < function->block_count; a++) {
    bool without[MOST_BLOCKS] = {false};
    reach(function, 0, a, without);
    ck_assert_int_eq(dominance->position[a] != NORN_INDEX_NONE, all[a]);
    for (uint32_t b = 0; b < function->block_count; b++)
      if (all[a] && all[b])
        ck_assert_int_eq(norn_dominates(dominance, a, b), !without[b]);
  }
}

/* Block `b` is in the loop of header `h` if `h` dominates it and it reaches, without passing `h`,
 * the source of an edge to `h` that `h` dominates. */
static bool
is_in_loop(const NornFunction *function, const NornDominance *dominance, uint32_t h, uint32_t b) {
  if (!norn_dominates(dominance, h, b))
    return false;
  bool reached[MOST_BLOCKS] = {false};
  if (b == h)
    reached[h] = true;
  else
    reach(function, b, h, reached);
  for (uint32_t k = 0; k < function->block_count; k++) {
    if (!reached[k] || dominance->position[k] == NORN_INDEX_NONE ||
        !norn_dominates(dominance, h, k))
      continue;
    norn_for_each_edge(function, norn_block_terminator(function, k),
                       edge) if (edge.block == h) return true;
  }
  return false;
}

static bool
heads_loop(const NornFunction *function, const NornDominance *dominance, uint32_t h) {
  for (uint32_t p = dominance->predecessor_first[h]; p < dominance->predecessor_first[h + 1]; p++)
    if (norn_dominates(dominance, h, dominance->predecessors[p]))
      return true;
  (void)function;
  return false;
}

static void
check_loops(const NornFunction *function, const NornDominance *dominance) {
  for (uint32_t k = 0; k < dominance->order_count; k++) {
    uint32_t b = dominance->order[k];
    unsigned depth = 0;
    for (uint32_t j = 0; j < dominance->order_count; j++) {
      uint32_t h = dominance->order[j];
      if (heads_loop(function, dominance, h) && (h == b || is_in_loop(function, dominance, h, b)))
        depth++;
    }
    ck_assert_uint_eq(dominance->loop_depth[b], depth);
  }
}

START_TEST(random_graphs) {
  GRand *random = g_rand_new_with_seed(7);
  for (unsigned round = 0; round < 3000; round++) {
    Graph graph = make_graph(random, (unsigned)g_rand_int_range(random, 2, MOST_BLOCKS + 1));
    NornDominance *dominance = norn_dominance_new(graph.function);
    ck_assert_uint_eq(dominance->order[0], 0);
    check_dominance(graph.function, dominance);
    check_loops(graph.function, dominance);
    norn_dominance_free(dominance);
    norn_module_free(graph.module);
  }
  g_rand_free(random);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("dominance");
  TCase *tcase = tcase_create("dominance");
  tcase_add_test(tcase, random_graphs);
  suite_add_tcase(suite, tcase);
  return suite;
}
