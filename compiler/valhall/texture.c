/* Textures and images.
 *
 * A look-up stages its coordinates and what else it needs in one group of words, in a fixed order:
 * coordinates, array layer, reference, texel offsets, level of detail. Handles of texture and
 * sampler are one operand of 64 bits. Levels of detail are signed numbers with eight fraction bits;
 * derivatives become one by a message of their own. A cube's direction becomes a face and two
 * coordinates on it.
 *
 * Images are read by a message that converts. To write, or to change a texel in one step, a message
 * gives its address and the word that says how to convert. Their coordinates are halves of words,
 * so what does not fit a half goes to a coordinate that the image does not have, where anything but
 * 0 is outside. Sizes come from descriptors. */
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"

/* Floats as raw bits. */
#define ONE_HALF 0x3F000000u
#define MINUS_ZERO 0x80000000u

/* Levels of detail are limited to 16 either way: the reciprocal, and 16 * 256. */
#define RECIPROCAL_LOD_LIMIT 0x3D800000u
#define LOD_SCALE 0x45800000u

/* The least level of detail of a look-up with a bias: that of drivers. */
#define MINIMUM_LOD 0

/* Whether integers have a sign is the texture's business; which type a look-up that does not know
 * should ask for is not known, so it is decided here alone. */
#define INTEGER_REGISTER_TYPE NORN_VALHALL_REGISTER_TYPE_U
#define SHORT_REGISTER_FORMAT NORN_VALHALL_REGISTER_FORMAT_U16

#define CUBE_FACE_BITS 0xE0000000u
#define GREATEST_LEVEL 255
#define STAGED 8

/* The words that a look-up stages. */
typedef struct StagedWords {
  NornRef words[STAGED];
  unsigned count;
} StagedWords;

static void
stage(StagedWords *staging, NornRef word) {
  staging->words[staging->count++] = word;
}

/* --- Small things --- */

/* One instruction with plain sources and one result. */
static NornRef
emit(NornSelector *selector, uint32_t inst, unsigned instruction, const NornRef *sources,
     unsigned count) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, instruction);
  for (unsigned k = 0; k < count; k++)
    norn_valhall_plain(&machine, sources[k]);
  return norn_valhall_emit(&machine, 1);
}

static NornRef
emit_or(NornSelector *selector, uint32_t inst, NornRef a, NornRef b) {
  NornRef sources[3] = {a, norn_select_word(selector, 0), b};
  return emit(selector, inst, NORN_VALHALL_LSHIFT_OR_I32, sources, 3);
}

/* `yes` where left compares so with right, both unsigned, else `no`. */
static NornRef
emit_choice(NornSelector *selector, uint32_t inst, unsigned condition, NornRef left, NornRef right,
            NornRef yes, NornRef no) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_CSEL_U32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_CONDITION, condition);
  norn_valhall_plain(&machine, left);
  norn_valhall_plain(&machine, right);
  norn_valhall_plain(&machine, yes);
  norn_valhall_plain(&machine, no);
  return norn_valhall_emit(&machine, 1);
}

/* Half `low_half` (0 or 1) of a word, under half `high_half` of another. */
static NornRef
emit_halves(NornSelector *selector, uint32_t inst, NornRef low, unsigned low_half, NornRef high,
            unsigned high_half) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_MKVEC_V2I16);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_HALF_H00 + low_half);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE1, NORN_VALHALL_HALF_H00 + high_half);
  norn_valhall_plain(&machine, low);
  norn_valhall_plain(&machine, high);
  return norn_valhall_emit(&machine, 1);
}

static NornRef
operand(NornSelector *selector, uint32_t inst, unsigned k) {
  return norn_select_operand(selector, inst, k);
}

static const NornDimensionInfo *
dimension_of(const NornSelector *selector, uint32_t inst) {
  return &norn_dimensions[norn_inst(selector->function, inst)->modifier];
}

/* Sampler and texture as one operand; either is nullable. */
static NornRef
handles(NornSelector *selector, uint32_t inst, NornRef sampler, NornRef texture) {
  uint64_t low, high;
  if (norn_select_constant(selector, sampler, &low) &&
      norn_select_constant(selector, texture, &high))
    return norn_constant(selector->module, (uint32_t)low | high << 32);
  return norn_select_group(selector, inst, (NornRef[]){sampler, texture}, 2);
}

/* Makes the components that a look-up or load gives, `count` of `bits` each, the result. Those that
 * the type does not hold are not asked for. */
static unsigned
component_count(const NornInst *inst) {
  return norn_type_bits(inst->type) / norn_type_bits(inst->source_type);
}

static bool
is_float(NornType type) {
  return norn_types[type].class == NORN_CLASS_FLOAT;
}

/* --- Coordinates --- */

/* A direction: the face in the top bits of the first coordinate on it, and the second one. */
static void
stage_direction(NornSelector *selector, uint32_t inst, unsigned first, StagedWords *staging) {
  NornRef axis[3];
  for (unsigned i = 0; i < 3; i++)
    axis[i] = operand(selector, inst, first + i);
  NornRef longest = emit(selector, inst, NORN_VALHALL_CUBEFACE1, axis, 3);
  NornRef face = emit(selector, inst, NORN_VALHALL_CUBEFACE2_V9, axis, 3);
  NornRef s = emit(selector, inst, NORN_VALHALL_CUBE_SSEL, (NornRef[]){axis[2], axis[0], face}, 3);
  NornRef t = emit(selector, inst, NORN_VALHALL_CUBE_TSEL, (NornRef[]){axis[1], axis[2], face}, 3);
  NornRef half = norn_select_word(selector, ONE_HALF);
  NornRef scale = emit(selector, inst, NORN_VALHALL_FRCP_F32, &longest, 1);
  scale = emit(selector, inst, NORN_VALHALL_FMA_F32,
               (NornRef[]){scale, half, norn_select_word(selector, MINUS_ZERO)}, 3);
  NornRef parts[2] = {s, t};
  for (unsigned k = 0; k < 2; k++) {
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_CLAMP, NORN_VALHALL_CLAMP_CLAMP_0_1);
    norn_valhall_plain(&machine, parts[k]);
    norn_valhall_plain(&machine, scale);
    norn_valhall_plain(&machine, half);
    parts[k] = norn_valhall_emit(&machine, 1);
  }
  NornValhallInst mux = norn_valhall_begin(selector, inst, NORN_VALHALL_MUX_I32);
  norn_valhall_set(&mux, NORN_VALHALL_FIELD_MUX, NORN_VALHALL_MUX_BIT);
  norn_valhall_plain(&mux, face);
  norn_valhall_plain(&mux, parts[0]);
  norn_valhall_constant(&mux, CUBE_FACE_BITS);
  stage(staging, norn_valhall_emit(&mux, 1));
  stage(staging, parts[1]);
}

/* Coordinates from operand `*next` on, with the layer if wanted. */
static void
stage_coordinates(NornSelector *selector, uint32_t inst, bool has_layer, unsigned *next,
                  StagedWords *staging) {
  const NornDimensionInfo *dimension = dimension_of(selector, inst);
  if (dimension->is_cube)
    stage_direction(selector, inst, *next, staging);
  else
    for (unsigned i = 0; i < dimension->axes; i++)
      stage(staging, operand(selector, inst, *next + i));
  *next += dimension->axes;
  if (has_layer && dimension->is_array)
    stage(staging, operand(selector, inst, (*next)++));
}

/* A number of levels as the message takes it: eight fraction bits, in the low half. */
static NornRef
level_word(NornSelector *selector, uint32_t inst, NornRef number, uint32_t high) {
  NornRef minus_zero = norn_select_word(selector, MINUS_ZERO);
  NornValhallInst limit = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
  norn_valhall_set(&limit, NORN_VALHALL_FIELD_CLAMP, NORN_VALHALL_CLAMP_CLAMP_M1_1);
  norn_valhall_source(&limit, number, NORN_VALHALL_FLOAT, NORN_TYPE_F32);
  norn_valhall_constant(&limit, RECIPROCAL_LOD_LIMIT);
  norn_valhall_plain(&limit, minus_zero);
  NornRef scaled = emit(
      selector, inst, NORN_VALHALL_FMA_F32,
      (NornRef[]){norn_valhall_emit(&limit, 1), norn_select_word(selector, LOD_SCALE), minus_zero},
      3);
  NornRef fixed = emit(selector, inst, NORN_VALHALL_F32_TO_S32, &scaled, 1);
  return emit_halves(selector, inst, fixed, 0, norn_select_word(selector, high), 0);
}

/* --- Look-ups --- */

static unsigned
dimension_code(const NornDimensionInfo *dimension) {
  static const uint8_t codes[] = {0, NORN_VALHALL_DIMENSION_1D, NORN_VALHALL_DIMENSION_2D,
                                  NORN_VALHALL_DIMENSION_3D};
  return dimension->is_cube ? NORN_VALHALL_DIMENSION_CUBE : codes[dimension->axes];
}

static void
set_result(NornValhallInst *machine, NornType component, unsigned mask) {
  bool is_wide = norn_type_bits(component) == 32;
  norn_valhall_set(machine, NORN_VALHALL_FIELD_REGISTER_TYPE,
                   is_float(component) ? NORN_VALHALL_REGISTER_TYPE_F : INTEGER_REGISTER_TYPE);
  norn_valhall_set(machine, NORN_VALHALL_FIELD_REGISTER_WIDTH,
                   is_wide ? NORN_VALHALL_REGISTER_WIDTH_32 : NORN_VALHALL_REGISTER_WIDTH_16);
  norn_valhall_set(machine, NORN_VALHALL_FIELD_WRITE_MASK, mask);
}

static NornValhallInst
begin_lookup(NornSelector *selector, uint32_t inst, unsigned instruction, NornRef handle,
             const StagedWords *staging) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, instruction);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_WIDE_INDICES, 1);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_DIMENSION,
                   dimension_code(dimension_of(selector, inst)));
  norn_valhall_plain(&machine, norn_select_group(selector, inst, staging->words, staging->count));
  norn_valhall_plain(&machine, handle);
  return machine;
}

/* The two words that stand for the derivatives from operand `first` on. */
static NornRef
gradient(NornSelector *selector, uint32_t inst, NornRef handle, unsigned first) {
  unsigned axes = dimension_of(selector, inst)->axes;
  StagedWords staging = {.count = 0};
  for (unsigned i = 0; i < axes; i++)
    for (unsigned k = 0; k < 2; k++)
      stage(&staging, operand(selector, inst, first + k * axes + i));
  NornValhallInst machine =
      begin_lookup(selector, inst, NORN_VALHALL_TEX_GRADIENT, handle, &staging);
  set_result(&machine, NORN_TYPE_I32, 3);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_LOD_BIAS_DISABLE, 1);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_LOD_CLAMP_DISABLE, 1);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_DERIVATIVE_ENABLE, 1);
  return norn_valhall_emit(&machine, 2);
}

/* Stages what the mode of the level of detail needs and returns the mode. */
static unsigned
stage_level(NornSelector *selector, uint32_t inst, NornRef handle, unsigned next,
            StagedWords *staging) {
  uint64_t bits;
  NornRef words;
  switch (norn_inst(selector->function, inst)->op) {
  case NORN_OP_TEX:
    return NORN_VALHALL_LOD_MODE_COMPUTED;
  case NORN_OP_TEX_BIAS:
    stage(staging, level_word(selector, inst, operand(selector, inst, next), MINIMUM_LOD));
    return NORN_VALHALL_LOD_MODE_COMPUTED_BIAS;
  case NORN_OP_TEX_LOD:
    if (norn_select_constant(selector, operand(selector, inst, next), &bits) && bits == 0)
      return NORN_VALHALL_LOD_MODE_ZERO;
    stage(staging, level_word(selector, inst, operand(selector, inst, next), 0));
    return NORN_VALHALL_LOD_MODE_EXPLICIT;
  default:
    words = gradient(selector, inst, handle, next);
    stage(staging, norn_select_word_of(selector, words, 0, 2));
    stage(staging, norn_select_word_of(selector, words, 1, 2));
    return NORN_VALHALL_LOD_MODE_GRDESC;
  }
}

static bool
select_lookup(NornSelector *selector, uint32_t inst) {
  NornInst self = *norn_inst(selector->function, inst);
  const NornDimensionInfo *dimension = dimension_of(selector, inst);
  bool gathers = self.op == NORN_OP_TEX_GATHER;
  bool compares = norn_immediate(self.payload, NORN_IMMEDIATE_COMPARE);
  NornRef handle = handles(selector, inst, operand(selector, inst, 1), operand(selector, inst, 0));
  NornRef offsets = operand(selector, inst, 2);
  uint64_t bits = 1;
  bool has_offsets = !norn_select_constant(selector, offsets, &bits) || bits;
  StagedWords staging = {.count = 0};
  unsigned next = 3, mode = 0;
  stage_coordinates(selector, inst, true, &next, &staging);
  if (compares)
    stage(&staging, operand(selector, inst, next++));
  if (has_offsets)
    stage(&staging, offsets);
  if (!gathers)
    mode = stage_level(selector, inst, handle, next, &staging);
  NornValhallInst machine =
      begin_lookup(selector, inst, gathers ? NORN_VALHALL_TEX_GATHER : NORN_VALHALL_TEX_SINGLE,
                   handle, &staging);
  set_result(&machine, self.source_type, (1u << component_count(&self)) - 1);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_ARRAY_ENABLE, dimension->is_array);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_TEXEL_OFFSET, has_offsets);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SHADOW, compares);
  if (gathers)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_FETCH_COMPONENT,
                     (uint32_t)norn_immediate(self.payload, NORN_IMMEDIATE_COMPONENT));
  else
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_LOD_MODE, mode);
  return norn_valhall_finish(&machine);
}

/* Texel offsets in the low bytes; the third one is the sample if there are several, the fourth the
 * level, where what does not fit is too high. 0 if there is nothing to say. */
static NornRef
fetch_word(NornSelector *selector, uint32_t inst, NornRef offsets, NornRef last) {
  bool is_multisampled = dimension_of(selector, inst)->is_multisampled;
  unsigned shift = is_multisampled ? 16 : 24;
  uint32_t kept = is_multisampled ? 0xFFFF : 0xFFFFFF;
  uint64_t packed, number;
  bool is_constant = norn_select_constant(selector, offsets, &packed);
  bool has_number = norn_select_constant(selector, last, &number);
  if (has_number)
    last = norn_select_word(selector, MIN(number, GREATEST_LEVEL) << shift);
  if (is_constant)
    offsets = norn_select_word(selector, packed & kept);
  if (is_constant && has_number) {
    uint32_t word = (uint32_t)((packed & kept) | MIN(number, GREATEST_LEVEL) << shift);
    return word ? norn_select_word(selector, word) : 0;
  }
  if (!is_constant) {
    NornRef sources[3] = {offsets, norn_select_word(selector, 0), norn_select_word(selector, kept)};
    offsets = emit(selector, inst, NORN_VALHALL_LSHIFT_AND_I32, sources, 3);
  }
  if (has_number)
    return emit_or(selector, inst, offsets, last);
  NornRef greatest = norn_select_word(selector, GREATEST_LEVEL);
  last = emit_choice(selector, inst, NORN_VALHALL_CONDITION_LT, last, greatest, last, greatest);
  NornRef sources[3] = {last, norn_select_word(selector, shift), offsets};
  return emit(selector, inst, NORN_VALHALL_LSHIFT_OR_I32, sources, 3);
}

static bool
select_fetch(NornSelector *selector, uint32_t inst) {
  NornInst self = *norn_inst(selector->function, inst);
  NornRef sampler = norn_select_word(selector, selector->context->options->fetch_sampler);
  NornRef handle = handles(selector, inst, sampler, operand(selector, inst, 0));
  StagedWords staging = {.count = 0};
  unsigned next = 2;
  stage_coordinates(selector, inst, true, &next, &staging);
  NornRef word =
      fetch_word(selector, inst, operand(selector, inst, 1), operand(selector, inst, next));
  if (word)
    stage(&staging, word);
  NornValhallInst machine = begin_lookup(selector, inst, NORN_VALHALL_TEX_FETCH, handle, &staging);
  set_result(&machine, self.source_type, (1u << component_count(&self)) - 1);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_ARRAY_ENABLE,
                   dimension_of(selector, inst)->is_array);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_TEXEL_OFFSET, word != 0);
  return norn_valhall_finish(&machine);
}

/* --- Images --- */

/* The number of no sample: the greatest of 16 bits. */
#define NO_SAMPLE 0xFFFF

/* The two words of coordinates of a message, from operand `first` on. A coordinate with bits above
 * its lower half is outside: these bits go where 0 has to be, or make the sample one that no image
 * has. */
static void
image_coordinates(NornSelector *selector, uint32_t inst, unsigned first, NornRef words[2]) {
  const NornDimensionInfo *dimension = dimension_of(selector, inst);
  NornRef zero = norn_select_word(selector, 0), axis[3] = {zero, zero, zero}, layer = zero, excess;
  for (unsigned i = 0; i < dimension->axes; i++)
    axis[i] = operand(selector, inst, first++);
  if (dimension->is_array)
    layer = operand(selector, inst, first++);
  if (dimension->is_multisampled)
    axis[2] = operand(selector, inst, first);
  words[0] = axis[0];
  words[1] = zero;
  if (dimension->axes == 1 && !dimension->is_array)
    return;
  /* The halves that do not fit, one over the other. */
  excess = axis[0];
  for (unsigned i = 1; i < dimension->axes; i++)
    excess = emit_or(selector, inst, excess, axis[i]);
  if (dimension->is_array)
    excess = emit_or(selector, inst, excess, layer);
  if (dimension->is_multisampled)
    excess = emit_or(selector, inst, excess, axis[2]);
  words[0] = emit_halves(selector, inst, axis[0], 0, axis[1], 0);
  if (dimension->axes == 3) {
    words[1] = emit_halves(selector, inst, axis[2], 0, excess, 1);
    return;
  }
  if (dimension->is_multisampled) {
    NornRef none = norn_select_word(selector, NO_SAMPLE);
    axis[2] = emit_choice(selector, inst, NORN_VALHALL_CONDITION_LE, excess, none, axis[2], none);
    words[1] = emit_halves(selector, inst, axis[2], 0, layer, 0);
  } else {
    words[1] = emit_halves(selector, inst, excess, 1, layer, 0);
  }
}

static unsigned
register_format(NornType component) {
  if (norn_type_bits(component) == 32)
    return is_float(component) ? NORN_VALHALL_REGISTER_FORMAT_F32
                               : NORN_VALHALL_REGISTER_FORMAT_AUTO;
  return is_float(component) ? NORN_VALHALL_REGISTER_FORMAT_F16 : SHORT_REGISTER_FORMAT;
}

static bool
select_image_load(NornSelector *selector, uint32_t inst) {
  NornInst self = *norn_inst(selector->function, inst);
  NornRef coordinates[2];
  image_coordinates(selector, inst, 1, coordinates);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_LD_TEX);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_VECTOR_SIZE, component_count(&self) - 1);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_REGISTER_FORMAT, register_format(self.source_type));
  norn_valhall_plain(&machine, coordinates[0]);
  norn_valhall_plain(&machine, coordinates[1]);
  norn_valhall_plain(&machine, operand(selector, inst, 0));
  return norn_valhall_finish(&machine);
}

/* The address of a texel, and the word for converting to it. */
static NornRef
texel_address(NornSelector *selector, uint32_t inst, NornRef image, unsigned first,
              NornRef *conversion) {
  NornRef coordinates[2];
  image_coordinates(selector, inst, first, coordinates);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_LEA_TEX);
  norn_valhall_plain(&machine, coordinates[0]);
  norn_valhall_plain(&machine, coordinates[1]);
  norn_valhall_plain(&machine, image);
  NornRef found = norn_valhall_emit(&machine, 3);
  NornRef words[2] = {norn_select_word_of(selector, found, 0, 3),
                      norn_select_word_of(selector, found, 1, 3)};
  *conversion = norn_select_word_of(selector, found, 2, 3);
  return norn_select_group(selector, inst, words, 2);
}

/* All four components are stored; those that are not given are 0. */
static bool
select_image_store(NornSelector *selector, uint32_t inst) {
  NornInst self = *norn_inst(selector->function, inst);
  unsigned bits = norn_type_bits(self.source_type), given = norn_type_words(self.type);
  unsigned words = 4 * bits / 32;
  NornRef value = operand(selector, inst, 0), conversion, parts[4];
  NornRef address = texel_address(selector, inst, operand(selector, inst, 1), 2, &conversion);
  for (unsigned k = 0; k < words; k++)
    parts[k] =
        k < given ? norn_select_word_of(selector, value, k, given) : norn_select_word(selector, 0);
  if (component_count(&self) * bits % 32) /* a half beyond the last component */
    parts[given - 1] =
        emit_halves(selector, inst, parts[given - 1], 0, norn_select_word(selector, 0), 0);
  if (given < words || component_count(&self) * bits % 32)
    value = norn_select_group(selector, inst, parts, words);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_ST_CVT);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_VECTOR_SIZE, 3);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_REGISTER_FORMAT, register_format(self.source_type));
  norn_valhall_plain(&machine, value);
  norn_valhall_plain(&machine, address);
  norn_valhall_plain(&machine, conversion);
  return norn_valhall_finish(&machine);
}

static bool
select_image_atomic(NornSelector *selector, uint32_t inst) {
  NornInst self = *norn_inst(selector->function, inst);
  bool compares = self.op == NORN_OP_IMAGE_CMPXCHG;
  NornRef conversion;
  NornRef address =
      texel_address(selector, inst, operand(selector, inst, 0), compares ? 3 : 2, &conversion);
  return norn_valhall_select_atomic_at(
      selector, inst, address, (unsigned)norn_immediate(self.payload, NORN_IMMEDIATE_ATOMIC),
      compares);
}

/* --- Sizes --- */

/* Words of a texture's descriptor. */
enum { WORD_SIZES = 1, WORD_LEVELS = 2, WORD_SAMPLES = 3, WORD_LAYERS = 6, WORD_DEPTH = 7 };
enum { LEVELS_SHIFT = 16, LEVELS_BITS = 0x1F, SAMPLES_SHIFT = 13, SAMPLES_BITS = 7 };

/* A half of a descriptor's word, plus one. */
static NornRef
half_plus_one(NornSelector *selector, uint32_t inst, NornRef word, bool high) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_IADD_U32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0,
                   high ? NORN_VALHALL_WIDEN_INTEGER_H1 : NORN_VALHALL_WIDEN_INTEGER_H0);
  norn_valhall_plain(&machine, word);
  norn_valhall_constant(&machine, 1);
  return norn_valhall_emit(&machine, 1);
}

static NornRef
bits_of(NornSelector *selector, uint32_t inst, NornRef word, unsigned shift, uint32_t bits) {
  NornRef sources[3] = {word, norn_select_word(selector, shift), norn_select_word(selector, bits)};
  return emit(selector, inst, NORN_VALHALL_RSHIFT_AND_I32, sources, 3);
}

/* The first words of the descriptor, and whether there is one: nonzero. */
static NornRef
descriptor(NornSelector *selector, uint32_t inst, NornRef words[4]) {
  NornValhallInst machine =
      norn_valhall_begin_descriptor(selector, inst, operand(selector, inst, 0), 0, 4);
  NornRef all = norn_valhall_emit(&machine, 4);
  for (unsigned k = 0; k < 4; k++)
    words[k] = norn_select_word_of(selector, all, k, 4);
  NornValhallInst half = norn_valhall_begin(selector, inst, NORN_VALHALL_IADD_U32);
  norn_valhall_set(&half, NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_WIDEN_INTEGER_H0);
  norn_valhall_plain(&half, words[0]);
  norn_valhall_constant(&half, 0);
  return norn_valhall_emit(&half, 1);
}

/* A side at the level: halved that often, at least 1. */
static NornRef
side_at_level(NornSelector *selector, uint32_t inst, NornRef side, NornRef level) {
  uint64_t bits;
  if (norn_select_constant(selector, level, &bits) && bits == 0)
    return side;
  NornRef zero = norn_select_word(selector, 0), one = norn_select_word(selector, 1);
  NornRef sources[3] = {side, level, zero};
  side = emit(selector, inst, NORN_VALHALL_RSHIFT_OR_I32, sources, 3);
  return emit_choice(selector, inst, NORN_VALHALL_CONDITION_GT, side, one, side, one);
}

/* Layers of a cube count its faces. n / 6 of a number of 17 bits. */
static NornRef
sixth(NornSelector *selector, uint32_t inst, NornRef number) {
  NornRef product = emit(selector, inst, NORN_VALHALL_IMUL_I32,
                         (NornRef[]){number, norn_select_word(selector, 0xAAAB)}, 2);
  NornRef sources[3] = {product, norn_select_word(selector, 18), norn_select_word(selector, 0)};
  return emit(selector, inst, NORN_VALHALL_RSHIFT_OR_I32, sources, 3);
}

static bool
select_size(NornSelector *selector, uint32_t inst) {
  NornInst self = *norn_inst(selector->function, inst);
  const NornDimensionInfo *dimension = dimension_of(selector, inst);
  NornRef words[4], sizes[4], zero = norn_select_word(selector, 0), level = zero;
  unsigned axes = dimension->axes - dimension->is_cube, count = 0;
  NornRef exists = descriptor(selector, inst, words);
  if (self.op == NORN_OP_TEX_SIZE)
    level = operand(selector, inst, 1);
  for (; count < MIN(axes, 2); count++)
    sizes[count] = side_at_level(
        selector, inst, half_plus_one(selector, inst, words[WORD_SIZES], count == 1), level);
  if (axes == 3 || dimension->is_array) {
    NornValhallInst more = norn_valhall_begin_descriptor(selector, inst, operand(selector, inst, 0),
                                                         axes == 3 ? WORD_DEPTH : WORD_LAYERS, 1);
    NornRef size = half_plus_one(selector, inst, norn_valhall_emit(&more, 1), false);
    if (axes == 3)
      size = side_at_level(selector, inst, size, level);
    else if (dimension->is_cube)
      size = sixth(selector, inst, size);
    sizes[count++] = size;
  }
  NornRef last = bits_of(selector, inst, words[WORD_LEVELS], LEVELS_SHIFT, LEVELS_BITS);
  for (unsigned k = 0; k < count; k++) {
    if (self.op == NORN_OP_TEX_SIZE)
      sizes[k] =
          emit_choice(selector, inst, NORN_VALHALL_CONDITION_LE, level, last, sizes[k], zero);
    sizes[k] = emit_choice(selector, inst, NORN_VALHALL_CONDITION_NE, exists, zero, sizes[k], zero);
  }
  norn_select_collect(selector, inst, sizes, count);
  return true;
}

static bool
select_count(NornSelector *selector, uint32_t inst) {
  bool is_levels = norn_inst(selector->function, inst)->op == NORN_OP_TEX_LEVELS;
  NornRef words[4], zero = norn_select_word(selector, 0), one = norn_select_word(selector, 1);
  NornRef exists = descriptor(selector, inst, words), count;
  if (is_levels) {
    count = bits_of(selector, inst, words[WORD_LEVELS], LEVELS_SHIFT, LEVELS_BITS);
    count = emit(selector, inst, NORN_VALHALL_IADD_U32, (NornRef[]){count, one}, 2);
  } else {
    count = bits_of(selector, inst, words[WORD_SAMPLES], SAMPLES_SHIFT, SAMPLES_BITS);
    count = emit(selector, inst, NORN_VALHALL_LSHIFT_OR_I32, (NornRef[]){one, count, zero}, 3);
  }
  norn_select_same(
      selector, inst,
      emit_choice(selector, inst, NORN_VALHALL_CONDITION_NE, exists, zero, count, zero));
  return true;
}

/* --- Asking for the level of detail --- */

#define ONE_256TH 0x3B800000u
#define ONE 0x3F800000u
#define MINUS_ONE 0xBF800000u

/* Words of a sampler's descriptor: how levels are mixed; their limits, in 1/256. */
enum { MIP_SHIFT = 30, MIP_NEAREST = 0, MIP_NONE = 1, LIMIT_BITS = 0x1FFF, GREATEST_SHIFT = 16 };

/* a * b + c. */
static NornRef
emit_fma(NornSelector *selector, uint32_t inst, NornRef a, uint32_t b, uint32_t c) {
  return emit(selector, inst, NORN_VALHALL_FMA_F32,
              (NornRef[]){a, norn_select_word(selector, b), norn_select_word(selector, c)}, 3);
}

static NornRef
emit_limit(NornSelector *selector, uint32_t inst, NornRef word, unsigned shift) {
  NornRef bits = bits_of(selector, inst, word, shift, LIMIT_BITS);
  bits = emit(selector, inst, NORN_VALHALL_U32_TO_F32, &bits, 1);
  return emit_fma(selector, inst, bits, ONE_256TH, MINUS_ZERO);
}

/* The level within the limits of sampler and texture: the message could limit it, too, but does not
 * choose the nearest one. */
static NornRef
limited_level(NornSelector *selector, uint32_t inst, NornRef lod) {
  NornRef zero = norn_select_word(selector, 0), texture[4];
  NornValhallInst load =
      norn_valhall_begin_descriptor(selector, inst, operand(selector, inst, 1), 0, 2);
  NornRef sampler = norn_valhall_emit(&load, 2);
  NornRef mip = bits_of(selector, inst, norn_select_word_of(selector, sampler, 0, 2), MIP_SHIFT, 3);
  NornRef limits = norn_select_word_of(selector, sampler, 1, 2);
  NornRef least = emit_limit(selector, inst, limits, 0);
  NornRef greatest = emit_limit(selector, inst, limits, GREATEST_SHIFT);
  NornRef level = emit(selector, inst, NORN_VALHALL_FMIN_F32, (NornRef[]){lod, greatest}, 2);
  level = emit(selector, inst, NORN_VALHALL_FMAX_F32, (NornRef[]){level, least}, 2);
  NornRef above = emit_fma(selector, inst, level, ONE, ONE_HALF);
  NornValhallInst round = norn_valhall_begin(selector, inst, NORN_VALHALL_FROUND_F32);
  norn_valhall_set(&round, NORN_VALHALL_FIELD_ROUND, NORN_ROUND_RTP);
  norn_valhall_plain(&round, above);
  NornRef nearest = emit_fma(selector, inst, norn_valhall_emit(&round, 1), ONE, MINUS_ONE);
  level = emit_choice(selector, inst, NORN_VALHALL_CONDITION_EQ, mip,
                      norn_select_word(selector, MIP_NEAREST), nearest, level);
  level = emit_choice(selector, inst, NORN_VALHALL_CONDITION_EQ, mip,
                      norn_select_word(selector, MIP_NONE), zero, level);
  descriptor(selector, inst, texture);
  NornRef last = bits_of(selector, inst, texture[WORD_LEVELS], LEVELS_SHIFT, LEVELS_BITS);
  last = emit(selector, inst, NORN_VALHALL_U32_TO_F32, &last, 1);
  level = emit(selector, inst, NORN_VALHALL_FMAX_F32, (NornRef[]){level, zero}, 2);
  return emit(selector, inst, NORN_VALHALL_FMIN_F32, (NornRef[]){level, last}, 2);
}

static bool
select_query(NornSelector *selector, uint32_t inst) {
  NornRef handle = handles(selector, inst, operand(selector, inst, 1), operand(selector, inst, 0));
  StagedWords staging = {.count = 0};
  unsigned next = 2;
  stage_coordinates(selector, inst, false, &next, &staging);
  NornValhallInst machine =
      begin_lookup(selector, inst, NORN_VALHALL_TEX_GRADIENT, handle, &staging);
  set_result(&machine, NORN_TYPE_I32, 3);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_LOD_CLAMP_DISABLE, 1);
  NornRef word = norn_select_word_of(selector, norn_valhall_emit(&machine, 2), 0, 2);
  /* The low half, with its sign. */
  NornValhallInst extend = norn_valhall_begin(selector, inst, NORN_VALHALL_IADD_S32);
  norn_valhall_set(&extend, NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_WIDEN_INTEGER_H0);
  norn_valhall_plain(&extend, word);
  norn_valhall_constant(&extend, 0);
  NornRef fixed = norn_valhall_emit(&extend, 1);
  NornRef lod = emit(selector, inst, NORN_VALHALL_S32_TO_F32, &fixed, 1);
  lod = emit_fma(selector, inst, lod, ONE_256TH, MINUS_ZERO);
  NornRef results[2] = {limited_level(selector, inst, lod), lod};
  norn_select_all_same(selector, inst, results);
  return true;
}

/* --- All --- */

const char *
norn_valhall_why_no_texture(const NornInst *inst) {
  bool is_buffer = inst->modifier == NORN_DIMENSION_BUFFER;
  switch (inst->op) {
  case NORN_OP_TEX_GRADIENT:
    return norn_dimensions[inst->modifier].is_cube
               ? "derivatives of a cube's direction are not done"
               : NULL;
  case NORN_OP_TEX_FETCH:
  case NORN_OP_TEX_SIZE:
  case NORN_OP_IMAGE_LOAD:
  case NORN_OP_IMAGE_STORE:
  case NORN_OP_IMAGE_ATOMIC:
  case NORN_OP_IMAGE_CMPXCHG:
  case NORN_OP_IMAGE_SIZE:
    return is_buffer ? "buffers of texels are not done" : NULL;
  default:
    return NULL;
  }
}

bool
norn_valhall_select_texture(NornSelector *selector, uint32_t inst) {
  switch (norn_inst(selector->function, inst)->op) {
  case NORN_OP_TEX_QUERY_LOD:
    return select_query(selector, inst);
  case NORN_OP_TEX_FETCH:
    return select_fetch(selector, inst);
  case NORN_OP_TEX_SIZE:
  case NORN_OP_IMAGE_SIZE:
    return select_size(selector, inst);
  case NORN_OP_TEX_LEVELS:
  case NORN_OP_TEX_SAMPLES:
    return select_count(selector, inst);
  case NORN_OP_IMAGE_LOAD:
    return select_image_load(selector, inst);
  case NORN_OP_IMAGE_STORE:
    return select_image_store(selector, inst);
  case NORN_OP_IMAGE_ATOMIC:
  case NORN_OP_IMAGE_CMPXCHG:
    return select_image_atomic(selector, inst);
  default:
    return select_lookup(selector, inst);
  }
}
