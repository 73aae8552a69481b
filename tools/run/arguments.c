/* Arguments in parentheses in a run description. They are read in two steps: first into a list
 * of arguments, which may be named, then according to a table of rows, each of which says where
 * in a structure to store an argument. */
#include "run/cursor.h"

#include <string.h>

typedef struct {
  char *name;      /* NULL: unnamed */
  GPtrArray *list; /* its texts: one, or several in brackets */
  gboolean is_list;
  RunLocation location;
} Argument;

static void
argument_free(gpointer data) {
  Argument *argument = data;
  g_free(argument->name);
  g_ptr_array_unref(argument->list);
  g_free(argument);
}

static gboolean
parse_argument_list(Cursor *cursor, Argument *argument) {
  argument->is_list = TRUE;
  while (!cursor_take_mark(cursor, ']')) {
    g_ptr_array_add(argument->list, cursor_take_word(cursor, ",[]()"));
    cursor_skip_blanks(cursor);
    if (*cursor->at != ']' && !cursor_take_mark(cursor, ','))
      return cursor_expected(cursor, "',' or ']'");
  }
  return TRUE;
}

/* Reads the arguments after the `(` at the cursor. */
static GPtrArray *
parse_arguments(Cursor *cursor) {
  GPtrArray *arguments = g_ptr_array_new_with_free_func(argument_free);
  cursor->at++;
  while (!cursor_take_mark(cursor, ')')) {
    Argument *argument = g_new0(Argument, 1);
    argument->list = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(arguments, argument);
    argument->location = cursor_location(cursor, cursor->at);
    char *word = cursor_take_word(cursor, ":,()[]");
    if (cursor_take_mark(cursor, ':')) {
      argument->name = word;
      cursor_skip_blanks(cursor);
      word = *cursor->at == '[' ? NULL : cursor_take_word(cursor, ",()[]");
    }
    gboolean good = TRUE;
    if (word)
      g_ptr_array_add(argument->list, word);
    else if (cursor_take_mark(cursor, '['))
      good = parse_argument_list(cursor, argument);
    cursor_skip_blanks(cursor);
    if (good && *cursor->at != ')' && !cursor_take_mark(cursor, ','))
      good = cursor_expected(cursor, "',' or ')'");
    if (!good) {
      g_ptr_array_unref(arguments);
      return NULL;
    }
  }
  return arguments;
}

static gboolean
store_size(const char *text, guint64 maximum, guint32 size[3]) {
  g_auto(GStrv) parts = g_strsplit(text, "x", -1);
  guint count = g_strv_length(parts);
  size[0] = size[1] = size[2] = 1;
  for (guint i = 0; i < MIN(count, 3); i++) {
    guint64 side;
    if (!run_integer(parts[i], 4, &side) || *parts[i] == '-' || !side || side > maximum)
      return FALSE;
    size[i] = (guint32)side;
  }
  return count >= 1 && count <= 3;
}

static gboolean
store_slot(const ArgumentRow *row, const char *text, guint32 *slot) {
  guint64 bits;
  switch (row->into) {
  case INTO_COUNT:
    if (!run_integer(text, 4, &bits) || *text == '-' || bits < row->minimum || bits > row->maximum)
      return FALSE;
    *slot = (guint32)bits;
    return TRUE;
  case INTO_NUMBER:
    if (!run_number(text, run_element_find("f32"), &bits, NULL))
      return FALSE;
    *slot = (guint32)bits;
    return TRUE;
  default:
    for (*slot = 0; row->choices[*slot]; ++*slot)
      if (!strcmp(row->choices[*slot], text))
        return TRUE;
    return FALSE;
  }
}

/* A description of the arguments that a row accepts, for messages. */
static char *
describe(const ArgumentRow *row) {
  switch (row->into) {
  case INTO_COUNT:
    return g_strdup_printf("a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
                           row->minimum, row->maximum);
  case INTO_NUMBER:
    return row->slots > 1 ? g_strdup_printf("a number or %u in brackets", row->slots)
                          : g_strdup("a number");
  case INTO_FLAG:
    return g_strdup("nothing after it");
  case INTO_FORMAT:
    return g_strdup("a format such as rgba8unorm or r32float");
  case INTO_SIZE:
    return g_strdup_printf("a size such as 4x4, each side from 1 to %" G_GUINT64_FORMAT,
                           row->maximum);
  case INTO_CHOICE:
    break;
  }
  g_autofree char *names = g_strjoinv(", ", (char **)row->choices);
  return row->slots > 1 ? g_strdup_printf("one of %s, or %u of them in brackets", names, row->slots)
                        : g_strdup_printf("one of %s", names);
}

static gboolean
store_argument(const ArgumentRow *row, const Argument *argument, guint8 *target) {
  guint8 *destination = target + row->offset;
  const char *text = argument->list->len ? argument->list->pdata[0] : "";
  switch (row->into) {
  case INTO_FLAG:
    *(bool *)destination = true;
    return !argument->name;
  case INTO_FORMAT:
    return !argument->is_list && run_format_find(text, (NornPixelFormat *)destination);
  case INTO_SIZE:
    return !argument->is_list && store_size(text, row->maximum, (guint32 *)destination);
  default:
    break;
  }
  if (argument->is_list && argument->list->len != row->slots)
    return FALSE;
  for (guint i = 0; i < row->slots; i++)
    if (!store_slot(row, argument->list->pdata[argument->is_list ? i : 0],
                    (guint32 *)destination + i))
      return FALSE;
  return TRUE;
}

/* The row for an argument: the row of its name, the row of the flag that it is, or the next
 * positional row. */
static const ArgumentRow *
find_row(const ArgumentRow *rows, const Argument *argument, guint *position) {
  const char *name = argument->name ? argument->name : argument->list->pdata[0];
  for (const ArgumentRow *row = rows; row->name; row++)
    if (!strcmp(row->name, name) && (argument->name || row->into == INTO_FLAG))
      return row;
  if (argument->name)
    return NULL;
  guint seen = 0;
  for (const ArgumentRow *row = rows; row->name; row++)
    if (row->is_positional && seen++ == *position) {
      ++*position;
      return row;
    }
  return NULL;
}

static gboolean
fail_argument(Cursor *cursor, const ArgumentRow *rows, const Argument *argument) {
  GString *names = g_string_new(NULL);
  for (const ArgumentRow *row = rows; row->name; row++)
    g_string_append_printf(names, "%s%s", names->len ? ", " : "", row->name);
  run_spec_fail(cursor->spec, argument->location, cursor->error,
                "expected one of %s, found '%.20s'", names->str,
                argument->name ? argument->name : (const char *)argument->list->pdata[0]);
  g_string_free(names, TRUE);
  return FALSE;
}

gboolean
cursor_parse_rows(Cursor *cursor, const ArgumentRow *rows, gpointer target) {
  if (*cursor->at != '(')
    return cursor_expected(cursor, "'('");
  RunLocation location = cursor_location(cursor, cursor->at);
  g_autoptr(GPtrArray) arguments = parse_arguments(cursor);
  guint position = 0;
  guint64 seen = 0;
  for (guint i = 0; arguments && i < arguments->len; i++) {
    const Argument *argument = arguments->pdata[i];
    const ArgumentRow *row = find_row(rows, argument, &position);
    if (!row)
      return fail_argument(cursor, rows, argument);
    if (!store_argument(row, argument, target)) {
      g_autofree char *wanted = describe(row);
      return run_spec_fail(cursor->spec, argument->location, cursor->error, "%s: expected %s",
                           row->name, wanted);
    }
    if (seen >> (row - rows) & 1)
      return run_spec_fail(cursor->spec, argument->location, cursor->error, "%s is given twice",
                           row->name);
    seen |= G_GUINT64_CONSTANT(1) << (row - rows);
  }
  for (const ArgumentRow *row = rows; arguments && row->name; row++)
    if (row->is_positional && !(seen >> (row - rows) & 1)) {
      g_autofree char *wanted = describe(row);
      return run_spec_fail(cursor->spec, location, cursor->error, "'%s' is missing, expected %s",
                           row->name, wanted);
    }
  return arguments != NULL;
}
