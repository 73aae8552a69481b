/* Comparison with the reference of GCN VOP3 instructions in Markdown.
 *
 * It has lists of opcodes, in lines "NUMBER (0xHEX) | MNEMONIC | MNEMONIC" under a line that names
 * the generation of each column; and a section "#### MNEMONIC" for each instruction with lines
 * "Opcode: NUMBER (0xHEX) for GCN 1.2/1.4; ..." and "Syntax: MNEMONIC VDST(2), SRC0, ...", where
 * (2) is a size in words. The comparison covers the opcode of every instruction in every
 * generation, whether it has the form VOP3B or VINTRP, and the number and sizes of its operands.
 * The prose and the pseudo-code of the sections are not read. */
#include "tests/oracle/compare_internal.h"
#include <norn/gcn.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 2, SECTION_NAMES = 2 };

typedef struct {
  CompareContext *context;
  int columns[COLUMNS];                /* architectures of the list being read, or -1 */
  const char *sections[SECTION_NAMES]; /* names of the section being read, nullable */
  uint32_t only;                       /* architectures that its title names, or all */
  uint32_t listed;                     /* architectures that it gives opcodes for */
} Reference;

/* The instruction named `text` on the architecture being compared, or NULL. */
static const NornIsaEncoding *
find_encoding(const CompareContext *context, const char *text, int *name) {
  const GArray *names = norn_compare_names(context, text);
  *name = -1;
  for (unsigned i = 0; names && i < names->len; i++) {
    unsigned index = g_array_index(names, unsigned, i);
    const NornIsaEncoding *encoding = norn_compare_encoding(context, index);
    *name = (int)index;
    if (encoding)
      return encoding;
  }
  return NULL;
}

/* --- Opcodes --- */

static const NornIsaEncoding *
check_opcode(CompareContext *context, const char *mnemonic, unsigned opcode, int *name) {
  const NornIsaEncoding *encoding = find_encoding(context, mnemonic, name);
  context->result.compared++;
  if (!encoding) {
    norn_compare_note(context, COMPARE_DIFFERENCE, *name, "opcode", "%s (%u) is missing", mnemonic,
                      opcode);
    return NULL;
  }
  uint32_t own = norn_compare_set_value(encoding, NORN_GCN_FIELD_OPCODE);
  if (own != opcode)
    norn_compare_note(context, COMPARE_DIFFERENCE, *name, "opcode", "%u here, %u there", own,
                      opcode);
  return encoding;
}

static void
check_form(CompareContext *context, const NornIsaEncoding *encoding, int name, const char *marker,
           const char *cell, NornGcnField number) {
  bool there = strstr(cell, marker) != NULL;
  context->result.compared++;
  if (norn_isa_field_exists(encoding, number) != there)
    norn_compare_note(context, COMPARE_DIFFERENCE, name, "form", "%s%s", there ? "" : "not ",
                      marker);
}

/* One cell of a list: "V_DIV_SCALE_F32 (VOP3B)". */
static void
check_cell(CompareContext *context, unsigned opcode, char *cell) {
  int name;
  g_strstrip(cell);
  if (strcmp(cell, "--") == 0)
    return;
  char *mnemonic = g_strndup(cell, strcspn(cell, " ("));
  const NornIsaEncoding *encoding = check_opcode(context, mnemonic, opcode, &name);
  if (encoding) {
    check_form(context, encoding, name, "(VOP3B)", cell, NORN_GCN_FIELD_SDST);
    check_form(context, encoding, name, "(VINTRP)", cell, NORN_GCN_FIELD_ATTRIBUTE);
  }
  g_free(mnemonic);
}

/* The architecture after "GCN " in a header cell, or -1. */
static int
cell_architecture(const CompareContext *context, const char *cell) {
  const char *start = strstr(cell, "(GCN ");
  if (!start)
    return -1;
  start += strlen("(GCN ");
  char *version = g_strndup(start, strcspn(start, ")"));
  int architecture = norn_isa_architecture(context->isa, version);
  g_free(version);
  return architecture;
}

static void
read_row(Reference *reference, char *line) {
  char **cells = g_strsplit(line, "|", -1);
  unsigned opcode = (unsigned)strtoul(cells[0], NULL, 10);
  bool header = strstr(cells[0], "Opcode") != NULL;
  for (unsigned i = 0; i < COLUMNS && cells[i + 1]; i++) {
    if (header) {
      reference->columns[i] = cell_architecture(reference->context, cells[i + 1]);
    } else if (opcode && reference->columns[i] >= 0) {
      reference->context->architecture = (unsigned)reference->columns[i];
      check_cell(reference->context, opcode, cells[i + 1]);
    }
  }
  g_strfreev(cells);
}

/* --- Sections --- */

/* Bits of the architectures in "GCN 1.2/1.4". */
static uint32_t
read_generations(const CompareContext *context, const char *text) {
  const char *start = strstr(text, "GCN ");
  uint32_t set = 0;
  if (!start)
    return 0;
  char **versions = g_strsplit_set(start + strlen("GCN "), "/ );:", -1);
  for (char **version = versions; *version; version++) {
    int architecture = norn_isa_architecture(context->isa, *version);
    if (architecture >= 0)
      set |= UINT32_C(1) << architecture;
  }
  g_strfreev(versions);
  return set;
}

/* The name of the section that the architecture being compared has, or the last. */
static const char *
section_name(const Reference *reference) {
  const char *last = NULL;
  for (unsigned i = 0; i < SECTION_NAMES && reference->sections[i]; i++) {
    int name;
    last = reference->sections[i];
    if (find_encoding(reference->context, last, &name))
      return last;
  }
  return last;
}

static void
read_section(Reference *reference, char *title) {
  memset(reference->sections, 0, sizeof reference->sections);
  reference->only = UINT32_MAX;
  reference->listed = 0;
  char *generation = strstr(title, " (GCN ");
  if (generation) {
    reference->only = read_generations(reference->context, generation);
    *generation = 0;
  }
  for (unsigned i = 0; i < SECTION_NAMES && title; i++) {
    char *comma = strchr(title, ',');
    if (comma)
      *comma = 0;
    reference->sections[i] = g_strstrip(title);
    title = comma ? comma + 1 : NULL;
  }
}

/* "356 (0x164) for GCN 1.0/1.1; 640 (0x280) for GCN 1.2/1.4" */
static void
read_opcodes(Reference *reference, const char *line) {
  CompareContext *context = reference->context;
  char **parts = g_strsplit(line, ";", -1);
  for (char **part = parts; *part; part++) {
    unsigned opcode = (unsigned)strtoul(*part, NULL, 10);
    uint32_t architectures = read_generations(context, *part) & reference->only;
    reference->listed |= architectures;
    for (unsigned i = 0; i < context->isa->architecture_count; i++) {
      int name;
      if (!(architectures >> i & 1))
        continue;
      context->architecture = i;
      check_opcode(context, section_name(reference), opcode, &name);
    }
  }
  g_strfreev(parts);
}

/* --- Operands --- */

/* The sizes of the operands in words, one character each: "211" for VDST(2), SRC0, SRC1. */
static char *
own_sizes(const NornIsaEncoding *encoding) {
  GString *sizes = g_string_new(NULL);
  for (unsigned i = 0; i < encoding->operand_count; i++)
    if (encoding->operands[i].role != NORN_ISA_OPERAND_LIST)
      g_string_append_printf(sizes, "%u", MAX(encoding->operands[i].words, 1u));
  return g_string_free(sizes, FALSE);
}

static char *
their_sizes(const char *operands) {
  GString *sizes = g_string_new(NULL);
  char **list = g_strsplit(operands, ",", -1);
  for (char **operand = list; *operand; operand++) {
    const char *size = strchr(*operand, '(');
    g_string_append_printf(sizes, "%lu", size ? strtoul(size + 1, NULL, 10) : 1);
  }
  g_strfreev(list);
  return g_string_free(sizes, FALSE);
}

static void
check_syntax(Reference *reference, const char *mnemonic, const char *operands) {
  CompareContext *context = reference->context;
  int name;
  const char *section = section_name(reference);
  const NornIsaEncoding *encoding = find_encoding(context, section, &name);
  context->result.compared += 2;
  if (!encoding)
    return;
  bool named = false;
  for (unsigned i = 0; i < SECTION_NAMES && reference->sections[i]; i++)
    named |= strcmp(mnemonic, reference->sections[i]) == 0;
  if (!named)
    norn_compare_note(context, COMPARE_DIFFERENCE, name, "syntax", "called %s there", mnemonic);
  char *own = own_sizes(encoding), *theirs = their_sizes(operands);
  norn_compare_texts(context, encoding, "operands", own, theirs);
  if (norn_isa_field_exists(encoding, NORN_GCN_FIELD_HIGH) != (strstr(operands, "[HIGH]") != NULL))
    norn_compare_note(context, COMPARE_DIFFERENCE, name, "syntax", "HIGH");
  g_free(own);
  g_free(theirs);
}

/* "Syntax: V_ADD_F64 VDST(2), SRC0(2), SRC1(2)", perhaps "Syntax (GCN 1.4): ...". */
static void
read_syntax(Reference *reference, const char *line) {
  CompareContext *context = reference->context;
  const char *colon = strstr(line, ": ");
  if (!colon)
    return;
  char *head = g_strndup(line, (gsize)(colon - line));
  uint32_t architectures = reference->listed;
  if (strstr(head, "GCN"))
    architectures &= read_generations(context, head);
  g_free(head);
  const char *mnemonic = colon + 2;
  size_t length = strcspn(mnemonic, " ");
  char *name = g_strndup(mnemonic, length);
  for (unsigned i = 0; i < context->isa->architecture_count; i++) {
    if (!(architectures >> i & 1))
      continue;
    context->architecture = i;
    check_syntax(reference, name, mnemonic + length);
  }
  g_free(name);
}

static void
read_line(void *data, char *line) {
  Reference *reference = data;
  if (g_str_has_prefix(line, "#### "))
    read_section(reference, line + strlen("#### "));
  else if (!reference->sections[0] && strchr(line, '|'))
    read_row(reference, line);
  else if (reference->sections[0] && g_str_has_prefix(line, "Opcode") && strstr(line, ": "))
    read_opcodes(reference, strstr(line, ": ") + 2);
  else if (reference->sections[0] && g_str_has_prefix(line, "Syntax"))
    read_syntax(reference, line);
}

bool
norn_compare_gcn_reference(CompareContext *context, const char *filename, char *text,
                           GError **error) {
  Reference reference = {.context = context, .columns = {-1, -1}};
  return norn_compare_lines(context, &norn_isa_gcn, filename, text, read_line, &reference, error);
}
