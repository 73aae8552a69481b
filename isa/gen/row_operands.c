/* The operands of a row. */
#include "isa/gen/row.h"
#include <string.h>

static NornIsaOperandRole
operand_role(const EncodingRow *row, const char *name) {
  const char *kind = gen_row_operand_attribute(row, name, "kind");
  const char *access = gen_row_operand_attribute(row, name, "access");
  if (!kind)
    gen_fail(row->gen, row->row, "operand '%s' has no kind", name);
  if (strcmp(kind, "destination") == 0)
    return NORN_ISA_OPERAND_DESTINATION;
  if (strcmp(kind, "source") == 0)
    return NORN_ISA_OPERAND_SOURCE;
  if (strcmp(kind, "immediate") == 0)
    return NORN_ISA_OPERAND_IMMEDIATE;
  if (strcmp(kind, "target") == 0)
    return NORN_ISA_OPERAND_TARGET;
  if (strcmp(kind, "list") == 0)
    return NORN_ISA_OPERAND_LIST;
  if (g_strcmp0(access, "read") == 0)
    return NORN_ISA_OPERAND_STAGING_READ;
  return g_strcmp0(access, "both") == 0 ? NORN_ISA_OPERAND_STAGING_BOTH
                                        : NORN_ISA_OPERAND_STAGING_WRITE;
}

static void
add_operand_modifiers(EncodingRow *row, NornIsaOperand *operand, const char *list, bool bits) {
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  gen_row_append_names(names, list ? list : "");
  for (unsigned i = 0; i < names->len; i++) {
    if (gen_row_is_set(row, names->pdata[i]) || gen_row_is_absent(row, "field", names->pdata[i]))
      continue;
    if (operand->modifier_count == NORN_ISA_OPERAND_MODIFIERS)
      gen_fail(row->gen, row->row, "more than %d modifiers on an operand",
               NORN_ISA_OPERAND_MODIFIERS);
    const char *at = gen_row_definition(row, "field", names->pdata[i], "at");
    uint8_t index = bits ? gen_row_add_number(row, names->pdata[i], at, NORN_ISA_FIELD_NUMBER)
                         : gen_row_add_modifier(row, names->pdata[i]);
    operand->modifiers[operand->modifier_count++] = index;
    if (g_array_index(row->fields, NornIsaField, index).notation != NORN_ISA_NOTATION_SUFFIX)
      operand->wrapped = true;
  }
  g_ptr_array_unref(names);
}

static void
fill_codes(EncodingRow *row, const char *name, NornIsaOperand *operand) {
  Generator *gen = row->gen;
  const xmlNode *node = gen_row_code_node(row, name);
  if (gen_attribute(node, "bank"))
    row->bank = node;
  operand->words = (uint8_t)(gen_row_operand_number(row, name, "size", 32) / 32);
  if (operand->words < 1 || operand->words > 16)
    gen_fail(gen, row->row, "operand '%s': the size is out of range", name);
  operand->codes = (uint16_t)gen_code_table(gen, node, row->architecture);
  bool staging = operand->role >= NORN_ISA_OPERAND_STAGING_READ &&
                 operand->role <= NORN_ISA_OPERAND_STAGING_BOTH;
  operand->name_table =
      (uint16_t)gen_name_table(gen, node, row->architecture, staging ? 1 : operand->words,
                               gen_row_operand_attribute(row, name, "kinds"));
  operand->texts = g_array_index(gen->name_tables, NameTable, operand->name_table).texts;
}

static void
fill_immediate(EncodingRow *row, const char *name, NornIsaOperand *operand, unsigned width) {
  operand->is_signed = gen_row_operand_flag(row, name, "signed");
  const char *radix = gen_row_operand_attribute(row, name, "radix");
  operand->decimal = radix ? strcmp(radix, "decimal") == 0 : operand->is_signed;
  operand->scale = (uint8_t)gen_row_operand_number(row, name, "scale", 0);
  operand->multiple = (uint32_t)gen_row_operand_number(row, name, "multiple", 1);
  if (operand->scale > 16 || !operand->multiple)
    gen_fail(row->gen, row->row, "operand '%s': the scale or multiple is out of range", name);
  int64_t limit = INT64_C(1) << (operand->is_signed ? width - 1 : width);
  int64_t low = operand->is_signed ? -limit : 0;
  operand->minimum = gen_row_operand_number(row, name, "minimum", low * (1 << operand->scale));
  operand->maximum =
      gen_row_operand_number(row, name, "maximum", (limit - 1) * (1 << operand->scale));
  operand->also = (uint32_t)gen_row_operand_number(row, name, "also", 0);
}

/* Adds the field for a count that is just the name of an otherwise unused field. */
static void
add_count_field(EncodingRow *row, const char *count) {
  if (!count || !gen_row_is_defined(row, "field", count) || gen_row_is_set(row, count) ||
      gen_row_find_field(row, count) != NORN_ISA_NO_FIELD ||
      gen_row_definition(row, "field", count, "derive"))
    return;
  gen_row_add_number(row, count, gen_row_definition(row, "field", count, "at"),
                     NORN_ISA_FIELD_COUNT);
}

static void
add_operand(EncodingRow *row, const char *name) {
  const char *field = gen_row_operand_attribute(row, name, "field");
  if (!field)
    field = name;
  if (gen_row_is_set(row, field))
    return;
  NornIsaOperand operand;
  memset(&operand, 0, sizeof operand);
  operand.role = (uint8_t)operand_role(row, name);
  operand.field = NORN_ISA_NO_FIELD;
  operand.name = gen_intern(row->gen, field);
  operand.title = gen_intern(row->gen, gen_row_operand_attribute(row, name, "title"));
  operand.prefix = gen_intern(row->gen, gen_row_operand_attribute(row, name, "prefix"));
  operand.multiple = 1;
  operand.count = UINT32_MAX;
  if (operand.role == NORN_ISA_OPERAND_LIST) {
    add_operand_modifiers(row, &operand, gen_row_operand_attribute(row, name, "fields"), true);
  } else {
    bool codes = operand.role <= NORN_ISA_OPERAND_STAGING_BOTH;
    operand.field = gen_row_add_number(row, field, gen_row_operand_attribute(row, name, "at"),
                                       codes ? NORN_ISA_FIELD_CODE : NORN_ISA_FIELD_NUMBER);
    const NornIsaField *placed = &g_array_index(row->fields, NornIsaField, operand.field);
    unsigned width = norn_isa_field_width(placed);
    if (codes)
      fill_codes(row, name, &operand);
    else
      fill_immediate(row, name, &operand, width);
    add_operand_modifiers(row, &operand, gen_row_operand_attribute(row, name, "modifiers"), false);
  }
  g_array_append_val(row->operands, operand);
}

static void
add_word(EncodingRow *row, const char *name) {
  if (gen_row_is_set(row, name))
    return;
  NornIsaOperand operand;
  memset(&operand, 0, sizeof operand);
  operand.role = NORN_ISA_OPERAND_WORD;
  operand.name = gen_intern(row->gen, name);
  operand.count = UINT32_MAX;
  operand.field = gen_row_add_modifier(row, name);
  g_array_append_val(row->operands, operand);
}

static void
add_literal(EncodingRow *row, const char *quoted) {
  size_t length = strlen(quoted);
  if (length < 3 || quoted[length - 1] != '\'')
    gen_fail(row->gen, row->row, "literal %s has no closing quote", quoted);
  char *text = g_strndup(quoted + 1, length - 2);
  NornIsaOperand operand;
  memset(&operand, 0, sizeof operand);
  operand.role = NORN_ISA_OPERAND_LITERAL;
  operand.field = NORN_ISA_NO_FIELD;
  operand.count = UINT32_MAX;
  operand.prefix = gen_intern(row->gen, text);
  g_free(text);
  g_array_append_val(row->operands, operand);
}

void
gen_row_add_operands(EncodingRow *row, GPtrArray *names) {
  for (unsigned i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    if (*name == '\'')
      add_literal(row, name);
    else if (gen_row_is_defined(row, "operand", name))
      add_operand(row, name);
    else if (gen_row_is_defined(row, "field", name))
      add_word(row, name);
    else if (!gen_row_is_absent(row, "operand", name) && !gen_row_is_absent(row, "field", name))
      gen_fail(row->gen, row->row, "unknown operand '%s'", name);
  }
}

void
gen_row_add_counts(EncodingRow *row, GPtrArray *names) {
  unsigned k = 0;
  for (unsigned i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    const char *field = *name == '\'' ? NULL : gen_row_operand_attribute(row, name, "field");
    if (*name != '\'' &&
        (gen_row_is_set(row, field ? field : name) ||
         (!gen_row_is_defined(row, "operand", name) && !gen_row_is_defined(row, "field", name))))
      continue;
    NornIsaOperand *operand = &g_array_index(row->operands, NornIsaOperand, k++);
    if (operand->role < NORN_ISA_OPERAND_STAGING_READ ||
        operand->role > NORN_ISA_OPERAND_STAGING_BOTH)
      continue;
    const char *count = gen_row_operand_attribute(row, name, "count");
    if (!count)
      gen_fail(row->gen, row->row, "staging operand '%s' has no count", name);
    add_count_field(row, count);
    const char *derive =
        gen_row_is_set(row, count) ? NULL : gen_row_definition(row, "field", count, "derive");
    operand->count = gen_row_expression(row, row->row, derive ? derive : count);
    const uint32_t *code = &g_array_index(row->gen->expressions.items, uint32_t, operand->count);
    bool constant = (code[0] & 0xFF) == NORN_ISA_EXPRESSION_CONSTANT &&
                    (code[2] & 0xFF) == NORN_ISA_EXPRESSION_END;
    operand->words = constant && code[1] <= 64 ? (uint8_t)code[1] : 0;
  }
}

void
gen_row_add_bank(EncodingRow *row) {
  const char *name = row->bank ? gen_attribute(row->bank, "bank") : NULL;
  if (name && !gen_row_is_set(row, name) && gen_row_find_field(row, name) == NORN_ISA_NO_FIELD)
    gen_row_add_number(row, name, gen_row_definition(row, "field", name, "at"),
                       NORN_ISA_FIELD_BANK);
}

void
gen_row_add_kinds(EncodingRow *row) {
  NornIsaEncoding *encoding = &row->encoding;
  encoding->bank = NORN_ISA_NO_FIELD;
  encoding->first_derived = (uint8_t)row->fields->len;
  for (unsigned i = 0; i < row->fields->len; i++) {
    const NornIsaField *field = &g_array_index(row->fields, NornIsaField, i);
    if (field->kind == NORN_ISA_FIELD_DERIVED)
      encoding->first_derived = MIN(encoding->first_derived, (uint8_t)i);
    encoding->computed |=
        field->kind == NORN_ISA_FIELD_DERIVED || field->kind == NORN_ISA_FIELD_COUNT;
    if (field->kind == NORN_ISA_FIELD_BANK)
      encoding->bank = (uint8_t)i;
  }
}

void
gen_row_add_tables(EncodingRow *row) {
  for (unsigned i = 0; i < row->fields->len; i++) {
    NornIsaField *field = &g_array_index(row->fields, NornIsaField, i);
    if (field->kind == NORN_ISA_FIELD_DERIVED)
      field->table = gen_value_table(row->gen, row->fields, field->expression);
  }
  for (unsigned i = 0; i < row->operands->len; i++) {
    NornIsaOperand *operand = &g_array_index(row->operands, NornIsaOperand, i);
    if (!operand->words && operand->count != UINT32_MAX)
      operand->table = gen_value_table(row->gen, row->fields, operand->count);
  }
}
