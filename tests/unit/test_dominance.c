/* Dominance and loops against their definitions, on random graphs of blocks. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "unit.h"
#include <norn/module.h>

#define MAX_BLOCKS 14

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
    NornBranch one = norn_branch(norn_ref(NORN_REF_BLOCK, first));
    NornBranch other = norn_branch(norn_ref(NORN_REF_BLOCK, second));
    NornBuilder builder = norn_builder_at_end(function, function->block_order[k]);
    if (kind == 0)
      norn_build_end(&builder);
    else if (kind < 3)
      norn_build_jump(&builder, one);
    else
      norn_build_br(&builder, norn_build_bits(&builder, 1), one, other);
  }
  return graph;
}

/* The blocks that the entry reaches if paths may not go through block `without`. */
static void
reach(const NornFunction *function, uint32_t from, uint32_t without, bool *reached) {
  if (from == without || reached[from])
    return;
  reached[from] = true;
  norn_for_each_edge (function, norn_block_terminator(function, from), edge)
    reach(function, edge.block, without, reached);
}

static void
check_dominance(const NornFunction *function, const NornDominance *dominance) {
  bool all[MAX_BLOCKS] = {false};
  reach(function, 0, NORN_INDEX_NONE, all);
  for (uint32_t a = 0; a < function->block_count; a++) {
    bool without[MAX_BLOCKS] = {false};
    reach(function, 0, a, without);
    ck_assert_int_eq(dominance->position[a] != NORN_INDEX_NONE, all[a]);
    for (uint32_t b = 0; b < function->block_count; b++)
      if (all[a] && all[b])
        ck_assert_int_eq(norn_dominates(dominance, a, b), !without[b]);
  }
}

/* Numbers the blocks in the order of a depth-first search; last[b] is the last block of b's
 * subtree. */
static void
number_depth_first(const NornFunction *function, uint32_t block, int *first, int *last,
                   int *count) {
  first[block] = (*count)++;
  norn_for_each_edge (function, norn_block_terminator(function, block), edge) {
    if (first[edge.block] < 0)
      number_depth_first(function, edge.block, first, last, count);
  }
  last[block] = *count - 1;
}

/* The blocks of h's subtree that `from` reaches without leaving it, through at least one edge. */
static void
reach_in_subtree(const NornFunction *function, uint32_t from, uint32_t h, const int *first,
                 const int *last, bool *reached) {
  norn_for_each_edge (function, norn_block_terminator(function, from), edge) {
    uint32_t to = edge.block;
    if (reached[to] || first[to] < first[h] || first[to] > last[h])
      continue;
    reached[to] = true;
    reach_in_subtree(function, to, h, first, last, reached);
  }
}

/* A loop consists of a header and the blocks strongly connected to it within its depth-first
 * subtree. */
static void
check_loops(const NornFunction *function, const NornDominance *dominance) {
  int first[MAX_BLOCKS], last[MAX_BLOCKS], count = 0;
  unsigned depth[MAX_BLOCKS] = {0};
  for (unsigned k = 0; k < MAX_BLOCKS; k++)
    first[k] = last[k] = -1;
  number_depth_first(function, 0, first, last, &count);
  for (uint32_t h = 0; h < function->block_count; h++) {
    bool from_header[MAX_BLOCKS] = {false};
    if (first[h] < 0)
      continue;
    reach_in_subtree(function, h, h, first, last, from_header);
    for (uint32_t b = 0; b < function->block_count; b++) {
      bool from_block[MAX_BLOCKS] = {false};
      if (!from_header[b] || !from_header[h])
        continue;
      reach_in_subtree(function, b, h, first, last, from_block);
      if (!from_block[h])
        continue;
      depth[b]++;
    }
    ck_assert_int_eq(dominance->loop_header[h] == h, from_header[h]);
  }
  for (uint32_t b = 0; b < function->block_count; b++) {
    if (first[b] < 0)
      continue;
    ck_assert_uint_eq(dominance->loop_depth[b], depth[b]);
    uint32_t header = dominance->loop_header[b];
    uint32_t outer = header == b ? dominance->loop_parent[b] : header;
    ck_assert_uint_eq(outer == NORN_INDEX_NONE ? 0 : dominance->loop_depth[outer],
                      depth[b] - (header == b));
  }
}

/* Block p post-dominates b if b reaches an end, but not without p. */
static void
check_post_dominators(NornArena *arena, const NornFunction *function,
                      const NornDominance *dominance) {
  uint32_t *idom = norn_post_dominators(arena, dominance);
  for (uint32_t b = 0; b < function->block_count; b++) {
    bool all[MAX_BLOCKS] = {false}, ends = false, is_post_dominator[MAX_BLOCKS] = {false};
    if (dominance->position[b] == NORN_INDEX_NONE)
      continue;
    reach(function, b, NORN_INDEX_NONE, all);
    for (uint32_t e = 0; e < function->block_count; e++)
      ends |= all[e] && norn_successor_count(dominance, e) == 0;
    unsigned count = 0;
    for (uint32_t p = 0; ends && p < function->block_count; p++) {
      bool without[MAX_BLOCKS] = {false}, avoided = false;
      reach(function, b, p, without);
      for (uint32_t e = 0; e < function->block_count; e++)
        avoided |= without[e] && norn_successor_count(dominance, e) == 0;
      is_post_dominator[p] = !avoided && p != b;
      count += is_post_dominator[p];
    }
    unsigned chain = 0;
    for (uint32_t p = idom[b]; p != NORN_INDEX_NONE; p = idom[p], chain++)
      ck_assert(is_post_dominator[p]);
    ck_assert_uint_eq(chain, count);
  }
}

START_TEST(random_graphs) {
  GRand *random = g_rand_new_with_seed(7);
  for (unsigned round = 0; round < unit_effort(3000); round++) {
    Graph graph = make_graph(random, (unsigned)g_rand_int_range(random, 2, MAX_BLOCKS + 1));
    NornArena arena = {0};
    NornDominance *dominance = norn_dominance_new(&arena, graph.function);
    ck_assert_uint_eq(dominance->order[0], 0);
    check_dominance(graph.function, dominance);
    check_loops(graph.function, dominance);
    check_post_dominators(&arena, graph.function, dominance);
    norn_arena_free(&arena);
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
