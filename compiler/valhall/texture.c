/* Texture look-ups.
 *
 * A look-up stages its coordinates and other operands in one group of words, in a fixed order:
 * coordinates, array layer, reference, texel offsets, level of detail. The handles of texture and
 * sampler are one 64-bit operand. Levels of detail are signed numbers with eight fraction bits;
 * derivatives are converted to one by a separate message. The direction for a cube is converted to
 * a face and two coordinates on it. */
#include "compiler/valhall/texture.h"
#include "ir/numeric.h"
#include "isa/valhall_abi.h"

/* Levels of detail are limited to the range -16 to 16: the reciprocal of 16, and 16 * 256; one
 * level as a float, 256; and the limit as an integer. */
#define RECIPROCAL_LOD_LIMIT 0x3D800000u
#define LOD_SCALE 0x45800000u
#define LOD_ONE 0x43800000u
#define LOD_LIMIT (16 * 256)

/* The minimum level of detail of a look-up with a bias, as in drivers. */
#define MINIMUM_LOD 0

/* The texture determines whether integers are signed; which type a look-up should request is not
 * known, so it is decided only here. */
#define INTEGER_REGISTER_TYPE NORN_VALHALL_REGISTER_TYPE_U

#define MAX_LEVEL 255
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

/* --- Helpers --- */

/* Sampler and texture as one operand; either may be null. */
static NornRef
handles(NornSelector *selector, uint32_t inst, NornRef sampler, NornRef texture) {
  uint64_t low, high;
  if (norn_select_constant(selector, sampler, &low) &&
      norn_select_constant(selector, texture, &high))
    return norn_constant(selector->module, (uint32_t)low | high << 32);
  return norn_select_group(selector, inst, (NornRef[]){sampler, texture}, 2);
}

/* --- Coordinates --- */

/* Stages a direction: the face in the top bits of the first coordinate on it, then the second
 * coordinate. */
static void
stage_direction(NornSelector *selector, uint32_t inst, unsigned first, StagedWords *staging) {
  NornRef axis[3];
  for (unsigned i = 0; i < 3; i++)
    axis[i] = operand(selector, inst, first + i);
  NornRef longest = emit(selector, inst, NORN_VALHALL_CUBEFACE1, axis, 3);
  NornRef face = emit(selector, inst, NORN_VALHALL_CUBEFACE2_V9, axis, 3);
  NornRef s = emit(selector, inst, NORN_VALHALL_CUBE_SSEL, (NornRef[]){axis[2], axis[0], face}, 3);
  NornRef t = emit(selector, inst, NORN_VALHALL_CUBE_TSEL, (NornRef[]){axis[1], axis[2], face}, 3);
  NornRef scale = emit(selector, inst, NORN_VALHALL_FRCP_F32, &longest, 1);
  NornRef parts[2] = {s, t};
  for (unsigned k = 0; k < 2; k++) {
    /* (s / longest + 1) / 2 */
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_RSCALE_F32);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_CLAMP, NORN_VALHALL_CLAMP_CLAMP_0_1);
    norn_valhall_plain(&machine, parts[k]);
    norn_valhall_plain(&machine, scale);
    norn_valhall_constant(&machine, F32_ONE);
    norn_valhall_constant(&machine, UINT32_MAX);
    parts[k] = norn_valhall_emit(&machine, 1);
  }
  NornValhallInst mux = norn_valhall_begin(selector, inst, NORN_VALHALL_MUX_I32);
  norn_valhall_set(&mux, NORN_VALHALL_FIELD_MUX, NORN_VALHALL_MUX_BIT);
  norn_valhall_plain(&mux, face);
  norn_valhall_plain(&mux, parts[0]);
  norn_valhall_constant(&mux, 7u << NORN_VALHALL_CUBE_FACE_SHIFT);
  stage(staging, norn_valhall_emit(&mux, 1));
  stage(staging, parts[1]);
}

/* Stages coordinates from operand `*next` on, with the layer if wanted. */
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

/* A constant level of detail, not NaN, in the message's format. */
static uint32_t
fixed_level(uint64_t number) {
  const NornFloatMode mode = NORN_FLOAT_MODE_DEFAULT;
  uint64_t scaled = norn_float_multiply(NORN_FLOAT_32, mode, number, LOD_ONE);
  int32_t fixed = (int32_t)norn_float_to_int(NORN_FLOAT_32, mode, scaled, 32, true);
  return (uint32_t)CLAMP(fixed, -LOD_LIMIT, LOD_LIMIT);
}

/* A level of detail in the message's format: eight fraction bits, in the low half. */
static NornRef
level_word(NornSelector *selector, uint32_t inst, NornRef number, uint32_t high) {
  uint64_t bits;
  if (norn_select_constant(selector, number, &bits) &&
      norn_float_classify(NORN_FLOAT_32, bits) < NORN_FLOAT_CLASS_QUIET_NAN)
    return norn_select_word(selector, high << 16 | (fixed_level(bits) & 0xFFFF));
  NornRef minus_zero = norn_select_word(selector, F32_MINUS_ZERO);
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

/* The components that the look-up returns: all except unused ones. */
static unsigned
result_mask(const NornSelector *selector, const NornInst *inst) {
  unsigned left_out = selector->values[inst->result].left_out;
  unsigned count = component_count(inst) + (unsigned)__builtin_popcount(left_out);
  return ((1u << count) - 1) & ~left_out;
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

/* The two words that the derivatives from operand `first` on are converted to. */
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

/* Stages the operands for the level of detail mode and returns the mode. */
static unsigned
stage_level(NornSelector *selector, uint32_t inst, NornRef handle, unsigned next,
            StagedWords *staging) {
  uint64_t bits;
  NornRef words;
  switch (norn_inst(selector->function, inst)->op) {
  case NORN_OP_TEX:
    return NORN_VALHALL_LOD_MODE_COMPUTED;
  case NORN_OP_TEX_BIAS:
    if (norn_select_constant(selector, operand(selector, inst, next), &bits) &&
        norn_float_is_zero(NORN_FLOAT_32, bits))
      return NORN_VALHALL_LOD_MODE_COMPUTED;
    stage(staging, level_word(selector, inst, operand(selector, inst, next), MINIMUM_LOD));
    return NORN_VALHALL_LOD_MODE_COMPUTED_BIAS;
  case NORN_OP_TEX_LOD:
    if (norn_select_constant(selector, operand(selector, inst, next), &bits) &&
        norn_float_is_zero(NORN_FLOAT_32, bits))
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
  set_result(&machine, self.source_type, result_mask(selector, &self));
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

/* Texel offsets in the low bytes; the third byte is the sample for multisampled textures, the
 * fourth the level, where a number that does not fit is too high. 0 if all are zero. */
static NornRef
fetch_word(NornSelector *selector, uint32_t inst, NornRef offsets, NornRef last) {
  bool is_multisampled = dimension_of(selector, inst)->is_multisampled;
  unsigned shift = is_multisampled ? 16 : 24;
  uint32_t kept = is_multisampled ? 0xFFFF : 0xFFFFFF;
  uint64_t packed, number;
  bool is_constant = norn_select_constant(selector, offsets, &packed);
  bool has_number = norn_select_constant(selector, last, &number);
  if (has_number)
    last = norn_select_word(selector, MIN(number, MAX_LEVEL) << shift);
  if (is_constant)
    offsets = norn_select_word(selector, packed & kept);
  if (is_constant && has_number) {
    uint32_t word = (uint32_t)((packed & kept) | MIN(number, MAX_LEVEL) << shift);
    return word ? norn_select_word(selector, word) : 0;
  }
  if (!is_constant) {
    NornRef sources[3] = {offsets, norn_select_word(selector, 0), norn_select_word(selector, kept)};
    offsets = emit(selector, inst, NORN_VALHALL_LSHIFT_AND_I32, sources, 3);
  }
  if (has_number)
    return emit_or(selector, inst, offsets, last);
  NornRef greatest = norn_select_word(selector, MAX_LEVEL);
  last = emit_choice(selector, inst, NORN_VALHALL_CONDITION_LT, last, greatest, last, greatest);
  NornRef sources[3] = {last, norn_select_word(selector, shift), offsets};
  return emit(selector, inst, NORN_VALHALL_LSHIFT_OR_I32, sources, 3);
}

static bool
select_fetch(NornSelector *selector, uint32_t inst) {
  NornInst self = *norn_inst(selector->function, inst);
  uint32_t number = selector->context->options->fetch_sampler;
  NornRef sampler = norn_select_word(selector, number);
  selector->context->info->shader.tables |= UINT64_C(1) << (number >> NORN_HANDLE_TABLE_SHIFT);
  NornRef handle = handles(selector, inst, sampler, operand(selector, inst, 0));
  StagedWords staging = {.count = 0};
  unsigned next = 2;
  stage_coordinates(selector, inst, true, &next, &staging);
  NornRef word =
      fetch_word(selector, inst, operand(selector, inst, 1), operand(selector, inst, next));
  if (word)
    stage(&staging, word);
  NornValhallInst machine = begin_lookup(selector, inst, NORN_VALHALL_TEX_FETCH, handle, &staging);
  set_result(&machine, self.source_type, result_mask(selector, &self));
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_ARRAY_ENABLE,
                   dimension_of(selector, inst)->is_array);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_TEXEL_OFFSET, word != 0);
  return norn_valhall_finish(&machine);
}

/* --- Level of detail queries --- */

/* Words of a sampler descriptor: the mip mode, and the limits in units of 1/256. */
enum { MIP_SHIFT = 30, MIP_NEAREST = 0, MIP_NONE = 1, LIMIT_BITS = 0x1FFF, MAX_LOD_SHIFT = 16 };

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
  return emit_fma(selector, inst, bits, F32_ONE_256TH, F32_MINUS_ZERO);
}

/* The level within the limits of sampler and texture: the message could also limit it, but does not
 * choose the nearest level. */
static NornRef
limited_level(NornSelector *selector, uint32_t inst, NornRef lod) {
  NornRef zero = norn_select_word(selector, 0), texture[4];
  NornValhallInst load =
      norn_valhall_begin_descriptor(selector, inst, operand(selector, inst, 1), 0, 2);
  NornRef sampler = norn_valhall_emit(&load, 2);
  NornRef mip = bits_of(selector, inst, norn_select_word_of(selector, sampler, 0, 2), MIP_SHIFT, 3);
  NornRef limits = norn_select_word_of(selector, sampler, 1, 2);
  NornRef min = emit_limit(selector, inst, limits, 0);
  NornRef greatest = emit_limit(selector, inst, limits, MAX_LOD_SHIFT);
  NornRef level = emit(selector, inst, NORN_VALHALL_FMIN_F32, (NornRef[]){lod, greatest}, 2);
  level = emit(selector, inst, NORN_VALHALL_FMAX_F32, (NornRef[]){level, min}, 2);
  NornRef above = emit_fma(selector, inst, level, F32_ONE, F32_HALF);
  NornValhallInst round = norn_valhall_begin(selector, inst, NORN_VALHALL_FROUND_F32);
  norn_valhall_set(&round, NORN_VALHALL_FIELD_ROUND, NORN_ROUND_RTP);
  norn_valhall_plain(&round, above);
  NornRef nearest = emit_fma(selector, inst, norn_valhall_emit(&round, 1), F32_ONE, F32_MINUS_ONE);
  level = emit_choice(selector, inst, NORN_VALHALL_CONDITION_EQ, mip,
                      norn_select_word(selector, MIP_NEAREST), nearest, level);
  level = emit_choice(selector, inst, NORN_VALHALL_CONDITION_EQ, mip,
                      norn_select_word(selector, MIP_NONE), zero, level);
  norn_texture_descriptor(selector, inst, texture);
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
  /* The low half, sign-extended. */
  NornValhallInst extend = norn_valhall_begin(selector, inst, NORN_VALHALL_IADD_S32);
  norn_valhall_set(&extend, NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_WIDEN_INTEGER_H0);
  norn_valhall_plain(&extend, word);
  norn_valhall_constant(&extend, 0);
  NornRef fixed = norn_valhall_emit(&extend, 1);
  NornRef lod = emit(selector, inst, NORN_VALHALL_S32_TO_F32, &fixed, 1);
  lod = emit_fma(selector, inst, lod, F32_ONE_256TH, F32_MINUS_ZERO);
  NornRef results[2] = {limited_level(selector, inst, lod), lod};
  norn_select_all_same(selector, inst, results);
  return true;
}

/* --- All --- */

const char *
norn_valhall_why_no_texture(const NornInst *inst) {
  return inst->op == NORN_OP_TEX_GRADIENT && norn_dimensions[inst->modifier].is_cube
             ? "derivatives of a cube's direction are not supported"
             : NULL;
}

bool
norn_valhall_select_texture(NornSelector *selector, uint32_t inst) {
  const NornInst *self = norn_inst(selector->function, inst);
  switch (self->op) {
  case NORN_OP_TEX_QUERY_LOD:
    return select_query(selector, inst);
  case NORN_OP_TEX_FETCH:
    return self->modifier == NORN_DIMENSION_BUFFER ? norn_select_image(selector, inst)
                                                   : select_fetch(selector, inst);
  case NORN_OP_TEX_SIZE:
  case NORN_OP_TEX_LEVELS:
  case NORN_OP_TEX_SAMPLES:
  case NORN_OP_IMAGE_SIZE:
  case NORN_OP_IMAGE_LOAD:
  case NORN_OP_IMAGE_STORE:
  case NORN_OP_IMAGE_ATOMIC:
  case NORN_OP_IMAGE_CMPXCHG:
    return norn_select_image(selector, inst);
  default:
    return select_lookup(selector, inst);
  }
}
