/* flows COUNT SEED: makes COUNT random modules that are all control flow, of the seeds from SEED
 * on, and holds everything that can run them to one result, which depends on where lanes
 * reconverge: the interpreter on the module, on what each pass that works on the graph of blocks
 * leaves, and on compiled code before it is packed; the simulator on the packed code, at every
 * level, on two architectures and with each kind of chaos.
 *
 * flows print SEED: writes the module of that seed. */
#include "generate.h"

#include <inttypes.h>
#include <norn/compile.h>
#include <norn/interpret.h>
#include <norn/module.h>
#include <norn/simulate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES (4 * FUZZ_FLOW_LANES)

/* Passes whose results are interpreted: without marks of loops, with them, in turn. */
static const char *const passes[] = {
    "simplify-cfg",
    "inline,simplify-cfg,simplify,gvn,dce",
    "mark-loops,simplify-cfg,simplify-cfg",
    "inline,mark-loops,lower-switch",
    "inline,mark-loops,lower-switch,optimize,lower,optimize",
};

static const char *const architectures[] = {"9", "12"};

static void
fail(guint64 seed, const char *what, const char *detail, const GError *error) {
  fprintf(stderr, "flow %" PRIu64 ": %s: %s: %s\n", seed, what, detail,
          error ? error->message : "another result");
  abort();
}

/* Runs a module or, if there is any, code. */
static void
run(guint64 seed, const char *what, const char *detail, const NornModule *module, GBytes *code,
    const char *architecture, const NornCompileInfo *info, guint8 *result) {
  static const guint8 zeros[BYTES];
  NornMemory *memory = norn_memory_new();
  GError *error = NULL;
  guint32 uniforms[NORN_UNIFORM_WORDS];
  norn_memory_add(memory, "x", 0, zeros, BYTES, NULL);
  for (guint i = 0; i < NORN_UNIFORM_WORDS; i++)
    uniforms[i] = i * 0x3779B1u;
  uniforms[FUZZ_BUFFER_WORD] = (guint32)norn_memory_address(memory, 0);
  uniforms[FUZZ_BUFFER_WORD + 1] = (guint32)(norn_memory_address(memory, 0) >> 32);
  const NornLaunch launch = {
      .stage = NORN_STAGE_COMPUTE,
      .memory = memory,
      .grid = {1, 1, 1},
      .workgroup = {module->workgroup[0], 1, 1},
      .uniforms = uniforms,
      .uniform_count = NORN_UNIFORM_WORDS,
      .scratch_bytes = info ? info->thread_local_size : module->scratch_size,
      .info = info,
      .step_limit = 1000000,
  };
  bool done = code ? norn_simulate_valhall(g_bytes_get_data(code, NULL), g_bytes_get_size(code),
                                           architecture, &launch, NULL, &error)
                   : norn_interpret(module, &launch, NULL, &error);
  if (!done)
    fail(seed, what, detail, error);
  memcpy(result, norn_memory_bytes(memory, 0, NULL), BYTES);
  norn_memory_free(memory);
}

static void
check_passes(guint64 seed, const guint8 *expected) {
  for (guint i = 0; i < G_N_ELEMENTS(passes); i++) {
    GError *error = NULL;
    guint8 result[BYTES];
    NornCompileOptions options;
    NornModule *module = fuzz_generate_flow(seed);
    norn_compile_options_init(&options);
    if (!norn_run_passes(module, passes[i], &options, NULL, &error))
      fail(seed, "passes", passes[i], error);
    run(seed, "after passes", passes[i], module, NULL, NULL, NULL, result);
    if (memcmp(result, expected, BYTES))
      fail(seed, "after passes", passes[i], NULL);
    norn_module_free(module);
  }
}

static void
check_code(guint64 seed, const guint8 *expected, const char *architecture, unsigned level,
           unsigned chaos) {
  GError *error = NULL;
  guint8 result[BYTES];
  NornCompileOptions options;
  NornCompileInfo info;
  NornModule *module = fuzz_generate_flow(seed);
  g_autofree char *how =
      g_strdup_printf("-O%u, architecture %s, chaos %u", level, architecture, chaos);
  norn_compile_options_init(&options);
  options.architecture = architecture;
  options.optimization_level = level;
  options.chaos = chaos;
  options.seed = seed;
  GBytes *code = norn_compile(module, &options, &info, &error);
  if (!code)
    fail(seed, "compiling", how, error);
  run(seed, "simulated code", how, module, code, architecture, &info, result);
  if (memcmp(result, expected, BYTES))
    fail(seed, "simulated code", how, NULL);
  run(seed, "interpreted code", how, module, NULL, NULL, &info, result);
  if (memcmp(result, expected, BYTES))
    fail(seed, "interpreted code", how, NULL);
  g_bytes_unref(code);
  norn_module_free(module);
}

static void
check(guint64 seed) {
  guint8 expected[BYTES];
  NornModule *module = fuzz_generate_flow(seed);
  run(seed, "the module", "as made", module, NULL, NULL, NULL, expected);
  norn_module_free(module);
  check_passes(seed, expected);
  for (unsigned level = 0; level < 3; level++)
    for (unsigned i = 0; i < G_N_ELEMENTS(architectures); i++)
      check_code(seed, expected, architectures[i], level, seed % 2 ? 1u << (seed / 2 % 5) : 0);
}

int
main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: flows COUNT SEED | flows print SEED\n");
    return 2;
  }
  guint64 seed = g_ascii_strtoull(argv[2], NULL, 10);
  if (!strcmp(argv[1], "print")) {
    NornModule *module = fuzz_generate_flow(seed);
    g_autofree char *text = norn_module_print(module, NULL);
    fputs(text, stdout);
    norn_module_free(module);
    return 0;
  }
  guint64 count = g_ascii_strtoull(argv[1], NULL, 10);
  gboolean progress = isatty(STDERR_FILENO);
  for (guint64 i = 0; i < count; i++) {
    check(seed + i);
    if (progress && i % 100 == 0)
      fprintf(stderr, "\r%" PRIu64 " of %" PRIu64, i, count);
  }
  printf("%s%" PRIu64 " flows from seed %" PRIu64 " run the same everywhere\n",
         progress ? "\r" : "", count, seed);
  return 0;
}
