/* Textures and images: shared by look-ups (texture.c) and accesses to single texels and size
 * queries (image.c). */
#ifndef NORN_COMPILER_VALHALL_TEXTURE_H
#define NORN_COMPILER_VALHALL_TEXTURE_H

#include "compiler/valhall/valhall.h"
#include "ir/ops.h"

/* Words of a texture's descriptor. */
enum { WORD_SIZES = 1, WORD_LEVELS = 2, WORD_SAMPLES = 3, WORD_LAYERS = 6, WORD_DEPTH = 7 };
enum { LEVELS_SHIFT = 16, LEVELS_BITS = 0x1F, SAMPLES_SHIFT = 13, SAMPLES_BITS = 7 };

static inline NornRef
operand(NornSelector *selector, uint32_t inst, unsigned k) {
  return norn_select_operand(selector, inst, k);
}

static inline const NornDimensionInfo *
dimension_of(const NornSelector *selector, uint32_t inst) {
  return &norn_dimensions[norn_inst(selector->function, inst)->modifier];
}

/* Emits one instruction with plain sources and one result. */
static inline NornRef
emit(NornSelector *selector, uint32_t inst, unsigned instruction, const NornRef *sources,
     unsigned count) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, instruction);
  for (unsigned k = 0; k < count; k++)
    norn_valhall_plain(&machine, sources[k]);
  return norn_valhall_emit(&machine, 1);
}

static inline NornRef
emit_or(NornSelector *selector, uint32_t inst, NornRef a, NornRef b) {
  NornRef sources[3] = {a, norn_select_word(selector, 0), b};
  return emit(selector, inst, NORN_VALHALL_LSHIFT_OR_I32, sources, 3);
}

/* `yes` if the condition holds for left and right, both unsigned, else `no`. */
static inline NornRef
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

/* Combines half `low_half` (0 or 1) of a word, as the low half, with half `high_half` of
 * another. */
static inline NornRef
emit_halves(NornSelector *selector, uint32_t inst, NornRef low, unsigned low_half, NornRef high,
            unsigned high_half) {
  uint64_t bits[2];
  if (norn_select_constant(selector, low, &bits[0]) &&
      norn_select_constant(selector, high, &bits[1]))
    return norn_select_word(selector, (uint32_t)(bits[0] >> 16 * low_half & UINT16_MAX) |
                                          (uint32_t)(bits[1] >> 16 * high_half & UINT16_MAX) << 16);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_MKVEC_V2I16);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_HALF_H00 + low_half);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE1, NORN_VALHALL_HALF_H00 + high_half);
  norn_valhall_plain(&machine, low);
  norn_valhall_plain(&machine, high);
  return norn_valhall_emit(&machine, 1);
}

/* The number of components of the result or stored value. */
static inline unsigned
component_count(const NornInst *inst) {
  return norn_type_bits(inst->type) / norn_type_bits(inst->source_type);
}

static inline bool
is_float(NornType type) {
  return norn_types[type].class == NORN_CLASS_FLOAT;
}

/* The bits of the word from bit `shift` on, masked with `bits`. */
static inline NornRef
bits_of(NornSelector *selector, uint32_t inst, NornRef word, unsigned shift, uint32_t bits) {
  NornRef sources[3] = {word, norn_select_word(selector, shift), norn_select_word(selector, bits)};
  return emit(selector, inst, NORN_VALHALL_RSHIFT_AND_I32, sources, 3);
}

/* Loads the first words of the descriptor of the texture in operand 0. Returns a word that is
 * nonzero if there is a texture. */
NornRef norn_texture_descriptor(NornSelector *selector, uint32_t inst, NornRef words[4]);

/* Image accesses, size queries, and all operations on texel buffers: image.c. */
bool norn_select_image(NornSelector *selector, uint32_t inst);

#endif
