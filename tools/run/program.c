/* From IR text to a program that can run. */
#include "run/run.h"

NornModule *
run_program_parse(const Program *program, GError **error) {
  gsize size;
  const char *text = g_bytes_get_data(program->input, &size);
  return norn_module_parse_limited(text ? text : "", size, program->path, program->limits, error);
}

static GBytes *
compile_input(const Program *program, const NornCompileOptions *options, NornCompileInfo *info,
              NornCodeMap **map, NornModule **compiled, GError **error) {
  NornModule *module = run_program_parse(program, error);
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
run_program_clear(Program *program) {
  norn_code_map_free(program->map);
  norn_code_map_free(program->varying_map);
  norn_module_free(program->compiled);
  norn_module_free(program->module);
  norn_module_free(program->source);
  g_clear_pointer(&program->code, g_bytes_unref);
  g_clear_pointer(&program->varying_code, g_bytes_unref);
  g_clear_pointer(&program->input, g_bytes_unref);
}
