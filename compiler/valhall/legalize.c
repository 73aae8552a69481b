/* Legalize: makes the operands of every machine instruction follow the hardware's rules.
 *
 * The rules are those of the instruction set: the instruction is encoded with arbitrary registers
 * and checked. While a rule is violated, a source that is not a register is moved to one,
 * preferably a source whose move makes the instruction legal, and among those a uniform word that
 * an earlier instruction needs in a register. Staging operands are always registers. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/ops.h"
#include "ir/text/locations.h"
#include "passes/select/materialize.h"

typedef struct Legalizer {
  NornPassContext *context;
  NornFunction *function;
  NornConstantUses uses;
  uint64_t moved[NORN_FAU_WORDS / 64]; /* uniform words that are moved to a register, by bit */
} Legalizer;

/* The code of a source that is not a register, and its page; false if it has none. */
static bool
source_code(const NornModule *module, const NornIsaOperand *operand, NornRef ref, unsigned *code,
            unsigned *page) {
  const NornIsaCodeTable *table = &norn_isa_valhall.code_tables[operand->codes];
  const NornIsaCode *codes = norn_isa_valhall.codes + table->first;
  uint32_t payload = norn_ref_payload(ref);
  switch (norn_ref_kind(ref)) {
  case NORN_REF_UNIFORM:
    *code = NORN_VALHALL_UNIFORM_CODE + payload % NORN_VALHALL_PAGE_WORDS;
    *page = payload / NORN_VALHALL_PAGE_WORDS;
    return true;
  case NORN_REF_SPECIAL:
    *code = payload & ((1u << table->width) - 1);
    *page = payload >> table->width;
    return true;
  case NORN_REF_CONSTANT:
    *page = 0;
    for (*code = NORN_VALHALL_UNIFORM_CODE + NORN_VALHALL_PAGE_WORDS; *code < 1u << table->width;
         (*code)++)
      if (codes[*code].kind == NORN_ISA_CODE_CONSTANT &&
          codes[*code].value == norn_constant_bits(module, ref))
        return true;
    return false;
  default:
    return false;
  }
}

/* The probe uses even registers, so that alignment, which the allocator handles, does not
 * matter. */
bool
norn_valhall_is_legal(const NornTarget *target, const NornFunction *function, const NornInst *inst,
                      unsigned registers) {
  const NornIsa *isa = &norn_isa_valhall;
  const NornIsaEncoding *encoding = norn_valhall_encoding(target, inst);
  uint64_t word = inst->payload;
  unsigned source = 0, first_page = UINT32_MAX;
  for (unsigned j = 0; j < encoding->operand_count; j++) {
    const NornIsaOperand *operand = &encoding->operands[j];
    bool is_staging = operand->role == NORN_ISA_OPERAND_STAGING_READ ||
                      operand->role == NORN_ISA_OPERAND_STAGING_BOTH;
    if ((!is_staging && operand->role != NORN_ISA_OPERAND_SOURCE) ||
        !norn_isa_operand_words(isa, encoding, operand, word))
      continue;
    unsigned k = source++, code, page;
    NornRef ref = norn_operands(function, inst)[k];
    if (is_staging || registers >> k & 1 || norn_ref_kind(ref) == NORN_REF_VALUE)
      continue;
    if (!source_code(function->module, operand, ref, &code, &page) ||
        (first_page != UINT32_MAX && page != first_page))
      return false;
    first_page = page;
    word |= norn_isa_insert(&encoding->fields[operand->field], code);
  }
  if (first_page != UINT32_MAX)
    norn_isa_field_set(encoding, NORN_VALHALL_FIELD_FAU_PAGE, &word, first_page);
  NornIsaInstance instance = {isa, encoding, word, (uint8_t)target->architecture};
  return isa->hardware_rules->check(&instance) < 0;
}

/* Moves operand k to a register. */
static void
take(Legalizer *legalizer, uint32_t inst, unsigned k, unsigned words) {
  NornFunction *function = legalizer->function;
  NornRef ref = norn_operand(function, inst, k);
  if (words == 1) {
    norn_constant_use_add(&legalizer->uses, ref, inst, k);
    if (norn_ref_kind(ref) == NORN_REF_UNIFORM && norn_ref_payload(ref) < NORN_FAU_WORDS)
      legalizer->moved[norn_ref_payload(ref) / 64] |= UINT64_C(1) << norn_ref_payload(ref) % 64;
    return;
  }
  NornRef parts[NORN_MACHINE_OPERANDS];
  for (unsigned j = 0; j < words; j++) {
    bool is_constant = norn_is_constant(ref);
    parts[j] = norn_ref(norn_ref_kind(ref), norn_ref_payload(ref) + j);
    if (is_constant)
      parts[j] = norn_constant(function->module,
                               (uint32_t)(norn_constant_bits(function->module, ref) >> (32 * j)));
  }
  NornBuilder builder = norn_builder_before(function, inst);
  NornType type = norn_type_of_words(words);
  norn_set_operand(function, inst, k,
                   norn_build_collect(&builder, NORN_TYPE_I32, type, words, parts));
}

static bool
is_register(const NornFunction *function, const NornInst *inst, unsigned k) {
  return norn_ref_kind(norn_operands(function, inst)[k]) == NORN_REF_VALUE;
}

/* Staging operands that are not in registers yet. */
static unsigned
registers_needed(const Legalizer *legalizer, const NornInst *inst, const NornMachineShape *shape) {
  unsigned needed = 0;
  for (unsigned k = 0; k < shape->operand_count; k++)
    if (!is_register(legalizer->function, inst, k) && shape->operand_is_staging >> k & 1)
      needed |= 1u << k;
  return needed;
}

/* Whether the word is moved to a register for an earlier instruction, too. */
static bool
is_moved(const Legalizer *legalizer, NornRef ref) {
  unsigned word = norn_ref_payload(ref);
  return norn_ref_kind(ref) == NORN_REF_UNIFORM && word < NORN_FAU_WORDS &&
         legalizer->moved[word / 64] >> word % 64 & 1;
}

/* The last source whose move to a register makes the instruction legal, preferably a word that is
 * moved anyway; if no single move does, the first that can move. */
static unsigned
choose(const Legalizer *legalizer, const NornInst *inst, const NornMachineShape *shape,
       unsigned registers) {
  unsigned candidate = shape->operand_count, legal = candidate;
  for (unsigned k = shape->operand_count; k-- > 0;) {
    NornRef ref = norn_operands(legalizer->function, inst)[k];
    if (registers >> k & 1 || is_register(legalizer->function, inst, k))
      continue;
    /* All reads of the same word move together. */
    unsigned moved = 1u << k;
    const NornRef *operands = norn_operands(legalizer->function, inst);
    for (unsigned j = 0; j < k; j++)
      if (operands[j] == ref)
        moved |= 1u << j;
    candidate = k;
    if ((legal < shape->operand_count && !is_moved(legalizer, ref)) ||
        !norn_valhall_is_legal(legalizer->context->target, legalizer->function, inst,
                               registers | moved))
      continue;
    legal = k;
    if (is_moved(legalizer, ref))
      break;
  }
  return legal < shape->operand_count ? legal : candidate;
}

static unsigned
same_sources(const NornFunction *function, const NornInst *inst, unsigned count, unsigned k) {
  unsigned same = 0;
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned j = 0; j < count; j++)
    if (operands[j] == operands[k])
      same |= 1u << j;
  return same;
}

static bool
legalize_inst(Legalizer *legalizer, uint32_t index, GError **error) {
  NornFunction *function = legalizer->function;
  const NornInst *inst = norn_inst(function, index);
  NornMachineShape shape;
  if (!norn_is_machine(inst))
    return true;
  norn_inst_shape(function->module, inst, &shape);
  unsigned registers = registers_needed(legalizer, inst, &shape);
  while (!norn_valhall_is_legal(legalizer->context->target, function, inst, registers)) {
    unsigned k = choose(legalizer, inst, &shape, registers);
    if (k == shape.operand_count)
      return norn_inst_error(
          function, inst, NORN_ERROR_INVALID, error, "%s breaks a rule of the hardware",
          norn_isa_instruction_name(&norn_isa_valhall, inst->op - NORN_OP_MACHINE));
    registers |= same_sources(function, inst, shape.operand_count, k);
  }
  for (unsigned k = 0; k < shape.operand_count; k++)
    if (registers >> k & 1)
      take(legalizer, index, k, shape.operand_words[k]);
  return true;
}

/* Moves a uniform or special value, or loads a constant. */
static NornRef
make_word(NornPassContext *context, NornBuilder *builder, uint64_t key) {
  bool is_constant = norn_is_constant((NornRef)key);
  builder->origin = is_constant ? NORN_ORIGIN_CONSTANT : NORN_ORIGIN_UNIFORM;
  return norn_valhall_build_move(context->target, builder, NORN_TYPE_I32, (NornRef)key);
}

bool
norn_valhall_legalize(NornPassContext *context, NornFunction *function, GError **error) {
  Legalizer legalizer = {.context = context, .function = function, .uses.arena = &context->arena};
  bool is_done = true;
  norn_for_each_block (function, block)
    for (uint32_t inst = norn_block(function, block)->first; is_done && inst != NORN_INDEX_NONE;
         inst = norn_inst(function, inst)->next)
      is_done = norn_pass_continues(context, 1) && legalize_inst(&legalizer, inst, error);
  norn_materialize(context, function, &legalizer.uses, make_word);
  return is_done;
}
