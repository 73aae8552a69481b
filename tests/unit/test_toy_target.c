/* A made-up target is compiled through every generic pass, and its words compute the
 * interpreter's results: registers of two classes that run out, two slots, subgroups of eight
 * lanes, words of 32 bits (tests/toy). */
#include "ir_text.h"
#include "random_program.h"
#include "toy_simulator.h"
#include "toy_target.h"
#include "unit.h"
#include <norn/interpret.h>
#include <norn/toy.h>
#include <stdlib.h>

#define ADDRESS RANDOM_PROGRAM_ADDRESS
#define SIZE RANDOM_PROGRAM_MEMORY
enum { INVOCATIONS = 24 };

/* u0, u1: the address of the memory; others: arbitrary. */
static const uint32_t uniforms[] = {ADDRESS, 0, 0x12345678, 5, 0xFFFFFFF0, 77, 3, 1};

static void
fill(uint8_t *memory) {
  for (unsigned k = 0; k < SIZE; k++)
    memory[k] = (uint8_t)(k * 37 + k / 256);
}

/* The module's results in memory according to the interpreter. */
static void
interpret(const NornModule *module, unsigned invocations, uint8_t *result) {
  NornMemory *memory = norn_memory_new();
  fill(result);
  ck_assert(norn_memory_add(memory, "data", ADDRESS, result, SIZE, NULL));
  unsigned lanes = MIN(invocations, TOY_LANES); /* the toy's warps are its workgroups */
  NornLaunch launch = {.memory = memory,
                       .grid = {invocations / lanes, 1, 1},
                       .workgroup = {lanes, 1, 1},
                       .uniforms = uniforms,
                       .uniform_count = G_N_ELEMENTS(uniforms)};
  GError *error = NULL;
  bool ok = norn_interpret(module, &launch, NULL, &error);
  ck_assert_msg(ok, "%s", ok ? "" : error->message);
  memcpy(result, norn_memory_bytes(memory, 0, NULL), SIZE);
  norn_memory_free(memory);
}

/* Compiles the module, runs the words and compares. Returns the compiler's information on them. */
static NornCompileInfo
check_module(NornModule *module, unsigned invocations, unsigned level, unsigned chaos,
             uint32_t seed) {
  NornCompileOptions options;
  NornCompileInfo info;
  GError *error = NULL;
  uint8_t expected[SIZE], memory[SIZE];
  norn_compile_options_init(&options);
  options.optimization_level = level;
  options.chaos = chaos;
  options.seed = seed;
  interpret(module, invocations, expected);
  GByteArray *code = toy_compile(module, &options, &info, &error);
  ck_assert_msg(code != NULL, "level %u, seed %u: %s", level, seed, error ? error->message : "");
  ck_assert_uint_eq(code->len % TOY_WORD_BYTES, 0);
  fill(memory);
  ToyLaunch launch = {.code = code,
                      .uniforms = uniforms,
                      .uniform_count = G_N_ELEMENTS(uniforms),
                      .invocations = invocations,
                      .spill_bytes = info.thread_local_size,
                      .address = ADDRESS,
                      .memory = memory,
                      .size = SIZE};
  char *problem = toy_simulate(&launch);
  ck_assert_msg(!problem, "level %u, seed %u: %s", level, seed, problem);
  unsigned k = 0;
  while (k < SIZE && memory[k] == expected[k])
    k++;
  ck_assert_msg(k == SIZE, "level %u, seed %u: byte %u is %u, not %u", level, seed, k, memory[k],
                expected[k]);
  g_byte_array_unref(code);
  norn_module_free(module);
  return info;
}

/* --- Programs --- */

#define SHADER(body)                                                                               \
  "shader compute @t workgroup(8, 1, 1) {\n"                                                       \
  "  fau y: i64 @ 0, a: i32 @ 2, b: i32 @ 3, c: i32 @ 4, d: i32 @ 5\n"                             \
  "entry:\n"                                                                                       \
  "  %i = global_id.x\n"                                                                           \
  "  %p = shladd.u32.i64 fau.y, %i, 6\n" body "}\n"

static const char *const programs[] = {
    /* arithmetic and constants of all sizes */
    SHADER("  %s = imul.i32 %i, 0x9E3779B1\n  %t = iadd.i32 %s, fau.a\n  %u = xor.i32 %t, 40000\n"
           "  %v = isub.i32 %u, %i\n  %w = lshr.i32 %v, 7\n  %x = shl.i32 %v, %i\n"
           "  %z = or.i32 %w, %x\n  store.global.i32 %z, %p\n  store.global.i32 %v, %p, offset:8\n"
           "  %m = and.i32 %v, fau.c\n  store.global.i32 %m, %p, offset:12\n  end\n"),
    /* operations that lower has to expand */
    SHADER("  %r = imul.i32 fau.a, %i\n  %n = umin.i32 %r, 1000000\n  %m = smax.i32 %n, 100\n"
           "  %k = iabs.i32 %r\n  %d = ubfe.i32 %k, 3, %i\n  %h = iadd.i32 %m, %d\n"
           "  store.global.i32 %h, %p\n  store.global.i32 %k, %p, offset:8\n  end\n"),
    /* lanes that take different paths and reconverge */
    SHADER("  %odd = and.i32 %i, 1\n  %q = icmp.eq.i32 %odd, 0\n  br %q, even, other\n"
           "even:\n  %e = imul.i32 %i, 3\n  %big = icmp.ugt.i32 %i, 10\n  br %big, far, join(%e)\n"
           "far:\n  %f = iadd.i32 %e, 100000\n  jump join(%f)\n"
           "other:\n  %o = isub.i32 0, %i\n  jump join(%o)\n"
           "join(%v: i32):\n  store.global.i32 %v, %p\n  end\n"),
    /* loops whose iterations differ by lane, with a loop inside */
    SHADER(
        "  %n = and.i32 %i, 7\n  jump head(0, 0)\n"
        "head(%k: i32, %s: i32):\n  %more = icmp.ult.i32 %k, %n\n  br %more, body, done\n"
        "body:\n  jump inner(0, %s)\n"
        "inner(%j: i32, %t: i32):\n  %u = iadd.i32 %t, %j\n  %v = xor.i32 %u, %k\n"
        "  %l = iadd.i32 %j, 1\n  %again = icmp.ule.i32 %l, %k\n  br %again, inner(%l, %v), next\n"
        "next:\n  %m = iadd.i32 %k, 1\n  jump head(%m, %v)\n"
        "done:\n  store.global.i32 %s, %p\n  end\n"),
    /* conditions that live across blocks, as parameters, swapped in a loop */
    SHADER("  %x = icmp.ult.i32 %i, 5\n  %z = icmp.ne.i32 %i, 9\n  jump head(%x, %z, 0)\n"
           "head(%a: i1, %b: i1, %k: i32):\n  %l = iadd.i32 %k, 1\n  %c = xor.i1 %a, %b\n"
           "  %d = icmp.ult.i32 %l, 5\n  br %d, head(%b, %a, %l), done\n"
           "done:\n  %e = zext.i32.i1 %a\n  %f = zext.i32.i1 %c\n  %g = not.i1 %b\n"
           "  %h = select.i32 %g, 70000, %f\n  %o = iadd.i32 %e, %h\n  store.global.i32 %o, %p\n"
           "  end\n"),
    /* more conditions than registers, all used at the end */
    SHADER("  %a = icmp.eq.i32 %i, 0\n  %b = icmp.ult.i32 %i, 2\n  %c = icmp.ult.i32 %i, 3\n"
           "  %d = icmp.ult.i32 %i, 4\n  %e = icmp.ult.i32 %i, 5\n  %f = icmp.ult.i32 %i, 6\n"
           "  %g = icmp.ult.i32 %i, 7\n  %h = icmp.ult.i32 %i, 8\n  %j = icmp.ult.i32 %i, 9\n"
           "  %k = icmp.ult.i32 %i, 10\n  %l = icmp.ult.i32 %i, 11\n  store.global.i32 %i, %p\n"
           "  jump last\nlast:\n"
           "  %aa = zext.i32.i1 %a\n  %bb = zext.i32.i1 %b\n  %cc = zext.i32.i1 %c\n"
           "  %dd = zext.i32.i1 %d\n  %ee = zext.i32.i1 %e\n  %ff = zext.i32.i1 %f\n"
           "  %gg = zext.i32.i1 %g\n  %hh = zext.i32.i1 %h\n  %jj = zext.i32.i1 %j\n"
           "  %kk = zext.i32.i1 %k\n  %ll = zext.i32.i1 %l\n"
           "  store.global.i32 %aa, %p, offset:4\n  store.global.i32 %bb, %p, offset:8\n"
           "  store.global.i32 %cc, %p, offset:12\n  store.global.i32 %dd, %p, offset:16\n"
           "  store.global.i32 %ee, %p, offset:20\n  store.global.i32 %ff, %p, offset:24\n"
           "  store.global.i32 %gg, %p, offset:28\n  store.global.i32 %hh, %p, offset:32\n"
           "  store.global.i32 %jj, %p, offset:36\n  store.global.i32 %kk, %p, offset:40\n"
           "  store.global.i32 %ll, %p, offset:44\n  end\n"),
    /* memory: groups, pairs, accesses that depend on each other, offsets beyond the field */
    SHADER("  %g = load.global.w4 %p\n  %a, %b, %c, %d = split.i32.w4 %g\n"
           "  %l = load.global.i64 %p, offset:16\n  %s = iadd.i32 %a, %d\n"
           "  store.global.i32 %s, %p, offset:4\n  %n = load.global.i32 %p, offset:4\n"
           "  %t = xor.i32 %n, %b\n  %m = iadd.i64 %l, 0x123456789A\n"
           "  store.global.i64 %m, %p, offset:24\n  %q = iadd.i64 %p, 2048\n"
           "  %o = load.global.i32 %p, offset:2052\n  %u = iadd.i32 %t, %o\n"
           "  %h = collect.i32.w3 %u, %c, 7\n  store.global.w3 %h, %p, offset:32\n  end\n"),
};

static unsigned
rounds(void) {
  return getenv("NORN_TEST_QUICK") ? 20 : 300;
}

START_TEST(program) {
  for (unsigned level = 0; level <= 2; level++)
    check_module(parse_text(programs[_i]), INVOCATIONS, level, 0, 0);
}
END_TEST

/* An operation that no pass can express in those of the target is refused by its name. */
START_TEST(refused) {
  NornModule *module = parse_text(SHADER("  %c = popcount.i32 %i\n  store.global.i32 %c, %p\n"
                                         "  end\n"));
  NornCompileOptions options;
  NornCompileInfo info;
  GError *error = NULL;
  norn_compile_options_init(&options);
  ck_assert(!toy_compile(module, &options, &info, &error));
  ck_assert_int_eq(error->code, NORN_ERROR_UNSUPPORTED);
  ck_assert_str_eq(error->message, "t:6:3: toy does not support 'popcount.i32'");
  g_error_free(error);
  norn_module_free(module);
}
END_TEST

static bool
never_called(const struct NornCheckInput *input, GError **error) {
  (void)input, (void)error;
  return false;
}

/* A request for checks of a target that has none is refused. */
START_TEST(no_checkers) {
  NornTarget target;
  GError *error = NULL;
  norn_target_bind(&toy_target, toy_machine(), &target);
  ck_assert(!norn_target_has_checkers(&target, &error));
  ck_assert_int_eq(error->code, NORN_ERROR_UNSUPPORTED);
  ck_assert_str_eq(error->message, "the target 'toy' has no checkers");
  g_clear_error(&error);
  target.check = never_called;
  ck_assert(norn_target_has_checkers(&target, &error));
}
END_TEST

/* Every switch of chaos, several times. */
START_TEST(chaotic_program) {
  for (uint32_t seed = 1; seed <= rounds() / 8; seed++)
    check_module(parse_text(programs[_i]), INVOCATIONS, seed % 3, 1u << seed % 5, seed);
}
END_TEST

/* Conditions are spilled, and into separate pieces. */
START_TEST(spilled_conditions) {
  NornCompileInfo info = check_module(parse_text(programs[5]), INVOCATIONS, 0, 0, 0);
  ck_assert_uint_gt(info.spills, 0);
  ck_assert_uint_gt(info.fills, 0);
}
END_TEST

/* --- Random programs --- */

START_TEST(random_programs) {
  unsigned spills = 0;
  for (uint32_t seed = 0; seed < rounds(); seed++) {
    RandomProgram shape = {.instructions = 60,
                           .depth = 3,
                           .pressure = 4 + seed % 16,
                           .groups = seed % 2,
                           .executable = true};
    GRand *random = g_rand_new_with_seed(seed);
    NornModule *module = random_program(random, &shape);
    spills += check_module(module, 1, seed % 3, seed % 4 ? 0 : 1u << seed / 4 % 5, seed).spills;
    g_rand_free(random);
  }
  ck_assert_uint_gt(spills, rounds());
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("toy target");
  TCase *cases = tcase_create("programs");
  tcase_set_timeout(cases, 120);
  tcase_add_loop_test(cases, program, 0, G_N_ELEMENTS(programs));
  tcase_add_loop_test(cases, chaotic_program, 0, G_N_ELEMENTS(programs));
  tcase_add_test(cases, refused);
  tcase_add_test(cases, no_checkers);
  tcase_add_test(cases, spilled_conditions);
  tcase_add_test(cases, random_programs);
  suite_add_tcase(suite, cases);
  return suite;
}
