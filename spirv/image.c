/* Textures and images: samples, fetches, gathers, loads, stores; see image.h for what is in other
 * files.
 *
 * An image or a sampler is represented by its handle, a combined one by two handles. Cubes that are
 * stored to are arrays of layers. An input attachment is the color target with its index. */
#include "spirv/image.h"
#include "ir/ops.h"
#include "spirv/interface.h"
#include "spirv/relaxed.h"

bool
norn_spirv_dimension(NornSpirvReader *reader, const NornSpirvType *image,
                     NornDimension *dimension) {
  bool is_array = image->image[2], is_multisampled = image->image[3],
       is_storage = image->image[4] == 2;
  *dimension = NORN_DIMENSION_2D;
  switch (image->image[0]) {
  case SpvDim1D:
    *dimension = is_array ? NORN_DIMENSION_1D_ARRAY : NORN_DIMENSION_1D;
    return true;
  case SpvDim2D:
  case SpvDimSubpassData:
    if (is_multisampled)
      *dimension = is_array ? NORN_DIMENSION_2D_MS_ARRAY : NORN_DIMENSION_2D_MS;
    else
      *dimension = is_array ? NORN_DIMENSION_2D_ARRAY : NORN_DIMENSION_2D;
    return true;
  case SpvDim3D:
    *dimension = NORN_DIMENSION_3D;
    return true;
  case SpvDimCube:
    *dimension = is_storage ? NORN_DIMENSION_2D_ARRAY
                 : is_array ? NORN_DIMENSION_CUBE_ARRAY
                            : NORN_DIMENSION_CUBE;
    return true;
  case SpvDimBuffer:
    *dimension = NORN_DIMENSION_BUFFER;
    return true;
  default:
    norn_spirv_unsupported(reader, "images of this shape are not supported");
    return false;
  }
}

bool
norn_spirv_find_image(NornSpirvReader *reader, uint32_t k, NornSpirvImageAccess *access) {
  const NornSpirvType *type;
  const NornRef *refs = norn_spirv_any_value(reader, k, &type);
  if (type->op != SpvOpTypeImage && type->op != SpvOpTypeSampledImage) {
    norn_spirv_invalid(reader, "operand %u is not an image", k);
    return false;
  }
  bool is_combined = type->op == SpvOpTypeSampledImage;
  access->image = is_combined ? type->element : type;
  access->texture = refs[0];
  access->sampler = is_combined ? refs[1] : 0;
  return norn_spirv_dimension(reader, access->image, &access->dimension) && !reader->error;
}

void
norn_spirv_push_operand(NornSpirvReader *reader, NornSpirvImageAccess *access, NornRef ref) {
  if (access->count < NORN_SPIRV_IMAGE_OPERANDS)
    access->list[access->count++] = ref;
  else
    norn_spirv_invalid(reader, "too many operands");
}

void
norn_spirv_push_coordinates(NornSpirvReader *reader, NornSpirvImageAccess *access, uint32_t k,
                            unsigned count, bool is_float, bool is_projected) {
  const NornSpirvType *type;
  const NornRef *refs = norn_spirv_any_value(reader, k, &type);
  NornType wanted = is_float ? NORN_TYPE_F32 : NORN_TYPE_I32, own = (NornType)type->scalar;
  bool is_short = !is_float && (own == NORN_TYPE_I8 || own == NORN_TYPE_I16);
  if (type->flat < count + is_projected || (own != wanted && !is_short)) {
    norn_spirv_unsupported(reader, "expected %u coordinates of 32 bits", count + is_projected);
    return;
  }
  bool is_signed = (type->op == SpvOpTypeVector ? type->element : type)->is_signed;
  for (unsigned i = 0; i < count; i++)
    norn_spirv_push_operand(reader, access,
                            is_projected
                                ? norn_spirv_op2(reader, NORN_OP_FDIV, wanted, refs[i], refs[count])
                            : is_short ? norn_spirv_resize(reader, wanted, own, is_signed, refs[i])
                                       : norn_spirv_unrounded(reader, refs[i]));
}

/* Pushes all coordinates of a place in the image. */
static void
push_coordinates(NornSpirvReader *reader, NornSpirvImageAccess *access, uint32_t k, bool is_float,
                 bool is_projected) {
  unsigned count =
      norn_dimensions[access->dimension].axes + norn_dimensions[access->dimension].is_array;
  norn_spirv_push_coordinates(reader, access, k, count, is_float, is_projected);
}

/* Image operands of which at most one is present. */
#define OFFSET_MASKS (SpvImageOperandsConstOffsetMask | SpvImageOperandsOffsetMask)

/* The word of a one-word image operand, or of the one among several that is present; 0 if none is.
 * Operands come in the order of their bits. */
static uint32_t
take_operand(NornSpirvImageAccess *access, uint32_t bits) {
  return access->mask & bits ? access->next++ : 0;
}

static void
read_mask(NornSpirvReader *reader, NornSpirvImageAccess *access, uint32_t k) {
  access->mask = k < norn_spirv_length(reader) ? norn_spirv_word(reader, k) : 0;
  access->next = k + 1;
  uint32_t known = SpvImageOperandsBiasMask | SpvImageOperandsLodMask | SpvImageOperandsGradMask |
                   SpvImageOperandsConstOffsetMask | SpvImageOperandsOffsetMask |
                   SpvImageOperandsConstOffsetsMask | SpvImageOperandsSampleMask |
                   SpvImageOperandsNonPrivateTexelMask | SpvImageOperandsVolatileTexelMask |
                   SpvImageOperandsMakeTexelAvailableMask | SpvImageOperandsMakeTexelVisibleMask |
                   SpvImageOperandsSignExtendMask | SpvImageOperandsZeroExtendMask;
  uint32_t unknown = access->mask & ~known;
  if (unknown) {
    const char *name = norn_spirv_enumerant_name("ImageOperands", unknown & -unknown);
    norn_spirv_unsupported(reader, "the image operand %s is not supported",
                           name ? name : "with this number");
  }
}

/* The texel offsets as one word: x, y, z as signed bytes. */
static NornRef
pack_offsets(NornSpirvReader *reader, const NornRef *refs, unsigned count) {
  NornRef word = norn_spirv_int(reader, NORN_TYPE_I32, 0);
  for (unsigned k = 0; k < count && k < 3; k++) {
    NornRef byte = norn_spirv_op2(reader, NORN_OP_AND, NORN_TYPE_I32, refs[k],
                                  norn_spirv_int(reader, NORN_TYPE_I32, 0xFF));
    NornRef moved = norn_spirv_op2(reader, NORN_OP_SHL, NORN_TYPE_I32, byte,
                                   norn_spirv_int(reader, NORN_TYPE_I32, 8 * k));
    word = norn_spirv_op2(reader, NORN_OP_OR, NORN_TYPE_I32, word, moved);
  }
  return word;
}

static NornRef
offsets_of(NornSpirvReader *reader, uint32_t k) {
  const NornSpirvType *type;
  if (!k)
    return norn_spirv_int(reader, NORN_TYPE_I32, 0);
  const NornRef *refs = norn_spirv_any_value(reader, k, &type);
  if (type->scalar != NORN_TYPE_I32) {
    norn_spirv_invalid(reader, "offsets must be 32-bit integers");
    return 0;
  }
  return pack_offsets(reader, refs, type->flat);
}

static void
push_scalar(NornSpirvReader *reader, NornSpirvImageAccess *access, uint32_t k, NornType type) {
  const NornSpirvType *own;
  NornRef ref = norn_spirv_any_value(reader, k, &own)[0];
  if (own->scalar == type && own->flat == 1)
    norn_spirv_push_operand(reader, access, ref);
  else if (type == NORN_TYPE_I32 && own->op == SpvOpTypeInt)
    norn_spirv_push_operand(reader, access, norn_spirv_word_scalar(reader, k));
  else
    norn_spirv_unsupported(reader, "operand %u does not have 32 bits", k);
}

/* --- Building --- */

/* The type in which to request the components of the result: 16-bit floats if it is relaxed. */
static NornType
asked_type(NornSpirvReader *reader, NornType single) {
  bool is_relaxed = norn_spirv_is_relaxed(reader, norn_spirv_type(reader, 1));
  return single == NORN_TYPE_F32 && is_relaxed ? NORN_TYPE_F16 : single;
}

/* The type of a group of four components of that type. */
static NornType
group_of(NornType single) {
  return single == NORN_TYPE_F16 ? NORN_TYPE_W2 : NORN_TYPE_W4;
}

void
norn_spirv_define_texel(NornSpirvReader *reader, NornRef group, NornType single, unsigned given) {
  const NornSpirvType *type = norn_spirv_type(reader, 1);
  NornRef parts[4] = {group};
  NornRef *refs = norn_spirv_new_refs(reader, type->flat);
  bool is_half = single == NORN_TYPE_F16;
  if (type->scalar != (is_half ? NORN_TYPE_F32 : single) || type->flat > given) {
    norn_spirv_unsupported(reader,
                           "texels with more than %u components, or components of other than 32 "
                           "bits, are not supported",
                           given);
    return;
  }
  if (is_half)
    norn_spirv_widen_group(reader, group, parts);
  else if (given > 1)
    norn_build_split(reader->builder, single, norn_group_of_words(given), group, given, parts);
  for (uint32_t k = 0; k < type->flat; k++)
    refs[k] = parts[k];
  norn_spirv_define(reader, refs, type->flat);
}

/* The 32-bit type of a texel's components; VOID with an error. */
static NornType
texel_type(NornSpirvReader *reader, const NornSpirvImageAccess *access) {
  NornType type = (NornType)access->image->element->scalar;
  if (type == NORN_TYPE_F32 || type == NORN_TYPE_I32)
    return type;
  norn_spirv_unsupported(reader, "images with components of other than 32 bits are not supported");
  return NORN_TYPE_VOID;
}

NornRef
norn_spirv_build_access(NornSpirvReader *reader, const NornSpirvImageAccess *access,
                        const NornInstSpec *operation) {
  NornInstSpec spec = *operation;
  spec.modifier = access->dimension;
  spec.list = access->list;
  spec.list_count = access->count;
  uint64_t payload =
      norn_set_immediate(0, NORN_IMMEDIATE_COMPARE, spec.immediates[NORN_IMMEDIATE_COMPARE]);
  if (!reader->error && norn_operand_arity(spec.op).is_repeated &&
      norn_coordinate_operands(spec.op, access->dimension, payload) != access->count) {
    const char *name = norn_modifiers[NORN_MODIFIER_DIMENSION].texts[access->dimension];
    norn_spirv_unsupported(reader, "this operation on images of shape %s is not supported", name);
  }
  return reader->error ? 0 : norn_build(reader->builder, &spec);
}

/* --- Samples --- */

typedef struct SampleForm {
  uint16_t opcode;
  bool is_projected, compares;
} SampleForm;

static const SampleForm samples[] = {
#define SAMPLE(name, is_projected, compares) {SpvOp##name, is_projected, compares},
#include "spirv/handlers.def"
};

/* Pushes the reference value for a comparison. */
static void
push_reference(NornSpirvReader *reader, NornSpirvImageAccess *access, uint32_t k,
               bool is_projected) {
  push_scalar(reader, access, k, NORN_TYPE_F32);
  if (!is_projected || reader->error)
    return;
  const NornSpirvType *type;
  const NornRef *coordinate = norn_spirv_any_value(reader, 4, &type);
  access->list[access->count - 1] =
      norn_spirv_op2(reader, NORN_OP_FDIV, NORN_TYPE_F32, access->list[access->count - 1],
                     coordinate[norn_dimensions[access->dimension].axes]);
}

/* Pushes the derivatives in x, then those in y. */
static void
push_gradients(NornSpirvReader *reader, NornSpirvImageAccess *access, uint32_t k) {
  unsigned axes = norn_dimensions[access->dimension].axes;
  for (unsigned i = 0; i < 2; i++) {
    const NornSpirvType *type;
    const NornRef *refs = norn_spirv_any_value(reader, k + i, &type);
    if (type->flat < axes || type->scalar != NORN_TYPE_F32)
      norn_spirv_invalid(reader, "expected %u derivatives of 32 bits", axes);
    for (unsigned axis = 0; axis < axes && !reader->error; axis++)
      norn_spirv_push_operand(reader, access, refs[axis]);
  }
}

void
norn_spirv_read_sample(NornSpirvReader *reader) {
  const SampleForm *form = samples;
  while (form->opcode != norn_spirv_opcode(reader))
    form++;
  NornSpirvImageAccess access = {0};
  if (!norn_spirv_find_image(reader, 3, &access))
    return;
  NornType single = texel_type(reader, &access);
  read_mask(reader, &access, 5 + form->compares);
  push_coordinates(reader, &access, 4, true, form->is_projected);
  if (form->compares)
    push_reference(reader, &access, 5, form->is_projected);
  uint32_t bias = take_operand(&access, SpvImageOperandsBiasMask);
  uint32_t lod = take_operand(&access, SpvImageOperandsLodMask);
  uint32_t gradient = take_operand(&access, SpvImageOperandsGradMask);
  access.next += gradient != 0;
  uint32_t offset = take_operand(&access, OFFSET_MASKS);
  bool is_cube = norn_dimensions[access.dimension].is_cube;
  NornOp op = bias                           ? NORN_OP_TEX_BIAS
              : lod || (gradient && is_cube) ? NORN_OP_TEX_LOD
              : gradient                     ? NORN_OP_TEX_GRADIENT
                                             : NORN_OP_TEX;
  if (bias || lod)
    push_scalar(reader, &access, bias ? bias : lod, NORN_TYPE_F32);
  else if (gradient && is_cube)
    norn_spirv_push_cube_level(reader, &access, gradient);
  else if (gradient)
    push_gradients(reader, &access, gradient);
  if (!access.sampler)
    norn_spirv_invalid(reader, "the image has no sampler");
  const NornRef before[] = {access.texture, access.sampler, offsets_of(reader, offset)};
  single = form->compares ? single : asked_type(reader, single);
  NornType whole = form->compares ? single : group_of(single);
  NornRef group = norn_spirv_build_access(
      reader, &access,
      &(NornInstSpec){.op = op,
                      .type = whole,
                      .source_type = single,
                      .operands = before,
                      .operand_count = G_N_ELEMENTS(before),
                      .immediates[NORN_IMMEDIATE_COMPARE] = form->compares});
  if (!reader->error)
    norn_spirv_define_texel(reader, group, single, form->compares ? 1 : 4);
}

void
norn_spirv_read_gather(NornSpirvReader *reader) {
  bool compares = norn_spirv_opcode(reader) == SpvOpImageDrefGather;
  NornSpirvImageAccess access = {0};
  if (!norn_spirv_find_image(reader, 3, &access))
    return;
  NornType single = texel_type(reader, &access);
  unsigned component = compares ? 0 : (unsigned)(norn_spirv_constant(reader, 5) & 3);
  read_mask(reader, &access, 6);
  push_coordinates(reader, &access, 4, true, false);
  if (compares)
    push_scalar(reader, &access, 5, NORN_TYPE_F32);
  uint32_t offset = take_operand(&access, OFFSET_MASKS);
  uint32_t offsets = take_operand(&access, SpvImageOperandsConstOffsetsMask);
  if (!access.sampler)
    norn_spirv_invalid(reader, "the image has no sampler");
  NornRef before[] = {access.texture, access.sampler, offsets ? 0 : offsets_of(reader, offset)};
  const NornInstSpec gather = {.op = NORN_OP_TEX_GATHER,
                               .type = NORN_TYPE_W4,
                               .source_type = single,
                               .operands = before,
                               .operand_count = G_N_ELEMENTS(before),
                               .immediates[NORN_IMMEDIATE_COMPARE] = compares,
                               .immediates[NORN_IMMEDIATE_COMPONENT] = component};
  if (!offsets) {
    NornRef group = norn_spirv_build_access(reader, &access, &gather);
    if (!reader->error)
      norn_spirv_define_texel(reader, group, single, 4);
    return;
  }
  /* Each component is the top left one of a separate gather. */
  const NornRef *each = norn_spirv_value(reader, offsets, 8);
  NornRef *refs = norn_spirv_new_refs(reader, 4);
  for (unsigned k = 0; k < 4 && !reader->error; k++) {
    NornRef parts[4];
    before[2] = pack_offsets(reader, each + 2 * k, 2);
    NornRef group = norn_spirv_build_access(reader, &access, &gather);
    if (reader->error)
      return;
    norn_build_split(reader->builder, single, NORN_TYPE_W4, group, 4, parts);
    refs[k] = parts[3];
  }
  norn_spirv_define(reader, refs, 4);
}

/* --- Single texels --- */

void
norn_spirv_read_fetch(NornSpirvReader *reader) {
  NornSpirvImageAccess access = {0};
  if (!norn_spirv_find_image(reader, 3, &access))
    return;
  NornType single = texel_type(reader, &access);
  read_mask(reader, &access, 5);
  push_coordinates(reader, &access, 4, false, false);
  uint32_t lod = take_operand(&access, SpvImageOperandsLodMask);
  uint32_t offset = take_operand(&access, OFFSET_MASKS);
  uint32_t sample = take_operand(&access, SpvImageOperandsSampleMask);
  if (sample || lod)
    push_scalar(reader, &access, sample ? sample : lod, NORN_TYPE_I32);
  else if (access.count < norn_coordinate_operands(NORN_OP_TEX_FETCH, access.dimension, 0))
    norn_spirv_push_operand(reader, &access, norn_spirv_int(reader, NORN_TYPE_I32, 0));
  const NornRef before[] = {access.texture, offsets_of(reader, offset)};
  single = asked_type(reader, single);
  NornRef group = norn_spirv_build_access(reader, &access,
                                          &(NornInstSpec){.op = NORN_OP_TEX_FETCH,
                                                          .type = group_of(single),
                                                          .source_type = single,
                                                          .operands = before,
                                                          .operand_count = G_N_ELEMENTS(before)});
  if (!reader->error)
    norn_spirv_define_texel(reader, group, single, 4);
}

/* Reads an input attachment: the content of the color target with its index. */
static void
read_attachment(NornSpirvReader *reader, NornSpirvImageAccess *access) {
  NornType single = texel_type(reader, access);
  uint64_t target;
  read_mask(reader, access, 5);
  uint32_t sample = take_operand(access, SpvImageOperandsSampleMask);
  NornRef number =
      sample ? norn_spirv_word_scalar(reader, sample) : norn_spirv_int(reader, NORN_TYPE_I32, 0);
  if (!norn_spirv_constant_bits(reader, access->texture, &target) || target >= NORN_COLOR_TARGETS) {
    norn_spirv_unsupported(reader, "an input attachment must be one of the %u color targets",
                           NORN_COLOR_TARGETS);
    return;
  }
  NornFormat format = single == NORN_TYPE_F32             ? NORN_FORMAT_F32
                      : access->image->element->is_signed ? NORN_FORMAT_S32
                                                          : NORN_FORMAT_U32;
  norn_spirv_define_texel(
      reader, norn_build_load_tile(reader->builder, format, NORN_TYPE_W4, number, (unsigned)target),
      single, 4);
}

/* Pushes the sample index, which follows the coordinates of a multisampled image. */
static void
push_sample(NornSpirvReader *reader, NornSpirvImageAccess *access) {
  uint32_t sample = take_operand(access, SpvImageOperandsSampleMask);
  if (norn_dimensions[access->dimension].is_multisampled && sample)
    push_scalar(reader, access, sample, NORN_TYPE_I32);
}

void
norn_spirv_read_image_read(NornSpirvReader *reader) {
  NornSpirvImageAccess access = {0};
  if (!norn_spirv_find_image(reader, 3, &access))
    return;
  if (access.image->image[0] == SpvDimSubpassData) {
    read_attachment(reader, &access);
    return;
  }
  NornType single = texel_type(reader, &access);
  read_mask(reader, &access, 5);
  push_coordinates(reader, &access, 4, false, false);
  push_sample(reader, &access);
  NornRef group = norn_spirv_build_access(reader, &access,
                                          &(NornInstSpec){.op = NORN_OP_IMAGE_LOAD,
                                                          .type = NORN_TYPE_W4,
                                                          .source_type = single,
                                                          .operands = &access.texture,
                                                          .operand_count = 1});
  if (!reader->error)
    norn_spirv_define_texel(reader, group, single, 4);
}

void
norn_spirv_read_image_write(NornSpirvReader *reader) {
  NornSpirvImageAccess access = {0};
  const NornSpirvType *type;
  if (!norn_spirv_find_image(reader, 1, &access))
    return;
  NornType single = texel_type(reader, &access);
  const NornRef *refs = norn_spirv_any_value(reader, 3, &type);
  read_mask(reader, &access, 4);
  push_coordinates(reader, &access, 2, false, false);
  push_sample(reader, &access);
  if (type->scalar != single || type->flat < 1 || type->flat > 4) {
    norn_spirv_unsupported(reader, "texels with more than 4 components, or components of other "
                                   "than 32 bits, are not supported");
    return;
  }
  NornRef texel[4];
  for (unsigned k = 0; k < 4; k++)
    texel[k] = k < type->flat ? refs[k] : norn_spirv_int(reader, NORN_TYPE_I32, 0);
  const NornRef before[] = {norn_build_collect(reader->builder, single, NORN_TYPE_W4, 4, texel),
                            access.texture};
  norn_spirv_build_access(reader, &access,
                          &(NornInstSpec){.op = NORN_OP_IMAGE_STORE,
                                          .type = NORN_TYPE_W4,
                                          .source_type = single,
                                          .operands = before,
                                          .operand_count = G_N_ELEMENTS(before)});
}

/* --- Pointers to texels --- */

void
norn_spirv_read_texel_pointer(NornSpirvReader *reader) {
  const NornSpirvPointer *image = norn_spirv_pointer(reader, 3);
  NornSpirvPointer *pointer = NORN_NEW0(&reader->arena, NornSpirvPointer, 1);
  NornSpirvImageAccess *access = NORN_NEW0(&reader->arena, NornSpirvImageAccess, 1);
  if (image->space != NORN_SPIRV_IN_HANDLES || image->type->op != SpvOpTypeImage ||
      !norn_spirv_dimension(reader, image->type, &access->dimension)) {
    norn_spirv_invalid(reader, "the operand is not a pointer to an image");
    return;
  }
  push_coordinates(reader, access, 4, false, false);
  if (norn_dimensions[access->dimension].is_multisampled)
    push_scalar(reader, access, 5, NORN_TYPE_I32);
  pointer->space = NORN_SPIRV_IN_HANDLES;
  pointer->type = norn_spirv_pointee(reader, norn_spirv_type(reader, 1));
  pointer->base = norn_spirv_handle(reader, image);
  pointer->texel = access->list;
  pointer->texel_count = access->count;
  pointer->dimension = access->dimension;
  norn_spirv_define_pointer(reader, pointer);
}

NornRef
norn_spirv_image_atomic(NornSpirvReader *reader, const NornSpirvPointer *pointer, NornAtomic atomic,
                        NornType type, NornRef value, NornRef comparator) {
  NornOp op = comparator ? NORN_OP_IMAGE_CMPXCHG : NORN_OP_IMAGE_ATOMIC;
  const NornRef operands[] = {pointer->base, comparator ? comparator : value, value};
  if (!pointer->texel ||
      norn_coordinate_operands(op, (NornDimension)pointer->dimension, 0) != pointer->texel_count) {
    norn_spirv_unsupported(reader, "atomic access to images of this shape is not supported");
    return 0;
  }
  NornInstSpec spec = norn_inst_spec(op);
  spec.type = type;
  spec.modifier = pointer->dimension;
  spec.operands = operands;
  spec.operand_count = comparator ? 3 : 2;
  spec.list = pointer->texel;
  spec.list_count = pointer->texel_count;
  spec.immediates[NORN_IMMEDIATE_ATOMIC] = atomic;
  return norn_build(reader->builder, &spec);
}

/* --- Handles --- */

void
norn_spirv_read_sampled_image(NornSpirvReader *reader) {
  NornRef *refs = norn_spirv_new_refs(reader, 2);
  refs[0] = norn_spirv_scalar(reader, 3);
  refs[1] = norn_spirv_scalar(reader, 4);
  if (norn_spirv_type(reader, 1)->op != SpvOpTypeSampledImage)
    norn_spirv_invalid(reader, "the result is not a sampled image");
  norn_spirv_define(reader, refs, 2);
}

void
norn_spirv_read_image(NornSpirvReader *reader) {
  norn_spirv_define_scalar(reader, norn_spirv_value(reader, 3, 2)[0]);
}
