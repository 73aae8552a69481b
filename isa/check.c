/* Whether a word is a legal instruction, and if not, why. This is the only place that decides it:
 * the disassembler shows words that are rejected here as data, and the assembler never produces
 * them. */
#include "isa/text.h"
#include <string.h>

int64_t
norn_isa_immediate_value(const NornIsaEncoding *encoding, const NornIsaOperand *operand,
                         uint64_t word) {
  const NornIsaField *field = &encoding->fields[operand->field];
  int64_t value = norn_isa_extract(field, word);
  unsigned width = norn_isa_field_width(field);
  if (operand->is_signed && value >> (width - 1))
    value -= INT64_C(1) << width;
  return value * (INT64_C(1) << operand->scale);
}

int64_t
norn_isa_immediate_of_field(const NornIsaEncoding *encoding, unsigned number, uint64_t word) {
  for (unsigned k = 0; k < encoding->operand_count; k++) {
    const NornIsaOperand *operand = &encoding->operands[k];
    if (operand->role == NORN_ISA_OPERAND_IMMEDIATE &&
        encoding->fields[operand->field].number == number)
      return norn_isa_immediate_value(encoding, operand, word);
  }
  return 0;
}

static bool
enum_is_legal(const NornIsaField *field, uint64_t word) {
  return field->kind != NORN_ISA_FIELD_ENUM ||
         norn_isa_readable(field) >> norn_isa_extract(field, word) & 1;
}

static bool
staging_is_legal(const NornIsa *isa, const NornIsaEncoding *encoding, const NornIsaOperand *operand,
                 uint64_t word) {
  unsigned count = norn_isa_operand_words(isa, encoding, operand, word);
  if (!count) /* absent from the text: the register must be the assumed one */
    return norn_isa_extract(&encoding->fields[operand->field], word) == 0;
  return norn_isa_code_text(isa, encoding, operand, word, 0) != NORN_ISA_TEXT_ILLEGAL &&
         norn_isa_code_text(isa, encoding, operand, word, count - 1) != NORN_ISA_TEXT_ILLEGAL;
}

static bool
operand_is_legal(const NornIsa *isa, const NornIsaEncoding *encoding, const NornIsaOperand *operand,
                 uint64_t word) {
  switch (operand->role) {
  case NORN_ISA_OPERAND_DESTINATION:
  case NORN_ISA_OPERAND_SOURCE:
    return norn_isa_code_text(isa, encoding, operand, word, 0) != NORN_ISA_TEXT_ILLEGAL;
  case NORN_ISA_OPERAND_STAGING_READ:
  case NORN_ISA_OPERAND_STAGING_WRITE:
  case NORN_ISA_OPERAND_STAGING_BOTH:
    return staging_is_legal(isa, encoding, operand, word);
  case NORN_ISA_OPERAND_IMMEDIATE:
  case NORN_ISA_OPERAND_TARGET: {
    int64_t value = norn_isa_immediate_value(encoding, operand, word);
    return value >= operand->minimum && value <= operand->maximum &&
           (operand->multiple == 1 || value % operand->multiple == 0);
  }
  case NORN_ISA_OPERAND_WORD:
    return enum_is_legal(&encoding->fields[operand->field], word);
  default:
    return true;
  }
}

/* Whether a bank is set that no code requires. */
static bool
bank_is_idle(const NornIsa *isa, const NornIsaEncoding *encoding, const NornIsaField *bank,
             uint64_t word) {
  if (norn_isa_extract(bank, word) == 0)
    return false;
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    if (operand->role <= NORN_ISA_OPERAND_STAGING_BOTH &&
        isa->code_tables[operand->codes].bank != NORN_ISA_NONE &&
        norn_isa_operand_code(isa, encoding, operand, word)->bank != NORN_ISA_ANY_BANK)
      return false;
  }
  return true;
}

/* A count must be one that the assembler would choose: the first value with its amount. */
static bool
count_is_legal(const NornIsa *isa, const NornIsaField *field, uint32_t value) {
  if (field->amounts == UINT32_MAX)
    return true;
  for (uint32_t i = 0; i < value; i++) {
    if (isa->amounts[field->amounts + i] == isa->amounts[field->amounts + value])
      return false;
  }
  return true;
}

static NornIsaProblem
check_computed(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word) {
  uint64_t wrong = encoding->computed ? norn_isa_derive(isa, encoding, word) ^ word : 0;
  for (unsigned i = 0; encoding->computed && i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    if (field->kind == NORN_ISA_FIELD_DERIVED && norn_isa_extract(field, wrong))
      return (NornIsaProblem){NORN_ISA_PROBLEM_DERIVED, i, 0};
    if (field->kind == NORN_ISA_FIELD_COUNT &&
        !count_is_legal(isa, field, norn_isa_extract(field, word)))
      return (NornIsaProblem){NORN_ISA_PROBLEM_VALUE, i, 0};
  }
  if (encoding->bank != NORN_ISA_NO_FIELD &&
      bank_is_idle(isa, encoding, &encoding->fields[encoding->bank], word))
    return (NornIsaProblem){NORN_ISA_PROBLEM_BANK, encoding->bank, 0};
  return (NornIsaProblem){NORN_ISA_LEGAL, 0, 0};
}

NornIsaProblem
norn_isa_check_values(const NornIsa *isa, const NornIsaEncoding *encoding, uint64_t word) {
  for (unsigned i = 0; i < encoding->field_count; i++) {
    if (!enum_is_legal(&encoding->fields[i], word))
      return (NornIsaProblem){NORN_ISA_PROBLEM_VALUE, i, 0};
  }
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    if (!operand_is_legal(isa, encoding, &encoding->operands[i], word))
      return (NornIsaProblem){NORN_ISA_PROBLEM_VALUE, encoding->operands[i].field, 0};
  }
  return check_computed(isa, encoding, word);
}

bool
norn_isa_is_observed(const NornIsaEncoding *encoding, uint64_t word) {
  for (unsigned i = 0; i < encoding->field_count; i++) {
    const NornIsaField *field = &encoding->fields[i];
    if (field->kind == NORN_ISA_FIELD_ENUM && field->observed >> norn_isa_extract(field, word) & 1)
      return true;
  }
  return false;
}

NornIsaProblem
norn_isa_check_rules(const NornIsa *isa, unsigned architecture, const NornIsaEncoding *encoding,
                     uint64_t word) {
  for (unsigned i = 0; i < encoding->rule_count; i++) {
    if (!norn_isa_evaluate(isa, encoding, isa->rules[encoding->rules[i]].expression, word))
      return (NornIsaProblem){NORN_ISA_PROBLEM_RULE, i, 0};
  }
  if (isa->hardware_rules) {
    NornIsaInstance instance = {isa, encoding, word, (uint8_t)architecture};
    int broken = isa->hardware_rules->check(&instance);
    if (broken >= 0)
      return (NornIsaProblem){NORN_ISA_PROBLEM_HARDWARE, NORN_ISA_BROKEN_RULE(broken),
                              NORN_ISA_BROKEN_OPERAND(broken)};
  }
  return (NornIsaProblem){NORN_ISA_LEGAL, 0, 0};
}

/* Messages */

static char *
write_undecoded(const NornIsaWriter *writer, char *out, unsigned architecture, uint64_t word) {
  const NornIsa *isa = writer->isa;
  const NornIsaEncoding *encoding = norn_isa_candidate(isa, architecture, word);
  uint64_t bits = (word ^ encoding->match) & encoding->mask;
  if (!bits || bits & encoding->opcode)
    return norn_isa_write(writer, out, "unknown opcode");
  out = norn_isa_write(writer, out, norn_isa_string(isa, isa->names[encoding->name].text));
  out = norn_isa_write(writer, out, ": reserved bit ");
  out = norn_isa_write_number(writer, out, __builtin_ctzll(bits), true);
  return norn_isa_write(writer, out, " is set");
}

static char *
write_rule(const NornIsaWriter *writer, char *out, const char *name, const char *message) {
  out = norn_isa_write(writer, out, " breaks the rule ");
  out = norn_isa_write(writer, out, name);
  out = norn_isa_write(writer, out, ": ");
  return norn_isa_write(writer, out, message);
}

static char *
write_field(const NornIsaWriter *writer, char *out, const NornIsaField *field) {
  const NornIsaLabel *label = &writer->isa->field_names[field->number];
  return norn_isa_write(writer, out, norn_isa_string(writer->isa, label->name));
}

char *
norn_isa_write_problem(const NornIsaWriter *writer, char *out, unsigned architecture,
                       NornIsaProblem problem, const NornIsaEncoding *encoding, uint64_t word) {
  const NornIsa *isa = writer->isa;
  if (!encoding)
    return write_undecoded(writer, out, architecture, word);
  const NornIsaField *field = &encoding->fields[problem.index];
  out = norn_isa_write(writer, out, norn_isa_string(isa, isa->names[encoding->name].text));
  switch (problem.kind) {
  case NORN_ISA_PROBLEM_VALUE:
    out = norn_isa_write(writer, out, ": value ");
    out = norn_isa_write_number(writer, out, norn_isa_extract(field, word), true);
    out = norn_isa_write(writer, out, " of ");
    out = write_field(writer, out, field);
    return norn_isa_write(writer, out, " is reserved");
  case NORN_ISA_PROBLEM_DERIVED:
    out = norn_isa_write(writer, out, ": ");
    out = write_field(writer, out, field);
    out = norn_isa_write(writer, out, " must be ");
    return norn_isa_write_number(writer, out,
                                 norn_isa_evaluate(isa, encoding, field->expression, word), true);
  case NORN_ISA_PROBLEM_BANK:
    out = norn_isa_write(writer, out, ": ");
    out = write_field(writer, out, field);
    return norn_isa_write(writer, out, " is set, but no source needs it");
  case NORN_ISA_PROBLEM_RULE: {
    const NornIsaRule *rule = &isa->rules[encoding->rules[problem.index]];
    return write_rule(writer, out, norn_isa_string(isa, rule->name),
                      norn_isa_string(isa, rule->message));
  }
  case NORN_ISA_PROBLEM_HARDWARE: {
    const NornIsaHardwareRule *rule = &isa->hardware_rules->rules[problem.index];
    return write_rule(writer, out, rule->name, rule->message);
  }
  default:
    return out;
  }
}

bool
norn_isa_check(const NornIsa *isa, unsigned architecture, uint64_t word, GError **error) {
  if (!norn_isa_check_architecture(isa, architecture, error))
    return false;
  const NornIsaEncoding *encoding = norn_isa_decode(isa, architecture, word);
  NornIsaProblem problem = {NORN_ISA_PROBLEM_OPCODE, 0, 0};
  if (encoding)
    problem = norn_isa_check_values(isa, encoding, word);
  if (encoding && problem.kind == NORN_ISA_LEGAL)
    problem = norn_isa_check_rules(isa, architecture, encoding, word);
  if (problem.kind == NORN_ISA_LEGAL)
    return true;
  char message[NORN_ISA_LINE];
  NornIsaWriter writer = {.isa = isa, .limit = message + sizeof message - 1};
  *norn_isa_write_problem(&writer, message, architecture, problem, encoding, word) = 0;
  g_set_error_literal(error, NORN_ERROR, NORN_ERROR_INVALID, message);
  return false;
}
