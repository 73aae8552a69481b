/* Level 3: never slower than level 2 according to the timing model, deterministic, and it
 * reports its amount of work. */
#include "assembled.h"
#include "compiler/search.h"
#include "unit.h"
#include <norn/norn.h>
#include <string.h>

enum { EFFORT = 6, FEW = 2 };

/* A program with choices: independent loads and chains. */
static const char kernel[] = "shader compute @k workgroup(16, 1, 1) {\n"
                             "  fau x: i64 @ 0, n: i32 @ 2\n"
                             "entry:\n"
                             "  %i = global_id.x\n"
                             "  %inside = icmp.ult.i32 %i, fau.n\n"
                             "  br %inside, body, done\n"
                             "body:\n"
                             "  %p = shladd.u32.i64 fau.x, %i, 2\n"
                             "  %a = load.global.i32 %p\n"
                             "  %b = load.global.i32 %p, offset:4096\n"
                             "  %c = imul.i32 %a, %b\n"
                             "  %d = imul.i32 %c, %i\n"
                             "  %e = imul.i32 %i, %i\n"
                             "  %f = iadd.i32 %d, %e\n"
                             "  store.global.i32 %f, %p, offset:8192\n"
                             "  jump done\n"
                             "done:\n"
                             "  end\n"
                             "}\n";

static NornModule *
parse(const char *text, const char *name) {
  GError *error = NULL;
  NornModule *module = norn_module_parse(text, strlen(text), name, &error);
  ck_assert_msg(module != NULL, "%s", error ? error->message : "");
  return module;
}

static GBytes *
compile(const char *text, const NornCompileOptions *options, NornCompileInfo *info) {
  g_autoptr(NornModule) module = parse(text, "search");
  g_autoptr(GError) error = NULL;
  GBytes *code = norn_compile(module, options, info, &error);
  ck_assert_msg(code != NULL, "%s", error ? error->message : "");
  return code;
}

static NornStatistics
count(GBytes *code, const NornCompileInfo *info) {
  NornStatistics statistics;
  NornMachineCode machine = code_of(code);
  machine.info = info;
  ck_assert(norn_code_statistics(&machine, 1, &statistics, NULL));
  return statistics;
}

static NornCompileOptions
options_of(unsigned level, unsigned effort) {
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.optimization_level = level;
  options.effort = effort;
  return options;
}

/* Whether level 3 improved something. */
static bool
check_file(const char *folder, const char *name) {
  g_autofree char *path = g_build_filename(NORN_TEST_DIR, "..", folder, name, NULL);
  g_autofree char *text = NULL;
  ck_assert(g_file_get_contents(path, &text, NULL, NULL));
  NornCompileOptions usual = options_of(2, 0), best = options_of(3, EFFORT);
  NornCompileInfo usual_info, info;
  g_autoptr(GBytes) code = compile(text, &usual, &usual_info);
  g_autoptr(GBytes) searched = compile(text, &best, &info);
  NornStatistics before = count(code, &usual_info), after = count(searched, &info);
  ck_assert_msg(after.warp_cycles <= before.warp_cycles, "%s: %g cycles, not %g", name,
                after.warp_cycles, before.warp_cycles);
  ck_assert_uint_ge(after.threads, before.threads);
  ck_assert_uint_eq(info.candidates, EFFORT);
  return after.warp_cycles < before.warp_cycles;
}

START_TEST(no_kernel_gets_slower) {
  unsigned gained = 0;
  static const char *const kernels[] = {"dft8.norn",      "fp16.norn",   "fractal.norn",
                                        "histogram.norn", "matmul.norn", "transcend.norn"};
  for (unsigned i = 0; i < G_N_ELEMENTS(kernels); i++)
    gained += check_file("bench/kernels", kernels[i]);
  static const char *const examples[] = {"dot.norn", "hash.norn", "mandelbrot.norn", "saxpy.norn"};
  for (unsigned i = 0; i < G_N_ELEMENTS(examples); i++)
    gained += check_file("examples", examples[i]);
  ck_assert_uint_ge(gained, 3);
}
END_TEST

START_TEST(compilation_is_repeatable) {
  NornCompileOptions options = options_of(3, 0);
  NornCompileInfo info, other;
  NornCompiler *compiler = norn_compiler_new();
  g_autoptr(GBytes) code = compile(kernel, &options, &info);
  g_autoptr(NornModule) module = parse(kernel, "search");
  for (unsigned i = 0; i < 2; i++) {
    g_autoptr(GBytes) again = norn_compiler_compile(compiler, module, &options, &other, NULL);
    ck_assert(again && g_bytes_equal(code, again));
    ck_assert_uint_eq(info.work, other.work);
    ck_assert_str_eq(info.candidate, other.candidate);
  }
  ck_assert_uint_eq(info.candidates, NORN_DEFAULT_EFFORT);
  norn_compiler_free(compiler);
}
END_TEST

static void
check_kept(const char *name, unsigned effort, const NornTuning *before, const NornTuning *after) {
#define KEPT(field)                                                                                \
  ck_assert_msg(!before->field || after->field, "%s, effort %u: %s is forgotten", name, effort,    \
                #field)
  KEPT(level);
  KEPT(short_latency);
  KEPT(register_margin);
  KEPT(if_convert_cost);
  KEPT(unrolled_cost);
  KEPT(unroll_factor);
  KEPT(peeled_cost);
  KEPT(counts_units);
  KEPT(slots_apart);
  KEPT(registers_in_turn);
  KEPT(skip_passes);
  KEPT(seed);
#undef KEPT
}

static bool
is_same_tuning(const NornTuning *a, const NornTuning *b) {
  return a->level == b->level && a->short_latency == b->short_latency &&
         a->register_margin == b->register_margin && a->if_convert_cost == b->if_convert_cost &&
         a->unrolled_cost == b->unrolled_cost && a->unroll_factor == b->unroll_factor &&
         a->peeled_cost == b->peeled_cost && a->counts_units == b->counts_units &&
         a->slots_apart == b->slots_apart && a->registers_in_turn == b->registers_in_turn &&
         a->seed == b->seed && !g_strcmp0(a->skip_passes, b->skip_passes);
}

/* Every candidate changes something, each something else, and keeps whatever was changed before. */
START_TEST(candidates_differ) {
  const NornTuning all = {.level = 9,
                          .short_latency = 9,
                          .register_margin = 9,
                          .if_convert_cost = 9,
                          .unrolled_cost = 9,
                          .unroll_factor = 9,
                          .peeled_cost = 9,
                          .counts_units = true,
                          .slots_apart = true,
                          .registers_in_turn = true,
                          .skip_passes = "dce",
                          .seed = 999};
  const NornTuning first = norn_search_candidate(0, &(NornTuning){0}).tuning;
  NornTuning seen[2 * NORN_DEFAULT_EFFORT];
  for (unsigned i = 0; i < G_N_ELEMENTS(seen); i++) {
    NornCandidate candidate = norn_search_candidate(i, &all);
    check_kept(candidate.name, i, &all, &candidate.tuning);
    seen[i] = norn_search_candidate(i, &first).tuning;
    for (unsigned k = 0; k < i; k++)
      ck_assert_msg(!is_same_tuning(&seen[i], &seen[k]), "candidates %u and %u", k, i);
  }
}
END_TEST

/* The cycles of a warp if the module is compiled in that way. */
static double
cycles_of(NornCompiler *compiler, const NornModule *module, const NornCandidate *candidate) {
  NornModule *copy = norn_module_copy(module);
  NornCompileOptions options = options_of(NORN_SEARCH_LEVEL, 0);
  NornCompileInfo info;
  g_autoptr(GBytes) code =
      norn_compile_once(compiler, copy, &options, &candidate->tuning, 0, &info, NULL);
  norn_module_free(copy);
  ck_assert_ptr_nonnull(code);
  return count(code, &info).warp_cycles;
}

/* A candidate that is kept keeps all earlier changes that paid off, and is not slower. */
START_TEST(changes_add_up) {
  static const char *const kernels[] = {"dft8.norn",      "fp16.norn",   "fractal.norn",
                                        "histogram.norn", "matmul.norn", "transcend.norn"};
  NornCompiler *compiler = norn_compiler_new();
  unsigned changes = 0;
  for (unsigned i = 0; i < G_N_ELEMENTS(kernels); i++) {
    g_autofree char *path =
        g_build_filename(NORN_TEST_DIR, "..", "bench", "kernels", kernels[i], NULL);
    g_autofree char *text = NULL;
    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    g_autoptr(NornModule) module = parse(text, kernels[i]);
    NornCandidate before = {0};
    double cycles = G_MAXDOUBLE;
    for (unsigned effort = 2; effort <= NORN_DEFAULT_EFFORT; effort++) {
      NornCompileOptions options = options_of(NORN_SEARCH_LEVEL, effort);
      unsigned count;
      uint64_t work = 0;
      NornCandidate kept = norn_search(compiler, module, &options, &count, &work);
      ck_assert_uint_eq(count, effort);
      check_kept(kernels[i], effort, &before.tuning, &kept.tuning);
      if (before.name != kept.name) {
        double now = cycles_of(compiler, module, &kept);
        ck_assert_msg(now <= cycles, "%s, effort %u: %g cycles, not %g", kernels[i], effort, now,
                      cycles);
        cycles = now;
        changes++;
      }
      before = kept;
    }
  }
  norn_compiler_free(compiler);
  ck_assert_uint_ge(changes, G_N_ELEMENTS(kernels));
}
END_TEST

/* Fewer cycles, or otherwise fewer instructions; never at the cost of threads or of the busiest
 * unit. */
START_TEST(prefers_better_code) {
  static const NornReportEstimate first = {100, 50, 2, 30}, kept = {90, 50, 2, 30};
  static const struct {
    NornReportEstimate estimate;
    bool is_better;
  } rows[] = {
      {{89, 50, 2, 40}, true},  {{91, 40, 2, 20}, false}, {{90, 50, 2, 29}, true},
      {{90, 50, 2, 30}, false}, {{90, 50, 2, 31}, false}, {{10, 50, 1, 10}, false},
      {{10, 51, 2, 10}, false}, {{10, 49, 2, 10}, true},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
    ck_assert_msg(norn_search_prefers(&rows[i].estimate, &kept, &first) == rows[i].is_better,
                  "row %u", i);
}
END_TEST

/* One candidate is level 2, and each additional one is another compilation. */
START_TEST(effort_is_counted) {
  NornCompileOptions options = options_of(2, 0);
  NornCompileInfo usual, one, few;
  g_autoptr(GBytes) code = compile(kernel, &options, &usual);
  ck_assert_ptr_null(usual.candidate);
  options = options_of(3, 1);
  g_autoptr(GBytes) same = compile(kernel, &options, &one);
  ck_assert(g_bytes_equal(code, same));
  ck_assert_uint_eq(one.work, usual.work);
  ck_assert_uint_eq(one.candidates, 1);
  options = options_of(3, FEW);
  g_bytes_unref(compile(kernel, &options, &few));
  ck_assert_uint_eq(few.candidates, FEW);
  ck_assert_uint_ge(few.work, (FEW + 1) * usual.work);
  ck_assert_uint_lt(few.work, (FEW + 2) * usual.work);
}
END_TEST

/* Wherever the limit of work stops it, there is an error; a request to stop is noticed. */
START_TEST(limits_hold) {
  NornCompileOptions options = options_of(3, FEW);
  NornCompileInfo info;
  g_autoptr(GBytes) code = compile(kernel, &options, &info);
  uint64_t all = info.work;
  options.limits.work = all;
  g_autoptr(GBytes) same = compile(kernel, &options, NULL);
  ck_assert(g_bytes_equal(code, same));
  for (uint64_t work = 1; work < all; work += 1 + all / 50) {
    g_autoptr(NornModule) module = parse(kernel, "search");
    g_autoptr(GError) error = NULL;
    options.limits.work = work;
    ck_assert_ptr_null(norn_compile(module, &options, &info, &error));
    ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_LIMIT));
    ck_assert_uint_gt(info.work, work);
  }
  NornCancel cancel = {0};
  norn_cancel(&cancel);
  options.limits = (NornLimits){.cancel = &cancel};
  g_autoptr(NornModule) module = parse(kernel, "search");
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(norn_compile(module, &options, &info, &error));
  ck_assert(g_error_matches(error, NORN_ERROR, NORN_ERROR_CANCELLED));
}
END_TEST

/* What hooks have seen. */
typedef struct Seen {
  unsigned selections, spills;
} Seen;

static void
note_dump(const NornModule *module, const char *pass, gpointer user_data) {
  Seen *seen = user_data;
  (void)module;
  seen->selections += !strcmp(pass, "select");
}

static void
note_spill(const NornSpilledValue *value, gpointer user_data) {
  Seen *seen = user_data;
  (void)value;
  ck_assert_uint_eq(seen->selections, 1);
  seen->spills++;
}

/* Only of the compilation that is kept are there dumps and reports of spills. */
START_TEST(only_one_candidate_is_dumped) {
  g_autoptr(GString) text = g_string_new("shader compute @k workgroup(1, 1, 1) {\n"
                                         "  fau x: i64 @ 0\n"
                                         "entry:\n"
                                         "  %t0 = load.global.i32 fau.x\n");
  for (unsigned i = 1; i < 40; i++)
    g_string_append_printf(text, "  %%t%u = imul.i32 %%t%u, %%t%u\n", i, i - 1, i / 2);
  for (unsigned i = 0; i < 40; i++)
    g_string_append_printf(text,
                           "  %%s%u = iadd.i32 %%t%u, %%t39\n"
                           "  store.global.i32 %%s%u, fau.x, offset:%u\n",
                           i, i, i, 4 * i);
  g_string_append(text, "  end\n}\n");
  Seen seen = {0};
  NornCompileOptions options = options_of(3, FEW);
  options.chaos = NORN_CHAOS_SPILL;
  options.dump = note_dump;
  options.spill_hook = note_spill;
  options.dump_data = options.spill_data = &seen;
  g_bytes_unref(compile(text->str, &options, NULL));
  ck_assert_uint_eq(seen.selections, 1);
  ck_assert_uint_gt(seen.spills, 0);
}
END_TEST

/* The limit of passes applies only to the compilation that is kept. */
START_TEST(limited_passes_find_the_same) {
  NornCompileOptions options = options_of(3, EFFORT);
  NornCompileInfo info, limited;
  g_autoptr(GBytes) code = compile(kernel, &options, &info);
  ck_assert_str_ne(info.candidate, "level 2");
  options.pass_limit = 0;
  g_autoptr(GBytes) other = compile(kernel, &options, &limited);
  ck_assert_str_eq(info.candidate, limited.candidate);
  ck_assert(!g_bytes_equal(code, other));
}
END_TEST

/* A loop without a counter is assumed to have eight iterations, others their actual number. */
START_TEST(rounds_are_estimated) {
  static const char loop[] = "shader compute @k workgroup(16, 1, 1) {\n"
                             "  fau x: i64 @ 0, n: i32 @ 2\n"
                             "entry:\n"
                             "  jump head(0)\n"
                             "head(%k: i32):\n"
                             "  store.global.i32 %k, fau.x\n"
                             "  %next = iadd.i32 %k, 1\n"
                             "  %more = icmp.ult.i32 %next, BOUND\n"
                             "  br %more, head(%next), done\n"
                             "done:\n"
                             "  end\n"
                             "}\n";
  NornCompileOptions options = options_of(1, 0);
  static const char *const bounds[] = {"fau.n", "8", "100"};
  double cycles[G_N_ELEMENTS(bounds)], once[G_N_ELEMENTS(bounds)];
  for (unsigned i = 0; i < G_N_ELEMENTS(bounds); i++) {
    g_auto(GStrv) parts = g_strsplit(loop, "BOUND", 2);
    g_autofree char *text = g_strjoinv(bounds[i], parts);
    g_autoptr(GBytes) code = compile(text, &options, NULL);
    NornStatistics statistics = count(code, NULL);
    cycles[i] = statistics.warp_cycles;
    once[i] = statistics.alone_cycles;
  }
  ck_assert_double_eq(cycles[0], cycles[1]);
  ck_assert_double_gt(cycles[1], 2 * once[1]);
  ck_assert_double_gt(cycles[2], 10 * cycles[1]);
}
END_TEST

/* Each further iteration takes as long as the one before. The header of a loop that is left there
 * is executed once more. */
START_TEST(iterations_are_estimated) {
  static const char *const loops[] = {
      "head(%%k: i32, %%a: i32):\n  %%more = icmp.ult.i32 %%k, %u\n  br %%more, body, done(%%a)\n"
      "body:\n  %%b = imul.i32 %%a, %%a\n  %%next = iadd.i32 %%k, 1\n  jump head(%%next, %%b)\n",
      "head(%%k: i32, %%a: i32):\n  %%b = imul.i32 %%a, %%a\n  %%next = iadd.i32 %%k, 1\n"
      "  %%more = icmp.ult.i32 %%next, %u\n  br %%more, head(%%next, %%b), done(%%b)\n"};
  NornCompileOptions options = options_of(0, 0);
  for (unsigned i = 0; i < G_N_ELEMENTS(loops); i++) {
    double cycles[5], once = 0;
    for (unsigned n = i; n < G_N_ELEMENTS(cycles); n++) {
      g_autoptr(GString) text = g_string_new("shader compute @k workgroup(16, 1, 1) {\n"
                                             "  fau x: i64 @ 0\nentry:\n  jump head(0, 3)\n");
      g_string_append_printf(text, loops[i], n);
      g_string_append(text, "done(%z: i32):\n  store.global.i32 %z, fau.x\n  end\n}\n");
      g_autoptr(GBytes) code = compile(text->str, &options, NULL);
      NornStatistics statistics = count(code, NULL);
      cycles[n] = statistics.warp_cycles;
      once = statistics.alone_cycles;
    }
    double iteration = cycles[4] - cycles[3];
    ck_assert_double_gt(iteration, 0);
    ck_assert_double_eq(cycles[3] - cycles[2], iteration);
    ck_assert_double_eq(cycles[2] - cycles[1], iteration);
    if (i) {
      ck_assert_double_eq(cycles[1], once);
    } else {
      ck_assert_double_lt(cycles[0], once);
      ck_assert_double_gt(cycles[1], once);
      ck_assert_double_lt(cycles[1], once + iteration);
    }
  }
}
END_TEST

/* A loop without a counter has as many iterations as its mark says, or none if it is the rest of
 * another; a loop with a counter has as many as that says. */
START_TEST(marks_are_estimated) {
  static const char loop[] = "shader compute @k workgroup(16, 1, 1) {\n"
                             "  fau x: i64 @ 0, n: i32 @ 2\n"
                             "entry:\n"
                             "  jump head(0)\n"
                             "head(%%k: i32):\n"
                             "  loop_entry 1%s\n"
                             "  store.global.i32 %%k, fau.x\n"
                             "  %%next = iadd.i32 %%k, 1\n"
                             "  %%more = icmp.ult.i32 %%next, %s\n"
                             "  br %%more, head(%%next), done\n"
                             "done:\n"
                             "  end\n"
                             "}\n";
  static const struct {
    const char *mark, *bound;
    unsigned expected_count;
  } loops[] = {{"", "fau.n", 0},
               {", iterations:8", "fau.n", 1},
               {", iterations:100", "fau.n", 1},
               {", rest", "fau.n", 1},
               {", iterations:100", "8", 1}};
  NornCompileOptions options = options_of(1, 0);
  double cycles[G_N_ELEMENTS(loops)];
  for (unsigned i = 0; i < G_N_ELEMENTS(loops); i++) {
    NornCompileInfo info;
    g_autofree char *text = g_strdup_printf(loop, loops[i].mark, loops[i].bound);
    g_autoptr(GBytes) code = compile(text, &options, &info);
    cycles[i] = count(code, &info).warp_cycles;
    ck_assert_uint_eq(info.expected_count, loops[i].expected_count);
    if (!i)
      ck_assert_double_eq(cycles[0], count(code, NULL).warp_cycles);
  }
  ck_assert_double_eq(cycles[1], cycles[0]);
  ck_assert_double_gt(cycles[2], 10 * cycles[0]);
  ck_assert_double_lt(cycles[3], cycles[0] / 4);
  ck_assert_double_eq(cycles[4], cycles[0]);
}
END_TEST

/* A register outside of the small file, read or written, halves the threads. */
START_TEST(threads_are_estimated) {
  static const struct {
    const char *text;
    unsigned threads;
  } cases[] = {{"MOV.i32 r15, r48\nNOP.end\n", 2},
               {"MOV.i32 r16, r0\nNOP.end\n", 1},
               {"MOV.i32 r0, r47\nNOP.end\n", 1}};
  for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GBytes) code = assemble_for("valhall", 0, false, cases[i].text);
    NornMachineCode machine = code_of(code);
    NornReportEstimate estimate;
    ck_assert(norn_report_estimate_code(&machine, &estimate, NULL));
    ck_assert_uint_eq(estimate.threads, cases[i].threads);
    ck_assert_uint_eq(estimate.instructions, 2);
  }
}
END_TEST

/* A loop whose first iteration does something else. */
START_TEST(first_iterations_are_split_off) {
  static const char text[] = "shader compute @k workgroup(16, 1, 1) {\n"
                             "  fau x: i64 @ 0, n: i32 @ 2, m: i32 @ 3\n"
                             "entry:\n"
                             "  jump head(fau.m, 0)\n"
                             "head(%k: i32, %a: i32):\n"
                             "  %first = icmp.eq.i32 %k, fau.m\n"
                             "  %p = shladd.u32.i64 fau.x, %k, 2\n"
                             "  br %first, load, add\n"
                             "load:\n"
                             "  %v = load.global.i32 fau.x, offset:8\n"
                             "  jump next(%v)\n"
                             "add:\n"
                             "  %s = imul.i32 %a, 5\n"
                             "  barrier.workgroup\n"
                             "  jump next(%s)\n"
                             "next(%b: i32):\n"
                             "  store.global.i32 %b, %p\n"
                             "  %k1 = iadd.i32 %k, 1\n"
                             "  %more = icmp.slt.i32 %k1, fau.n\n"
                             "  br %more, head(%k1, %b), done\n"
                             "done:\n"
                             "  end\n"
                             "}\n";
  NornCompileOptions options = options_of(NORN_SEARCH_LEVEL, 0);
  NornCompileInfo info;
  g_autoptr(GBytes) peeled = compile(text, &options, &info);
  double cycles = count(peeled, &info).warp_cycles;
  options.skip_passes = "peel-loops";
  g_autoptr(GBytes) whole = compile(text, &options, &info);
  ck_assert_double_lt(cycles, count(whole, &info).warp_cycles);
}
END_TEST

/* Constant data is not code: candidates with it can be compared. */
START_TEST(constant_data) {
  static const char text[] = "shader compute @t workgroup(1, 1, 1) {\n"
                             "  fau x: i64 @ 0, n: i32 @ 2\n"
                             "  data i32 0xFFFFFFFF, 2, 3\n"
                             "entry:\n"
                             "  %a = data_address 0\n"
                             "  %p = shladd.u32.i64 %a, fau.n, 2\n"
                             "  %v = load.global.i32 %p\n"
                             "  store.global.i32 %v, fau.x\n"
                             "  end\n"
                             "}\n";
  NornCompileOptions best = options_of(3, EFFORT);
  NornCompileInfo info;
  g_bytes_unref(compile(text, &best, &info));
  ck_assert_uint_eq(info.data_size, 12);
  ck_assert_uint_eq(info.candidates, EFFORT);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("search");
  TCase *tests = tcase_create("search");
  tcase_add_test(tests, no_kernel_gets_slower);
  tcase_add_test(tests, candidates_differ);
  tcase_add_test(tests, changes_add_up);
  tcase_add_test(tests, prefers_better_code);
  tcase_add_test(tests, compilation_is_repeatable);
  tcase_add_test(tests, effort_is_counted);
  tcase_add_test(tests, limits_hold);
  tcase_add_test(tests, only_one_candidate_is_dumped);
  tcase_add_test(tests, limited_passes_find_the_same);
  tcase_add_test(tests, rounds_are_estimated);
  tcase_add_test(tests, iterations_are_estimated);
  tcase_add_test(tests, marks_are_estimated);
  tcase_add_test(tests, threads_are_estimated);
  tcase_add_test(tests, first_iterations_are_split_off);
  tcase_add_test(tests, constant_data);
  suite_add_tcase(suite, tests);
  return suite;
}
