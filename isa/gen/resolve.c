/* Resolves rows: what an instruction (or alias) looks like on each architecture. */
#include "isa/gen/gen.h"
#include <string.h>

/* A row on one architecture, and the encoding it becomes. */
typedef struct {
  Generator *gen;
  unsigned architecture;
  const xmlNode *alias, *variant, *instruction; /* alias, variant: nullable */
  const xmlNode *row;                           /* the innermost of these, for messages */
  unsigned alternative; /* which of the words that the alias asks for, from 1; no alias: 0 */
  GPtrArray *scope;     /* innermost first */
  GHashTable *settings; /* field name -> value text (owned both) */
  GArray *fields, *operands, *fixed, *modifiers, *rules;
  GPtrArray *field_names;
  NornIsaEncoding encoding;
  const xmlNode *bank; /* the code table whose bank field is in use */
} EncodingRow;

/* Scope */

static void
push_host(EncodingRow *row, const xmlNode *host) {
  unsigned first = row->scope->len;
  for (xmlNode *child = host->children; child; child = child->next) {
    if (gen_is(child, "refine") && gen_applies(row->gen, child, row->architecture))
      g_ptr_array_insert(row->scope, (gint)first, child);
  }
  g_ptr_array_add(row->scope, (gpointer)host);
}

static const char *
scope_attribute(const EncodingRow *row, const char *name) {
  for (unsigned i = 0; i < row->scope->len; i++) {
    const char *value = gen_attribute(row->scope->pdata[i], name);
    if (value && !gen_is(row->scope->pdata[i], "isa"))
      return value;
  }
  return NULL;
}

static void
push_layouts(EncodingRow *row) {
  const char *name = scope_attribute(row, "layout");
  for (unsigned depth = 0; name; depth++) {
    xmlNode *layout = gen_child(row->gen->root, "layout", name);
    if (!layout)
      gen_fail(row->gen, row->row, "there is no layout '%s'", name);
    if (depth == 16)
      gen_fail(row->gen, layout, "layouts extend each other more than 16 deep");
    push_host(row, layout);
    name = gen_attribute(layout, "extends");
  }
}

static void
build_scope(EncodingRow *row) {
  if (row->alias)
    push_host(row, row->alias);
  if (row->variant)
    push_host(row, row->variant);
  push_host(row, row->instruction);
  push_layouts(row);
  g_ptr_array_add(row->scope, row->gen->root);
}

/* The innermost value of an attribute of the field or operand called `name`. */
static const char *
definition(const EncodingRow *row, const char *element, const char *name, const char *attribute) {
  for (unsigned i = 0; i < row->scope->len; i++) {
    const xmlNode *host = row->scope->pdata[i];
    for (const xmlNode *node = host->children; node; node = node->next) {
      if (!gen_is(node, element) || strcmp(gen_attribute(node, "name"), name) != 0 ||
          !gen_applies(row->gen, node, row->architecture))
        continue;
      const char *value = gen_attribute(node, attribute);
      if (value)
        return value;
    }
  }
  return NULL;
}

static bool
is_defined(const EncodingRow *row, const char *element, const char *name) {
  return definition(row, element, name, "name") != NULL;
}

/* Whether a listed name is to be left out: it is defined, but not for this architecture. */
static bool
is_absent(const EncodingRow *row, const char *element, const char *name) {
  if (is_defined(row, element, name))
    return false;
  for (unsigned i = 0; i < row->scope->len; i++) {
    if (gen_child(row->scope->pdata[i], element, name))
      return true;
  }
  return false;
}

/* As definition(), for an operand, which may extend another. */
static const char *
operand_attribute(const EncodingRow *row, const char *name, const char *attribute) {
  for (unsigned depth = 0; name; depth++) {
    const char *value = definition(row, "operand", name, attribute);
    if (value)
      return value;
    if (depth == 16)
      gen_fail(row->gen, row->row, "operand '%s' extends too many others", name);
    const char *parent = definition(row, "operand", name, "extends");
    if (parent && !is_defined(row, "operand", parent))
      gen_fail(row->gen, row->row, "there is no operand '%s'", parent);
    name = parent;
  }
  return NULL;
}

static int64_t
operand_number(const EncodingRow *row, const char *name, const char *attribute, int64_t fallback) {
  const char *text = operand_attribute(row, name, attribute);
  return text ? gen_number(row->gen, row->row, text) : fallback;
}

static bool
operand_flag(const EncodingRow *row, const char *name, const char *attribute) {
  return g_strcmp0(operand_attribute(row, name, attribute), "true") == 0;
}

/* The operand whose code or number is the field `field`, or NULL. */
static const char *
operand_of_field(const EncodingRow *row, const char *field) {
  for (unsigned i = 0; i < row->scope->len; i++) {
    const xmlNode *host = row->scope->pdata[i];
    for (const xmlNode *node = host->children; node; node = node->next) {
      if (!gen_is(node, "operand") || !gen_applies(row->gen, node, row->architecture))
        continue;
      const char *name = gen_attribute(node, "name");
      if (strcmp(gen_attribute_or(node, "field", name), field) == 0 &&
          operand_attribute(row, name, "at"))
        return name;
    }
  }
  return NULL;
}

/* Lists */

static void
append_names(GPtrArray *list, const char *text) {
  char **words = g_strsplit_set(text, " \n\t", -1);
  for (char **word = words; *word; word++) {
    if (**word)
      g_ptr_array_add(list, g_strdup(*word));
  }
  g_strfreev(words);
}

/* The row's own list, then those of the layouts, nearest first. A refinement replaces its host. */
static GPtrArray *
joined_list(const EncodingRow *row, const char *attribute) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  const xmlNode *done = NULL;
  for (unsigned i = 0; i < row->scope->len; i++) {
    const xmlNode *node = row->scope->pdata[i];
    const char *text = gen_attribute(node, attribute);
    const xmlNode *group = gen_is(node, "refine") ? node->parent : node;
    if (!gen_is(group, "layout"))
      group = row->instruction;
    if (!text || group == done || gen_is(node, "isa"))
      continue;
    append_names(list, text);
    done = group;
  }
  return list;
}

/* The lists of all hosts together. */
static GPtrArray *
united_list(const EncodingRow *row, const char *attribute) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  for (unsigned i = 0; i < row->scope->len; i++) {
    const char *text = gen_attribute(row->scope->pdata[i], attribute);
    if (text && !gen_is(row->scope->pdata[i], "isa"))
      append_names(list, text);
  }
  return list;
}

/* Fields */

static void
parse_position(const EncodingRow *row, const char *name, const char *at, NornIsaField *field) {
  unsigned position, width, high_position = 0, high_width = 0;
  if (!at)
    gen_fail(row->gen, row->row, "field '%s' has no position", name);
  int count = sscanf(at, "%u:%u+%u:%u", &position, &width, &high_position, &high_width);
  unsigned bits = row->gen->word_bits;
  if (count < 2 || width < 1 || width + high_width > 32 || position + width > bits ||
      high_position + high_width > bits)
    gen_fail(row->gen, row->row, "field '%s': '%s' does not fit the word", name, at);
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
  parse_position(row, name, at, field);
  field->number = (uint16_t)gen_field_number(row->gen, name);
}

/* Claims the bits of a field; no two may share any. */
static void
claim(EncodingRow *row, const char *name, uint64_t bits, bool is_fixed) {
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

static uint8_t
find_field(const EncodingRow *row, const char *name) {
  for (unsigned i = 0; i < row->field_names->len; i++) {
    if (strcmp(row->field_names->pdata[i], name) == 0)
      return (uint8_t)i;
  }
  return NORN_ISA_NO_FIELD;
}

static uint8_t
add_field(EncodingRow *row, const char *name, const NornIsaField *field) {
  uint8_t index = find_field(row, name);
  if (index != NORN_ISA_NO_FIELD)
    gen_fail(row->gen, row->row, "field '%s' is used twice", name);
  if (field->overlay)
    row->encoding.overlaid = true;
  else
    claim(row, name, norn_isa_insert(field, UINT64_MAX), false);
  if (row->fields->len == NORN_ISA_FIELDS)
    gen_fail(row->gen, row->row, "more than %d fields", NORN_ISA_FIELDS);
  g_array_append_vals(row->fields, field, 1);
  g_ptr_array_add(row->field_names, row->gen->field_names->pdata[field->number]);
  return (uint8_t)(row->fields->len - 1);
}

static bool
is_set(const EncodingRow *row, const char *name) {
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
  append_names(list, allow ? allow : "");
  for (unsigned i = 0; i < list->len; i++) {
    const xmlNode *node = row->gen->enum_nodes->pdata[enumeration];
    if (!gen_child(node, "value", list->pdata[i]))
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
  const char *allow = definition(row, "field", name, "allow");
  const char *observed = definition(row, "field", name, "observed");
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
  const char *enumeration = definition(row, "field", name, "enum");
  if (!enumeration)
    return -1;
  int number = gen_enum_number(row->gen, enumeration);
  if (number < 0)
    gen_fail(row->gen, row->row, "field '%s': there is no enum '%s'", name, enumeration);
  return number;
}

static void
fill_default(EncodingRow *row, const char *name, unsigned enumeration, NornIsaField *field) {
  const xmlNode *node = row->gen->enum_nodes->pdata[enumeration];
  const char *text = definition(row, "field", name, "default");
  if (!text)
    text = gen_attribute_or(node, "default", "");
  const char *implied = definition(row, "field", name, "implied");
  field->implied = implied ? strcmp(implied, "true") == 0 : gen_boolean_attribute(node, "implied");
  if (!*text)
    return;
  int64_t code = gen_enum_code(row->gen, enumeration, text, row->architecture);
  if (code < 0)
    gen_fail(row->gen, row->row, "field '%s': default '%s' is no value of its enum here", name,
             text);
  /* A default that is not allowed here is none. */
  field->has_default = in_list(definition(row, "field", name, "allow"), text);
  field->default_value = field->has_default ? (uint32_t)code : 0;
}

static NornIsaNotation
field_notation(const EncodingRow *row, const char *name) {
  const char *notation = definition(row, "field", name, "notation");
  if (g_strcmp0(notation, "negate") == 0)
    return NORN_ISA_NOTATION_NEGATE;
  return g_strcmp0(notation, "absolute") == 0 ? NORN_ISA_NOTATION_ABSOLUTE
                                              : NORN_ISA_NOTATION_SUFFIX;
}

/* A modifier: a field with an enum. */
static uint8_t
add_modifier(EncodingRow *row, const char *name) {
  if (!is_defined(row, "field", name))
    gen_fail(row->gen, row->row, "there is no field '%s'", name);
  int enumeration = field_enum(row, name);
  if (enumeration < 0)
    gen_fail(row->gen, row->row, "modifier '%s' has no enum", name);
  NornIsaField field;
  memset(&field, 0, sizeof field);
  position_field(row, name, definition(row, "field", name, "at"), &field);
  field.kind = NORN_ISA_FIELD_ENUM;
  field.notation = field_notation(row, name);
  field.overlay = g_strcmp0(definition(row, "field", name, "overlay"), "true") == 0;
  field.enumeration = (uint16_t)enumeration;
  fill_default(row, name, (unsigned)enumeration, &field);
  fill_values(row, name, (unsigned)enumeration, &field);
  if (!field.has_default && !field.observed &&
      !(field.allowed & (field.allowed - 1))) { /* a single value needs no word */
    field.has_default = field.implied = true;
    field.default_value = (uint32_t)__builtin_ctzll(field.allowed);
  }
  return add_field(row, name, &field);
}

/* A field of numbers, with the amounts of its enum if it has one. */
static uint8_t
add_number(EncodingRow *row, const char *name, const char *at, NornIsaFieldKind kind) {
  NornIsaField field;
  memset(&field, 0, sizeof field);
  position_field(row, name, at, &field);
  field.overlay = operand_flag(row, name, "overlay");
  int enumeration = field_enum(row, name);
  if (enumeration >= 0) {
    field.enumeration = (uint16_t)enumeration;
    fill_values(row, name, (unsigned)enumeration, &field);
  }
  field.kind = (uint8_t)kind;
  return add_field(row, name, &field);
}

/* Settings */

static void
read_settings(EncodingRow *row) {
  for (unsigned i = row->scope->len; i-- > 0;) {
    const char *text = gen_attribute(row->scope->pdata[i], "set");
    if (!text)
      continue;
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    append_names(list, text);
    for (unsigned k = 0; k < list->len; k++) {
      char *equals = strchr(list->pdata[k], '=');
      *equals = 0;
      g_hash_table_insert(row->settings, g_strdup(list->pdata[k]), g_strdup(equals + 1));
    }
    g_ptr_array_unref(list);
  }
}

static const xmlNode *
code_node(const EncodingRow *row, const char *operand) {
  const char *name = operand_attribute(row, operand, "codes");
  const xmlNode *node = name ? gen_child(row->gen->root, "codes", name) : NULL;
  if (!node)
    gen_fail(row->gen, row->row, "operand '%s': there are no codes '%s'", operand,
             name ? name : "");
  return node;
}

/* The value of a setting: a number, a name of the field's enum, or @ and a text of its codes. */
static int64_t
setting_value(EncodingRow *row, const char *name, const char *text, const char *operand,
              NornIsaFixed *fixed) {
  Generator *gen = row->gen;
  int enumeration = field_enum(row, name);
  int64_t value = -1;
  if (*text == '@' && operand)
    value = gen_code_called(gen, code_node(row, operand), row->architecture, text + 1);
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
  const char *at = definition(row, "field", name, "at");
  const char *operand = at ? NULL : operand_of_field(row, name);
  if (operand)
    at = operand_attribute(row, operand, "at");
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
  claim(row, name, norn_isa_insert(&field, UINT64_MAX), true);
  row->encoding.match |= norn_isa_insert(&field, fixed.value);
  g_array_append_val(row->fixed, fixed);
}

static int
compare_strings(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
add_settings(EncodingRow *row) {
  unsigned count;
  gpointer *names = g_hash_table_get_keys_as_array(row->settings, &count);
  qsort(names, count, sizeof *names, compare_strings);
  for (unsigned i = 0; i < count; i++)
    add_fixed(row, names[i], g_hash_table_lookup(row->settings, names[i]));
  g_free(names);
}

/* Expressions */

static bool
lookup_field(void *data, const char *name, bool raw, uint32_t *index, int64_t *constant) {
  EncodingRow *row = data;
  uint8_t found = find_field(row, name);
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
  if (!is_defined(row, "field", name) && !is_absent(row, "field", name) &&
      !operand_of_field(row, name))
    gen_fail(row->gen, row->row, "there is no field '%s'", name);
  return false;
}

static uint32_t
expression(EncodingRow *row, const char *text) {
  return gen_expression(row->gen, row->row, text, lookup_field, row);
}

/* Operands */

static NornIsaOperandRole
operand_role(const EncodingRow *row, const char *name) {
  const char *kind = operand_attribute(row, name, "kind");
  const char *access = operand_attribute(row, name, "access");
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
  append_names(names, list ? list : "");
  for (unsigned i = 0; i < names->len; i++) {
    if (is_set(row, names->pdata[i]) || is_absent(row, "field", names->pdata[i]))
      continue;
    if (operand->modifier_count == NORN_ISA_OPERAND_MODIFIERS)
      gen_fail(row->gen, row->row, "more than %d modifiers on an operand",
               NORN_ISA_OPERAND_MODIFIERS);
    const char *at = definition(row, "field", names->pdata[i], "at");
    uint8_t index = bits ? add_number(row, names->pdata[i], at, NORN_ISA_FIELD_NUMBER)
                         : add_modifier(row, names->pdata[i]);
    operand->modifiers[operand->modifier_count++] = index;
    if (g_array_index(row->fields, NornIsaField, index).notation != NORN_ISA_NOTATION_SUFFIX)
      operand->wrapped = true;
  }
  g_ptr_array_unref(names);
}

static void
fill_codes(EncodingRow *row, const char *name, NornIsaOperand *operand) {
  Generator *gen = row->gen;
  const xmlNode *node = code_node(row, name);
  if (gen_attribute(node, "bank"))
    row->bank = node;
  operand->words = (uint8_t)(operand_number(row, name, "size", 32) / 32);
  if (operand->words < 1 || operand->words > 16)
    gen_fail(gen, row->row, "operand '%s': size out of range", name);
  operand->codes = (uint16_t)gen_code_table(gen, node, row->architecture);
  bool staging = operand->role >= NORN_ISA_OPERAND_STAGING_READ &&
                 operand->role <= NORN_ISA_OPERAND_STAGING_BOTH;
  operand->name_table =
      (uint16_t)gen_name_table(gen, node, row->architecture, staging ? 1 : operand->words,
                               operand_attribute(row, name, "kinds"));
  operand->texts = g_array_index(gen->name_tables, NameTable, operand->name_table).texts;
}

static void
fill_immediate(EncodingRow *row, const char *name, NornIsaOperand *operand, unsigned width) {
  operand->is_signed = operand_flag(row, name, "signed");
  const char *radix = operand_attribute(row, name, "radix");
  operand->decimal = radix ? strcmp(radix, "decimal") == 0 : operand->is_signed;
  operand->scale = (uint8_t)operand_number(row, name, "scale", 0);
  operand->multiple = (uint32_t)operand_number(row, name, "multiple", 1);
  if (operand->scale > 16 || !operand->multiple)
    gen_fail(row->gen, row->row, "operand '%s': scale or multiple out of range", name);
  int64_t limit = INT64_C(1) << (operand->is_signed ? width - 1 : width);
  int64_t low = operand->is_signed ? -limit : 0;
  operand->minimum = operand_number(row, name, "minimum", low * (1 << operand->scale));
  operand->maximum = operand_number(row, name, "maximum", (limit - 1) * (1 << operand->scale));
  operand->also = (uint32_t)operand_number(row, name, "also", 0);
}

/* A count that is the bare name of a field not used otherwise: the field holds it. */
static void
add_count_field(EncodingRow *row, const char *count) {
  if (!count || !is_defined(row, "field", count) || is_set(row, count) ||
      find_field(row, count) != NORN_ISA_NO_FIELD || definition(row, "field", count, "derive"))
    return;
  add_number(row, count, definition(row, "field", count, "at"), NORN_ISA_FIELD_COUNT);
}

static void
add_operand(EncodingRow *row, const char *name) {
  const char *field = operand_attribute(row, name, "field");
  if (!field)
    field = name;
  if (is_set(row, field))
    return;
  NornIsaOperand operand;
  memset(&operand, 0, sizeof operand);
  operand.role = (uint8_t)operand_role(row, name);
  operand.field = NORN_ISA_NO_FIELD;
  operand.name = gen_intern(row->gen, field);
  operand.title = gen_intern(row->gen, operand_attribute(row, name, "title"));
  operand.prefix = gen_intern(row->gen, operand_attribute(row, name, "prefix"));
  operand.multiple = 1;
  operand.count = UINT32_MAX;
  if (operand.role == NORN_ISA_OPERAND_LIST) {
    add_operand_modifiers(row, &operand, operand_attribute(row, name, "fields"), true);
  } else {
    bool codes = operand.role <= NORN_ISA_OPERAND_STAGING_BOTH;
    operand.field = add_number(row, field, operand_attribute(row, name, "at"),
                               codes ? NORN_ISA_FIELD_CODE : NORN_ISA_FIELD_NUMBER);
    const NornIsaField *placed = &g_array_index(row->fields, NornIsaField, operand.field);
    unsigned width = norn_isa_field_width(placed);
    if (codes)
      fill_codes(row, name, &operand);
    else
      fill_immediate(row, name, &operand, width);
    add_operand_modifiers(row, &operand, operand_attribute(row, name, "modifiers"), false);
  }
  g_array_append_val(row->operands, operand);
}

static void
add_word(EncodingRow *row, const char *name) {
  if (is_set(row, name))
    return;
  NornIsaOperand operand;
  memset(&operand, 0, sizeof operand);
  operand.role = NORN_ISA_OPERAND_WORD;
  operand.name = gen_intern(row->gen, name);
  operand.count = UINT32_MAX;
  operand.field = add_modifier(row, name);
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

static void
add_operands(EncodingRow *row, GPtrArray *names) {
  for (unsigned i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    if (*name == '\'')
      add_literal(row, name);
    else if (is_defined(row, "operand", name))
      add_operand(row, name);
    else if (is_defined(row, "field", name))
      add_word(row, name);
    else if (!is_absent(row, "operand", name) && !is_absent(row, "field", name))
      gen_fail(row->gen, row->row, "there is no operand '%s'", name);
  }
}

/* Counts of staging operands; the names are those add_operands() went through. */
static void
add_counts(EncodingRow *row, GPtrArray *names) {
  unsigned k = 0;
  for (unsigned i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    const char *field = *name == '\'' ? NULL : operand_attribute(row, name, "field");
    if (*name != '\'' && (is_set(row, field ? field : name) ||
                          (!is_defined(row, "operand", name) && !is_defined(row, "field", name))))
      continue;
    NornIsaOperand *operand = &g_array_index(row->operands, NornIsaOperand, k++);
    if (operand->role < NORN_ISA_OPERAND_STAGING_READ ||
        operand->role > NORN_ISA_OPERAND_STAGING_BOTH)
      continue;
    const char *count = operand_attribute(row, name, "count");
    if (!count)
      gen_fail(row->gen, row->row, "staging operand '%s' has no count", name);
    add_count_field(row, count);
    const char *derive = is_set(row, count) ? NULL : definition(row, "field", count, "derive");
    operand->count = expression(row, derive ? derive : count);
    const uint32_t *code = &g_array_index(row->gen->expressions.items, uint32_t, operand->count);
    bool constant = (code[0] & 0xFF) == NORN_ISA_EXPRESSION_CONSTANT &&
                    (code[2] & 0xFF) == NORN_ISA_EXPRESSION_END;
    operand->words = constant && code[1] <= 64 ? (uint8_t)code[1] : 0;
  }
}

static void
add_bank(EncodingRow *row) {
  const char *name = row->bank ? gen_attribute(row->bank, "bank") : NULL;
  if (name && !is_set(row, name) && find_field(row, name) == NORN_ISA_NO_FIELD)
    add_number(row, name, definition(row, "field", name, "at"), NORN_ISA_FIELD_BANK);
}

/* What kinds of fields there are. */
static void
add_kinds(EncodingRow *row) {
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

/* Tables for what follows from few bits of the word. */
static void
add_tables(EncodingRow *row) {
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

/* The rest of a row */

static void
add_modifiers(EncodingRow *row) {
  GPtrArray *names = joined_list(row, "modifiers");
  for (unsigned i = 0; i < names->len; i++) {
    if (is_set(row, names->pdata[i]) || is_absent(row, "field", names->pdata[i]))
      continue;
    uint8_t index = add_modifier(row, names->pdata[i]);
    g_array_append_val(row->modifiers, index);
  }
  g_ptr_array_unref(names);
}

static void
add_derived(EncodingRow *row) {
  GPtrArray *names = united_list(row, "derived");
  for (unsigned i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    if (is_set(row, name) || is_absent(row, "field", name) ||
        find_field(row, name) != NORN_ISA_NO_FIELD)
      continue;
    if (!definition(row, "field", name, "derive"))
      gen_fail(row->gen, row->row, "derived field '%s' has no derivation", name);
    add_number(row, name, definition(row, "field", name, "at"), NORN_ISA_FIELD_DERIVED);
  }
  for (unsigned i = 0; i < names->len; i++) {
    uint8_t index = find_field(row, names->pdata[i]);
    if (index == NORN_ISA_NO_FIELD)
      continue;
    NornIsaField *field = &g_array_index(row->fields, NornIsaField, index);
    if (field->kind == NORN_ISA_FIELD_DERIVED)
      field->expression = expression(row, definition(row, "field", names->pdata[i], "derive"));
  }
  g_ptr_array_unref(names);
}

static void
add_ignored(EncodingRow *row) {
  GPtrArray *ranges = united_list(row, "ignored");
  for (unsigned i = 0; i < ranges->len; i++) {
    NornIsaField field;
    memset(&field, 0, sizeof field);
    parse_position(row, "ignored", ranges->pdata[i], &field);
    uint64_t bits = norn_isa_insert(&field, UINT64_MAX);
    claim(row, "ignored", bits, false);
    row->encoding.ignored |= bits;
  }
  g_ptr_array_unref(ranges);
}

static void
add_rules(EncodingRow *row) {
  for (unsigned i = 0; i < row->scope->len; i++) {
    const xmlNode *host = row->scope->pdata[i];
    for (const xmlNode *node = host->children; node; node = node->next) {
      if (!gen_is(node, "rule") || !gen_applies(row->gen, node, row->architecture))
        continue;
      NornIsaRule rule;
      memset(&rule, 0, sizeof rule);
      rule.name = gen_intern(row->gen, gen_attribute(node, "name"));
      rule.message = gen_intern(row->gen, gen_attribute(node, "message"));
      rule.expression =
          gen_expression(row->gen, node, gen_attribute(node, "require"), lookup_field, row);
      uint16_t index = (uint16_t)gen_pool_add(&row->gen->rules, &rule, 1);
      g_array_append_val(row->rules, index);
    }
  }
}

static int
find_label(const EncodingRow *row, GPtrArray *labels, const char *what, const char *name) {
  for (unsigned i = 0; i < labels->len; i++) {
    if (strcmp(gen_attribute(labels->pdata[i], "name"), name) == 0)
      return (int)i;
  }
  gen_fail(row->gen, row->row, "there is no %s '%s'", what, name);
}

/* What is said, or the registers of the largest result. */
static uint32_t
cost_expression(EncodingRow *row) {
  const char *cost = scope_attribute(row, "cost");
  unsigned words = 1;
  for (unsigned i = 0; i < row->operands->len; i++) {
    const NornIsaOperand *operand = &g_array_index(row->operands, NornIsaOperand, i);
    if (operand->role == NORN_ISA_OPERAND_DESTINATION)
      words = MAX(words, operand->words);
  }
  g_autofree char *number = g_strdup_printf("%u", words);
  return expression(row, cost ? cost : number);
}

static void
add_facts(EncodingRow *row) {
  const char *unit = scope_attribute(row, "unit");
  row->encoding.unit =
      unit ? (uint8_t)find_label(row, row->gen->units, "unit", unit) : (uint8_t)0xFF;
  row->encoding.cost = cost_expression(row);
  GPtrArray *flags = united_list(row, "flags");
  for (unsigned i = 0; i < flags->len; i++)
    row->encoding.flags |= 1u << find_label(row, row->gen->flags, "flag", flags->pdata[i]);
  g_ptr_array_unref(flags);
  /* A variant is named by its type, if nothing else is said. */
  const char *type = scope_attribute(row, "type");
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
      /* Where only one value is legal the text may leave it out. */
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

static void
resolve_row(EncodingRow *row) {
  build_scope(row);
  read_settings(row);
  add_settings(row);
  const char *list = scope_attribute(row, "operands");
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  append_names(names, list ? list : "");
  add_operands(row, names);
  add_modifiers(row);
  add_counts(row, names);
  add_bank(row);
  add_derived(row);
  add_ignored(row);
  add_rules(row);
  add_facts(row);
  finish_word(row);
  g_ptr_array_unref(names);
}

/* Storing */

static uint32_t
store_field_indices(const EncodingRow *row) {
  /* Field numbers are not all known yet: indices are stored as pairs and spread out on output. */
  uint8_t pairs[NORN_ISA_FIELDS * 3 + 1];
  unsigned count = 0;
  for (unsigned i = 0; i < row->fields->len; i++) {
    const NornIsaField *field = &g_array_index(row->fields, NornIsaField, i);
    pairs[count++] = (uint8_t)field->number;
    pairs[count++] = (uint8_t)(field->number >> 8);
    pairs[count++] = (uint8_t)i;
  }
  pairs[count++] = 0xFF;
  return gen_pool_add(&row->gen->field_indices, pairs, count);
}

static uint32_t
store_layouts(EncodingRow *row) {
  NornIsaFieldLayout layouts;
  memset(&layouts, 0, sizeof layouts);
  for (unsigned i = 0; i < row->fields->len; i++) {
    const NornIsaField *field = &g_array_index(row->fields, NornIsaField, i);
    layouts.masks[i] = (uint32_t)norn_isa_mask(field->width);
    layouts.shifts[i] = field->position;
    row->encoding.split |= field->high_width != 0;
  }
  return gen_pool_add(&row->gen->layouts, &layouts, 1);
}

static unsigned
store_encoding(EncodingRow *row) {
  Generator *gen = row->gen;
  GenEncoding entry;
  memset(&entry, 0, sizeof entry);
  entry.layouts = store_layouts(row);
  entry.encoding = row->encoding;
  entry.encoding.field_count = (uint8_t)row->fields->len;
  entry.encoding.operand_count = (uint8_t)row->operands->len;
  entry.encoding.fixed_count = (uint8_t)row->fixed->len;
  entry.encoding.modifier_count = (uint8_t)row->modifiers->len;
  entry.encoding.rule_count = (uint8_t)row->rules->len;
  entry.fields = gen_pool_add(&gen->fields, row->fields->data, row->fields->len);
  entry.operands = gen_pool_add(&gen->operands, row->operands->data, row->operands->len);
  entry.fixed = gen_pool_add(&gen->fixed, row->fixed->data, row->fixed->len);
  entry.modifiers = gen_pool_add(&gen->modifiers, row->modifiers->data, row->modifiers->len);
  entry.rules = gen_pool_add(&gen->rule_lists, row->rules->data, row->rules->len);
  entry.field_indices = store_field_indices(row);
  GBytes *key = g_bytes_new(&entry, sizeof entry);
  gpointer found = g_hash_table_lookup(gen->encoding_index, key);
  unsigned index = found ? GPOINTER_TO_UINT(found) - 1 : gen->encodings->len;
  if (found) {
    g_bytes_unref(key);
  } else {
    if (index >= 0x7FFF)
      gen_fail(gen, row->row, "too many encodings");
    entry.encoding.since = (uint8_t)row->architecture;
    g_array_append_val(gen->encodings, entry);
    g_hash_table_insert(gen->encoding_index, key, GUINT_TO_POINTER(index + 1));
  }
  g_array_index(gen->encodings, GenEncoding, index).encoding.until = (uint8_t)row->architecture;
  return index;
}

static void
clear_row(EncodingRow *row) {
  g_ptr_array_unref(row->scope);
  g_hash_table_unref(row->settings);
  g_array_unref(row->fields);
  g_array_unref(row->operands);
  g_array_unref(row->fixed);
  g_array_unref(row->modifiers);
  g_array_unref(row->rules);
  g_ptr_array_unref(row->field_names);
}

/* The texts of the mnemonic, where they are not the name. */
static void
add_mnemonics(EncodingRow *row) {
  NornIsaText name = g_array_index(row->gen->names, NornIsaName, row->encoding.name).text;
  const char *mnemonic = row->alias ? NULL : scope_attribute(row, "mnemonic");
  const char *alternate = row->alias ? NULL : scope_attribute(row, "alternate");
  row->encoding.mnemonic = mnemonic ? gen_intern(row->gen, mnemonic) : name;
  row->encoding.alternate = alternate ? gen_intern(row->gen, alternate) : row->encoding.mnemonic;
}

/* One row under one name. */
typedef struct {
  const xmlNode *alias, *variant, *instruction;
  unsigned name, target; /* alias: the name it stands for */
  unsigned alternative;  /* alias: which of the words it asks for, from 1 */
} Entry;

static void
add_encoding(Generator *gen, unsigned architecture, const Entry *entry) {
  EncodingRow row;
  memset(&row, 0, sizeof row);
  row.gen = gen;
  row.architecture = architecture;
  row.alias = entry->alias;
  row.variant = entry->variant;
  row.instruction = entry->instruction;
  row.row = entry->alias ? entry->alias : entry->variant ? entry->variant : entry->instruction;
  row.alternative = entry->alternative;
  row.scope = g_ptr_array_new();
  row.settings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  row.fields = g_array_new(FALSE, TRUE, sizeof(NornIsaField));
  row.operands = g_array_new(FALSE, TRUE, sizeof(NornIsaOperand));
  row.fixed = g_array_new(FALSE, TRUE, sizeof(NornIsaFixed));
  row.modifiers = g_array_new(FALSE, TRUE, sizeof(uint8_t));
  row.rules = g_array_new(FALSE, TRUE, sizeof(uint16_t));
  row.field_names = g_ptr_array_new();
  row.encoding.instruction = (uint16_t)(entry->alias ? entry->target : entry->name);
  row.encoding.name = (uint16_t)entry->name;
  resolve_row(&row);
  add_mnemonics(&row);
  add_kinds(&row);
  add_tables(&row);
  unsigned index = store_encoding(&row);
  g_array_index(gen->encoding_of, uint16_t, architecture * gen->names->len + entry->name) =
      (uint16_t)index;
  clear_row(&row);
}

/* Names: instructions first, then aliases */

/* The texts of the elements called `element`, one in a line; reasons start with "SOURCE ITEMS: " if
 * they name a source. Returns the offset in the string pool. */
static uint32_t
describe(Generator *gen, const xmlNode *instruction, const xmlNode *variant, const char *element) {
  const xmlNode *hosts[2] = {variant, instruction};
  GString *all = g_string_new(NULL);
  for (unsigned i = 0; i < 2; i++) {
    for (const xmlNode *node = hosts[i] ? hosts[i]->children : NULL; node; node = node->next) {
      if (!gen_is(node, element))
        continue;
      char *text = gen_content(node);
      const char *source = gen_attribute(node, "source");
      if (all->len)
        g_string_append_c(all, '\n');
      if (source)
        g_string_append_printf(all, "%s %s: ", source, gen_attribute_or(node, "item", ""));
      g_string_append(all, text);
      g_free(text);
    }
    if (all->len && strcmp(element, "text") == 0)
      break;
  }
  uint32_t offset = gen_intern(gen, all->str) >> 8;
  g_string_free(all, TRUE);
  return offset;
}

static const char *
either(const xmlNode *variant, const xmlNode *instruction, const char *attribute) {
  const char *value = variant ? gen_attribute(variant, attribute) : NULL;
  return value ? value : gen_attribute(instruction, attribute);
}

static unsigned
range_since(Generator *gen, const xmlNode *a, const xmlNode *b) {
  unsigned first = gen_since(gen, a), second = b ? gen_since(gen, b) : 0;
  return first > second ? first : second;
}

static unsigned
range_until(Generator *gen, const xmlNode *a, const xmlNode *b) {
  unsigned first = gen_until(gen, a), second = b ? gen_until(gen, b) : first;
  return first < second ? first : second;
}

static int
find_name(const Generator *gen, const char *text, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    NornIsaText name = g_array_index(gen->names, NornIsaName, i).text;
    if (strcmp(gen_string(gen, name), text) == 0)
      return (int)i;
  }
  return -1;
}

/* The words that an alias asks for. */
static void
add_with(Generator *gen, const xmlNode *row, const char *with, NornIsaName *name) {
  GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
  append_names(words, with);
  GArray *texts = g_array_new(FALSE, FALSE, sizeof(NornIsaText));
  for (unsigned i = 0; i < words->len; i++) {
    NornIsaText text = gen_intern(gen, words->pdata[i]);
    g_array_append_val(texts, text);
  }
  uint32_t position = gen_pool_add(&gen->texts, texts->data, texts->len);
  if (position > UINT16_MAX || texts->len > 31)
    gen_fail(gen, row, "too many words or texts");
  name->with = (uint16_t)position;
  name->with_count = (uint8_t)texts->len;
  g_array_unref(texts);
  g_ptr_array_unref(words);
}

static unsigned
add_name(Generator *gen, const xmlNode *row, const char *text, const char *with,
         const xmlNode *instruction, const xmlNode *variant) {
  unsigned since = range_since(gen, row, row == variant ? instruction : NULL);
  unsigned until = range_until(gen, row, row == variant ? instruction : NULL);
  int found = gen_is(row, "alias") ? -1 : find_name(gen, text, gen->names->len);
  if (found >= 0) {
    NornIsaName *name = &g_array_index(gen->names, NornIsaName, found);
    name->since = (uint8_t)(since < name->since ? since : name->since);
    name->until = (uint8_t)(until > name->until ? until : name->until);
    return (unsigned)found;
  }
  NornIsaName name;
  memset(&name, 0, sizeof name);
  name.text = gen_intern(gen, text);
  name.title = gen_intern(gen, gen_is(row, "alias") && gen_attribute(row, "title")
                                   ? gen_attribute(row, "title")
                                   : either(variant, instruction, "title"));
  name.section = gen_intern(gen, either(variant, instruction, "section"));
  name.description = describe(gen, instruction, variant, "text");
  name.reason = gen_is(row, "alias") ? describe(gen, row, NULL, "reason")
                                     : describe(gen, instruction, variant, "reason");
  name.since = (uint8_t)since;
  name.until = (uint8_t)until;
  name.instruction = (uint16_t)gen->names->len;
  add_with(gen, row, with, &name);
  g_array_append_val(gen->names, name);
  return gen->names->len - 1;
}

static void
list_instruction(Generator *gen, xmlNode *instruction, GArray *entries) {
  bool has_variants = false;
  for (xmlNode *child = instruction->children; child; child = child->next) {
    if (!gen_is(child, "variant"))
      continue;
    has_variants = true;
    char *text =
        g_strdup_printf("%s.%s", gen_attribute(instruction, "name"), gen_attribute(child, "name"));
    Entry entry = {NULL, child, instruction, add_name(gen, child, text, "", instruction, child),
                   0,    0};
    g_array_append_val(entries, entry);
    g_free(text);
  }
  if (has_variants)
    return;
  const char *text = gen_attribute(instruction, "name");
  Entry entry = {NULL, NULL, instruction, add_name(gen, instruction, text, "", instruction, NULL),
                 0,    0};
  g_array_append_val(entries, entry);
}

/* An alias of the row `target`, called `text`; one for each of the alternatives it asks for. */
static void
list_alias(Generator *gen, xmlNode *alias, const Entry *target, const char *text, GArray *entries) {
  const char *with = gen_attribute_or(alias, "with", "");
  char **alternatives = g_strsplit(*with ? with : " ", "|", -1);
  for (unsigned i = 0; alternatives[i]; i++) {
    Entry entry = {alias, target->variant, target->instruction, 0, target->name, i + 1};
    entry.name = add_name(gen, alias, text, alternatives[i], target->instruction, target->variant);
    g_array_index(gen->names, NornIsaName, entry.name).instruction = (uint16_t)target->name;
    g_array_append_val(entries, entry);
  }
  g_strfreev(alternatives);
}

static void
list_aliases(Generator *gen, xmlNode *alias, GArray *entries, unsigned count) {
  const char *of = gen_attribute(alias, "of"), *name = gen_attribute(alias, "name");
  bool found = false;
  for (unsigned i = 0; i < count; i++) {
    Entry target = g_array_index(entries, Entry, i);
    const char *base = gen_attribute(target.instruction, "name");
    char *full = target.variant
                     ? g_strdup_printf("%s.%s", base, gen_attribute(target.variant, "name"))
                     : g_strdup(base);
    if (strcmp(full, of) == 0) {
      list_alias(gen, alias, &target, name, entries);
      found = true;
    } else if (target.variant && strcmp(base, of) == 0) {
      char *text = g_strdup_printf("%s.%s", name, gen_attribute(target.variant, "name"));
      list_alias(gen, alias, &target, text, entries);
      g_free(text);
      found = true;
    }
    g_free(full);
  }
  if (!found)
    gen_fail(gen, alias, "there is no instruction '%s'", of);
}

static void
encode_entry(Generator *gen, const Entry *entry) {
  const xmlNode *row = entry->variant ? entry->variant : entry->instruction;
  for (unsigned a = 0; a < gen->architectures->len; a++) {
    if (!gen_applies(gen, entry->instruction, a) || !gen_applies(gen, row, a) ||
        (entry->alias && !gen_applies(gen, entry->alias, a)))
      continue;
    unsigned index = a * gen->names->len + entry->name;
    if (g_array_index(gen->encoding_of, uint16_t, index) != NORN_ISA_NONE)
      gen_fail(gen, row, "'%s' is described twice for architecture %s",
               gen_string(gen, g_array_index(gen->names, NornIsaName, entry->name).text),
               gen_attribute(gen->architectures->pdata[a], "name"));
    add_encoding(gen, a, entry);
  }
}

void
gen_encodings(Generator *gen) {
  GArray *entries = g_array_new(FALSE, FALSE, sizeof(Entry));
  for (xmlNode *node = gen->root->children; node; node = node->next) {
    if (gen_is(node, "instruction"))
      list_instruction(gen, node, entries);
  }
  gen->instruction_count = gen->names->len;
  unsigned count = entries->len;
  for (xmlNode *node = gen->root->children; node; node = node->next) {
    if (gen_is(node, "alias"))
      list_aliases(gen, node, entries, count);
  }
  unsigned size = gen->architectures->len * gen->names->len;
  uint16_t none = NORN_ISA_NONE;
  for (unsigned i = 0; i < size; i++)
    g_array_append_val(gen->encoding_of, none);
  for (unsigned i = 0; i < entries->len; i++)
    encode_entry(gen, &g_array_index(entries, Entry, i));
  g_array_unref(entries);
}
