/* Loads and stores.
 *
 * A value is staged in as many registers as it has words; narrower loads are extended to a word, so
 * that the register has one writer. The instruction adds a signed offset of 16 bits to the address;
 * what is beyond goes into an addition. */
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"

#define LEAST_OFFSET (-32768)
#define GREATEST_OFFSET 32767

static unsigned
load_of_bits(unsigned bits) {
  switch (bits) {
  case 8:
    return NORN_VALHALL_LOAD_I8;
  case 16:
    return NORN_VALHALL_LOAD_I16;
  case 32:
    return NORN_VALHALL_LOAD_I32;
  case 64:
    return NORN_VALHALL_LOAD_I64;
  case 96:
    return NORN_VALHALL_LOAD_I96;
  case 128:
    return NORN_VALHALL_LOAD_I128;
  default:
    return NORN_VALHALL_INSTRUCTION_COUNT;
  }
}

static unsigned
store_of_bits(unsigned bits) {
  switch (bits) {
  case 8:
    return NORN_VALHALL_STORE_I8;
  case 16:
    return NORN_VALHALL_STORE_I16;
  case 32:
    return NORN_VALHALL_STORE_I32;
  case 64:
    return NORN_VALHALL_STORE_I64;
  case 96:
    return NORN_VALHALL_STORE_I96;
  case 128:
    return NORN_VALHALL_STORE_I128;
  default:
    return NORN_VALHALL_INSTRUCTION_COUNT;
  }
}

/* The address without the part of `*offset` that the instruction cannot hold. */
static NornRef
near_address(NornSelector *selector, uint32_t inst, NornRef address, int64_t *offset) {
  if (*offset >= LEAST_OFFSET && *offset <= GREATEST_OFFSET)
    return address;
  bool is_negative = *offset < 0;
  NornValhallForm form = norn_valhall_begin(
      selector, inst, is_negative ? NORN_VALHALL_ISUB_U64 : NORN_VALHALL_IADD_U64);
  norn_valhall_plain(&form, address);
  norn_valhall_set(&form, NORN_VALHALL_FIELD_SWIZZLE1, NORN_VALHALL_WIDEN_INTEGER_W0);
  norn_valhall_constant(&form, (uint32_t)(is_negative ? -*offset : *offset));
  *offset = 0;
  return norn_valhall_emit(&form, 2);
}

bool
norn_valhall_select_load(NornSelector *selector, uint32_t inst) {
  NornFunction *function = selector->function;
  unsigned bits = norn_type_bits(function->insts[inst].type);
  unsigned instruction = load_of_bits(bits);
  int64_t offset = norn_immediate(function->insts[inst].payload, NORN_IMMEDIATE_OFFSET);
  if (instruction == NORN_VALHALL_INSTRUCTION_COUNT)
    return norn_select_unsupported(selector, inst);
  NornRef address = near_address(selector, inst, norn_select_operand(selector, inst, 0), &offset);
  NornValhallForm form = norn_valhall_begin(selector, inst, instruction);
  if (bits <= 32)
    norn_valhall_set(&form, NORN_VALHALL_FIELD_UNSIGNED, 1);
  if (bits == 8)
    norn_valhall_set(&form, NORN_VALHALL_FIELD_LANE, NORN_VALHALL_LOAD_LANE8_W0);
  if (bits == 16)
    norn_valhall_set(&form, NORN_VALHALL_FIELD_LANE, NORN_VALHALL_LOAD_LANE16_W0);
  norn_valhall_set(&form, NORN_VALHALL_FIELD_OFFSET, (uint32_t)offset & 0xFFFF);
  norn_valhall_plain(&form, address);
  return norn_valhall_finish(&form);
}

bool
norn_valhall_select_store(NornSelector *selector, uint32_t inst) {
  NornFunction *function = selector->function;
  NornType type = function->insts[inst].type;
  unsigned instruction = store_of_bits(norn_type_bits(type));
  int64_t offset = norn_immediate(function->insts[inst].payload, NORN_IMMEDIATE_OFFSET);
  if (instruction == NORN_VALHALL_INSTRUCTION_COUNT)
    return norn_select_unsupported(selector, inst);
  NornRef address = near_address(selector, inst, norn_select_operand(selector, inst, 1), &offset);
  NornValhallForm form = norn_valhall_begin(selector, inst, instruction);
  norn_valhall_set(&form, NORN_VALHALL_FIELD_OFFSET, (uint32_t)offset & 0xFFFF);
  norn_valhall_plain(&form, norn_select_operand(selector, inst, 0));
  norn_valhall_plain(&form, address);
  return norn_valhall_finish(&form);
}
