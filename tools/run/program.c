/* From files to programs that can run: code, or IR and SPIR-V that are compiled; for a draw, a
 * vertex and a fragment program that know of each other. */
#include "run/run.h"

#include <norn/registers.h>
#include <string.h>

NornModule *
run_program_parse(const Program *program, NornSpirvInterface **interface, GError **error) {
  return tool_parse_module(program->input, program->path, program->limits, program->target,
                           interface, error);
}

const char *
run_source_name(const Program *program) {
  return program->module ? norn_module_filename(program->module) : program->path;
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

/* Loads code or compiles IR, depending on the file's name. */
static gboolean
load_program(Program *program, const ToolTarget *target, GError **error) {
  const NornCompileOptions *options = &target->options;
  if (tool_is_code(program->path)) {
    if (!tool_refuse_compiling(target, program->path, FALSE, error))
      return FALSE;
    if (program->engine != ENGINE_SIMULATOR) {
      g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                  "%s: the interpreter runs IR, not machine code", program->path);
      return FALSE;
    }
    unsigned number;
    if (!tool_find_isa(options->target, options->architecture, &program->isa, &number, error))
      return FALSE;
    program->code = tool_load_code(options->target, options->architecture, program->path,
                                   target->no_verify, error);
    return program->code != NULL;
  }
  if (!tool_check_compilable(options->target, program->path, error))
    return FALSE;
  if (!program->input)
    program->input = tool_read(program->path, error);
  program->path = tool_input_name(program->path);
  program->module = program->input ? run_program_parse(program, &program->interface, error) : NULL;
  if (!program->module || !norn_module_verify(program->module, error))
    return FALSE;
  norn_module_workgroup(program->module, program->workgroup);
  if (program->engine == ENGINE_INTERPRETER)
    return TRUE;
  return run_program_compile(program, options, error);
}

/* The vertex program of a draw, which has the same settings as the fragment program. */
static gboolean
load_vertex_program(Program *program, Program *vertex, const char *path, const ToolTarget *target,
                    GError **error) {
  if (tool_is_code(path) || tool_is_code(program->path)) {
    g_set_error_literal(error, NORN_ERROR, NORN_ERROR_INVALID,
                        "--vertex needs IR or SPIR-V, also for the fragment shader");
    return FALSE;
  }
  *vertex = *program;
  vertex->path = path;
  vertex->input = NULL;
  vertex->other = program;
  program->other = vertex;
  program->vertex = vertex;
  return load_program(vertex, target, error);
}

/* Exchanges what the shaders of a draw must know about each other: the distances that vertices
 * are clipped by, and the varyings that fragments interpolate without perspective. */
static void
link_to_vertices(const Program *vertex, NornSpirvAbi *abi) {
  NornSpirvResource resource;
  for (guint i = 0;
       vertex->interface && norn_spirv_interface_resource(vertex->interface, i, &resource); i++)
    if (resource.written && !strcmp(resource.name, NORN_SPIRV_CLIP_DISTANCES))
      abi->clip_distances = resource.components;
}

static gboolean
link_to_fragments(Program *program, NornSpirvAbi *abi, GError **error) {
  if (tool_is_code(program->path))
    return TRUE;
  g_autoptr(NornSpirvInterface) interface = NULL;
  program->input = tool_read(program->path, error);
  g_autoptr(NornModule) module =
      program->input ? run_program_parse(program, &interface, error) : NULL;
  NornSpirvResource resource;
  abi->knows_noperspective |= interface != NULL;
  for (guint i = 0; interface && norn_spirv_interface_resource(interface, i, &resource); i++)
    if (resource.noperspective && resource.location < 32)
      abi->noperspective |= 1u << resource.location;
  return module != NULL;
}

/* Whether the program of a draw has the required stage. */
static gboolean
check_stage(const Program *program, NornShaderStage wanted, GError **error) {
  NornShaderStage stage = norn_module_stage(program->module);
  if (stage == wanted)
    return TRUE;
  g_set_error(
      error, NORN_ERROR, NORN_ERROR_INVALID,
      "%s is a %s shader, expected a %s shader, since --vertex=FILE runs before a fragment shader",
      program->path, norn_stage_name(stage), norn_stage_name(wanted));
  return FALSE;
}

/* Only fragments are run for each sample. */
gboolean
run_program_load(Program *program, Program *vertex, const char *vertex_path, ToolTarget *target,
                 GError **error) {
  if (!vertex_path)
    return load_program(program, target, error);
  bool by_sample = target->options.by_sample;
  target->options.by_sample = false;
  gboolean done = link_to_fragments(program, &target->spirv.abi, error) &&
                  load_vertex_program(program, vertex, vertex_path, target, error) &&
                  check_stage(vertex, NORN_STAGE_VERTEX, error);
  target->options.by_sample = by_sample;
  if (!done)
    return FALSE;
  link_to_vertices(vertex, &target->spirv.abi);
  g_autoptr(GPtrArray) modules = g_ptr_array_new();
  g_ptr_array_add(modules, vertex->input);
  g_ptr_array_add(modules, program->input);
  g_autofree char *names = g_strdup_printf("%s and %s", vertex->path, program->path);
  return load_program(program, target, error) && check_stage(program, NORN_STAGE_FRAGMENT, error) &&
         tool_check_constants(target, modules, names, error);
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
