/* Random programs through the whole compiler, each time made worse in another way: what the
 * simulator leaves in memory must be what the interpreter leaves. */
#include "ir/ir.h"
#include "random_program.h"
#include "unit.h"
#include <norn/compile.h>
#include <norn/interpret.h>
#include <norn/module.h>
#include <stdlib.h>
#include <string.h>

static NornMemory *
make_memory(void) {
  NornMemory *memory = norn_memory_new();
  uint8_t start[RANDOM_PROGRAM_MEMORY];
  for (unsigned k = 0; k < sizeof start; k++)
    start[k] = (uint8_t)(k * 37 + k / 256);
  ck_assert(norn_memory_add(memory, "data", RANDOM_PROGRAM_ADDRESS, start, sizeof start, NULL));
  return memory;
}

/* Compiles a program with that chaos and runs it both ways. */
static void
compare(uint32_t seed, unsigned chaos, const RandomProgram *shape) {
  GRand *random = g_rand_new_with_seed(seed);
  NornModule *module = random_program(random, shape);
  GError *error = NULL;
  NornMemory *expected = make_memory(), *result = make_memory();
  const NornResource resources[] = {{.handle = RANDOM_PROGRAM_HANDLES[0]},
                                    {.handle = RANDOM_PROGRAM_HANDLES[1]}};
  NornLaunch launch = {.memory = expected,
                       .grid = {1, 1, 1},
                       .workgroup = {1, 1, 1},
                       .resources = resources,
                       .resource_count = G_N_ELEMENTS(resources),
                       .shared_bytes = RANDOM_PROGRAM_SHARED};
  bool ok = norn_interpret(module, &launch, NULL, &error);
  ck_assert_msg(ok, "seed %u: %s", seed, ok ? "" : error->message);
  NornCompileOptions options;
  NornCompileInfo info;
  norn_compile_options_init(&options);
  options.chaos = chaos;
  options.seed = seed;
  options.optimization_level = seed % 3;
  GBytes *code = norn_compile(module, &options, &info, &error);
  ck_assert_msg(code != NULL, "seed %u, chaos %u: %s", seed, chaos, code ? "" : error->message);
  gsize size;
  const void *words = g_bytes_get_data(code, &size);
  launch.memory = result;
  launch.scratch_bytes = info.thread_local_size;
  launch.info = &info;
  ok = norn_simulate_valhall(words, size, "9", &launch, NULL, &error);
  ck_assert_msg(ok, "seed %u, chaos %u: %s", seed, chaos, ok ? "" : error->message);
  ck_assert_msg(!memcmp(norn_memory_bytes(expected, 0, NULL), norn_memory_bytes(result, 0, NULL),
                        RANDOM_PROGRAM_MEMORY),
                "seed %u, chaos %u: the simulator computes something else", seed, chaos);
  g_bytes_unref(code);
  norn_memory_free(expected);
  norn_memory_free(result);
  norn_module_free(module);
  g_rand_free(random);
}

static unsigned
rounds(void) {
  return getenv("NORN_TEST_QUICK") ? 4 : 60;
}

START_TEST(words) {
  for (uint32_t seed = 0; seed < rounds(); seed++) {
    RandomProgram shape = {
        .instructions = 100, .depth = 3, .pressure = 8 + seed % 40, .executable = true};
    compare(seed, _i ? 1u << (_i - 1) : 0, &shape);
  }
}
END_TEST

START_TEST(groups) {
  RandomProgram shape = {
      .instructions = 120, .depth = 3, .pressure = 10, .groups = true, .executable = true};
  for (uint32_t seed = 0; seed < rounds(); seed++)
    compare(seed, seed % 32, &shape);
}
END_TEST

/* All chaos, none, and each switch alone; with and without groups. */
START_TEST(memory) {
  for (uint32_t seed = 0; seed < 2 * rounds(); seed++) {
    RandomProgram shape = {.instructions = 60 + seed % 3 * 60,
                           .depth = 2,
                           .pressure = 6 + seed % 20,
                           .groups = seed % 2,
                           .executable = true,
                           .memory = true};
    compare(seed, _i == 0 ? 0 : _i == 6 ? 31 : 1u << (_i - 1), &shape);
  }
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("chaos");
  TCase *cases = tcase_create("random programs");
  tcase_set_timeout(cases, 120);
  tcase_add_loop_test(cases, words, 0, 6);
  tcase_add_test(cases, groups);
  tcase_add_loop_test(cases, memory, 0, 7);
  suite_add_tcase(suite, cases);
  return suite;
}
