/* A small front end: it builds a compute shader through the C API, verifies and compiles it, reads
 * back what a driver must know, and runs the code in the simulator. doc/embedding.md walks through
 * it. */
#include <norn/norn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS 20

/* y[i] = a * x[i] + y[i] for i below n. The driver puts x, y, a and n into uniform words 0 to 5. */
static NornModule *
build_saxpy(void) {
  NornModule *module = norn_module_new(NORN_STAGE_COMPUTE, "saxpy");
  norn_module_set_workgroup(module, 16, 1, 1);
  NornRef x = norn_module_add_fau(module, "x", NORN_TYPE_I64, 0, 1);
  NornRef y = norn_module_add_fau(module, "y", NORN_TYPE_I64, 2, 1);
  NornRef a = norn_module_add_fau(module, "a", NORN_TYPE_F32, 4, 1);
  NornRef n = norn_module_add_fau(module, "n", NORN_TYPE_I32, 5, 1);

  NornBuilder *builder = norn_builder_new(module);
  NornRef entry = norn_build_block(builder, "entry");
  NornRef body = norn_build_block(builder, "body");
  NornRef done = norn_build_block(builder, "done");

  norn_builder_set_block(builder, entry);
  NornRef i = norn_build_name(builder, norn_build_global_id(builder, NORN_AXIS_X), "i");
  NornRef inside = norn_build_icmp(builder, NORN_INT_CONDITION_ULT, NORN_TYPE_I32, i, n);
  norn_build_br(builder, inside, norn_branch(body), norn_branch(done));

  norn_builder_set_block(builder, body);
  NornRef px = norn_build_shladd(builder, NORN_EXTEND_U32, x, i, 2);
  NornRef py = norn_build_shladd(builder, NORN_EXTEND_U32, y, i, 2);
  NornRef xv = norn_build_load_global(builder, NORN_TYPE_F32, px, 0);
  NornRef yv = norn_build_load_global(builder, NORN_TYPE_F32, py, 0);
  NornRef sum = norn_build_name(builder, norn_build_fma(builder, NORN_TYPE_F32, a, xv, yv), "sum");
  norn_build_store_global(builder, NORN_TYPE_F32, sum, py, 0);
  norn_build_jump(builder, norn_branch(done));

  norn_builder_set_block(builder, done);
  norn_build_end(builder);
  norn_builder_free(builder);
  return module;
}

static void
print_info(const NornCompileInfo *info) {
  printf("%s %s: %u instructions, %u registers, %u uniform words, preload", info->target,
         info->architecture, info->instructions, info->registers, info->fau_words);
  for (int r = 0; r < 64; r++)
    if (info->preloaded >> r & 1)
      printf(" r%d", r);
  printf("\n");
}

/* Runs the code over ELEMENTS elements and prints y. */
static bool
run(GBytes *code, const NornCompileInfo *info, GError **error) {
  float x[ELEMENTS], y[ELEMENTS], a = 2.0f;
  for (int i = 0; i < ELEMENTS; i++) {
    x[i] = (float)i;
    y[i] = 100.0f;
  }
  NornMemory *memory = norn_memory_new();
  bool done = norn_memory_add(memory, "x", 0, x, sizeof x, error) &&
              norn_memory_add(memory, "y", 0, y, sizeof y, error);
  if (done) {
    uint32_t uniforms[NORN_FAU_WORDS] = {0};
    uint64_t addresses[2] = {norn_memory_address(memory, 0), norn_memory_address(memory, 1)};
    memcpy(uniforms, addresses, sizeof addresses);
    memcpy(&uniforms[4], &a, sizeof a);
    uniforms[5] = ELEMENTS;
    NornLaunch launch = {
        .memory = memory,
        .grid = {(ELEMENTS + info->workgroup_size[0] - 1) / info->workgroup_size[0], 1, 1},
        .uniforms = uniforms,
        .uniform_count = NORN_FAU_WORDS,
        .info = info,
    };
    memcpy(launch.workgroup, info->workgroup_size, sizeof launch.workgroup);
    norn_launch_fill_uniforms(&launch, info, uniforms); /* constants of the program */
    gsize size;
    const void *words = g_bytes_get_data(code, &size);
    NornReport report = {0};
    done = norn_simulate_valhall(words, size, info->architecture, &launch, &report, error);
    memcpy(y, norn_memory_bytes(memory, 1, NULL), sizeof y);
  }
  norn_memory_free(memory);
  for (int i = 0; done && i < ELEMENTS; i++)
    printf("%g%c", y[i], i + 1 < ELEMENTS ? ' ' : '\n');
  return done;
}

int
main(void) {
  GError *error = NULL;
  NornCompileInfo info;
  NornModule *module = build_saxpy();
  GBytes *code = NULL;
  char *text = norn_module_print(module, NULL);
  fputs(text, stdout);
  g_free(text);
  bool done =
      norn_module_verify(module, &error) && (code = norn_compile(module, NULL, &info, &error));
  if (done) {
    print_info(&info);
    done = run(code, &info, &error);
  }
  if (code)
    g_bytes_unref(code);
  norn_module_free(module);
  if (done)
    return EXIT_SUCCESS;
  fprintf(stderr, "%s\n", error->message);
  g_error_free(error);
  return EXIT_FAILURE;
}
