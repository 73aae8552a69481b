/* Shared sets, liveness, next uses and register pressure compared with their definitions on random
 * programs, and how their size grows. */
#include "ir/analysis/next_use.h"
#include "ir/analysis/pressure.h"
#include "ir_text.h"
#include "random_program.h"
#include "unit.h"
#include <norn/module.h>

/* --- Sets --- */

enum { SETS = 6, STEPS = 600 };

static void
check_set(const NornSetSpace *space, NornSet set, const bool *expected, uint32_t count) {
  uint32_t next = norn_set_next(space, set, 0), wrong = NORN_INDEX_NONE;
  for (uint32_t n = 0; n < count && wrong == NORN_INDEX_NONE; n++) {
    if (norn_set_has(space, set, n) != expected[n] || (next == n) != expected[n])
      wrong = n;
    if (expected[n])
      next = norn_set_next(space, set, n + 1);
  }
  ck_assert_uint_eq(wrong, NORN_INDEX_NONE);
  ck_assert_uint_eq(next, NORN_INDEX_NONE);
}

static void
combine(GRand *random, NornSetSpace *space, NornSet *sets, bool **expected, uint32_t count) {
  unsigned a = (unsigned)g_rand_int_range(random, 0, SETS);
  unsigned b = (unsigned)g_rand_int_range(random, 0, SETS);
  unsigned to = (unsigned)g_rand_int_range(random, 0, SETS);
  bool unites = g_rand_boolean(random), is_a = true;
  for (uint32_t n = 0; n < count; n++) {
    bool in_a = expected[a][n], in_b = expected[b][n];
    expected[to][n] = unites ? in_a || in_b : in_a && !in_b;
    is_a &= expected[to][n] == in_a;
  }
  NornSet result =
      unites ? norn_set_union(space, sets[a], sets[b]) : norn_set_without(space, sets[a], sets[b]);
  if (is_a)
    ck_assert_uint_eq(result, sets[a]);
  sets[to] = result;
  check_set(space, sets[to], expected[to], count);
}

/* Changes a few elements of a set; the original set is unchanged. */
static void
edit(GRand *random, NornSetSpace *space, NornSet *sets, bool **expected, uint32_t count) {
  unsigned from = (unsigned)g_rand_int_range(random, 0, SETS);
  unsigned to = (from + 1) % SETS;
  NornSet set = sets[from];
  memcpy(expected[to], expected[from], count);
  norn_set_begin_edit(space);
  for (unsigned k = 0; k < 20; k++) {
    uint32_t n = (uint32_t)g_rand_int_range(random, 0, (gint32)count);
    expected[to][n] = g_rand_boolean(random);
    set = expected[to][n] ? norn_set_with(space, set, n) : norn_set_less(space, set, n);
  }
  sets[to] = set;
  check_set(space, sets[from], expected[from], count);
  check_set(space, sets[to], expected[to], count);
}

/* With only words, and with nodes of one to three levels. */
START_TEST(sets) {
  static const uint32_t counts[] = {1, 64, 65, 500, 3000, 5000};
  uint32_t count = counts[_i];
  NornArena arena = {0};
  GRand *random = g_rand_new_with_seed(count);
  NornSetSpace space = norn_set_space(&arena, count);
  NornSet all[SETS] = {0};
  bool *expected[SETS];
  for (unsigned k = 0; k < SETS; k++)
    expected[k] = NORN_NEW0(&arena, bool, count);
  for (unsigned step = 0; step < STEPS; step++)
    if (g_rand_boolean(random))
      edit(random, &space, all, expected, count);
    else
      combine(random, &space, all, expected, count);
  ck_assert_int_eq(space.node_count > 0, count > 64);
  g_rand_free(random);
  norn_arena_free(&arena);
}
END_TEST

/* --- Liveness and next uses --- */

/* As next_use.c has them. */
enum { LOOP_EXIT = 10000, FARTHEST = 60000 };

/* The known distance of each value at the start of each block. */
typedef struct Table {
  const NornFunction *function;
  const NornDominance *dominance;
  uint32_t *distance; /* NORN_NEVER: not live */
} Table;

static uint32_t *
cell(const Table *table, uint32_t block, uint32_t value) {
  return &table->distance[(size_t)block * table->function->value_count + value];
}

static uint32_t
distance_out(const Table *table, uint32_t block, uint32_t value) {
  const NornDominance *dominance = table->dominance;
  uint32_t min = NORN_NEVER;
  for (uint32_t k = 0; k < norn_successor_count(dominance, block); k++) {
    uint32_t to = norn_successor(dominance, block, k), distance = *cell(table, to, value);
    if (distance == NORN_NEVER)
      continue;
    distance += dominance->loop_depth[to] < dominance->loop_depth[block] ? LOOP_EXIT : 0;
    min = MIN(min, MIN(distance, FARTHEST));
  }
  return min;
}

/* The distance from the start of the block for a distance from its end. */
static uint32_t
distance_in(const Table *table, uint32_t block, uint32_t value, uint32_t out) {
  const NornFunction *function = table->function;
  uint32_t position = 0;
  if (norn_defining_block(function, value) == block)
    return NORN_NEVER;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    for (unsigned k = 0; k < inst->operand_count; k++)
      if (norn_operand(function, index, k) == norn_ref(NORN_REF_VALUE, value))
        return position;
    position++;
  }
  return out == NORN_NEVER ? NORN_NEVER : MIN(position + out, FARTHEST);
}

static void
fill(const Table *table) {
  const NornFunction *function = table->function;
  memset(table->distance, -1,
         (size_t)function->block_count * function->value_count * sizeof *table->distance);
  for (bool changed = true; changed;) {
    changed = false;
    norn_for_each_block (function, block)
      for (uint32_t v = 0; v < function->value_count; v++) {
        uint32_t distance = distance_in(table, block, v, distance_out(table, block, v));
        changed |= distance != *cell(table, block, v);
        *cell(table, block, v) = distance;
      }
  }
}

static void
check_block(const Table *table, uint32_t block, const NornLiveness *live,
            const NornNextUse *next_use) {
  uint32_t wrong = NORN_INDEX_NONE;
  for (uint32_t v = 0; v < table->function->value_count && wrong == NORN_INDEX_NONE; v++) {
    uint32_t in = *cell(table, block, v), out = distance_out(table, block, v);
    if (norn_live_in(live, block, v) != (in != NORN_NEVER) ||
        norn_live_out(live, block, v) != (out != NORN_NEVER) ||
        norn_next_use_in(next_use, block, v) != in || norn_next_use_out(next_use, block, v) != out)
      wrong = v;
  }
  ck_assert_uint_eq(wrong, NORN_INDEX_NONE);
  uint32_t next = norn_next_used_in_loop(next_use, block, 0);
  for (uint32_t n = 0; n < live->count; n++) {
    uint32_t distance = *cell(table, block, live->value[n]);
    if ((next == n) != (distance != NORN_NEVER && !norn_is_beyond_loop(distance)))
      wrong = n;
    if (next == n)
      next = norn_next_used_in_loop(next_use, block, n + 1);
  }
  ck_assert_uint_eq(wrong, NORN_INDEX_NONE);
}

/* Values take different numbers of registers in both classes. */
static NornRegisterModel
make_model(void) {
  NornRegisterModel model = {0};
  for (unsigned type = 0; type < NORN_TYPE_COUNT; type++) {
    model.types[type].count = (uint8_t)(1 + type % 5);
    model.types[type].room = (NornRegisterCounts){{(int16_t)(1 + type % 7), (int16_t)(type % 3)}};
  }
  return model;
}

static NornRegisterCounts
count_values(const Table *table, const NornPressure *pressure, const bool *is_counted) {
  NornRegisterCounts sum = {{0}};
  for (uint32_t v = 0; v < table->function->value_count; v++)
    if (is_counted[v])
      sum = norn_counts_plus(sum, norn_pressure_of(pressure, v));
  return sum;
}

static void
check_counts(NornRegisterCounts is, NornRegisterCounts expected) {
  for (unsigned class = 0; class < NORN_REGISTER_CLASSES; class ++)
    ck_assert_int_eq(is.of[class], expected.of[class]);
}

/* Compares what is known of an instruction with the values that live on after it, in `alive`, and
 * replaces them by those that are live before it. Returns the registers that it needs. */
static NornRegisterCounts
check_inst_pressure(const Table *table, const NornPressure *pressure, uint32_t index, bool *alive) {
  const NornInst *inst = norn_inst(table->function, index);
  const NornRef *operands = norn_operands(table->function, inst);
  for (unsigned k = 0; k < inst->result_count; k++) {
    ck_assert_int_ne(norn_bit(pressure->unused, inst->result + k), alive[inst->result + k]);
    alive[inst->result + k] = true;
  }
  NornRegisterCounts defined = count_values(table, pressure, alive);
  for (unsigned k = 0; k < inst->result_count; k++)
    alive[inst->result + k] = false;
  for (unsigned k = 0; k < inst->operand_count; k++)
    ck_assert_int_eq(norn_bit(pressure->kills, inst->operand + k),
                     norn_ref_kind(operands[k]) == NORN_REF_VALUE &&
                         !alive[norn_ref_payload(operands[k])]);
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (norn_ref_kind(operands[k]) == NORN_REF_VALUE)
      alive[norn_ref_payload(operands[k])] = true;
  return norn_counts_max(defined, count_values(table, pressure, alive));
}

/* Compares the pressure in a block with its definition; returns the maximum. */
static NornRegisterCounts
check_block_pressure(const Table *table, const NornPressure *pressure, uint32_t block,
                     bool *alive) {
  const NornFunction *function = table->function;
  NornRegisterCounts max = {{0}};
  for (uint32_t v = 0; v < function->value_count; v++)
    alive[v] = distance_out(table, block, v) != NORN_NEVER;
  for (uint32_t i = norn_block(function, block)->last; i != NORN_INDEX_NONE;
       i = norn_inst(function, i)->previous)
    max = norn_counts_max(max, check_inst_pressure(table, pressure, i, alive));
  unsigned count = norn_block(function, block)->parameter_count;
  for (unsigned k = 0; k < count; k++) {
    uint32_t parameter = norn_block_parameter(function, block, k);
    ck_assert_int_ne(norn_bit(pressure->unused, parameter), alive[parameter]);
    alive[parameter] = true;
  }
  max = norn_counts_max(max, count_values(table, pressure, alive));
  for (unsigned k = 0; k < count; k++)
    alive[norn_block_parameter(function, block, k)] = false;
  check_counts(pressure->start[block], count_values(table, pressure, alive));
  check_counts(pressure->block[block], max);
  return max;
}

static void
check_pressure(NornArena *arena, const Table *table, const NornLiveness *live) {
  const NornFunction *function = table->function;
  const NornDominance *dominance = table->dominance;
  const NornRegisterModel model = make_model();
  const NornPressure *pressure = norn_pressure_new(arena, function, dominance, live, &model);
  bool *alive = NORN_NEW0(arena, bool, function->value_count);
  NornRegisterCounts all = {{0}};
  NornRegisterCounts *loops = NORN_NEW0(arena, NornRegisterCounts, function->block_count);
  norn_for_each_block (function, block) {
    NornRegisterCounts max = check_block_pressure(table, pressure, block, alive);
    all = norn_counts_max(all, max);
    for (uint32_t header = dominance->loop_header[block]; header != NORN_INDEX_NONE;
         header = dominance->loop_parent[header])
      loops[header] = norn_counts_max(loops[header], max);
  }
  check_counts(pressure->max, all);
  const NornRegisterCounts *loop_pressure = norn_loop_pressure(arena, pressure, dominance);
  norn_for_each_block (function, block)
    check_counts(loop_pressure[block], loops[block]);
}

/* For programs with few values that are used in other blocks, and with many. */
START_TEST(random_programs) {
  static const RandomProgram shapes[] = {
      {.instructions = 60, .depth = 3, .pressure = 10, .groups = true},
      {.instructions = 250, .depth = 4, .pressure = 60},
      {.instructions = 600, .depth = 4, .pressure = 200},
  };
  NornArena arena = {0};
  GRand *random = g_rand_new_with_seed((guint32)_i);
  NornModule *module = random_program(random, &shapes[_i % G_N_ELEMENTS(shapes)]);
  const NornFunction *function = module->functions[0];
  NornDominance *dominance = norn_dominance_new(&arena, function);
  Table table = {function, dominance,
                 NORN_NEW(&arena, uint32_t, (size_t)function->block_count * function->value_count)};
  fill(&table);
  NornLiveness *live = norn_liveness_new(&arena, function, dominance);
  NornNextUse *next_use = norn_next_use_new(&arena, function, dominance, live);
  norn_for_each_block (function, block)
    check_block(&table, block, live, next_use);
  check_pressure(&arena, &table, live);
  norn_module_free(module);
  g_rand_free(random);
  norn_arena_free(&arena);
}
END_TEST

/* --- Growth --- */

/* As many consecutive blocks as values that are live through all of them. */
static void
write_through(GString *text, unsigned n) {
  for (unsigned k = 0; k < n; k++)
    g_string_append_printf(text, "  %%v%u = iadd.i32 %%i, %u\n", k, k);
  g_string_append(text, "  jump b0\n");
  for (unsigned k = 0; k < n; k++)
    g_string_append_printf(text, "b%u:\n  br %%c, t%u, b%u\nt%u:\n  jump b%u\n", k, k, k + 1, k,
                           k + 1);
  g_string_append_printf(text, "b%u:\n  %%s0 = iadd.i32 %%v0, 0\n", n);
  for (unsigned k = 1; k < n; k++)
    g_string_append_printf(text, "  %%s%u = iadd.i32 %%s%u, %%v%u\n", k, k - 1, k);
  g_string_append(text, "  end\n}\n");
}

/* Nested loops, each with a counter that is live through all inner ones. */
static void
write_loops(GString *text, unsigned n) {
  g_string_append(text, "  jump l0(%i)\n");
  for (unsigned k = 0; k < n; k++)
    g_string_append_printf(text, "l%u(%%k%u: i32):\n  br %%c, b%u, e%u\nb%u:\n  jump l%u(%%i)\n", k,
                           k, k, k, k, k + 1);
  g_string_append_printf(text, "l%u(%%k%u: i32):\n  jump e%u\n", n, n, n);
  for (unsigned k = n; k; k--)
    g_string_append_printf(text, "e%u:\n  %%n%u = iadd.i32 %%k%u, 1\n  jump l%u(%%n%u)\n", k, k,
                           k - 1, k - 1, k);
  g_string_append(text, "e0:\n  end\n}\n");
}

/* The number of nodes for the live sets and for the distances to next uses. */
static void
count_nodes(void (*write)(GString *text, unsigned n), unsigned n, uint64_t *nodes) {
  NornArena arena = {0};
  GString *text = g_string_new(HEAD "entry:\n  %i = local_index\n  %c = icmp.eq.i32 %i, 3\n");
  write(text, n);
  NornModule *module = parse_text(text->str);
  const NornFunction *function = module->functions[0];
  NornDominance *dominance = norn_dominance_new(&arena, function);
  NornLiveness *live = norn_liveness_new(&arena, function, dominance);
  NornNextUse *next_use = norn_next_use_new(&arena, function, dominance, live);
  ck_assert_ptr_nonnull(next_use->in);
  ck_assert_uint_ge(live->count, n);
  nodes[0] = live->space.node_count;
  nodes[1] = next_use->nodes;
  norn_module_free(module);
  g_string_free(text, TRUE);
  norn_arena_free(&arena);
}

/* Memory grows linearly with the program, except for a logarithmic factor from the depth of the
 * trees. */
START_TEST(growth) {
  static void (*const shapes[])(GString * text, unsigned n) = {write_through, write_loops};
  uint64_t small[2], large[2];
  count_nodes(shapes[_i], 1000, small);
  count_nodes(shapes[_i], 4000, large);
  for (unsigned k = 0; k < 2; k++)
    ck_assert_msg(large[k] < 6 * small[k], "%" G_GUINT64_FORMAT " nodes of %" G_GUINT64_FORMAT,
                  large[k], small[k]);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("liveness");
  TCase *tests = tcase_create("liveness");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, sets, 0, 6);
  tcase_add_loop_test(tests, random_programs, 0, 18);
  tcase_add_loop_test(tests, growth, 0, 2);
  suite_add_tcase(suite, tests);
  return suite;
}
