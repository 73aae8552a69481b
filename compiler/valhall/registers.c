/* Moves, and the registers required by the end of a fragment program. */
#include "compiler/valhall/code.h"
#include "ir/numeric.h"
#include "ir/ops.h"
#include "isa/valhall_abi.h"

/* The one-word operands that are read as part of a pair and must be its low word. A whole word in
 * source 1 may also be the high word, which the encoding then specifies. */
static uint8_t
low_operands(const NornIsaEncoding *encoding, uint64_t word) {
  uint8_t low = 0, number = 0;
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
        low |= (uint8_t)(1u << number);
    }
    number++;
  }
  return low;
}

const NornIsaOperand *
norn_valhall_operand(const NornIsaEncoding *encoding, uint64_t word, unsigned k) {
  for (unsigned j = 0; j < encoding->operand_count; j++) {
    const NornIsaOperand *operand = &encoding->operands[j];
    bool is_source = operand->role == NORN_ISA_OPERAND_SOURCE ||
                     operand->role == NORN_ISA_OPERAND_STAGING_READ ||
                     operand->role == NORN_ISA_OPERAND_STAGING_BOTH;
    if (!is_source || !norn_isa_operand_words(&norn_isa_valhall, encoding, operand, word))
      continue;
    if (k-- == 0)
      return operand;
  }
  return NULL;
}

NornRegisterSet
norn_valhall_always_preloaded(NornShaderStage stage) {
  NornRegisterSet registers = NORN_NO_REGISTERS;
#define ROW(row_stage, name, reg, bytes, always)                                                   \
  if ((always) && stage == NORN_STAGE_##row_stage)                                                 \
    norn_regs_add(&registers, norn_regs_of(reg));
  NORN_VALHALL_PRELOADS(ROW)
#undef ROW
  return registers;
}

bool
norn_valhall_fixed_registers(const NornTarget *target, const NornFunction *function,
                             const NornInst *inst, NornFixedRegisters *fixed) {
  (void)function;
  unsigned instruction = inst->op - NORN_OP_MACHINE;
  fixed->low = low_operands(norn_valhall_encoding(target, inst), inst->payload);
  bool any = instruction == NORN_VALHALL_ATEST || instruction == NORN_VALHALL_ZS_EMIT ||
             instruction == NORN_VALHALL_BLEND;
  if (!any && !fixed->low)
    return false;
  for (unsigned k = 0; k < NORN_MACHINE_OPERANDS; k++)
    fixed->operand[k] = fixed->result[k] = NORN_NO_REGISTER;
  fixed->clobbered = NORN_NO_REGISTERS;
  if (!any)
    return true;
  if (instruction == NORN_VALHALL_BLEND) {
    fixed->operand[0] = NORN_VALHALL_PRELOAD_COLOR;
    fixed->operand[2] = NORN_VALHALL_PRELOAD_COVERAGE;
    fixed->operand[3] = NORN_VALHALL_PRELOAD_SAMPLE;
    fixed->operand[4] = NORN_VALHALL_PRELOAD_SECOND_COLOR;
    fixed->clobbered = (NornRegisterSet){{NORN_VALHALL_BLEND_CLOBBERS}};
    return true;
  }
  fixed->operand[instruction == NORN_VALHALL_ATEST ? 0 : 2] = NORN_VALHALL_PRELOAD_COVERAGE;
  fixed->result[0] = NORN_VALHALL_PRELOAD_COVERAGE;
  return true;
}

/* Registers and uniforms are moved by MOV; constants are added to zero. */
NornRef
norn_valhall_build_move(const NornTarget *target, NornBuilder *builder, NornType type,
                        NornRef source) {
  unsigned instruction = NORN_VALHALL_MOV_I32;
  uint32_t bits = 0;
  if (norn_is_constant(source)) {
    instruction = NORN_VALHALL_IADD_IMM_I32;
    bits = (uint32_t)norn_constant_bits(builder->function->module, source);
    source = norn_build_bits(builder, 0);
  }
  const NornIsaEncoding *encoding = norn_valhall_encoding_of(target, instruction);
  uint64_t word = encoding->word;
  if (instruction == NORN_VALHALL_IADD_IMM_I32)
    norn_isa_field_set(encoding, NORN_VALHALL_FIELD_CONSTANT, &word, bits);
  return norn_build_machine(builder, instruction, word, type, &source, 1);
}

NornRef
norn_valhall_build_xor(const NornTarget *target, NornBuilder *builder, NornType type, NornRef a,
                       NornRef b) {
  unsigned instruction = NORN_VALHALL_LSHIFT_XOR_I32;
  NornRef operands[3] = {a, norn_build_bits(builder, 0), b};
  return norn_build_machine(builder, instruction,
                            norn_valhall_encoding_of(target, instruction)->word, type, operands, 3);
}

static uint64_t
pair_word(const NornTarget *target, unsigned part) {
  const NornIsaEncoding *encoding = norn_valhall_encoding_of(target, NORN_VALHALL_IADD_U64);
  uint64_t word = encoding->word;
  norn_isa_field_set(encoding, NORN_VALHALL_FIELD_SWIZZLE0, &word, part);
  norn_isa_field_set(encoding, NORN_VALHALL_FIELD_SWIZZLE1, &word, NORN_VALHALL_WIDEN_INTEGER_W0);
  return word;
}

NornRef
norn_valhall_build_pair(const NornTarget *target, NornBuilder *builder, NornRef operand,
                        unsigned part, NornRef zero) {
  NornRef operands[2] = {operand, zero};
  return norn_build_machine(builder, NORN_VALHALL_IADD_U64, pair_word(target, part), NORN_TYPE_I64,
                            operands, 2);
}

/* Accesses by the number of words - 1. */
static const uint16_t stores[] = {NORN_VALHALL_STORE_I32, NORN_VALHALL_STORE_I64,
                                  NORN_VALHALL_STORE_I96, NORN_VALHALL_STORE_I128};
static const uint16_t loads[] = {NORN_VALHALL_LOAD_I32, NORN_VALHALL_LOAD_I64,
                                 NORN_VALHALL_LOAD_I96, NORN_VALHALL_LOAD_I128};

/* A load or store of thread-local memory: its modifier word and its address. */
typedef struct ThreadLocalAccess {
  uint64_t word;
  NornRef address;
} ThreadLocalAccess;

/* If the offset does not fit the instruction, the address is computed before it. */
static ThreadLocalAccess
thread_local_access(const NornTarget *target, NornBuilder *builder, unsigned instruction,
                    unsigned offset) {
  const NornIsaEncoding *encoding = norn_valhall_encoding_of(target, instruction);
  ThreadLocalAccess access = {
      .word = encoding->word,
      .address = norn_ref(NORN_REF_SPECIAL, NORN_VALHALL_SPECIAL_THREAD_LOCAL_POINTER_W0),
  };
  if (offset > NORN_VALHALL_MAX_OFFSET) {
    NornRef operands[2] = {
        access.address,
        norn_valhall_build_move(target, builder, NORN_TYPE_I32, norn_build_bits(builder, offset))};
    const NornIsaEncoding *sum = norn_valhall_encoding_of(target, NORN_VALHALL_SHADDX_S64);
    uint64_t word = sum->word;
    norn_isa_field_set(sum, NORN_VALHALL_FIELD_SWIZZLE1, &word, NORN_VALHALL_WIDEN_INTEGER_W0);
    access.address =
        norn_build_machine(builder, NORN_VALHALL_SHADDX_S64, word, NORN_TYPE_I64, operands, 2);
    offset = 0;
  }
  norn_isa_field_set(encoding, NORN_VALHALL_FIELD_ACCESS, &access.word, NORN_VALHALL_ACCESS_FORCE);
  norn_isa_field_set(encoding, NORN_VALHALL_FIELD_OFFSET, &access.word, offset);
  return access;
}

void
norn_valhall_build_spill(const NornTarget *target, NornBuilder *builder, NornRef value,
                         unsigned offset) {
  NornType type = norn_value(builder->function, norn_ref_payload(value))->type;
  unsigned instruction = stores[norn_type_words(type) - 1];
  ThreadLocalAccess access = thread_local_access(target, builder, instruction, offset);
  NornRef operands[2] = {value, access.address};
  norn_build_machine(builder, instruction, access.word, NORN_TYPE_VOID, operands, 2);
}

NornRef
norn_valhall_build_fill(const NornTarget *target, NornBuilder *builder, NornType type,
                        unsigned offset) {
  unsigned instruction = loads[norn_type_words(type) - 1];
  ThreadLocalAccess access = thread_local_access(target, builder, instruction, offset);
  return norn_build_machine(builder, instruction, access.word, type, &access.address, 1);
}

/* Whether all modifiers except the flow are the defaults. */
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
  return norn_is_constant(ref) && norn_constant_bits(function->module, ref) == 0;
}

bool
norn_valhall_sum_is_same(uint32_t constant) {
  return norn_float_classify(NORN_FLOAT_32, constant) == NORN_FLOAT_CLASS_NORMAL;
}

bool
norn_valhall_is_move(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                     NornRef *source, uint32_t *constant) {
  if (is_plain(target, inst, NORN_VALHALL_MOV_I32, 0)) {
    *source = norn_operands(function, inst)[0] & ~NORN_REF_LAST_USE;
    return true;
  }
  bool is_float = inst->op == NORN_OP_MACHINE + NORN_VALHALL_FADD_IMM_F32;
  unsigned instruction = is_float ? NORN_VALHALL_FADD_IMM_F32 : NORN_VALHALL_IADD_IMM_I32;
  if (inst->op != NORN_OP_MACHINE + instruction)
    return false;
  const NornIsaField *field =
      norn_isa_field(norn_valhall_encoding(target, inst), NORN_VALHALL_FIELD_CONSTANT);
  *source = 0;
  *constant = norn_isa_extract(field, inst->payload);
  return is_plain(target, inst, instruction, norn_isa_insert(field, UINT64_MAX)) &&
         is_zero(function, norn_operands(function, inst)[0]) &&
         (!is_float || norn_valhall_sum_is_same(*constant));
}

bool
norn_valhall_is_constant_pair(const NornTarget *target, const NornFunction *function,
                              const NornInst *inst, uint32_t *constant) {
  const NornRef *operands = norn_operands(function, inst);
  if (inst->op != NORN_OP_MACHINE + NORN_VALHALL_IADD_U64 ||
      inst->payload != pair_word(target, NORN_VALHALL_WIDEN_INTEGER_W0) ||
      !norn_is_constant(operands[0]) || !is_zero(function, operands[1]))
    return false;
  *constant = (uint32_t)norn_constant_bits(function->module, operands[0]);
  return true;
}

bool
norn_valhall_compares(const NornTarget *target, const NornInst *inst) {
  return norn_isa_field_exists(norn_valhall_encoding(target, inst), NORN_VALHALL_FIELD_CONDITION);
}

bool
norn_valhall_is_xor(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                    NornRef sources[2]) {
  if (!is_plain(target, inst, NORN_VALHALL_LSHIFT_XOR_I32, 0) ||
      !is_zero(function, norn_operands(function, inst)[1]))
    return false;
  sources[0] = norn_operands(function, inst)[0] & ~NORN_REF_LAST_USE;
  sources[1] = norn_operands(function, inst)[2] & ~NORN_REF_LAST_USE;
  return norn_ref_kind(sources[0]) == NORN_REF_VALUE && norn_ref_kind(sources[1]) == NORN_REF_VALUE;
}
