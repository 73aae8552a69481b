#include "tools/run_spec.h"
#include "ir/numeric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_MAXIMUM_ELEMENTS (1u << 24)

/* The types that a buffer's elements may have. */
static const struct {
  const char *name;
  NornType type;
  gsize size;
  gboolean is_float;
} element_types[] = {
    {"i8", NORN_TYPE_I8, 1, FALSE},   {"i16", NORN_TYPE_I16, 2, FALSE},
    {"i32", NORN_TYPE_I32, 4, FALSE}, {"i64", NORN_TYPE_I64, 8, FALSE},
    {"f16", NORN_TYPE_F16, 2, TRUE},  {"f32", NORN_TYPE_F32, 4, TRUE},
    {"f64", NORN_TYPE_F64, 8, TRUE},
};

static NornFloatFormat
float_format(gsize size) {
  return size == 2 ? NORN_FLOAT_16 : size == 4 ? NORN_FLOAT_32 : NORN_FLOAT_64;
}

static int
element_row(NornType type) {
  for (guint i = 0; i < G_N_ELEMENTS(element_types); i++)
    if (element_types[i].type == type)
      return (int)i;
  return -1;
}

gsize
run_spec_element_size(NornType type) {
  int row = element_row(type);
  return row < 0 ? 0 : element_types[row].size;
}

static void
value_free(gpointer data) {
  RunValue *value = data;
  g_free(value->name);
  g_free(value->number);
  if (value->bytes)
    g_byte_array_unref(value->bytes);
  g_free(value);
}

void
run_spec_free(RunSpec *spec) {
  g_ptr_array_unref(spec->values);
  g_ptr_array_unref(spec->expected);
  g_free(spec);
}

RunValue *
run_spec_find(GPtrArray *values, const char *name) {
  for (guint i = 0; i < values->len; i++) {
    RunValue *value = values->pdata[i];
    if (!strcmp(value->name, name))
      return value;
  }
  return NULL;
}

static gboolean
parse_integer(const char *text, gsize size, guint64 *bits) {
  gboolean negative = *text == '-';
  const char *digits = text + negative;
  if (!g_ascii_isdigit(*digits))
    return FALSE;
  char *end;
  gboolean hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  guint64 magnitude = g_ascii_strtoull(digits, &end, hexadecimal ? 16 : 10);
  guint64 limit = size == 8 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << 8 * size) - 1;
  if (*end || magnitude > limit || (negative && magnitude > limit / 2 + 1))
    return FALSE;
  *bits = (negative ? 0 - magnitude : magnitude) & limit;
  return TRUE;
}

static gboolean
parse_float(const char *text, gsize size, guint64 *bits) {
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
    return parse_integer(text, size, bits);
  char *end;
  double number = g_ascii_strtod(text, &end);
  if (end == text || *end)
    return FALSE;
  if (size == 4)
    number = strtof(text, NULL); /* one rounding; the decimal point is the C locale's */
  *bits = norn_float_from_double(float_format(size), number);
  return TRUE;
}

gboolean
run_spec_number(const char *text, NornType type, guint64 *bits, GError **error) {
  int row = element_row(type);
  if (row >= 0 &&
      (element_types[row].is_float ? parse_float(text, element_types[row].size, bits)
                                   : parse_integer(text, element_types[row].size, bits)))
    return TRUE;
  g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX, "'%s' is no number of type %s", text,
              row < 0 ? "that can be given" : element_types[row].name);
  return FALSE;
}

char *
run_spec_format(NornType type, const guint8 *bytes, gsize size) {
  int row = element_row(type);
  GString *out = g_string_new(element_types[row].name);
  gsize step = element_types[row].size;
  g_string_append_c(out, '[');
  for (gsize at = 0; at + step <= size; at += step) {
    guint64 bits = 0;
    memcpy(&bits, bytes + at, step);
    if (at)
      g_string_append(out, ", ");
    if (!element_types[row].is_float) {
      gint64 number =
          step == 8 ? (gint64)bits : (gint64)(bits << (64 - 8 * step)) >> (64 - 8 * step);
      g_string_append_printf(out, "%" G_GINT64_FORMAT, number);
      continue;
    }
    if (norn_float_is_nan(float_format(step), bits)) { /* its sign and payload are not shown */
      g_string_append(out, "nan");
      continue;
    }
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    guint64 again = ~bits;
    for (int digits = step == 8 ? 15 : 6; again != bits; digits++) {
      char format[8];
      g_snprintf(format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd(text, sizeof text, format, norn_float_to_double(float_format(step), bits));
      parse_float(text, step, &again);
    }
    g_string_append(out, text);
  }
  g_string_append_c(out, ']');
  return g_string_free(out, FALSE);
}

gboolean
run_spec_equal(NornType type, const guint8 *expected, const guint8 *actual, gsize index) {
  int row = element_row(type);
  gsize size = element_types[row].size;
  expected += index * size;
  actual += index * size;
  if (!memcmp(expected, actual, size))
    return TRUE;
  if (!element_types[row].is_float)
    return FALSE;
  guint64 a = 0, b = 0;
  memcpy(&a, expected, size);
  memcpy(&b, actual, size);
  return norn_float_is_nan(float_format(size), a) && norn_float_is_nan(float_format(size), b);
}

/* The parser: a cursor over one line. */
typedef struct {
  const char *at;
  const char *file;
  guint line;
  GError **error;
} Cursor;

static gboolean fail(Cursor *cursor, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
fail(Cursor *cursor, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(cursor->error, NORN_ERROR, NORN_ERROR_SYNTAX,
              "%s:%u: run specification, at '%.20s': %s", cursor->file, cursor->line, cursor->at,
              message);
  return FALSE;
}

static void
skip_blanks(Cursor *cursor) {
  while (*cursor->at == ' ' || *cursor->at == '\t' || *cursor->at == '\r')
    cursor->at++;
}

/* The characters up to one of `stops`, without blanks at the end. */
static char *
take_word(Cursor *cursor, const char *stops) {
  skip_blanks(cursor);
  gsize length = strcspn(cursor->at, stops);
  char *word = g_strchomp(g_strndup(cursor->at, length));
  cursor->at += length;
  return word;
}

static gboolean
append_element(Cursor *cursor, RunValue *value, const char *text, guint64 count) {
  guint64 bits;
  gsize size = run_spec_element_size(value->type);
  if (!run_spec_number(text, value->type, &bits, cursor->error)) {
    g_prefix_error(cursor->error, "%s:%u: ", cursor->file, cursor->line);
    return FALSE;
  }
  if (count > RUN_MAXIMUM_ELEMENTS || value->bytes->len / size + count > RUN_MAXIMUM_ELEMENTS)
    return fail(cursor, "more than %u elements", RUN_MAXIMUM_ELEMENTS);
  while (count--)
    g_byte_array_append(value->bytes, (const guint8 *)&bits, (guint)size);
  return TRUE;
}

/* The elements of a list, after its `[`. */
static gboolean
parse_list(Cursor *cursor, RunValue *value) {
  value->bytes = g_byte_array_new();
  skip_blanks(cursor);
  while (*cursor->at != ']') {
    g_autofree char *element = take_word(cursor, ",;]");
    guint64 count = 1;
    if (*cursor->at == ';') {
      cursor->at++;
      g_autofree char *times = take_word(cursor, ",]");
      if (!parse_integer(times, 4, &count))
        return fail(cursor, "expected how many times");
    }
    if (*cursor->at != ',' && *cursor->at != ']')
      return fail(cursor, "expected ',' or ']'");
    if (!append_element(cursor, value, element, count))
      return FALSE;
    if (*cursor->at == ',')
      cursor->at++;
    skip_blanks(cursor);
  }
  cursor->at++;
  return TRUE;
}

static gboolean
parse_grid(Cursor *cursor, RunSpec *spec, const char *text) {
  g_auto(GStrv) parts = g_strsplit(text, ",", -1);
  if (g_strv_length(parts) > 3)
    return fail(cursor, "a grid has at most three dimensions");
  for (guint i = 0; parts[i]; i++) {
    guint64 count;
    if (!parse_integer(parts[i], 4, &count))
      return fail(cursor, "'%s' is no number of workgroups", parts[i]);
    spec->grid[i] = (guint)count;
  }
  return TRUE;
}

static gboolean
parse_assignment(Cursor *cursor, RunSpec *spec, GPtrArray *values) {
  g_autofree char *name = take_word(cursor, "= \t");
  skip_blanks(cursor);
  if (!*name || *cursor->at != '=')
    return fail(cursor, "expected NAME=VALUE");
  cursor->at++;
  g_autofree char *word = take_word(cursor, "[ \t\r");
  if (!strcmp(name, "grid"))
    return parse_grid(cursor, spec, word);
  if (run_spec_find(values, name))
    return fail(cursor, "'%s' is given twice", name);
  RunValue *value = g_new0(RunValue, 1);
  value->name = g_strdup(name);
  g_ptr_array_add(values, value);
  if (*cursor->at != '[') {
    if (!*word)
      return fail(cursor, "expected a value for '%s'", name);
    value->number = g_strdup(word);
    return TRUE;
  }
  cursor->at++;
  for (guint i = 0; i < G_N_ELEMENTS(element_types); i++)
    if (!strcmp(word, element_types[i].name))
      value->type = element_types[i].type;
  if (value->type == NORN_TYPE_VOID)
    return fail(cursor, "'%s' is no type for a buffer", word);
  return parse_list(cursor, value);
}

static gboolean
parse_spec(Cursor *cursor, RunSpec *spec) {
  GPtrArray *values = spec->values;
  for (skip_blanks(cursor); *cursor->at; skip_blanks(cursor)) {
    if (g_str_has_prefix(cursor->at, "=>")) {
      cursor->at += 2;
      values = spec->expected;
      continue;
    }
    if (!parse_assignment(cursor, spec, values))
      return FALSE;
  }
  for (guint i = 0; i < spec->expected->len; i++) {
    const RunValue *expected = spec->expected->pdata[i];
    if (!expected->bytes)
      return fail(cursor, "'%s' after => is no buffer", expected->name);
  }
  return TRUE;
}

RunSpec *
run_spec_parse(const char *text, const char *file, guint line, GError **error) {
  RunSpec *spec = g_new0(RunSpec, 1);
  spec->grid[0] = spec->grid[1] = spec->grid[2] = 1;
  spec->values = g_ptr_array_new_with_free_func(value_free);
  spec->expected = g_ptr_array_new_with_free_func(value_free);
  spec->line = line;
  Cursor cursor = {text, file, line, error};
  if (parse_spec(&cursor, spec))
    return spec;
  run_spec_free(spec);
  return NULL;
}

GPtrArray *
run_spec_collect(const char *text, gsize length, const char *file, GError **error) {
  GPtrArray *specs = g_ptr_array_new_with_free_func((GDestroyNotify)run_spec_free);
  guint line = 0;
  for (gsize at = 0; at < length; line++) {
    const char *end = memchr(text + at, '\n', length - at);
    gsize stop = end ? (gsize)(end - text) : length;
    gsize from = at;
    while (from < stop && (text[from] == ';' || text[from] == ' '))
      from++;
    if (text[at] == ';' && stop - from > 4 && !strncmp(text + from, "run:", 4)) {
      g_autofree char *copy = g_strndup(text + from + 4, stop - from - 4);
      RunSpec *spec = run_spec_parse(copy, file, line + 1, error);
      if (!spec) {
        g_ptr_array_unref(specs);
        return NULL;
      }
      g_ptr_array_add(specs, spec);
    }
    at = stop + 1;
  }
  return specs;
}
