/* Instructions to text.
 *
 * The tables contain the text of every value of every field, so printing copies short strings: the
 * mnemonic, its modifiers, then each operand with its modifiers. Copies of up to 16 bytes always
 * copy 16; the pool of strings and the output buffer are padded for that. */
#include "isa/text.h"
#include <string.h>

enum { SLACK = 32 }; /* bytes that may be written past the end of a short copy */

char *
norn_isa_write_string(const NornIsaWriter *writer, char *out, const char *text, size_t length) {
  size_t room = (size_t)(writer->limit - out);
  if (length > room)
    length = room;
  memcpy(out, text, length);
  return out + length;
}

static inline char *
write_text(const NornIsaWriter *writer, char *out, NornIsaText text) {
  const char *string = norn_isa_string(writer->isa, text);
  size_t length = text & 0xFF;
  if (length <= 16 && writer->limit - out >= SLACK) {
    memcpy(out, string, 16);
    return out + length;
  }
  return norn_isa_write_string(writer, out, string, length);
}

static inline char *
write_char(const NornIsaWriter *writer, char *out, char c) {
  if (out < writer->limit)
    *out++ = c;
  return out;
}

char *
norn_isa_write_number(const NornIsaWriter *writer, char *out, int64_t value, bool decimal) {
  char digits[24];
  unsigned count = 0;
  uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
  if (value < 0)
    out = write_char(writer, out, '-');
  if (decimal) {
    do {
      digits[sizeof digits - ++count] = (char)('0' + magnitude % 10);
      magnitude /= 10;
    } while (magnitude);
  } else {
    do {
      digits[sizeof digits - ++count] = "0123456789ABCDEF"[magnitude & 15];
      magnitude >>= 4;
    } while (magnitude);
    digits[sizeof digits - ++count] = 'x';
    digits[sizeof digits - ++count] = '0';
  }
  return norn_isa_write_string(writer, out, digits + sizeof digits - count, count);
}

/* The text of an enum field: 0 if it is not written. */
static inline NornIsaText
field_text(const NornIsa *isa, const NornIsaField *field, uint64_t word) {
  NornIsaText text = isa->texts[field->texts + norn_isa_extract(field, word)];
  return text == NORN_ISA_TEXT_ILLEGAL ? 0 : text;
}

static char *
write_modifiers(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding,
                uint64_t word, char separator) {
  for (unsigned i = 0; i < encoding->modifier_count; i++) {
    NornIsaText text = field_text(writer->isa, &encoding->fields[encoding->modifiers[i]], word);
    if (!text)
      continue;
    out = write_char(writer, out, separator);
    out = write_text(writer, out, text);
  }
  return out;
}

char *
norn_isa_write_mnemonic(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding,
                        uint64_t word) {
  bool alternate = writer->flags & NORN_ISA_PRINT_ALTERNATE;
  out = write_text(writer, out, alternate ? encoding->alternate : encoding->mnemonic);
  return writer->isa->dotted ? write_modifiers(writer, out, encoding, word, '.') : out;
}

char *
norn_isa_write_suffix(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding,
                      const NornIsaOperand *operand, uint64_t word) {
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    const NornIsaField *field = &encoding->fields[operand->modifiers[i]];
    NornIsaText text = field_text(writer->isa, field, word);
    if (!text || field->notation != NORN_ISA_NOTATION_SUFFIX)
      continue;
    out = write_char(writer, out, '.');
    out = write_text(writer, out, text);
  }
  return out;
}

char *
norn_isa_write_immediate(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding,
                         const NornIsaOperand *operand, uint64_t word) {
  out = write_text(writer, out, operand->prefix);
  return norn_isa_write_number(writer, out, norn_isa_immediate_value(encoding, operand, word),
                               operand->decimal);
}

/* Operands */

static bool
has_notation(const NornIsaEncoding *encoding, const NornIsaOperand *operand, uint64_t word,
             NornIsaNotation notation) {
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    const NornIsaField *field = &encoding->fields[operand->modifiers[i]];
    if (field->notation == notation && norn_isa_extract(field, word))
      return true;
  }
  return false;
}

/* -x, |x|, -|x|; neg(1) if -1 would be another constant. */
static char *
write_wrapped(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding,
              const NornIsaOperand *operand, uint64_t word) {
  bool negate = has_notation(encoding, operand, word, NORN_ISA_NOTATION_NEGATE);
  bool absolute = has_notation(encoding, operand, word, NORN_ISA_NOTATION_ABSOLUTE);
  const NornIsaCode *code = norn_isa_operand_code(writer->isa, encoding, operand, word);
  bool call = negate && !absolute && code->kind == NORN_ISA_CODE_CONSTANT;
  if (negate)
    out = norn_isa_write_string(writer, out, call ? "neg(" : "-", call ? 4 : 1);
  if (absolute)
    out = write_char(writer, out, '|');
  out = write_text(writer, out, norn_isa_code_text(writer->isa, encoding, operand, word, 0));
  out = norn_isa_write_suffix(writer, out, encoding, operand, word);
  if (absolute)
    out = write_char(writer, out, '|');
  return call ? write_char(writer, out, ')') : out;
}

static char *
write_staging(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding,
              const NornIsaOperand *operand, uint64_t word, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    out = write_char(writer, out, i ? ':' : '@');
    out = write_text(writer, out, norn_isa_code_text(writer->isa, encoding, operand, word, i));
  }
  return norn_isa_write_suffix(writer, out, encoding, operand, word);
}

static char *
write_target(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding,
             const NornIsaOperand *operand, uint64_t word) {
  char *end = NULL;
  if (writer->label)
    end = writer->label(writer->data, norn_isa_immediate_value(encoding, operand, word), out,
                        writer->limit);
  return end ? end : norn_isa_write_immediate(writer, out, encoding, operand, word);
}

static char *
write_list(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding,
           const NornIsaOperand *operand, uint64_t word) {
  out = write_text(writer, out, operand->prefix);
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    out = write_char(writer, out, i ? ',' : '[');
    bool set = norn_isa_extract(&encoding->fields[operand->modifiers[i]], word);
    out = write_char(writer, out, set ? '1' : '0');
  }
  return write_char(writer, out, ']');
}

static char *
write_operand(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding,
              const NornIsaOperand *operand, uint64_t word) {
  switch (operand->role) {
  case NORN_ISA_OPERAND_DESTINATION:
  case NORN_ISA_OPERAND_SOURCE:
    if (operand->wrapped)
      return write_wrapped(writer, out, encoding, operand, word);
    out = write_text(writer, out, norn_isa_code_text(writer->isa, encoding, operand, word, 0));
    return norn_isa_write_suffix(writer, out, encoding, operand, word);
  case NORN_ISA_OPERAND_IMMEDIATE:
    out = norn_isa_write_immediate(writer, out, encoding, operand, word);
    return norn_isa_write_suffix(writer, out, encoding, operand, word);
  case NORN_ISA_OPERAND_TARGET:
    return write_target(writer, out, encoding, operand, word);
  case NORN_ISA_OPERAND_LIST:
    return write_list(writer, out, encoding, operand, word);
  case NORN_ISA_OPERAND_WORD:
    return write_text(writer, out,
                      field_text(writer->isa, &encoding->fields[operand->field], word));
  case NORN_ISA_OPERAND_LITERAL:
    return write_text(writer, out, operand->prefix);
  default:
    return write_staging(writer, out, encoding, operand, word,
                         norn_isa_operand_words(writer->isa, encoding, operand, word));
  }
}

/* Whether an operand has no text: an empty group, a list of zeros, a word at its default. */
static bool
is_silent(const NornIsa *isa, const NornIsaEncoding *encoding, const NornIsaOperand *operand,
          uint64_t word) {
  switch (operand->role) {
  case NORN_ISA_OPERAND_STAGING_READ:
  case NORN_ISA_OPERAND_STAGING_WRITE:
  case NORN_ISA_OPERAND_STAGING_BOTH:
    return norn_isa_operand_words(isa, encoding, operand, word) == 0;
  case NORN_ISA_OPERAND_LIST:
    for (unsigned i = 0; i < operand->modifier_count; i++) {
      if (norn_isa_extract(&encoding->fields[operand->modifiers[i]], word))
        return false;
    }
    return true;
  case NORN_ISA_OPERAND_WORD:
    return !field_text(isa, &encoding->fields[operand->field], word);
  default:
    return false;
  }
}

static char *
write_separator(const NornIsaWriter *writer, char *out, const NornIsaOperand *operand, bool first) {
  const char *literal = norn_isa_string(writer->isa, operand->prefix);
  if (operand->role == NORN_ISA_OPERAND_LITERAL && *literal == ')')
    return out;
  bool blank = first || !writer->isa->commas || operand->role == NORN_ISA_OPERAND_LIST;
  if (!blank)
    out = write_char(writer, out, ',');
  return write_char(writer, out, ' ');
}

static char *
write_ignored(const NornIsaWriter *writer, char *out, uint64_t bits) {
  out = norn_isa_write_string(writer, out, " {0x", 4);
  for (int shift = 60; shift >= 0; shift -= 4) {
    if (bits >> shift)
      out = write_char(writer, out, "0123456789ABCDEF"[bits >> shift & 15]);
  }
  return write_char(writer, out, '}');
}

static char *
write_body(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding, uint64_t word) {
  out = norn_isa_write_mnemonic(writer, out, encoding, word);
  bool first = true;
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    if (is_silent(writer->isa, encoding, operand, word))
      continue;
    out = write_separator(writer, out, operand, first);
    out = write_operand(writer, out, encoding, operand, word);
    first = false;
  }
  if (!writer->isa->dotted)
    out = write_modifiers(writer, out, encoding, word, ' ');
  if (word & encoding->ignored)
    out = write_ignored(writer, out, word & encoding->ignored);
  return out;
}

char *
norn_isa_write_instruction(const NornIsaWriter *writer, char *out, const NornIsaEncoding *encoding,
                           uint64_t word) {
  char *end = write_body(writer, out, encoding, word);
  if (writer->isa->alternate_lower && writer->flags & NORN_ISA_PRINT_ALTERNATE) {
    for (char *at = out; at < end; at++)
      *at = g_ascii_tolower(*at);
  }
  return end;
}

void
norn_isa_append_json_string(GString *out, const char *text) {
  g_string_append_c(out, '"');
  for (; *text; text++) {
    if ((uint8_t)*text < 0x20) {
      g_string_append_printf(out, "\\u%04x", *text);
      continue;
    }
    if (*text == '"' || *text == '\\')
      g_string_append_c(out, '\\');
    g_string_append_c(out, *text);
  }
  g_string_append_c(out, '"');
}
