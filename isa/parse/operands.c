/* Operands and the notation around them. */
#include "isa/parse/reader.h"
#include <string.h>

static bool
set_notation(NornIsaReader *reader, const NornIsaOperand *operand, NornIsaNotation notation,
             const char *start) {
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    const NornIsaField *field = &reader->encoding->fields[operand->modifiers[i]];
    if (field->notation == notation)
      return norn_isa_take_modifier(reader, start, operand->modifiers[i],
                                    (uint32_t)(63 - __builtin_clzll(field->allowed)));
  }
  return NORN_ISA_FAIL_WORD(reader, start, "'%.*s': this operand of %s cannot be %s",
                            norn_isa_reader_mnemonic(reader),
                            notation == NORN_ISA_NOTATION_NEGATE ? "negated" : "made absolute");
}

static bool
accept_call(NornIsaReader *reader, const char *name, size_t length) {
  if ((size_t)(reader->end - reader->at) <= length || reader->at[length] != '(' ||
      g_ascii_strncasecmp(reader->at, name, length) != 0)
    return false;
  reader->at += length + 1;
  return true;
}

bool
norn_isa_reader_expect(NornIsaReader *reader, char c) {
  norn_isa_reader_skip_blanks(reader);
  if (norn_isa_reader_accept(reader, c))
    return true;
  if (reader->at >= reader->end)
    return norn_isa_reader_fail(reader, reader->at, "expected '%c', found the end of the line", c);
  return norn_isa_reader_fail(reader, reader->at, "expected '%c', found '%c'", c, *reader->at);
}

/* A source or destination with the notation around it: at most a negation, then an absolute value.
 */
static bool
read_wrapped(NornIsaReader *reader, const NornIsaOperand *operand, bool absolute) {
  const char *start = reader->at;
  NornIsaReader plain = *reader;
  if (norn_isa_read_code_name(&plain, operand) < 0) {
    bool negate_call = accept_call(reader, "neg", 3);
    if (negate_call || norn_isa_reader_accept(reader, '-'))
      return absolute
                 ? norn_isa_reader_fail(reader, start,
                                        "expected a source without a sign in an absolute value; "
                                        "to negate the absolute value, write -|SOURCE|")
                 : set_notation(reader, operand, NORN_ISA_NOTATION_NEGATE, start) &&
                       read_wrapped(reader, operand, absolute) &&
                       (!negate_call || norn_isa_reader_expect(reader, ')'));
    bool absolute_call = accept_call(reader, "abs", 3);
    if (absolute_call || norn_isa_reader_accept(reader, '|'))
      return set_notation(reader, operand, NORN_ISA_NOTATION_ABSOLUTE, start) &&
             read_wrapped(reader, operand, true) &&
             norn_isa_reader_expect(reader, absolute_call ? ')' : '|');
  }
  return norn_isa_read_code(reader, operand) && norn_isa_read_suffix(reader, operand);
}

/* Stores a count that does not follow from the modifiers in the field that holds the operand's
 * count, if there is one that can hold it. */
static void
force_count(NornIsaReader *reader, const NornIsaOperand *operand, unsigned listed) {
  for (unsigned i = 0; i < reader->encoding->field_count; i++) {
    const NornIsaField *field = &reader->encoding->fields[i];
    if (field->kind == NORN_ISA_FIELD_DERIVED && field->expression == operand->count &&
        !(listed >> norn_isa_field_width(field))) {
      reader->forced_mask = norn_isa_insert(field, UINT64_MAX);
      reader->forced_bits = norn_isa_insert(field, listed);
    }
  }
}

static bool
count_registers(NornIsaReader *reader, const NornIsaOperand *operand, const char *start,
                unsigned listed) {
  unsigned count = norn_isa_operand_words(reader->isa, reader->encoding, operand, reader->word);
  if (count == listed)
    return true;
  if (reader->no_verify) {
    force_count(reader, operand, listed);
    return true;
  }
  return norn_isa_reader_fail(reader, start, "'%.*s': %s has %u staging register%s here, not %u",
                              (int)(reader->at - start), start, norn_isa_reader_mnemonic(reader),
                              count, count == 1 ? "" : "s", listed);
}

/* Sets the field that holds the number of listed registers to its first value with that amount. */
static bool
set_count(NornIsaReader *reader, const char *start, unsigned listed) {
  for (unsigned i = 0; i < reader->encoding->field_count; i++) {
    const NornIsaField *field = &reader->encoding->fields[i];
    if (field->kind != NORN_ISA_FIELD_COUNT || reader->given >> i & 1)
      continue;
    for (uint32_t value = 0; value < 1u << norn_isa_field_width(field); value++) {
      int64_t amount = field->amounts == UINT32_MAX ? (int64_t)value
                                                    : reader->isa->amounts[field->amounts + value];
      if (amount != listed)
        continue;
      reader->given |= 1u << i;
      norn_isa_reader_set_field(reader, i, value);
      return true;
    }
    return norn_isa_reader_fail(reader, start, "'%.*s': %s cannot have %u staging registers",
                                (int)(reader->at - start), start, norn_isa_reader_mnemonic(reader),
                                listed);
  }
  return true;
}

bool
norn_isa_is_counted(const NornIsaReader *reader, const NornIsaOperand *operand) {
  const uint32_t *code = reader->isa->expressions + operand->count;
  return (*code & 0xFF) == NORN_ISA_EXPRESSION_AMOUNT &&
         (code[1] & 0xFF) == NORN_ISA_EXPRESSION_END &&
         reader->encoding->fields[*code >> 8].kind == NORN_ISA_FIELD_COUNT;
}

static bool
read_staging(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *start = reader->at;
  if (!norn_isa_reader_accept(reader, '@'))
    return start < reader->end
               ? NORN_ISA_FAIL_WORD(reader, start,
                                    "'%.*s': the staging registers of %s must begin with '@'",
                                    norn_isa_reader_mnemonic(reader))
               : norn_isa_unknown_code(reader, start, operand);
  unsigned listed = 0;
  uint32_t first = 0;
  do {
    const char *name = reader->at;
    int64_t code = norn_isa_read_code_name(reader, operand);
    if (code < 0)
      return norn_isa_unknown_code(reader, name, operand);
    if (listed && code != (int64_t)first + listed)
      return NORN_ISA_FAIL_WORD(reader, name, "'%.*s': staging registers must be consecutive");
    if (!listed)
      first = (uint32_t)code;
    listed++;
  } while (norn_isa_reader_accept(reader, ':'));
  norn_isa_reader_set_field(reader, operand->field, first);
  if (norn_isa_is_counted(reader, operand) && !set_count(reader, start, listed))
    return false;
  return count_registers(reader, operand, start, listed) && norn_isa_read_suffix(reader, operand);
}

bool
norn_isa_has_prefix(const NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *prefix = norn_isa_string(reader->isa, operand->prefix);
  size_t length = operand->prefix & 0xFF;
  return (size_t)(reader->end - reader->at) >= length &&
         (reader->isa->any_case ? g_ascii_strncasecmp(reader->at, prefix, length)
                                : strncmp(reader->at, prefix, length)) == 0;
}

/* Whether a number beyond the limits is another spelling of one within them. */
static bool
is_also(const NornIsaReader *reader, const NornIsaOperand *operand, int64_t value) {
  int64_t mask =
      (int64_t)norn_isa_mask(norn_isa_field_width(&reader->encoding->fields[operand->field]));
  return operand->also && value >= operand->also && value <= (operand->also | mask);
}

bool
norn_isa_read_immediate(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *start = reader->at;
  const char *prefix = norn_isa_string(reader->isa, operand->prefix);
  size_t length = operand->prefix & 0xFF;
  if (!norn_isa_has_prefix(reader, operand))
    return start < reader->end
               ? NORN_ISA_FAIL_WORD(reader, start,
                                    "'%.*s': expected %sNUMBER from %" G_GINT64_FORMAT
                                    " to %" G_GINT64_FORMAT,
                                    prefix, operand->minimum, operand->maximum)
               : norn_isa_reader_fail(reader, start, "expected %sNUMBER of %s", prefix,
                                      norn_isa_reader_mnemonic(reader));
  reader->at += length;
  int64_t value = 0;
  if (!norn_isa_read_number(reader, &value))
    return false;
  reader->only_range = true;
  if ((value < operand->minimum || value > operand->maximum) && !is_also(reader, operand, value))
    return NORN_ISA_FAIL_WORD(reader, start,
                              "'%.*s' is out of range: %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                              operand->minimum, operand->maximum);
  int64_t unit = INT64_C(1) << operand->scale;
  if (value % unit || value % operand->multiple)
    return NORN_ISA_FAIL_WORD(reader, start, "'%.*s' is not a multiple of %" G_GINT64_FORMAT,
                              value % unit ? unit : (int64_t)operand->multiple);
  reader->only_range = false;
  norn_isa_reader_set_field(reader, operand->field, (uint64_t)(value / unit));
  return norn_isa_read_suffix(reader, operand);
}

/* A label or an immediate: text with no colon after its first name is a label. */
static bool
read_target(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *start = reader->at, *end = start;
  while (norn_isa_reader_sees(reader, end, NORN_ISA_CHAR_NAME) ||
         (end > start && end < reader->end && *end == '.'))
    end++;
  bool is_name = end > start && !norn_isa_reader_sees(reader, start, NORN_ISA_CHAR_DIGIT) &&
                 (end >= reader->end || *end != ':');
  if (is_name && reader->label &&
      reader->label(reader->data, start, (size_t)(end - start), operand)) {
    reader->at = end;
    return true;
  }
  return norn_isa_read_immediate(reader, operand);
}

/* op_sel:[0,1], possibly absent; or op_sel:3, a number. */
static bool
read_list(NornIsaReader *reader, const NornIsaOperand *operand) {
  if (!norn_isa_has_prefix(reader, operand))
    return true;
  const char *start = reader->at;
  uint32_t bits = 0;
  for (unsigned i = 0; i < operand->modifier_count; i++)
    bits |= 1u << operand->modifiers[i];
  if (reader->given & bits)
    return norn_isa_reader_fail(reader, start, "'%.*s' is given twice",
                                (int)(operand->prefix & 0xFF), start);
  reader->given |= bits;
  reader->at += operand->prefix & 0xFF;
  int64_t value = 0;
  if (!norn_isa_reader_accept(reader, '[')) {
    if (!norn_isa_read_number(reader, &value))
      return false;
    if (value < 0 || value >> operand->modifier_count)
      return NORN_ISA_FAIL_WORD(reader, start, "'%.*s' is out of range");
    for (unsigned i = 0; i < operand->modifier_count; i++)
      norn_isa_reader_set_field(reader, operand->modifiers[i], (uint64_t)value >> i & 1);
    return true;
  }
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    norn_isa_reader_skip_blanks(reader);
    if ((i && !norn_isa_reader_expect(reader, ',')) ||
        (norn_isa_reader_skip_blanks(reader), !norn_isa_read_number(reader, &value)))
      return false;
    if (value < 0 || value > 1)
      return NORN_ISA_FAIL_WORD(reader, start, "'%.*s': expected 0 or 1");
    norn_isa_reader_set_field(reader, operand->modifiers[i], (uint64_t)value);
  }
  return norn_isa_reader_expect(reader, ']');
}

/* A positional modifier; absent if it has a default and the next word is not one of its names. */
static bool
read_word(NornIsaReader *reader, const NornIsaOperand *operand) {
  const NornIsaField *field = &reader->encoding->fields[operand->field];
  const char *start = reader->at;
  uint32_t value = 0;
  int index = norn_isa_read_modifier_name(reader, &operand->field, 1, &value);
  if (index >= 0)
    return norn_isa_take_modifier(reader, start, index, value);
  return field->has_default || norn_isa_unknown_modifier(reader, start, &operand->field, 1);
}

static bool
read_literal(NornIsaReader *reader, const NornIsaOperand *operand) {
  const char *text = norn_isa_string(reader->isa, operand->prefix);
  size_t length = operand->prefix & 0xFF;
  bool opens = text[length - 1] == '('; /* otherwise, a longer name is another word */
  if ((size_t)(reader->end - reader->at) >= length && memcmp(reader->at, text, length) == 0 &&
      (opens || !norn_isa_reader_sees(reader, reader->at + length, NORN_ISA_CHAR_NAME))) {
    reader->at += length;
    return true;
  }
  reader->literal = text;
  return reader->at < reader->end
             ? NORN_ISA_FAIL_WORD(reader, reader->at, "'%.*s': expected '%s'", text)
             : norn_isa_reader_fail(reader, reader->at, "expected '%s'", text);
}

bool
norn_isa_read_operand(NornIsaReader *reader, const NornIsaOperand *operand) {
  switch (operand->role) {
  case NORN_ISA_OPERAND_DESTINATION:
  case NORN_ISA_OPERAND_SOURCE:
    if (operand->wrapped)
      return read_wrapped(reader, operand, false);
    return norn_isa_read_code(reader, operand) && norn_isa_read_suffix(reader, operand);
  case NORN_ISA_OPERAND_IMMEDIATE:
    return norn_isa_read_immediate(reader, operand);
  case NORN_ISA_OPERAND_TARGET:
    return read_target(reader, operand);
  case NORN_ISA_OPERAND_LIST:
    return read_list(reader, operand);
  case NORN_ISA_OPERAND_WORD:
    return read_word(reader, operand);
  case NORN_ISA_OPERAND_LITERAL:
    return read_literal(reader, operand);
  default:
    return read_staging(reader, operand);
  }
}
