/* Blend shaders for the compiler's code: each writes the color unchanged, as hardware without
 * blending does, so that the result is the same with and without them. */
#include "run/run.h"

#include <string.h>

/* A blend descriptor without blending, and the position of the target in it. */
#define OPAQUE 0x19
#define TARGET_SHIFT 16

/* Some of the registers that it may change are overwritten. */
static const char source[] = "MOV.i32 r9, 0x0\n"
                             "MOV.i32 r15, 0x0\n"
                             "IADD_IMM.i32 r10, 0x0, #0x%x\n"
                             "IADD_IMM.i32 r11, 0x0, #0x0\n"
                             "BLEND.slot0.v4.%s.wait0 @%s, r10, r60, target:0x0\n"
                             "BRANCHZI.absolute.end r48, r48\n";

static gboolean
bind_shader(const Program *program, guint target, NornFormat format, Session *session,
            GError **error) {
  const char *architecture = program->architecture ? program->architecture : "9";
  const NornIsa *isa;
  unsigned number;
  bool is_half =
      format == NORN_FORMAT_F16 || format == NORN_FORMAT_S16 || format == NORN_FORMAT_U16;
  g_autofree char *text =
      g_strdup_printf(source, OPAQUE | target << TARGET_SHIFT, norn_format_name(format),
                      is_half ? "r0:r1" : "r0:r1:r2:r3");
  if (!tool_find_isa(NULL, architecture, &isa, &number, error))
    return FALSE;
  NornIsaAssembleOptions options = {number, false};
  GBytes *code = norn_isa_assemble(isa, text, strlen(text), "blend shader", &options, error);
  if (!code)
    return FALSE;
  NornBlendShader *shader = &session->fragment.blend_shaders[target];
  session->blend_code[target] = code;
  shader->code = g_bytes_get_data(code, &shader->size);
  return TRUE;
}

gboolean
run_bind_blend_shaders(const Program *program, Session *session, GError **error) {
  const NornShaderInfo *shader = &program->info.shader;
  gboolean done = TRUE;
  if (!program->code || !session->spec->draw.blend_shaders)
    return TRUE;
  for (guint i = 0; done && i < NORN_COLOR_TARGETS; i++) {
    /* Tile accesses require a descriptor of the fixed-function kind. */
    bool is_fixed = (shader->tile_targets | shader->writes_tile) >> i & 1;
    if (shader->color_targets >> i & 1 && !is_fixed)
      done = bind_shader(program, i, shader->color_formats[i], session, error);
  }
  return done;
}
