/* Grammar lookups, and single instructions as text.
 *
 * The tables are made from the grammar files of SPIRV-Headers (gen/main.c). Text is for messages:
 * it is truncated, and anything without a name is printed as a number. */
#include "spirv/grammar.h"
#include <stdlib.h>
#include <string.h>

/* Maximum number of characters of a disassembled instruction. */
#define LINE_LIMIT 160

static int
compare_opcodes(const void *key, const void *row) {
  unsigned opcode = *(const unsigned *)key, other = ((const NornSpirvInstruction *)row)->opcode;
  return opcode < other ? -1 : opcode > other;
}

const NornSpirvInstruction *
norn_spirv_find_instruction(unsigned opcode) {
  unsigned row =
      opcode < norn_spirv_instruction_rows_count ? norn_spirv_instruction_rows[opcode] : 0;
  return row ? &norn_spirv_instructions[row - 1] : NULL;
}

const char *
norn_spirv_glsl_name(unsigned number) {
  const NornSpirvInstruction *found =
      bsearch(&number, norn_spirv_glsl_instructions, norn_spirv_glsl_instructions_count,
              sizeof *norn_spirv_glsl_instructions, compare_opcodes);
  return found ? found->name : NULL;
}

static const NornSpirvEnumerant *
find_enumerant(const NornSpirvKind *kind, uint32_t value) {
  for (unsigned k = 0; k < kind->enumerant_count; k++)
    if (norn_spirv_enumerants[kind->enumerant + k].value == value)
      return &norn_spirv_enumerants[kind->enumerant + k];
  return NULL;
}

const char *
norn_spirv_enumerant_name(const char *kind, uint32_t value) {
  for (unsigned k = 0; k < norn_spirv_kind_count; k++) {
    if (strcmp(norn_spirv_kinds[k].name, kind))
      continue;
    const NornSpirvEnumerant *found = find_enumerant(&norn_spirv_kinds[k], value);
    return found ? found->name : NULL;
  }
  return NULL;
}

/* --- Text --- */

typedef struct Disassembler {
  const uint32_t *words;
  unsigned count, at;
  GString *text;
} Disassembler;

static void put_operands(Disassembler *d, unsigned first, unsigned count);

static void
put_word(Disassembler *d, const char *format) {
  if (d->at < d->count)
    g_string_append_printf(d->text, format, d->words[d->at++]);
}

static void
put_string(Disassembler *d) {
  g_string_append(d->text, " \"");
  for (bool ended = false; !ended && d->at < d->count; d->at++)
    for (unsigned byte = 0; byte < 4 && !ended; byte++) {
      char c = (char)(d->words[d->at] >> 8 * byte);
      ended = !c;
      if (c)
        g_string_append_c(d->text, g_ascii_isprint(c) ? c : '?');
    }
  g_string_append_c(d->text, '"');
}

static void
put_enumerant(Disassembler *d, const NornSpirvKind *kind) {
  uint32_t value = d->words[d->at++];
  const NornSpirvEnumerant *found = find_enumerant(kind, value);
  if (!found) {
    g_string_append_printf(d->text, " %u", value);
    return;
  }
  g_string_append_printf(d->text, " %s", found->name);
  put_operands(d, found->parameter, found->parameter_count);
}

static void
put_mask(Disassembler *d, const NornSpirvKind *kind) {
  uint32_t mask = d->words[d->at++];
  char separator = ' ';
  if (!mask)
    g_string_append(d->text, " None");
  for (unsigned bit = 0; bit < 32; bit++) {
    if (!(mask >> bit & 1))
      continue;
    const NornSpirvEnumerant *found = find_enumerant(kind, UINT32_C(1) << bit);
    g_string_append_printf(d->text, "%c%s", separator, found ? found->name : "?");
    separator = '|';
  }
  for (unsigned bit = 0; bit < 32; bit++) {
    const NornSpirvEnumerant *found =
        mask >> bit & 1 ? find_enumerant(kind, UINT32_C(1) << bit) : NULL;
    if (found)
      put_operands(d, found->parameter, found->parameter_count);
  }
}

static void
put_spec_operation(Disassembler *d) {
  const NornSpirvInstruction *row = norn_spirv_find_instruction(d->words[d->at]);
  if (row) {
    g_string_append_printf(d->text, " %s", row->name + strlen("Op"));
    d->at++;
  }
  while (d->at < d->count)
    put_word(d, row ? " %%%u" : " %u");
}

static void
put_operand(Disassembler *d, const NornSpirvKind *kind) {
  switch ((NornSpirvClass)kind->class) {
  case NORN_SPIRV_RESULT:
    d->at++;
    break;
  case NORN_SPIRV_RESULT_TYPE:
  case NORN_SPIRV_ID:
    put_word(d, " %%%u");
    break;
  case NORN_SPIRV_LITERAL:
    put_word(d, " %u");
    break;
  case NORN_SPIRV_STRING:
    put_string(d);
    break;
  case NORN_SPIRV_NUMBER:
    while (d->at < d->count)
      put_word(d, " 0x%x");
    break;
  case NORN_SPIRV_SPEC_OP:
    put_spec_operation(d);
    break;
  case NORN_SPIRV_LITERAL_AND_ID:
    put_word(d, " %u");
    put_word(d, " %%%u");
    break;
  case NORN_SPIRV_ID_AND_LITERAL:
    put_word(d, " %%%u");
    put_word(d, " %u");
    break;
  case NORN_SPIRV_TWO_IDS:
    put_word(d, " %%%u");
    put_word(d, " %%%u");
    break;
  case NORN_SPIRV_VALUE:
    put_enumerant(d, kind);
    break;
  case NORN_SPIRV_MASK:
    put_mask(d, kind);
    break;
  }
}

static void
put_operands(Disassembler *d, unsigned first, unsigned count) {
  for (unsigned k = 0; k < count; k++) {
    const NornSpirvOperand *operand = &norn_spirv_operands[first + k];
    bool repeats = operand->quantifier == '*';
    while (d->at < d->count && d->text->len < LINE_LIMIT) {
      put_operand(d, &norn_spirv_kinds[operand->kind]);
      if (!repeats)
        break;
    }
  }
}

char *
norn_spirv_disassemble(const uint32_t *words, unsigned count) {
  Disassembler d = {words, count, 1, g_string_new(NULL)};
  const NornSpirvInstruction *row = norn_spirv_find_instruction(words[0] & 0xFFFF);
  if (!row) {
    g_string_printf(d.text, "opcode %u", words[0] & 0xFFFF);
    return g_string_free(d.text, FALSE);
  }
  NornSpirvShape shape = row->shape;
  if (shape.result && shape.result < count)
    g_string_append_printf(d.text, "%%%u = ", words[shape.result]);
  g_string_append(d.text, row->name);
  put_operands(&d, row->operand, row->operand_count);
  if (d.text->len > LINE_LIMIT) {
    g_string_truncate(d.text, LINE_LIMIT);
    g_string_append(d.text, " ...");
  }
  return g_string_free(d.text, FALSE);
}
