/* Numbers of runs: parsing, printing, comparing; see run/value.h. */
#include "run/value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first row with an IR type is used to print its values. */
static const RunElement elements[] = {
    {"i8", NORN_TYPE_I8, 1, FALSE, TRUE},    {"i16", NORN_TYPE_I16, 2, FALSE, TRUE},
    {"i32", NORN_TYPE_I32, 4, FALSE, TRUE},  {"i64", NORN_TYPE_I64, 8, FALSE, TRUE},
    {"u8", NORN_TYPE_I8, 1, FALSE, FALSE},   {"u16", NORN_TYPE_I16, 2, FALSE, FALSE},
    {"u32", NORN_TYPE_I32, 4, FALSE, FALSE}, {"u64", NORN_TYPE_I64, 8, FALSE, FALSE},
    {"f16", NORN_TYPE_F16, 2, TRUE, TRUE},   {"f32", NORN_TYPE_F32, 4, TRUE, TRUE},
    {"f64", NORN_TYPE_F64, 8, TRUE, TRUE},
};

static const char *const channel_kinds[] = {
    [NORN_CHANNEL_UNORM] = "unorm", [NORN_CHANNEL_SNORM] = "snorm", [NORN_CHANNEL_UINT] = "uint",
    [NORN_CHANNEL_SINT] = "sint",   [NORN_CHANNEL_FLOAT] = "float",
};

RunBytes *
run_bytes_new(void) {
  return g_new0(RunBytes, 1);
}

void
run_bytes_free(RunBytes *bytes) {
  g_free(bytes->data);
  g_free(bytes);
}

gboolean
run_bytes_reserve(RunBytes *bytes, gsize capacity) {
  if (capacity <= bytes->capacity)
    return TRUE;
  guint8 *data = g_try_realloc(bytes->data, capacity);
  if (!data)
    return FALSE;
  bytes->data = data;
  bytes->capacity = capacity;
  return TRUE;
}

gboolean
run_bytes_append(RunBytes *bytes, const void *data, gsize size) {
  if (bytes->len + size > bytes->capacity &&
      !run_bytes_reserve(bytes, MAX(bytes->len + size, 2 * bytes->capacity)))
    return FALSE;
  if (size && data)
    memcpy(bytes->data + bytes->len, data, size);
  else if (size)
    memset(bytes->data + bytes->len, 0, size);
  bytes->len += (guint)size;
  return TRUE;
}

const RunElement *
run_element_find(const char *name) {
  for (guint i = 0; i < G_N_ELEMENTS(elements); i++)
    if (!strcmp(elements[i].name, name))
      return &elements[i];
  return NULL;
}

const RunElement *
run_element_of_type(NornType type) {
  for (guint i = 0; i < G_N_ELEMENTS(elements); i++)
    if (elements[i].type == type)
      return &elements[i];
  return NULL;
}

const RunElement *
run_element_of_format(NornPixelFormat format) {
  gboolean is_float = format.kind == NORN_CHANNEL_FLOAT;
  gboolean is_signed =
      is_float || format.kind == NORN_CHANNEL_SNORM || format.kind == NORN_CHANNEL_SINT;
  for (guint i = 0; i < G_N_ELEMENTS(elements); i++)
    if (elements[i].size == format.bits / 8 && elements[i].is_float == is_float &&
        elements[i].is_signed == is_signed)
      return &elements[i];
  return NULL;
}

gboolean
run_format_find(const char *name, NornPixelFormat *format) {
  gsize channels = strspn(name, "rgba");
  char *end;
  if (!channels || channels > 4 || strncmp(name, "rgba", channels) ||
      !g_ascii_isdigit(name[channels]))
    return FALSE;
  guint64 bits = g_ascii_strtoull(name + channels, &end, 10);
  if (bits > 32)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(channel_kinds); i++)
    if (!strcmp(channel_kinds[i], end)) {
      *format = (NornPixelFormat){(guint8)channels, (guint8)bits, (NornChannelKind)i};
      return norn_pixel_format_exists(*format);
    }
  return FALSE;
}

char *
run_format_name(NornPixelFormat format) {
  return g_strdup_printf("%.*s%u%s", format.channels, "rgba", format.bits,
                         channel_kinds[format.kind]);
}

gboolean
run_integer(const char *text, gsize size, guint64 *bits) {
  gboolean negative = *text == '-';
  const char *digits = text + negative;
  if (!g_ascii_isdigit(*digits))
    return FALSE;
  char *end;
  gboolean hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  if (hexadecimal && !g_ascii_isxdigit(digits[2]))
    return FALSE;
  /* GLib may leave other error codes when several threads create its locale at the same time. */
  errno = 0;
  guint64 magnitude = g_ascii_strtoull(digits, &end, hexadecimal ? 16 : 10);
  guint64 limit = size == 8 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << 8 * size) - 1;
  if (*end || errno == ERANGE || magnitude > limit || (negative && magnitude > limit / 2 + 1))
    return FALSE;
  *bits = (negative ? 0 - magnitude : magnitude) & limit;
  return TRUE;
}

static gboolean
parse_float(const char *text, const RunElement *element, guint64 *bits) {
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
    return run_integer(text, element->size, bits);
  char *end;
  double number = g_ascii_strtod(text, &end);
  if (end == text || *end)
    return FALSE;
  if (element->type == NORN_TYPE_F32)
    number = strtof(text, NULL); /* rounds only once; the decimal point is that of the C locale */
  *bits = norn_float_bits(element->type, number);
  if (isnan(number) && *text == '-') /* the conversion drops the sign */
    *bits |= G_GUINT64_CONSTANT(1) << (8 * element->size - 1);
  return TRUE;
}

gboolean
run_number(const char *text, const RunElement *element, guint64 *bits, GError **error) {
  if (element && (element->is_float ? parse_float(text, element, bits)
                                    : run_integer(text, element->size, bits)))
    return TRUE;
  g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX, "'%.40s' is not a number of type %s", text,
              element ? element->name : "that can be given");
  return FALSE;
}

/* Whether the text is a whole number, perhaps one that is out of range. */
static gboolean
is_whole(const char *text) {
  text += *text == '-' || *text == '+';
  gboolean hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  return hexadecimal || (*text && !text[strspn(text, "0123456789")]);
}

gboolean
run_either_number(const char *text, const RunElement *integer, guint64 *bits, GError **error) {
  const RunElement *single = run_element_of_type(NORN_TYPE_F32);
  gboolean has_room = integer->size >= single->size;
  if (run_integer(text, integer->size, bits) ||
      (has_room && !is_whole(text) && run_number(text, single, bits, NULL)))
    return TRUE;
  g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX, "'%.40s' is not a number of type %s%s", text,
              integer->name, has_room ? " or f32" : "");
  return FALSE;
}

static guint64
read_bits(const RunElement *element, const guint8 *bytes) {
  guint64 bits = 0;
  memcpy(&bits, bytes, element->size);
  return GUINT64_FROM_LE(bits);
}

static gint64
sign_extend(guint64 bits, gsize size) {
  return (gint64)(bits << (64 - 8 * size)) >> (64 - 8 * size);
}

char *
run_element_format(const RunElement *element, const guint8 *bytes) {
  guint64 bits = read_bits(element, bytes), again = ~bits;
  if (!element->is_float && element->is_signed)
    return g_strdup_printf("%" G_GINT64_FORMAT, sign_extend(bits, element->size));
  if (!element->is_float)
    return g_strdup_printf("%" G_GUINT64_FORMAT, bits);
  if (isnan(norn_float_number(element->type, bits)))
    return g_strdup("nan"); /* sign and payload of NaN are not shown */
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  for (int digits = element->size == 8 ? 15 : 6; again != bits; digits++) {
    char format[8];
    g_snprintf(format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd(text, sizeof text, format, norn_float_number(element->type, bits));
    parse_float(text, element, &again);
  }
  return g_strdup(text);
}

char *
run_list_format(const RunElement *element, const guint8 *bytes, gsize size) {
  GString *out = g_string_new(element->name);
  g_string_append_c(out, '[');
  for (gsize at = 0; at + element->size <= size; at += element->size) {
    g_autofree char *text = run_element_format(element, bytes + at);
    g_string_append_printf(out, "%s%s", at ? ", " : "", text);
  }
  g_string_append_c(out, ']');
  return g_string_free(out, FALSE);
}

gboolean
run_element_equal(const RunElement *element, const guint8 *expected, const guint8 *actual,
                  gsize index) {
  expected += index * element->size;
  actual += index * element->size;
  return !memcmp(expected, actual, element->size) ||
         (isnan(run_element_double(element, expected)) &&
          isnan(run_element_double(element, actual)));
}

gdouble
run_element_double(const RunElement *element, const guint8 *bytes) {
  guint64 bits = read_bits(element, bytes);
  if (element->is_float)
    return norn_float_number(element->type, bits);
  return element->is_signed ? (gdouble)sign_extend(bits, element->size) : (gdouble)bits;
}
