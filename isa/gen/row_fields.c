/* The fields of a row, their settings, and expressions of them. */
#include "isa/gen/row.h"
#include <string.h>

/* --- Fields --- */

void
gen_row_parse_position(const EncodingRow *row, const char *name, const char *at,
                       NornIsaField *field) {
  unsigned position, width, high_position = 0, high_width = 0;
  if (!at)
    gen_fail(row->gen, row->row, "field '%s' has no position", name);
  /* At most five digits, so that sums do not overflow. */
  int count = sscanf(at, "%5u:%5u+%5u:%5u", &position, &width, &high_position, &high_width);
  unsigned bits = row->gen->word_bits;
  if (count < 2 || width < 1 || width + high_width > 32 || position + width > bits ||
      high_position + high_width > bits)
    gen_fail(row->gen, row->row, "field '%s': the position '%s' is not within the word", name, at);
  field->position = (uint8_t)position;
  field->width = (uint8_t)width;
  field->high_position = (uint8_t)high_position;
  field->high_width = (uint8_t)high_width;
  field->amounts = UINT32_MAX;
  field->swizzles = UINT32_MAX;
  field->enumeration = NORN_ISA_NONE;
}

static void
position_field(const EncodingRow *row, const char *name, const char *at, NornIsaField *field) {
  gen_row_parse_position(row, name, at, field);
  field->number = (uint16_t)gen_field_number(row->gen, name);
}

void
gen_row_claim(EncodingRow *row, const char *name, uint64_t bits, bool is_fixed) {
  NornIsaEncoding *encoding = &row->encoding;
  uint64_t taken = encoding->opcode | encoding->ignored;
  for (unsigned i = 0; i < row->fields->len; i++) {
    const NornIsaField *field = &g_array_index(row->fields, NornIsaField, i);
    if (!field->overlay)
      taken |= norn_isa_insert(field, UINT64_MAX);
  }
  if (taken & bits)
    gen_fail(row->gen, row->row, "field '%s' overlaps another (bits %#" G_GINT64_MODIFIER "x)",
             name, taken & bits);
  if (is_fixed)
    encoding->opcode |= bits;
}

uint8_t
gen_row_find_field(const EncodingRow *row, const char *name) {
  for (unsigned i = 0; i < row->field_names->len; i++) {
    if (strcmp(row->field_names->pdata[i], name) == 0)
      return (uint8_t)i;
  }
  return NORN_ISA_NO_FIELD;
}

static uint8_t
add_field(EncodingRow *row, const char *name, const NornIsaField *field) {
  uint8_t index = gen_row_find_field(row, name);
  if (index != NORN_ISA_NO_FIELD)
    gen_fail(row->gen, row->row, "field '%s' is used twice", name);
  if (field->overlay)
    row->encoding.overlaid = true;
  else
    gen_row_claim(row, name, norn_isa_insert(field, UINT64_MAX), false);
  if (row->fields->len == NORN_ISA_FIELDS)
    gen_fail(row->gen, row->row, "more than %d fields", NORN_ISA_FIELDS);
  g_array_append_vals(row->fields, field, 1);
  g_ptr_array_add(row->field_names, row->gen->field_names->pdata[field->number]);
  return (uint8_t)(row->fields->len - 1);
}

bool
gen_row_is_set(const EncodingRow *row, const char *name) {
  return g_hash_table_contains(row->settings, name);
}

static bool
in_list(const char *list, const char *name) {
  if (!list)
    return true;
  bool found = false;
  char **words = g_strsplit_set(list, " \n\t", -1);
  for (char **word = words; *word; word++)
    found |= strcmp(*word, name) == 0;
  g_strfreev(words);
  return found;
}

static void
check_allow(const EncodingRow *row, const char *name, const char *allow, unsigned enumeration) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  gen_row_append_names(list, allow ? allow : "");
  for (unsigned i = 0; i < list->len; i++) {
    const xmlNode *node = row->gen->enum_nodes->pdata[enumeration];
    if (!gen_child_at(row->gen, node, "value", list->pdata[i], 0))
      gen_fail(row->gen, row->row, "field '%s': enum '%s' has no value '%s'", name,
               gen_attribute(node, "name"), (char *)list->pdata[i]);
  }
  g_ptr_array_unref(list);
}

static void
fill_values(EncodingRow *row, const char *name, unsigned enumeration, NornIsaField *field) {
  Generator *gen = row->gen;
  unsigned width = norn_isa_field_width(field);
  if (width > 6)
    gen_fail(gen, row->row, "field '%s' has an enum but more than 6 bits", name);
  const char *allow = gen_row_definition(row, "field", name, "allow");
  const char *observed = gen_row_definition(row, "field", name, "observed");
  check_allow(row, name, allow, enumeration);
  check_allow(row, name, observed, enumeration);
  NornIsaText texts[64];
  int32_t amounts[64];
  NornIsaSwizzle swizzles[64];
  memset(swizzles, 0, sizeof swizzles);
  for (unsigned code = 0; code < 1u << width; code++) {
    const NornIsaEnumValue *value = gen_enum_value(gen, enumeration, code, row->architecture);
    const char *text = value ? gen_string(gen, value->name) : NULL;
    bool seen = value && observed && in_list(observed, text);
    bool legal = value && (seen || in_list(allow, text));
    bool silent = legal && field->has_default && !field->implied && code == field->default_value;
    texts[code] = silent ? 0 : legal ? value->name : NORN_ISA_TEXT_ILLEGAL;
    amounts[code] = value ? value->amount : (int32_t)code;
    if (value)
      swizzles[code] = value->swizzle;
    if (seen)
      field->observed |= UINT64_C(1) << code;
    else if (legal)
      field->allowed |= UINT64_C(1) << code;
  }
  if (!field->allowed)
    gen_fail(gen, row->row, "field '%s' has no legal value", name);
  field->texts = gen_pool_add(&gen->texts, texts, 1u << width);
  field->amounts = gen_pool_add(&gen->amounts, amounts, 1u << width);
  if (g_array_index(gen->enums, NornIsaEnum, enumeration).swizzles)
    field->swizzles = gen_pool_add(&gen->swizzles, swizzles, 1u << width);
}

static int
field_enum(const EncodingRow *row, const char *name) {
  const char *enumeration = gen_row_definition(row, "field", name, "enum");
  if (!enumeration)
    return -1;
  int number = gen_enum_number(row->gen, enumeration);
  if (number < 0)
    gen_fail(row->gen, row->row, "field '%s': unknown enum '%s'", name, enumeration);
  return number;
}

static void
fill_default(EncodingRow *row, const char *name, unsigned enumeration, NornIsaField *field) {
  const xmlNode *node = row->gen->enum_nodes->pdata[enumeration];
  const char *text = gen_row_definition(row, "field", name, "default");
  if (!text)
    text = gen_attribute_or(node, "default", "");
  const char *implied = gen_row_definition(row, "field", name, "implied");
  field->implied = implied ? strcmp(implied, "true") == 0 : gen_boolean_attribute(node, "implied");
  if (!*text)
    return;
  int64_t code = gen_enum_code(row->gen, enumeration, text, row->architecture);
  if (code < 0)
    gen_fail(row->gen, row->row, "field '%s': the default '%s' is not a value of its enum here",
             name, text);
  /* A default that is not allowed here is ignored. */
  field->has_default = in_list(gen_row_definition(row, "field", name, "allow"), text);
  field->default_value = field->has_default ? (uint32_t)code : 0;
}

static NornIsaNotation
field_notation(const EncodingRow *row, const char *name) {
  const char *notation = gen_row_definition(row, "field", name, "notation");
  if (g_strcmp0(notation, "negate") == 0)
    return NORN_ISA_NOTATION_NEGATE;
  return g_strcmp0(notation, "absolute") == 0 ? NORN_ISA_NOTATION_ABSOLUTE
                                              : NORN_ISA_NOTATION_SUFFIX;
}

uint8_t
gen_row_add_modifier(EncodingRow *row, const char *name) {
  if (!gen_row_is_defined(row, "field", name))
    gen_fail(row->gen, row->row, "unknown field '%s'", name);
  int enumeration = field_enum(row, name);
  if (enumeration < 0)
    gen_fail(row->gen, row->row, "modifier '%s' has no enum", name);
  NornIsaField field;
  memset(&field, 0, sizeof field);
  position_field(row, name, gen_row_definition(row, "field", name, "at"), &field);
  field.kind = NORN_ISA_FIELD_ENUM;
  field.notation = field_notation(row, name);
  field.overlay = g_strcmp0(gen_row_definition(row, "field", name, "overlay"), "true") == 0;
  field.enumeration = (uint16_t)enumeration;
  fill_default(row, name, (unsigned)enumeration, &field);
  fill_values(row, name, (unsigned)enumeration, &field);
  if (!field.has_default && !field.observed &&
      !(field.allowed & (field.allowed - 1))) { /* a single value need not be written */
    field.has_default = field.implied = true;
    field.default_value = (uint32_t)__builtin_ctzll(field.allowed);
  }
  return add_field(row, name, &field);
}

uint8_t
gen_row_add_number(EncodingRow *row, const char *name, const char *at, NornIsaFieldKind kind) {
  NornIsaField field;
  memset(&field, 0, sizeof field);
  position_field(row, name, at, &field);
  field.overlay = gen_row_operand_flag(row, name, "overlay");
  int enumeration = field_enum(row, name);
  if (enumeration >= 0) {
    field.enumeration = (uint16_t)enumeration;
    fill_values(row, name, (unsigned)enumeration, &field);
  }
  field.kind = (uint8_t)kind;
  return add_field(row, name, &field);
}

/* --- Settings --- */

void
gen_row_read_settings(EncodingRow *row) {
  for (unsigned i = row->scope->len; i-- > 0;) {
    const char *text = gen_attribute(row->scope->pdata[i], "set");
    if (!text)
      continue;
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    gen_row_append_names(list, text);
    for (unsigned k = 0; k < list->len; k++) {
      char *equals = strchr(list->pdata[k], '=');
      *equals = 0;
      g_hash_table_insert(row->settings, g_strdup(list->pdata[k]), g_strdup(equals + 1));
    }
    g_ptr_array_unref(list);
  }
}

const xmlNode *
gen_row_code_node(const EncodingRow *row, const char *operand) {
  const char *name = gen_row_operand_attribute(row, operand, "codes");
  const xmlNode *node = name ? gen_child_at(row->gen, row->gen->root, "codes", name, 0) : NULL;
  if (!node)
    gen_fail(row->gen, row->row, "operand '%s': unknown codes '%s'", operand, name ? name : "");
  return node;
}

/* The value of a setting: a number, a value name of the field's enum, or @ and the text of one of
 * its codes. */
static int64_t
setting_value(EncodingRow *row, const char *name, const char *text, const char *operand,
              NornIsaFixed *fixed) {
  Generator *gen = row->gen;
  int enumeration = field_enum(row, name);
  int64_t value = -1;
  if (*text == '@' && operand)
    value = gen_code_called(gen, gen_row_code_node(row, operand), row->architecture, text + 1);
  else if (enumeration >= 0)
    value = gen_enum_code(gen, (unsigned)enumeration, text, row->architecture);
  if (value < 0 && (g_ascii_isdigit(*text) || *text == '-'))
    value = gen_number(gen, row->row, text);
  if (value < 0)
    gen_fail(gen, row->row, "field '%s' has no value '%s'", name, text);
  if (enumeration >= 0) {
    const NornIsaEnumValue *entry =
        gen_enum_value(gen, (unsigned)enumeration, (uint32_t)value, row->architecture);
    fixed->text = entry ? entry->name : 0;
  }
  return value;
}

static void
add_fixed(EncodingRow *row, const char *name, const char *text) {
  const char *at = gen_row_definition(row, "field", name, "at");
  const char *operand = at ? NULL : gen_row_operand_of_field(row, name);
  if (operand)
    at = gen_row_operand_attribute(row, operand, "at");
  else if (!gen_row_is_defined(row, "field", name))
    gen_fail(row->gen, row->row, "unknown field '%s'", name);
  NornIsaField field;
  memset(&field, 0, sizeof field);
  position_field(row, name, at, &field);
  NornIsaFixed fixed;
  memset(&fixed, 0, sizeof fixed);
  int64_t value = setting_value(row, name, text, operand, &fixed);
  if (value >= INT64_C(1) << norn_isa_field_width(&field))
    gen_fail(row->gen, row->row, "field '%s' cannot hold '%s'", name, text);
  fixed.number = field.number;
  fixed.position = field.position;
  fixed.width = field.width;
  fixed.high_position = field.high_position;
  fixed.high_width = field.high_width;
  fixed.value = (uint32_t)value;
  gen_row_claim(row, name, norn_isa_insert(&field, UINT64_MAX), true);
  row->encoding.match |= norn_isa_insert(&field, fixed.value);
  g_array_append_val(row->fixed, fixed);
}

static int
compare_strings(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

void
gen_row_add_settings(EncodingRow *row) {
  unsigned count;
  gpointer *names = g_hash_table_get_keys_as_array(row->settings, &count);
  qsort(names, count, sizeof *names, compare_strings);
  for (unsigned i = 0; i < count; i++)
    add_fixed(row, names[i], g_hash_table_lookup(row->settings, names[i]));
  g_free(names);
}

/* --- Expressions --- */

static bool
lookup_field(void *data, const char *name, bool raw, uint32_t *index, int64_t *constant) {
  EncodingRow *row = data;
  uint8_t found = gen_row_find_field(row, name);
  if (found != NORN_ISA_NO_FIELD) {
    *index = found;
    return true;
  }
  if (row->alias && strcmp(name, "alternative") == 0) {
    *constant = row->alternative;
    return false;
  }
  *constant = 0;
  for (unsigned i = 0; i < row->fixed->len; i++) {
    const NornIsaFixed *fixed = &g_array_index(row->fixed, NornIsaFixed, i);
    if (strcmp(row->gen->field_names->pdata[fixed->number], name) != 0)
      continue;
    int enumeration = raw ? -1 : field_enum(row, name);
    const NornIsaEnumValue *value =
        enumeration < 0
            ? NULL
            : gen_enum_value(row->gen, (unsigned)enumeration, fixed->value, row->architecture);
    *constant = value ? (int64_t)value->amount : (int64_t)fixed->value;
    return false;
  }
  if (!gen_row_is_defined(row, "field", name) && !gen_row_is_absent(row, "field", name) &&
      !gen_row_operand_of_field(row, name))
    gen_fail(row->gen, row->expression, "unknown field '%s'", name);
  return false;
}

uint32_t
gen_row_expression(EncodingRow *row, const xmlNode *node, const char *text) {
  row->expression = node;
  return gen_expression(row->gen, node, text, lookup_field, row);
}
