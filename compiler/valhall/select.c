/* Selection for Valhall: dispatches operations to their functions, and the table of patterns. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"
#include <string.h>

#define NOTHING UINT16_MAX

typedef struct Pattern {
  uint16_t op; /* generic operation and its types */
  uint8_t type, source_type;
  uint16_t instruction;
  char operands[NORN_VALHALL_SOURCES + 1];
  char sources[NORN_VALHALL_SOURCES + 1];
  uint16_t field;
  uint32_t value;
} Pattern;

static const Pattern patterns[] = {
#define NORN_VALHALL_FIELD_NOTHING NOTHING
#define PATTERN(op, type, source_type, instruction, operands, sources, field, value)               \
  {NORN_OP_##op, NORN_TYPE_##type, NORN_TYPE_##source_type,    NORN_VALHALL_##instruction,         \
   operands,     sources,          NORN_VALHALL_FIELD_##field, value},
#include "compiler/valhall/patterns.def"
#undef PATTERN
#undef NORN_VALHALL_FIELD_NOTHING
};

/* The code for a rounding mode in the instruction's field, which has either one bit for "toward
 * zero" or a number for each mode; -1 if the instruction cannot round this way. */
static int
round_code(const NornIsaEncoding *encoding, unsigned round) {
  const NornIsaField *field = norn_isa_field(encoding, NORN_VALHALL_FIELD_ROUND);
  if (field->width == 1)
    return round == NORN_ROUND_RTE   ? NORN_VALHALL_ROUND_ZERO_NONE
           : round == NORN_ROUND_RTZ ? NORN_VALHALL_ROUND_ZERO_RTZ
                                     : -1;
  return field->allowed >> round & 1 ? (int)round : -1;
}

/* Whether the instruction can round as the operation requires. If it has no field for that, it is
 * exact. */
static bool
rounds_as(const NornIsaEncoding *encoding, const NornInst *inst) {
  if (norn_ops[inst->op].modifier != NORN_MODIFIER_ROUND || inst->modifier == NORN_ROUND_RTE ||
      !norn_isa_field_exists(encoding, NORN_VALHALL_FIELD_ROUND))
    return true;
  return round_code(encoding, inst->modifier) >= 0;
}

static bool
is_form_of(const Pattern *machine, const NornInst *inst) {
  return machine->type == inst->type && machine->source_type == inst->source_type;
}

static bool
matches(const Pattern *machine, const NornInst *inst, const NornTarget *target) {
  if (!is_form_of(machine, inst))
    return false;
  const NornIsaEncoding *encoding = norn_valhall_encoding_of(target, machine->instruction);
  return encoding && rounds_as(encoding, inst);
}

/* The first row of the operation, or the position where it would be. */
static const Pattern *
first_pattern(unsigned op) {
  size_t low = 0, high = G_N_ELEMENTS(patterns);
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (patterns[middle].op < op)
      low = middle + 1;
    else
      high = middle;
  }
  return &patterns[low];
}

#define FOR_EACH_PATTERN(row, operation)                                                           \
  for (const Pattern *row = first_pattern(operation);                                              \
       row < patterns + G_N_ELEMENTS(patterns) && row->op == (operation); row++)

static const Pattern *
find_pattern(const NornTarget *target, const NornInst *inst) {
  FOR_EACH_PATTERN (row, inst->op)
    if (matches(row, inst, target))
      return row;
  return NULL;
}

static NornValhallSource
source_of(char letter) {
  switch (letter) {
  case 'f':
    return NORN_VALHALL_FLOAT;
  case 'n':
    return NORN_VALHALL_SIGNS;
  case 'e':
    return NORN_VALHALL_HALF;
  case 'h':
    return NORN_VALHALL_HALVES;
  case 'u':
    return NORN_VALHALL_UNSIGNED;
  case 's':
    return NORN_VALHALL_SIGNED;
  case 'l':
    return NORN_VALHALL_LONG;
  case 'U':
    return NORN_VALHALL_NARROW_UNSIGNED;
  case 'S':
    return NORN_VALHALL_NARROW_SIGNED;
  default:
    return NORN_VALHALL_PLAIN;
  }
}

/* The constant for a letter. Adding -0 preserves the zeros of the other operand; when rounding
 * down, adding +0 does. */
static NornRef
constant_of(NornSelector *selector, char letter, unsigned rounding) {
  if (rounding == NORN_ROUND_RTN && (letter == 'n' || letter == 'm'))
    letter = 'z';
  switch (letter) {
  case 'o':
    return norn_select_word(selector, UINT32_MAX);
  case 'n':
    return norn_select_word(selector, F32_MINUS_ZERO);
  case 'm':
    return norn_select_word(selector, 0x80008000);
  case 's':
    return norn_select_word(selector, 0x7FFFFFFF);
  case 't':
    return norn_select_word(selector, 0x7FFF7FFF);
  default:
    return norn_select_word(selector, 0);
  }
}

/* Wrapping sums and differences may read parts of their operands, extended with either signedness
 * but the same for both. */
static unsigned
sign_of_parts(const NornSelector *selector, uint32_t inst, unsigned instruction) {
  NornRef base;
  unsigned part;
  if (instruction != NORN_VALHALL_IADD_U32 && instruction != NORN_VALHALL_ISUB_U32)
    return instruction;
  bool has_signed = false;
  for (unsigned k = 0; k < norn_inst(selector->function, inst)->operand_count; k++) {
    NornRef ref = norn_select_operand(selector, inst, k);
    if (norn_valhall_subword(selector, ref, false, &base, &part))
      return instruction;
    has_signed = has_signed || norn_valhall_subword(selector, ref, true, &base, &part);
  }
  if (!has_signed)
    return instruction;
  return instruction == NORN_VALHALL_IADD_U32 ? NORN_VALHALL_IADD_S32 : NORN_VALHALL_ISUB_S32;
}

/* The operation's own rounding mode, else the shader's. */
static unsigned
rounding_of(const NornModule *module, const NornInst *inst) {
  return norn_ops[inst->op].modifier == NORN_MODIFIER_ROUND ? inst->modifier
                                                            : (unsigned)module->rounding;
}

static bool
set_rounding(NornValhallInst *machine, const NornInst *inst) {
  unsigned round = rounding_of(machine->selector->module, inst);
  if (round == NORN_ROUND_RTE)
    return true;
  if (!norn_isa_field_exists(machine->encoding, NORN_VALHALL_FIELD_ROUND))
    return true;
  int code = round_code(machine->encoding, round);
  /* If rounding as the module says is not possible, this was rejected at the start; this
   * instruction is part of an expansion that is correct for any rounding direction. */
  if (code < 0 && norn_ops[inst->op].modifier != NORN_MODIFIER_ROUND)
    return machine->selector->context->is_legal;
  if (code < 0)
    return false;
  norn_valhall_set(machine, NORN_VALHALL_FIELD_ROUND, (uint32_t)code);
  return true;
}

/* Selects the clamp that the only user of a float result applies. Its instruction replaces this
 * one. */
static bool select_clamped(NornSelector *selector, uint32_t inst);

static bool
select_pattern(NornSelector *selector, uint32_t inst, const Pattern *row, uint32_t model,
               unsigned clamp) {
  const NornInst self = *norn_inst(selector->function, model);
  unsigned instruction = row->instruction;
  if (row->sources[0] == 'u' && row->field == NOTHING && model == inst)
    instruction = sign_of_parts(selector, inst, instruction);
  bool is_signed = instruction != row->instruction;
  NornValhallInst machine = norn_valhall_begin(selector, inst, instruction);
  if (row->field != NOTHING)
    norn_valhall_set(&machine, row->field, row->value);
  if (clamp)
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_CLAMP, clamp);
  if (!set_rounding(&machine, &self))
    return norn_select_unsupported(selector, inst);
  for (unsigned k = 0; row->operands[k]; k++) {
    char letter = row->operands[k];
    bool is_operand = letter >= 'a' && letter <= 'd';
    NornRef ref = is_operand ? norn_operands(selector->function, &self)[(unsigned)(letter - 'a')]
                             : constant_of(selector, letter, rounding_of(selector->module, &self));
    NornValhallSource source = is_signed ? NORN_VALHALL_SIGNED : source_of(row->sources[k]);
    NornType type = self.source_type ? self.source_type : self.type;
    norn_valhall_source(&machine, ref, source, type);
  }
  return norn_valhall_finish(&machine);
}

/* fsat, fsat_signed, fclamp_pos of a result without other uses: folded as the clamp of the
 * instruction that makes it. */
static bool
select_clamped(NornSelector *selector, uint32_t inst) {
  NornFunction *function = selector->function;
  static const struct {
    uint16_t op;
    uint8_t clamp;
  } clamps[] = {
      {NORN_OP_FSAT, NORN_VALHALL_CLAMP_CLAMP_0_1},
      {NORN_OP_FSAT_SIGNED, NORN_VALHALL_CLAMP_CLAMP_M1_1},
      {NORN_OP_FCLAMP_POS, NORN_VALHALL_CLAMP_CLAMP_0_INF},
  };
  NornRef ref = norn_select_operand(selector, inst, 0);
  uint32_t def = norn_select_def(selector, ref);
  unsigned clamp = 0;
  for (unsigned k = 0; k < G_N_ELEMENTS(clamps); k++)
    if (norn_inst(function, inst)->op == clamps[k].op)
      clamp = clamps[k].clamp;
  if (!clamp || def == NORN_INDEX_NONE ||
      norn_inst(function, def)->type != norn_inst(function, inst)->type ||
      !norn_select_is_only_use(selector, ref))
    return false;
  const Pattern *row = find_pattern(selector->target, norn_inst(function, def));
  if (!row || row->field == NORN_VALHALL_FIELD_CLAMP)
    return false;
  const NornIsaEncoding *encoding = norn_valhall_encoding_of(selector->target, row->instruction);
  if (!norn_isa_field_exists(encoding, NORN_VALHALL_FIELD_CLAMP))
    return false;
  return select_pattern(selector, inst, row, def, clamp);
}

/* --- Position of the invocation --- */

static bool
select_position(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  unsigned axis = self.modifier;
  if (self.op != NORN_OP_LOCAL_ID) {
    unsigned first = self.op == NORN_OP_GLOBAL_ID ? NORN_VALHALL_PRELOAD_GLOBAL_ID_X
                                                  : NORN_VALHALL_PRELOAD_WORKGROUP_ID_X;
    norn_select_same(selector, inst, norn_select_preload(selector, first + axis));
    return true;
  }
  NornRef reg =
      norn_select_preload(selector, axis == NORN_AXIS_Z ? NORN_VALHALL_PRELOAD_LOCAL_ID_Z
                                                        : NORN_VALHALL_PRELOAD_LOCAL_ID_XY);
  /* Where all positions along y are 0, the register holds that along x alone. */
  if (axis == NORN_AXIS_X && selector->module->workgroup[1] == 1) {
    norn_select_same(selector, inst, reg);
    return true;
  }
  NornValhallInst machine = norn_valhall_begin(selector, inst, NORN_VALHALL_U16_TO_U32);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_SWIZZLE0,
                   axis == NORN_AXIS_Y ? NORN_VALHALL_HALF_H10 : NORN_VALHALL_HALF_H00);
  norn_valhall_plain(&machine, reg);
  return norn_valhall_finish(&machine);
}

/* --- All operations --- */

/* The view index is an input of either stage. */
static bool
select_view_index(NornSelector *selector, uint32_t inst) {
  return selector->module->stage == NORN_STAGE_FRAGMENT
             ? norn_valhall_select_fragment_input(selector, inst)
             : norn_valhall_select_vertex_input(selector, inst);
}

/* A truth value or an integer. */
static bool
select_bits(NornSelector *selector, uint32_t inst) {
  return norn_inst(selector->function, inst)->type == NORN_TYPE_I1
             ? norn_valhall_select_truth(selector, inst)
             : norn_valhall_select_logic(selector, inst);
}

#define ALL_TYPES UINT32_MAX
#define ALL_INTEGERS (NORN_SET_INT | NORN_SET_PACKED_INT)
#define FLOAT32 (1u << NORN_TYPE_F32)

/* The operations that are not selected only by the table of forms: the function that selects them,
 * or NULL if norn_pass_select does; the supported types (for textures and images, all except what
 * norn_valhall_why_no_texture names); and whether the forms are tried if the function returns
 * false, which is an error otherwise. */
static const struct {
  bool (*select)(NornSelector *selector, uint32_t inst);
  NornTypeSet types;
  bool has_forms;
} specials[NORN_OP_COUNT] = {
    [NORN_OP_VEC] = {norn_valhall_select_vector, ALL_TYPES, false},
    [NORN_OP_INSERT] = {norn_valhall_select_vector, ALL_TYPES, false},
    [NORN_OP_EXTRACT] = {norn_valhall_select_vector, ALL_TYPES, false},
    [NORN_OP_SWIZZLE] = {norn_valhall_select_vector, ALL_TYPES, false},
    [NORN_OP_SELECT] = {norn_valhall_select_choice, ALL_TYPES, false},
    [NORN_OP_BR] = {norn_valhall_select_branch, ALL_TYPES, false},
    [NORN_OP_SHLADD] = {norn_valhall_select_address, ALL_TYPES, false},
    [NORN_OP_LANE_ID] = {norn_valhall_select_lanes, ALL_TYPES, false},
    [NORN_OP_BALLOT] = {norn_valhall_select_lanes, ALL_TYPES, false},
    [NORN_OP_BROADCAST] = {norn_valhall_select_lanes, ALL_TYPES, false},
    [NORN_OP_SHUFFLE] = {norn_valhall_select_lanes, ALL_TYPES, false},
    [NORN_OP_SHUFFLE_XOR] = {norn_valhall_select_lanes, ALL_TYPES, false},
    [NORN_OP_QUAD_SWAP] = {norn_valhall_select_lanes, ALL_TYPES, false},
    [NORN_OP_QUAD_BROADCAST] = {norn_valhall_select_lanes, ALL_TYPES, false},
    [NORN_OP_DATA_ADDRESS] = {norn_valhall_select_data_address, ALL_TYPES, false},
    [NORN_OP_BUFFER_SIZE] = {norn_valhall_select_buffer_size, ALL_TYPES, false},
    [NORN_OP_BARRIER] = {norn_valhall_select_order, ALL_TYPES, false},
    [NORN_OP_FENCE] = {norn_valhall_select_order, ALL_TYPES, false},
    [NORN_OP_GLOBAL_ID] = {select_position, ALL_TYPES, false},
    [NORN_OP_LOCAL_ID] = {select_position, ALL_TYPES, false},
    [NORN_OP_WORKGROUP_ID] = {select_position, ALL_TYPES, false},
    [NORN_OP_END] = {norn_valhall_select_end, ALL_TYPES, false},
    [NORN_OP_VERTEX_ID] = {norn_valhall_select_vertex_input, ALL_TYPES, false},
    [NORN_OP_INSTANCE_ID] = {norn_valhall_select_vertex_input, ALL_TYPES, false},
    [NORN_OP_DRAW_ID] = {norn_valhall_select_vertex_input, ALL_TYPES, false},
    [NORN_OP_VIEW_INDEX] = {select_view_index, ALL_TYPES, false},
    [NORN_OP_LOAD_ATTRIBUTE] = {norn_valhall_select_attribute, ALL_TYPES, false},
    [NORN_OP_STORE_POSITION] = {norn_valhall_select_vertex_output, ALL_TYPES, false},
    [NORN_OP_STORE_POINT_SIZE] = {norn_valhall_select_vertex_output, ALL_TYPES, false},
    [NORN_OP_STORE_LAYER] = {norn_valhall_select_vertex_output, ALL_TYPES, false},
    [NORN_OP_STORE_VIEWPORT] = {norn_valhall_select_vertex_output, ALL_TYPES, false},
    [NORN_OP_STORE_VARYING] = {norn_valhall_select_vertex_output, ALL_TYPES, false},
    [NORN_OP_FRAG_COORD] = {norn_valhall_select_fragment_input, ALL_TYPES, false},
    [NORN_OP_POINT_COORD] = {norn_valhall_select_fragment_input, ALL_TYPES, false},
    [NORN_OP_FRONT_FACING] = {norn_valhall_select_fragment_input, ALL_TYPES, false},
    [NORN_OP_SAMPLE_ID] = {norn_valhall_select_fragment_input, ALL_TYPES, false},
    [NORN_OP_SAMPLE_MASK] = {norn_valhall_select_fragment_input, ALL_TYPES, false},
    [NORN_OP_PRIMITIVE_ID] = {norn_valhall_select_fragment_input, ALL_TYPES, false},
    [NORN_OP_HELPER_INVOCATION] = {norn_valhall_select_fragment_input, ALL_TYPES, false},
    [NORN_OP_LOAD_VARYING] = {norn_valhall_select_varying, ALL_TYPES, false},
    [NORN_OP_LOAD_VARYING_HALF] = {norn_valhall_select_varying, ALL_TYPES, false},
    [NORN_OP_LOAD_VARYING_AT_SAMPLE] = {norn_valhall_select_varying, ALL_TYPES, false},
    [NORN_OP_LOAD_VARYING_AT_OFFSET] = {norn_valhall_select_varying, ALL_TYPES, false},
    [NORN_OP_STORE_COLOR] = {norn_valhall_select_output, ALL_TYPES, false},
    [NORN_OP_STORE_COLOR_IF] = {norn_valhall_select_output, ALL_TYPES, false},
    [NORN_OP_STORE_SECOND_COLOR] = {norn_valhall_select_output, ALL_TYPES, false},
    [NORN_OP_STORE_DEPTH] = {norn_valhall_select_output, ALL_TYPES, false},
    [NORN_OP_STORE_STENCIL] = {norn_valhall_select_output, ALL_TYPES, false},
    [NORN_OP_STORE_COVERAGE] = {norn_valhall_select_output, ALL_TYPES, false},
    [NORN_OP_DEMOTE] = {norn_valhall_select_demotion, ALL_TYPES, false},
    [NORN_OP_ALPHA_TEST] = {norn_valhall_select_demotion, ALL_TYPES, false},
    [NORN_OP_LOAD_TILE] = {norn_valhall_select_tile, ALL_TYPES, false},
    [NORN_OP_LOAD_TILE_DEPTH] = {norn_valhall_select_tile, ALL_TYPES, false},
    [NORN_OP_LOAD_TILE_STENCIL] = {norn_valhall_select_tile, ALL_TYPES, false},
    [NORN_OP_STORE_TILE] = {norn_valhall_select_tile, ALL_TYPES, false},
    [NORN_OP_TEX] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_TEX_BIAS] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_TEX_LOD] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_TEX_GRADIENT] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_TEX_GATHER] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_TEX_FETCH] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_TEX_QUERY_LOD] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_TEX_SIZE] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_TEX_LEVELS] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_TEX_SAMPLES] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_IMAGE_LOAD] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_IMAGE_STORE] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_IMAGE_ATOMIC] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_IMAGE_CMPXCHG] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_IMAGE_SIZE] = {norn_valhall_select_texture, ALL_TYPES, false},
    [NORN_OP_ICMPMASK] = {norn_valhall_select_mask, NORN_SET_PACKED_INT, false},
    [NORN_OP_FCMPMASK] = {norn_valhall_select_mask, NORN_SET_PACKED_INT, false},
    [NORN_OP_BITSELECT] = {norn_valhall_select_lane_choice, 0, true},
    [NORN_OP_FEXP2] = {norn_valhall_select_transcendental, FLOAT32, false},
    [NORN_OP_FLOG2] = {norn_valhall_select_transcendental, FLOAT32, false},
    [NORN_OP_FPOW] = {norn_valhall_select_transcendental, FLOAT32, false},
    [NORN_OP_FSIN] = {norn_valhall_select_transcendental, FLOAT32, false},
    [NORN_OP_FCOS] = {norn_valhall_select_transcendental, FLOAT32, false},
    [NORN_OP_AND] = {select_bits, ALL_INTEGERS | NORN_SET_BOOL, true},
    [NORN_OP_OR] = {select_bits, ALL_INTEGERS | NORN_SET_BOOL, true},
    [NORN_OP_XOR] = {select_bits, ALL_INTEGERS | NORN_SET_BOOL, true},
    [NORN_OP_NOT] = {select_bits, ALL_INTEGERS | NORN_SET_BOOL, true},
    [NORN_OP_SHL] = {norn_valhall_select_logic, ALL_INTEGERS, false},
    [NORN_OP_LSHR] = {norn_valhall_select_logic, ALL_INTEGERS, false},
    [NORN_OP_ASHR] = {norn_valhall_select_logic, ALL_INTEGERS, false},
    [NORN_OP_ROTL] = {norn_valhall_select_logic, ALL_INTEGERS, false},
    [NORN_OP_ROTR] = {norn_valhall_select_logic, ALL_INTEGERS, false},
    [NORN_OP_ICMP] = {norn_valhall_select_truth, NORN_SET_INT, false},
    [NORN_OP_FCMP] = {norn_valhall_select_truth, 1u << NORN_TYPE_F16 | FLOAT32, false},
    [NORN_OP_ZEXT] = {norn_valhall_select_extension, NORN_SET_INT, false},
    [NORN_OP_SEXT] = {norn_valhall_select_extension, NORN_SET_INT, false},
    [NORN_OP_TRUNC] = {norn_valhall_select_truncation, NORN_SET_INT, false},
    [NORN_OP_IADD] = {norn_valhall_select_sum, 0, true},
    [NORN_OP_ISUB] = {norn_valhall_select_sum, 0, true},
    [NORN_OP_SITOFP] = {norn_valhall_select_from_part, 0, true},
    [NORN_OP_UITOFP] = {norn_valhall_select_from_part, 0, true},
    [NORN_OP_FRCP] = {norn_valhall_select_reciprocal, 0, true},
    [NORN_OP_FROUND] = {norn_valhall_select_flushed_round, 0, true},
    [NORN_OP_FPTOSI] = {norn_valhall_select_pixel, 0, true},
    [NORN_OP_FPTOUI] = {norn_valhall_select_pixel, 0, true},
    [NORN_OP_FMUL] = {norn_valhall_select_product, 0, true},
    [NORN_OP_FMA] = {norn_valhall_select_product_sum, 0, true},
    [NORN_OP_FSAT] = {select_clamped, 0, true},
    [NORN_OP_FSAT_SIGNED] = {select_clamped, 0, true},
    [NORN_OP_FCLAMP_POS] = {select_clamped, 0, true},
    [NORN_OP_BITCAST] = {NULL, ALL_TYPES, false},
    [NORN_OP_COPY] = {NULL, ALL_TYPES, false},
    [NORN_OP_UNDEF] = {NULL, ALL_TYPES, false},
    [NORN_OP_COLLECT] = {NULL, ALL_TYPES, false},
    [NORN_OP_SPLIT] = {NULL, ALL_TYPES, false},
    [NORN_OP_JUMP] = {NULL, ALL_TYPES, false},
    [NORN_OP_UNREACHABLE] = {NULL, ALL_TYPES, false},
    [NORN_OP_PRELOAD] = {NULL, ALL_TYPES, false},
    [NORN_OP_LOOP_ENTRY] = {NULL, ALL_TYPES, false},
};

bool
norn_valhall_select(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  if (norn_valhall_access_types(self.op))
    return norn_valhall_select_access(selector, inst);
  if (specials[self.op].select) {
    bool is_selected = specials[self.op].select(selector, inst);
    if (is_selected || !specials[self.op].has_forms)
      return is_selected;
  }
  const Pattern *row = find_pattern(selector->target, &self);
  if (!row)
    return norn_select_unsupported(selector, inst);
  return select_pattern(selector, inst, row, inst, 0);
}

bool
norn_valhall_supports(const NornTarget *target, const NornFunction *function,
                      const NornInst *inst) {
  (void)function;
  if (norn_is_machine(inst) || norn_type_in(norn_valhall_access_types(inst->op), inst->type))
    return true;
  if (specials[inst->op].types == ALL_TYPES)
    return !norn_valhall_why_no_texture(inst);
  if (inst->op == NORN_OP_ICMPMASK && inst->type == NORN_TYPE_V4I8)
    return norn_valhall_encoding_of(target, NORN_VALHALL_ICMP_OR_V4U8);
  if (norn_type_in(specials[inst->op].types, inst->type))
    return true;
  return find_pattern(target, inst);
}

/* Whether there are instructions for the operation, but none with the rounding mode of the
 * operation or the module. */
static bool
cannot_round(const NornTarget *target, const NornModule *module, const NornInst *inst) {
  bool found = false;
  FOR_EACH_PATTERN (row, inst->op) {
    if (!is_form_of(row, inst))
      continue;
    const NornIsaEncoding *encoding = norn_valhall_encoding_of(target, row->instruction);
    if (!encoding || !norn_isa_field_exists(encoding, NORN_VALHALL_FIELD_ROUND))
      continue;
    if (round_code(encoding, rounding_of(module, inst)) >= 0)
      return false;
    found = true;
  }
  return found;
}

bool
norn_valhall_can_round(const NornTarget *target, const NornModule *module, const NornInst *inst) {
  return module->rounding != NORN_ROUND_RNA && !cannot_round(target, module, inst);
}

/* Returns a reason if the author of a driver can do something about it. */
const char *
norn_valhall_why_unsupported(const NornTarget *target, const NornModule *module,
                             const NornInst *inst) {
  if (inst->type == NORN_TYPE_F64 || inst->source_type == NORN_TYPE_F64)
    return "the hardware has no 64-bit floats";
  if (cannot_round(target, module, inst))
    return "this rounding mode is not supported";
  switch (inst->op) {
  case NORN_OP_WORKGROUP_COUNT:
    return "the driver must pass the value in a uniform word";
  case NORN_OP_BLEND_SOURCE:
    return "blend programs are not supported";
  case NORN_OP_FMASCALE:
    return "computing it in wider floats would round twice";
  default:
    return norn_valhall_why_no_texture(inst);
  }
}
