/* Inputs and outputs of the stages.
 *
 * All scalars of an input that is used are loaded before the shader's own first block; unneeded
 * ones have no effect and are removed later. An output is memory of the invocation; the end of the
 * shader stores those of its parts that are stored anywhere. A location is an attribute of a
 * vertex, 16 bytes of the block of varyings, or a color. */
#include "spirv/stages.h"
#include "ir/ops.h"
#include "spirv/relaxed.h"
#include <spirv/unified1/GLSL.std.450.h>

#define LOCATION_BYTES 16

#define CLIP_DISTANCES 8

/* The color with a location and index; several outputs may share it. */
typedef struct Color {
  const NornSpirvType *type; /* of the first output; NULL: there is none */
  NornRef components[4];     /* 0: nothing is stored there */
} Color;

enum { COLOR_INDEXES = 2, DUAL_SOURCE_TARGETS = 1 };

/* What is collected from outputs before they are stored. */
typedef struct Outputs {
  Color colors[NORN_COLOR_TARGETS * COLOR_INDEXES];
  NornRef w; /* of a vertex's position; 0: it has none */
} Outputs;

/* A scalar or vector that the stage reads or writes at once. */
typedef struct Leaf Leaf;
struct Leaf {
  NornSpirvVariable *variable;
  const NornSpirvType *type; /* a scalar or vector; of a built-in, any type */
  uint32_t flat;             /* number of the variable's scalars before it */
  uint32_t owner, member;    /* what carries its decorations */
  unsigned inherited;        /* inherited decorations; bit k: inherited_decorations[k] */
  uint32_t built_in;         /* SpvBuiltIn, or NORN_SPIRV_NONE */
  uint32_t location, component;
  uint32_t output; /* index into the variable's `written` */
  uint32_t wanted; /* in a search: the scalar of the variable to find */
  Leaf *found;     /* ... and the leaf that contains it */
  Outputs *outputs;
};

typedef void (*LeafFunction)(NornSpirvReader *reader, const Leaf *leaf);

/* --- Leaves --- */

static void walk(NornSpirvReader *reader, Leaf *leaf, LeafFunction function);

/* Decorations that apply to all parts of what carries them. */
static const SpvDecoration inherited_decorations[] = {
    SpvDecorationFlat,   SpvDecorationNoPerspective,    SpvDecorationCentroid,
    SpvDecorationSample, SpvDecorationRelaxedPrecision,
};

static bool
has_decoration(const NornSpirvReader *reader, const Leaf *leaf, SpvDecoration decoration) {
  for (unsigned k = 0; k < G_N_ELEMENTS(inherited_decorations); k++)
    if (inherited_decorations[k] == decoration && leaf->inherited >> k & 1)
      return true;
  return norn_spirv_is_decorated(reader, leaf->owner, leaf->member, decoration);
}

static void
walk_struct(NornSpirvReader *reader, const Leaf *whole, uint32_t *location, LeafFunction function) {
  const NornSpirvType *type = whole->type;
  unsigned inherited = 0;
  for (unsigned k = 0; k < G_N_ELEMENTS(inherited_decorations); k++)
    inherited |= (unsigned)has_decoration(reader, whole, inherited_decorations[k]) << k;
  for (uint32_t k = 0; k < type->count && !reader->error; k++) {
    Leaf part = *whole;
    part.type = type->members[k].type;
    part.flat = whole->flat + type->members[k].flat;
    part.owner = type->id;
    part.member = k;
    part.inherited = inherited;
    part.output = whole->variable->pointer.type == type ? k : whole->output;
    part.built_in =
        norn_spirv_decorated(reader, type->id, k, SpvDecorationBuiltIn, NORN_SPIRV_NONE);
    part.component = norn_spirv_decorated(reader, type->id, k, SpvDecorationComponent, 0);
    part.location = norn_spirv_decorated(reader, type->id, k, SpvDecorationLocation, *location);
    walk(reader, &part, function);
    *location = part.location;
  }
}

/* Calls the function for each leaf, and advances leaf->location past it. */
static void
walk(NornSpirvReader *reader, Leaf *leaf, LeafFunction function) {
  const NornSpirvType *type = leaf->type;
  uint32_t location = leaf->location;
  if (leaf->built_in != NORN_SPIRV_NONE || type->op == SpvOpTypeVector ||
      (type->scalar && type->flat == 1)) {
    function(reader, leaf);
    leaf->location++;
  } else if (type->op == SpvOpTypeStruct) {
    walk_struct(reader, leaf, &location, function);
    leaf->location = location;
  } else if (type->op == SpvOpTypeArray || type->op == SpvOpTypeMatrix) {
    for (uint32_t k = 0; k < type->count && !reader->error; k++) {
      Leaf part = *leaf;
      part.type = type->element;
      part.flat += k * type->element->flat;
      part.location = location;
      walk(reader, &part, function);
      location = part.location;
    }
    leaf->location = location;
  } else {
    norn_spirv_unsupported(reader, "an input or output of type %%%u is not supported", type->id);
  }
}

/* The variable as a leaf. */
static Leaf
root_leaf(NornSpirvReader *reader, NornSpirvVariable *variable) {
  uint32_t id = variable->id;
  Leaf leaf = {.variable = variable, .type = variable->pointer.type, .owner = id};
  leaf.member = NORN_SPIRV_NONE;
  leaf.built_in =
      norn_spirv_decorated(reader, id, NORN_SPIRV_NONE, SpvDecorationBuiltIn, NORN_SPIRV_NONE);
  leaf.location = norn_spirv_decorated(reader, id, NORN_SPIRV_NONE, SpvDecorationLocation, 0);
  leaf.component = norn_spirv_decorated(reader, id, NORN_SPIRV_NONE, SpvDecorationComponent, 0);
  return leaf;
}

static void
walk_variable(NornSpirvReader *reader, NornSpirvVariable *variable, LeafFunction function) {
  Leaf leaf = root_leaf(reader, variable);
  walk(reader, &leaf, function);
}

/* --- Components --- */

/* The 32-bit type in which components are transferred. */
static NornType
carrier(NornType type) {
  return type == NORN_TYPE_F16 || type == NORN_TYPE_F32 ? NORN_TYPE_F32 : NORN_TYPE_I32;
}

static NornFormat
carrier_format(const NornSpirvType *type) {
  const NornSpirvType *scalar = type->op == SpvOpTypeVector ? type->element : type;
  return carrier((NornType)type->scalar) == NORN_TYPE_F32 ? NORN_FORMAT_F32
         : scalar->is_signed                              ? NORN_FORMAT_S32
                                                          : NORN_FORMAT_U32;
}

static NornType
words_type(NornType single, unsigned words) {
  return words == 1 ? single : norn_group_of_words(words);
}

/* Converts from the carrier and to it. */
static NornRef
narrow(NornSpirvReader *reader, NornType type, NornRef ref) {
  if (type == NORN_TYPE_F16)
    return norn_spirv_convert(reader, NORN_OP_FPCONV, NORN_ROUND_RTE, type, NORN_TYPE_F32, ref);
  return type == NORN_TYPE_F32 ? ref : norn_spirv_resize(reader, type, NORN_TYPE_I32, false, ref);
}

static NornRef
widen(NornSpirvReader *reader, const NornSpirvType *type, NornRef ref) {
  const NornSpirvType *scalar = type->op == SpvOpTypeVector ? type->element : type;
  if (type->scalar == NORN_TYPE_F16)
    return norn_spirv_convert(reader, NORN_OP_FPCONV, NORN_ROUND_RTE, NORN_TYPE_F32, NORN_TYPE_F16,
                              ref);
  return type->scalar == NORN_TYPE_F32
             ? ref
             : norn_spirv_resize(reader, NORN_TYPE_I32, (NornType)type->scalar, scalar->is_signed,
                                 ref);
}

/* Whether components of that type can be transferred. */
static bool
check_component(NornSpirvReader *reader, const Leaf *leaf) {
  NornType type = (NornType)leaf->type->scalar;
  unsigned bits = norn_type_bits(type), count = leaf->type->flat;
  if (bits < 8 || bits > 32)
    norn_spirv_unsupported(reader, "inputs and outputs of %u bits are not supported", bits);
  else if (count > 4 || leaf->component > 4 - count)
    norn_spirv_invalid(reader, "components %u to %u of a location, expected at most 0 to 3",
                       leaf->component, leaf->component + count - 1);
  return !reader->error;
}

/* Whether a varying has the value of the provoking vertex. */
static bool
is_flat(const NornSpirvReader *reader, const Leaf *leaf) {
  return carrier((NornType)leaf->type->scalar) == NORN_TYPE_I32 ||
         has_decoration(reader, leaf, SpvDecorationFlat);
}

/* Whether a varying is interpolated linearly in screen space. Vertices write it multiplied by the w
 * of their position, since interpolation divides by w. */
static bool
lacks_perspective(const NornSpirvReader *reader, const Leaf *leaf) {
  const NornSpirvAbi *abi = &reader->options->abi;
  if (is_flat(reader, leaf))
    return false;
  if (reader->module->stage == NORN_STAGE_VERTEX && abi->knows_noperspective)
    return leaf->location < 32 && abi->noperspective >> leaf->location & 1;
  return has_decoration(reader, leaf, SpvDecorationNoPerspective);
}

static void
add_location(NornSpirvReader *reader, const Leaf *leaf, NornSpirvResourceKind kind) {
  const NornSpirvType *type = leaf->variable->pointer.type;
  const char *name = norn_spirv_text(reader, reader->ids[leaf->variable->id].name);
  NornSpirvResource *resource = norn_spirv_add_resource(
      reader, kind, *name ? name : norn_spirv_text(reader, reader->ids[type->id].name));
  resource->count = type->op == SpvOpTypeArray || type->op == SpvOpTypeMatrix ? type->count : 1;
  resource->location = leaf->location;
  resource->component = leaf->component;
  resource->type = (NornType)leaf->type->scalar;
  resource->components = leaf->type->flat;
  resource->written = leaf->variable->storage == SpvStorageClassOutput;
  resource->flat = kind == NORN_SPIRV_VARYING && is_flat(reader, leaf);
  resource->noperspective = kind == NORN_SPIRV_VARYING && lacks_perspective(reader, leaf);
}

/* --- Inputs --- */

/* Sets the leaf's scalars to these components, starting with its first one. */
static void
set_input(NornSpirvReader *reader, const Leaf *leaf, const NornRef *components) {
  for (uint32_t k = 0; k < leaf->type->flat; k++)
    leaf->variable->inputs[leaf->flat + k] =
        narrow(reader, (NornType)leaf->type->scalar, components[k]);
}

static void
load_attribute(NornSpirvReader *reader, const Leaf *leaf) {
  NornType type = carrier((NornType)leaf->type->scalar);
  unsigned count = leaf->component + leaf->type->flat;
  NornRef parts[4];
  if (leaf->location > UINT8_MAX) {
    norn_spirv_unsupported(reader, "location %u, expected less than %u", leaf->location,
                           UINT8_MAX + 1);
    return;
  }
  NornRef vertex = norn_build_vertex_id(reader->builder);
  NornRef instance = norn_build_instance_id(reader->builder);
  parts[0] = norn_build_load_attribute(reader->builder, carrier_format(leaf->type),
                                       words_type(type, count), vertex, instance, leaf->location);
  if (count > 1)
    norn_build_split(reader->builder, type, words_type(type, count), parts[0], count, parts);
  set_input(reader, leaf, parts + leaf->component);
  add_location(reader, leaf, NORN_SPIRV_ATTRIBUTE);
}

static NornInterpolation
interpolation(NornSpirvReader *reader, const Leaf *leaf) {
  if (is_flat(reader, leaf))
    return NORN_INTERPOLATION_FLAT;
  if (lacks_perspective(reader, leaf) && (has_decoration(reader, leaf, SpvDecorationSample) ||
                                          has_decoration(reader, leaf, SpvDecorationCentroid)))
    norn_spirv_unsupported(
        reader, "NoPerspective with a position other than the pixel's center is not supported");
  if (has_decoration(reader, leaf, SpvDecorationSample))
    return NORN_INTERPOLATION_SAMPLE;
  return has_decoration(reader, leaf, SpvDecorationCentroid) ? NORN_INTERPOLATION_CENTROID
                                                             : NORN_INTERPOLATION_CENTER;
}

/* The byte at which the location and component of a varying are; beyond what an instruction can
 * hold, building refuses it. */
static int64_t
byte_of_location(uint32_t location, uint32_t component) {
  return (int64_t)LOCATION_BYTES * location + 4 * (int64_t)component;
}

static int64_t
varying_offset(const Leaf *leaf) {
  return byte_of_location(leaf->location, leaf->component);
}

/* Whether a varying of a fragment is interpolated to 16 bits. */
static bool
is_rounded(const NornSpirvReader *reader, const Leaf *leaf) {
  return !reader->options->full_varyings && leaf->type->scalar == NORN_TYPE_F32 &&
         !is_flat(reader, leaf) && has_decoration(reader, leaf, SpvDecorationRelaxedPrecision);
}

static void
multiply_all(NornSpirvReader *reader, NornRef *refs, unsigned count, NornRef factor) {
  for (unsigned k = 0; k < count; k++)
    refs[k] = norn_spirv_op2(reader, NORN_OP_FMUL, NORN_TYPE_F32, refs[k], factor);
}

static void
load_varying(NornSpirvReader *reader, const Leaf *leaf) {
  NornType type = carrier((NornType)leaf->type->scalar);
  unsigned count = leaf->type->flat;
  NornRef parts[4];
  parts[0] = norn_build_load_varying(reader->builder, interpolation(reader, leaf),
                                     words_type(type, count), type, varying_offset(leaf));
  if (count > 1)
    norn_build_split(reader->builder, type, words_type(type, count), parts[0], count, parts);
  if (lacks_perspective(reader, leaf))
    multiply_all(reader, parts, count, norn_build_frag_coord(reader->builder, NORN_COMPONENT_W));
  else if (is_rounded(reader, leaf))
    norn_spirv_load_rounded(reader, interpolation(reader, leaf), count, varying_offset(leaf),
                            parts);
  set_input(reader, leaf, parts);
  add_location(reader, leaf, NORN_SPIRV_VARYING);
}

static void
find_wanted(NornSpirvReader *reader, const Leaf *leaf) {
  (void)reader;
  if (leaf->wanted >= leaf->flat && leaf->wanted - leaf->flat < leaf->type->flat)
    *leaf->found = *leaf;
}

/* Interpolates a leaf as the current instruction requires: `count` components from `first` on. */
static void
interpolate(NornSpirvReader *reader, const Leaf *leaf, unsigned first, unsigned count,
            NornRef *refs) {
  NornBuilder *builder = reader->builder;
  NornType group = words_type(NORN_TYPE_F32, count);
  uint32_t instruction = norn_spirv_word(reader, 4);
  int64_t offset = varying_offset(leaf) + 4 * first;
  if (lacks_perspective(reader, leaf))
    norn_spirv_unsupported(
        reader, "NoPerspective with a position other than the pixel's center is not supported");
  if (instruction == GLSLstd450InterpolateAtCentroid) {
    refs[0] =
        norn_build_load_varying(builder, NORN_INTERPOLATION_CENTROID, group, NORN_TYPE_F32, offset);
  } else if (instruction == GLSLstd450InterpolateAtSample) {
    refs[0] = norn_build_load_varying_at_sample(builder, group, NORN_TYPE_F32,
                                                norn_spirv_word_scalar(reader, 6), offset);
  } else {
    const NornRef *place = norn_spirv_value(reader, 6, 2);
    refs[0] = norn_build_load_varying_at_offset(builder, group, NORN_TYPE_F32, place[0], place[1],
                                                offset);
  }
  if (count > 1)
    norn_build_split(builder, NORN_TYPE_F32, group, refs[0], count, refs);
}

static void
interpolate_leaf(NornSpirvReader *reader, const Leaf *leaf) {
  if (leaf->built_in != NORN_SPIRV_NONE)
    norn_spirv_unsupported(reader,
                           "interpolating anything but varyings of 32-bit floats is not supported");
  else if (leaf->type->scalar == NORN_TYPE_F32)
    interpolate(reader, leaf, 0, leaf->type->flat, leaf->variable->inputs + leaf->flat);
}

/* Interpolates the whole variable that a pointer with a non-constant index leads into, and loads
 * the value from it. */
static void
interpolate_by_index(NornSpirvReader *reader, const NornSpirvPointer *pointer) {
  NornSpirvPointer place = *pointer;
  NornSpirvVariable *copy = norn_spirv_memory_of_input(reader, pointer->variable);
  uint32_t flat = copy->pointer.type->flat;
  if (reader->error)
    return;
  copy->inputs = norn_spirv_new_refs(reader, flat);
  memcpy(copy->inputs, pointer->variable->inputs, flat * sizeof *copy->inputs);
  walk_variable(reader, copy, interpolate_leaf);
  norn_spirv_store(reader, &copy->pointer, copy->inputs);
  place.variable = copy;
  place.base = copy->pointer.base;
  norn_spirv_define(reader, norn_spirv_load(reader, &place), place.type->flat);
}

void
norn_spirv_interpolate(NornSpirvReader *reader) {
  const NornSpirvPointer *pointer = norn_spirv_pointer(reader, 5);
  Leaf found = {.built_in = NORN_SPIRV_NONE};
  bool is_input =
      pointer->variable && pointer->variable->inputs &&
      (pointer->space == NORN_SPIRV_IN_INPUT || pointer->space == NORN_SPIRV_IN_SCRATCH);
  if (!is_input || reader->module->stage != NORN_STAGE_FRAGMENT ||
      pointer->type->scalar != NORN_TYPE_F32 || pointer->type->flat > 4) {
    norn_spirv_unsupported(reader,
                           "interpolating anything but varyings of 32-bit floats is not supported");
    return;
  }
  if (pointer->space == NORN_SPIRV_IN_SCRATCH) {
    interpolate_by_index(reader, pointer);
    return;
  }
  Leaf root = root_leaf(reader, pointer->variable);
  root.wanted = norn_spirv_flat_at(pointer->variable->pointer.type, pointer->offset);
  root.found = &found;
  walk(reader, &root, find_wanted);
  unsigned count = pointer->type->flat;
  if (reader->error || !found.type || found.built_in != NORN_SPIRV_NONE ||
      root.wanted - found.flat + count > found.type->flat) {
    norn_spirv_unsupported(reader,
                           "interpolating anything but varyings of 32-bit floats is not supported");
    return;
  }
  NornRef *refs = norn_spirv_new_refs(reader, 4);
  interpolate(reader, &found, root.wanted - found.flat, count, refs);
  norn_spirv_define(reader, refs, count);
}

/* --- Built-in inputs --- */

/* Clip distance k of a fragment. */
static NornRef
load_clip_distance(NornSpirvReader *reader, uint32_t k) {
  return norn_build_load_varying(reader->builder, NORN_INTERPOLATION_CENTER, NORN_TYPE_F32,
                                 NORN_TYPE_F32,
                                 byte_of_location(reader->options->abi.clip_location, k));
}

void
norn_spirv_clip(NornSpirvReader *reader) {
  unsigned count = reader->options->abi.clip_distances;
  NornRef any = 0, zero = norn_build_bits(reader->builder, 0);
  if (reader->module->stage != NORN_STAGE_FRAGMENT || !count)
    return;
  if (count > CLIP_DISTANCES) {
    norn_spirv_invalid(reader, "%u clip distances; there are at most %u", count, CLIP_DISTANCES);
    return;
  }
  for (unsigned k = 0; k < count; k++) {
    NornRef is_out = norn_spirv_compare(reader, NORN_OP_FCMP, NORN_FLOAT_CONDITION_OLT,
                                        NORN_TYPE_F32, load_clip_distance(reader, k), zero);
    any = any ? norn_spirv_op2(reader, NORN_OP_OR, NORN_TYPE_I1, any, is_out) : is_out;
  }
  norn_build_demote(reader->builder, any);
}

static void
load_built_in(NornSpirvReader *reader, const Leaf *leaf) {
  if (leaf->built_in == SpvBuiltInClipDistance && reader->module->stage == NORN_STAGE_FRAGMENT &&
      leaf->type->flat <= CLIP_DISTANCES) {
    for (uint32_t k = 0; k < leaf->type->flat; k++)
      leaf->variable->inputs[leaf->flat + k] = load_clip_distance(reader, k);
    return;
  }
  if (!norn_spirv_check_built_in(reader, leaf->built_in, leaf->type->flat))
    return;
  leaf->variable->is_helper = leaf->built_in == SpvBuiltInHelperInvocation;
  for (uint32_t k = 0; k < leaf->type->flat && !reader->error; k++)
    leaf->variable->inputs[leaf->flat + k] = norn_spirv_built_in(reader, leaf->built_in, k);
}

static void
load_leaf(NornSpirvReader *reader, const Leaf *leaf) {
  if (leaf->built_in != NORN_SPIRV_NONE)
    load_built_in(reader, leaf);
  else if (!check_component(reader, leaf))
    return;
  else if (reader->module->stage == NORN_STAGE_VERTEX)
    load_attribute(reader, leaf);
  else if (reader->module->stage == NORN_STAGE_FRAGMENT)
    load_varying(reader, leaf);
  else
    norn_spirv_invalid(reader, "a compute shader can only have built-in inputs");
}

void
norn_spirv_set_up_input(NornSpirvReader *reader, NornSpirvVariable *variable) {
  variable->pointer.space = NORN_SPIRV_IN_INPUT;
  variable->pointer.alignment = 4;
  variable->inputs = norn_spirv_new_refs(reader, norn_spirv_flat(reader, variable->pointer.type));
  NornRef block = norn_spirv_begin_setup(reader);
  if (!reader->error)
    walk_variable(reader, variable, load_leaf);
  norn_spirv_end_setup(reader, block);
}

/* --- Outputs --- */

void
norn_spirv_set_up_output(NornSpirvReader *reader, NornSpirvVariable *variable) {
  const NornSpirvType *type = variable->pointer.type;
  variable->written =
      NORN_NEW0(&reader->arena, bool, type->op == SpvOpTypeStruct ? type->count : 1);
}

/* Combines the scalars of an output with those that share its location. */
static void
gather_color(NornSpirvReader *reader, const Leaf *leaf, const NornRef *refs) {
  uint32_t index = norn_spirv_decorated(reader, leaf->owner, leaf->member, SpvDecorationIndex, 0);
  if (leaf->location >= (index ? DUAL_SOURCE_TARGETS : NORN_COLOR_TARGETS) ||
      index >= COLOR_INDEXES) {
    norn_spirv_unsupported(reader, "a color at location %u, index %u is not supported",
                           leaf->location, index);
    return;
  }
  Color *color = &leaf->outputs->colors[COLOR_INDEXES * leaf->location + index];
  if (color->type && carrier_format(color->type) != carrier_format(leaf->type))
    norn_spirv_invalid(reader, "the outputs at location %u have different types", leaf->location);
  color->type = leaf->type;
  for (unsigned k = 0; k < leaf->type->flat; k++)
    color->components[leaf->component + k] = widen(reader, leaf->type, refs[leaf->flat + k]);
  add_location(reader, leaf, NORN_SPIRV_COLOR);
}

/* Stores a color; missing components are 0, or 1 for the last one. */
static void
store_color(NornSpirvReader *reader, Color *color, uint32_t location, uint32_t index) {
  NornType type = carrier((NornType)color->type->scalar);
  NornFormat format = carrier_format(color->type);
  uint64_t one = type == NORN_TYPE_F32 ? norn_float_bits(type, 1) : 1;
  for (unsigned k = 0; k < 4; k++)
    if (!color->components[k])
      color->components[k] = norn_build_bits(reader->builder, k == 3 ? one : 0);
  NornRef value = norn_build_collect(reader->builder, type, NORN_TYPE_W4, 4, color->components);
  if (index)
    norn_build_store_second_color(reader->builder, format, NORN_TYPE_W4, value);
  else
    norn_build_store_color(reader->builder, format, NORN_TYPE_W4, value, location);
}

static void
store_varying(NornSpirvReader *reader, const Leaf *leaf, const NornRef *refs) {
  NornType type = carrier((NornType)leaf->type->scalar);
  unsigned count = leaf->type->flat;
  NornRef components[4];
  for (unsigned k = 0; k < count; k++)
    components[k] = widen(reader, leaf->type, refs[leaf->flat + k]);
  if (leaf->outputs->w && lacks_perspective(reader, leaf))
    multiply_all(reader, components, count, leaf->outputs->w);
  NornRef value = count > 1 ? norn_build_collect(reader->builder, type, words_type(type, count),
                                                 count, components)
                            : components[0];
  norn_build_store_varying(reader->builder, words_type(type, count), value, varying_offset(leaf));
  add_location(reader, leaf, NORN_SPIRV_VARYING);
}

/* Clip distances are transferred as varyings: fragments are clipped by the interpolated distances.
 */
static void
store_clip_distances(NornSpirvReader *reader, const Leaf *leaf, const NornRef *refs) {
  Leaf part = *leaf;
  static const NornSpirvType scalar = {.op = SpvOpTypeFloat, .scalar = NORN_TYPE_F32, .flat = 1};
  part.type = &scalar;
  for (uint32_t k = 0; k < leaf->type->flat; k++) {
    part.location = reader->options->abi.clip_location + k / 4;
    part.component = k % 4;
    norn_build_store_varying(reader->builder, NORN_TYPE_F32, refs[leaf->flat + k],
                             varying_offset(&part));
  }
  NornSpirvResource *resource =
      norn_spirv_add_resource(reader, NORN_SPIRV_VARYING, NORN_SPIRV_CLIP_DISTANCES);
  resource->location = reader->options->abi.clip_location;
  resource->type = NORN_TYPE_F32;
  resource->components = leaf->type->flat;
  resource->written = true;
}

static void
store_built_in(NornSpirvReader *reader, const Leaf *leaf, const NornRef *refs) {
  NornBuilder *builder = reader->builder;
  const NornRef *own = refs + leaf->flat;
  NornShaderStage stage = reader->module->stage;
  bool is_vertex = stage == NORN_STAGE_VERTEX, is_fragment = stage == NORN_STAGE_FRAGMENT;
  if (is_vertex && leaf->built_in == SpvBuiltInPosition && leaf->type->flat == 4)
    norn_build_store_position(builder,
                              norn_build_collect(builder, NORN_TYPE_F32, NORN_TYPE_W4, 4, own));
  else if (is_vertex && leaf->built_in == SpvBuiltInPointSize && leaf->type->flat == 1)
    norn_build_store_point_size(builder, own[0]);
  else if (is_vertex && leaf->built_in == SpvBuiltInClipDistance &&
           leaf->type->flat <= CLIP_DISTANCES)
    store_clip_distances(reader, leaf, refs);
  else if (is_vertex && leaf->built_in == SpvBuiltInLayer && leaf->type->flat == 1)
    norn_build_store_layer(builder, own[0]);
  else if (is_vertex && leaf->built_in == SpvBuiltInViewportIndex && leaf->type->flat == 1)
    norn_build_store_viewport(builder, own[0]);
  else if (is_fragment && leaf->built_in == SpvBuiltInFragDepth && leaf->type->flat == 1)
    norn_build_store_depth(builder, own[0]);
  else if (is_fragment && leaf->built_in == SpvBuiltInFragStencilRefEXT && leaf->type->flat == 1)
    norn_build_store_stencil(builder, own[0]);
  else if (is_fragment && leaf->built_in == SpvBuiltInSampleMask && leaf->type->flat >= 1)
    norn_build_store_coverage(builder, own[0]);
  else
    norn_spirv_refuse_built_in(reader, leaf->built_in);
}

static void
store_leaf(NornSpirvReader *reader, const Leaf *leaf) {
  const NornRef *refs = leaf->variable->inputs;
  bool is_tested =
      leaf->built_in == SpvBuiltInFragDepth || leaf->built_in == SpvBuiltInFragStencilRefEXT;
  if (!leaf->variable->written[leaf->output] || (is_tested && reader->tests_early))
    return;
  if (leaf->built_in != NORN_SPIRV_NONE)
    store_built_in(reader, leaf, refs);
  else if (!check_component(reader, leaf))
    return;
  else if (reader->module->stage == NORN_STAGE_VERTEX)
    store_varying(reader, leaf, refs);
  else if (reader->module->stage == NORN_STAGE_FRAGMENT)
    gather_color(reader, leaf, refs);
  else
    norn_spirv_invalid(reader, "a compute shader cannot have outputs");
}

static void
find_position(NornSpirvReader *reader, const Leaf *leaf) {
  (void)reader;
  if (leaf->built_in == SpvBuiltInPosition && leaf->type->flat == 4 &&
      leaf->variable->written[leaf->output])
    leaf->outputs->w = leaf->variable->inputs[leaf->flat + 3];
}

static void
walk_output(NornSpirvReader *reader, NornSpirvVariable *variable, Outputs *outputs,
            LeafFunction function) {
  Leaf leaf = root_leaf(reader, variable);
  leaf.outputs = outputs;
  walk(reader, &leaf, function);
}

/* Sets up outputs of the entry point that nothing accesses but that have an initial value, which
 * the end of the shader stores like any other. */
static void
set_up_initialized_outputs(NornSpirvReader *reader) {
  uint32_t at = reader->entry_at, end = at + (reader->words[at] >> 16);
  const uint32_t initialized = 5; /* words of an OpVariable with an initializer */
  for (at += 4 + (uint32_t)strlen(norn_spirv_text(reader, at + 3)) / 4; at < end; at++) {
    uint32_t id = reader->words[at];
    const NornSpirvId *own = &reader->ids[id < reader->bound ? id : 0];
    uint32_t first = own->at ? reader->words[own->at] : 0;
    if ((first & 0xFFFF) == SpvOpVariable && first >> 16 >= initialized && !own->pointer &&
        reader->words[own->at + 3] == SpvStorageClassOutput)
      norn_spirv_variable(reader, id);
  }
}

void
norn_spirv_store_outputs(NornSpirvReader *reader) {
  Outputs outputs = {0};
  set_up_initialized_outputs(reader);
  for (unsigned k = 0; k < reader->variables->len && !reader->error; k++) {
    NornSpirvVariable *variable = reader->variables->pdata[k];
    if (variable->storage != SpvStorageClassOutput)
      continue;
    variable->inputs = norn_spirv_load(reader, &variable->pointer);
    walk_output(reader, variable, &outputs, find_position);
  }
  for (unsigned k = 0; k < reader->variables->len && !reader->error; k++) {
    NornSpirvVariable *variable = reader->variables->pdata[k];
    if (variable->storage == SpvStorageClassOutput)
      walk_output(reader, variable, &outputs, store_leaf);
  }
  for (unsigned k = 0; k < G_N_ELEMENTS(outputs.colors) && !reader->error; k++)
    if (outputs.colors[k].type)
      store_color(reader, &outputs.colors[k], k / COLOR_INDEXES, k % COLOR_INDEXES);
}
