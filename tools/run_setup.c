/* From a description to a launch: every value becomes a uniform, a buffer or an image, and goes
 * where the description, the stage or its name says. */
#include "ir/ir.h"
#include "ir/numeric.h"
#include "ir/ops.h"
#include "sim/common/image.h"
#include "tools/run.h"

#include <stdlib.h>
#include <string.h>

/* --- Names with a meaning in a stage --- */

typedef enum {
  ROLE_NONE,
  ROLE_POSITION,
  ROLE_EXTRA,
  ROLE_OUTPUTS, /* varyings that vertices write */
  ROLE_INPUTS,  /* varyings that fragments read */
  ROLE_COLOR,
  ROLE_DEPTH,
  ROLE_STENCIL,
  ROLE_BLEND_SOURCE,
} Role;

static const struct {
  const char *name; /* for `numbers` more than 1 a number follows */
  NornShaderStage stage;
  Role role;
  RunKind kind;
  guint numbers;
} roles[] = {
    {"position", NORN_STAGE_VERTEX, ROLE_POSITION, RUN_LIST, 1},
    {"extra", NORN_STAGE_VERTEX, ROLE_EXTRA, RUN_LIST, 1},
    {"varyings", NORN_STAGE_VERTEX, ROLE_OUTPUTS, RUN_LIST, 1},
    {"varyings", NORN_STAGE_FRAGMENT, ROLE_INPUTS, RUN_LIST, 1},
    {"color", NORN_STAGE_FRAGMENT, ROLE_COLOR, RUN_IMAGE, NORN_COLOR_TARGETS},
    {"depth", NORN_STAGE_FRAGMENT, ROLE_DEPTH, RUN_IMAGE, 1},
    {"stencil", NORN_STAGE_FRAGMENT, ROLE_STENCIL, RUN_IMAGE, 1},
    {"blend_source", NORN_STAGE_FRAGMENT, ROLE_BLEND_SOURCE, RUN_LIST, 2},
};

static NornShaderStage
stage_of(const Program *program, const RunSpec *spec) {
  if (program->module)
    return program->module->stage;
  return spec->draw.place.line ? spec->draw.stage : NORN_STAGE_COMPUTE;
}

static Role
find_role(const Program *program, const RunSpec *spec, const RunValue *value, guint *number) {
  NornShaderStage stage = stage_of(program, spec);
  for (guint i = 0; !value->is_uniform && i < G_N_ELEMENTS(roles); i++) {
    gsize length = strlen(roles[i].name);
    const char *rest = value->name + length;
    guint64 index = 0;
    gboolean fits = roles[i].kind == value->kind ||
                    (roles[i].role == ROLE_INPUTS && value->kind == RUN_GRADIENTS);
    if (roles[i].stage != stage || !fits || strncmp(value->name, roles[i].name, length) != 0)
      continue;
    if (roles[i].numbers > 1 ? run_integer(rest, 1, &index) && index < roles[i].numbers : !*rest) {
      *number = (guint)index;
      return roles[i].role;
    }
  }
  return ROLE_NONE;
}

/* --- What a shader puts out --- */

typedef struct {
  gboolean position, extra, depth, stencil;
  guint64 varying_bytes; /* of a vertex */
  NornFormat formats[NORN_COLOR_TARGETS];
  guint colors; /* bit i: target i */
} Outputs;

static void
add_output(Outputs *outputs, const NornInst *inst) {
  guint target = (guint)norn_immediate(inst->payload, NORN_IMMEDIATE_TARGET);
  gint64 end = norn_immediate(inst->payload, NORN_IMMEDIATE_OFFSET) +
               norn_type_bits((NornType)inst->type) / 8;
  switch (inst->op) {
  case NORN_OP_STORE_POSITION:
    outputs->position = TRUE;
    break;
  case NORN_OP_STORE_POINT_SIZE:
  case NORN_OP_STORE_LAYER:
  case NORN_OP_STORE_VIEWPORT:
    outputs->extra = TRUE;
    break;
  case NORN_OP_STORE_VARYING:
    outputs->varying_bytes = MAX(outputs->varying_bytes, (guint64)MAX(end, 0));
    break;
  case NORN_OP_STORE_COLOR:
  case NORN_OP_STORE_COLOR_IF:
  case NORN_OP_STORE_TILE:
    outputs->formats[target] = (NornFormat)inst->modifier;
    outputs->colors |= 1u << target;
    break;
  case NORN_OP_STORE_DEPTH:
    outputs->depth = TRUE;
    break;
  case NORN_OP_STORE_STENCIL:
    outputs->stencil = TRUE;
    break;
  default:
    break;
  }
}

static Outputs
find_outputs(const NornModule *module) {
  Outputs outputs = {0};
  for (guint i = 0; i < module->function_count; i++) {
    const NornFunction *function = module->functions[i];
    norn_for_each_block (function, block) {
      norn_for_each_inst (function, block, index) {
        add_output(&outputs, &function->insts[index]);
      }
    }
  }
  outputs.varying_bytes = (outputs.varying_bytes + 3) & ~G_GUINT64_CONSTANT(3);
  return outputs;
}

static gboolean
fail_output(const RunSpec *spec, const char *name, GError **error) {
  return run_spec_fail(spec, spec->draw.place, error, "'%s' would have more than %u elements", name,
                       RUN_MAXIMUM_ELEMENTS);
}

static gboolean
add_list(RunSpec *spec, const char *name, const char *type, guint64 count, GError **error) {
  const RunElement *element = run_element_find(type);
  if (run_spec_find(spec->values, name))
    return TRUE;
  if (count > RUN_MAXIMUM_ELEMENTS)
    return fail_output(spec, name, error);
  g_ptr_array_add(spec->values, run_value_new(name, RUN_LIST, element, count * element->size));
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
  if (!norn_image_bytes(&image, &bytes) || bytes > (guint64)RUN_MAXIMUM_ELEMENTS * element->size)
    return fail_output(spec, name, error);
  RunValue *value = run_value_new(name, RUN_IMAGE, element, bytes);
  value->image = image;
  g_ptr_array_add(spec->values, value);
  return TRUE;
}

static gboolean
add_fragment_outputs(RunSpec *spec, const Outputs *outputs, GError **error) {
  static const NornPixelFormat depth = {1, 32, NORN_CHANNEL_FLOAT},
                               stencil = {1, 8, NORN_CHANNEL_UINT};
  static const NornChannelKind kinds[NORN_FORMAT_COUNT] = {
      [NORN_FORMAT_F32] = NORN_CHANNEL_FLOAT, [NORN_FORMAT_F16] = NORN_CHANNEL_FLOAT,
      [NORN_FORMAT_S32] = NORN_CHANNEL_SINT,  [NORN_FORMAT_U32] = NORN_CHANNEL_UINT,
      [NORN_FORMAT_S16] = NORN_CHANNEL_SINT,  [NORN_FORMAT_U16] = NORN_CHANNEL_UINT,
  };
  for (guint i = 0; i < NORN_COLOR_TARGETS; i++) {
    char name[16];
    NornPixelFormat format = {4, 32, kinds[outputs->formats[i]]};
    g_snprintf(name, sizeof name, "color%u", i);
    if (outputs->colors >> i & 1 && !add_target(spec, name, format, error))
      return FALSE;
  }
  return (!outputs->depth || add_target(spec, "depth", depth, error)) &&
         (!outputs->stencil || add_target(spec, "stencil", stencil, error));
}

gboolean
run_spec_complete(const Program *program, RunSpec *spec, GError **error) {
  NornShaderStage stage = stage_of(program, spec);
  if (spec->draw.place.line && spec->draw.stage != stage)
    return run_spec_fail(spec, spec->draw.place, error, "the program is a %s shader",
                         norn_stage_names[stage]);
  if (!spec->draw.place.line && stage != NORN_STAGE_COMPUTE)
    return run_spec_fail(
        spec, spec->place, error, "the program is a %s shader, expected draw=%s before =>",
        norn_stage_names[stage], stage == NORN_STAGE_VERTEX ? "vertices(3)" : "fragments(4x4)");
  if (program->info.shader.runs_by_sample && spec->draw.samples > 1 && !spec->draw.by_sample)
    return run_spec_fail(spec, spec->draw.place, error,
                         "the program must run once for each sample, expected by_sample");
  if (program->module && program->code && !program->info.shader.runs_by_sample &&
      spec->draw.samples > 1 && spec->draw.by_sample)
    return run_spec_fail(
        spec, spec->draw.place, error,
        "the program was compiled to run for whole pixels; --by-sample compiles it "
        "for samples");
  if (spec->draw.place.line && program->module) {
    Outputs outputs = find_outputs(program->module);
    guint64 vertices = (guint64)spec->draw.size[0] * spec->draw.instances;
    if (outputs.varying_bytes && vertices > G_MAXUINT64 / outputs.varying_bytes)
      return fail_output(spec, "varyings", error);
    if ((outputs.position && !add_list(spec, "position", "f32", 4 * vertices, error)) ||
        (outputs.extra && !add_list(spec, "extra", "u8", 4 * vertices, error)) ||
        (outputs.varying_bytes &&
         !add_list(spec, "varyings", "f32", outputs.varying_bytes / 4 * vertices, error)) ||
        (stage == NORN_STAGE_FRAGMENT && !add_fragment_outputs(spec, &outputs, error)))
      return FALSE;
  }
  for (guint i = 0; i < spec->expected->len; i++) {
    const RunValue *expected = spec->expected->pdata[i];
    if (run_spec_find(spec->values, expected->name))
      continue;
    RunValue *value =
        run_value_new(expected->name, RUN_LIST, expected->element, expected->bytes->len);
    value->place = expected->place;
    g_ptr_array_add(spec->values, value);
  }
  return TRUE;
}

/* --- Uniforms --- */

/* Where a name's value goes: a declared uniform of the module, or "u12" for bare code. */
static gboolean
find_uniform(const Program *program, const char *name, NornType *type, guint *word, guint *count) {
  if (program->module)
    return norn_module_find_fau(program->module, name, type, word, count);
  char *end;
  if (*name != 'u' || !g_ascii_isdigit(name[1]))
    return FALSE;
  *word = (guint)strtoul(name + 1, &end, 10);
  *type = NORN_TYPE_I32;
  *count = 1;
  return !*end && *word < NORN_FAU_WORDS;
}

static void
set_words(Session *session, guint word, guint64 bits, gsize bytes) {
  session->uniforms[word] = (guint32)bits;
  if (bytes == 8 && word + 1 < NORN_FAU_WORDS)
    session->uniforms[word + 1] = (guint32)(bits >> 32);
}

static gboolean
bind_number(const Program *program, const RunSpec *spec, const RunValue *value, Session *session,
            GError **error) {
  NornType type;
  guint word, count;
  guint64 bits;
  GError *problem = NULL;
  if (!find_uniform(program, value->name, &type, &word, &count))
    return run_spec_fail(spec, value->place, error, "the program declares no uniform '%s'",
                         value->name);
  if (!run_number(value->number, run_element_of_type(type), &bits, &problem)) {
    run_spec_fail(spec, value->place, error, "%s: %s", value->name, problem->message);
    g_error_free(problem);
    return FALSE;
  }
  set_words(session, word, bits, run_element_of_type(type)->size);
  return TRUE;
}

/* A list for a uniform that is an array fills the array. */
static gboolean
fill_array(const RunSpec *spec, const RunValue *value, NornType type, guint word, guint count,
           Session *session, GError **error) {
  const RunElement *element = run_element_of_type(type);
  gsize bytes = element ? (gsize)count * element->size : 0;
  if (!element || value->element->type != type || value->bytes->len != bytes)
    return run_spec_fail(spec, value->place, error,
                         "'%s' is an array of %u elements of type %s, expected so many",
                         value->name, count, element ? element->name : "that cannot be given");
  memcpy(session->uniforms + word, value->bytes->data,
         MIN(bytes, (NORN_FAU_WORDS - word) * sizeof(guint32)));
  return TRUE;
}

/* --- Memory --- */

static gboolean
is_named(const RunSpec *spec, const char *name) {
  for (guint i = 0; i < spec->entries->len; i++)
    if (!strcmp(((RunEntry *)spec->entries->pdata[i])->name, name))
      return TRUE;
  for (guint i = 0; i < spec->attributes->len; i++)
    if (!strcmp(((RunAttribute *)spec->attributes->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

/* A buffer of the value's bytes; its number. */
static gboolean
add_buffer(const RunSpec *spec, const RunValue *value, Session *session, gsize *buffer,
           GError **error) {
  GError *problem = NULL;
  if (!norn_memory_add(session->memory, value->name, 0, value->bytes->data, value->bytes->len,
                       &problem)) {
    run_spec_fail(spec, value->place, error, "%s", problem->message);
    g_error_free(problem);
    return FALSE;
  }
  *buffer = norn_memory_find(session->memory, value->name);
  return TRUE;
}

/* Turns values at the top left and their growth from pixel to pixel into three vertices' blocks. */
static gboolean
expand_gradients(const RunSpec *spec, const RunValue *value, Session *session, gsize *buffer,
                 GError **error) {
  gsize count = value->bytes->len / sizeof(guint32) / 3;
  if (value->bytes->len % (3 * sizeof(guint32)))
    return run_spec_fail(spec, value->place, error,
                         "expected three numbers for each varying: the value at the top left, what "
                         "it grows by to the right, and down");
  g_autofree guint32 *blocks = g_new(guint32, 3 * count + 1);
  const guint8 *given = value->bytes->data;
  for (gsize i = 0; i < count; i++) {
    gdouble numbers[3];
    for (guint k = 0; k < 3; k++)
      numbers[k] = run_element_double(value->element, given + (3 * i + k) * sizeof(guint32));
    blocks[i] = (guint32)norn_float_from_double(NORN_FLOAT_32, numbers[0]);
    for (guint k = 0; k < 2; k++)
      blocks[(k + 1) * count + i] = (guint32)norn_float_from_double(
          NORN_FLOAT_32, numbers[0] + numbers[k + 1] * spec->draw.size[k]);
  }
  RunValue expanded = *value;
  GByteArray bytes = {(guint8 *)blocks, (guint)(3 * count * sizeof(guint32))};
  expanded.bytes = &bytes;
  return add_buffer(spec, &expanded, session, buffer, error);
}

/* The bytes of each of `count` blocks that a buffer consists of. */
static gboolean
block_stride(const RunSpec *spec, const RunValue *value, const Session *session, gsize buffer,
             guint64 count, const char *what, guint32 *stride, GError **error) {
  gsize size;
  norn_memory_bytes(session->memory, buffer, &size);
  *stride = count ? (guint32)(size / count) : 0;
  if (!count || size % count == 0)
    return TRUE;
  return run_spec_fail(spec, value->place, error,
                       "'%s' has %" G_GSIZE_FORMAT
                       " bytes, expected a multiple of %" G_GUINT64_FORMAT ", the number of %s",
                       value->name, size, count, what);
}

static gboolean
bind_role(const RunSpec *spec, const RunValue *value, Role role, guint number, gsize buffer,
          const NornImage *image, Session *session, GError **error) {
  NornFragmentState *fragment = &session->fragment;
  NornVertexState *vertex = &session->vertex;
  switch (role) {
  case ROLE_POSITION:
    vertex->position_buffer = buffer;
    break;
  case ROLE_EXTRA:
    vertex->extra_buffer = buffer;
    break;
  case ROLE_OUTPUTS:
    vertex->varying_buffer = buffer;
    return block_stride(spec, value, session, buffer,
                        (guint64)spec->draw.size[0] * spec->draw.instances,
                        "vertices of all instances", &vertex->varying_stride, error);
  case ROLE_INPUTS:
    fragment->varying_buffer = buffer;
    return block_stride(spec, value, session, buffer, 3, "vertices", &fragment->varying_stride,
                        error);
  case ROLE_COLOR:
    fragment->targets[number] = image;
    break;
  case ROLE_DEPTH:
    fragment->depth_target = image;
    break;
  case ROLE_STENCIL:
    fragment->stencil_target = image;
    break;
  case ROLE_BLEND_SOURCE:
    fragment->is_blend_shader = true;
    if (value->bytes->len > sizeof fragment->blend_source[number])
      return run_spec_fail(spec, value->place, error, "'%s' has %u bytes, expected at most 16",
                           value->name, value->bytes->len);
    memcpy(fragment->blend_source[number], value->bytes->data, value->bytes->len);
    break;
  case ROLE_NONE:
    break;
  }
  return TRUE;
}

static gboolean
bind_buffer(const Program *program, const RunSpec *spec, const RunValue *value, NornImage *image,
            Session *session, GError **error) {
  NornType type = NORN_TYPE_VOID;
  guint word = 0, count = 0, number = 0;
  gsize buffer = 0;
  Role role = find_role(program, spec, value, &number);
  gboolean is_uniform = !role && find_uniform(program, value->name, &type, &word, &count);
  if (is_uniform && count > 1 && value->kind == RUN_LIST)
    return fill_array(spec, value, type, word, count, session, error);
  if (is_uniform && program->module && type != NORN_TYPE_I64)
    return run_spec_fail(spec, value->place, error, "'%s' is no address, so it cannot be a buffer",
                         value->name);
  if (!role && !is_uniform && !is_named(spec, value->name))
    return run_spec_fail(spec, value->place, error,
                         "the program declares no uniform '%s', and no table or attribute names it",
                         value->name);
  if (value->kind == RUN_GRADIENTS && role != ROLE_INPUTS)
    return run_spec_fail(spec, value->place, error,
                         "gradients are only for the varyings of a fragment shader");
  if (value->kind == RUN_GRADIENTS ? !expand_gradients(spec, value, session, &buffer, error)
                                   : !add_buffer(spec, value, session, &buffer, error))
    return FALSE;
  *image = value->image;
  image->buffer = buffer;
  if (is_uniform)
    set_words(session, word, norn_memory_address(session->memory, buffer), 8);
  return bind_role(spec, value, role, number, buffer, image, session, error);
}

/* Constants that the compiler put into uniform words. */
static void
bind_promoted(const NornCompileInfo *info, Session *session) {
  for (guint i = 0; i < info->promoted_count; i++)
    session->uniforms[info->promoted_first + i] = info->constants[i];
}

static gboolean
bind_values(const Program *program, const RunSpec *spec, Session *session, GError **error) {
  for (guint i = 0; i < spec->values->len; i++) {
    const RunValue *value = spec->values->pdata[i];
    gboolean done = TRUE;
    if (value->kind == RUN_NUMBER)
      done = bind_number(program, spec, value, session, error);
    else if (value->kind != RUN_SAMPLER)
      done = bind_buffer(program, spec, value, &session->images[i], session, error);
    else if (!is_named(spec, value->name))
      done =
          run_spec_fail(spec, value->place, error, "no table names the sampler '%s'", value->name);
    if (!done)
      return FALSE;
  }
  bind_promoted(&program->info, session);
  return TRUE;
}

/* --- Tables and attributes --- */

static gboolean
find_value(const RunSpec *spec, const char *name, RunPlace place, guint *index, GError **error) {
  for (*index = 0; *index < spec->values->len; ++*index) {
    const RunValue *value = spec->values->pdata[*index];
    if (!strcmp(value->name, name))
      return value->kind != RUN_NUMBER ||
             run_spec_fail(spec, place, error, "'%s' is a number, expected a buffer", name);
  }
  return run_spec_fail(spec, place, error, "there is no value '%s' before =>", name);
}

static gboolean
bind_tables(const RunSpec *spec, Session *session, GError **error) {
  for (guint i = 0; i < spec->entries->len; i++) {
    const RunEntry *entry = spec->entries->pdata[i];
    guint index;
    if (!find_value(spec, entry->name, entry->place, &index, error))
      return FALSE;
    const RunValue *value = spec->values->pdata[index];
    session->resources[i] = (NornResource){
        .handle = entry->handle,
        .buffer = norn_memory_find(session->memory, entry->name),
        .stride = entry->stride,
        .image = value->kind == RUN_IMAGE ? &session->images[index] : NULL,
        .sampler = value->kind == RUN_SAMPLER ? &value->sampler : NULL,
    };
  }
  session->launch.resources = session->resources;
  session->launch.resource_count = spec->entries->len;
  return TRUE;
}

static gboolean
bind_attributes(const RunSpec *spec, Session *session, GError **error) {
  guint count = 0;
  for (guint i = 0; i < spec->attributes->len; i++) {
    const RunAttribute *attribute = spec->attributes->pdata[i];
    count = MAX(count, attribute->index + 1);
  }
  session->attributes = g_new0(NornAttribute, count + 1); /* channels 0: there is none */
  for (guint i = 0; i < spec->attributes->len; i++) {
    const RunAttribute *attribute = spec->attributes->pdata[i];
    guint index;
    if (!find_value(spec, attribute->name, attribute->place, &index, error))
      return FALSE;
    session->attributes[attribute->index] =
        (NornAttribute){norn_memory_find(session->memory, attribute->name), attribute->offset,
                        attribute->stride, attribute->divisor, attribute->format};
  }
  session->vertex.attributes = session->attributes;
  session->vertex.attribute_count = count;
  return TRUE;
}

/* --- The launch --- */

/* The greatest number of invocations, up to the most of a workgroup, that divides `count`. */
static guint32
group_size(guint32 count) {
  guint32 size = MIN(count, 1024);
  while (size > 1 && count % size)
    size--;
  return MAX(size, 1);
}

static void
set_draw(const RunDraw *draw, Session *session) {
  NornLaunch *launch = &session->launch;
  if (draw->stage == NORN_STAGE_VERTEX) {
    guint32 size = group_size(draw->size[0]);
    session->vertex.first_vertex = draw->first_vertex;
    session->vertex.draw_id = draw->draw_id;
    session->vertex.view_index = draw->view_index;
    launch->vertex = &session->vertex;
    memcpy(launch->grid, (guint32[3]){draw->size[0] / size, draw->instances, 1},
           sizeof launch->grid);
    memcpy(launch->workgroup, (guint32[3]){size, 1, 1}, sizeof launch->workgroup);
    return;
  }
  NornFragmentState *fragment = &session->fragment;
  fragment->width = draw->size[0];
  fragment->height = draw->size[1];
  fragment->samples = draw->samples;
  fragment->primitive_id = draw->primitive_id;
  fragment->view_index = draw->view_index;
  fragment->back_facing = draw->back_facing;
  memcpy(fragment->depth, draw->depth, sizeof fragment->depth);
  launch->fragment = fragment;
  memcpy(launch->grid,
         (guint32[3]){(draw->size[0] + 3) / 4, (draw->size[1] + 3) / 4,
                      draw->by_sample ? draw->samples : 1},
         sizeof launch->grid);
  memcpy(launch->workgroup, (guint32[3]){4, 4, 1}, sizeof launch->workgroup);
}

gboolean
run_session_init(const Program *program, const RunSpec *spec, Session *session, GError **error) {
  session->memory = norn_memory_new();
  session->images = g_new0(NornImage, spec->values->len + 1);
  session->resources = g_new0(NornResource, spec->entries->len + 1);
  session->vertex = (NornVertexState){
      .position_buffer = SIZE_MAX, .extra_buffer = SIZE_MAX, .varying_buffer = SIZE_MAX};
  session->fragment = (NornFragmentState){.varying_buffer = SIZE_MAX};
  if (!bind_values(program, spec, session, error) || !bind_tables(spec, session, error) ||
      !bind_attributes(spec, session, error))
    return FALSE;
  NornLaunch *launch = &session->launch;
  launch->stage = stage_of(program, spec);
  launch->memory = session->memory;
  launch->uniforms = session->uniforms;
  launch->uniform_count = NORN_FAU_WORDS;
  launch->shared_bytes = program->info.workgroup_local_size;
  launch->scratch_bytes = program->info.thread_local_size;
  launch->step_limit = program->step_limit;
  launch->denormals = program->info.denormals == NORN_DENORMALS_FLUSH ? NORN_DENORMAL_FLUSH_ALL
                                                                      : NORN_DENORMAL_PRESERVE;
  memcpy(launch->grid, spec->grid, sizeof launch->grid);
  memcpy(launch->workgroup, program->workgroup, sizeof launch->workgroup);
  if (spec->draw.place.line)
    set_draw(&spec->draw, session);
  return TRUE;
}

static gboolean
simulate(const Program *program, GBytes *bytes, Session *session, GError **error) {
  gsize size;
  const void *code = g_bytes_get_data(bytes, &size);
  return norn_simulate_valhall(code, size, program->architecture ? program->architecture : "9",
                               &session->launch, &session->report, error);
}

/* Invocations and warps run both programs. */
static void
add_report(NornReport *report, const NornReport *other) {
  report->instructions += other->instructions;
  report->thread_instructions += other->thread_instructions;
  report->messages += other->messages;
  for (guint i = 0; i < NORN_UNIT_COUNT; i++)
    report->unit_instructions[i] += other->unit_instructions[i];
}

gboolean
run_session_run(const Program *program, Engine engine, Session *session, GError **error) {
  if (engine == ENGINE_INTERPRETER)
    return norn_interpret(program->module, &session->launch, &session->report, error);
  if (!simulate(program, program->code, session, error))
    return FALSE;
  if (!program->varying_code)
    return TRUE;
  NornReport first = session->report;
  session->vertex.writes_varyings = true;
  session->launch.scratch_bytes = program->varying_info.thread_local_size;
  bind_promoted(&program->varying_info, session);
  gboolean done = simulate(program, program->varying_code, session, error);
  add_report(&session->report, &first);
  return done;
}

void
run_session_clear(Session *session) {
  norn_memory_free(session->memory);
  g_free(session->images);
  g_free(session->resources);
  g_free(session->attributes);
}
