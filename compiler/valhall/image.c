/* Accesses to image texels, texel buffers, sizes.
 *
 * Images are read by a message that converts. To write a texel or access it atomically, a message
 * returns its address and the conversion word. Coordinates of images are halves of words. Bits
 * beyond a half are therefore moved to a coordinate that the image does not have, where anything
 * but 0 is out of bounds. Sizes come from descriptors.
 *
 * A texel buffer has a buffer descriptor; the driver keeps the conversion in a spare word of it.
 * Textures and images of that dimension are accessed through a texel's address and that word. */
#include "compiler/valhall/texture.h"

/* The image determines whether integers are signed, so the type of accesses to 16-bit integers is
 * decided only here. */
#define SHORT_REGISTER_FORMAT NORN_VALHALL_REGISTER_FORMAT_U16

/* --- Coordinates --- */

/* A sample number that does not exist: the greatest 16-bit number. */
#define NO_SAMPLE 0xFFFF

/* Three axes, or two axes and a sample, plus a layer. */
#define MAX_COORDINATES 4

/* The bits of the coordinates above their lower halves, combined by "or"; only these bits of the
 * result are used. Constants that fit contribute nothing. */
static NornRef
excess_of(NornSelector *selector, uint32_t inst, const NornRef coordinates[MAX_COORDINATES]) {
  NornRef excess = 0;
  uint64_t bits;
  for (unsigned k = 0; k < MAX_COORDINATES; k++) {
    if (norn_select_constant(selector, coordinates[k], &bits) && bits <= UINT16_MAX)
      continue;
    excess = excess ? emit_or(selector, inst, excess, coordinates[k]) : coordinates[k];
  }
  return excess ? excess : norn_select_word(selector, 0);
}

/* The same for only two axes, as both halves of a word, of which the layer half also has to be 0: a
 * saturating sum is 0 only if both are. Returns 0 if an axis is a constant. */
static NornRef
excess_of_two(NornSelector *selector, uint32_t inst, const NornRef axis[2]) {
  uint64_t bits;
  for (unsigned k = 0; k < 2; k++)
    if (norn_select_constant(selector, axis[k], &bits))
      return 0;
  NornValhallInst sum = norn_valhall_begin(selector, inst, NORN_VALHALL_IADD_V2U16);
  norn_valhall_set(&sum, NORN_VALHALL_FIELD_SATURATE, 1);
  norn_valhall_set(&sum, NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_SWIZZLE_HALF_H11);
  norn_valhall_set(&sum, NORN_VALHALL_FIELD_SWIZZLE1, NORN_VALHALL_SWIZZLE_HALF_H11);
  norn_valhall_plain(&sum, axis[0]);
  norn_valhall_plain(&sum, axis[1]);
  return norn_valhall_emit(&sum, 1);
}

/* The two coordinate words of a message, from operand `first` on. A coordinate with bits above its
 * lower half is out of bounds: these bits are placed where 0 is required, or they replace the
 * sample by one that no image has. */
static void
image_coordinates(NornSelector *selector, uint32_t inst, unsigned first, NornRef words[2]) {
  const NornDimensionInfo *dimension = dimension_of(selector, inst);
  NornRef zero = norn_select_word(selector, 0), axis[3] = {zero, zero, zero}, layer = zero;
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
  words[0] = emit_halves(selector, inst, axis[0], 0, axis[1], 0);
  bool is_plane = dimension->axes == 2 && !dimension->is_array && !dimension->is_multisampled;
  NornRef both = is_plane ? excess_of_two(selector, inst, axis) : 0;
  if (both) {
    words[1] = both;
    return;
  }
  const NornRef coordinates[MAX_COORDINATES] = {axis[0], axis[1], axis[2], layer};
  NornRef excess = excess_of(selector, inst, coordinates);
  if (dimension->axes == 3) {
    words[1] = emit_halves(selector, inst, axis[2], 0, excess, 1);
    return;
  }
  if (dimension->is_multisampled) {
    NornRef none = norn_select_word(selector, NO_SAMPLE);
    if (excess != zero)
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

/* --- Texel buffers --- */

/* Words of a buffer descriptor. */
enum { WORD_BYTES = 1, WORD_STRIDE = 4, WORD_CONVERSION = 7 };

/* The conversion if the descriptor does not contain one, like that of no buffer: loads and stores
 * at the address that it gives work with any known word. */
#define NO_CONVERSION 0x5F0E7u

static bool
is_buffer(const NornInst *inst) {
  return inst->modifier == NORN_DIMENSION_BUFFER;
}

/* The address of an element and, if `conversion` is not NULL, its conversion word. */
static NornRef
element_address(NornSelector *selector, uint32_t inst, NornRef buffer, NornRef index,
                NornRef *conversion) {
  if (conversion) {
    NornValhallInst load =
        norn_valhall_begin_descriptor(selector, inst, buffer, WORD_CONVERSION, 1);
    NornRef word = norn_valhall_emit(&load, 1), zero = norn_select_word(selector, 0);
    *conversion = emit_choice(selector, inst, NORN_VALHALL_CONDITION_EQ, word, zero,
                              norn_select_word(selector, NO_CONVERSION), word);
  }
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_LEA_BUF);
  norn_valhall_plain(&machine, index);
  norn_valhall_plain(&machine, buffer);
  return norn_valhall_emit(&machine, 2);
}

static bool
load_element(NornSelector *selector, uint32_t inst, NornRef buffer, NornRef index) {
  NornInst self = *norn_inst(selector->function, inst);
  NornRef conversion, address = element_address(selector, inst, buffer, index, &conversion);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_LD_CVT);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_VECTOR_SIZE, component_count(&self) - 1);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_REGISTER_FORMAT, register_format(self.source_type));
  norn_valhall_plain(&machine, address);
  norn_valhall_plain(&machine, conversion);
  return norn_valhall_finish(&machine);
}

/* `word` if the level is 0, the only one that exists, else `other`. */
static NornRef
at_level_0(NornSelector *selector, uint32_t inst, NornRef level, NornRef word, uint32_t other) {
  uint64_t bits;
  if (norn_select_constant(selector, level, &bits) && !bits)
    return word;
  return emit_choice(selector, inst, NORN_VALHALL_CONDITION_EQ, level,
                     norn_select_word(selector, 0), word, norn_select_word(selector, other));
}

/* The offset in the low byte is added. */
static bool
select_element_fetch(NornSelector *selector, uint32_t inst) {
  NornRef index = operand(selector, inst, 2);
  uint64_t bits;
  if (!norn_select_constant(selector, operand(selector, inst, 1), &bits) || bits & 0xFF) {
    NornValhallInst sum = norn_valhall_begin(selector, inst, NORN_VALHALL_IADD_S32);
    norn_valhall_set(&sum, NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_WIDEN_INTEGER_B0);
    norn_valhall_plain(&sum, operand(selector, inst, 1));
    norn_valhall_plain(&sum, index);
    index = norn_valhall_emit(&sum, 1);
  }
  index = at_level_0(selector, inst, operand(selector, inst, 3), index, UINT32_MAX);
  return load_element(selector, inst, operand(selector, inst, 0), index);
}

static NornRef
emit_rounded(NornSelector *selector, uint32_t inst, unsigned instruction, NornRound round,
             NornRef source) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, instruction);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_ROUND, round);
  norn_valhall_plain(&machine, source);
  return norn_valhall_emit(&machine, 1);
}

/* Bytes divided by stride, rounded down; 0 if the stride is 0. The first quotient is computed in
 * floats and is off by less than 2^10. The remainder is therefore small; adding half a byte and
 * dividing by the stride, which is at most 16, gives a number far enough from all integers to be
 * rounded down correctly. */
static bool
select_element_count(NornSelector *selector, uint32_t inst) {
  NornRef zero = norn_select_word(selector, 0),
          minus_zero = norn_select_word(selector, F32_MINUS_ZERO);
  NornValhallInst load = norn_valhall_begin_descriptor(selector, inst, operand(selector, inst, 0),
                                                       WORD_BYTES, 1 + WORD_STRIDE - WORD_BYTES);
  NornRef words = norn_valhall_emit(&load, 1 + WORD_STRIDE - WORD_BYTES);
  NornRef bytes = norn_select_word_of(selector, words, 0, 1 + WORD_STRIDE - WORD_BYTES);
  NornRef stride =
      norn_select_word_of(selector, words, WORD_STRIDE - WORD_BYTES, 1 + WORD_STRIDE - WORD_BYTES);
  NornRef divisor = emit(selector, inst, NORN_VALHALL_U32_TO_F32, &stride, 1);
  NornRef reciprocal = emit(selector, inst, NORN_VALHALL_FRCP_F32, &divisor, 1);
  NornRef number = emit(selector, inst, NORN_VALHALL_U32_TO_F32, &bytes, 1);
  number =
      emit(selector, inst, NORN_VALHALL_FMA_F32, (NornRef[]){number, reciprocal, minus_zero}, 3);
  NornRef quotient = emit_rounded(selector, inst, NORN_VALHALL_F32_TO_U32, NORN_ROUND_RTZ, number);
  NornRef product = emit(selector, inst, NORN_VALHALL_IMUL_I32, (NornRef[]){quotient, stride}, 2);
  NornRef rest = emit(selector, inst, NORN_VALHALL_ISUB_U32, (NornRef[]){bytes, product}, 2);
  rest = emit(selector, inst, NORN_VALHALL_S32_TO_F32, &rest, 1);
  rest = emit(selector, inst, NORN_VALHALL_FADD_F32,
              (NornRef[]){rest, norn_select_word(selector, F32_HALF)}, 2);
  rest = emit(selector, inst, NORN_VALHALL_FMA_F32, (NornRef[]){rest, reciprocal, minus_zero}, 3);
  rest = emit_rounded(selector, inst, NORN_VALHALL_F32_TO_S32, NORN_ROUND_RTN, rest);
  quotient = emit(selector, inst, NORN_VALHALL_IADD_U32, (NornRef[]){quotient, rest}, 2);
  quotient = emit_choice(selector, inst, NORN_VALHALL_CONDITION_NE, stride, zero, quotient, zero);
  if (norn_inst(selector->function, inst)->op == NORN_OP_TEX_SIZE)
    quotient = at_level_0(selector, inst, operand(selector, inst, 1), quotient, 0);
  norn_select_same(selector, inst, quotient);
  return true;
}

/* --- Accesses to images --- */

static bool
select_image_load(NornSelector *selector, uint32_t inst) {
  NornInst self = *norn_inst(selector->function, inst);
  NornRef coordinates[2];
  if (is_buffer(&self))
    return load_element(selector, inst, operand(selector, inst, 0), operand(selector, inst, 1));
  image_coordinates(selector, inst, 1, coordinates);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_LD_TEX);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_VECTOR_SIZE, component_count(&self) - 1);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_REGISTER_FORMAT, register_format(self.source_type));
  norn_valhall_plain(&machine, coordinates[0]);
  norn_valhall_plain(&machine, coordinates[1]);
  norn_valhall_plain(&machine, operand(selector, inst, 0));
  return norn_valhall_finish(&machine);
}

/* The address of a texel and its conversion word, which may be NULL. */
static NornRef
texel_address(NornSelector *selector, uint32_t inst, NornRef image, unsigned first,
              NornRef *conversion) {
  NornRef coordinates[2];
  if (is_buffer(norn_inst(selector->function, inst)))
    return element_address(selector, inst, image, operand(selector, inst, first), conversion);
  image_coordinates(selector, inst, first, coordinates);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_LEA_TEX);
  norn_valhall_plain(&machine, coordinates[0]);
  norn_valhall_plain(&machine, coordinates[1]);
  norn_valhall_plain(&machine, image);
  NornRef found = norn_valhall_emit(&machine, 3);
  NornRef words[2] = {norn_select_word_of(selector, found, 0, 3),
                      norn_select_word_of(selector, found, 1, 3)};
  if (conversion)
    *conversion = norn_select_word_of(selector, found, 2, 3);
  return norn_select_group(selector, inst, words, 2);
}

/* All four components are stored; missing ones are 0. */
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
  if (component_count(&self) * bits % 32) /* the last word has an unused half */
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
  NornRef address =
      texel_address(selector, inst, operand(selector, inst, 0), compares ? 3 : 2, NULL);
  return norn_valhall_select_atomic_at(
      selector, inst, address, (unsigned)norn_immediate(self.payload, NORN_IMMEDIATE_ATOMIC),
      compares);
}

/* --- Sizes --- */

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

NornRef
norn_texture_descriptor(NornSelector *selector, uint32_t inst, NornRef words[4]) {
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

/* The size of a side at the level: halved that many times, at least 1. */
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

/* n / 6 for a number of 17 bits: the layers of a cube array count its faces. */
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
  NornRef exists = norn_texture_descriptor(selector, inst, words);
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
  NornRef last = 0;
  if (level != zero) /* the first level always exists */
    last = bits_of(selector, inst, words[WORD_LEVELS], LEVELS_SHIFT, LEVELS_BITS);
  for (unsigned k = 0; k < count; k++) {
    if (last)
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
  NornRef exists = norn_texture_descriptor(selector, inst, words), count;
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

/* --- All --- */

bool
norn_select_image(NornSelector *selector, uint32_t inst) {
  const NornInst *self = norn_inst(selector->function, inst);
  switch (self->op) {
  case NORN_OP_TEX_FETCH:
    return select_element_fetch(selector, inst);
  case NORN_OP_TEX_SIZE:
  case NORN_OP_IMAGE_SIZE:
    return is_buffer(self) ? select_element_count(selector, inst) : select_size(selector, inst);
  case NORN_OP_IMAGE_LOAD:
    return select_image_load(selector, inst);
  case NORN_OP_IMAGE_STORE:
    return select_image_store(selector, inst);
  case NORN_OP_IMAGE_ATOMIC:
  case NORN_OP_IMAGE_CMPXCHG:
    return select_image_atomic(selector, inst);
  default:
    return select_count(selector, inst);
  }
}
