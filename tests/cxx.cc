/* A front end in C++: builds a module, compiles it, and lets the headers' cleanup functions
 * free everything. */
#include <stdio.h>
#include <string.h>
#include <norn/norn.h>

int
main() {
  g_autoptr(GError) error = nullptr;
  g_autoptr(NornModule) module = norn_module_new(NORN_STAGE_COMPUTE, "cxx");
  NornRef address = norn_module_add_fau(module, "x", NORN_TYPE_I64, 0, 1);
  {
    g_autoptr(NornBuilder) builder = norn_builder_new(module);
    norn_builder_set_block(builder, norn_build_block(builder, "entry"));
    NornRef sum = norn_build_iadd(builder, NORN_TYPE_I32, norn_build_int(builder, NORN_TYPE_I32, 40),
                                  norn_build_int(builder, NORN_TYPE_I32, 2));
    norn_build_store_global(builder, NORN_TYPE_I32, sum, address, 0);
    norn_build_end(builder);
  }
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.checks = NORN_CHECK_ALL;
  NornCompileInfo info;
  g_autoptr(NornCompiler) compiler = norn_compiler_new();
  g_autoptr(GBytes) code = norn_compiler_compile(compiler, module, &options, &info, &error);
  if (!code) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
  }
  g_autoptr(NornMemory) memory = norn_memory_new();
  uint32_t words[2] = {0x1000, 0}, result = 0;
  NornLaunch launch = {};
  launch.memory = memory;
  for (int axis = 0; axis < 3; axis++)
    launch.grid[axis] = launch.workgroup[axis] = 1;
  launch.uniforms = words;
  launch.uniform_count = 2;
  launch.info = &info;
  gsize size;
  const void *bytes = g_bytes_get_data(code, &size);
  if (!norn_memory_add(memory, "x", 0x1000, nullptr, sizeof result, &error) ||
      !norn_simulate_valhall(bytes, size, info.architecture, &launch, nullptr, &error)) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
  }
  memcpy(&result, norn_memory_bytes(memory, 0, nullptr), sizeof result);
  printf("%u\n", result);
  return result == 42 ? 0 : 1;
}
