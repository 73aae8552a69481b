/* The target of the made-up machine; see toy_target.h. A real target would have a file for each
 * of the sections here, as in compiler/valhall/. */
#include "toy_target.h"
#include "ir/ops.h"
#include "isa/machine.h"
#include "passes/select/materialize.h"
#include "passes/select/select.h"
#include <norn/toy.h>
#include <string.h>

extern const NornIsa norn_isa_toy;

/* --- The machine: what the IR must know --- */

static const NornRegisterFile registers = {
    .classes = {{"r", 0, TOY_REGISTERS, 32, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0},
                {"p",
                 TOY_FIRST_CONDITION,
                 TOY_CONDITIONS,
                 1,
                 {1, 1, 1, 1, 1, 1, 1, 1, 1},
                 1u << NORN_TYPE_I1}},
    .class_count = 2,
};

const NornMachine *
toy_machine(void) {
  static NornMachine machine;
  norn_isa_machine_init(&machine, &norn_isa_toy, NORN_TOY_ARCHITECTURE_1, &registers);
  return &machine;
}

static const NornIsaEncoding *
encoding_of(unsigned instruction) {
  return norn_isa_encoding(&norn_isa_toy, NORN_TOY_ARCHITECTURE_1, instruction);
}

static const NornIsaEncoding *
encoding_of_inst(const NornInst *inst) {
  return encoding_of(inst->op - NORN_OP_MACHINE);
}

/* The instruction's word with one field set. */
static uint64_t
word_with(unsigned instruction, unsigned field, uint32_t value) {
  uint64_t word = encoding_of(instruction)->word;
  norn_isa_field_set(encoding_of(instruction), field, &word, value);
  return word;
}

/* --- Selection --- */

/* Operations that are one instruction with the same operands. */
static const struct {
  uint16_t op, type, instruction;
} forms[] = {
    {NORN_OP_IADD, NORN_TYPE_I32, NORN_TOY_ADD}, {NORN_OP_ISUB, NORN_TYPE_I32, NORN_TOY_SUB},
    {NORN_OP_IMUL, NORN_TYPE_I32, NORN_TOY_MUL}, {NORN_OP_AND, NORN_TYPE_I32, NORN_TOY_AND},
    {NORN_OP_OR, NORN_TYPE_I32, NORN_TOY_OR},    {NORN_OP_XOR, NORN_TYPE_I32, NORN_TOY_XOR},
    {NORN_OP_SHL, NORN_TYPE_I32, NORN_TOY_SHL},  {NORN_OP_LSHR, NORN_TYPE_I32, NORN_TOY_SHR},
    {NORN_OP_ASHR, NORN_TYPE_I32, NORN_TOY_SAR}, {NORN_OP_IADD, NORN_TYPE_I64, NORN_TOY_ADD64},
    {NORN_OP_AND, NORN_TYPE_I1, NORN_TOY_PAND},  {NORN_OP_OR, NORN_TYPE_I1, NORN_TOY_POR},
    {NORN_OP_XOR, NORN_TYPE_I1, NORN_TOY_PXOR},
};

static int
find_form(const NornInst *inst) {
  for (unsigned k = 0; k < G_N_ELEMENTS(forms); k++)
    if (forms[k].op == inst->op && forms[k].type == inst->type)
      return (int)k;
  return -1;
}

static bool
supports(const NornTarget *target, const NornFunction *function, const NornInst *inst) {
  (void)target;
  (void)function;
  switch (inst->op) {
  case NORN_OP_ICMP:
  case NORN_OP_INEG:
    return inst->type == NORN_TYPE_I32;
  case NORN_OP_SELECT:
    return norn_type_bits(inst->type) % 32 == 0;
  case NORN_OP_ZEXT:
    return inst->type == NORN_TYPE_I32 && inst->source_type == NORN_TYPE_I1;
  case NORN_OP_NOT:
    return inst->type == NORN_TYPE_I1;
  case NORN_OP_SHLADD:
    return inst->modifier == NORN_EXTEND_U32;
  case NORN_OP_LOAD_GLOBAL:
  case NORN_OP_STORE_GLOBAL:
    return norn_type_bits(inst->type) % 32 == 0;
  case NORN_OP_AND:
  case NORN_OP_OR:
  case NORN_OP_XOR:
    return inst->type == NORN_TYPE_I64 || find_form(inst) >= 0;
  case NORN_OP_GLOBAL_ID:
    return inst->modifier == NORN_AXIS_X;
  case NORN_OP_BR:
  case NORN_OP_END:
  case NORN_OP_JUMP:
  case NORN_OP_UNREACHABLE:
  case NORN_OP_BITCAST:
  case NORN_OP_COPY:
  case NORN_OP_UNDEF:
  case NORN_OP_COLLECT:
  case NORN_OP_SPLIT:
  case NORN_OP_PRELOAD:
    return true;
  default:
    return norn_is_machine(inst) || find_form(inst) >= 0;
  }
}

/* Inserts an instruction that defines a condition before `inst`. */
static NornRef
emit_condition(NornSelector *selector, uint32_t inst, unsigned instruction, uint64_t word,
               const NornRef *operands, unsigned count) {
  NornRef result = norn_select_emit(selector, inst, instruction, word, 1, operands, count);
  norn_value(selector->function, norn_ref_payload(result))->type = NORN_TYPE_I1;
  return result;
}

/* Operand k in a form that an instruction can read: pairs are values, and so are conditions. */
static NornRef
source(NornSelector *selector, uint32_t inst, unsigned k, NornType type) {
  NornRef ref = norn_select_operand(selector, inst, k);
  uint64_t bits;
  if (type == NORN_TYPE_I1 && norn_select_constant(selector, ref, &bits))
    return emit_condition(selector, inst, NORN_TOY_PMOVI,
                          word_with(NORN_TOY_PMOVI, NORN_TOY_FIELD_TRUTH, bits != 0), NULL, 0);
  unsigned words = norn_type_words(type);
  if (words == 1 || norn_ref_kind(ref) == NORN_REF_VALUE)
    return ref;
  NornRef parts[NORN_GROUP_REGISTERS];
  for (unsigned part = 0; part < words; part++)
    parts[part] = norn_select_word_of(selector, ref, part, words);
  return norn_select_group(selector, inst, parts, words);
}

/* An operation on pairs, word by word. */
static bool
select_words(NornSelector *selector, uint32_t inst, unsigned instruction) {
  NornRef a = norn_select_operand(selector, inst, 0), b = norn_select_operand(selector, inst, 1);
  NornRef words[2];
  for (unsigned k = 0; k < 2; k++) {
    NornRef operands[2] = {norn_select_word_of(selector, a, k, 2),
                           norn_select_word_of(selector, b, k, 2)};
    words[k] = norn_select_emit(selector, inst, instruction, encoding_of(instruction)->word, 1,
                                operands, 2);
  }
  norn_select_collect(selector, inst, words, 2);
  return true;
}

static bool
select_comparison(NornSelector *selector, uint32_t inst) {
  static const struct {
    uint8_t relation;
    bool is_swapped;
  } relations[] = {
      [NORN_INT_CONDITION_EQ] = {NORN_TOY_RELATION_EQ, false},
      [NORN_INT_CONDITION_NE] = {NORN_TOY_RELATION_NE, false},
      [NORN_INT_CONDITION_ULT] = {NORN_TOY_RELATION_ULT, false},
      [NORN_INT_CONDITION_ULE] = {NORN_TOY_RELATION_ULE, false},
      [NORN_INT_CONDITION_UGT] = {NORN_TOY_RELATION_ULT, true},
      [NORN_INT_CONDITION_UGE] = {NORN_TOY_RELATION_ULE, true},
      [NORN_INT_CONDITION_SLT] = {NORN_TOY_RELATION_SLT, false},
      [NORN_INT_CONDITION_SLE] = {NORN_TOY_RELATION_SLE, false},
      [NORN_INT_CONDITION_SGT] = {NORN_TOY_RELATION_SLT, true},
      [NORN_INT_CONDITION_SGE] = {NORN_TOY_RELATION_SLE, true},
  };
  unsigned condition = norn_inst(selector->function, inst)->modifier;
  bool is_swapped = relations[condition].is_swapped;
  NornRef operands[2] = {norn_select_operand(selector, inst, is_swapped),
                         norn_select_operand(selector, inst, !is_swapped)};
  norn_select_as(
      selector, inst, NORN_TOY_COMPARE,
      word_with(NORN_TOY_COMPARE, NORN_TOY_FIELD_RELATION, relations[condition].relation), operands,
      2);
  return true;
}

/* The base of an access's address; the rest becomes its offset. */
static NornRef
address_of(NornSelector *selector, uint32_t inst, unsigned k, int64_t *offset) {
  enum { LIMIT = 1024 };
  NornRef base = source(selector, inst, k, NORN_TYPE_I64);
  *offset = norn_immediate(norn_inst(selector->function, inst)->payload, NORN_IMMEDIATE_OFFSET);
  if (*offset >= -LIMIT && *offset < LIMIT)
    return base;
  NornRef words[2] = {norn_select_word(selector, (uint64_t)*offset),
                      norn_select_word(selector, (uint64_t)*offset >> 32)};
  NornRef operands[2] = {base, norn_select_group(selector, inst, words, 2)};
  *offset = 0;
  return norn_select_emit(selector, inst, NORN_TOY_ADD64, encoding_of(NORN_TOY_ADD64)->word, 2,
                          operands, 2);
}

static uint64_t
access_word(unsigned instruction, unsigned words, int64_t offset) {
  uint64_t word = word_with(instruction, NORN_TOY_FIELD_OFFSET, (uint32_t)offset & 0xFFF);
  norn_isa_field_set(encoding_of(instruction), NORN_TOY_FIELD_WORDS, &word,
                     words == 2 ? NORN_TOY_WORDS_I64 : NORN_TOY_WORDS_I32);
  return word;
}

static bool
select_load(NornSelector *selector, uint32_t inst) {
  unsigned count = norn_type_words(norn_inst(selector->function, inst)->type);
  int64_t offset;
  NornRef address = address_of(selector, inst, 0, &offset), words[NORN_GROUP_REGISTERS];
  if (count <= 2) {
    norn_select_as(selector, inst, NORN_TOY_LOAD, access_word(NORN_TOY_LOAD, count, offset),
                   &address, 1);
    return true;
  }
  for (unsigned k = 0; k < count; k++)
    words[k] =
        norn_select_emit(selector, inst, NORN_TOY_LOAD,
                         access_word(NORN_TOY_LOAD, 1, offset + 4 * (int64_t)k), 1, &address, 1);
  norn_select_collect(selector, inst, words, count);
  return true;
}

static bool
select_store(NornSelector *selector, uint32_t inst) {
  unsigned count = norn_type_words(norn_inst(selector->function, inst)->type);
  NornRef value = norn_select_operand(selector, inst, 0);
  int64_t offset;
  NornRef operands[2] = {0, address_of(selector, inst, 1, &offset)};
  for (unsigned k = 0; k + 1 < count && count > 2; k++) {
    operands[0] = norn_select_word_of(selector, value, k, count);
    norn_select_emit(selector, inst, NORN_TOY_STORE,
                     access_word(NORN_TOY_STORE, 1, offset + 4 * (int64_t)k), 0, operands, 2);
  }
  unsigned first = count > 2 ? count - 1 : 0;
  operands[0] = count > 2 ? norn_select_word_of(selector, value, first, count)
                          : source(selector, inst, 0, norn_inst(selector->function, inst)->type);
  norn_select_as(selector, inst, NORN_TOY_STORE,
                 access_word(NORN_TOY_STORE, count - first, offset + 4 * (int64_t)first), operands,
                 2);
  return true;
}

static bool
select_branch(NornSelector *selector, uint32_t inst) {
  NornFunction *function = selector->function;
  NornRef condition = source(selector, inst, 0, NORN_TYPE_I1);
  unsigned count = norn_inst(function, inst)->operand_count;
  NornRef *operands =
      g_memdup2(norn_operands(function, norn_inst(function, inst)), count * sizeof *operands);
  operands[0] = condition;
  norn_select_as(selector, inst, NORN_TOY_BRANCH, encoding_of(NORN_TOY_BRANCH)->word, operands,
                 count);
  g_free(operands);
  return true;
}

static bool
select_choice(NornSelector *selector, uint32_t inst, NornRef yes, NornRef no) {
  NornRef operands[3] = {yes, no, source(selector, inst, 0, NORN_TYPE_I1)};
  NornRef words[NORN_GROUP_REGISTERS];
  unsigned count = norn_type_words(norn_inst(selector->function, inst)->type);
  uint64_t word = encoding_of(NORN_TOY_SELECT)->word;
  if (count == 1) {
    norn_select_as(selector, inst, NORN_TOY_SELECT, word, operands, 3);
    return true;
  }
  for (unsigned k = 0; k < count; k++) {
    operands[0] = norn_select_word_of(selector, yes, k, count);
    operands[1] = norn_select_word_of(selector, no, k, count);
    words[k] = norn_select_emit(selector, inst, NORN_TOY_SELECT, word, 1, operands, 3);
  }
  norn_select_collect(selector, inst, words, count);
  return true;
}

static bool
select_complement(NornSelector *selector, uint32_t inst) {
  NornRef operands[2] = {source(selector, inst, 0, NORN_TYPE_I1),
                         emit_condition(selector, inst, NORN_TOY_PMOVI,
                                        word_with(NORN_TOY_PMOVI, NORN_TOY_FIELD_TRUTH, 1), NULL,
                                        0)};
  norn_select_as(selector, inst, NORN_TOY_PXOR, encoding_of(NORN_TOY_PXOR)->word, operands, 2);
  return true;
}

static bool
select_negation(NornSelector *selector, uint32_t inst) {
  NornRef operands[2] = {norn_select_word(selector, 0), norn_select_operand(selector, inst, 0)};
  norn_select_as(selector, inst, NORN_TOY_SUB, encoding_of(NORN_TOY_SUB)->word, operands, 2);
  return true;
}

static bool
select_address(NornSelector *selector, uint32_t inst) {
  uint64_t shift;
  NornRef operands[2] = {source(selector, inst, 0, NORN_TYPE_I64),
                         norn_select_operand(selector, inst, 1)};
  norn_select_constant(selector, norn_select_operand(selector, inst, 2), &shift);
  norn_select_as(selector, inst, NORN_TOY_SHLADD,
                 word_with(NORN_TOY_SHLADD, NORN_TOY_FIELD_SHIFT, (uint32_t)shift), operands, 2);
  return true;
}

static bool
select_inst(NornSelector *selector, uint32_t inst) {
  const NornInst self = *norn_inst(selector->function, inst);
  int form = find_form(&self);
  if (form >= 0) {
    NornRef operands[2] = {source(selector, inst, 0, self.type),
                           source(selector, inst, 1, self.type)};
    norn_select_as(selector, inst, forms[form].instruction,
                   encoding_of(forms[form].instruction)->word, operands, 2);
    return true;
  }
  switch (self.op) {
  case NORN_OP_AND:
    return select_words(selector, inst, NORN_TOY_AND);
  case NORN_OP_OR:
    return select_words(selector, inst, NORN_TOY_OR);
  case NORN_OP_XOR:
    return select_words(selector, inst, NORN_TOY_XOR);
  case NORN_OP_NOT:
    return select_complement(selector, inst);
  case NORN_OP_INEG:
    return select_negation(selector, inst);
  case NORN_OP_ICMP:
    return select_comparison(selector, inst);
  case NORN_OP_SELECT:
    return select_choice(selector, inst, norn_select_operand(selector, inst, 1),
                         norn_select_operand(selector, inst, 2));
  case NORN_OP_ZEXT:
    return select_choice(selector, inst, norn_select_word(selector, 1),
                         norn_select_word(selector, 0));
  case NORN_OP_SHLADD:
    return select_address(selector, inst);
  case NORN_OP_LOAD_GLOBAL:
    return select_load(selector, inst);
  case NORN_OP_STORE_GLOBAL:
    return select_store(selector, inst);
  case NORN_OP_GLOBAL_ID:
    norn_select_same(selector, inst, norn_select_preload(selector, TOY_GLOBAL_ID));
    return true;
  case NORN_OP_BR:
    return select_branch(selector, inst);
  case NORN_OP_END:
    return true;
  default:
    return norn_select_unsupported(selector, inst);
  }
}

/* --- Constants: none can be read in place, so each is loaded into a register --- */

enum { CONSTANT_BITS = 16 };

static NornRef
build_immediate(NornBuilder *builder, unsigned instruction, unsigned field, NornType type,
                uint32_t value) {
  return norn_build_machine(builder, instruction, word_with(instruction, field, value), type, NULL,
                            0);
}

static NornRef
build_alu(NornBuilder *builder, unsigned instruction, NornRef a, NornRef b) {
  return norn_build_machine(builder, instruction, encoding_of(instruction)->word, NORN_TYPE_I32,
                            (NornRef[]){a, b}, 2);
}

/* Keys: the kind in the high word, its bits or number in the low one. */
enum { WORD_KEY, UNIFORM_KEY, CONDITION_KEY };

static NornRef
make_value(NornPassContext *context, NornBuilder *builder, uint64_t key) {
  (void)context;
  uint32_t value = (uint32_t)key;
  if (key >> 32 == UNIFORM_KEY)
    return build_immediate(builder, NORN_TOY_UNIFORM, NORN_TOY_FIELD_CONSTANT, NORN_TYPE_I32,
                           value);
  if (key >> 32 == CONDITION_KEY)
    return build_immediate(builder, NORN_TOY_PMOVI, NORN_TOY_FIELD_TRUTH, NORN_TYPE_I1, value != 0);
  NornRef low = build_immediate(builder, NORN_TOY_MOVI, NORN_TOY_FIELD_CONSTANT, NORN_TYPE_I32,
                                value & 0xFFFF);
  if (!(value >> CONSTANT_BITS))
    return low;
  NornRef high = build_immediate(builder, NORN_TOY_MOVI, NORN_TOY_FIELD_CONSTANT, NORN_TYPE_I32,
                                 value >> CONSTANT_BITS);
  NornRef shift = build_immediate(builder, NORN_TOY_MOVI, NORN_TOY_FIELD_CONSTANT, NORN_TYPE_I32,
                                  CONSTANT_BITS);
  return build_alu(builder, NORN_TOY_OR, build_alu(builder, NORN_TOY_SHL, high, shift), low);
}

/* The type of the parameter that an operand is an argument for, or i32. */
static NornType
argument_type(const NornFunction *function, uint32_t inst, unsigned operand) {
  norn_for_each_edge (function, inst, edge)
    if (operand > edge.operand && operand <= edge.operand + edge.argument_count)
      return norn_value(function,
                        norn_block_parameter(function, edge.block, operand - edge.operand - 1))
          ->type;
  return NORN_TYPE_I32;
}

static bool
place_constants(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  NornConstantUses uses = {.arena = &context->arena};
  norn_for_each_block (function, block)
    norn_for_each_inst (function, block, inst) {
      bool is_terminator = norn_is_terminator(function, norn_inst(function, inst));
      if (norn_inst(function, inst)->op == NORN_OP_PRELOAD)
        continue;
      for (unsigned k = 0; k < norn_inst(function, inst)->operand_count; k++) {
        NornRef ref = norn_operand(function, inst, k);
        NornType type = is_terminator ? argument_type(function, inst, k) : NORN_TYPE_I32;
        if (norn_ref_kind(ref) == NORN_REF_UNIFORM)
          norn_constant_use_add(&uses, (uint64_t)UNIFORM_KEY << 32 | norn_ref_payload(ref), inst,
                                k);
        else if (norn_is_constant(ref))
          norn_constant_use_add(&uses,
                                (uint64_t)(type == NORN_TYPE_I1 ? CONDITION_KEY : WORD_KEY) << 32 |
                                    (uint32_t)norn_constant_bits(context->module, ref),
                                inst, k);
      }
    }
  norn_materialize(context, function, &uses, make_value);
  return true;
}

/* Arguments of two words: the words are created separately. */
static bool
legalize(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  norn_for_each_block (function, block) {
    uint32_t jump = norn_block(function, block)->last;
    for (unsigned k = 0; k < norn_inst(function, jump)->operand_count; k++) {
      NornRef ref = norn_operand(function, jump, k);
      unsigned count = norn_type_words(argument_type(function, jump, k));
      if (count < 2 || (!norn_is_constant(ref) && norn_ref_kind(ref) != NORN_REF_UNIFORM))
        continue;
      NornBuilder builder = norn_builder_before(function, jump);
      NornRef words[2];
      for (unsigned word = 0; word < 2; word++)
        words[word] =
            norn_ref_kind(ref) == NORN_REF_UNIFORM
                ? norn_ref(NORN_REF_UNIFORM, norn_ref_payload(ref) + word)
                : norn_build_bits(
                      &builder, (uint32_t)(norn_constant_bits(context->module, ref) >> 32 * word));
      NornRef pair = norn_build_collect(&builder, NORN_TYPE_I32, NORN_TYPE_I64, 2, words);
      norn_operands(function, norn_inst(function, jump))[k] = pair;
    }
  }
  return true;
}

/* --- Registers --- */

static bool
fixed_registers(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                NornFixedRegisters *fixed) {
  (void)target;
  (void)function;
  (void)inst;
  (void)fixed;
  return false;
}

static NornRef
build_move(const NornTarget *target, NornBuilder *builder, NornType type, NornRef from) {
  (void)target;
  unsigned instruction = type == NORN_TYPE_I1 ? NORN_TOY_PMOV : NORN_TOY_MOV;
  return norn_build_machine(builder, instruction, encoding_of(instruction)->word, type, &from, 1);
}

static NornRef
build_xor(const NornTarget *target, NornBuilder *builder, NornType type, NornRef a, NornRef b) {
  (void)target;
  unsigned instruction = type == NORN_TYPE_I1 ? NORN_TOY_PXOR : NORN_TOY_XOR;
  return norn_build_machine(builder, instruction, encoding_of(instruction)->word, type,
                            (NornRef[]){a, b}, 2);
}

static bool
is_move(const NornTarget *target, const NornFunction *function, const NornInst *inst, NornRef *from,
        uint32_t *constant) {
  (void)target;
  (void)constant;
  if (inst->op != NORN_OP_MACHINE + NORN_TOY_MOV && inst->op != NORN_OP_MACHINE + NORN_TOY_PMOV)
    return false;
  *from = norn_operands(function, inst)[0] & ~NORN_REF_LAST_USE;
  return true;
}

static bool
is_xor(const NornTarget *target, const NornFunction *function, const NornInst *inst,
       NornRef sources[2]) {
  (void)target;
  if (inst->op != NORN_OP_MACHINE + NORN_TOY_XOR && inst->op != NORN_OP_MACHINE + NORN_TOY_PXOR)
    return false;
  for (unsigned k = 0; k < 2; k++)
    sources[k] = norn_operands(function, inst)[k] & ~NORN_REF_LAST_USE;
  return norn_ref_kind(sources[0]) == NORN_REF_VALUE && norn_ref_kind(sources[1]) == NORN_REF_VALUE;
}

static uint64_t
spill_word(unsigned instruction, NornType type, unsigned offset) {
  return type == NORN_TYPE_I1 ? word_with(instruction, NORN_TOY_FIELD_OFFSET, offset)
                              : access_word(instruction, norn_type_words(type), offset);
}

static void
build_spill(const NornTarget *target, NornBuilder *builder, NornRef value, unsigned offset) {
  (void)target;
  NornType type = norn_value(builder->function, norn_ref_payload(value))->type;
  unsigned instruction = type == NORN_TYPE_I1 ? NORN_TOY_PSPILL : NORN_TOY_SPILL;
  norn_build_machine(builder, instruction, spill_word(instruction, type, offset), NORN_TYPE_VOID,
                     &value, 1);
}

static NornRef
build_fill(const NornTarget *target, NornBuilder *builder, NornType type, unsigned offset) {
  (void)target;
  unsigned instruction = type == NORN_TYPE_I1 ? NORN_TOY_PFILL : NORN_TOY_FILL;
  return norn_build_machine(builder, instruction, spill_word(instruction, type, offset), type, NULL,
                            0);
}

/* --- Messages, flow and branches --- */

static unsigned
latency(const NornTarget *target, const NornInst *inst) {
  (void)target;
  enum { MESSAGE_LATENCY = 40, ALU_LATENCY = 2 };
  return encoding_of_inst(inst)->flags & NORN_TOY_FLAG_MESSAGE ? MESSAGE_LATENCY : ALU_LATENCY;
}

static bool
describe_message(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                 NornMessage *message) {
  (void)target;
  const NornIsaEncoding *encoding = encoding_of_inst(inst);
  if (!(encoding->flags & NORN_TOY_FLAG_MESSAGE))
    return false;
  if (!message)
    return true;
  unsigned instruction = inst->op - NORN_OP_MACHINE;
  bool is_global = instruction == NORN_TOY_LOAD || instruction == NORN_TOY_STORE;
  uint32_t offset = norn_isa_field_get(encoding, NORN_TOY_FIELD_OFFSET, inst->payload);
  bool is_pair = norn_isa_field_get_or(encoding, NORN_TOY_FIELD_WORDS, inst->payload,
                                       NORN_TOY_WORDS_I32) == NORN_TOY_WORDS_I64;
  *message = (NornMessage){.slots = (1u << TOY_SLOTS) - 1};
  message->memory = (NornMemoryAccess){
      .offset = (uint64_t)((int64_t)(offset ^ 0x800) - 0x800),
      .base = is_global ? norn_operands(function, inst)[(instruction == NORN_TOY_STORE)] &
                              ~NORN_REF_LAST_USE
                        : NORN_BASE_ZERO,
      .size = is_pair ? 8 : 4,
      .spaces = is_global ? NORN_SPACE_GLOBAL : NORN_SPACE_THREAD,
      .address_bits = is_global ? 64 : 32,
      .reads = (encoding->flags & NORN_TOY_FLAG_LOAD) != 0,
      .writes = (encoding->flags & NORN_TOY_FLAG_STORE) != 0,
  };
  return true;
}

static unsigned
slot_of(const NornTarget *target, const NornInst *inst) {
  (void)target;
  return norn_isa_field_get(encoding_of_inst(inst), NORN_TOY_FIELD_SLOT, inst->payload);
}

static void
set_slot(const NornTarget *target, NornInst *inst, unsigned slot) {
  (void)target;
  norn_isa_field_set(encoding_of_inst(inst), NORN_TOY_FIELD_SLOT, &inst->payload, slot);
}

static NornHelperUse
helper_use(const NornTarget *target, const NornInst *inst) {
  (void)target;
  (void)inst;
  return NORN_HELPERS_IGNORED;
}

static NornFlow
flow_of(const NornTarget *target, const NornInst *inst) {
  (void)target;
  uint32_t flow = norn_isa_field_get(encoding_of_inst(inst), NORN_TOY_FIELD_FLOW, inst->payload);
  switch (flow) {
  case NORN_TOY_FLOW_NONE:
    return (NornFlow){NORN_FLOW_NONE, 0};
  case NORN_TOY_FLOW_RECONVERGE:
    return (NornFlow){NORN_FLOW_RECONVERGE, 0};
  case NORN_TOY_FLOW_END:
    return (NornFlow){NORN_FLOW_END, 0};
  default: /* the encodings of waits are the sets of slots */
    return (NornFlow){NORN_FLOW_WAIT, (uint8_t)flow};
  }
}

static void
set_flow(const NornTarget *target, NornInst *inst, NornFlow flow) {
  (void)target;
  static const uint8_t flows[] = {
      [NORN_FLOW_NONE] = NORN_TOY_FLOW_NONE,
      [NORN_FLOW_RECONVERGE] = NORN_TOY_FLOW_RECONVERGE,
      [NORN_FLOW_END] = NORN_TOY_FLOW_END,
  };
  norn_isa_field_set(encoding_of_inst(inst), NORN_TOY_FIELD_FLOW, &inst->payload,
                     flow.kind == NORN_FLOW_WAIT ? flow.wait : flows[flow.kind]);
}

static void
build_nop(const NornTarget *target, NornBuilder *builder) {
  (void)target;
  norn_build_machine(builder, NORN_TOY_NOP, encoding_of(NORN_TOY_NOP)->word, NORN_TYPE_VOID, NULL,
                     0);
}

static void
invert_condition(const NornTarget *target, NornInst *inst) {
  (void)target;
  const NornIsaEncoding *encoding = encoding_of_inst(inst);
  uint32_t sense = norn_isa_field_get(encoding, NORN_TOY_FIELD_SENSE, inst->payload);
  norn_isa_field_set(encoding, NORN_TOY_FIELD_SENSE, &inst->payload,
                     sense == NORN_TOY_SENSE_IF ? NORN_TOY_SENSE_NOT : NORN_TOY_SENSE_IF);
}

static void
make_branch(const NornTarget *target, NornFunction *function, uint32_t inst) {
  (void)target;
  norn_inst(function, inst)->op = NORN_OP_MACHINE + NORN_TOY_JUMP;
  norn_inst(function, inst)->payload = encoding_of(NORN_TOY_JUMP)->word;
}

/* --- Encoding --- */

static bool
insert_register(const NornFunction *function, const NornIsaEncoding *encoding,
                const NornIsaOperand *operand, NornRef ref, uint64_t *word) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return false;
  const NornValue *value = norn_value(function, norn_ref_payload(ref));
  bool is_last = operand->role == NORN_ISA_OPERAND_SOURCE && ref & NORN_REF_LAST_USE;
  unsigned number = value->type == NORN_TYPE_I1 ? value->reg - TOY_FIRST_CONDITION : value->reg;
  int code = norn_isa_find_code(&norn_isa_toy, operand,
                                is_last ? NORN_ISA_CODE_LAST : NORN_ISA_CODE_REGISTER, number);
  if (code < 0)
    return false;
  *word |= norn_isa_insert(&encoding->fields[operand->field], (uint32_t)code);
  return true;
}

static bool
encode(const NornPassContext *context, const NornFunction *function, uint32_t index,
       int64_t distance, uint64_t *word, GError **error) {
  (void)context;
  const NornInst *inst = norn_inst(function, index);
  const NornIsaEncoding *encoding = encoding_of_inst(inst);
  unsigned sources = 0, results = 0;
  bool ok = true;
  *word = inst->payload;
  for (unsigned k = 0; k < encoding->operand_count && ok; k++) {
    const NornIsaOperand *operand = &encoding->operands[k];
    if (operand->role == NORN_ISA_OPERAND_DESTINATION ||
        operand->role == NORN_ISA_OPERAND_STAGING_WRITE)
      ok = insert_register(function, encoding, operand,
                           norn_ref(NORN_REF_VALUE, inst->result + results++), word);
    else if (operand->role == NORN_ISA_OPERAND_SOURCE ||
             operand->role == NORN_ISA_OPERAND_STAGING_READ)
      ok = insert_register(function, encoding, operand, norn_operands(function, inst)[sources++],
                           word);
    else if (operand->role == NORN_ISA_OPERAND_TARGET)
      *word |= norn_isa_insert(&encoding->fields[operand->field], (uint64_t)distance);
  }
  if (ok && norn_isa_check(&norn_isa_toy, NORN_TOY_ARCHITECTURE_1, *word, error))
    return true;
  if (ok)
    return false;
  g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "an operand of '%s' has no register",
              norn_isa_instruction_name(&norn_isa_toy, inst->op - NORN_OP_MACHINE));
  return false;
}

/* --- The target --- */

static const NornPass passes[] = {
    {"place-constants", place_constants, NORN_PHASE_SELECTED, NORN_PHASE_SELECTED,
     "makes constants and uniforms in registers", NULL},
    {"legalize", legalize, NORN_PHASE_SELECTED, NORN_PHASE_SELECTED,
     "takes arguments of two words apart", NULL},
    {NULL},
};

#define STEP(pass, level)                                                                          \
  { &norn_passes[NORN_PASS_##pass], level, false, false }

static const NornPipelineStep pipeline[] = {
    STEP(INLINE, 0),
    STEP(LOWER_SWITCH, 0),
    STEP(LOWER_OUTPUTS, 0),
    STEP(OPTIMIZE, 1),
    STEP(VECTORIZE_MEMORY, 2),
    STEP(LOWER, 0),
    STEP(OPTIMIZE, 1),
    STEP(SELECT, 0),
    {&passes[1], 0, false, false},
    {&passes[0], 0, false, false},
    STEP(SCHEDULE, 1),
    STEP(REGALLOC, 0),
    STEP(ASSIGN_SLOTS, 0),
    STEP(INSERT_WAITS, 0),
    STEP(LAYOUT, 0),
    STEP(INSERT_RECONVERGENCE, 0),
    STEP(LAST_USE, 1),
    STEP(PACK, 0),
    {NULL},
};

const NornTarget toy_target = {
    .isa = &norn_isa_toy,
    .name = "toy",
    .passes = passes,
    .pipeline = pipeline,
    .instruction_bytes = TOY_WORD_BYTES,
    .subgroup_lanes = TOY_LANES,
    .access_words = 2,
    .occupancies = {{{{(1u << (TOY_REGISTERS + TOY_CONDITIONS)) - 1}}, 1}},
    .latency = latency,
    .supports = supports,
    .missing_types = 1u << NORN_TYPE_F64,
    .select = select_inst,
    .chaos_file = {{0x0F0FFF}},
    .fixed_registers = fixed_registers,
    .build_move = build_move,
    .build_xor = build_xor,
    .is_move = is_move,
    .is_xor = is_xor,
    .spill_register_bytes = 4,
    .spill_piece_bytes = TOY_PIECE_BYTES,
    .build_spill = build_spill,
    .build_fill = build_fill,
    .slot_count = TOY_SLOTS,
    .free_slots = TOY_SLOTS,
    .message = describe_message,
    .slot = slot_of,
    .set_slot = set_slot,
    .helper_use = helper_use,
    .flow = flow_of,
    .set_flow = set_flow,
    .end_waits = (1u << TOY_SLOTS) - 1,
    .build_nop = build_nop,
    .invert_condition = invert_condition,
    .make_branch = make_branch,
    .encode = encode,
};

GByteArray *
toy_compile(NornModule *module, const NornCompileOptions *options, NornCompileInfo *info,
            GError **error) {
  NornTarget target;
  norn_target_bind(&toy_target, toy_machine(), &target);
  module->machine = target.machine;
  *info = (NornCompileInfo){.stage = module->stage};
  NornPassContext context = {.module = module,
                             .target = &target,
                             .options = options,
                             .info = info,
                             .code = g_byte_array_new()};
  bool ok = norn_module_verify(module, error);
  for (const NornPipelineStep *step = target.pipeline; step->pass && ok; step++)
    if (step->level <= options->optimization_level)
      ok = norn_pass_run(&context, step->pass, error);
  norn_pass_context_clear(&context);
  if (ok)
    return context.code;
  g_byte_array_unref(context.code);
  return NULL;
}
