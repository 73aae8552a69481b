/* Comparison with the table of instruction fields of Valhall's architectures 9 to 14.
 *
 * A line of the table is one instruction in a range of architectures: name, variant, the
 * instruction it is a fixed form of, unit, since, until, fields, syntax, separated by tabs. Fields
 * are separated by "; ": "POSITION:WIDTH NAME" and then "=VALUE (text)" if fixed,
 * ":TYPE@attribute{subset}!default~expr" if free; "zero" and "ignore" name reserved bits. The bits
 * of every line are compared with the instruction or alias of that name on every architecture:
 * fixed bits exactly, enums by the set of legal values, sources by size, immediates by position,
 * sign and step; then unit, operand order and operand modifiers. Instructions of the description
 * that have no line are noted, too.
 *
 * Enums come from mali-isa-enums.tsv in the same folder: name, since, until, values. Without it,
 * only the number of values of a subset is compared. */
#include "tests/oracle/compare_internal.h"
#include <string.h>

typedef struct {
  int first, last;  /* architectures by name: 9 to 14 */
  GPtrArray *names; /* of values, owned by the text */
  GArray *values;   /* uint32_t */
} TableEnum;

typedef struct {
  CompareContext *context;
  const char *filename;
  GHashTable *enums;     /* name -> GPtrArray of TableEnum */
  GHashTable *mentioned; /* of one architecture: instruction + 1 */
} Table;

typedef enum {
  COLUMN_NAME,
  COLUMN_VARIANT,
  COLUMN_ALIAS,
  COLUMN_UNIT,
  COLUMN_SINCE,
  COLUMN_UNTIL,
  COLUMN_FIELDS,
  COLUMN_SYNTAX,
  COLUMN_COUNT
} Column;

typedef struct {
  unsigned position, width;
  const char *name;
  bool zero, ignored, fixed, value_known, derived;
  uint64_t value;
  const char *type;          /* nullable */
  const char *allowed;       /* names of the subset, nullable */
  const char *default_value; /* nullable */
  unsigned multiple;         /* of @align() */
} TableField;

/* ------------------------------------------------------------------------- parsing */

static bool
fail(const Table *table, unsigned line, unsigned column, const char *what, const char *text,
     GError **error) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX, "%s:%u:%u: %s: '%.40s'", table->filename, line,
              column, what, text);
  return false;
}

static bool
parse_unsigned(const char **text, unsigned limit, unsigned *value) {
  const char *p = *text;
  unsigned long long sum = 0;
  if (!g_ascii_isdigit(*p))
    return false;
  for (; g_ascii_isdigit(*p); p++) {
    sum = sum * 10 + (unsigned)(*p - '0');
    if (sum > limit)
      return false;
  }
  *text = p;
  *value = (unsigned)sum;
  return true;
}

/* Cuts off the name at *text; returns it and moves on to the character after it, which is
 * stored in *end. */
static char *
cut_name(char **text, char *end) {
  char *start = *text;
  char *p = start;
  while (g_ascii_isalnum(*p) || *p == '_')
    p++;
  *end = *p;
  if (*p)
    *p++ = 0;
  *text = p;
  return start;
}

/* "@align(4)@shr(3)": the parts after the type. */
static bool
parse_attributes(char **text, char *mark, TableField *field) {
  while (*mark == '@') {
    char *name = cut_name(text, mark);
    const char *p = *text;
    unsigned value;
    if (*mark != '(' || !parse_unsigned(&p, 1u << 20, &value) || *p != ')')
      return false;
    if (!strcmp(name, "align"))
      field->multiple = value;
    *text = (char *)p + 1;
    *mark = **text;
    if (*mark)
      **text = 0, (*text)++;
  }
  return true;
}

/* The text after the name of a free field: type, attributes, subset, default. */
static bool
parse_free_field(char *text, TableField *field) {
  char mark;
  field->type = cut_name(&text, &mark);
  if (!parse_attributes(&text, &mark, field))
    return false;
  if (mark == '{') {
    char *close = strchr(text, '}');
    if (!close)
      return false;
    field->allowed = text;
    *close = 0;
    text = close + 1;
    mark = *text;
    if (mark)
      text++;
  }
  if (mark == '!')
    field->default_value = cut_name(&text, &mark);
  if (mark == '~') {
    field->derived = true;
    return g_str_has_prefix(text, "expr") && !text[4];
  }
  return !mark;
}

static bool
parse_field(char *text, TableField *field) {
  const char *p = text;
  memset(field, 0, sizeof *field);
  if (!parse_unsigned(&p, 63, &field->position) || *p++ != ':' ||
      !parse_unsigned(&p, 63, &field->width) || *p++ != ' ' || !field->width ||
      field->position + field->width > 64)
    return false;
  char *rest = (char *)p, mark;
  field->name = cut_name(&rest, &mark);
  if (!*field->name)
    return false;
  if (!mark) {
    field->zero = !strcmp(field->name, "zero");
    field->ignored = !strcmp(field->name, "ignore");
    return field->zero || field->ignored;
  }
  if (mark == ':')
    return parse_free_field(rest, field);
  if (mark != '=')
    return false;
  field->fixed = true;
  unsigned value;
  const char *number = rest;
  field->value_known = parse_unsigned(&number, UINT32_MAX, &value);
  field->value = field->value_known ? value : 0;
  return field->value_known || *rest == '?';
}

/* ------------------------------------------------------------------------- enums */

static void
enum_free(void *data) {
  TableEnum *table_enum = data;
  g_ptr_array_unref(table_enum->names);
  g_array_unref(table_enum->values);
  g_free(table_enum);
}

static void
enum_list_free(void *data) {
  g_ptr_array_unref(data);
}

/* "name=value", "name=value~"; bit patterns of constants ("0:k0:0x0") are skipped. */
static bool
add_enum_value(TableEnum *table_enum, char *text) {
  char *equal = strchr(text, '=');
  if (!equal)
    return strchr(text, ':') != NULL;
  const char *p = equal + 1;
  unsigned value;
  if (!parse_unsigned(&p, 255, &value) || (*p && strcmp(p, "~")))
    return false;
  *equal = 0;
  uint32_t stored = value;
  g_ptr_array_add(table_enum->names, text);
  g_array_append_val(table_enum->values, stored);
  return true;
}

static bool
read_enum_line(Table *table, char *line, unsigned number, GError **error) {
  char *column[4];
  for (unsigned i = 0; i < 4; i++) {
    column[i] = line;
    line = strchr(line, '\t');
    if (line)
      *line++ = 0;
    else if (i < 3)
      return fail(table, number, 1, "expected four columns", column[0], error);
  }
  unsigned first, last;
  const char *since = column[1], *until = column[2];
  if (!parse_unsigned(&since, 999, &first) || *since || !parse_unsigned(&until, 999, &last) ||
      *until)
    return fail(table, number, 1, "expected architecture numbers", column[1], error);
  TableEnum *table_enum = g_new0(TableEnum, 1);
  table_enum->first = (int)first;
  table_enum->last = (int)last;
  table_enum->names = g_ptr_array_new();
  table_enum->values = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  GPtrArray *list = g_hash_table_lookup(table->enums, column[0]);
  if (!list) {
    list = g_ptr_array_new_with_free_func(enum_free);
    g_hash_table_insert(table->enums, column[0], list);
  }
  g_ptr_array_add(list, table_enum);
  for (char *word = column[3]; word && *word;) {
    char *next = strchr(word, ' ');
    if (next)
      *next++ = 0;
    if (!add_enum_value(table_enum, word))
      return fail(table, number, 1, "expected NAME=VALUE", word, error);
    word = next;
  }
  return true;
}

/* Reads the enums in the table's folder into `table`, which keeps pointers into *text. A missing
 * file is not an error. */
static bool
read_enums(Table *table, char **text, GError **error) {
  char *directory = g_path_get_dirname(table->filename);
  char *path = g_build_filename(directory, "mali-isa-enums.tsv", NULL);
  g_free(directory);
  *text = NULL;
  bool done = true;
  if (g_file_get_contents(path, text, NULL, NULL)) {
    const char *filename = table->filename;
    table->filename = path;
    unsigned number = 0;
    for (char *line = *text; done && *line;) {
      char *end = line + strcspn(line, "\r\n");
      char *next = *end ? end + 1 : end;
      *end = 0;
      number++;
      if (*line && *line != '#')
        done = read_enum_line(table, line, number, error);
      line = next;
    }
    table->filename = filename;
  }
  g_free(path);
  return done;
}

/* The enum called `type` on the architecture being compared, or NULL. */
static const TableEnum *
find_enum(const Table *table, const char *type) {
  const CompareContext *context = table->context;
  int architecture = atoi(norn_isa_architecture_name(context->isa, context->architecture));
  const GPtrArray *list = type ? g_hash_table_lookup(table->enums, type) : NULL;
  for (unsigned i = 0; list && i < list->len; i++) {
    const TableEnum *table_enum = list->pdata[i];
    if (architecture >= table_enum->first && architecture <= table_enum->last)
      return table_enum;
  }
  return NULL;
}

static bool
listed(const char *names, const char *name) {
  gsize length = strlen(name);
  for (const char *p = names; (p = strstr(p, name)); p += length)
    if ((p == names || p[-1] == ' ') && (!p[length] || p[length] == ' '))
      return true;
  return false;
}

/* The values of an enum that a field allows. */
static uint64_t
enum_values(const TableEnum *table_enum, const char *allowed) {
  uint64_t values = 0;
  for (unsigned i = 0; i < table_enum->names->len; i++) {
    uint32_t value = g_array_index(table_enum->values, uint32_t, i);
    if (value < 64 && (!allowed || listed(allowed, table_enum->names->pdata[i])))
      values |= UINT64_C(1) << value;
  }
  return values;
}

static int
enum_value(const TableEnum *table_enum, const char *name) {
  for (unsigned i = 0; i < table_enum->names->len; i++)
    if (!strcmp(table_enum->names->pdata[i], name))
      return (int)g_array_index(table_enum->values, uint32_t, i);
  return -1;
}

/* ------------------------------------------------------------------------- comparing fields */

/* Compares a field of the table with the description: counts the findings, and notes them if
 * `note` is set. */
typedef struct {
  Table *table;
  const NornIsaEncoding *encoding;
  bool note;
  unsigned count;
} Comparer;

static void differ_in(Comparer *comparer, const char *item, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
static void differ(Comparer *comparer, const TableField *field, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static void
note_difference(Comparer *comparer, const char *item, const char *format, va_list arguments) {
  comparer->count++;
  if (!comparer->note)
    return;
  char *message = g_strdup_vprintf(format, arguments);
  norn_compare_note(comparer->table->context, COMPARE_DIFFERENCE, comparer->encoding->name, item,
                    "%s", message);
  g_free(message);
}

/* A difference in `item`. */
static void
differ_in(Comparer *comparer, const char *item, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  note_difference(comparer, item, format, arguments);
  va_end(arguments);
}

/* A difference in what the description has at the position of `field`. */
static void
differ(Comparer *comparer, const TableField *field, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  note_difference(comparer,
                  norn_compare_item(comparer->table->context, comparer->encoding, field->position),
                  format, arguments);
  va_end(arguments);
}

static char *
list_values(uint64_t values) {
  GString *text = g_string_new(NULL);
  for (unsigned i = 0; i < 64; i++)
    if (values >> i & 1)
      g_string_append_printf(text, "%s%u", text->len ? " " : "", i);
  return g_string_free(text, FALSE);
}

static void
compare_fixed(Comparer *comparer, const TableField *field) {
  uint64_t value;
  bool fixed = norn_compare_fixed(comparer->encoding, field->position, field->width, &value);
  uint64_t values;
  if (!fixed && field->width <= 6 &&
      norn_compare_values(comparer->encoding, field->position, field->width, &values) && values &&
      !(values & (values - 1))) {
    fixed = true;
    value = (uint64_t)g_bit_nth_lsf((gulong)values, -1);
  }
  if (!fixed)
    differ(comparer, field, "%u:%u is %s = %" G_GUINT64_FORMAT ", here it varies", field->position,
           field->width, field->name, field->value);
  else if (value != field->value && (field->zero || field->value_known))
    differ(comparer, field, "%u:%u is %s = %" G_GUINT64_FORMAT ", here it is %" G_GUINT64_FORMAT,
           field->position, field->width, field->name, field->value, value);
}

static void
compare_source(Comparer *comparer, const TableField *field, unsigned words) {
  const NornIsaOperand *operand =
      norn_compare_operand(comparer->encoding, field->position, field->width);
  if (!operand || operand->role != NORN_ISA_OPERAND_SOURCE)
    differ(comparer, field, "%u:%u is the source %s, here it is not", field->position, field->width,
           field->name);
  else if (operand->words != words)
    differ(comparer, field, "%s has %u bits, here %u", field->name, words * 32,
           operand->words * 32u);
}

static void
compare_enum(Comparer *comparer, const TableField *field, const TableEnum *table_enum) {
  uint64_t expected = enum_values(table_enum, field->allowed), values;
  if (field->width > 6 ||
      !norn_compare_values(comparer->encoding, field->position, field->width, &values)) {
    if (!field->derived)
      differ(comparer, field, "%u:%u is %s, here it is not an enum", field->position, field->width,
             field->name);
    return;
  }
  const NornIsaField *own = norn_compare_field(comparer->encoding, field->position, field->width);
  if (values != expected && !(field->derived && !own)) {
    char *theirs = list_values(expected), *ours = list_values(values);
    differ(comparer, field, "%s can be %s, here %s", field->name, theirs, ours);
    g_free(theirs);
    g_free(ours);
  }
  int default_value = field->default_value ? enum_value(table_enum, field->default_value) : -1;
  if (default_value >= 0 && own && own->has_default &&
      own->default_value != (uint32_t)default_value)
    differ(comparer, field, "%s is %s by default, here %u", field->name, field->default_value,
           own->default_value);
}

static unsigned
count_words(const char *text) {
  unsigned count = 0;
  for (bool inside = false; *text; text++) {
    count += !inside && *text != ' ';
    inside = *text != ' ';
  }
  return count;
}

/* A field of an enum whose values are not known. */
static void
compare_subset(Comparer *comparer, const TableField *field) {
  uint64_t values;
  if (!field->allowed || field->derived || field->width > 6)
    return;
  unsigned count = 0;
  if (norn_compare_values(comparer->encoding, field->position, field->width, &values))
    for (; values; values &= values - 1)
      count++;
  if (count != count_words(field->allowed))
    differ(comparer, field, "%s has %u values, here %u", field->name, count_words(field->allowed),
           count);
}

static void
compare_number(Comparer *comparer, const TableField *field) {
  const NornIsaEncoding *encoding = comparer->encoding;
  const NornIsaOperand *operand = norn_compare_operand(encoding, field->position, field->width);
  if (!operand) {
    differ(comparer, field, "%u:%u is %s, here it is not an operand", field->position, field->width,
           field->name);
    return;
  }
  bool is_register = encoding->fields[operand->field].kind == NORN_ISA_FIELD_CODE;
  bool names_register = strstr(field->name, "register") != NULL;
  if (is_register != names_register)
    differ(comparer, field, "%u:%u is %s, here it is a%s register", field->position, field->width,
           field->name, is_register ? "" : "n immediate, no");
  else if (is_register && field->multiple > 1 && operand->words * 1u < field->multiple)
    differ(comparer, field, "%s is a group of %u registers", field->name, field->multiple);
  else if (!is_register && field->multiple > 1 && operand->multiple != field->multiple)
    differ(comparer, field, "%s is a multiple of %u, here of %u", field->name, field->multiple,
           operand->multiple);
  bool is_signed = !strcmp(field->type, "int") || !strcmp(field->type, "pc_rel_label_signed");
  if (!is_register && field->width < 32 && operand->is_signed != is_signed)
    differ(comparer, field, "%s is %ssigned, here it is not", field->name, is_signed ? "" : "un");
}

/* A field that is computed from others: something must be there. */
static void
compare_presence(Comparer *comparer, const TableField *field) {
  uint64_t value;
  if (norn_compare_fixed(comparer->encoding, field->position, field->width, &value) &&
      !strcmp(norn_compare_item(comparer->table->context, comparer->encoding, field->position),
              "reserved"))
    differ(comparer, field, "%u:%u is %s, here it is reserved", field->position, field->width,
           field->name);
}

static bool
is_number_type(const char *type) {
  static const char *const types[] = {"uint",
                                      "int",
                                      "float",
                                      "V2I16",
                                      "V4I8",
                                      "V2F16",
                                      "pc_rel_label_signed",
                                      "pc_rel_label_unsigned"};
  for (unsigned i = 0; i < G_N_ELEMENTS(types); i++)
    if (!strcmp(type, types[i]))
      return true;
  return false;
}

static void
compare_field(Comparer *comparer, const TableField *field) {
  if (field->ignored)
    return;
  if (field->zero || field->fixed) {
    compare_fixed(comparer, field);
    return;
  }
  const TableEnum *table_enum = find_enum(comparer->table, field->type);
  if (!strcmp(field->type, "SourceEncoding"))
    compare_source(comparer, field, 1);
  else if (!strcmp(field->type, "SourceEncoding64"))
    compare_source(comparer, field, 2);
  else if (is_number_type(field->type))
    compare_number(comparer, field);
  else if (table_enum)
    compare_enum(comparer, field, table_enum);
  else if (*field->type)
    compare_subset(comparer, field);
  else
    compare_presence(comparer, field);
}

/* ------------------------------------------------------------------------- comparing syntax */

static const TableField *
field_called(const GArray *fields, const char *name, gsize length) {
  for (unsigned i = 0; i < fields->len; i++) {
    const TableField *field = &g_array_index(fields, TableField, i);
    if (field->name && strlen(field->name) == length && !strncmp(field->name, name, length))
      return field;
  }
  return NULL;
}

/* The operand for a word of "ops(...)": "dest", "sw(out)", "sr(in)", or a source by the position
 * of its field. */
static bool
is_operand(const Comparer *comparer, const NornIsaOperand *operand, const char *word,
           const GArray *fields) {
  gsize length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  switch (operand->role) {
  case NORN_ISA_OPERAND_DESTINATION:
    return length == 4 && !strncmp(word, "dest", 4);
  case NORN_ISA_OPERAND_STAGING_WRITE:
    return length == 2 && !strncmp(word, "sw", 2);
  case NORN_ISA_OPERAND_STAGING_READ:
    return length == 2 && !strncmp(word, "sr", 2);
  default:
    break;
  }
  const TableField *field = field_called(fields, word, length);
  return field &&
         norn_compare_operand(comparer->encoding, field->position, field->width) == operand;
}

static bool
is_register_word(const char *word) {
  return g_str_has_prefix(word, "dest") || g_str_has_prefix(word, "src") ||
         g_str_has_prefix(word, "sw(") || g_str_has_prefix(word, "sr(");
}

static bool
has_operand_modifier(const NornIsaEncoding *encoding, const NornIsaOperand *operand,
                     const TableField *field) {
  for (unsigned i = 0; i < operand->modifier_count; i++) {
    const NornIsaField *own = &encoding->fields[operand->modifiers[i]];
    if (own->position <= field->position &&
        own->position + own->width >= field->position + field->width)
      return true;
  }
  return false;
}

/* "src0:widen0:abs0:neg0": the modifiers that are free must be on the operand. */
static void
compare_operand_modifiers(Comparer *comparer, const NornIsaOperand *operand, const char *word,
                          const GArray *fields) {
  for (const char *p = word; (p = strpbrk(p, ":+"));) {
    p++;
    gsize length = strcspn(p, ":+/");
    const TableField *field = field_called(fields, p, length);
    uint64_t values;
    if (!field || field->fixed || field->width > 6 ||
        (norn_compare_values(comparer->encoding, field->position, field->width, &values) &&
         !(values & (values - 1))))
      continue;
    if (!has_operand_modifier(comparer->encoding, operand, field))
      differ(comparer, field, "%s is not on its operand", field->name);
  }
}

/* Operands that are registers must be in the order of the table's syntax; others have names, so
 * their order is free. */
static void
compare_syntax(Comparer *comparer, char *syntax, const GArray *fields) {
  char *start = strstr(syntax, "ops(");
  if (!start)
    return;
  start += 4;
  const NornIsaEncoding *encoding = comparer->encoding;
  unsigned next = 0;
  for (char *word = start; *word && *word != ')';) {
    char *end = word;
    for (int depth = 0; *end && (depth || (*end != ',' && *end != ')')); end++)
      depth += *end == '(' ? 1 : *end == ')' ? -1 : 0;
    char saved = *end;
    *end = 0;
    if (is_register_word(word)) {
      while (next < encoding->operand_count &&
             encoding->operands[next].role > NORN_ISA_OPERAND_STAGING_BOTH)
        next++;
      if (next == encoding->operand_count ||
          !is_operand(comparer, &encoding->operands[next], word, fields))
        differ_in(comparer, "operands", "operand %s is not the next here", word);
      else
        compare_operand_modifiers(comparer, &encoding->operands[next++], word, fields);
    }
    *end = saved;
    word = saved == ',' ? end + 1 : end;
  }
}

static void
compare_unit(Comparer *comparer, const char *unit, const char *syntax) {
  const NornIsa *isa = comparer->table->context->isa;
  const NornIsaEncoding *encoding = comparer->encoding;
  const char *own =
      encoding->unit == 0xFF ? "" : norn_isa_string(isa, isa->units[encoding->unit].name);
  bool message = false;
  for (unsigned i = 0; i < isa->flag_count; i++) {
    const char *flag = norn_isa_string(isa, isa->flags[i].name);
    bool set = encoding->flags >> i & 1;
    message |= set && !strcmp(flag, "message");
  }
  if (!strcmp(unit, "msg") ? !message : strcmp(unit, own) != 0)
    differ_in(comparer, "unit", "runs in %s, here in %s", unit, own);
  /* The cost of a message is not an execution time, and two result registers cost twice as much
   * anyway. */
  unsigned words = 1;
  for (unsigned i = 0; i < encoding->operand_count; i++)
    if (encoding->operands[i].role == NORN_ISA_OPERAND_DESTINATION)
      words = MAX(words, encoding->operands[i].words);
  bool slow = !message && norn_isa_evaluate(isa, encoding, encoding->cost, encoding->word) > words;
  if (slow != (strstr(syntax, "exec_time(2)") != NULL))
    differ_in(comparer, "unit", "takes %s", slow ? "one cycle, here two" : "two cycles, here one");
}

/* ------------------------------------------------------------------------- lines */

static unsigned
compare_encoding(Table *table, const NornIsaEncoding *encoding, const GArray *fields,
                 char *const *column, bool note) {
  Comparer comparer = {table, encoding, note, 0};
  for (unsigned i = 0; i < fields->len; i++)
    compare_field(&comparer, &g_array_index(fields, TableField, i));
  compare_syntax(&comparer, column[COLUMN_SYNTAX], fields);
  compare_unit(&comparer, column[COLUMN_UNIT], column[COLUMN_SYNTAX]);
  return comparer.count;
}

/* Compares a line with the best matching name; several aliases may have the same name. */
static void
compare_line(Table *table, const char *name, const GArray *fields, char *const *column) {
  CompareContext *context = table->context;
  const GArray *names = norn_compare_names(context, name);
  const NornIsaEncoding *best = NULL;
  unsigned least = UINT_MAX;
  for (unsigned i = 0; names && i < names->len; i++) {
    const NornIsaEncoding *encoding =
        norn_compare_encoding(context, g_array_index(names, unsigned, i));
    if (!encoding)
      continue;
    unsigned count = compare_encoding(table, encoding, fields, column, false);
    if (count < least) {
      least = count;
      best = encoding;
    }
    g_hash_table_add(table->mentioned, GUINT_TO_POINTER(encoding->instruction + 1u));
  }
  context->result.compared += fields->len + 3;
  if (!best)
    norn_compare_note(context, COMPARE_DIFFERENCE, -1, name, "is missing");
  else
    compare_encoding(table, best, fields, column, true);
}

static bool
split_fields(Table *table, char *text, unsigned line, GArray *fields, GError **error) {
  while (text && *text) {
    char *next = strstr(text, "; ");
    if (next) {
      *next = 0;
      next += 2;
    }
    TableField field;
    char *copy = g_strdup(text);
    bool done = parse_field(text, &field);
    if (!done)
      fail(table, line, 1, "expected POSITION:WIDTH NAME and what it is", copy, error);
    g_free(copy);
    if (!done)
      return false;
    g_array_append_val(fields, field);
    text = next;
  }
  return true;
}

typedef struct {
  char *column[COLUMN_COUNT];
  unsigned since, until;
  char *name;
  GArray *fields;
} TableLine;

static void
line_free(void *data) {
  TableLine *line = data;
  g_free(line->name);
  g_array_unref(line->fields);
  g_free(line);
}

static bool
read_line(Table *table, char *text, unsigned number, GPtrArray *lines, GError **error) {
  TableLine *line = g_new0(TableLine, 1);
  line->fields = g_array_new(FALSE, FALSE, sizeof(TableField));
  g_ptr_array_add(lines, line);
  for (unsigned i = 0; i < COLUMN_COUNT; i++) {
    line->column[i] = text;
    char *tab = strchr(text, '\t');
    if (tab) {
      *tab = 0;
      text = tab + 1;
    } else if (i < COLUMN_FIELDS) {
      return fail(table, number, 1, "expected eight columns separated by tabs", line->column[0],
                  error);
    } else {
      text = strchr(text, 0);
    }
  }
  const char *since = line->column[COLUMN_SINCE], *until = line->column[COLUMN_UNTIL];
  if (!parse_unsigned(&since, 999, &line->since) || *since ||
      !parse_unsigned(&until, 999, &line->until) || *until)
    return fail(table, number, 1, "expected architecture numbers", line->column[COLUMN_SINCE],
                error);
  const char *variant = line->column[COLUMN_VARIANT];
  line->name = g_strconcat(line->column[COLUMN_NAME], *variant ? "." : "", variant, NULL);
  return split_fields(table, line->column[COLUMN_FIELDS], number, line->fields, error);
}

static bool
read_lines(Table *table, char *text, GPtrArray *lines, GError **error) {
  unsigned number = 0;
  for (char *line = text; *line;) {
    char *end = line + strcspn(line, "\r\n");
    char *next = *end ? end + 1 : end;
    *end = 0;
    number++;
    if (*line && *line != '#' && !read_line(table, line, number, lines, error))
      return false;
    line = next;
  }
  if (!lines->len)
    return fail(table, 1, 1, "expected XML or a table of instruction fields", text, error);
  return true;
}

/* ------------------------------------------------------------------------- whole table */

/* The flow and slot values are the same for all instructions. */
static void
compare_flow(Table *table) {
  CompareContext *context = table->context;
  const TableEnum *table_enum = find_enum(table, "flow_control_m");
  const GArray *names = norn_compare_names(context, "NOP");
  const NornIsaEncoding *encoding =
      names ? norn_compare_encoding(context, g_array_index(names, unsigned, 0)) : NULL;
  if (!table_enum || !encoding)
    return;
  TableField field = {.position = 59, .width = 4, .name = "flow", .type = "flow_control_m"};
  Comparer comparer = {table, encoding, true, 0};
  compare_enum(&comparer, &field, table_enum);
}

static void
compare_architecture(Table *table, const GPtrArray *lines) {
  CompareContext *context = table->context;
  const NornIsa *isa = context->isa;
  unsigned architecture = (unsigned)atoi(norn_isa_architecture_name(isa, context->architecture));
  table->mentioned = g_hash_table_new(NULL, NULL);
  for (unsigned i = 0; i < lines->len; i++) {
    const TableLine *line = lines->pdata[i];
    if (architecture >= line->since && architecture <= line->until)
      compare_line(table, line->name, line->fields, line->column);
  }
  for (unsigned i = 0; i < isa->instruction_count; i++)
    if (norn_compare_encoding(context, i) &&
        !g_hash_table_contains(table->mentioned, GUINT_TO_POINTER(i + 1)))
      norn_compare_note(context, COMPARE_DIFFERENCE, (int)i, "variants", "is not in the table");
  compare_flow(table);
  g_hash_table_unref(table->mentioned);
}

bool
norn_compare_field_table(CompareContext *context, const char *filename, char *text,
                         GError **error) {
  context->source = "arm";
  Table table = {
      .context = context,
      .filename = filename,
      .enums = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, enum_list_free),
  };
  char *enums = NULL;
  GPtrArray *lines = g_ptr_array_new_with_free_func(line_free);
  bool done = read_lines(&table, text, lines, error) && read_enums(&table, &enums, error);
  for (unsigned i = 0; done && i < context->isa->architecture_count; i++) {
    context->architecture = i;
    compare_architecture(&table, lines);
  }
  g_ptr_array_unref(lines);
  g_hash_table_unref(table.enums);
  g_free(enums);
  return done;
}
