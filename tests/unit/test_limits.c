/* Limits of work, memory and code, and cancellation: each limit exceeded and just not exceeded,
 * at every point of a compilation, and requests from another thread. */
#include "ir_text.h"
#include "unit.h"
#include <norn/norn.h>

/* A kernel with a bit of everything: a loop, a branch, a call, memory, divergence. */
static const char kernel[] = "shader compute @t workgroup(16, 1, 1) shared(64) {\n"
                             "  fau p: i64 @ 0, n: i32 @ 2\n"
                             "entry:\n"
                             "  %i = local_index\n"
                             "  %q = shladd.u32.i64 fau.p, %i, 2\n"
                             "  %w = shl.i32 %i, 2\n"
                             "  jump head(0, 1)\n"
                             "head(%k: i32, %s: i32):\n"
                             "  %more = icmp.ult.i32 %k, %i\n"
                             "  br %more, round, out\n"
                             "round:\n"
                             "  %a = load.global.i32 %q\n"
                             "  %b = load.global.i32 %q, offset:64\n"
                             "  %c = call.i32 @f(%a, %s)\n"
                             "  %d = udiv.i32 %c, 7\n"
                             "  %t = iadd.i32 %d, %b\n"
                             "  %next = iadd.i32 %k, 1\n"
                             "  jump head(%next, %t)\n"
                             "out:\n"
                             "  store.shared.i32 %s, %w\n"
                             "  store.global.i32 %s, %q\n"
                             "  end\n"
                             "}\n"
                             "function @f(%x: i32, %y: i32) -> i32 {\n"
                             "entry:\n"
                             "  %m = imul.i32 %x, %y\n"
                             "  return.i32 %m\n"
                             "}\n";
#define KERNEL_LINES 23 /* of function bodies */
#define STEP_WORK 100   /* more than any step of a pass does between two checks of the limit */

/* Runs until it is stopped. */
static const char endless[] = "shader compute @t workgroup(16, 1, 1) {\n"
                              "entry:\n"
                              "  jump head(0)\n"
                              "head(%k: i32):\n"
                              "  %n = iadd.i32 %k, 1\n"
                              "  %c = icmp.ne.i32 %n, 0x7fffffff\n"
                              "  br %c, head(0), out\n"
                              "out:\n"
                              "  end\n"
                              "}\n";

static void
check_error(GError *error, NornErrorCode code, const char *message) {
  ck_assert_ptr_nonnull(error);
  ck_assert_msg(g_error_matches(error, NORN_ERROR, (int)code), "%s", error->message);
  ck_assert_msg(strstr(error->message, message) != NULL, "%s", error->message);
  g_error_free(error);
}

/* --- Reading --- */

static NornModule *
parse_limited(NornLimits limits, GError **error) {
  return norn_module_parse_limited(kernel, strlen(kernel), "t", &limits, error);
}

START_TEST(limited_parse) {
  GError *error = NULL;
  norn_module_free(parse_limited((NornLimits){.work = KERNEL_LINES}, &error));
  ck_assert_ptr_null(error);
  ck_assert_ptr_null(parse_limited((NornLimits){.work = KERNEL_LINES - 1}, &error));
  check_error(error, NORN_ERROR_LIMIT, "t: exceeded the limit of 22 units of work");
  error = NULL;
  norn_module_free(parse_limited((NornLimits){.memory = 1 << 20}, &error));
  ck_assert_ptr_null(error);
  ck_assert_ptr_null(parse_limited((NornLimits){.memory = 1000}, &error));
  check_error(error, NORN_ERROR_LIMIT, "t: exceeded the limit of 1000 bytes of memory");
  NornCancel cancel = {0};
  error = NULL;
  norn_module_free(parse_limited((NornLimits){.cancel = &cancel}, &error));
  ck_assert_ptr_null(error);
  norn_cancel(&cancel);
  ck_assert_ptr_null(parse_limited((NornLimits){.cancel = &cancel}, &error));
  check_error(error, NORN_ERROR_CANCELLED, "t: cancelled");
}
END_TEST

/* --- Compiling --- */

/* The most memory that is in use before or after a pass. */
static uint64_t most_memory;

static void
note_memory(const char *pass, bool ends, uint64_t memory, gpointer user_data) {
  (void)pass, (void)ends, (void)user_data;
  most_memory = MAX(most_memory, memory);
}

static bool
compile_limited(NornLimits limits, NornCompileInfo *info, GError **error) {
  NornModule *module = parse_text(kernel);
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.limits = limits;
  options.pass_hook = note_memory;
  GBytes *code = norn_compile(module, &options, info, error);
  norn_module_free(module);
  if (!code)
    return false;
  g_bytes_unref(code);
  return true;
}

START_TEST(limited_work) {
  NornCompileInfo info;
  GError *error = NULL;
  ck_assert(compile_limited((NornLimits){0}, &info, &error));
  uint64_t all = info.work;
  ck_assert_uint_gt(all, 100);
  ck_assert(compile_limited((NornLimits){.work = all}, &info, &error));
  ck_assert_uint_eq(info.work, all);
  /* wherever it stops, there is an error and nothing leaks */
  for (uint64_t work = 1; work < all; work += 1 + all / 300) {
    ck_assert(!compile_limited((NornLimits){.work = work}, &info, &error));
    ck_assert_uint_gt(info.work, work);
    ck_assert_uint_lt(info.work, work + STEP_WORK);
    check_error(error, NORN_ERROR_LIMIT, "units of work");
    error = NULL;
  }
  ck_assert(!compile_limited((NornLimits){.work = all - 1}, &info, &error));
  check_error(error, NORN_ERROR_LIMIT, "units of work");
}
END_TEST

START_TEST(limited_memory) {
  GError *error = NULL;
  uint64_t min = 0;
  for (uint64_t bytes = 1 << 10; !min && bytes <= 1 << 24; bytes *= 2) {
    if (compile_limited((NornLimits){.memory = bytes}, NULL, &error)) {
      min = bytes;
    } else {
      check_error(error, NORN_ERROR_LIMIT, "bytes of memory");
      error = NULL;
    }
  }
  ck_assert_uint_gt(min, 1 << 10);
  /* less than the memory in use when a pass begins or ends */
  ck_assert(compile_limited((NornLimits){0}, NULL, &error));
  ck_assert(!compile_limited((NornLimits){.memory = most_memory - 1}, NULL, &error));
  check_error(error, NORN_ERROR_LIMIT, "bytes of memory");
}
END_TEST

START_TEST(limited_code) {
  NornCompileInfo info;
  GError *error = NULL;
  ck_assert(compile_limited((NornLimits){0}, &info, &error));
  uint64_t bytes = info.instructions * UINT64_C(8);
  ck_assert(compile_limited((NornLimits){.code = bytes}, &info, &error));
  ck_assert(!compile_limited((NornLimits){.code = bytes - 1}, &info, &error));
  check_error(error, NORN_ERROR_LIMIT, "bytes of code, expected at most");
}
END_TEST

/* 4096 variables of a mebibyte, and one more: more bytes than 32 bits can count. */
START_TEST(limited_variables) {
  GString *text = g_string_new("shader compute @t workgroup(1, 1, 1) {\n"
                               "  fau n: i32 @ 0\n"
                               "entry:\n");
  for (unsigned i = 0; i <= 4096; i++)
    g_string_append_printf(text, "  %%v%u = alloca 1048576\n  store.scratch.i32 fau.n, %%v%u\n", i,
                           i);
  g_string_append(text, "  end\n}\n");
  GError *error = NULL;
  NornModule *module = norn_module_parse(text->str, text->len, "t", &error);
  ck_assert_msg(module != NULL, "%s", error ? error->message : "");
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.optimization_level = 0;
  ck_assert_ptr_null(norn_compile(module, &options, NULL, &error));
  check_error(error, NORN_ERROR_LIMIT, "bytes of thread-local memory, expected at most 1048576");
  norn_module_free(module);
  g_string_free(text, TRUE);
}
END_TEST

START_TEST(cancelled_passes) {
  NornCompileOptions options;
  norn_compile_options_init(&options);
  NornCancel cancel = {0};
  norn_cancel(&cancel);
  options.limits.cancel = &cancel;
  NornModule *module = parse_text(kernel);
  GError *error = NULL;
  ck_assert(!norn_run_passes(module, "inline,optimize", &options, NULL, &error));
  check_error(error, NORN_ERROR_CANCELLED, "t: cancelled");
  norn_module_free(module);
}
END_TEST

/* --- Another thread --- */

typedef struct Canceller {
  NornCancel cancel;
  gulong delay; /* microseconds */
} Canceller;

static gpointer
cancel_later(gpointer data) {
  Canceller *canceller = data;
  g_usleep(canceller->delay);
  norn_cancel(&canceller->cancel);
  return NULL;
}

/* Compiles repeatedly until the other thread stops it, each time at a different point. */
START_TEST(compile_cancelled) {
  for (gulong delay = 1; delay < 4000; delay = delay * 3 / 2 + 1) {
    Canceller canceller = {.delay = delay};
    GThread *thread = g_thread_new("cancel", cancel_later, &canceller);
    GError *error = NULL;
    while (compile_limited((NornLimits){.cancel = &canceller.cancel}, NULL, &error))
      ;
    g_thread_join(thread);
    check_error(error, NORN_ERROR_CANCELLED, "cancelled");
  }
}
END_TEST

static void
check_run_cancelled(bool interpret) {
  NornModule *module = parse_text(endless);
  Canceller canceller = {.delay = 2000};
  GBytes *code = NULL;
  GError *error = NULL;
  NornLaunch launch = {.grid = {1, 1, 1},
                       .workgroup = {16, 1, 1},
                       .step_limit = UINT64_MAX,
                       .cancel = &canceller.cancel};
  if (!interpret)
    code = norn_compile(module, NULL, NULL, &error);
  ck_assert_ptr_null(error);
  GThread *thread = g_thread_new("cancel", cancel_later, &canceller);
  bool done = interpret ? norn_interpret(module, &launch, NULL, &error)
                        : norn_simulate_valhall(g_bytes_get_data(code, NULL),
                                                g_bytes_get_size(code), "9", &launch, NULL, &error);
  g_thread_join(thread);
  ck_assert(!done);
  check_error(error, NORN_ERROR_CANCELLED, "cancelled");
  g_clear_pointer(&code, g_bytes_unref);
  norn_module_free(module);
}

START_TEST(runs_cancelled) {
  check_run_cancelled(true);
  check_run_cancelled(false);
}
END_TEST

/* --- Steps and memory of runs --- */

/* Runs a program of some steps; *steps gets their number. */
static bool
run_steps(bool interpret, uint64_t limit, uint64_t *steps, GError **error) {
  NornModule *module = parse_text(HEAD "e:\n"
                                       "  %i = local_index\n"
                                       "  %w = shl.i32 %i, 2\n"
                                       "  store.shared.i32 %i, %w\n"
                                       "  end\n"
                                       "}\n");
  NornLaunch launch = {
      .grid = {2, 1, 1}, .workgroup = {16, 1, 1}, .shared_bytes = 64, .step_limit = limit};
  NornReport report = {0};
  GBytes *code = interpret ? NULL : norn_compile(module, NULL, NULL, NULL);
  bool done = interpret
                  ? norn_interpret(module, &launch, &report, error)
                  : norn_simulate_valhall(g_bytes_get_data(code, NULL), g_bytes_get_size(code), "9",
                                          &launch, &report, error);
  *steps = report.thread_instructions;
  g_clear_pointer(&code, g_bytes_unref);
  norn_module_free(module);
  return done;
}

START_TEST(run_steps_exactly) {
  for (unsigned interpret = 0; interpret < 2; interpret++) {
    GError *error = NULL;
    uint64_t all, some;
    ck_assert(run_steps(interpret, 0, &all, &error));
    ck_assert_uint_gt(all, 2 * 16);
    uint64_t least = all + (interpret ? 2 : 0); /* it also clears the memory of two workgroups */
    ck_assert(run_steps(interpret, least, &some, &error));
    ck_assert_uint_eq(some, all);
    ck_assert(!run_steps(interpret, least - 1, &some, &error));
    check_error(error, NORN_ERROR_LIMIT, "reached the limit of");
  }
}
END_TEST

static bool
run_limited(bool interpret, size_t limit, GError **error) {
  NornModule *module = parse_text(HEAD "e:\n  end\n}\n");
  NornLaunch launch = {.grid = {1, 1, 1},
                       .workgroup = {16, 1, 1},
                       .shared_bytes = 4096,
                       .scratch_bytes = 64,
                       .memory_limit = limit};
  bool done;
  if (interpret) {
    done = norn_interpret(module, &launch, NULL, error);
  } else {
    GBytes *code = norn_compile(module, NULL, NULL, NULL);
    done = norn_simulate_valhall(g_bytes_get_data(code, NULL), g_bytes_get_size(code), "9", &launch,
                                 NULL, error);
    g_bytes_unref(code);
  }
  norn_module_free(module);
  return done;
}

START_TEST(run_memory) {
  for (unsigned interpret = 0; interpret < 2; interpret++) {
    GError *error = NULL;
    ck_assert(!run_limited(interpret, 4096, &error));
    check_error(error, NORN_ERROR_LIMIT, "memory");
    error = NULL;
    size_t low = 4096, high = 1 << 20; /* the lowest sufficient limit is in (low, high] */
    ck_assert(run_limited(interpret, high, &error));
    while (high - low > 1) {
      size_t middle = low + (high - low) / 2;
      if (run_limited(interpret, middle, NULL))
        high = middle;
      else
        low = middle;
    }
    ck_assert_uint_ge(high, 4096 + 16 * 64);
    ck_assert(run_limited(interpret, high, NULL));
    ck_assert(!run_limited(interpret, high - 1, NULL));
  }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("limits");
  TCase *tests = tcase_create("all");
  tcase_add_test(tests, limited_parse);
  tcase_add_test(tests, limited_work);
  tcase_add_test(tests, limited_memory);
  tcase_add_test(tests, limited_code);
  tcase_add_test(tests, limited_variables);
  tcase_add_test(tests, cancelled_passes);
  tcase_add_test(tests, compile_cancelled);
  tcase_add_test(tests, runs_cancelled);
  tcase_add_test(tests, run_steps_exactly);
  tcase_add_test(tests, run_memory);
  suite_add_tcase(suite, tests);
  return suite;
}
