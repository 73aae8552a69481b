/* Selection for fragment programs: inputs, varyings, the tile, and the end of the program.
 *
 * The outputs pass has put the output stores before the single end. Selecting the end makes the
 * whole sequence that the hardware requires, in its order: the coverage, which stays in its
 * register; ATEST; ZS_EMIT if depth or stencil is written; BLEND for each target. The code after a
 * BLEND that calls a blend shader is inserted last (call_blend_shaders.c), as nothing may come
 * between. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"
#include <string.h>

/* From this architecture on, the word of primitive flags has more than one flag. */
#define FIRST_WITH_MORE_FLAGS NORN_VALHALL_ARCHITECTURE_11

#define PIXEL_CENTER 0x80

/* --- Helpers --- */

static NornRef
preload(NornSelector *selector, unsigned reg) {
  return norn_select_preload(selector, reg);
}

/* a & mask, or (a >> shift) & mask. */
static NornValhallInst
begin_and(NornSelector *selector, uint32_t inst, NornRef a, unsigned shift, NornRef mask) {
  NornValhallInst machine = norn_valhall_begin(
      selector, inst, shift ? NORN_VALHALL_RSHIFT_AND_I32 : NORN_VALHALL_LSHIFT_AND_I32);
  norn_valhall_plain(&machine, a);
  norn_valhall_constant(&machine, shift);
  norn_valhall_plain(&machine, mask);
  return machine;
}

/* A half of a word as an unsigned integer. */
static NornValhallInst
begin_half(NornSelector *selector, uint32_t inst, NornRef word, bool high) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_U16_TO_U32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0,
                   high ? NORN_VALHALL_HALF_H10 : NORN_VALHALL_HALF_H00);
  norn_valhall_plain(&machine, word);
  return machine;
}

static NornValhallInst
begin_sample_id(NornSelector *selector, uint32_t inst) {
  return begin_and(selector, inst, preload(selector, NORN_VALHALL_PRELOAD_SAMPLE),
                   NORN_VALHALL_SAMPLE_SHIFT, norn_select_word(selector, NORN_VALHALL_SAMPLE_BITS));
}

/* --- Inputs --- */

/* The position of the invocation's sample in the pixel: a table entry of two halves in units of
 * 1/256, with x in the low half. */
static NornRef
sample_position(NornSelector *selector, uint32_t inst) {
  NornValhallInst id = begin_sample_id(selector, inst);
  NornRef sample = norn_valhall_emit(&id, 1);
  NornValhallInst sum = norn_valhall_begin(selector, inst, NORN_VALHALL_SHADDX_U64);
  norn_valhall_set(&sum, NORN_VALHALL_FIELD_SHIFT, 2);
  norn_valhall_plain(&sum, norn_ref(NORN_REF_SPECIAL, NORN_VALHALL_SPECIAL_SAMPLE_W0));
  norn_valhall_set(&sum, NORN_VALHALL_FIELD_SWIZZLE1, NORN_VALHALL_WIDEN_INTEGER_W0);
  norn_valhall_plain(&sum, sample);
  NornRef address = norn_valhall_emit(&sum, 2);
  NornValhallInst load = norn_valhall_begin(selector, inst, NORN_VALHALL_LOAD_I32);
  norn_valhall_set(&load, NORN_VALHALL_FIELD_UNSIGNED, 1);
  norn_valhall_plain(&load, address);
  return norn_valhall_emit(&load, 1);
}

/* A half of a word converted to a float. */
static NornRef
half_to_float(NornSelector *selector, uint32_t inst, NornRef word, bool high) {
  if (norn_valhall_has(selector, NORN_VALHALL_U16_TO_F32)) {
    NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_U16_TO_F32);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0,
                     high ? NORN_VALHALL_HALF_H10 : NORN_VALHALL_HALF_H00);
    norn_valhall_plain(&machine, word);
    return norn_valhall_emit(&machine, 1);
  }
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_U32_TO_F32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0,
                   high ? NORN_VALHALL_WIDEN_INTEGER_H1 : NORN_VALHALL_WIDEN_INTEGER_H0);
  norn_valhall_plain(&machine, word);
  return norn_valhall_emit(&machine, 1);
}

/* Fragment z, w or the point's coordinates. */
static NornValhallInst
begin_special_varying(NornSelector *selector, uint32_t inst, unsigned which) {
  bool by_sample = selector->context->info->shader.runs_by_sample;
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_LD_VAR_SPECIAL);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_VARYING, which);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SAMPLE_MODE,
                   by_sample ? NORN_VALHALL_SAMPLE_MODE_SAMPLE : NORN_VALHALL_SAMPLE_MODE_CENTER);
  norn_valhall_plain(&machine, preload(selector, NORN_VALHALL_PRELOAD_SAMPLE));
  return machine;
}

enum { SPECIAL_POINT = 0, SPECIAL_W = 2, SPECIAL_Z = 3 };

static bool
select_coordinate(NornSelector *selector, uint32_t inst) {
  unsigned component = norn_inst(selector->function, inst)->modifier;
  NornValhallInst machine;
  if (component == NORN_COMPONENT_Z || component == NORN_COMPONENT_W) {
    machine = begin_special_varying(selector, inst,
                                    component == NORN_COMPONENT_Z ? SPECIAL_Z : SPECIAL_W);
    return norn_valhall_finish(&machine);
  }
  bool is_y = component == NORN_COMPONENT_Y;
  NornRef whole =
      half_to_float(selector, inst, preload(selector, NORN_VALHALL_PRELOAD_PIXEL), is_y);
  NornRef part = norn_select_word(selector, F32_HALF);
  if (selector->context->info->shader.runs_by_sample) {
    NornRef number = half_to_float(selector, inst, sample_position(selector, inst), is_y);
    machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
    norn_valhall_plain(&machine, number);
    norn_valhall_constant(&machine, F32_ONE_256TH);
    norn_valhall_plain(&machine, whole);
    return norn_valhall_finish(&machine);
  }
  machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FADD_F32);
  norn_valhall_plain(&machine, whole);
  norn_valhall_plain(&machine, part);
  return norn_valhall_finish(&machine);
}

/* fragcoord.x or .y rounded down to an integer is the pixel's coordinate. */
bool
norn_valhall_select_pixel(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  const NornInst place = norn_select_definition(selector, norn_select_operand(selector, inst, 0));
  bool goes_down = self.modifier == NORN_ROUND_RTZ || self.modifier == NORN_ROUND_RTN;
  bool is_x = place.modifier == NORN_COMPONENT_X, is_y = place.modifier == NORN_COMPONENT_Y;
  if (place.op != NORN_OP_FRAG_COORD || !goes_down || !(is_x || is_y) || self.type != NORN_TYPE_I32)
    return false;
  NornValhallInst machine =
      begin_half(selector, inst, preload(selector, NORN_VALHALL_PRELOAD_PIXEL), is_y);
  return norn_valhall_finish(&machine);
}

static bool
select_point(NornSelector *selector, uint32_t inst) {
  NornValhallInst machine = begin_special_varying(selector, inst, SPECIAL_POINT);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_VECTOR_SIZE, 1);
  NornRef point = norn_valhall_emit(&machine, 2), words[2];
  for (unsigned k = 0; k < 2; k++)
    words[k] = norn_select_word_of(selector, point, k, 2);
  norn_select_all_same(selector, inst, words);
  return true;
}

bool
norn_valhall_select_fragment_input(NornSelector *selector, uint32_t inst) {
  NornValhallInst machine;
  NornRef word;
  switch (norn_inst(selector->function, inst)->op) {
  case NORN_OP_FRAG_COORD:
    return select_coordinate(selector, inst);
  case NORN_OP_POINT_COORD:
    return select_point(selector, inst);
  case NORN_OP_FRONT_FACING:
    word = preload(selector, NORN_VALHALL_PRELOAD_PRIMITIVE_FLAGS);
    if (selector->target->architecture >= FIRST_WITH_MORE_FLAGS) {
      machine = begin_and(selector, inst, word, 0, norn_select_word(selector, 1));
      word = norn_valhall_emit(&machine, 1);
    }
    machine = norn_valhall_compare_zero(selector, inst, NORN_VALHALL_ICMP_OR_U32,
                                        NORN_VALHALL_CONDITION_EQ, word);
    break;
  case NORN_OP_SAMPLE_ID:
    machine = begin_sample_id(selector, inst);
    break;
  case NORN_OP_SAMPLE_MASK:
    machine = begin_half(selector, inst, preload(selector, NORN_VALHALL_PRELOAD_SAMPLE), false);
    break;
  case NORN_OP_VIEW_INDEX:
    machine = norn_valhall_begin(selector, inst, NORN_VALHALL_U8_TO_U32);
    norn_valhall_plain(&machine, preload(selector, NORN_VALHALL_PRELOAD_FRAGMENT_VIEW));
    break;
  case NORN_OP_HELPER_INVOCATION:
    machine = norn_valhall_compare_zero(selector, inst, NORN_VALHALL_ICMP_OR_U32,
                                        NORN_VALHALL_CONDITION_EQ,
                                        preload(selector, NORN_VALHALL_PRELOAD_SAMPLE));
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0, NORN_VALHALL_WIDEN_INTEGER_H0);
    break;
  default:
    norn_select_same(selector, inst, preload(selector, NORN_VALHALL_PRELOAD_PRIMITIVE_ID));
    return true;
  }
  return norn_valhall_finish(&machine);
}

/* --- Varyings --- */

/* The word for mode `explicit`: the position in the pixel in units of 1/256 from its top left
 * corner, with x in the low half. */
static NornRef
explicit_position(NornSelector *selector, uint32_t inst) {
  NornRef parts[2];
  for (unsigned k = 0; k < 2; k++) {
    NornValhallInst scale = norn_valhall_begin(selector, inst, NORN_VALHALL_FMA_F32);
    norn_valhall_source(&scale, norn_select_operand(selector, inst, k), NORN_VALHALL_FLOAT,
                        NORN_TYPE_F32);
    norn_valhall_constant(&scale, 0x43800000); /* 256 */
    norn_valhall_constant(&scale, F32_MINUS_ZERO);
    NornRef number = norn_valhall_emit(&scale, 1);
    NornValhallInst convert = norn_valhall_begin(selector, inst, NORN_VALHALL_F32_TO_S32);
    norn_valhall_plain(&convert, number);
    parts[k] = norn_valhall_emit(&convert, 1);
  }
  NornValhallInst pair = norn_valhall_begin(selector, inst, NORN_VALHALL_MKVEC_V2I16);
  norn_valhall_plain(&pair, parts[0]);
  norn_valhall_plain(&pair, parts[1]);
  NornRef offsets = norn_valhall_emit(&pair, 1);
  NornValhallInst sum = norn_valhall_begin(selector, inst, NORN_VALHALL_IADD_V2U16);
  norn_valhall_plain(&sum, offsets);
  norn_valhall_constant(&sum, PIXEL_CENTER << 16 | PIXEL_CENTER);
  return norn_valhall_emit(&sum, 1);
}

/* The first source of a varying load, and the corresponding mode. */
static NornRef
varying_position(NornSelector *selector, uint32_t inst, unsigned *mode) {
  static const uint8_t modes[] = {
      [NORN_INTERPOLATION_CENTER] = NORN_VALHALL_SAMPLE_MODE_CENTER,
      [NORN_INTERPOLATION_CENTROID] = NORN_VALHALL_SAMPLE_MODE_CENTROID,
      [NORN_INTERPOLATION_SAMPLE] = NORN_VALHALL_SAMPLE_MODE_SAMPLE,
  };
  const NornInst self = *norn_inst(selector->function, inst);
  uint64_t sample;
  if (self.op == NORN_OP_LOAD_VARYING_AT_OFFSET) {
    *mode = NORN_VALHALL_SAMPLE_MODE_EXPLICIT;
    return explicit_position(selector, inst);
  }
  bool is_at_sample = self.op == NORN_OP_LOAD_VARYING_AT_SAMPLE;
  *mode = modes[is_at_sample ? NORN_INTERPOLATION_SAMPLE : self.modifier];
  if (!is_at_sample)
    return preload(selector, NORN_VALHALL_PRELOAD_SAMPLE);
  NornRef number = norn_select_operand(selector, inst, 0);
  if (norn_select_constant(selector, number, &sample))
    return norn_select_word(selector, (sample & NORN_VALHALL_SAMPLE_BITS)
                                          << NORN_VALHALL_SAMPLE_SHIFT);
  NornValhallInst shift = norn_valhall_begin(selector, inst, NORN_VALHALL_LSHIFT_AND_I32);
  norn_valhall_plain(&shift, number);
  norn_valhall_constant(&shift, NORN_VALHALL_SAMPLE_SHIFT);
  norn_valhall_constant(&shift, NORN_VALHALL_SAMPLE_BITS << NORN_VALHALL_SAMPLE_SHIFT);
  return norn_valhall_emit(&shift, 1);
}

static unsigned
source_format(NornType type, bool is_flat) {
  bool is_half = norn_type_bits(type) == 16;
  if (is_flat)
    return is_half ? NORN_VALHALL_SOURCE_FORMAT_SRC_FLAT16 : NORN_VALHALL_SOURCE_FORMAT_SRC_FLAT32;
  return is_half ? NORN_VALHALL_SOURCE_FORMAT_SRC_F16 : NORN_VALHALL_SOURCE_FORMAT_SRC_F32;
}

/* Indexed by whether the registers hold halves and whether the offset is an immediate. */
static const uint16_t varying_loads[2][2] = {
    {NORN_VALHALL_LD_VAR_BUF_F32, NORN_VALHALL_LD_VAR_BUF_IMM_F32},
    {NORN_VALHALL_LD_VAR_BUF_F16, NORN_VALHALL_LD_VAR_BUF_IMM_F16}};

/* Messages only for flat varyings, on architectures that have them, indexed by whether the offset
 * is an immediate. */
static const uint16_t flat_varying_loads[2] = {NORN_VALHALL_LD_VAR_BUF_FLAT,
                                               NORN_VALHALL_LD_VAR_BUF_FLAT_IMM};

static bool
is_flat_load(const NornInst *inst) {
  return inst->op == NORN_OP_LOAD_VARYING && inst->modifier == NORN_INTERPOLATION_FLAT;
}

/* Whether the offset fits into the message's immediate. */
static bool
is_near_offset(const NornIsaEncoding *message, uint32_t offset) {
  return offset >> norn_isa_field_width(norn_isa_field(message, NORN_VALHALL_FIELD_INDEX)) == 0;
}

/* Loads the bits of the provoking vertex with the message for flat varyings (from architecture 14
 * on). */
static bool
select_flat_varying(NornSelector *selector, uint32_t inst, const NornIsaEncoding *near) {
  const NornInst self = *norn_inst(selector->function, inst);
  unsigned bits = norn_type_bits(self.source_type);
  uint32_t offset = (uint32_t)norn_immediate(self.payload, NORN_IMMEDIATE_OFFSET);
  bool is_near = is_near_offset(near, offset);
  NornValhallInst machine = norn_valhall_begin(selector, inst, flat_varying_loads[is_near]);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_VECTOR_SIZE, norn_type_bits(self.type) / bits - 1);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_FLAT_FORMAT,
                   bits == 16 ? NORN_VALHALL_FLAT_FORMAT_FLAT16 : NORN_VALHALL_FLAT_FORMAT_FLAT32);
  if (is_near)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_INDEX, offset);
  else
    norn_valhall_constant(&machine, offset);
  return norn_valhall_finish(&machine);
}

bool
norn_valhall_select_varying(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  NornType component = self.source_type;
  unsigned count = norn_varying_components(self.op, self.type, component), mode = 0;
  bool is_half = norn_type_bits(self.type) / count == 16;
  bool is_flat = is_flat_load(&self);
  const NornIsaEncoding *flat =
      is_flat ? norn_valhall_encoding_of(selector->target, flat_varying_loads[1]) : NULL;
  if (flat)
    return select_flat_varying(selector, inst, flat);
  uint32_t offset = (uint32_t)norn_immediate(self.payload, NORN_IMMEDIATE_OFFSET);
  bool is_near =
      is_near_offset(norn_valhall_encoding_of(selector->target, varying_loads[is_half][1]), offset);
  /* A flat load does not use the position, and must not be taken for one that computes it. */
  NornRef position =
      is_flat ? norn_select_word(selector, 0) : varying_position(selector, inst, &mode);
  NornValhallInst machine = norn_valhall_begin(selector, inst, varying_loads[is_half][is_near]);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_VECTOR_SIZE, count - 1);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SOURCE_FORMAT, source_format(component, is_flat));
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SAMPLE_MODE, mode);
  if (is_flat)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_UPDATE_MODE, NORN_VALHALL_UPDATE_MODE_RETRIEVE);
  norn_valhall_plain(&machine, position);
  if (is_near)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_INDEX, offset);
  else
    norn_valhall_constant(&machine, offset);
  return norn_valhall_finish(&machine);
}

/* --- The end --- */

static const uint8_t register_formats[NORN_FORMAT_COUNT] = {
    [NORN_FORMAT_F32] = NORN_VALHALL_REGISTER_FORMAT_F32,
    [NORN_FORMAT_F16] = NORN_VALHALL_REGISTER_FORMAT_F16,
    [NORN_FORMAT_S32] = NORN_VALHALL_REGISTER_FORMAT_S32,
    [NORN_FORMAT_U32] = NORN_VALHALL_REGISTER_FORMAT_U32,
    [NORN_FORMAT_S16] = NORN_VALHALL_REGISTER_FORMAT_S16,
    [NORN_FORMAT_U16] = NORN_VALHALL_REGISTER_FORMAT_U16,
};

/* The stores before the end, by output; NORN_INDEX_NONE if there is none. */
typedef struct OutputStores {
  uint32_t color[8], second_color, depth, stencil, coverage;
} OutputStores;

static OutputStores
find_outputs(const NornFunction *function, uint32_t block) {
  OutputStores outputs;
  memset(&outputs, 0xFF, sizeof outputs);
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    if (inst->op == NORN_OP_STORE_COLOR || inst->op == NORN_OP_STORE_COLOR_IF)
      outputs.color[norn_immediate(inst->payload, NORN_IMMEDIATE_TARGET)] = index;
    else if (inst->op == NORN_OP_STORE_SECOND_COLOR)
      outputs.second_color = index;
    else if (inst->op == NORN_OP_STORE_DEPTH)
      outputs.depth = index;
    else if (inst->op == NORN_OP_STORE_STENCIL)
      outputs.stencil = index;
    else if (inst->op == NORN_OP_STORE_COVERAGE)
      outputs.coverage = index;
  }
  return outputs;
}

bool
norn_valhall_select_output(NornSelector *selector, uint32_t inst) {
  const NornFunction *function = selector->function;
  uint32_t end = norn_block(function, norn_inst(function, inst)->block)->last;
  /* A store that the end has handled is done. */
  if (norn_inst(function, end)->op == NORN_OP_END) {
    norn_select_all_same(selector, inst, NULL);
    return true;
  }
  return norn_select_unsupported(selector, inst);
}

/* Adds the alpha of the first target's color, or 1. */
static void
add_alpha(NornSelector *selector, NornValhallInst *machine, const OutputStores *outputs) {
  uint32_t color = outputs->color[0];
  const NornInst *store = color == NORN_INDEX_NONE ? NULL : norn_inst(selector->function, color);
  if (!store || (store->modifier != NORN_FORMAT_F32 && store->modifier != NORN_FORMAT_F16)) {
    norn_valhall_constant(machine, F32_ONE);
    return;
  }
  NornRef value = norn_select_operand(selector, color, 0);
  unsigned words = norn_type_words(store->type);
  if (store->modifier == NORN_FORMAT_F16)
    norn_valhall_set(machine, NORN_VALHALL_FIELD_SWIZZLE1, NORN_VALHALL_WIDEN_H1);
  norn_valhall_plain(machine, norn_select_word_of(selector, value, words - 1, words));
}

static NornRef
test_coverage(NornSelector *selector, uint32_t end, const OutputStores *outputs) {
  NornRef coverage = preload(selector, NORN_VALHALL_PRELOAD_COVERAGE);
  if (outputs->coverage != NORN_INDEX_NONE) {
    NornValhallInst mask =
        begin_and(selector, end, coverage, 0, norn_select_operand(selector, outputs->coverage, 0));
    coverage = norn_valhall_emit(&mask, 1);
  }
  NornValhallInst test = norn_valhall_begin(selector, end, NORN_VALHALL_ATEST);
  norn_valhall_plain(&test, coverage);
  add_alpha(selector, &test, outputs);
  norn_valhall_plain(&test, norn_ref(NORN_REF_SPECIAL, NORN_VALHALL_SPECIAL_ATEST_DATUM_W0));
  return norn_valhall_emit(&test, 1);
}

static NornRef
emit_depth(NornSelector *selector, uint32_t end, const OutputStores *outputs, NornRef coverage) {
  bool has_depth = outputs->depth != NORN_INDEX_NONE;
  bool has_stencil = outputs->stencil != NORN_INDEX_NONE;
  NornRef zero = norn_select_word(selector, 0);
  if (!has_depth && !has_stencil)
    return coverage;
  NornValhallInst machine = norn_valhall_begin(selector, end, NORN_VALHALL_ZS_EMIT);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_Z, has_depth);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_STENCIL, has_stencil);
  norn_valhall_plain(&machine, has_depth ? norn_select_operand(selector, outputs->depth, 0) : zero);
  norn_valhall_plain(&machine,
                     has_stencil ? norn_select_operand(selector, outputs->stencil, 0) : zero);
  norn_valhall_plain(&machine, coverage);
  return norn_valhall_emit(&machine, 1);
}

/* The color of a store in registers; it may come from uniform words. */
static NornRef
in_registers(NornSelector *selector, uint32_t before, uint32_t store) {
  NornRef color = norn_select_operand(selector, store, 0), words[4];
  unsigned count = norn_type_words(norn_inst(selector->function, store)->type);
  if (norn_ref_kind(color) == NORN_REF_VALUE)
    return color;
  for (unsigned k = 0; k < count; k++)
    words[k] = norn_select_word_of(selector, color, k, count);
  return norn_select_group(selector, before, words, count);
}

/* The blend descriptor of a target. */
static NornRef
blend_descriptor(unsigned target) {
  return norn_ref(NORN_REF_SPECIAL, NORN_VALHALL_SPECIAL_BLEND_DESCRIPTOR_0_W0 + 2 * target);
}

/* The blend program finds the sample word, and possibly a second color, in registers. */
static void
blend(NornSelector *selector, uint32_t end, const OutputStores *outputs, unsigned target,
      NornRef coverage) {
  const NornFunction *function = selector->function;
  uint32_t store = outputs->color[target];
  if (norn_inst(function, store)->op == NORN_OP_STORE_COLOR_IF) {
    NornRef is_stored = norn_valhall_truth(selector, norn_select_operand(selector, store, 1));
    NornValhallInst mask = begin_and(selector, end, coverage, 0, is_stored);
    coverage = norn_valhall_emit(&mask, 1);
  }
  NornValhallInst machine = norn_valhall_begin(selector, end, NORN_VALHALL_BLEND);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_REGISTER_FORMAT,
                   register_formats[norn_inst(function, store)->modifier]);
  norn_valhall_plain(&machine, norn_select_operand(selector, store, 0));
  norn_valhall_plain(&machine, blend_descriptor(target));
  norn_valhall_plain(&machine, coverage);
  norn_valhall_plain(&machine, preload(selector, NORN_VALHALL_PRELOAD_SAMPLE));
  if (target == 0 && outputs->second_color != NORN_INDEX_NONE)
    norn_valhall_plain(&machine, in_registers(selector, end, outputs->second_color));
  norn_valhall_emit(&machine, 0);
}

bool
norn_valhall_select_end(NornSelector *selector, uint32_t end) {
  if (selector->module->stage != NORN_STAGE_FRAGMENT)
    return true;
  OutputStores outputs =
      find_outputs(selector->function, norn_inst(selector->function, end)->block);
  NornRef coverage = test_coverage(selector, end, &outputs);
  coverage = emit_depth(selector, end, &outputs, coverage);
  for (unsigned target = 0; target < G_N_ELEMENTS(outputs.color); target++)
    if (outputs.color[target] != NORN_INDEX_NONE)
      blend(selector, end, &outputs, target, coverage);
  return true;
}

/* --- The tile --- */

#define THIS_ROW 255
#define SAMPLE_BYTE 0xFF

/* Sample (only one byte of its number counts), target, column 0, row 255: this pixel. */
static NornRef
pixel_word(NornSelector *selector, uint32_t inst, NornRef sample, unsigned target) {
  uint32_t rest = target << NORN_VALHALL_PIXEL_TARGET_SHIFT | (uint32_t)THIS_ROW << 24;
  uint64_t number;
  if (norn_select_constant(selector, sample, &number))
    return norn_select_word(selector, rest | (uint32_t)(number & SAMPLE_BYTE));
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_MKVEC_V2I8);
  norn_valhall_plain(&machine, sample);
  norn_valhall_constant(&machine, target);
  norn_valhall_constant(&machine, rest >> 16);
  return norn_valhall_emit(&machine, 1);
}

/* Drivers use five bits of the coverage for the tile. */
static NornRef
tile_coverage(NornSelector *selector, uint32_t inst) {
  NornValhallInst machine =
      begin_and(selector, inst, preload(selector, NORN_VALHALL_PRELOAD_COVERAGE), 0,
                norn_select_word(selector, 0x1F));
  return norn_valhall_emit(&machine, 1);
}

/* The high word of a target's blend descriptor: the conversion, if the target is blended by
 * hardware. */
static NornRef
conversion_word(unsigned target) {
  return norn_ref(NORN_REF_SPECIAL, norn_ref_payload(blend_descriptor(target)) + 1);
}

static bool
select_tile_load(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  bool is_color = self.op == NORN_OP_LOAD_TILE;
  unsigned target =
      self.op == NORN_OP_LOAD_TILE_DEPTH ? NORN_VALHALL_PIXEL_DEPTH : NORN_VALHALL_PIXEL_STENCIL;
  unsigned format = self.op == NORN_OP_LOAD_TILE_DEPTH ? NORN_FORMAT_F32 : NORN_FORMAT_U32;
  if (is_color) {
    target = (unsigned)norn_immediate(self.payload, NORN_IMMEDIATE_TARGET);
    format = self.modifier;
  }
  NornRef pixel = pixel_word(selector, inst, norn_select_operand(selector, inst, 0), target);
  NornRef coverage = tile_coverage(selector, inst);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_LD_TILE);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_VECTOR_SIZE, is_color ? 3 : 0);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_REGISTER_FORMAT, register_formats[format]);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_Z_STENCIL, !is_color);
  norn_valhall_plain(&machine, pixel);
  norn_valhall_plain(&machine, coverage);
  norn_valhall_plain(&machine, is_color ? conversion_word(target) : norn_select_word(selector, 0));
  if (target != NORN_VALHALL_PIXEL_STENCIL)
    return norn_valhall_finish(&machine);
  NornRef word = norn_valhall_emit(&machine, 1);
  machine = begin_and(selector, inst, word, 0, norn_select_word(selector, 0xFF));
  return norn_valhall_finish(&machine);
}

static bool
select_tile_store(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  unsigned target = (unsigned)norn_immediate(self.payload, NORN_IMMEDIATE_TARGET);
  unsigned format = self.modifier;
  NornRef pixel = pixel_word(selector, inst, norn_select_operand(selector, inst, 1), target);
  NornRef coverage = tile_coverage(selector, inst);
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_ST_TILE);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_VECTOR_SIZE, 3);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_REGISTER_FORMAT, register_formats[format]);
  norn_valhall_plain(&machine, norn_select_operand(selector, inst, 0));
  norn_valhall_plain(&machine, pixel);
  norn_valhall_plain(&machine, coverage);
  norn_valhall_plain(&machine, conversion_word(target));
  return norn_valhall_finish(&machine);
}

bool
norn_valhall_select_tile(NornSelector *selector, uint32_t inst) {
  return norn_inst(selector->function, inst)->op == NORN_OP_STORE_TILE
             ? select_tile_store(selector, inst)
             : select_tile_load(selector, inst);
}
