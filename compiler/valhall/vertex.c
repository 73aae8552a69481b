/* Vertex programs: inputs, attributes, outputs.
 *
 * Outputs are stored to memory: a message returns the address of the vertex's element in an output
 * buffer. There are groups of elements for the position and for other data that the rasterizer
 * needs. Architectures 9 to 11 run a vertex as two programs, one for the position and related data,
 * one for the varyings; both find their outputs in buffer 0. Later architectures run one program,
 * with the varyings in buffer 1, and specify which parts they want. */
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"

#define FIRST_WITH_ONE_PROGRAM NORN_VALHALL_ARCHITECTURE_12

bool
norn_valhall_has_one_vertex_program(const NornTarget *target) {
  return target->architecture >= FIRST_WITH_ONE_PROGRAM;
}

bool
norn_valhall_select_vertex_input(NornSelector *selector, uint32_t inst) {
  unsigned reg = NORN_VALHALL_PRELOAD_VERTEX_VIEW;
  switch (norn_inst(selector->function, inst)->op) {
  case NORN_OP_VERTEX_ID:
    reg = NORN_VALHALL_PRELOAD_VERTEX_ID;
    break;
  case NORN_OP_INSTANCE_ID:
    reg = NORN_VALHALL_PRELOAD_INSTANCE_ID;
    break;
  case NORN_OP_DRAW_ID:
    reg = NORN_VALHALL_PRELOAD_DRAW_ID;
    break;
  default:
    break;
  }
  norn_select_same(selector, inst, norn_select_preload(selector, reg));
  return true;
}

/* --- Attributes --- */

/* 32-bit integers have the type of the attribute's format. */
static const uint8_t register_formats[NORN_FORMAT_COUNT] = {
    [NORN_FORMAT_F32] = NORN_VALHALL_REGISTER_FORMAT_F32,
    [NORN_FORMAT_F16] = NORN_VALHALL_REGISTER_FORMAT_F16,
    [NORN_FORMAT_S32] = NORN_VALHALL_REGISTER_FORMAT_AUTO,
    [NORN_FORMAT_U32] = NORN_VALHALL_REGISTER_FORMAT_AUTO,
    [NORN_FORMAT_S16] = NORN_VALHALL_REGISTER_FORMAT_S16,
    [NORN_FORMAT_U16] = NORN_VALHALL_REGISTER_FORMAT_U16,
};

static unsigned
component_bits(NornFormat format) {
  return format == NORN_FORMAT_F16 || format == NORN_FORMAT_S16 || format == NORN_FORMAT_U16 ? 16
                                                                                             : 32;
}

bool
norn_valhall_select_attribute(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  unsigned table = selector->context->options->attribute_table;
  uint32_t index = (uint32_t)norn_immediate(self.payload, NORN_IMMEDIATE_INDEX);
  uint32_t code = norn_valhall_code_of_table(table);
  unsigned count = norn_type_bits(self.type) / component_bits(self.modifier);
  selector->context->info->shader.tables |= UINT64_C(1) << table;
  bool is_near = code < NORN_VALHALL_TABLE_CODES && index < 16;
  NornValhallInst machine =
      norn_valhall_begin(selector, inst, is_near ? NORN_VALHALL_LD_ATTR_IMM : NORN_VALHALL_LD_ATTR);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_VECTOR_SIZE, MIN(count, 4) - 1);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_REGISTER_FORMAT, register_formats[self.modifier]);
  norn_valhall_plain(&machine, norn_select_operand(selector, inst, 0));
  norn_valhall_plain(&machine, norn_select_operand(selector, inst, 1));
  if (is_near) {
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_INDEX, index);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_TABLE, code);
  } else {
    norn_valhall_constant(&machine, table << NORN_VALHALL_TABLE_SHIFT | index);
  }
  return norn_valhall_finish(&machine);
}

/* --- Outputs --- */

#define NULL_ADDRESS_WORD (NORN_VALHALL_NULL_ADDRESS_BIT >> 32) /* writes there are dropped */

/* The address, or a null address if the part is not wanted. */
static NornRef
address_if_wanted(NornSelector *selector, uint32_t before, NornRef address, unsigned part) {
  NornRef wanted = norn_ref(NORN_REF_SPECIAL, NORN_VALHALL_SPECIAL_SHADER_OUTPUT_W0);
  NornValhallInst mask = norn_valhall_begin(selector, before, NORN_VALHALL_LSHIFT_AND_I32);
  norn_valhall_plain(&mask, wanted);
  norn_valhall_constant(&mask, 0);
  norn_valhall_constant(&mask, part);
  NornRef bit = norn_valhall_emit(&mask, 1);
  NornRef words[2] = {norn_select_word_of(selector, address, 0, 2),
                      norn_select_word_of(selector, address, 1, 2)};
  NornValhallInst choice = norn_valhall_begin(selector, before, NORN_VALHALL_CSEL_U32);
  norn_valhall_set(&choice, NORN_VALHALL_FIELD_CONDITION, NORN_VALHALL_CONDITION_NE);
  norn_valhall_plain(&choice, bit);
  norn_valhall_constant(&choice, 0);
  norn_valhall_plain(&choice, words[1]);
  norn_valhall_constant(&choice, NULL_ADDRESS_WORD);
  words[1] = norn_valhall_emit(&choice, 1);
  return norn_select_group(selector, before, words, 2);
}

/* The address of the vertex's element for a part, computed once at the start of the program. */
static NornRef
output_address(NornSelector *selector, unsigned part) {
  NornFunction *function = selector->function;
  bool is_one_program = norn_valhall_has_one_vertex_program(selector->target);
  if (selector->shared[part])
    return selector->shared[part];
  NornRef slot = norn_select_preload(selector, NORN_VALHALL_PRELOAD_OUTPUT_SLOT);
  uint32_t before = norn_value(function, norn_ref_payload(slot))->def;
  while (norn_inst(function, before)->op == NORN_OP_PRELOAD)
    before = norn_inst(function, before)->next;
  if (part == NORN_VALHALL_WANTS_EXTRAS) {
    NornValhallInst sum = norn_valhall_begin(selector, before, NORN_VALHALL_IADD_IMM_I32);
    norn_valhall_set(&sum, NORN_VALHALL_FIELD_CONSTANT, NORN_VALHALL_OUTPUT_GROUP);
    norn_valhall_plain(&sum, slot);
    slot = norn_valhall_emit(&sum, 1);
  }
  NornValhallInst machine = norn_valhall_begin(selector, before, NORN_VALHALL_LEA_BUF_IMM);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_TABLE,
                   norn_valhall_code_of_table(NORN_VALHALL_OUTPUT_TABLE));
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_INDEX,
                   is_one_program && part == NORN_VALHALL_WANTS_VARYINGS
                       ? NORN_VALHALL_VARYING_OUTPUT
                       : NORN_VALHALL_FIRST_OUTPUT);
  norn_valhall_plain(&machine, slot);
  NornRef address = norn_valhall_emit(&machine, 2);
  if (is_one_program)
    address = address_if_wanted(selector, before, address, part);
  return selector->shared[part] = address;
}

static bool
store(NornSelector *selector, uint32_t inst, NornRef value, unsigned bytes, unsigned access,
      NornRef address, uint32_t offset) {
  NornValhallInst machine = norn_valhall_begin(selector, inst, norn_valhall_store_of_bytes(bytes));
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_ACCESS, access);
  norn_valhall_set(&machine, NORN_VALHALL_FIELD_OFFSET, offset);
  norn_valhall_plain(&machine, value);
  norn_valhall_plain(&machine, address);
  return norn_valhall_finish(&machine);
}

/* Converts the number to f16, in the low half of a register. */
static NornRef
half_of(NornSelector *selector, uint32_t inst, NornRef number) {
  NornValhallInst machine;
  if (norn_valhall_has(selector, NORN_VALHALL_V2F32_TO_V2F16)) {
    machine = norn_valhall_begin(selector, inst, NORN_VALHALL_V2F32_TO_V2F16);
    norn_valhall_source(&machine, number, NORN_VALHALL_SIGNS, NORN_TYPE_F32);
    norn_valhall_constant(&machine, 0);
  } else {
    machine = norn_valhall_begin(selector, inst, NORN_VALHALL_FADD_F32);
    norn_valhall_set(&machine, NORN_VALHALL_FIELD_DEST_MASK, NORN_VALHALL_DEST_MASK_H0);
    norn_valhall_source(&machine, number, NORN_VALHALL_FLOAT, NORN_TYPE_F32);
    norn_valhall_constant(&machine, F32_MINUS_ZERO);
  }
  return norn_valhall_emit(&machine, 1);
}

bool
norn_valhall_select_vertex_output(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  NornRef value = norn_select_operand(selector, inst, 0);
  unsigned access = NORN_VALHALL_ACCESS_ISTREAM;
  switch (self.op) {
  case NORN_OP_STORE_POSITION:
    return store(selector, inst, value, 16, access,
                 output_address(selector, NORN_VALHALL_WANTS_POSITION), 0);
  case NORN_OP_STORE_POINT_SIZE:
    value = half_of(selector, inst, value);
    return store(selector, inst, value, 2, access,
                 output_address(selector, NORN_VALHALL_WANTS_EXTRAS),
                 NORN_VALHALL_POINT_SIZE_OFFSET);
  case NORN_OP_STORE_LAYER:
  case NORN_OP_STORE_VIEWPORT:
    return store(
        selector, inst, value, 1, access, output_address(selector, NORN_VALHALL_WANTS_EXTRAS),
        self.op == NORN_OP_STORE_LAYER ? NORN_VALHALL_LAYER_OFFSET : NORN_VALHALL_VIEWPORT_OFFSET);
  default:
    return store(selector, inst, value, (norn_type_bits(self.type) + 7) / 8,
                 NORN_VALHALL_ACCESS_ESTREAM, output_address(selector, NORN_VALHALL_WANTS_VARYINGS),
                 (uint32_t)norn_immediate(self.payload, NORN_IMMEDIATE_OFFSET));
  }
}
