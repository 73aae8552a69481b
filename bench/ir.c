/* How fast modules are parsed, verified and printed, and how much memory they take.
 *
 * Usage: bench-ir [INSTRUCTIONS]. Builds the text of a shader of that size (a million by default):
 * blocks of arithmetic on recent values and uniforms, with loads, stores, branches and loops.
 * Prints instructions per second of the best of five rounds, and bytes per instruction. On a busy
 * machine, count executed instructions instead:
 *
 *   valgrind --tool=callgrind --callgrind-out-file=ir.cg bench-ir 100000
 *   callgrind_annotate --inclusive=yes ir.cg | grep norn_module_
 *
 * and divide by five rounds and by the number of instructions printed. */
#include "ir/ir.h"
#include "bench/clock.h"
#include <norn/module.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 5
#define BLOCK_SIZE 40

static void
append_instruction(GString *text, GRand *random, unsigned number, unsigned base) {
  unsigned a = base + (unsigned)g_rand_int_range(random, 0, (int)(number - base));
  unsigned b = base + (unsigned)g_rand_int_range(random, 0, (int)(number - base));
  switch (number % 8) {
  case 0:
    g_string_append_printf(text, "  %%v%u = iadd.i32 %%v%u, %u\n", number, a, number % 100);
    break;
  case 1:
    g_string_append_printf(text, "  %%v%u = imul.i32 %%v%u, fau.n\n", number, a);
    break;
  case 2:
    g_string_append_printf(text, "  %%v%u = select.i32 true, %%v%u, %%v%u\n", number, a, b);
    break;
  case 3:
    g_string_append_printf(text, "  store.global.i32 %%v%u, fau.x, offset:%u\n", a,
                           number % 64 * 4);
    g_string_append_printf(text, "  %%v%u = load.global.i32 fau.x, offset:8\n", number);
    break;
  default:
    g_string_append_printf(text, "  %%v%u = xor.i32 %%v%u, %%v%u\n", number, a, b);
  }
}

/* A sequence of blocks, each with a loop back to itself. */
static GString *
make_text(unsigned instructions) {
  GString *text = g_string_new("shader compute @bench workgroup(16, 1, 1) {\n"
                               "  fau x: i64 @ 0, n: i32 @ 2\n"
                               "entry:\n  %v0 = global_id.x\n  jump b0(%v0)\n");
  GRand *random = g_rand_new_with_seed(1);
  unsigned number = 1;
  for (unsigned block = 0; number < instructions; block++) {
    unsigned base = number++;
    g_string_append_printf(text, "b%u(%%v%u: i32):\n", block, base);
    for (unsigned i = 0; i < BLOCK_SIZE; i++, number++)
      append_instruction(text, random, number, base);
    g_string_append_printf(text, "  %%v%u = icmp.ult.i32 %%v%u, fau.n\n", number, number - 1);
    g_string_append_printf(text, "  br %%v%u, b%u(%%v%u), b%u(%%v%u)\n", number, block, base,
                           block + 1, number - 1);
    if (number++ >= instructions)
      g_string_append_printf(text, "b%u(%%last: i32):\n  end\n}\n", block + 1);
  }
  g_rand_free(random);
  return text;
}

static void
report(const char *what, unsigned instructions, double seconds) {
  printf("%-8s %7.2f million instructions/s\n", what, instructions / MAX(seconds * 1e6, 1));
}

static void
check(bool ok, GError *error) {
  if (ok)
    return;
  fprintf(stderr, "%s\n", error->message);
  exit(EXIT_FAILURE);
}

int
main(int argc, char **argv) {
  guint64 instructions = 1000000;
  if (argc > 2 ||
      (argc == 2 && !g_ascii_string_to_unsigned(argv[1], 10, 2, G_MAXINT32, &instructions, NULL))) {
    fputs("usage: bench-ir [INSTRUCTIONS]\n", stderr);
    return 2;
  }
  GString *text = make_text((unsigned)instructions);
  double parse = G_MAXDOUBLE, verify = G_MAXDOUBLE, print = G_MAXDOUBLE;
  unsigned count = 0;
  size_t bytes = 0;
  for (int round = 0; round < ROUNDS; round++) {
    GError *error = NULL;
    double start = bench_now();
    NornModule *module = norn_module_parse(text->str, text->len, "bench", &error);
    parse = MIN(parse, bench_now() - start);
    check(module != NULL, error);
    start = bench_now();
    check(norn_module_verify(module, &error), error);
    verify = MIN(verify, bench_now() - start);
    start = bench_now();
    char *printed = norn_module_print(module, NULL);
    print = MIN(print, bench_now() - start);
    g_free(printed);
    count = module->functions[0]->inst_count;
    bytes = norn_module_memory(module);
    norn_module_free(module);
  }
  printf("%u instructions, %zu bytes of text\n", count, text->len);
  report("parse", count, parse);
  report("verify", count, verify);
  report("print", count, print);
  printf("%-8s %7.1f bytes/instruction\n", "memory", (double)bytes / count);
  g_string_free(text, TRUE);
  return EXIT_SUCCESS;
}
