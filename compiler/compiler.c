/* A compiler that keeps memory from one compilation to the next and compiles copies of modules.
 *
 * Between compilations it holds the two arenas of the pass context, empty, with all their chunks.
 * The results and limits of a compilation do not depend on earlier ones: the arenas count only what
 * was used since they were emptied. */
#include "compiler/compile.h"
#include "compiler/options.h"
#include <norn/module.h>
#include <string.h>

NornCompiler *
norn_compiler_new(void) {
  return g_new0(NornCompiler, 1);
}

void
norn_compiler_free(NornCompiler *compiler) {
  if (!compiler)
    return;
  norn_arena_free(&compiler->arena);
  norn_arena_free(&compiler->analyses);
  g_free(compiler);
}

GBytes *
norn_compiler_compile(NornCompiler *compiler, const NornModule *module,
                      const NornCompileOptions *options, NornCompileInfo *info, GError **error) {
  NornModule *copy = norn_module_copy(module);
  GBytes *code = norn_compile_with(compiler, copy, options, info, error);
  norn_module_free(copy);
  return code;
}

bool
norn_compiler_compile_vertex(NornCompiler *compiler, const NornModule *module,
                             const NornCompileOptions *options, NornVertexPrograms *programs,
                             GError **error) {
  NornCompileOptions own;
  if (options)
    own = *options;
  else
    norn_compile_options_init(&own);
  memset(programs, 0, sizeof *programs);
  if (module->stage != NORN_STAGE_VERTEX)
    return norn_refuse_stage(module, "norn_compiler_compile_vertex", "vertex shaders", error);
  bool splits = norn_compile_splits_vertices(module, &own);
  static const NornVertexPart parts[] = {NORN_VERTEX_POSITION, NORN_VERTEX_VARYINGS};
  for (unsigned i = 0; i < (splits ? 2 : 1); i++) {
    own.vertex_part = splits ? parts[i] : NORN_VERTEX_WHOLE;
    programs->code[i] = norn_compiler_compile(compiler, module, &own, &programs->info[i], error);
    if (!programs->code[i]) {
      norn_vertex_programs_clear(programs);
      return false;
    }
    programs->count++;
  }
  return true;
}

void
norn_vertex_programs_clear(NornVertexPrograms *programs) {
  for (unsigned i = 0; i < G_N_ELEMENTS(programs->code); i++)
    g_clear_pointer(&programs->code[i], g_bytes_unref);
  programs->count = 0;
}
