/* How fast kernels are compiled, and where the time goes.
 *
 * Usage: bench-compile [--once | --copies N | --keep N] FILE...
 * Compiles each kernel repeatedly and prints the size of its code, the shortest compile time as in
 * a driver (by one compiler, which keeps its memory; without verification between passes, and
 * without parsing), the resulting instructions per second, and the share of each pass. The clock is
 * not read while a whole compilation is timed: passes are timed in separate rounds, from which the
 * cost of reading the clock is subtracted. With --once each kernel is compiled a single time, for
 * counting retired instructions. With --keep it is read once and compiled N times, as a driver
 * compiles variants; with --copies the same, but by a new compiler each time. */
#include "bench/clock.h"
#include <norn/compile.h>
#include <norn/module.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_SECONDS = 1, PASSES = 64 };

typedef struct Timing {
  double last; /* when the pass began */
  struct {
    const char *name;
    double seconds; /* in all rounds */
  } passes[PASSES]; /* in the order in which they first ran */
  unsigned count;
  double sum, overhead; /* cost of reading the clock */
} Timing;

static void
time_pass(const char *pass, bool ends, uint64_t memory, gpointer user_data) {
  Timing *timing = user_data;
  double time = bench_now();
  (void)memory;
  if (!ends) {
    timing->last = time;
    return;
  }
  double seconds = MAX(time - timing->last - timing->overhead, 0);
  unsigned k = 0;
  while (k < timing->count && strcmp(timing->passes[k].name, pass))
    k++;
  if (k < PASSES) {
    timing->count = MAX(timing->count, k + 1);
    timing->passes[k].name = pass;
    timing->passes[k].seconds += seconds;
  }
  timing->sum += seconds;
}

static double
clock_overhead(void) {
  double least = 1;
  for (unsigned i = 0; i < 100; i++) {
    double before = bench_now();
    least = MIN(least, bench_now() - before);
  }
  return least;
}

static void
report(const char *path, const NornCompileInfo *info, double best, unsigned rounds,
       const Timing *timing) {
  printf("%s: %u instructions, %.1f us, %.2f million instructions/s, %u spills, %u fills, "
         "%u rounds\n",
         path, info->instructions, best * 1e6, info->instructions / best * 1e-6, info->spills,
         info->fills, rounds);
  for (unsigned k = 0; k < timing->count; k++)
    printf("  %-20s %5.1f%%\n", timing->passes[k].name,
           timing->passes[k].seconds / timing->sum * 100);
}

static bool
measure(const char *path, bool once, GError **error) {
  g_autofree char *text = NULL;
  gsize length;
  if (!g_file_get_contents(path, &text, &length, error))
    return false;
  g_autoptr(NornModule) module = norn_module_parse(text, length, path, error);
  if (!module)
    return false;
  g_autoptr(NornCompiler) compiler = norn_compiler_new();
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.verify = false;
  Timing timing = {.overhead = clock_overhead()};
  options.pass_data = &timing;
  NornCompileInfo info;
  double best = 1e30, spent = 0;
  unsigned rounds = 0;
  bool ok = true;
  while (ok && (rounds < 2 || (!once && spent < ROUND_SECONDS))) {
    bool times_passes = rounds % 2;
    options.pass_hook = times_passes ? time_pass : NULL;
    double start = bench_now();
    g_autoptr(GBytes) code = norn_compiler_compile(compiler, module, &options, &info, error);
    double time = bench_now() - start;
    ok = code != NULL;
    if (!times_passes)
      best = MIN(best, time);
    spent += time;
    rounds++;
    if (once)
      break;
  }
  if (ok)
    report(path, &info, best, rounds, &timing);
  return ok;
}

/* Compiles copies of the module, each either independently or with the memory that the compiler
 * keeps. */
static bool
compile_copies(const char *path, unsigned count, NornCompiler *compiler, GError **error) {
  g_autofree char *text = NULL;
  gsize length;
  if (!g_file_get_contents(path, &text, &length, error))
    return false;
  g_autoptr(NornModule) module = norn_module_parse(text, length, path, error);
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.verify = false;
  for (unsigned i = 0; module && i < count; i++) {
    g_autoptr(GBytes) code = norn_compiler_compile(compiler, module, &options, NULL, error);
    if (!code)
      return false;
  }
  return module != NULL;
}

static bool
run(const char *mode, unsigned count, const char *path, NornCompiler *compiler, GError **error) {
  return mode && count ? compile_copies(path, count, compiler, error)
                       : measure(path, mode != NULL, error);
}

int
main(int argc, char **argv) {
  const char *mode = argc > 1 && g_str_has_prefix(argv[1], "--") ? argv[1] : NULL;
  bool keeps = mode && !strcmp(mode, "--keep"),
       copies = mode && (keeps || !strcmp(mode, "--copies"));
  guint64 count = 0;
  bool counts =
      copies && argc > 2 && g_ascii_string_to_unsigned(argv[2], 10, 1, G_MAXUINT, &count, NULL);
  int first = 1 + (mode != NULL) + copies;
  if (argc <= first || (mode && !copies && strcmp(mode, "--once")) || copies != counts) {
    fputs("usage: bench-compile [--once | --copies N | --keep N] FILE...\n", stderr);
    return 2;
  }
  g_autoptr(NornCompiler) compiler = keeps ? norn_compiler_new() : NULL;
  for (int k = first; k < argc; k++) {
    g_autoptr(GError) error = NULL;
    if (!run(mode, (unsigned)count, argv[k], compiler, &error)) {
      fprintf(stderr, "%s\n", error->message);
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}
