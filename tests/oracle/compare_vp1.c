/* Comparison with the reference of the VP1 vector unit in reStructuredText.
 *
 * Three kinds of line are read. "- bits 0-2: ``VCDST`` - ..." places a field. "- ``0x80``,
 * ``0xa0``: :ref:`multiplication: vmul <...>`" lists the opcodes of mnemonics. In the tables,
 * "``vmul s``  ``RND ... $v[SRC1]``  ``0x80``" gives an instruction with its operands; operands are
 * compared by their field and the suffix of the register (d: a pair, q: four). A row that is marked
 * as a bad opcode must also be one in the description. */
#include "tests/oracle/compare_internal.h"
#include <norn/vp1.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 3, FIRST_OPCODE = 0x80, LAST_OPCODE = 0xbf };

/* The texts in double backticks in a line, at most `count`; NULL after the last. */
static void
quoted_texts(const char *line, char **texts, unsigned count) {
  unsigned found = 0;
  while (found < count) {
    const char *start = strstr(line, "``");
    const char *end = start ? strstr(start + 2, "``") : NULL;
    if (!end)
      break;
    texts[found++] = g_strndup(start + 2, (gsize)(end - start - 2));
    line = end + 2;
  }
  for (; found < count; found++)
    texts[found] = NULL;
}

static void
free_texts(char **texts, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    g_free(texts[i]);
}

/* The encoding of an opcode, or NULL. */
static const NornIsaEncoding *
find_opcode(const CompareContext *context, unsigned opcode) {
  for (unsigned i = 0; i < context->isa->instruction_count; i++) {
    const NornIsaEncoding *encoding = norn_compare_encoding(context, i);
    if (encoding && norn_compare_set_value(encoding, NORN_VP1_FIELD_OPCODE) == opcode)
      return encoding;
  }
  return NULL;
}

static const NornIsaEncoding *
opcode_of_text(CompareContext *context, const char *text) {
  unsigned opcode = (unsigned)strtoul(text, NULL, 16);
  const NornIsaEncoding *encoding = find_opcode(context, opcode);
  context->result.compared++;
  if (!encoding)
    norn_compare_note(context, COMPARE_DIFFERENCE, -1, "opcode", "%s is missing", text);
  return encoding;
}

static void
check_bad(CompareContext *context, const NornIsaEncoding *encoding, const char *line) {
  bool bad = strstr(line, "(bad opcode)") != NULL;
  context->result.compared++;
  if (bad != (encoding->rule_count != 0))
    norn_compare_note(context, COMPARE_DIFFERENCE, encoding->name, "bad", "%sa bad opcode there",
                      bad ? "" : "not ");
}

/* ---- "- bits 0-2: ``VCDST``" ---- */

static void
check_place(CompareContext *context, const char *name, unsigned first, unsigned last) {
  bool known = false;
  for (unsigned i = 0; i < context->isa->instruction_count; i++) {
    const NornIsaEncoding *encoding = norn_compare_encoding(context, i);
    for (unsigned k = 0; encoding && k < encoding->field_count; k++) {
      const NornIsaField *field = &encoding->fields[k];
      if (strcmp(norn_isa_string(context->isa, context->isa->field_names[field->number].name),
                 name) != 0)
        continue;
      known = true;
      context->result.compared++;
      if (field->position != first || field->width != last - first + 1)
        norn_compare_note(context, COMPARE_DIFFERENCE, (int)i, name, "bits %u-%u here, %u-%u there",
                          field->position, field->position + field->width - 1, first, last);
    }
  }
  if (!known)
    norn_compare_note(context, COMPARE_DIFFERENCE, -1, name, "no such field");
}

static void
read_field(CompareContext *context, const char *line) {
  char *end;
  char *name;
  unsigned first = (unsigned)strtoul(line + strcspn(line, "0123456789"), &end, 10);
  unsigned last = *end == '-' ? (unsigned)strtoul(end + 1, &end, 10) : first;
  quoted_texts(line, &name, 1);
  if (name && g_str_has_prefix(end, ": ``"))
    check_place(context, name, first, last);
  g_free(name);
}

/* ---- "- ``0x80``, ``0xa0``: :ref:`multiplication: vmul <...>`" ---- */

/* Whether `mnemonic` is a word after the colon of "multiplication: vmul <vp1-opv-mul>". */
static bool
lists_mnemonic(const char *text, const char *mnemonic) {
  bool found = false;
  char **words = g_strsplit_set(text, " ,:<`", -1);
  for (char **word = words; *word; word++)
    found |= strcmp(*word, mnemonic) == 0;
  g_strfreev(words);
  return found;
}

static void
read_opcodes(CompareContext *context, const char *line) {
  const char *names = strstr(line, ":ref:`");
  char *opcodes[LAST_OPCODE - FIRST_OPCODE + 1];
  if (!names)
    return;
  quoted_texts(line, opcodes, G_N_ELEMENTS(opcodes));
  for (unsigned i = 0; i < G_N_ELEMENTS(opcodes) && opcodes[i]; i++) {
    const NornIsaEncoding *encoding = opcode_of_text(context, opcodes[i]);
    if (!encoding || g_str_has_prefix(line, "- ``0xbf``"))
      continue;
    const char *mnemonic = norn_isa_string(context->isa, encoding->mnemonic);
    context->result.compared++;
    if (!lists_mnemonic(names, mnemonic))
      norn_compare_note(context, COMPARE_DIFFERENCE, encoding->name, "list",
                        "%s is not %s in the list of opcodes", opcodes[i], mnemonic);
  }
  free_texts(opcodes, G_N_ELEMENTS(opcodes));
}

/* --- Tables --- */

/* "[$vc[VCDST]]" -> "VCDST", "$v[SRC1]d" -> "SRC1d". */
static void
append_reference_operand(GString *out, const char *operand) {
  const char *start = strrchr(operand, '[');
  const char *end = start ? strchr(start, ']') : NULL;
  if (out->len)
    g_string_append_c(out, ' ');
  if (!end) {
    g_string_append(out, operand);
    return;
  }
  g_string_append_len(out, start + 1, end - start - 1);
  g_string_append(out, end + strspn(end, "]"));
}

static char *
reference_operands(const char *text) {
  GString *out = g_string_new(NULL);
  char **operands = g_strsplit(text, " ", -1);
  for (char **operand = operands; *operand; operand++)
    if (**operand)
      append_reference_operand(out, *operand);
  g_strfreev(operands);
  return g_string_free(out, FALSE);
}

/* The text after the number of register 0: "d" of "$v0d". */
static const char *
register_suffix(const CompareContext *context, const NornIsaOperand *operand) {
  if (operand->role > NORN_ISA_OPERAND_SOURCE)
    return "";
  const char *zero =
      strchr(norn_isa_string(context->isa, context->isa->texts[operand->texts]), '0');
  return zero ? zero + 1 : "";
}

/* All operands except the sign, which counts as part of the mnemonic. */
static char *
own_operands(const CompareContext *context, const NornIsaEncoding *encoding) {
  GString *out = g_string_new(NULL);
  for (unsigned i = 0; i < encoding->operand_count; i++) {
    const NornIsaOperand *operand = &encoding->operands[i];
    bool literal = operand->role == NORN_ISA_OPERAND_LITERAL;
    const char *text = norn_isa_string(context->isa, literal ? operand->prefix : operand->name);
    if (i == 0 && literal && (!strcmp(text, "s") || !strcmp(text, "u")))
      continue;
    g_string_append_printf(out, "%s%s%s", out->len ? " " : "", text,
                           literal ? "" : register_suffix(context, operand));
  }
  return g_string_free(out, FALSE);
}

/* The mnemonic with the sign that follows it. */
static char *
own_mnemonic(const CompareContext *context, const NornIsaEncoding *encoding) {
  const char *mnemonic = norn_isa_string(context->isa, encoding->mnemonic);
  const NornIsaOperand *first = encoding->operands;
  if (encoding->operand_count && first->role == NORN_ISA_OPERAND_LITERAL) {
    const char *sign = norn_isa_string(context->isa, first->prefix);
    if (!strcmp(sign, "s") || !strcmp(sign, "u"))
      return g_strdup_printf("%s %s", mnemonic, sign);
  }
  return g_strdup(mnemonic);
}

static void
read_table_row(CompareContext *context, const char *line) {
  char *cells[CELLS];
  quoted_texts(line, cells, CELLS);
  if (cells[CELLS - 1] && g_str_has_prefix(cells[CELLS - 1], "0x")) {
    const NornIsaEncoding *encoding = opcode_of_text(context, cells[CELLS - 1]);
    if (encoding) {
      g_autofree char *mnemonic = own_mnemonic(context, encoding);
      g_autofree char *operands = own_operands(context, encoding);
      g_autofree char *theirs = reference_operands(cells[1]);
      norn_compare_texts(context, encoding, "mnemonic", mnemonic, cells[0]);
      norn_compare_texts(context, encoding, "operands", operands, theirs);
      check_bad(context, encoding, line);
    }
  }
  free_texts(cells, CELLS);
}

static void
read_line(void *data, char *line) {
  CompareContext *context = data;
  if (g_str_has_prefix(line, "- bit"))
    read_field(context, line);
  else if (g_str_has_prefix(line, "- ``0x"))
    read_opcodes(context, line);
  else if (g_str_has_prefix(line, "    ``"))
    read_table_row(context, line);
}

bool
norn_compare_vp1_reference(CompareContext *context, const char *filename, char *text,
                           GError **error) {
  return norn_compare_lines(context, &norn_isa_vp1, filename, text, read_line, context, error);
}
