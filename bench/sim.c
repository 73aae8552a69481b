/* bench-sim [SECONDS]: lane-instructions a second of the Valhall simulator, on one core with all
 * checks on: for arithmetic, memory accesses, and diverged lanes. */
#include "bench/clock.h"
#include <math.h>
#include <norn/isa.h>
#include <norn/simulate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A loop around `body`, which is repeated; r50 counts down. */
typedef struct Kernel {
  const char *name, *setup, *body;
  unsigned repeat, rounds;
} Kernel;

static const Kernel kernels[] = {
    {"arithmetic", "",
     "FMA.f32 r4, r0, r1, r4\n"
     "FADD.f32 r5, r4, r0\n"
     "IADD.u32 r6, r6, r2\n"
     "LSHIFT_XOR.i32 r7, r6, 0x3020100.b1, r7\n"
     "FMA.f32 r8, r1, r1.neg, r5\n"
     "IMUL.i32 r9, r6, r7\n"
     "CSEL.u32.lt r10, r9, r6, r7, r3\n"
     "ICMP_OR.s32.gt.m1 r11, r10, r2, 0x0\n"
     "MUX.i32.neg r12, r10, r9, r11\n"
     "FADD.f32 r13, r8, r5.abs\n"
     "RSHIFT_AND.i32 r14, r9, 0x7060504.b0, r10\n"
     "MOV.i32 r15, ^r14\n",
     8, 4000},
    {"halves", "",
     "FMA.v2f16 r4, r0, r1, r4\n"
     "FADD.v2f16 r5, r4, r0.h10\n"
     "IADD.v2u16 r6, r6, r2\n"
     "FADD.f32 r7, r5.h0, r5.h1\n",
     8, 2000},
    {"memory", "SHADDX.u64 r16, u0, r60.w0, shift:0x2\n",
     "LOAD.i32.unsigned.slot0.wait0 @r4, r16, offset:0\n"
     "IADD.u32 r4, r4, r2\n"
     "STORE.i32.slot0.wait0 @r4, r16, offset:0\n",
     4, 4000},
    {"diverged", "",
     "LSHIFT_AND.i32 r4, r60, 0x0, r6\n"
     "BRANCHZ.reconverge r4, offset:2\n"
     "IADD.u32 r5, r5, r2\n"
     "NOP.reconverge\n"
     "IADD.u32 r6, r6, r2\n",
     4, 4000},
};

static GBytes *
assemble(const Kernel *kernel) {
  const NornIsa *isa = norn_isa_find("valhall");
  const NornIsaAssembleOptions options = {0, false};
  GString *text = g_string_new(NULL);
  for (unsigned reg = 0; reg < 16; reg++)
    g_string_append_printf(text, "S32_TO_F32 r%u, r60\n", reg);
  g_string_append_printf(text, "IADD_IMM.i32 r50, 0x0, #0x%x\n%sL:\n", kernel->rounds,
                         kernel->setup);
  for (unsigned i = 0; i < kernel->repeat; i++)
    g_string_append(text, kernel->body);
  g_string_append(text, "IADD_IMM.i32 r50, r50, #0xFFFFFFFF\nBRANCHZ r50, L\nNOP.end\n");
  GError *error = NULL;
  GBytes *code = norn_isa_assemble(isa, text->str, text->len, kernel->name, &options, &error);
  if (!code) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
  }
  g_string_free(text, TRUE);
  return code;
}

static void
measure(const Kernel *kernel, double seconds) {
  GBytes *code = assemble(kernel);
  NornMemory *memory = norn_memory_new();
  norn_memory_add(memory, "out", 0, NULL, 64, NULL);
  uint64_t address = norn_memory_address(memory, 0);
  const uint32_t uniforms[2] = {(uint32_t)address, (uint32_t)(address >> 32)};
  const NornLaunch launch = {.memory = memory,
                             .grid = {1, 1, 1},
                             .workgroup = {16, 1, 1},
                             .uniforms = uniforms,
                             .uniform_count = 2};
  uint64_t executed = 0;
  double start = bench_now(), end = start;
  while (end - start < seconds) {
    NornReport report;
    GError *error = NULL;
    if (!norn_simulate_valhall(g_bytes_get_data(code, NULL), g_bytes_get_size(code), "9", &launch,
                               &report, &error)) {
      fprintf(stderr, "%s: %s\n", kernel->name, error->message);
      exit(1);
    }
    executed += report.thread_instructions;
    end = bench_now();
  }
  printf("%-10s %7.1f million lane-instructions a second\n", kernel->name,
         (double)executed / 1e6 / (end - start));
  norn_memory_free(memory);
  g_bytes_unref(code);
}

int
main(int argc, char **argv) {
  char *end = NULL;
  double seconds = argc == 2 ? g_ascii_strtod(argv[1], &end) : 1;
  if (argc > 2 || (end && *end) || !(seconds > 0) || isinf(seconds)) {
    fputs("usage: bench-sim [SECONDS]\n", stderr);
    return 2;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS(kernels); i++)
    measure(&kernels[i], seconds);
  return 0;
}
