/* The rest of a row: fixed bits, modifiers, rules, flags. */
#include "isa/gen/row.h"
#include <string.h>

static void
add_modifiers(EncodingRow *row) {
  GPtrArray *names = gen_row_joined_list(row, "modifiers");
  for (unsigned i = 0; i < names->len; i++) {
    if (gen_row_is_set(row, names->pdata[i]) || gen_row_is_absent(row, "field", names->pdata[i]))
      continue;
    uint8_t index = gen_row_add_modifier(row, names->pdata[i]);
    g_array_append_val(row->modifiers, index);
  }
  g_ptr_array_unref(names);
}

static void
add_derived(EncodingRow *row) {
  GPtrArray *names = gen_row_united_list(row, "derived");
  for (unsigned i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    if (gen_row_is_set(row, name) || gen_row_is_absent(row, "field", name) ||
        gen_row_find_field(row, name) != NORN_ISA_NO_FIELD)
      continue;
    if (!gen_row_definition(row, "field", name, "derive"))
      gen_fail(row->gen, row->row, "derived field '%s' has no derivation", name);
    gen_row_add_number(row, name, gen_row_definition(row, "field", name, "at"),
                       NORN_ISA_FIELD_DERIVED);
  }
  for (unsigned i = 0; i < names->len; i++) {
    uint8_t index = gen_row_find_field(row, names->pdata[i]);
    if (index == NORN_ISA_NO_FIELD)
      continue;
    NornIsaField *field = &g_array_index(row->fields, NornIsaField, index);
    if (field->kind == NORN_ISA_FIELD_DERIVED)
      field->expression = gen_row_expression(
          row, row->row, gen_row_definition(row, "field", names->pdata[i], "derive"));
  }
  g_ptr_array_unref(names);
}

static void
add_ignored(EncodingRow *row) {
  GPtrArray *ranges = gen_row_united_list(row, "ignored");
  for (unsigned i = 0; i < ranges->len; i++) {
    NornIsaField field;
    memset(&field, 0, sizeof field);
    gen_row_parse_position(row, "ignored", ranges->pdata[i], &field);
    uint64_t bits = norn_isa_insert(&field, UINT64_MAX);
    gen_row_claim(row, "ignored", bits, false);
    row->encoding.ignored |= bits;
  }
  g_ptr_array_unref(ranges);
}

static void
add_rules(EncodingRow *row) {
  for (unsigned i = 0; i < row->scope->len; i++) {
    const xmlNode *host = row->scope->pdata[i];
    const xmlNode *node;
    for (unsigned k = 0; (node = gen_child_at(row->gen, host, "rule", NULL, k)); k++) {
      if (!gen_applies(row->gen, node, row->architecture))
        continue;
      NornIsaRule rule;
      memset(&rule, 0, sizeof rule);
      rule.name = gen_intern(row->gen, gen_attribute(node, "name"));
      rule.message = gen_intern(row->gen, gen_attribute(node, "message"));
      rule.expression = gen_row_expression(row, node, gen_attribute(node, "require"));
      uint16_t index = (uint16_t)gen_pool_add(&row->gen->rules, &rule, 1);
      g_array_append_val(row->rules, index);
    }
  }
}

/* The cost given in the description, or by default the number of registers of the largest result.
 */
static uint32_t
cost_expression(EncodingRow *row) {
  const char *cost = gen_row_scope_attribute(row, "cost");
  unsigned words = 1;
  for (unsigned i = 0; i < row->operands->len; i++) {
    const NornIsaOperand *operand = &g_array_index(row->operands, NornIsaOperand, i);
    if (operand->role == NORN_ISA_OPERAND_DESTINATION)
      words = MAX(words, operand->words);
  }
  g_autofree char *number = g_strdup_printf("%u", words);
  return gen_row_expression(row, row->row, cost ? cost : number);
}

static void
add_facts(EncodingRow *row) {
  const char *unit = gen_row_scope_attribute(row, "unit");
  row->encoding.unit = unit ? (uint8_t)gen_unit(row->gen, row->row, unit) : (uint8_t)0xFF;
  row->encoding.cost = cost_expression(row);
  GPtrArray *flags = gen_row_united_list(row, "flags");
  for (unsigned i = 0; i < flags->len; i++)
    row->encoding.flags |= gen_flags(row->gen, row->row, flags->pdata[i]);
  g_ptr_array_unref(flags);
  /* By default, the type of a variant is its name. */
  const char *type = gen_row_scope_attribute(row, "type");
  if (!type && row->variant)
    type = gen_attribute(row->variant, "name");
  if (type)
    gen_type(type, &row->encoding.type);
}

static void
finish_word(EncodingRow *row) {
  NornIsaEncoding *encoding = &row->encoding;
  uint64_t variable = encoding->ignored;
  encoding->word = encoding->match;
  for (unsigned i = 0; i < row->fields->len; i++) {
    const NornIsaField *field = &g_array_index(row->fields, NornIsaField, i);
    if (field->overlay)
      continue;
    variable |= norn_isa_insert(field, UINT64_MAX);
    uint32_t value = field->default_value;
    if (field->kind == NORN_ISA_FIELD_ENUM && !field->has_default) {
      value = (uint32_t)__builtin_ctzll(field->allowed);
      /* If only one value is legal the text may omit it. */
      if (field->allowed & (field->allowed - 1))
        encoding->required |= 1u << i;
    }
    encoding->word |= norn_isa_insert(field, value);
  }
  encoding->target = NORN_ISA_NO_FIELD;
  for (unsigned i = 0; i < row->operands->len; i++) {
    if (g_array_index(row->operands, NornIsaOperand, i).role == NORN_ISA_OPERAND_TARGET)
      encoding->target = (uint8_t)i;
  }
  uint64_t whole = row->gen->word_bits == 64 ? UINT64_MAX : UINT32_MAX;
  encoding->mask = whole & ~variable;
}

void
gen_row_resolve(EncodingRow *row) {
  gen_row_build_scope(row);
  gen_row_read_settings(row);
  gen_row_add_settings(row);
  const char *list = gen_row_scope_attribute(row, "operands");
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  gen_row_append_names(names, list ? list : "");
  gen_row_add_operands(row, names);
  add_modifiers(row);
  gen_row_add_counts(row, names);
  gen_row_add_bank(row);
  add_derived(row);
  add_ignored(row);
  add_rules(row);
  add_facts(row);
  finish_word(row);
  g_ptr_array_unref(names);
}
