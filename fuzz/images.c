/* Images that invocations write, in their own resource tables after those of textures.c: one
 * table for each format, in which entry d has shape d; see generator.h. Each invocation has its
 * own texels in each image: x (and y) is its number; layer, z and sample may be anything. The
 * last entry is an image of words that all invocations access atomically, such that the order
 * does not matter. */
#include "fuzz/generator.h"

#define FIRST_TABLE 6
#define SUMS_ENTRY NORN_DIMENSION_COUNT
/* The size if there is more than one axis; a single axis has as many texels as both together. */
#define COLUMNS 16
#define ROWS 16

static const struct {
  const char *format;
  NornTypeClass class;
  guint bytes, channels; /* of a texel */
} formats[FUZZ_IMAGE_FORMATS] = {
    {"rgba8unorm", NORN_CLASS_FLOAT, 4, 4}, {"rgba32float", NORN_CLASS_FLOAT, 16, 4},
    {"rg16float", NORN_CLASS_FLOAT, 4, 2},  {"rgba16sint", NORN_CLASS_INT, 8, 4},
    {"rgba8uint", NORN_CLASS_INT, 4, 4},    {"r32uint", NORN_CLASS_INT, 4, 1},
    {"rg32uint", NORN_CLASS_INT, 8, 2},
};

/* By NornDimension; integer coordinates are not used with cubes. */
static const struct {
  const char *size;
  guint texels;
} shapes[NORN_DIMENSION_COUNT] = {
    [NORN_DIMENSION_1D] = {"256", 256},
    [NORN_DIMENSION_2D] = {"16x16", 256},
    [NORN_DIMENSION_3D] = {"16x16x2", 512},
    [NORN_DIMENSION_1D_ARRAY] = {"256, layers:2", 512},
    [NORN_DIMENSION_2D_ARRAY] = {"16x16, layers:2", 512},
    [NORN_DIMENSION_2D_MS] = {"16x16, samples:4", 1024},
    [NORN_DIMENSION_2D_MS_ARRAY] = {"16x16, layers:2, samples:4", 2048},
    [NORN_DIMENSION_BUFFER] = {"256, buffer", 256},
};

static NornRef
word(FuzzGenerator *g, guint64 bits) {
  return norn_build_bits(g->builder, bits);
}

static NornRef
binary(FuzzGenerator *g, NornOp op, NornRef a, NornRef b) {
  return fuzz_build(g, op, NORN_TYPE_I32, (NornRef[]){a, b}, 2);
}

bool
fuzz_is_image_access(const FuzzForm *form) {
  const NornOpInfo *info = &norn_ops[form->op];
  return info->modifier == NORN_MODIFIER_DIMENSION &&
         info->flags & (NORN_OP_READS_MEMORY | NORN_OP_WRITES_MEMORY);
}

/* --- Texels --- */

/* A format that the form can be used with: atomic accesses require the size of the type. */
static guint
draw_format(FuzzGenerator *g, const FuzzForm *form) {
  bool is_atomic = !norn_ops[form->op].source_types;
  NornType type = is_atomic ? form->type : form->source_type;
  for (;;) {
    guint format = fuzz_pick(g, FUZZ_IMAGE_FORMATS);
    bool is_float = norn_types[type].class == NORN_CLASS_FLOAT;
    if (is_float == (formats[format].class == NORN_CLASS_FLOAT) &&
        (!is_atomic || 8 * formats[format].bytes == norn_type_bits(type)))
      return format;
  }
}

static NornRef
handle(FuzzGenerator *g, guint format, guint entry) {
  guint bits = (FIRST_TABLE + format) << NORN_HANDLE_TABLE_SHIFT | entry;
  g->images[format] |= 1u << entry;
  return fuzz_handle_bits(g, bits);
}

/* One of two layers, or a layer beyond those that exist. */
static NornRef
draw_layer(FuzzGenerator *g, guint mask) {
  if (fuzz_pick(g, 8) == 0)
    return word(g, 2 + fuzz_pick(g, 9));
  return fuzz_pick(g, 2) ? word(g, fuzz_pick(g, mask + 1))
                         : binary(g, NORN_OP_AND, fuzz_operand(g, NORN_TYPE_I32), word(g, mask));
}

/* Coordinates of a texel that belongs to this invocation, or of none. */
static void
own_texel(FuzzGenerator *g, NornDimension dimension, NornRef *coordinates) {
  const NornDimensionInfo *info = &norn_dimensions[dimension];
  guint count = 0;
  NornRef x = g->lane;
  if (info->axes > 1)
    x = binary(g, NORN_OP_AND, g->lane, word(g, COLUMNS - 1));
  if (fuzz_pick(g, 10) == 0)
    x = binary(g, NORN_OP_OR, x, word(g, fuzz_pick(g, 2) ? 1024 : 0x80000000));
  coordinates[count++] = x;
  if (info->axes > 1)
    coordinates[count++] = binary(g, NORN_OP_LSHR, g->lane, word(g, 4));
  if (info->axes > 2)
    coordinates[count++] = draw_layer(g, 1);
  if (info->is_array)
    coordinates[count++] = draw_layer(g, 1);
  if (info->is_multisampled)
    coordinates[count++] = binary(g, NORN_OP_AND, fuzz_operand(g, NORN_TYPE_I32), word(g, 3));
}

/* --- Accesses --- */

static void
combine(FuzzGenerator *g) {
  NornType type = fuzz_pick(g, 2) ? NORN_TYPE_I32 : NORN_TYPE_I64;
  guint kind = fuzz_pick(g, NORN_ATOMIC_EXCHANGE), format = 0;
  while (formats[format].channels * 32 != norn_type_bits(type) ||
         8 * formats[format].bytes != norn_type_bits(type))
    format++;
  NornRef operands[2] = {handle(g, format, SUMS_ENTRY), fuzz_operand(g, type)};
  NornRef x = word(g, kind);
  NornInstSpec spec = norn_inst_spec(NORN_OP_IMAGE_ATOMIC);
  spec.modifier = NORN_DIMENSION_1D;
  spec.type = type;
  spec.operands = operands;
  spec.operand_count = 2;
  spec.list = &x;
  spec.list_count = 1;
  spec.immediates[NORN_IMMEDIATE_ATOMIC] = kind;
  norn_build(g->builder, &spec);
}

void
fuzz_access_image(FuzzGenerator *g) {
  if (!g->image_accesses->len || g->stage == NORN_STAGE_VERTEX || fuzz_lanes(g) > COLUMNS * ROWS)
    return;
  if (fuzz_pick(g, 8) == 0) {
    combine(g);
    return;
  }
  const FuzzForm *form =
      &g_array_index(g->image_accesses, FuzzForm, fuzz_pick(g, g->image_accesses->len));
  guint fixed = norn_operand_arity(form->op).fixed;
  NornRef operands[FUZZ_OPERANDS] = {0};
  for (guint k = 0; k < fixed; k++)
    if (fuzz_form_is_handle(form, k))
      operands[k] = handle(g, draw_format(g, form), form->modifier);
  own_texel(g, form->modifier, operands + fixed);
  fuzz_build_form(g, form, operands, FUZZ_OPERANDS, 0);
}

/* --- The run: line --- */

static void
describe_image(guint format, guint entry, GString *text) {
  bool is_sums = entry == SUMS_ENTRY;
  guint texels = is_sums ? COLUMNS : shapes[entry].texels;
  g_string_append_printf(text, " w%u_%u=image(%s, %s)[(1, 0, 7, 2); %u]", format, entry,
                         formats[format].format, is_sums ? "16" : shapes[entry].size,
                         texels * formats[format].channels / 4);
}

void
fuzz_describe_images(const FuzzGenerator *g, GString *text) {
  for (guint format = 0; format < FUZZ_IMAGE_FORMATS; format++) {
    guint used = g->images[format];
    for (guint i = 0; used >> i; i++)
      if (used >> i & 1)
        describe_image(format, i, text);
    for (guint i = 0; used >> i; i++) {
      g_string_append_printf(text, i ? "," : " table%u=", FIRST_TABLE + format);
      g_string_append_printf(text, used >> i & 1 ? "w%u_%u" : "-", format, i);
    }
  }
}
