/* From IR text to a program that can run. */
#include "run/run.h"

NornModule *
run_program_parse(const Program *program, NornSpirvInterface **interface, GError **error) {
  return tool_parse_module(program->input, program->path, program->limits, program->target,
                           interface, error);
}

static GBytes *
compile_input(const Program *program, const NornCompileOptions *options, NornCompileInfo *info,
              NornCodeMap **map, NornModule **compiled, GError **error) {
  NornModule *module = run_program_parse(program, NULL, error);
  GBytes *code = module ? norn_compile(module, options, info, error) : NULL;
  *map = code ? norn_code_map_new(module) : NULL;
  *compiled = program->engine == ENGINE_BOTH && code ? module : NULL;
  if (!*compiled)
    norn_module_free(module);
  return code;
}

gboolean
run_program_compile(Program *program, const NornCompileOptions *options, GError **error) {
  NornCompileOptions part = *options;
  NornModule *varying;
  gboolean splits = options->vertex_part == NORN_VERTEX_WHOLE &&
                    norn_compile_splits_vertices(program->module, options);
  if (splits)
    part.vertex_part = NORN_VERTEX_POSITION;
  program->code =
      compile_input(program, &part, &program->info, &program->map, &program->compiled, error);
  program->architecture = program->info.architecture;
  if (!splits || !program->code)
    return program->code != NULL;
  part.vertex_part = NORN_VERTEX_VARYINGS;
  program->varying_code =
      compile_input(program, &part, &program->varying_info, &program->varying_map, &varying, error);
  norn_module_free(varying);
  return program->varying_code != NULL;
}

void
run_program_clear_code(Program *program) {
  g_clear_pointer(&program->map, norn_code_map_free);
  g_clear_pointer(&program->varying_map, norn_code_map_free);
  g_clear_pointer(&program->compiled, norn_module_free);
  g_clear_pointer(&program->code, g_bytes_unref);
  g_clear_pointer(&program->varying_code, g_bytes_unref);
}

void
run_program_clear(Program *program) {
  run_program_clear_code(program);
  norn_spirv_interface_free(program->interface);
  norn_module_free(program->module);
  norn_module_free(program->source);
  g_clear_pointer(&program->input, g_bytes_unref);
}
