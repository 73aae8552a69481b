/* Texts as lines, with the origin of each line and the values that it names. */
#include "report/report.h"

#include <string.h>

/* The longest part of a line, or name, that is shown, in bytes. */
enum { MAX_BYTES = 500 };

char *
report_cut(const char *text, gssize length) {
  gsize size = length < 0 ? strlen(text) : (gsize)length;
  if (size <= MAX_BYTES)
    return g_utf8_make_valid(text, (gssize)size);
  gsize end = MAX_BYTES;
  while (end && ((guchar)text[end] & 0xC0) == 0x80)
    end--;
  g_autofree char *start = g_utf8_make_valid(text, (gssize)end);
  return g_strconcat(start, "\u2026", NULL);
}

static guint
add_value(ReportValues *self, const char *name) {
  g_ptr_array_add(self->names, name ? report_cut(name, -1) : NULL);
  return self->names->len - 1;
}

/* The number of a value, which may be a new one. */
static guint
find_value(ReportValues *self, const NornTextValue *value) {
  GHashTable *table = value->name ? self->by_name : self->by_number;
  gconstpointer key = value->name ? (gconstpointer)value->name : GUINT_TO_POINTER(value->number);
  gpointer found;
  if (g_hash_table_lookup_extended(table, key, NULL, &found))
    return GPOINTER_TO_UINT(found);
  guint number = add_value(self, value->name);
  g_hash_table_insert(table, value->name ? (gpointer)g_strdup(value->name) : (gpointer)key,
                      GUINT_TO_POINTER(number));
  return number;
}

static void
free_values(gpointer data) {
  if (data)
    g_array_unref(data);
}

static void
init(ReportText *self) {
  self->lines = g_ptr_array_new_with_free_func(g_free);
  self->from = g_array_new(FALSE, FALSE, sizeof(guint));
  self->values = g_ptr_array_new_with_free_func(free_values);
  self->code = g_array_new(FALSE, FALSE, sizeof(guint));
}

void
report_text_clear(ReportText *self) {
  g_clear_pointer(&self->lines, g_ptr_array_unref);
  g_clear_pointer(&self->from, g_array_unref);
  g_clear_pointer(&self->values, g_ptr_array_unref);
  g_clear_pointer(&self->code, g_array_unref);
  g_clear_pointer(&self->pass, g_free);
}

/* The position in a map that has been read so far. */
typedef struct TextCursor {
  const NornTextMap *map;
  ReportValues *values;
  guint inst, value;
} TextCursor;

/* Adds the line from `start` to `end` and its entries in the map. */
static void
add_line(ReportText *self, const char *text, gsize start, gsize end, TextCursor *at) {
  guint from = 0, number = self->lines->len;
  GArray *values = NULL;
  for (; at->map && at->inst < at->map->inst_count && at->map->insts[at->inst].offset < end;
       at->inst++) {
    from = at->map->insts[at->inst].line;
    if (at->map->insts[at->inst].is_code)
      g_array_append_val(self->code, number);
  }
  for (; at->values && at->value < at->map->value_count && at->map->values[at->value].offset < end;
       at->value++) {
    guint value = find_value(at->values, &at->map->values[at->value]);
    if (!values)
      values = g_array_new(FALSE, FALSE, sizeof(guint));
    g_array_append_val(values, value);
  }
  g_ptr_array_add(self->lines, report_cut(text + start, (gssize)(end - start)));
  g_array_append_val(self->from, from);
  g_ptr_array_add(self->values, values);
}

void
report_text_set(ReportText *self, const char *text, gsize length, const NornTextMap *map,
                ReportValues *values, guint most_lines) {
  report_text_clear(self);
  init(self);
  self->total = 0;
  TextCursor at = {map, map ? values : NULL, 0, 0};
  for (gsize start = 0; start < length; self->total++) {
    const char *newline = memchr(text + start, '\n', length - start);
    gsize end = newline ? (gsize)(newline - text) : length;
    if (self->total < most_lines)
      add_line(self, text, start, end > start && text[end - 1] == '\r' ? end - 1 : end, &at);
    start = end + 1;
  }
}
