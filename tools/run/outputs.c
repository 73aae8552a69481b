/* What a description leaves to the program: the outputs of its stage, with the size that the
 * program needs. They are determined from the generic operations of the module. If the
 * description is in a different file than the program, that file's module is used: the program
 * may be the output of passes, with machine instructions for the stores. */
#include "run/declared.h"

#include <string.h>

NornShaderStage
run_stage(const Program *program, const RunSpec *spec) {
  if (program->module)
    return norn_module_stage(program->module);
  if (program->is_reported)
    return program->info.stage;
  return spec->draw.location.line ? spec->draw.stage : NORN_STAGE_COMPUTE;
}

static gboolean
fail_output(const RunSpec *spec, const char *name, GError **error) {
  return run_spec_fail(spec, spec->draw.location, error, "'%s' would have more than %u elements",
                       name, RUN_MAX_ELEMENTS);
}

static gboolean
fail_memory(const RunSpec *spec, const char *name, GError **error) {
  return run_spec_fail(spec, spec->location, error, "not enough memory for '%s'", name);
}

static gboolean
add_list(RunSpec *spec, const char *name, const char *type, guint64 count, GError **error) {
  const RunElement *element = run_element_find(type);
  if (run_spec_find(spec->values, name))
    return TRUE;
  if (count > RUN_MAX_ELEMENTS)
    return fail_output(spec, name, error);
  RunValue *value = run_value_new(name, RUN_LIST, element, count * element->size);
  if (!value)
    return fail_memory(spec, name, error);
  g_ptr_array_add(spec->values, value);
  return TRUE;
}

static gboolean
add_target(RunSpec *spec, const char *name, NornPixelFormat format, GError **error) {
  NornImage image = {.format = format,
                     .width = spec->draw.size[0],
                     .height = spec->draw.size[1],
                     .depth = 1,
                     .layers = 1,
                     .levels = 1,
                     .samples = spec->draw.samples};
  const RunElement *element = run_element_of_format(format);
  guint64 bytes;
  if (run_spec_find(spec->values, name))
    return TRUE;
  if (!norn_image_bytes(&image, &bytes) || bytes > (guint64)RUN_MAX_ELEMENTS * element->size)
    return fail_output(spec, name, error);
  RunValue *value = run_value_new(name, RUN_IMAGE, element, bytes);
  if (!value)
    return fail_memory(spec, name, error);
  value->image = image;
  g_ptr_array_add(spec->values, value);
  return TRUE;
}

/* The depth that triangles are tested against: 1 everywhere. */
static gboolean
add_depth_buffer(RunSpec *spec, GError **error) {
  static const NornPixelFormat format = {1, 32, NORN_CHANNEL_FLOAT};
  guint32 one = GUINT32_TO_LE((guint32)norn_float_bits(NORN_TYPE_F32, 1));
  if (run_spec_find(spec->values, "depth"))
    return TRUE;
  if (!add_target(spec, "depth", format, error))
    return FALSE;
  RunValue *value = run_spec_find(spec->values, "depth");
  value->is_made = TRUE;
  for (guint at = 0; at + sizeof one <= value->bytes->len; at += sizeof one)
    memcpy(value->bytes->data + at, &one, sizeof one);
  return TRUE;
}

static gboolean
add_vertex_outputs(RunSpec *spec, const NornShaderInfo *shader, GError **error) {
  guint64 vertices = (guint64)spec->draw.size[0] * spec->draw.instances;
  guint64 varying_words = (shader->varying_size + 3) / 4;
  gboolean has_extra = shader->writes_point_size || shader->writes_layer || shader->writes_viewport;
  if (varying_words && vertices > G_MAXUINT64 / varying_words)
    return fail_output(spec, "varyings", error);
  return (!shader->writes_position || add_list(spec, "position", "f32", 4 * vertices, error)) &&
         (!has_extra || add_list(spec, "extra", "u8", 4 * vertices, error)) &&
         (!varying_words || add_list(spec, "varyings", "f32", varying_words * vertices, error));
}

static gboolean
add_fragment_outputs(RunSpec *spec, const NornShaderInfo *shader, GError **error) {
  static const NornPixelFormat depth = {1, 32, NORN_CHANNEL_FLOAT},
                               stencil = {1, 8, NORN_CHANNEL_UINT};
  static const NornChannelKind kinds[NORN_FORMAT_COUNT] = {
      [NORN_FORMAT_F32] = NORN_CHANNEL_FLOAT, [NORN_FORMAT_F16] = NORN_CHANNEL_FLOAT,
      [NORN_FORMAT_S32] = NORN_CHANNEL_SINT,  [NORN_FORMAT_U32] = NORN_CHANNEL_UINT,
      [NORN_FORMAT_S16] = NORN_CHANNEL_SINT,  [NORN_FORMAT_U16] = NORN_CHANNEL_UINT,
  };
  for (guint i = 0; i < NORN_COLOR_TARGETS; i++) {
    char name[16];
    NornPixelFormat format = {4, 32, kinds[shader->color_formats[i]]};
    g_snprintf(name, sizeof name, "color%u", i);
    if ((shader->color_targets | shader->writes_tile) >> i & 1 &&
        !add_target(spec, name, format, error))
      return FALSE;
  }
  return (!shader->writes_depth || add_target(spec, "depth", depth, error)) &&
         (!shader->writes_stencil || add_target(spec, "stencil", stencil, error));
}

/* Whether the program requests to be run for each sample. For code, this was determined when it
 * was compiled; otherwise by `source` (nullable) and the command line. */
static gboolean
asks_for_samples(const Program *program, const NornModule *source) {
  NornShaderInfo shader = {0};
  if (program->code && program->module)
    return program->info.shader.runs_by_sample;
  if (source)
    norn_module_shader_info(source, &shader);
  return shader.runs_by_sample || (program->target && program->target->options.by_sample);
}

/* A program that requests samples is run for each one, as in Vulkan, whether or not the draw
 * says so. */
static gboolean
choose_samples(const Program *program, const NornModule *source, RunSpec *spec, GError **error) {
  RunDraw *draw = &spec->draw;
  if (draw->stage != NORN_STAGE_FRAGMENT || draw->samples == 1)
    return TRUE;
  gboolean is_asked_for = asks_for_samples(program, source);
  if (program->module && program->code && !is_asked_for && draw->by_sample)
    return run_spec_fail(spec, draw->location, error,
                         "the program was compiled to run for whole pixels; use --by-sample to "
                         "compile it for samples");
  draw->by_sample |= is_asked_for;
  return TRUE;
}

gboolean
run_spec_complete(const Program *program, RunSpec *spec, GError **error) {
  NornShaderStage stage = run_stage(program, spec);
  if (spec->draw.location.line && spec->draw.stage != stage)
    return run_spec_fail(spec, spec->draw.location, error, "the program is a %s shader",
                         norn_stage_name(stage));
  if (spec->draw.location.line && spec->grid_location.line)
    return run_spec_fail(spec, spec->grid_location, error,
                         "grid is only for compute shaders; a %s shader needs draw",
                         norn_stage_name(stage));
  if (!spec->draw.location.line && stage != NORN_STAGE_COMPUTE)
    return run_spec_fail(
        spec, spec->location, error, "the program is a %s shader, expected draw=%s before =>",
        norn_stage_name(stage), stage == NORN_STAGE_VERTEX ? "vertices(3)" : "fragments(4x4)");
  if (spec->draw.is_triangles && !program->vertex)
    return run_spec_fail(spec, spec->draw.location, error,
                         "triangles need a vertex shader, expected --vertex=FILE");
  if (!run_spec_name_targets(program, spec, error))
    return FALSE;
  gboolean has_source = program->source && norn_module_stage(program->source) == stage;
  const NornModule *source = has_source ? program->source : program->module;
  if (!choose_samples(program, source, spec, error))
    return FALSE;
  if (spec->draw.location.line && source) {
    NornShaderInfo shader;
    norn_module_shader_info(source, &shader);
    gboolean done = stage == NORN_STAGE_VERTEX ? add_vertex_outputs(spec, &shader, error)
                                               : add_fragment_outputs(spec, &shader, error);
    if (!done)
      return FALSE;
  }
  if (spec->draw.is_triangles && !add_depth_buffer(spec, error))
    return FALSE;
  for (guint i = 0; i < spec->expected->len; i++) {
    const RunValue *expected = spec->expected->pdata[i];
    if (run_spec_find(spec->values, expected->name))
      continue;
    RunValue *value =
        run_value_new(expected->name, RUN_LIST, expected->element, expected->bytes->len);
    if (!value)
      return fail_memory(spec, expected->name, error);
    value->location = expected->location;
    g_ptr_array_add(spec->values, value);
  }
  return run_spec_resolve(program, spec, error);
}
