/* Moves, and the registers that the end of a fragment program insists on. */
#include "compiler/valhall/code.h"
#include "ir/construct.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"

const NornIsaEncoding *
norn_valhall_encoding(const NornTarget *target, const NornInst *inst) {
  return norn_isa_encoding(&norn_isa_valhall, target->architecture, inst->op - NORN_OP_MACHINE);
}

/* The one-word operands that are read as part of a pair and must be its low word. A whole word of
 * source 1 may be the high one, too: encoding then says so. */
static uint8_t
even_operands(const NornIsaEncoding *encoding, uint64_t word) {
  uint8_t even = 0, number = 0;
  for (unsigned k = 0; k < encoding->operand_count; k++) {
    const NornIsaOperand *operand = &encoding->operands[k];
    if (operand->role == NORN_ISA_OPERAND_STAGING_READ)
      number++;
    if (operand->role != NORN_ISA_OPERAND_SOURCE)
      continue;
    if (operand->words == 2 && operand->modifier_count) {
      const NornIsaField *field = &encoding->fields[operand->modifiers[0]];
      uint32_t value = norn_isa_extract(field, word);
      bool is_swizzle = field->number == NORN_VALHALL_FIELD_SWIZZLE0 ||
                        field->number == NORN_VALHALL_FIELD_SWIZZLE1;
      bool whole = field->number == NORN_VALHALL_FIELD_SWIZZLE1 &&
                   value == NORN_VALHALL_WIDEN_INTEGER_W0 &&
                   field->allowed >> NORN_VALHALL_WIDEN_INTEGER_W1 & 1;
      if (is_swizzle && norn_isa_valhall.amounts[field->amounts + value] == 1 && !whole)
        even |= (uint8_t)(1u << number);
    }
    number++;
  }
  return even;
}

uint64_t
norn_valhall_always_preloaded(NornShaderStage stage) {
  uint64_t registers = 0;
#define ROW(row_stage, name, reg, bytes, always)                                                   \
  if ((always) && stage == NORN_STAGE_##row_stage)                                                 \
    registers |= UINT64_C(1) << (reg);
  NORN_VALHALL_PRELOADS(ROW)
#undef ROW
  return registers;
}

bool
norn_valhall_fixed_registers(const NornTarget *target, const NornFunction *function,
                             const NornInst *inst, NornFixedRegisters *fixed) {
  (void)function;
  unsigned instruction = inst->op - NORN_OP_MACHINE;
  fixed->even = even_operands(norn_valhall_encoding(target, inst), inst->payload);
  bool any = instruction == NORN_VALHALL_ATEST || instruction == NORN_VALHALL_ZS_EMIT ||
             instruction == NORN_VALHALL_BLEND;
  if (!any && !fixed->even)
    return false;
  for (unsigned k = 0; k < NORN_MACHINE_OPERANDS; k++)
    fixed->operand[k] = fixed->result[k] = NORN_NO_REGISTER;
  fixed->clobbered = 0;
  if (!any)
    return true;
  if (instruction == NORN_VALHALL_BLEND) {
    fixed->operand[0] = NORN_VALHALL_PRELOAD_COLOR;
    fixed->operand[2] = NORN_VALHALL_PRELOAD_COVERAGE;
    fixed->operand[3] = NORN_VALHALL_PRELOAD_SAMPLE;
    fixed->operand[4] = NORN_VALHALL_PRELOAD_SECOND_COLOR;
    fixed->clobbered = NORN_VALHALL_BLEND_CLOBBERS;
    return true;
  }
  fixed->operand[instruction == NORN_VALHALL_ATEST ? 0 : 2] = NORN_VALHALL_PRELOAD_COVERAGE;
  fixed->result[0] = NORN_VALHALL_PRELOAD_COVERAGE;
  return true;
}

/* A machine instruction with everything at its default and one result, before `before`. */
static NornInst *
build(const NornTarget *target, NornFunction *function, uint32_t before, unsigned instruction,
      NornType type, const NornRef *operands, unsigned count) {
  uint32_t inst = norn_inst_create(function, (uint16_t)(NORN_OP_MACHINE + instruction), count, 1);
  NornInst *self = &function->insts[inst];
  self->type = (uint8_t)type;
  self->payload = norn_valhall_encoding(target, self)->word;
  self->line = function->insts[before].line;
  memcpy(function->operands + self->operand, operands, count * sizeof *operands);
  function->values[self->result].type = (uint8_t)type;
  norn_inst_insert_before(function, inst, before);
  return self;
}

static void
set_field(const NornTarget *target, NornInst *inst, unsigned field, uint32_t value) {
  norn_isa_field_set(norn_valhall_encoding(target, inst), field, &inst->payload, value);
}

/* Registers and uniforms move by MOV, constants are a sum with zero. */
uint32_t
norn_valhall_build_move(const NornTarget *target, NornFunction *function, uint32_t before,
                        NornType type, NornRef source) {
  if (norn_ref_kind(source) != NORN_REF_CONSTANT)
    return build(target, function, before, NORN_VALHALL_MOV_I32, type, &source, 1)->result;
  uint32_t bits = (uint32_t)norn_constant_bits(function->module, source);
  NornRef zero = norn_constant(function->module, 0);
  NornInst *inst = build(target, function, before, NORN_VALHALL_IADD_IMM_I32, type, &zero, 1);
  set_field(target, inst, NORN_VALHALL_FIELD_CONSTANT, bits);
  return inst->result;
}

uint32_t
norn_valhall_build_xor(const NornTarget *target, NornFunction *function, uint32_t before,
                       NornType type, NornRef a, NornRef b) {
  NornRef operands[3] = {a, norn_constant(function->module, 0), b};
  return build(target, function, before, NORN_VALHALL_LSHIFT_XOR_I32, type, operands, 3)->result;
}

/* Accesses by the number of words, less one. */
static const uint16_t stores[] = {NORN_VALHALL_STORE_I32, NORN_VALHALL_STORE_I64,
                                  NORN_VALHALL_STORE_I96, NORN_VALHALL_STORE_I128};
static const uint16_t loads[] = {NORN_VALHALL_LOAD_I32, NORN_VALHALL_LOAD_I64,
                                 NORN_VALHALL_LOAD_I96, NORN_VALHALL_LOAD_I128};

/* thread_local_pointer: FAU page << 8 | code. */
enum { THREAD_LOCAL_POINTER = 1 << 8 | 226 };

static void
set_thread_local(const NornTarget *target, NornInst *inst, unsigned offset) {
  set_field(target, inst, NORN_VALHALL_FIELD_ACCESS, NORN_VALHALL_ACCESS_FORCE);
  set_field(target, inst, NORN_VALHALL_FIELD_OFFSET, offset);
}

void
norn_valhall_build_spill(const NornTarget *target, NornFunction *function, uint32_t before,
                         NornRef value, unsigned offset) {
  unsigned words = norn_type_words(function->values[norn_ref_payload(value)].type);
  NornRef operands[2] = {value, norn_ref(NORN_REF_SPECIAL, THREAD_LOCAL_POINTER)};
  uint32_t inst = norn_inst_create(function, NORN_OP_MACHINE + stores[words - 1], 2, 0);
  NornInst *self = &function->insts[inst];
  self->payload = norn_valhall_encoding(target, self)->word;
  self->line = function->insts[before].line;
  memcpy(function->operands + self->operand, operands, sizeof operands);
  set_thread_local(target, self, offset);
  norn_inst_insert_before(function, inst, before);
}

uint32_t
norn_valhall_build_fill(const NornTarget *target, NornFunction *function, uint32_t before,
                        NornType type, unsigned offset) {
  NornRef address = norn_ref(NORN_REF_SPECIAL, THREAD_LOCAL_POINTER);
  NornInst *inst =
      build(target, function, before, loads[norn_type_words(type) - 1], type, &address, 1);
  set_thread_local(target, inst, offset);
  return inst->result;
}

/* Whether the modifiers are those of `build`, whatever flow the instruction carries. */
static bool
is_plain(const NornTarget *target, const NornInst *inst, unsigned instruction, uint64_t ignored) {
  if (inst->op != NORN_OP_MACHINE + instruction)
    return false;
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, inst);
  ignored |= norn_isa_insert(norn_isa_field(encoding, NORN_VALHALL_FIELD_FLOW), UINT64_MAX);
  return !((inst->payload ^ encoding->word) & ~ignored);
}

static bool
is_zero(const NornFunction *function, NornRef ref) {
  return norn_ref_kind(ref) == NORN_REF_CONSTANT && norn_constant_bits(function->module, ref) == 0;
}

bool
norn_valhall_is_move(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                     NornRef *source, uint32_t *constant) {
  if (is_plain(target, inst, NORN_VALHALL_MOV_I32, 0)) {
    *source = function->operands[inst->operand] & ~NORN_REF_LAST_USE;
    return true;
  }
  if (inst->op != NORN_OP_MACHINE + NORN_VALHALL_IADD_IMM_I32)
    return false;
  const NornIsaField *field =
      norn_isa_field(norn_valhall_encoding(target, inst), NORN_VALHALL_FIELD_CONSTANT);
  *source = 0;
  *constant = norn_isa_extract(field, inst->payload);
  return is_plain(target, inst, NORN_VALHALL_IADD_IMM_I32, norn_isa_insert(field, UINT64_MAX)) &&
         is_zero(function, function->operands[inst->operand]);
}

bool
norn_valhall_is_xor(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                    NornRef sources[2]) {
  if (!is_plain(target, inst, NORN_VALHALL_LSHIFT_XOR_I32, 0) ||
      !is_zero(function, function->operands[inst->operand + 1]))
    return false;
  sources[0] = function->operands[inst->operand] & ~NORN_REF_LAST_USE;
  sources[1] = function->operands[inst->operand + 2] & ~NORN_REF_LAST_USE;
  return norn_ref_kind(sources[0]) == NORN_REF_VALUE && norn_ref_kind(sources[1]) == NORN_REF_VALUE;
}
