/* Prints the resolved description as constant tables. */
#include "isa/gen/gen.h"
#include <string.h>

void
gen_emit_numbers(GString *out, const char *type, const char *name, const GArray *array) {
  g_string_append_printf(out, "static const %s %s[] = {", type, name);
  unsigned size = g_array_get_element_size((GArray *)array);
  for (unsigned i = 0; i < array->len; i++) {
    const char *item = array->data + (size_t)i * size;
    uint32_t value = size == 1   ? *(const uint8_t *)item
                     : size == 2 ? *(const uint16_t *)item
                                 : *(const uint32_t *)item;
    g_string_append_printf(out, "%s%s%u%s,", i % 16 ? "" : "\n", *type == 'i' ? "(int32_t)" : "",
                           value, size == 4 ? "u" : "");
  }
  g_string_append(out, array->len ? "\n};\n" : "0};\n");
}

static void
emit_strings(Generator *gen, GString *out) {
  static const char padding[32] = {0};
  g_byte_array_append(gen->strings, (const guint8 *)padding, sizeof padding);
  g_string_append(out, "static const char strings[] = {");
  for (unsigned i = 0; i < gen->strings->len; i++)
    g_string_append_printf(out, "%s%d,", i % 24 ? "" : "\n", (signed char)gen->strings->data[i]);
  g_string_append(out, "\n};\n");
}

static void
emit_label_table(Generator *gen, GString *out, const char *name, GPtrArray *nodes) {
  g_string_append_printf(out, "static const NornIsaLabel %s[] = {\n", name);
  for (unsigned i = 0; i < nodes->len; i++)
    g_string_append_printf(out, "  {%u, %u},\n",
                           gen_intern(gen, gen_attribute(nodes->pdata[i], "name")),
                           gen_intern(gen, gen_attribute(nodes->pdata[i], "title")));
  g_string_append(out, nodes->len ? "};\n" : "  {0, 0}};\n");
}

/* What a unit takes from the rates of all units: pairs "name:amount", or by default 1 from itself.
 */
static void
emit_unit(Generator *gen, GString *out, unsigned number) {
  const xmlNode *node = gen->units->pdata[number];
  uint8_t takes[NORN_ISA_UNITS] = {0};
  const char *list = gen_attribute(node, "takes");
  if (list)
    gen_unit_takes(gen, node, list, takes);
  else
    takes[number] = 1;
  g_string_append_printf(out, "  {%u, %u, %u, {", gen_intern(gen, gen_attribute(node, "name")),
                         gen_intern(gen, gen_attribute(node, "title")),
                         (unsigned)gen_number_attribute(gen, node, "rate", 0));
  for (unsigned i = 0; i < NORN_ISA_UNITS; i++)
    g_string_append_printf(out, "%u, ", takes[i]);
  g_string_append(out, "}},\n");
}

static void
emit_units(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaUnit units[] = {\n");
  for (unsigned i = 0; i < gen->units->len; i++)
    emit_unit(gen, out, i);
  g_string_append(out, gen->units->len ? "};\n" : "  {0, 0, 0, {0}}};\n");
}

static void
emit_field_names(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaLabel field_names[] = {\n");
  for (unsigned i = 0; i < gen->field_names->len; i++) {
    const char *name = gen->field_names->pdata[i];
    const xmlNode *node = gen_child_at(gen, gen->root, "field", name, 0);
    g_string_append_printf(out, "  {%u, %u},\n", gen_intern(gen, name),
                           node ? gen_intern(gen, gen_attribute(node, "title")) : 0);
  }
  g_string_append(out, "  {0, 0}};\n");
}

static void
append_swizzle(GString *out, const NornIsaSwizzle *swizzle) {
  g_string_append_printf(out, "{%u, %u, {", swizzle->bits, swizzle->count);
  for (unsigned i = 0; i < NORN_ISA_LANES; i++)
    g_string_append_printf(out, "%u, ", swizzle->index[i]);
  g_string_append(out, "}}");
}

static void
emit_enums(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaEnum enums[] = {\n");
  for (unsigned i = 0; i < gen->enums->len; i++) {
    const NornIsaEnum *entry = &g_array_index(gen->enums, NornIsaEnum, i);
    g_string_append_printf(out, "  {%u, %u, %u, %u, %d},\n", entry->name, entry->title,
                           entry->first, entry->count, entry->swizzles);
  }
  g_string_append(out, "  {0}};\nstatic const NornIsaEnumValue enum_values[] = {\n");
  for (unsigned i = 0; i < gen->enum_values->len; i++) {
    const NornIsaEnumValue *value = &g_array_index(gen->enum_values, NornIsaEnumValue, i);
    g_string_append_printf(out, "  {%u, %u, %u, %d, %u, %u, ", value->name, value->title,
                           value->code, value->amount, value->since, value->until);
    append_swizzle(out, &value->swizzle);
    g_string_append(out, "},\n");
  }
  g_string_append(out, "  {0}};\n");
}

static void
emit_swizzles(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaSwizzle swizzles[] = {\n");
  for (unsigned i = 0; i < gen->swizzles.items->len; i++) {
    append_swizzle(out, &g_array_index(gen->swizzles.items, NornIsaSwizzle, i));
    g_string_append(out, ",\n");
  }
  g_string_append(out, "  {0}};\n");
}

static void
emit_names(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaName names[] = {\n");
  for (unsigned i = 0; i < gen->names->len; i++) {
    const NornIsaName *name = &g_array_index(gen->names, NornIsaName, i);
    g_string_append_printf(out, "  {%u, %u, %u, %u, %u, %u, %u, %u, %u, %u},\n", name->text,
                           name->title, name->section, name->description, name->reason,
                           name->instruction, name->with, name->with_count, name->since,
                           name->until);
  }
  g_string_append(out, "};\n");
}

static void
emit_fields(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaField fields[] = {\n");
  for (unsigned i = 0; i < gen->fields.items->len; i++) {
    const NornIsaField *f = &g_array_index(gen->fields.items, NornIsaField, i);
    g_string_append_printf(
        out,
        "  {%u, %u, %u, %u, %u, %u, %u, %d, %d, %d, %u, %u, %uu, %uu, %u, %u, %uu, "
        "UINT64_C(%" G_GUINT64_FORMAT "), UINT64_C(%" G_GUINT64_FORMAT ")},\n",
        f->number, f->kind, f->position, f->width, f->high_position, f->high_width, f->notation,
        f->overlay, f->has_default, f->implied, f->enumeration, f->texts, f->amounts, f->swizzles,
        f->expression, f->table, f->default_value, f->allowed, f->observed);
  }
  g_string_append(out, "  {0}};\n");
}

static void
emit_operands(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaOperand operands[] = {\n");
  for (unsigned i = 0; i < gen->operands.items->len; i++) {
    const NornIsaOperand *o = &g_array_index(gen->operands.items, NornIsaOperand, i);
    g_string_append_printf(out, "  {%u, %u, %u, %u, %d, %d, %d, %u, {", o->role, o->field, o->words,
                           o->scale, o->is_signed, o->decimal, o->wrapped, o->modifier_count);
    for (unsigned k = 0; k < NORN_ISA_OPERAND_MODIFIERS; k++)
      g_string_append_printf(out, "%u,", o->modifiers[k]);
    g_string_append_printf(out,
                           "}, %u, %u, %u, %uu, %u, %u, %u, %u, %uu, INT64_C(%" G_GINT64_FORMAT
                           "), INT64_C(%" G_GINT64_FORMAT "), %uu},\n",
                           o->codes, o->name_table, o->texts, o->count, o->table, o->prefix,
                           o->name, o->title, o->multiple, o->minimum, o->maximum, o->also);
  }
  g_string_append(out, "  {0}};\n");
}

static void
emit_fixed(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaFixed fixed[] = {\n");
  for (unsigned i = 0; i < gen->fixed.items->len; i++) {
    const NornIsaFixed *f = &g_array_index(gen->fixed.items, NornIsaFixed, i);
    g_string_append_printf(out, "  {%u, %u, %u, %u, %u, %uu, %u},\n", f->number, f->position,
                           f->width, f->high_position, f->high_width, f->value, f->text);
  }
  g_string_append(out, "  {0}};\n");
}

/* Indices were stored as (number, index) pairs; each run becomes a row with an entry for each field
 * number. */
static void
emit_field_indices(Generator *gen, GString *out, GHashTable *rows) {
  unsigned next = 0;
  g_string_append(out, "static const uint8_t field_indices[] = {\n");
  for (unsigned i = 0; i < gen->encodings->len; i++) {
    uint32_t start = g_array_index(gen->encodings, GenEncoding, i).field_indices;
    if (g_hash_table_contains(rows, GUINT_TO_POINTER(start)))
      continue;
    uint8_t *row = g_malloc(gen->field_names->len + 1);
    memset(row, NORN_ISA_NO_FIELD, gen->field_names->len + 1);
    unsigned fields = g_array_index(gen->encodings, GenEncoding, i).encoding.field_count;
    const uint8_t *pair = (const uint8_t *)gen->field_indices.items->data + start;
    for (unsigned k = 0; k < fields; k++, pair += 3)
      row[pair[0] | pair[1] << 8] = pair[2];
    for (unsigned k = 0; k < gen->field_names->len; k++)
      g_string_append_printf(out, "%u,", row[k]);
    g_string_append_c(out, '\n');
    g_free(row);
    g_hash_table_insert(rows, GUINT_TO_POINTER(start), GUINT_TO_POINTER(next));
    next += gen->field_names->len;
  }
  g_string_append(out, "0};\n");
}

static void
append_gather(GString *out, const NornIsaGather *gather) {
  g_string_append_printf(out, "{%u, %u, %u, %u}", gather->low_shift, gather->high_shift,
                         gather->low_mask, gather->high_mask);
}

static void
emit_value_tables(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaRun runs[] = {\n");
  for (unsigned i = 0; i < gen->runs.items->len; i++) {
    const NornIsaRun *run = &g_array_index(gen->runs.items, NornIsaRun, i);
    g_string_append_printf(out, "{%u, %u},%s", run->mask, run->shift, i % 8 == 7 ? "\n" : "");
  }
  g_string_append(out, "  {0}};\nstatic const NornIsaTable tables[] = {\n");
  for (unsigned i = 0; i < gen->tables.items->len; i++) {
    const NornIsaTable *table = &g_array_index(gen->tables.items, NornIsaTable, i);
    g_string_append_printf(out, "  {%u, %u, %u},\n", table->values, table->runs, table->run_count);
  }
  g_string_append(out, "  {0}};\n");
}

static void
emit_layouts(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaFieldLayout layouts[] = {\n");
  for (unsigned i = 0; i < gen->layouts.items->len; i++) {
    const NornIsaFieldLayout *layouts = &g_array_index(gen->layouts.items, NornIsaFieldLayout, i);
    g_string_append(out, "  {{");
    for (unsigned k = 0; k < NORN_ISA_FIELDS; k++)
      g_string_append_printf(out, "%u, ", layouts->shifts[k]);
    g_string_append(out, "}, {");
    for (unsigned k = 0; k < NORN_ISA_FIELDS; k++)
      g_string_append_printf(out, "0x%xu, ", layouts->masks[k]);
    g_string_append(out, "}},\n");
  }
  g_string_append(out, "  {{0}, {0}}};\n");
}

static void
emit_nodes(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaNode nodes[] = {\n");
  for (unsigned i = 0; i < gen->nodes.items->len; i++) {
    const NornIsaNode *node = &g_array_index(gen->nodes.items, NornIsaNode, i);
    g_string_append(out, "  {");
    append_gather(out, &node->bits);
    g_string_append_printf(out, ", %u},\n", node->first);
  }
  g_string_append(out, "};\nstatic const NornIsaRoot roots[] = {\n");
  for (unsigned i = 0; i < gen->roots->len; i++) {
    const NornIsaRoot *root = &g_array_index(gen->roots, NornIsaRoot, i);
    g_string_append_printf(out, "  {%u, %u, %u},\n", root->first, root->mask, root->shift);
  }
  g_string_append(out, "};\n");
}

static void
append_words(GString *out, const uint64_t *words, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    g_string_append_printf(out, "UINT64_C(0x%" G_GINT64_MODIFIER "x), ", words[i]);
}

/* The flags whose names are in `list`. */
static uint32_t
flags_named(const Generator *gen, const char *list) {
  uint32_t flags = 0;
  char **names = g_strsplit(list, " ", -1);
  for (unsigned i = 0; i < gen->flags->len; i++) {
    const char *name = gen_attribute(gen->flags->pdata[i], "name");
    if (g_strv_contains((const char *const *)names, name))
      flags |= 1u << i;
  }
  g_strfreev(names);
  return flags;
}

/* The flags of instructions that read and that write memory. */
#define READING "load atomic tile"
#define WRITING "store atomic tile"

static void
add_value(uint8_t *count, uint8_t *words, uint8_t *is_staging, const NornIsaOperand *operand) {
  if (*count == NORN_MACHINE_OPERANDS)
    return;
  words[*count] = operand->words;
  *is_staging |= (uint8_t)((operand->role != NORN_ISA_OPERAND_DESTINATION &&
                            operand->role != NORN_ISA_OPERAND_SOURCE)
                           << *count);
  ++*count;
}

/* Adds an operand of an instruction. Returns false if it depends on the word, as the number of
 * registers in a group may, and also a source that modifiers may reduce to one word. */
static bool
add_operand(NornMachineShape *shape, const NornIsaOperand *operand) {
  if (operand->role > NORN_ISA_OPERAND_STAGING_BOTH)
    return true;
  if (!operand->words ||
      (operand->role == NORN_ISA_OPERAND_SOURCE && operand->words == 2 && operand->modifier_count))
    return false;
  if (operand->role != NORN_ISA_OPERAND_SOURCE && operand->role != NORN_ISA_OPERAND_STAGING_READ)
    add_value(&shape->result_count, shape->result_words, &shape->result_is_staging, operand);
  if (operand->role != NORN_ISA_OPERAND_DESTINATION &&
      operand->role != NORN_ISA_OPERAND_STAGING_WRITE)
    add_value(&shape->operand_count, shape->operand_words, &shape->operand_is_staging, operand);
  return true;
}

/* The number of further register operands of the code that a message with a target calls. */
#define IMPLIED_OPERANDS 2

/* The shape common to all words of an encoding. */
static NornIsaShape
find_shape(const Generator *gen, const GenEncoding *entry) {
  const NornIsaEncoding *encoding = &entry->encoding;
  NornIsaShape shape = {.varies = false};
  for (unsigned k = 0; k < encoding->operand_count && !shape.varies; k++)
    shape.varies = !add_operand(
        &shape.fixed, &g_array_index(gen->operands.items, NornIsaOperand, entry->operands + k));
  if (shape.varies)
    shape.fixed = (NornMachineShape){0};
  bool is_message = encoding->flags & flags_named(gen, "message");
  bool has_target = encoding->target != NORN_ISA_NO_FIELD;
  shape.fixed.implied_operands = has_target && is_message ? IMPLIED_OPERANDS : 0;
  /* A message with a target continues with the next instruction. */
  shape.fixed.is_terminator =
      has_target && !is_message && encoding->flags & flags_named(gen, "branch");
  shape.fixed.reads_memory = encoding->flags & flags_named(gen, READING);
  shape.fixed.writes_memory = encoding->flags & flags_named(gen, WRITING);
  shape.fixed.is_barrier = encoding->flags & flags_named(gen, "barrier");
  shape.fixed.is_convergent = encoding->flags & flags_named(gen, "crosslane");
  return shape;
}

static void
append_bytes(GString *out, const uint8_t *bytes, unsigned count) {
  for (unsigned k = 0; k < count; k++)
    g_string_append_printf(out, "%s%u", k ? ", " : "{", bytes[k]);
  g_string_append(out, "}, ");
}

static void
append_shape(GString *out, const NornIsaShape *shape) {
  const NornMachineShape *fixed = &shape->fixed;
  g_string_append_printf(out, "{{%u, %u, ", fixed->result_count, fixed->operand_count);
  append_bytes(out, fixed->result_words, NORN_MACHINE_OPERANDS);
  append_bytes(out, fixed->operand_words, NORN_MACHINE_OPERANDS);
  g_string_append_printf(out, "%u, %u, %u, %u, %d, %d, %d, %d, %d}, %d}", fixed->operand_is_staging,
                         fixed->operand_is_low, fixed->result_is_staging, fixed->implied_operands,
                         fixed->is_terminator, fixed->reads_memory, fixed->writes_memory,
                         fixed->is_barrier, fixed->is_convergent, shape->varies);
}

static void
emit_encoding(const Generator *gen, GString *out, const GenEncoding *entry, unsigned indices) {
  const NornIsaEncoding *e = &entry->encoding;
  const uint64_t first[] = {e->mask, e->match, e->ignored};
  const uint64_t second[] = {e->opcode, e->word};
  g_string_append(out, "  {");
  append_words(out, first, G_N_ELEMENTS(first));
  g_string_append_printf(out, "layouts + %u, ", entry->layouts);
  g_string_append_printf(out, "%d, %u, %u, %u, %d,\n   ", e->split, e->field_count,
                         e->operand_count, e->bank, e->overlaid);
  append_words(out, second, G_N_ELEMENTS(second));
  g_string_append_printf(out, "fields + %u, operands + %u, fixed + %u, field_indices + %u, ",
                         entry->fields, entry->operands, entry->fixed, indices);
  g_string_append_printf(out, "modifiers + %u, rule_lists + %u, ", entry->modifiers, entry->rules);
  g_string_append_printf(
      out, "%uu, %uu, %uu, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %d, {%u, %u, %u}, ",
      e->flags, e->cost, e->required, e->mnemonic, e->alternate, e->instruction, e->name, e->unit,
      e->target, e->since, e->until, e->fixed_count, e->modifier_count, e->rule_count,
      e->first_derived, e->computed, e->type.class, e->type.lanes, e->type.bits);
  const NornIsaShape shape = find_shape(gen, entry);
  append_shape(out, &shape);
  g_string_append(out, "},\n");
}

static void
emit_encodings(Generator *gen, GString *out) {
  GHashTable *rows = g_hash_table_new(NULL, NULL);
  emit_field_indices(gen, out, rows);
  g_string_append(out, "static _Alignas(64) const NornIsaEncoding encodings[] = {\n");
  for (unsigned i = 0; i < gen->encodings->len; i++) {
    const GenEncoding *entry = &g_array_index(gen->encodings, GenEncoding, i);
    gpointer indices = g_hash_table_lookup(rows, GUINT_TO_POINTER(entry->field_indices));
    emit_encoding(gen, out, entry, GPOINTER_TO_UINT(indices));
  }
  g_string_append(out, "  {.mask = 0, .match = 1}};\n");
  g_hash_table_unref(rows);
}

static void
emit_codes(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaCodeTable code_tables[] = {\n");
  for (unsigned i = 0; i < gen->code_tables->len; i++) {
    const NornIsaCodeTable *table = &g_array_index(gen->code_tables, NornIsaCodeTable, i);
    g_string_append_printf(out, "  {%u, %u, %u, %u, %u},\n", table->name, table->width,
                           table->bank_width, table->bank, table->first);
  }
  g_string_append(out, "  {0}};\nstatic const NornIsaCode codes[] = {\n");
  for (unsigned i = 0; i < gen->codes.items->len; i++) {
    const NornIsaCode *code = &g_array_index(gen->codes.items, NornIsaCode, i);
    g_string_append_printf(out, "  {%u, %u, %u, %uu, %uu},\n", code->kind, code->bank, code->number,
                           code->value, code->flags);
  }
  g_string_append(out, "  {0}};\n");
}

static void
emit_rules(Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaRule rules[] = {\n");
  for (unsigned i = 0; i < gen->rules.items->len; i++) {
    const NornIsaRule *rule = &g_array_index(gen->rules.items, NornIsaRule, i);
    g_string_append_printf(out, "  {%u, %u, %u},\n", rule->name, rule->message, rule->expression);
  }
  g_string_append(out, "  {0}};\n");
}

/* For each architecture, the encoding of each name. */
static void
emit_encodings_by_name(const Generator *gen, GString *out) {
  unsigned names = gen->names->len;
  g_string_append(out, "static const NornIsaEncoding *const by_name[] = {\n");
  for (unsigned i = 0; i < gen->encoding_of->len; i++) {
    uint16_t index = g_array_index(gen->encoding_of, uint16_t, i);
    if (index == NORN_ISA_NONE)
      g_string_append(out, "NULL,\n");
    else
      g_string_append_printf(out, "encodings + %u,\n", index);
  }
  g_string_append(out, "};\nstatic const NornIsaEncoding *const *const encoding_of[] = {");
  for (unsigned a = 0; a < gen->architectures->len; a++)
    g_string_append_printf(out, "by_name + %u, ", a * names);
  g_string_append(out, "};\n");
}

/* For each architecture, the first operand that is a 32-bit source. */
static void
emit_sources(const Generator *gen, GString *out) {
  g_string_append(out, "static const NornIsaOperand *const sources[] = {");
  for (unsigned a = 0; a < gen->architectures->len; a++) {
    int found = -1;
    for (unsigned i = 0; i < gen->instruction_count && found < 0; i++) {
      uint16_t index = g_array_index(gen->encoding_of, uint16_t, a * gen->names->len + i);
      if (index == NORN_ISA_NONE)
        continue;
      const GenEncoding *entry = &g_array_index(gen->encodings, GenEncoding, index);
      for (unsigned k = 0; k < entry->encoding.operand_count && found < 0; k++) {
        unsigned number = entry->operands + k;
        const NornIsaOperand *operand = &g_array_index(gen->operands.items, NornIsaOperand, number);
        if (operand->role == NORN_ISA_OPERAND_SOURCE && operand->words == 1)
          found = (int)number;
      }
    }
    if (found >= 0)
      g_string_append_printf(out, "operands + %d, ", found);
    else
      g_string_append(out, "NULL, ");
  }
  g_string_append(out, "};\n");
}

/* The maximum number of parts between dots in a mnemonic. */
static unsigned
mnemonic_parts(const Generator *gen) {
  unsigned max = 1;
  for (unsigned i = 0; i < gen->names->len; i++) {
    const char *name = gen_string(gen, g_array_index(gen->names, NornIsaName, i).text);
    unsigned parts = 1;
    for (; *name; name++)
      parts += *name == '.';
    max = MAX(max, parts);
  }
  if (max > NORN_ISA_MNEMONIC_PARTS)
    gen_fail(gen, gen->root, "a name has more than %d parts", NORN_ISA_MNEMONIC_PARTS);
  return max;
}

/* Members of NornIsa that point to a table with the same name. */
static const char *const tables[] = {
    "strings",     "architectures", "flags",     "field_names", "units",       "enums",
    "enum_values", "names",         "encodings", "encoding_of", "code_tables", "codes",
    "texts",       "runs",          "tables",    "values",      "amounts",     "swizzles",
    "expressions", "rules",         "tokens",    "meanings",    "mnemonics",   "name_lists",
    "sources",     "nodes",         "entries",   "roots"};

static void
emit_isa(Generator *gen, GString *out, unsigned token_size, unsigned mnemonic_size) {
  const xmlNode *root = gen->root;
  const char *rules = gen_attribute(root, "rules");
  const char *filler = gen_attribute(root, "filler");
  const struct {
    const char *member;
    unsigned value;
  } numbers[] = {
      {"word_bits", gen->word_bits},
      {"mnemonic_parts", mnemonic_parts(gen)},
      {"dotted", !strcmp(gen_attribute(root, "modifiers"), "dotted")},
      {"commas", !strcmp(gen_attribute(root, "separator"), "comma")},
      {"any_case", !strcmp(gen_attribute_or(root, "case", "sensitive"), "insensitive")},
      {"alternate_lower", !strcmp(gen_attribute_or(root, "alternate-case", "same"), "lower")},
      {"filler", filler ? gen_intern(gen, filler) : 0},
      {"architecture_count", gen->architectures->len},
      {"unit_count", gen->units->len},
      {"flag_count", gen->flags->len},
      {"enum_count", gen->enums->len},
      {"instruction_count", gen->instruction_count},
      {"alias_count", gen->names->len - gen->instruction_count},
      {"encoding_count", gen->encodings->len},
      {"token_mask", token_size - 1},
      {"mnemonic_mask", mnemonic_size - 1},
      {"message_flag", flags_named(gen, "message")},
      {"branch_flag", flags_named(gen, "branch")},
      {"barrier_flag", flags_named(gen, "barrier")},
      {"read_flags", flags_named(gen, READING)},
      {"write_flags", flags_named(gen, WRITING)},
  };
  if (rules)
    g_string_append_printf(out, "extern const NornIsaRuleTable %s;\n", rules);
  g_string_append_printf(out,
                         "const NornIsa norn_isa_%s = {\n  .name = \"%s\",\n  .title = \"%s\",\n",
                         gen->name, gen->name, gen_attribute(root, "title"));
  for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++)
    g_string_append_printf(out, "  .%s = %uu,\n", numbers[i].member, numbers[i].value);
  for (unsigned i = 0; i < G_N_ELEMENTS(tables); i++)
    g_string_append_printf(out, "  .%s = %s,\n", tables[i], tables[i]);
  if (rules)
    g_string_append_printf(out, "  .hardware_rules = &%s,\n", rules);
  g_string_append(out, "};\n");
}

void
gen_emit_tables(Generator *gen, GString *out) {
  GString *body = g_string_new(NULL);
  emit_label_table(gen, body, "architectures", gen->architectures);
  emit_units(gen, body);
  emit_label_table(gen, body, "flags", gen->flags);
  emit_field_names(gen, body);
  emit_enums(gen, body);
  emit_names(gen, body);
  emit_fields(gen, body);
  emit_layouts(gen, body);
  emit_operands(gen, body);
  emit_fixed(gen, body);
  gen_emit_numbers(body, "uint8_t", "modifiers", gen->modifiers.items);
  gen_emit_numbers(body, "uint16_t", "rule_lists", gen->rule_lists.items);
  emit_value_tables(gen, body);
  emit_encodings(gen, body);
  emit_encodings_by_name(gen, body);
  emit_codes(gen, body);
  emit_rules(gen, body);
  unsigned tokens = gen_emit_tokens(gen, body);
  unsigned mnemonics = gen_emit_mnemonics(gen, body);
  gen_emit_numbers(body, "NornIsaText", "texts", gen->texts.items);
  gen_emit_numbers(body, "uint8_t", "values", gen->values.items);
  gen_emit_numbers(body, "int32_t", "amounts", gen->amounts.items);
  emit_swizzles(gen, body);
  gen_emit_numbers(body, "uint32_t", "expressions", gen->expressions.items);
  emit_nodes(gen, body);
  gen_emit_numbers(body, "uint16_t", "entries", gen->entries.items);
  emit_sources(gen, body);
  emit_isa(gen, body, tokens, mnemonics);
  g_string_append_printf(out, "#include \"isa/tables.h\"\n#include <norn/%s.h>\n\n", gen->name);
  emit_strings(gen, out);
  g_string_append_len(out, body->str, (gssize)body->len);
  g_string_free(body, TRUE);
}
