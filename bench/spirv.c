/* The cost of reading SPIR-V compared with compiling it.
 *
 * Usage: bench-spirv [--once] FILE.spv...
 * Repeatedly reads each module with and without SPIRV-Tools' validation and compiles it at -O2
 * (both programs of a vertex shader). Prints the sums of the shortest processor times, and the
 * share of reading in the total. Modules that are refused are counted, and the reason is printed.
 * With --once everything is done once without timing, for counting instructions:
 *
 *   valgrind --tool=callgrind --callgrind-out-file=spirv.cg bench-spirv --once FILE.spv...
 *   callgrind_annotate --inclusive=yes spirv.cg |
 *     grep -E 'norn_(spirv_validate|module_from_spirv|compiler_compile)'
 */
#include "bench/clock.h"
#include <norn/compile.h>
#include <norn/module.h>
#include <norn/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5 };

/* Seconds of one module, or of all modules. */
typedef struct Times {
  double validated, read, compiled; /* reading with validation; without it */
} Times;

static NornModule *
read_module(GBytes *file, const char *path, bool validate, double *least, GError **error) {
  NornSpirvOptions options;
  gsize size;
  const void *bytes = g_bytes_get_data(file, &size);
  norn_spirv_options_init(&options);
  options.validate = validate;
  double start = bench_now();
  NornModule *module = norn_module_from_spirv(bytes, size, path, &options, NULL, error);
  *least = MIN(*least, bench_now() - start);
  return module;
}

/* Compiles all programs of the module as a driver does: without verification. */
static bool
compile(const NornModule *module, double *least, GError **error) {
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.verify = false;
  bool is_vertex = norn_module_stage(module) == NORN_STAGE_VERTEX, done;
  NornVertexPrograms programs;
  double start = bench_now();
  if (is_vertex) {
    done = norn_compiler_compile_vertex(NULL, module, &options, &programs, error);
  } else {
    g_autoptr(GBytes) code = norn_compiler_compile(NULL, module, &options, NULL, error);
    done = code != NULL;
  }
  *least = MIN(*least, bench_now() - start);
  if (is_vertex && done)
    norn_vertex_programs_clear(&programs);
  return done;
}

static bool
measure(const char *path, unsigned rounds, Times *sum, GError **error) {
  char *contents;
  gsize size;
  Times least = {1e30, 1e30, 1e30};
  if (!g_file_get_contents(path, &contents, &size, error))
    return false;
  g_autoptr(GBytes) file = g_bytes_new_take(contents, size);
  bool done = true;
  for (unsigned k = 0; done && k < rounds; k++) {
    g_autoptr(NornModule) module = read_module(file, path, true, &least.validated, error);
    done = module && compile(module, &least.compiled, error);
    if (done)
      norn_module_free(read_module(file, path, false, &least.read, error));
  }
  if (!done)
    return false;
  sum->validated += least.validated;
  sum->read += least.read;
  sum->compiled += least.compiled;
  return true;
}

int
main(int argc, char **argv) {
  bool once = argc > 1 && !strcmp(argv[1], "--once");
  unsigned refused = 0, count = 0;
  Times sum = {0, 0, 0};
  if (argc < 2 + once) {
    fprintf(stderr, "usage: bench-spirv [--once] FILE.spv...\n");
    return 2;
  }
  for (int i = 1 + once; i < argc; i++) {
    g_autoptr(GError) error = NULL;
    bool done = measure(argv[i], once ? 1 : ROUNDS, &sum, &error);
    count += done;
    refused += !done;
    if (!done)
      fprintf(stderr, "%s\n", error->message);
  }
  if (!count)
    return EXIT_FAILURE;
  double all = sum.validated + sum.compiled;
  printf("%u modules (%u refused): validation %.2f ms, reading %.2f ms, compiling %.2f ms: "
         "%.1f%% of all is for SPIR-V, %.1f%% without validation\n",
         count, refused, (sum.validated - sum.read) * 1e3, sum.read * 1e3, sum.compiled * 1e3,
         100 * sum.validated / all, 100 * sum.read / (sum.read + sum.compiled));
  return 0;
}
