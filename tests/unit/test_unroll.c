/* Loops whose number of iterations is known only at run time: unrolled or peeled, they compute the
 * same for counters that reach their limit early, late, never, or by wrapping around. */
#include "ir_text.h"
#include "unit.h"
#include <norn/compile.h>
#include <norn/interpret.h>
#include <norn/ir.h>
#include <norn/module.h>
#include <norn/simulate.h>

enum { MAX_ITERATIONS = 40, MAX_STEPS = 4 };

/* A comparison of counter and limit under which the loop goes on, written in four ways, and steps
 * with which the loop is unrolled. */
typedef struct LoopTest {
  /* counter first; limit first; the inverse of each */
  const char *ways[4];
  int steps[MAX_STEPS], others[MAX_STEPS]; /* 0: no more; others: not unrolled */
} LoopTest;

#define UP                                                                                         \
  {1, 2, 3, 65536}, {                                                                              \
    -1, 65537, INT32_MIN                                                                           \
  }
#define DOWN                                                                                       \
  {-1, -2, -3, -65536}, {                                                                          \
    1, -65537                                                                                      \
  }
static const LoopTest tests_of_loops[] = {
    {{"slt", "sgt", "sge", "sle"}, UP},           {{"sle", "sge", "sgt", "slt"}, UP},
    {{"ult", "ugt", "uge", "ule"}, UP},           {{"ule", "uge", "ugt", "ult"}, UP},
    {{"sgt", "slt", "sle", "sge"}, DOWN},         {{"sge", "sle", "slt", "sgt"}, DOWN},
    {{"ugt", "ult", "ule", "uge"}, DOWN},         {{"uge", "ule", "ult", "ugt"}, DOWN},
    {{"ne", "ne", "eq", "eq"}, {1, -1}, {2, -2}}, {{"eq", "eq", "ne", "ne"}, {0}, {1, -1}},
};

static const gint64 starts[] = {0,
                                1,
                                -1,
                                INT32_MIN,
                                INT32_MAX,
                                INT32_MIN + 5,
                                INT32_MAX - 6,
                                (gint64)UINT32_MAX + 1,
                                G_MININT64,
                                G_MAXINT64 - 3};
/* From the start to the limit, in steps. */
static const int distances[] = {-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 100};

/* A loop that counts its iterations and hashes its counter, from another value in the first
 * iteration; it also ends after MAX_ITERATIONS, which the pass does not know. */
static NornModule *
make_loop(const char *type, const LoopTest *test, unsigned way, int step) {
  bool limit_first = way & 1, is_inverse = way & 2;
  g_autofree char *text = g_strdup_printf(
      "shader compute @t workgroup(1, 1, 1) {\n"
      "  fau q: i64 @ 0, first: %s @ 2, limit: %s @ 4, most: i32 @ 6\nentry:\n  jump l(fau.first, "
      "0, 7)\n"
      "l(%%k: %s, %%n: i32, %%h: i32):\n  loop_entry 1\n  %%n1 = iadd.i32 %%n, 1\n"
      "  %%is = icmp.eq.%s %%k, fau.first\n  %%f = select.i32 %%is, 99, %%h\n"
      "  %%m = imul.i32 %%f, 31\n  %%w = bitcast.%s.%s %%k\n%s  %%h1 = xor.i32 %%m, %s\n"
      "  %%k1 = iadd.%s %%k, %d\n  %%all = icmp.uge.i32 %%n1, fau.most\n  br %%all, out, "
      "more\nmore:\n"
      "  %%c = icmp.%s.%s %s\n  br %%c, %s\nout:\n  store.global.i32 %%n1, fau.q\n"
      "  store.global.i32 %%h1, fau.q, offset:4\n  store.global.%s %%k1, fau.q, offset:8\n  "
      "end\n}\n",
      type, type, type, type, type, type,
      strcmp(type, "i64") ? "" : "  %x, %y = split.i32.i64 %w\n", strcmp(type, "i64") ? "%w" : "%x",
      type, step, test->ways[way], type, limit_first ? "fau.limit, %k1" : "%k1, fau.limit",
      is_inverse ? "out, l(%k1, %n1, %h1)" : "l(%k1, %n1, %h1), out", type);
  return parse_text(text);
}

static void
run(NornModule *module, gint64 first, gint64 limit, guint64 results[2]) {
  NornMemory *memory = norn_memory_new();
  GError *error = NULL;
  memset(results, 0, 16);
  ck_assert(norn_memory_add(memory, "q", 0x1000, results, 16, &error));
  uint32_t uniforms[] = {0x1000,          0,
                         (uint32_t)first, (uint32_t)(first >> 32),
                         (uint32_t)limit, (uint32_t)(limit >> 32),
                         MAX_ITERATIONS};
  NornLaunch launch = {.grid = {1, 1, 1},
                       .workgroup = {1, 1, 1},
                       .memory = memory,
                       .uniforms = uniforms,
                       .uniform_count = G_N_ELEMENTS(uniforms)};
  ck_assert_msg(norn_interpret(module, &launch, NULL, &error), "%s", error ? error->message : "");
  memcpy(results, norn_memory_bytes(memory, 0, NULL), 16);
  norn_memory_free(memory);
}

/* Unrolls a loop and compares some of the results; `passes` follow. Returns whether it was
 * unrolled. */
static bool
compare(const char *type, const LoopTest *test, unsigned way, int step, const char *passes) {
  NornModule *before = make_loop(type, test, way, step);
  NornModule *after = norn_module_copy(before);
  GError *error = NULL;
  ck_assert_msg(norn_run_passes(after, passes, NULL, NULL, &error), "%s",
                error ? error->message : "");
  g_autofree char *text = norn_module_print(after, NULL);
  unsigned apart = getenv("NORN_TEST_QUICK") ? 64 : 4;
  for (unsigned i = 0; i < G_N_ELEMENTS(starts); i++)
    for (unsigned k = 0; k < G_N_ELEMENTS(distances); k++) {
      if ((i * G_N_ELEMENTS(distances) + k + way + (unsigned)step) % apart)
        continue;
      guint64 expected[2], results[2];
      gint64 limit = (gint64)((guint64)starts[i] + (guint64)((gint64)distances[k] * step));
      run(before, starts[i], limit, expected);
      run(after, starts[i], limit, results);
      ck_assert_msg(!memcmp(expected, results, sizeof results),
                    "%s.%s, way %u, step %d, from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                    ": %u iterations, expected %u",
                    test->ways[0], type, way, step, starts[i], limit, (unsigned)results[0],
                    (unsigned)expected[0]);
    }
  norn_module_free(before);
  norn_module_free(after);
  return strstr(text, "iterations:") != NULL;
}

START_TEST(same_results) {
  static const char *const passes[] = {"unroll-partially", "unroll-partially,optimize"};
  const LoopTest *test = &tests_of_loops[_i];
  for (unsigned wide = 0; wide < 2; wide++)
    for (unsigned way = 0; way < 4; way++)
      for (unsigned k = 0; k < MAX_STEPS; k++) {
        const char *type = wide ? "i64" : "i32";
        if (test->steps[k])
          ck_assert(compare(type, test, way, test->steps[k], passes[(way + k) % 2]));
        if (test->others[k] && !way)
          ck_assert(!compare(type, test, way, test->others[k], passes[0]));
      }
}
END_TEST

/* A counter can have its first value again if it steps past values, or if the loop goes on for the
 * greatest ones, too. */
START_TEST(same_when_peeled) {
  const LoopTest *test = &tests_of_loops[_i];
  bool is_inclusive =
      g_str_has_suffix(test->ways[0], "le") || g_str_has_suffix(test->ways[0], "ge");
  for (unsigned way = 0; way < 4; way++)
    for (unsigned k = 0; k < MAX_STEPS; k++) {
      const char *type = way % 2 ? "i32" : "i64";
      if (test->steps[k])
        ck_assert_int_eq(compare(type, test, way, test->steps[k], "peel-loops"),
                         ABS(test->steps[k]) == 1 && !is_inclusive);
      if (test->others[k])
        ck_assert(!compare(type, test, way, test->others[k], "peel-loops"));
    }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("unroll");
  TCase *tests = tcase_create("unroll");
  tcase_set_timeout(tests, 0);
  tcase_add_loop_test(tests, same_results, 0, G_N_ELEMENTS(tests_of_loops));
  tcase_add_loop_test(tests, same_when_peeled, 0, G_N_ELEMENTS(tests_of_loops));
  suite_add_tcase(suite, tests);
  return suite;
}
