/* The interpreter on small programs: their results in memory, word by word, and their traps.
 *
 * Each program gets one buffer, "out", whose address is in uniform words 0 and 1; the tests of
 * ordering write it through atomics. */
#include "ir_text.h"
#include "sim/interpreter/interpreter.h"
#include "unit.h"
#include <norn/norn.h>
#include <string.h>

#define OUT_WORDS 64

typedef struct Fixture {
  uint32_t out[OUT_WORDS];
  uint32_t uniforms[8];
  NornLaunch launch;
  NornReport report;
  GError *error;
  char *code; /* part of the error */
  const NornSimulator *simulator;
} Fixture;

static void
fixture_init(Fixture *f) {
  *f = (Fixture){.launch = {.grid = {1, 1, 1}}};
  f->launch.uniforms = f->uniforms;
  f->launch.uniform_count = G_N_ELEMENTS(f->uniforms);
}

/* Runs `text` and fetches the words of "out". Returns whether it ran to its end. */
static bool
run_text(Fixture *f, const char *text) {
  NornModule *module = parse_text(text);
  NornMemory *memory = norn_memory_new();
  ck_assert(norn_memory_add(memory, "out", 0, f->out, sizeof f->out, NULL));
  uint64_t address = norn_memory_address(memory, 0);
  f->uniforms[0] = (uint32_t)address;
  f->uniforms[1] = (uint32_t)(address >> 32);
  f->launch.memory = memory;
  g_clear_error(&f->error);
  bool done = norn_interpret_with(module, &f->launch, f->simulator, &f->report, &f->error);
  memcpy(f->out, norn_memory_bytes(memory, 0, NULL), sizeof f->out);
  norn_memory_free(memory);
  norn_module_free(module);
  return done;
}

static void
run_checked(Fixture *f, const char *text, const uint32_t *expected, unsigned count) {
  bool done = run_text(f, text);
  ck_assert_msg(done, "%s", f->error ? f->error->message : "");
  for (unsigned i = 0; i < count; i++)
    ck_assert_msg(f->out[i] == expected[i], "word %u is 0x%x, not 0x%x", i, f->out[i], expected[i]);
}

#define CHECK_WORDS(f, text, ...)                                                                  \
  do {                                                                                             \
    const uint32_t expected_[] = {__VA_ARGS__};                                                    \
    run_checked(f, text, expected_, G_N_ELEMENTS(expected_));                                      \
  } while (0)

/* A program whose body computes %r, a word, for each of 16 invocations and stores it. */
#define SHADER(attributes, body)                                                                   \
  "shader compute @t " attributes " {\n  fau out: i64 @ 0\n" body "}\n"
#define STORE_R                                                                                    \
  "  %index = local_index\n"                                                                       \
  "  %where = shladd.u32.i64 fau.out, %index, 2\n"                                                 \
  "  store.global.i32 %r, %where\n"                                                                \
  "  end\n"

START_TEST(lanes_diverge_and_reconverge) {
  Fixture f;
  fixture_init(&f);
  /* Even and odd lanes take different arms; after the arms, all 16 lanes add at once. */
  CHECK_WORDS(&f,
              SHADER("workgroup(16, 1, 1)", "entry:\n"
                                            "  %i = local_index\n"
                                            "  %b = and.i32 %i, 1\n"
                                            "  %odd = icmp.eq.i32 %b, 1\n"
                                            "  br %odd, left, right\n"
                                            "left:\n"
                                            "  %x = iadd.i32 %i, 100\n"
                                            "  jump join(%x)\n"
                                            "right:\n"
                                            "  %y = imul.i32 %i, 3\n"
                                            "  jump join(%y)\n"
                                            "join(%r: i32):\n" STORE_R),
              0, 101, 6, 103, 12, 105, 18, 107, 24, 109, 30, 111, 36, 113, 42, 115);
  ck_assert_uint_eq(f.report.invocations, 16);
  ck_assert_uint_eq(f.report.warps, 1);
  /* 4 + 2 + 2 + 4 steps, the arms for 8 lanes each. */
  ck_assert_uint_eq(f.report.instructions, 12);
  ck_assert_uint_eq(f.report.thread_instructions, 4 * 16 + 2 * 8 + 2 * 8 + 4 * 16);
}
END_TEST

START_TEST(subgroups_are_as_wide_as_the_machine) {
  static const NornSimulator narrow = {.lanes = 8};
  Fixture f;
  fixture_init(&f);
  f.simulator = &narrow;
  /* Number of the subgroup; number of its lane 9 % 8; lanes so far; where lane 1 is. */
  CHECK_WORDS(&f,
              SHADER("workgroup(12, 1, 1)", "entry:\n"
                                            "  %i = local_index\n"
                                            "  %l = lane_id\n"
                                            "  %one = icmp.eq.i32 %l, 1\n"
                                            "  %s = subgroup_id\n"
                                            "  %o = shuffle.i32 %i, 9\n"
                                            "  %c = iscan.add.i32 1\n"
                                            "  %n = ballot %one\n"
                                            "  %s8 = shl.i32 %s, 8\n"
                                            "  %r1 = or.i32 %o, %s8\n"
                                            "  %o8 = shl.i32 %r1, 8\n"
                                            "  %r2 = or.i32 %c, %o8\n"
                                            "  %c8 = shl.i32 %r2, 8\n"
                                            "  %r = or.i32 %n, %c8\n" STORE_R),
              0x00010102, 0x00010202, 0x00010302, 0x00010402, 0x00010502, 0x00010602, 0x00010702,
              0x00010802, 0x01090102, 0x01090202, 0x01090302, 0x01090402);
  ck_assert_uint_eq(f.report.warps, 2);
}
END_TEST

/* Lane i does i iterations; the sum of the iterations' numbers is i * (i - 1) / 2. */
static const char loop_text[] =
    SHADER("workgroup(16, 1, 1)", "entry:\n"
                                  "  %i = local_index\n"
                                  "  jump head(0, 0)\n"
                                  "done:\n"
                                  "  jump last(%s)\n"
                                  "last(%r: i32):\n" STORE_R "head(%k: i32, %s: i32):\n"
                                  "  %more = icmp.ult.i32 %k, %i\n"
                                  "  br %more, body, done\n"
                                  "body:\n"
                                  "  %s1 = iadd.i32 %s, %k\n"
                                  "  %k1 = iadd.i32 %k, 1\n"
                                  "  jump head(%k1, %s1)\n");

START_TEST(lanes_leave_a_loop_one_by_one) {
  Fixture f;
  fixture_init(&f);
  CHECK_WORDS(&f, loop_text, 0, 0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105);
  /* Iterations are shared: 2 to start, 16 headers, 15 bodies, then all lanes end together. */
  ck_assert_uint_eq(f.report.instructions, 2 + 16 * 2 + 15 * 3 + 1 + 4);
}
END_TEST

START_TEST(parameters_are_assigned_at_once) {
  Fixture f;
  fixture_init(&f);
  CHECK_WORDS(&f,
              SHADER("", "entry:\n"
                         "  jump swap(1, 2, 0)\n"
                         "swap(%a: i32, %b: i32, %n: i32):\n"
                         "  %n1 = iadd.i32 %n, 1\n"
                         "  %again = icmp.ult.i32 %n1, 4\n"
                         "  br %again, swap(%b, %a, %n1), done\n"
                         "done:\n"
                         "  %h = shl.i32 %a, 8\n"
                         "  %r = or.i32 %h, %b\n" STORE_R),
              0x201);
}
END_TEST

START_TEST(moves_all_types_through_memory) {
  Fixture f;
  fixture_init(&f);
  f.out[0] = 0x8081F2F3;
  f.out[1] = 0x12345678;
  f.out[2] = 0x9ABCDEF0;
  f.out[3] = 7;
  CHECK_WORDS(&f,
              SHADER("", "entry:\n"
                         "  %b = sload.global.i32.i8 fau.out, offset:3\n"
                         "  store.global.i32 %b, fau.out, offset:16\n"
                         "  %h = uload.global.i32.i16 fau.out, offset:2\n"
                         "  store.global.i32 %h, fau.out, offset:20\n"
                         "  %d = load.global.i64 fau.out, offset:4\n"
                         "  store.global.i64 %d, fau.out, offset:24\n"
                         "  %w = load.global.w4 fau.out\n"
                         "  store.global.w4 %w, fau.out, offset:32\n"
                         "  %c = load.global.i8 fau.out, offset:1\n"
                         "  store.global.i8 %c, fau.out, offset:49\n"
                         "  end\n"),
              0x8081F2F3, 0x12345678, 0x9ABCDEF0, 7, 0xFFFFFF80, 0x8081, 0x12345678, 0x9ABCDEF0,
              0x8081F2F3, 0x12345678, 0x9ABCDEF0, 7, 0xF200);
}
END_TEST

START_TEST(groups_are_collected_and_split) {
  Fixture f;
  fixture_init(&f);
  CHECK_WORDS(&f,
              SHADER("", "entry:\n"
                         "  %g = collect.i32.w3 1, 2, 3\n"
                         "  %a, %b, %c = split.i32.w3 %g\n"
                         "  %d = collect.i32.i64 %c, %a\n"
                         "  %e = bitcast.w2.i64 %d\n"
                         "  store.global.w2 %e, fau.out\n"
                         "  %f = bitcast.i64.w2 %e\n"
                         "  %s = iadd.i64 %f, 1\n"
                         "  store.global.i64 %s, fau.out, offset:8\n"
                         "  %t = select.w3 false, %g, %g\n"
                         "  store.global.w3 %t, fau.out, offset:16\n"
                         "  end\n"),
              3, 1, 4, 1, 1, 2, 3);
}
END_TEST

START_TEST(knows_its_position_in_the_grid) {
  Fixture f;
  fixture_init(&f);
  f.launch.grid[0] = 2;
  f.launch.grid[1] = 2;
  CHECK_WORDS(&f,
              SHADER("workgroup(2, 3, 1)", "entry:\n"
                                           "  %x = global_id.x\n"
                                           "  %y = global_id.y\n"
                                           "  %n = workgroup_count.x\n"
                                           "  %s = workgroup_size.x\n"
                                           "  %w = imul.i32 %n, %s\n"
                                           "  %row = imul.i32 %y, %w\n"
                                           "  %i = iadd.i32 %row, %x\n"
                                           "  %l = local_index\n"
                                           "  %g = workgroup_id.y\n"
                                           "  %h = shl.i32 %g, 8\n"
                                           "  %r = or.i32 %l, %h\n"
                                           "  %p = shladd.u32.i64 fau.out, %i, 2\n"
                                           "  store.global.i32 %r, %p\n"
                                           "  end\n"),
              0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 0x100, 0x101, 0x100, 0x101, 0x102, 0x103, 0x102,
              0x103, 0x104, 0x105, 0x104, 0x105);
  ck_assert_uint_eq(f.report.invocations, 24);
  f.launch.grid[2] = 0;
  ck_assert(run_text(&f, loop_text));
  ck_assert_uint_eq(f.report.invocations, 0);
}
END_TEST

START_TEST(barriers_make_shared_memory_visible) {
  Fixture f;
  fixture_init(&f);
  /* Each of 40 invocations, in 3 subgroups, reads what its mirror image wrote. */
  static uint32_t expected[40];
  for (unsigned i = 0; i < 40; i++)
    expected[i] = 39 - i;
  const char *text =
      SHADER("workgroup(40, 1, 1) shared(160)", "entry:\n"
                                                "  %i = local_index\n"
                                                "  %p = shl.i32 %i, 2\n"
                                                "  store.shared.i32 %i, %p\n"
                                                "  barrier.workgroup\n"
                                                "  %q = isub.i32 156, %p\n"
                                                "  %r = load.shared.i32 %q\n" STORE_R);
  run_checked(&f, text, expected, 40);
}
END_TEST

START_TEST(atomics_return_the_old_value) {
  Fixture f;
  fixture_init(&f);
  f.out[20] = 5;
  f.out[22] = 0xFFFFFFF0;
  CHECK_WORDS(&f,
              SHADER("workgroup(4, 1, 1)", "entry:\n"
                                           "  %i = local_index\n"
                                           "  %r = atomic.global.add.i32 fau.out, 2, offset:80\n"
                                           "  %u = atomic.global.smax.i32 fau.out, %i, offset:88\n"
                                           "  %v = cmpxchg.global.i32 fau.out, 0, 9, offset:84\n"
                                           "  %x = atomic_inc.global.i64 fau.out, offset:96\n"
                                           "  %y = atomic_dec.global.i32 fau.out, offset:104\n"
                                           "  %z = atomic.global.exchange.i32 fau.out, %i, "
                                           "offset:108\n" STORE_R),
              5, 7, 9, 11);
  ck_assert_uint_eq(f.out[20], 13);
  ck_assert_uint_eq(f.out[21], 9);
  ck_assert_uint_eq(f.out[22], 3);
  ck_assert_uint_eq(f.out[24], 4);
  ck_assert_uint_eq(f.out[25], 0);
  ck_assert_uint_eq(f.out[26], 0xFFFFFFFC);
  ck_assert_uint_eq(f.out[27], 3);
}
END_TEST

START_TEST(switches_and_calls) {
  Fixture f;
  fixture_init(&f);
  static const char text[] =
      SHADER("workgroup(5, 1, 1)", "entry:\n"
                                   "  %i = local_index\n"
                                   "  switch.i32 %i, other, 1: one(10), 3: two\n"
                                   "one(%a: i32):\n"
                                   "  %b = call.i32 @twice(%a)\n"
                                   "  jump join(%b)\n"
                                   "two:\n"
                                   "  %c = call.i32 @twice(%i)\n"
                                   "  jump join(%c)\n"
                                   "other:\n"
                                   "  jump join(7)\n"
                                   "join(%r: i32):\n" STORE_R) "function @twice(%x: i32) -> i32 {\n"
                                                               "entry:\n"
                                                               "  %big = icmp.ugt.i32 %x, 5\n"
                                                               "  br %big, sum, product\n"
                                                               "sum:\n"
                                                               "  %s = iadd.i32 %x, %x\n"
                                                               "  return.i32 %s\n"
                                                               "product:\n"
                                                               "  %p = imul.i32 %x, 2\n"
                                                               "  return.i32 %p\n"
                                                               "}\n";
  CHECK_WORDS(&f, text, 7, 20, 7, 6, 7);
}
END_TEST

/* Two entries into the cycle of a and b. */
START_TEST(runs_irreducible_loops) {
  Fixture f;
  fixture_init(&f);
  CHECK_WORDS(&f,
              SHADER("workgroup(4, 1, 1)", "entry:\n"
                                           "  %i = local_index\n"
                                           "  %low = and.i32 %i, 1\n"
                                           "  %odd = icmp.ne.i32 %low, 0\n"
                                           "  br %odd, a(%i), b(%i)\n"
                                           "a(%x: i32):\n"
                                           "  %x1 = iadd.i32 %x, 1\n"
                                           "  jump b(%x1)\n"
                                           "b(%y: i32):\n"
                                           "  %y1 = iadd.i32 %y, 10\n"
                                           "  %big = icmp.ugt.i32 %y1, 30\n"
                                           "  br %big, done(%y1), a(%y1)\n"
                                           "done(%r: i32):\n" STORE_R),
              32, 34, 34, 36);
}
END_TEST

static void
check_trap(Fixture *f, const char *text, int code, const char *message) {
  ck_assert(!run_text(f, text));
  ck_assert_msg(g_error_matches(f->error, NORN_ERROR, code), "%s", f->error->message);
  ck_assert_msg(strstr(f->error->message, message), "%s", f->error->message);
  g_clear_error(&f->error);
}

START_TEST(traps_name_the_location) {
  Fixture f;
  fixture_init(&f);
  check_trap(&f,
             SHADER("workgroup(8, 1, 1)", "entry:\n"
                                          "  %i = local_index\n"
                                          "  %p = shladd.u32.i64 fau.out, %i, 6\n"
                                          "  store.global.i32 1, %p\n"
                                          "  end\n"),
             NORN_ERROR_TRAP,
             "t:6:3: store.global in invocation (4, 0, 0), lane 4: store of 4 bytes at 0x");
  ck_assert_uint_eq(f.out[48], 1);
  check_trap(&f, SHADER("", "entry:\n  store.global.i32 1, fau.out, offset:2\n  end\n"),
             NORN_ERROR_TRAP, "which is not a multiple of 4");
  check_trap(&f, SHADER("shared(8)", "entry:\n  store.shared.i32 1, 8\n  end\n"), NORN_ERROR_TRAP,
             "store of 4 bytes at 0x8, outside the workgroup memory");
  check_trap(&f, SHADER("", "entry:\n  %x = load.scratch.i32 0\n  end\n"), NORN_ERROR_TRAP,
             "load of 4 bytes at 0x0, outside the thread-local memory");
  check_trap(&f, SHADER("", "entry:\n  unreachable\n"), NORN_ERROR_TRAP, "t:4:3: unreachable");
  f.launch.step_limit = 1000;
  check_trap(&f, SHADER("", "entry:\n  jump entry2\nentry2:\n  jump entry2\n"), NORN_ERROR_LIMIT,
             "reached the limit of 1000 steps");
  /* Clearing memory counts: one step for 64 bytes of each invocation. */
  f.launch.step_limit = 2 * (65536 / 64 + 1) - 1;
  f.launch.grid[0] = 2;
  check_trap(&f, SHADER("scratch(65536)", "entry:\n  end\n"), NORN_ERROR_LIMIT,
             "t:4:3: end in invocation (1, 0, 0), lane 0: reached the limit of 2049 steps");
  check_trap(&f, SHADER("grid(1)", "entry:\n  end\n"), NORN_ERROR_LIMIT,
             "grid of 2, 1, 1 workgroups, but the program allows at most 1 along an axis");
  f.launch.grid[0] = 1;
  f.launch.uniform_count = 1;
  check_trap(&f, SHADER("", "entry:\n  store.global.i32 1, fau.out\n  end\n"), NORN_ERROR_TRAP,
             "uniform word 1 is read, but the launch has only 1");
}
END_TEST

START_TEST(traps_on_undefined_conditions_and_addresses) {
  Fixture f;
  fixture_init(&f);
  check_trap(&f,
             SHADER("", "entry:\n"
                        "  %u = undef.i32\n"
                        "  %v = iadd.i32 %u, 1\n"
                        "  %c = icmp.eq.i32 %v, 1\n"
                        "  br %c, yes, no\n"
                        "yes:\n  end\nno:\n  end\n"),
             NORN_ERROR_TRAP, "the condition is undefined");
  check_trap(&f,
             SHADER("", "entry:\n"
                        "  %u = undef.i64\n"
                        "  store.global.i32 1, %u\n"
                        "  end\n"),
             NORN_ERROR_TRAP, "the address is undefined");
  /* The operand that is not selected may be undefined. */
  CHECK_WORDS(&f,
              SHADER("", "entry:\n"
                         "  %u = undef.i32\n"
                         "  %s = select.i32 true, 5, %u\n"
                         "  %c = icmp.eq.i32 %s, 5\n"
                         "  br %c, yes, no\n"
                         "yes:\n  store.global.i32 1, fau.out\n  end\nno:\n  end\n"),
              1);
  /* A NaN that the instruction's flags rule out. */
  check_trap(&f,
             SHADER("", "entry:\n"
                        "  %u = fadd.f32 nnan inf, -inf\n"
                        "  %c = fcmp.uno.f32 %u, %u\n"
                        "  br %c, yes, no\n"
                        "yes:\n  end\nno:\n  end\n"),
             NORN_ERROR_TRAP, "the condition is undefined");
}
END_TEST

/* Values that the flags of an instruction rule out, and the nearest that they do not. */
START_TEST(flags_make_results_undefined) {
#define DECIDE(body) SHADER("", "entry:\n" body "  br %c, yes, no\nyes:\n  jump no\nno:\n  end\n")
#define FLOAT(type, body) DECIDE("  %u = " body "\n  %c = fcmp.oeq." type " %u, %u\n")
#define SHIFTED(index) DECIDE("  %u = shl.i32 nowrap " index ", 2\n  %c = icmp.eq.i32 %u, 0\n")
#define SCALED(extend, index, shift)                                                               \
  DECIDE("  %u = shladd." extend ".i64 nowrap fau.out, " index ", " shift "\n"                     \
         "  %c = icmp.eq.i64 %u, 0\n")
  static const struct {
    const char *text;
    bool is_undefined;
  } rows[] = {
      {FLOAT("f32", "fmul.f32 ninf 0x7F000000, 4.0"), true},
      {FLOAT("f32", "fmin.f32 ninf inf, 1.0"), true},
      {FLOAT("f32", "fmul.f32 ninf 0x7F000000, 1.0"), false},
      {FLOAT("f32", "fmul.f32 nnan 0x7F000000, 4.0"), false},
      /* the exponent is no float */
      {FLOAT("f16", "fldexp.f16 nnan 1.0, 0x7E00"), false},
      {SHIFTED("0x0FFFFFFF"), false},
      {SHIFTED("0x10000000"), true},
      {SHIFTED("0xF0000000"), false},
      {SHIFTED("0xEFFFFFFF"), true},
      {SCALED("u32", "0x7FFFFFFF", "0"), false},
      {SCALED("u32", "0x80000000", "0"), true},
      {SCALED("s32", "0xE0000000", "0"), false},
      {SCALED("s32", "0xDFFFFFFF", "0"), true},
      {SCALED("u32", "0x7FFFFFFF", "1"), false},
      {SCALED("s32", "0xDFFFFFFF", "1"), true},
      {SCALED("u32", "0x5FFFFFFF", "2"), false},
      {SCALED("u32", "0x60000000", "2"), true},
      {SCALED("s32", "0xE0000000", "2"), false},
      {SCALED("s32", "0xDFFFFFFF", "2"), true},
      {SCALED("u32", "0x2FFFFFFF", "3"), false},
      {SCALED("u32", "0x30000000", "3"), true},
      {SCALED("s32", "0xF0000000", "3"), false},
      {SCALED("s32", "0xEFFFFFFF", "3"), true},
  };
#undef DECIDE
#undef FLOAT
#undef SHIFTED
#undef SCALED
  Fixture f;
  fixture_init(&f);
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
    bool done = run_text(&f, rows[i].text);
    ck_assert_msg(done != rows[i].is_undefined, "row %u: %s", i, f.error ? f.error->message : "");
    ck_assert(done || strstr(f.error->message, "the condition is undefined"));
    g_clear_error(&f.error);
  }
}
END_TEST

/* Whatever is computed from an undefined value is undefined, too. */
START_TEST(results_of_undefined_values) {
#define TEXT(body) SHADER("", "entry:\n" body)
#define BRANCH "  br %c, yes, no\nyes:\n  jump no\nno:\n  end\n"
#define WORD(body) TEXT("  %u = undef.i32\n" body "  %c = icmp.eq.i32 %v, 0\n" BRANCH)
#define TRUTH(body) TEXT("  %u = undef.i1\n" body BRANCH)
  static const struct {
    const char *text, *message;
  } rows[] = {
      {WORD("  %v = copy.i32 %u\n"), "the condition is undefined"},
      {WORD("  %w = collect.i32.i64 0, %u\n  %x, %v = split.i32.i64 %w\n"),
       "the condition is undefined"},
      {WORD("  %w = collect.i32.i64 %u, 0\n  %x, %v = split.i32.i64 %w\n"),
       "the condition is undefined"},
      {WORD("  %w = collect.i32.w2 0, %u\n  %x = bitcast.i64.w2 %w\n  %v = trunc.i32.i64 %x\n"),
       "the condition is undefined"},
      {WORD("  %v = shuffle.i32 7, %u\n"), "the condition is undefined"},
      {WORD("  %v = shuffle.i32 %u, 0\n"), "the condition is undefined"},
      {WORD("  %v = broadcast_first.i32 %u\n"), "the condition is undefined"},
      {WORD("  %v = ireduce.add.i32 %u, 4\n"), "the condition is undefined"},
      {TRUTH("  %v = select.i32 %u, 1, 2\n  %c = icmp.eq.i32 %v, 1\n"),
       "the condition is undefined"},
      {TRUTH("  %c = any %u\n"), "the condition is undefined"},
      {TRUTH("  %v = ballot %u\n  %c = icmp.eq.i32 %v, 0\n"), "the condition is undefined"},
      {TEXT("  %u = undef.i32\n  switch.i32 %u, no, 1: yes\nyes:\n  jump no\nno:\n  end\n"),
       "the value is undefined"},
      {TEXT("  %u = undef.i32\n  %v = load.buffer.i32 %u, 0\n  end\n"), "the handle is undefined"},
      {TEXT("  %u = undef.i32\n  store.buffer.i32 1, %u, 0\n  end\n"), "the handle is undefined"},
      {TEXT("  %u = undef.i32\n  %v = buffer_size %u\n  end\n"), "the handle is undefined"},
      /* in the odd lanes only, from which the even ones are subtracted */
      {SHADER("workgroup(16, 1, 1)", "entry:\n"
                                     "  %i = lane_id\n"
                                     "  %b = and.i32 %i, 1\n"
                                     "  %odd = icmp.ne.i32 %b, 0\n"
                                     "  %u = undef.f32\n"
                                     "  %v = select.f32 %odd, %u, 1.0\n"
                                     "  %d = ddx.fine.f32 %v\n"
                                     "  %c = fcmp.oeq.f32 %d, 0.0\n" BRANCH),
       "the condition is undefined"},
  };
#undef TEXT
#undef BRANCH
#undef WORD
#undef TRUTH
  Fixture f;
  fixture_init(&f);
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
    check_trap(&f, rows[i].text, NORN_ERROR_TRAP, rows[i].message);
}
END_TEST

START_TEST(unaligned_accesses) {
  Fixture f;
  fixture_init(&f);
  check_trap(&f, SHADER("", "entry:\n  %x = atomic_inc.global.i64 fau.out, offset:4\n  end\n"),
             NORN_ERROR_TRAP, "which is not a multiple of 8");
  CHECK_WORDS(&f,
              SHADER("", "entry:\n"
                         "  %x = load.global.i64 fau.out, offset:4\n"
                         "  store.global.i32 7, fau.out\n"
                         "  end\n"),
              7);
  check_trap(&f, SHADER("", "entry:\n  %x = load.global.i32 2\n  end\n"), NORN_ERROR_TRAP,
             "which is not a multiple of 4");
  f.launch.unmapped_is_zero = true;
  CHECK_WORDS(&f,
              SHADER("", "entry:\n"
                         "  %x = load.global.i32 2\n"
                         "  %y = iadd.i32 %x, 9\n"
                         "  store.global.i32 %y, fau.out\n"
                         "  end\n"),
              9);
}
END_TEST

START_TEST(traps_on_barriers_that_not_all_reach) {
  Fixture f;
  fixture_init(&f);
  check_trap(&f,
             SHADER("workgroup(20, 1, 1)", "entry:\n"
                                           "  %i = local_index\n"
                                           "  %c = icmp.eq.i32 %i, 17\n"
                                           "  br %c, out, on\n"
                                           "on:\n  barrier.workgroup\n  jump out\n"
                                           "out:\n  end\n"),
             NORN_ERROR_TRAP,
             "not all invocations of the workgroup reach this barrier: invocation 17 has ended");
  check_trap(&f,
             SHADER("workgroup(20, 1, 1)", "entry:\n"
                                           "  %i = local_index\n"
                                           "  %c = icmp.eq.i32 %i, 3\n"
                                           "  br %c, out, on\n"
                                           "on:\n  barrier.workgroup\n  end\n"
                                           "out:\n  barrier.workgroup\n  end\n"),
             NORN_ERROR_TRAP, "waits at another barrier");
}
END_TEST

START_TEST(refuses_recursion) {
  Fixture f;
  fixture_init(&f);
  check_trap(&f,
             SHADER("", "entry:\n  call.void @a()\n  end\n") "function @a() -> void {\nentry:\n  "
                                                             "call.void @b()\n  return.void\n}\n"
                                                             "function @b() -> void {\nentry:\n  "
                                                             "call.void @a()\n  return.void\n}\n",
             NORN_ERROR_INVALID, "@a calls itself through @b");
}
END_TEST

START_TEST(buffers_of_tables_are_robust) {
  Fixture f;
  fixture_init(&f);
  f.out[0] = 11;
  f.out[63] = 22;
  NornResource resource = {6u << 24 | 2, 0};
  f.launch.resources = &resource;
  f.launch.resource_count = 1;
  CHECK_WORDS(&f,
              SHADER("", "entry:\n"
                         "  %a = load.buffer.i32 0x06000002, 252\n"
                         "  store.buffer.i32 %a, 0x06000002, 4\n"
                         "  %b = load.buffer.i64 0x06000002, 252\n"
                         "  store.buffer.i64 %b, 0x06000002, 8\n"
                         "  %c = load.constant.i32 0x06000003, 0\n"
                         "  store.buffer.i32 %c, 0x06000002, 16\n"
                         "  %d = buffer_size 0x06000002\n"
                         "  store.buffer.i32 %d, 0x06000002, 20\n"
                         "  store.buffer.i32 1, 0x06000002, 256\n"
                         "  end\n"),
              11, 22, 0, 0, 0, 256);
}
END_TEST

/* One operation on 16 lanes: %i is the lane, %f its number as f32, %r the result. */
#define LANE_SHADER(body)                                                                          \
  SHADER("workgroup(16, 1, 1)", "entry:\n"                                                         \
                                "  %i = lane_id\n"                                                 \
                                "  %f = uitofp.rte.f32.i32 %i\n" body STORE_R)
/* The same, executed only by the lanes whose bit is set in `mask`; others store 0xEE. */
#define PART_SHADER(mask, body)                                                                    \
  SHADER("workgroup(16, 1, 1)", "entry:\n"                                                         \
                                "  %i = lane_id\n"                                                 \
                                "  %f = uitofp.rte.f32.i32 %i\n"                                   \
                                "  %m = lshr.i32 " mask ", %i\n"                                   \
                                "  %b = and.i32 %m, 1\n"                                           \
                                "  %c = icmp.ne.i32 %b, 0\n"                                       \
                                "  br %c, inside, outside(0xEE)\n"                                 \
                                "inside:\n" body "  jump outside(%v)\n"                            \
                                "outside(%r: i32):\n" STORE_R)

START_TEST(lanes_vote) {
  Fixture f;
  fixture_init(&f);
  CHECK_WORDS(&f,
              LANE_SHADER("  %c = icmp.ult.i32 %i, 5\n"
                          "  %n = ballot %c\n"
                          "  %y = any %c\n"
                          "  %z = all %c\n"
                          "  %y1 = zext.i32.i1 %y\n"
                          "  %z1 = zext.i32.i1 %z\n"
                          "  %y2 = shl.i32 %y1, 16\n"
                          "  %z2 = shl.i32 %z1, 17\n"
                          "  %s = or.i32 %n, %y2\n"
                          "  %r = or.i32 %s, %z2\n"),
              0x1001F, 0x1001F);
  /* Among lanes 1, 4 and 5, none votes no. */
  CHECK_WORDS(&f,
              PART_SHADER("0x32", "  %odd = icmp.ne.i32 %i, 0\n"
                                  "  %n = ballot %odd\n"
                                  "  %a = all %odd\n"
                                  "  %a1 = zext.i32.i1 %a\n"
                                  "  %a2 = shl.i32 %a1, 16\n"
                                  "  %v = or.i32 %n, %a2\n"),
              0xEE, 0x10032, 0xEE, 0xEE, 0x10032, 0x10032, 0xEE);
}
END_TEST

START_TEST(lanes_read_each_other) {
  Fixture f;
  fixture_init(&f);
  CHECK_WORDS(&f, LANE_SHADER("  %n = imul.i32 %i, 3\n  %r = shuffle.i32 %i, %n\n"), 0, 3, 6, 9, 12,
              15, 2, 5, 8, 11, 14, 1, 4, 7, 10, 13);
  CHECK_WORDS(&f, LANE_SHADER("  %r = shuffle_xor.i32 %i, 6\n"), 6, 7, 4, 5, 2, 3, 0, 1, 14, 15, 12,
              13, 10, 11, 8, 9);
  CHECK_WORDS(&f, LANE_SHADER("  %r = shuffle_up.i32 %i, 3\n"), 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
              9, 10, 11, 12);
  CHECK_WORDS(&f, LANE_SHADER("  %r = shuffle_down.i32 %i, 14\n"), 14, 15, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0);
  CHECK_WORDS(&f, LANE_SHADER("  %r = shuffle_down.i32 %i, -1\n"), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0);
  CHECK_WORDS(&f, LANE_SHADER("  %r = broadcast.i32 %i, 7\n"), 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
              7, 7, 7, 7);
  CHECK_WORDS(&f, LANE_SHADER("  %r = quad_swap.x.i32 %i\n"), 1, 0, 3, 2, 5, 4, 7, 6);
  CHECK_WORDS(&f, LANE_SHADER("  %r = quad_swap.y.i32 %i\n"), 2, 3, 0, 1, 6, 7, 4, 5);
  CHECK_WORDS(&f, LANE_SHADER("  %r = quad_swap.xy.i32 %i\n"), 3, 2, 1, 0, 7, 6, 5, 4);
  CHECK_WORDS(&f, LANE_SHADER("  %r = quad_broadcast.i32 %i, 2\n"), 2, 2, 2, 2, 6, 6, 6, 6, 10);
  CHECK_WORDS(&f, PART_SHADER("0x36", "  %v = broadcast_first.i32 %i\n"), 0xEE, 1, 1, 0xEE, 1, 1,
              0xEE);
  CHECK_WORDS(&f, PART_SHADER("0x36", "  %v = shuffle_xor.i32 %i, 1\n"), 0xEE, 0, 0, 0xEE, 5, 4,
              0xEE);
}
END_TEST

START_TEST(lanes_are_combined) {
  Fixture f;
  fixture_init(&f);
  CHECK_WORDS(&f, LANE_SHADER("  %r = ireduce.add.i32 %i, 16\n"), 120, 120, 120, 120, 120, 120, 120,
              120, 120, 120, 120, 120, 120, 120, 120, 120);
  CHECK_WORDS(&f, LANE_SHADER("  %r = ireduce.umax.i32 %i, 4\n"), 3, 3, 3, 3, 7, 7, 7, 7, 11, 11,
              11, 11, 15, 15, 15, 15);
  CHECK_WORDS(&f, LANE_SHADER("  %n = not.i32 %i\n  %r = ireduce.smin.i32 %n, 2\n"), 0xFFFFFFFE,
              0xFFFFFFFE, 0xFFFFFFFC, 0xFFFFFFFC);
  CHECK_WORDS(&f, LANE_SHADER("  %r = iscan.add.i32 %i\n"), 0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55,
              66, 78, 91, 105, 120);
  CHECK_WORDS(&f, LANE_SHADER("  %r = iscan_exclusive.add.i32 %i\n"), 0, 0, 1, 3, 6, 10, 15, 21, 28,
              36, 45, 55, 66, 78, 91, 105);
  CHECK_WORDS(&f, LANE_SHADER("  %r = iscan_exclusive.smax.i32 %i\n"), 0x80000000, 0, 1, 2);
  CHECK_WORDS(&f, LANE_SHADER("  %r = iscan_exclusive.and.i32 %i\n"), 0xFFFFFFFF, 0, 0, 0);
  CHECK_WORDS(&f, PART_SHADER("0xF036", "  %v = ireduce.add.i32 %i, 8\n"), 0xEE, 12, 12, 0xEE, 12,
              12, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 54, 54, 54, 54);
  CHECK_WORDS(&f, PART_SHADER("0x8036", "  %v = iscan.add.i32 %i\n"), 0xEE, 1, 3, 0xEE, 7, 12, 0xEE,
              0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 27);
  CHECK_WORDS(&f, PART_SHADER("0x8036", "  %v = iscan_exclusive.umin.i32 %i\n"), 0xEE, 0xFFFFFFFF,
              1, 0xEE, 1, 1, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 1);
}
END_TEST

START_TEST(float_lanes_are_combined_in_the_stated_order) {
  Fixture f;
  fixture_init(&f);
  /* 2^24 in lane 0 and 1 elsewhere: each pair, quad ... is summed first, so only lane 0's own pair
   * loses its 1: 2^24 + 2 + 4 + 8. */
  CHECK_WORDS(&f,
              LANE_SHADER("  %z = icmp.eq.i32 %i, 0\n"
                          "  %x = select.f32 %z, 16777216.0, 1.0\n"
                          "  %s = freduce.add.f32 %x, 16\n"
                          "  %r = bitcast.i32.f32 %s\n"),
              0x4B800007, 0x4B800007);
  CHECK_WORDS(&f,
              LANE_SHADER("  %s = fscan.add.f32 %f\n"
                          "  %r = bitcast.i32.f32 %s\n"),
              0, 0x3F800000, 0x40400000, 0x40C00000, 0x41200000);
  CHECK_WORDS(&f,
              LANE_SHADER("  %s = fscan_exclusive.add.f32 %f\n"
                          "  %r = bitcast.i32.f32 %s\n"),
              0, 0, 0x3F800000, 0x40400000);
  CHECK_WORDS(&f,
              LANE_SHADER("  %s = fscan_exclusive.min.f32 %f\n"
                          "  %r = bitcast.i32.f32 %s\n"),
              0x7F800000, 0, 0);
  CHECK_WORDS(&f,
              PART_SHADER("0x0018", "  %s = freduce.max.f32 %f, 8\n"
                                    "  %v = bitcast.i32.f32 %s\n"),
              0xEE, 0xEE, 0xEE, 0x40800000, 0x40800000, 0xEE);
}
END_TEST

START_TEST(derivatives_of_a_quad) {
  Fixture f;
  fixture_init(&f);
  /* i * i: 0, 1, 4, 9 in the first quad, 16, 25, 36, 49 in the second. */
#define SQUARES(derivative)                                                                        \
  LANE_SHADER("  %q = fmul.f32 %f, %f\n  %d = " derivative ".f32 %q\n"                             \
              "  %r = fptosi.rte.i32.f32 %d\n")
  CHECK_WORDS(&f, SQUARES("ddx.fine"), 1, 1, 5, 5, 9, 9, 13, 13);
  CHECK_WORDS(&f, SQUARES("ddx.coarse"), 1, 1, 1, 1, 9, 9, 9, 9);
  CHECK_WORDS(&f, SQUARES("ddy.fine"), 4, 8, 4, 8, 20, 24, 20, 24);
  CHECK_WORDS(&f, SQUARES("ddy.coarse"), 4, 4, 4, 4, 20, 20, 20, 20);
#undef SQUARES
}
END_TEST

START_TEST(counts_what_contraction_may_change) {
#define FLOATS(body) LANE_SHADER(body "  %r = fptosi.rte.i32.f32 %v\n")
  static const struct {
    const char *text;
    uint64_t contractible;
  } rows[] = {
      {FLOATS("  %v = fmul.f32 %f, 3.0\n"), 0},
      {FLOATS("  %v = fmul.f32 %f, 0.1\n"), 11}, /* not of 0, 1, 2, 4 and 8 */
      {FLOATS("  %v = fmul.f32 exact %f, 0.1\n"), 0},
      {FLOATS("  %v = fadd.f32 %f, 0x7F7FFFFF\n"), 0},
      /* products from 4 on are infinite, sums from 2 on */
      {FLOATS("  %g = fmul.f32 %f, 0x7E800000\n  %v = fadd.f32 %g, %g\n"), 12 + 2},
      {FLOATS("  %v = fdiv.f32 %f, 2.0\n"), 16},
      /* only the low half is rounded */
      {FLOATS("  %p = fmul.v2f16 0x3C002E66, 0x3C002E66\n  %v = fmul.f32 %f, 1.0\n"), 16},
      {FLOATS("  %p = fmul.f32 inf, 0.0\n  %v = fmul.f32 %f, 1.0\n"), 0},
      {FLOATS("  %p = fadd.f32 1.0, inf\n  %v = fmul.f32 %f, 1.0\n"), 0},
      /* 1 + 2^-60, which a double rounds as well */
      {FLOATS("  %p = fadd.f32 finite 1.0, 0x21800000\n  %v = fmul.f32 %f, 1.0\n"), 16},
      {FLOATS("  %p = fadd.f32 1.0, 0x21800000\n  %v = fmul.f32 %f, 1.0\n"), 0},
  };
#undef FLOATS
  Fixture f;
  fixture_init(&f);
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
    bool done = run_text(&f, rows[i].text);
    ck_assert_msg(done && f.report.contractible == rows[i].contractible, "row %u: %u, %s", i,
                  (unsigned)f.report.contractible, f.error ? f.error->message : "");
  }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("interpreter");
  TCase *tests = tcase_create("interpreter");
  tcase_add_test(tests, lanes_diverge_and_reconverge);
  tcase_add_test(tests, subgroups_are_as_wide_as_the_machine);
  tcase_add_test(tests, lanes_leave_a_loop_one_by_one);
  tcase_add_test(tests, parameters_are_assigned_at_once);
  tcase_add_test(tests, moves_all_types_through_memory);
  tcase_add_test(tests, groups_are_collected_and_split);
  tcase_add_test(tests, knows_its_position_in_the_grid);
  tcase_add_test(tests, barriers_make_shared_memory_visible);
  tcase_add_test(tests, atomics_return_the_old_value);
  tcase_add_test(tests, switches_and_calls);
  tcase_add_test(tests, runs_irreducible_loops);
  tcase_add_test(tests, traps_name_the_location);
  tcase_add_test(tests, traps_on_undefined_conditions_and_addresses);
  tcase_add_test(tests, flags_make_results_undefined);
  tcase_add_test(tests, results_of_undefined_values);
  tcase_add_test(tests, unaligned_accesses);
  tcase_add_test(tests, traps_on_barriers_that_not_all_reach);
  tcase_add_test(tests, refuses_recursion);
  tcase_add_test(tests, buffers_of_tables_are_robust);
  tcase_add_test(tests, lanes_vote);
  tcase_add_test(tests, lanes_read_each_other);
  tcase_add_test(tests, lanes_are_combined);
  tcase_add_test(tests, float_lanes_are_combined_in_the_stated_order);
  tcase_add_test(tests, derivatives_of_a_quad);
  tcase_add_test(tests, counts_what_contraction_may_change);
  suite_add_tcase(suite, tests);
  return suite;
}
