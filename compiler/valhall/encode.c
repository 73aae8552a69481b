/* Encodes one machine instruction of the IR as a word.
 *
 * The payload already holds modifiers and immediates. What remains are registers and the codes of
 * other sources, their common FAU page, the distance of a branch, and fields derived from the
 * rest. */
#include "compiler/valhall/code.h"
#include "ir/ops.h"
#include "ir/text/locations.h"

enum { LAST_USE_CODE = 64 };

typedef struct Encoder {
  const NornPassContext *context;
  const NornFunction *function;
  const NornInst *inst;
  const NornIsaEncoding *encoding;
  uint64_t word;
  int page; /* of the FAU sources so far, or -1 */
  const char *problem;
} Encoder;

static bool
complain(Encoder *encoder, const char *problem) {
  if (!encoder->problem)
    encoder->problem = problem;
  return false;
}

static void
insert(Encoder *encoder, const NornIsaOperand *operand, uint64_t code) {
  const NornIsaField *field = &encoder->encoding->fields[operand->field];
  encoder->word &= ~norn_isa_insert(field, UINT64_MAX);
  encoder->word |= norn_isa_insert(field, code);
}

static bool
take_page(Encoder *encoder, unsigned page) {
  if (encoder->page >= 0 && encoder->page != (int)page)
    return complain(encoder, "reads FAU words of different pages");
  encoder->page = (int)page;
  return true;
}

/* A word in an odd register that is read as part of a pair is the high word of the pair that begins
 * one register below. */
static bool
choose_high_word(Encoder *encoder, const NornIsaOperand *operand, unsigned *reg) {
  const NornIsaField *field = &encoder->encoding->fields[operand->modifiers[0]];
  if (field->number != NORN_VALHALL_FIELD_SWIZZLE1 ||
      norn_isa_extract(field, encoder->word) != NORN_VALHALL_WIDEN_INTEGER_W0)
    return complain(encoder, "reads a pair that starts at an odd register");
  encoder->word &= ~norn_isa_insert(field, UINT64_MAX);
  encoder->word |= norn_isa_insert(field, NORN_VALHALL_WIDEN_INTEGER_W1);
  --*reg;
  return true;
}

static bool
insert_register(Encoder *encoder, const NornIsaOperand *operand, uint32_t value, bool last) {
  unsigned reg = norn_value(encoder->function, value)->reg;
  if (reg >= LAST_USE_CODE)
    return complain(encoder, "has an operand without a register");
  if (operand->role == NORN_ISA_OPERAND_SOURCE && operand->words == 2 && reg & 1 &&
      operand->modifier_count && !choose_high_word(encoder, operand, &reg))
    return false;
  insert(encoder, operand, reg + (last ? LAST_USE_CODE : 0));
  return true;
}

/* The code of a table constant with these bits. */
static bool
insert_constant(Encoder *encoder, const NornIsaOperand *operand, uint64_t bits) {
  const NornIsaCodeTable *table = &norn_isa_valhall.code_tables[operand->codes];
  const NornIsaCode *codes = norn_isa_valhall.codes + table->first;
  for (unsigned code = NORN_VALHALL_UNIFORM_CODE + NORN_VALHALL_PAGE_WORDS;
       code < 1u << table->width; code++)
    if (codes[code].kind == NORN_ISA_CODE_CONSTANT && codes[code].value == bits) {
      insert(encoder, operand, code);
      return take_page(encoder, 0);
    }
  return complain(encoder, "has a constant that is not in the table");
}

static bool
insert_source(Encoder *encoder, const NornIsaOperand *operand, NornRef ref) {
  uint32_t payload = norn_ref_payload(ref);
  const NornIsaCodeTable *table = &norn_isa_valhall.code_tables[operand->codes];
  switch (norn_ref_kind(ref)) {
  case NORN_REF_VALUE:
    return insert_register(encoder, operand, payload, ref & NORN_REF_LAST_USE);
  case NORN_REF_UNIFORM:
    insert(encoder, operand, NORN_VALHALL_UNIFORM_CODE + payload % NORN_VALHALL_PAGE_WORDS);
    return take_page(encoder, payload / NORN_VALHALL_PAGE_WORDS);
  case NORN_REF_CONSTANT:
    return insert_constant(encoder, operand, norn_constant_bits(encoder->function->module, ref));
  case NORN_REF_SPECIAL:
    insert(encoder, operand, payload & ((1u << table->width) - 1));
    return take_page(encoder, payload >> table->width);
  default:
    return complain(encoder, "has an operand that is not a source");
  }
}

/* Whether the operand is a staging group without registers. */
static bool
is_absent(const Encoder *encoder, const NornIsaOperand *operand) {
  return (operand->role == NORN_ISA_OPERAND_STAGING_READ ||
          operand->role == NORN_ISA_OPERAND_STAGING_WRITE) &&
         !norn_isa_operand_words(&norn_isa_valhall, encoder->encoding, operand,
                                 encoder->inst->payload);
}

/* Operands and results are in the order of the text, each kind separately. */
static bool
insert_operands(Encoder *encoder, int64_t distance) {
  const NornInst *inst = encoder->inst;
  unsigned sources = 0, results = 0;
  for (unsigned k = 0; k < encoder->encoding->operand_count; k++) {
    const NornIsaOperand *operand = &encoder->encoding->operands[k];
    bool ok = true;
    NornRef ref;
    if (is_absent(encoder, operand))
      continue;
    switch (operand->role) {
    case NORN_ISA_OPERAND_DESTINATION:
    case NORN_ISA_OPERAND_STAGING_WRITE:
      ok = results < inst->result_count
               ? insert_register(encoder, operand, inst->result + results++, false)
               : complain(encoder, "has too few results");
      break;
    case NORN_ISA_OPERAND_SOURCE:
    case NORN_ISA_OPERAND_STAGING_READ:
      if (sources >= inst->operand_count)
        return complain(encoder, "has too few operands");
      ref = norn_operands(encoder->function, inst)[sources++];
      ok = operand->role == NORN_ISA_OPERAND_SOURCE
               ? insert_source(encoder, operand, ref)
               : norn_ref_kind(ref) == NORN_REF_VALUE &&
                     insert_register(encoder, operand, norn_ref_payload(ref), false);
      break;
    case NORN_ISA_OPERAND_TARGET:
      if (encoder->encoding->fields[operand->field].number == NORN_VALHALL_FIELD_OFFSET) {
        if (distance < operand->minimum || distance > operand->maximum)
          return complain(encoder, "branches out of range");
        insert(encoder, operand, (uint64_t)distance);
      }
      break;
    default:
      break;
    }
    if (!ok)
      return complain(encoder, "has an operand that cannot be encoded");
  }
  return true;
}

/* Makes the address of constant data relative to the program counter, which is `distance` bytes
 * before the data. */
static bool
insert_distance(Encoder *encoder, int64_t distance) {
  const NornIsaEncoding *encoding = encoder->encoding;
  const NornRef *operands = norn_operands(encoder->function, encoder->inst);
  if (encoding->instruction != NORN_VALHALL_IADD_IMM_I32 ||
      operands[0] != norn_ref(NORN_REF_SPECIAL, NORN_VALHALL_SPECIAL_PROGRAM_COUNTER_W0))
    return complain(encoder,
                    "adds nothing to the program counter, so it is not an address of data");
  uint32_t byte = norn_isa_field_get(encoding, NORN_VALHALL_FIELD_CONSTANT, encoder->word);
  norn_isa_field_set(encoding, NORN_VALHALL_FIELD_CONSTANT, &encoder->word,
                     byte + (uint32_t)distance);
  return true;
}

bool
norn_valhall_encode(const NornPassContext *context, const NornFunction *function, uint32_t inst,
                    int64_t distance, uint64_t *word, GError **error) {
  Encoder encoder = {
      .context = context,
      .function = function,
      .inst = norn_inst(function, inst),
      .encoding = norn_valhall_encoding(context->target, norn_inst(function, inst)),
      .page = -1,
  };
  const NornIsaEncoding *encoding = encoder.encoding;
  encoder.word = (encoder.inst->payload & ~encoding->mask) | encoding->match;
  GError *broken = NULL;
  if (insert_operands(&encoder, distance) &&
      (!(encoder.inst->flags & NORN_INST_DATA) || insert_distance(&encoder, distance))) {
    if (encoder.page >= 0 && norn_isa_field_exists(encoding, NORN_VALHALL_FIELD_FAU_PAGE))
      norn_isa_field_set(encoding, NORN_VALHALL_FIELD_FAU_PAGE, &encoder.word,
                         (uint32_t)encoder.page);
    *word = norn_isa_derive(&norn_isa_valhall, encoding, encoder.word);
    if (!context->options->verify ||
        (norn_isa_check(&norn_isa_valhall, context->target->architecture, *word, &broken) &&
         !norn_isa_is_observed(encoding, *word)))
      return true;
    encoder.problem =
        broken ? broken->message : "has a modifier that only code of other compilers may have";
  }
  norn_inst_error(function, encoder.inst, NORN_ERROR_INVALID, error, "'%s' %s",
                  norn_isa_instruction_name(&norn_isa_valhall, encoder.inst->op - NORN_OP_MACHINE),
                  encoder.problem);
  g_clear_error(&broken);
  return false;
}
