/* Textures, images and samplers: one of each shape, for floats and for integers, in their own
 * resource tables, where entry d has shape d. A handle never refers to something of another kind
 * or shape, which would have no meaning. */
#include "fuzz/generator.h"
#include <string.h>

enum { FLOAT_TABLE = 2, INTEGER_TABLE = 3, SAMPLER_TABLE = 4 };

/* By NornDimension. */
static const struct {
  const char *size; /* as `norn run` expects it */
  guint channels;   /* of all texels, four each */
} shapes[NORN_DIMENSION_COUNT] = {
    [NORN_DIMENSION_1D] = {"8, levels:2", 48},
    [NORN_DIMENSION_2D] = {"4x4, levels:2", 80},
    [NORN_DIMENSION_3D] = {"2x4x2, levels:2", 72},
    [NORN_DIMENSION_CUBE] = {"2x2, layers:6", 96},
    [NORN_DIMENSION_1D_ARRAY] = {"4, layers:3", 48},
    [NORN_DIMENSION_2D_ARRAY] = {"3x2, layers:3", 72},
    [NORN_DIMENSION_CUBE_ARRAY] = {"2x2, layers:12", 192},
    [NORN_DIMENSION_2D_MS] = {"2x2, samples:4", 64},
    [NORN_DIMENSION_2D_MS_ARRAY] = {"2x2, layers:2, samples:4", 128},
    [NORN_DIMENSION_BUFFER] = {"16, buffer", 64},
};

static const char *const samplers[] = {
    "filter:linear, wrap:repeat, mip:linear, maximum_lod:8",
    "filter:nearest, wrap:[clamp, mirror, border], border:[1, 0.5, 0.25, 0]",
    "filter:nearest, wrap:clamp, compare:less, mip:nearest, maximum_lod:8",
};

/* One of the buffers that every shader has (table0, table1), or the handle of no buffer. */
static NornRef
buffer_handle(FuzzGenerator *g) {
  static const guint tables[] = {0, 1, FUZZ_EMPTY_TABLE};
  guint table = tables[fuzz_pick(g, G_N_ELEMENTS(tables))];
  return fuzz_handle_bits(g, table << NORN_HANDLE_TABLE_SHIFT | fuzz_pick(g, 2));
}

NornRef
fuzz_handle(FuzzGenerator *g, const FuzzForm *form, guint k) {
  const NornOpInfo *info = &norn_ops[form->op];
  if (!fuzz_form_is_handle(form, k) || info->flags & NORN_OP_BUFFERS)
    return 0;
  if (form->op == NORN_OP_BUFFER_SIZE)
    return buffer_handle(g);
  if (k && fuzz_form_is_handle(form, k - 1))
    return fuzz_handle_bits(g, SAMPLER_TABLE << NORN_HANDLE_TABLE_SHIFT |
                                   fuzz_pick(g, G_N_ELEMENTS(samplers)));
  if (fuzz_pick(g, 12) == 0)
    return norn_build_bits(g->builder, FUZZ_EMPTY_TABLE << NORN_HANDLE_TABLE_SHIFT);
  bool has_shape = info->modifier == NORN_MODIFIER_DIMENSION;
  guint dimension = has_shape ? form->modifier : (guint)NORN_DIMENSION_2D;
  guint table = norn_types[form->source_type].class == NORN_CLASS_FLOAT ? 0 : 1;
  g->textures[table] |= 1u << dimension;
  return fuzz_handle_bits(g, (FLOAT_TABLE + table) << NORN_HANDLE_TABLE_SHIFT | dimension);
}

bool
fuzz_is_cube(const FuzzForm *form) {
  const NornOpInfo *info = &norn_ops[form->op];
  return info->modifier == NORN_MODIFIER_DIMENSION && strchr(info->operands, '*') &&
         norn_dimensions[form->modifier].is_cube;
}

static NornRef
constant_component(FuzzGenerator *g) {
  return norn_build_float(g->builder, NORN_TYPE_F32, ((double)fuzz_pick(g, 8) * 2 - 7) / 8);
}

/* A component between -1 and 1 that is an odd multiple of 1/8, so that it does not lie on an
 * edge; a constant, or one of two selected at run time. */
static NornRef
draw_component(FuzzGenerator *g) {
  NornBuilder *b = g->builder;
  if (fuzz_pick(g, 2))
    return constant_component(g);
  NornRef bit = norn_build_and(b, NORN_TYPE_I32, fuzz_operand(g, NORN_TYPE_I32),
                               norn_build_bits(b, 1u << fuzz_pick(g, 4)));
  NornRef is_set =
      norn_build_icmp(b, NORN_INT_CONDITION_NE, NORN_TYPE_I32, bit, norn_build_bits(b, 0));
  NornRef one = constant_component(g);
  return norn_build_select(b, NORN_TYPE_F32, is_set, one, constant_component(g));
}

/* One component is 1 or -1, which makes the position on its face exact: otherwise it would be
 * rounded, and near edges another texel might be selected. */
void
fuzz_direction(FuzzGenerator *g, NornRef direction[3]) {
  guint axis = fuzz_pick(g, 3);
  for (guint i = 0; i < 3; i++)
    direction[i] = i == axis ? norn_build_float(g->builder, NORN_TYPE_F32, fuzz_pick(g, 2) ? 1 : -1)
                             : draw_component(g);
}

/* --- The run: line --- */

static void
describe_table(const FuzzGenerator *g, guint table, GString *text) {
  guint used = g->textures[table];
  static const char *const formats[] = {"rgba8unorm", "rgba8uint"};
  for (guint i = 0; used >> i; i++) {
    if (!(used >> i & 1))
      continue;
    g_string_append_printf(text, " t%u_%u=image(%s, %s)[", table, i, formats[table],
                           shapes[i].size);
    for (guint k = 0; k < shapes[i].channels; k++)
      g_string_append_printf(text, "%s%u", k ? ", " : "", (k * 37 + i * 11 + k * k) & 255);
    g_string_append(text, "]");
  }
  for (guint i = 0; used >> i; i++)
    g_string_append_printf(text, used >> i & 1 ? "%st%u_%u" : "%s-",
                           i            ? ","
                           : table == 0 ? " table2="
                                        : " table3=",
                           table, i);
}

void
fuzz_describe_textures(const FuzzGenerator *g, GString *text) {
  if (!g->textures[0] && !g->textures[1])
    return;
  for (guint i = 0; i < G_N_ELEMENTS(samplers); i++)
    g_string_append_printf(text, " s%u=sampler(%s)", i, samplers[i]);
  g_string_append(text, " table4=s0,s1,s2");
  for (guint table = 0; table < 2; table++)
    if (g->textures[table])
      describe_table(g, table, text);
}
