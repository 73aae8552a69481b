/* Parts that only vertex and fragment shaders have: the number of the invocation in the draw,
 * operands that must be meaningful, outputs. */
#include "fuzz/generator.h"
#include <string.h>

#define VERTICES 12
#define INSTANCES 2
#define FIRST_VERTEX 3
#define WIDTH 6 /* of the rectangle of pixels; the quads around it are helpers */
#define HEIGHT 4
#define PITCH 8
#define TILE_SAMPLES 4 /* written by code: drivers keep five bits of coverage there */

static NornRef
word(FuzzGenerator *g, guint64 bits) {
  return norn_build_bits(g->builder, bits);
}

/* --- The invocation --- */

static NornRef
pixel(FuzzGenerator *g, NornComponent component) {
  NornRef place = norn_build_frag_coord(g->builder, component);
  return norn_build_fptoui(g->builder, NORN_ROUND_RTZ, NORN_TYPE_I32, NORN_TYPE_F32, place);
}

static NornRef
row_by_row(FuzzGenerator *g, NornRef row, guint pitch, NornRef column) {
  NornRef start = norn_build_imul(g->builder, NORN_TYPE_I32, row, word(g, pitch));
  return norn_build_iadd(g->builder, NORN_TYPE_I32, start, column);
}

void
fuzz_find_lane(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  if (g->stage == NORN_STAGE_COMPUTE) {
    g->local = norn_build_local_index(b);
    g->lane = norn_build_global_id(b, NORN_AXIS_X);
    return;
  }
  if (g->stage == NORN_STAGE_VERTEX) {
    NornRef vertex =
        norn_build_isub(b, NORN_TYPE_I32, norn_build_vertex_id(b), word(g, FIRST_VERTEX));
    g->lane = row_by_row(g, norn_build_instance_id(b), VERTICES, vertex);
  } else {
    NornRef row = pixel(g, NORN_COMPONENT_Y);
    if (g->is_by_sample)
      row = row_by_row(g, norn_build_sample_id(b), HEIGHT, row);
    g->lane = row_by_row(g, row, PITCH, pixel(g, NORN_COMPONENT_X));
  }
  g->local = g->lane;
}

guint
fuzz_lanes(const FuzzGenerator *g) {
  if (g->stage == NORN_STAGE_COMPUTE)
    return g->lanes * g->groups;
  if (g->stage == NORN_STAGE_VERTEX)
    return VERTICES * INSTANCES;
  return PITCH * HEIGHT * (g->is_by_sample ? g->samples : 1);
}

/* --- Operands --- */

/* Among the first `count` samples of the pixel, one that no other invocation has; only the low
 * `bits` bits of its number matter. */
static NornRef
own_sample(FuzzGenerator *g, guint count, guint bits) {
  guint samples = MIN(g->samples, count);
  NornRef own = g->is_by_sample ? norn_build_sample_id(g->builder)
                : fuzz_pick(g, 2)
                    ? word(g, fuzz_pick(g, samples))
                    : norn_build_and(g->builder, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32),
                                     word(g, samples - 1));
  if (fuzz_pick(g, 3))
    return own;
  NornRef more =
      norn_build_shl(g->builder, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32), word(g, bits));
  return norn_build_or(g->builder, NORN_TYPE_I32, own, more);
}

/* Whether its meaning requires that the shader be run in a way that the generator has not
 * chosen. */
bool
fuzz_is_of_other_run(const FuzzGenerator *g, const FuzzForm *form) {
  bool is_by_sample = form->op == NORN_OP_SAMPLE_ID ||
                      (norn_ops[form->op].modifier == NORN_MODIFIER_INTERPOLATION &&
                       form->modifier == NORN_INTERPOLATION_SAMPLE);
  return (form->op == NORN_OP_BLEND_SOURCE && !g->is_blending) ||
         (is_by_sample && !g->is_by_sample);
}

gint64
fuzz_stage_offset(FuzzGenerator *g, const FuzzForm *form) {
  if (!(norn_ops[form->op].flags & NORN_OP_VARYING))
    return 0;
  return 4 * fuzz_pick(g, (FUZZ_VARYINGS - 16) / 4 + 1);
}

NornRef
fuzz_stage_operand(FuzzGenerator *g, const FuzzForm *form, guint k) {
  NornBuilder *b = g->builder;
  switch (form->op) {
  case NORN_OP_LOAD_ATTRIBUTE:
    return k ? norn_build_instance_id(b) : norn_build_vertex_id(b);
  case NORN_OP_STORE_LAYER:
  case NORN_OP_STORE_VIEWPORT:
    return norn_build_and(b, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32), word(g, 255));
  case NORN_OP_LOAD_VARYING_AT_SAMPLE:
    return own_sample(g, 16, 5);
  case NORN_OP_LOAD_TILE:
  case NORN_OP_LOAD_TILE_DEPTH:
  case NORN_OP_LOAD_TILE_STENCIL:
    return own_sample(g, TILE_SAMPLES, 8);
  case NORN_OP_STORE_TILE:
    return k ? own_sample(g, TILE_SAMPLES, 8) : 0;
  case NORN_OP_LOAD_VARYING_AT_OFFSET:
    return norn_build_float(b, NORN_TYPE_F32, ((double)fuzz_pick(g, 16) - 8) / 16);
  default:
    return 0;
  }
}

/* --- Outputs, and operations that end invocations --- */

/* Whether the form is allowed here: on all paths or none, and each such output once. */
static bool
is_allowed(const FuzzGenerator *g, const FuzzForm *form) {
  const NornOpInfo *info = &norn_ops[form->op];
  bool is_special = info->flags & (NORN_OP_READS_MEMORY | NORN_OP_WRITES_MEMORY);
  if (!is_special || !(info->flags & (NORN_OP_COMPUTE << g->stage)) ||
      info->flags & (NORN_OP_SPACES | NORN_OP_ORDERS) || fuzz_is_of_other_run(g, form))
    return false;
  bool is_first = (!g->block || g->dares) && !g->function;
  return !(info->flags & NORN_OP_ALL_PATHS) || (is_first && !(g->outputs >> form->op % 64 & 1));
}

void
fuzz_add_output(FuzzGenerator *g) {
  for (guint tries = 0; g->forms->len && tries < 3000; tries++) {
    const FuzzForm *form = &g_array_index(g->forms, FuzzForm, fuzz_pick(g, g->forms->len));
    if (!is_allowed(g, form))
      continue;
    bool may_end = form->op == NORN_OP_DEMOTE || form->op == NORN_OP_ALPHA_TEST;
    if (may_end && fuzz_pick(g, 3))
      continue;
    if (norn_ops[form->op].flags & NORN_OP_ALL_PATHS)
      g->outputs |= UINT64_C(1) << form->op % 64;
    fuzz_build_form(g, form, NULL, 0, fuzz_stage_offset(g, form));
    return;
  }
}

/* --- The run: line --- */

static void
append_floats(GString *text, guint count) {
  for (guint i = 0; i < count; i++)
    g_string_append_printf(text, "%s%g", i ? ", " : "", (double)((i * 37 + i * i) % 129) / 8 - 8);
}

static void
describe_vertices(GString *text) {
  static const char *const formats[NORN_FORMAT_COUNT] = {
      [NORN_FORMAT_F32] = "rgba32float", [NORN_FORMAT_F16] = "rg16float",
      [NORN_FORMAT_S32] = "rgb32sint",   [NORN_FORMAT_U32] = "rgba8uint",
      [NORN_FORMAT_S16] = "rgba8sint",   [NORN_FORMAT_U16] = "rg16uint",
  };
  g_string_append_printf(text,
                         " draw=vertices(%u, instances:%u, first_vertex:%u, draw_id:5) "
                         "stream=f32[",
                         VERTICES, INSTANCES, FIRST_VERTEX);
  append_floats(text, 80);
  g_string_append(text, "]");
  for (guint i = 0; i < NORN_FORMAT_COUNT; i++)
    g_string_append_printf(text, " attribute%u=stream(%s, offset:%u, stride:16, divisor:%u)", i,
                           formats[i], i % 2 * 4, i == 3);
}

/* The target of the invocations' depth or stencil stores; its initial contents show where they
 * do not store. */
static void
describe_target(const FuzzGenerator *g, NornOp op, const char *name, const char *format,
                GString *text) {
  guint samples = g->samples;
  if (g->outputs >> op % 64 & 1)
    g_string_append_printf(text, " %s=image(%s, %ux%u, samples:%u)[9; %u]", name, format, WIDTH,
                           HEIGHT, samples, WIDTH * HEIGHT * samples);
}

static void
describe_fragments(const FuzzGenerator *g, GString *text) {
  g_string_append_printf(text,
                         " draw=fragments(%ux%u, samples:%u%s%s%s, primitive_id:9, view_index:3, "
                         "depth:[0, 0.5, 0.25])",
                         WIDTH, HEIGHT, g->samples, g->is_by_sample ? ", by_sample" : "",
                         g->calls_blends ? ", blend_shaders" : "",
                         g->is_back_facing ? ", back_facing" : "");
  if (g->is_blending)
    g_string_append(text, " blend_source0=u32[0x3f800000, 0xbf000000, 0x7fc00001, 0x80000000] "
                          "blend_source1=u32[0x3c00bc00, 5, 0x00ff7fff, 0xffffffff]");
  g_string_append(text, " varyings=f32[");
  append_floats(text, 3 * FUZZ_VARYINGS / 4);
  g_string_append(text, "]");
  describe_target(g, NORN_OP_STORE_DEPTH, "depth", "r32float", text);
  describe_target(g, NORN_OP_STORE_STENCIL, "stencil", "r8uint", text);
}

void
fuzz_describe_stage(const FuzzGenerator *g, GString *text) {
  if (g->stage == NORN_STAGE_VERTEX)
    describe_vertices(text);
  else if (g->stage == NORN_STAGE_FRAGMENT)
    describe_fragments(g, text);
  else
    g_string_append_printf(text, " grid=%u", g->groups);
}
