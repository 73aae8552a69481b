/* Lists of elements in a run description, such as f32[1, (2, 3); 4], and files in their place. */
#include "run/cursor.h"
#include "tool.h"

#include <string.h>

static gboolean
fail_size(Cursor *cursor, RunLocation location) {
  return run_spec_fail(cursor->spec, location, cursor->error, "more than %u elements",
                       RUN_MAX_ELEMENTS);
}

static gboolean
fail_memory(Cursor *cursor, RunLocation location) {
  return run_spec_fail(cursor->spec, location, cursor->error, "not enough memory for the elements");
}

/* After a `;`: repeats the part of the list from byte `start` on. */
static gboolean
repeat(Cursor *cursor, RunValue *value, guint start) {
  guint64 count, size = value->bytes->len - start;
  cursor_skip_blanks(cursor);
  RunLocation location = cursor_location(cursor, cursor->at);
  g_autofree char *times = cursor_take_word(cursor, ",])");
  if (!*times)
    return cursor_expected(cursor, "a repeat count");
  if (!run_integer(times, 4, &count) || *times == '-')
    return run_spec_fail(cursor->spec, location, cursor->error,
                         "expected a repeat count, found '%.20s'", times);
  if (count > RUN_MAX_ELEMENTS ||
      start + size * count > (guint64)RUN_MAX_ELEMENTS * value->element->size)
    return fail_size(cursor, location);
  if (!run_bytes_reserve(value->bytes, start + size * count))
    return fail_memory(cursor, location);
  value->bytes->len = start + (guint)(size * count);
  guint8 *data = value->bytes->data + start;
  for (guint64 done = size, part; done < size * count; done += part) {
    part = MIN(done, size * count - done);
    memcpy(data + done, data, part);
  }
  return TRUE;
}

static gboolean
parse_element(Cursor *cursor, RunValue *value) {
  cursor_skip_blanks(cursor);
  const char *start = cursor->at;
  g_autofree char *text = cursor_take_word(cursor, ",;])");
  guint64 bits;
  GError *problem = NULL;
  if (!*text)
    return cursor_expected(cursor, "a number");
  if (!run_number(text, value->element, &bits, &problem)) {
    run_spec_fail(cursor->spec, cursor_location(cursor, start), cursor->error, "%s",
                  problem->message);
    g_error_free(problem);
    return FALSE;
  }
  if (value->bytes->len / value->element->size >= RUN_MAX_ELEMENTS)
    return fail_size(cursor, cursor_location(cursor, start));
  bits = GUINT64_TO_LE(bits);
  return run_bytes_append(value->bytes, &bits, value->element->size) ||
         fail_memory(cursor, cursor_location(cursor, start));
}

/* Elements up to `end`; groups in parentheses are only allowed if it is `]`. */
static gboolean
parse_elements(Cursor *cursor, RunValue *value, char end) {
  while (!cursor_take_mark(cursor, end)) {
    guint start = value->bytes->len;
    if (end == ']' && cursor_take_mark(cursor, '(')) {
      if (!parse_elements(cursor, value, ')'))
        return FALSE;
    } else if (!parse_element(cursor, value)) {
      return FALSE;
    }
    if (cursor_take_mark(cursor, ';') && !repeat(cursor, value, start))
      return FALSE;
    cursor_skip_blanks(cursor);
    if (*cursor->at != end && !cursor_take_mark(cursor, ','))
      return cursor_expected(cursor, end == ']' ? "',', ';' or ']'" : "',', ';' or ')'");
  }
  return TRUE;
}

GBytes *
cursor_take_file(Cursor *cursor, gsize limit, char **path, RunLocation *location) {
  *location = cursor_location(cursor, cursor->at);
  g_autofree char *name = cursor_take_word(cursor, " \t\r");
  g_autofree char *folder = g_path_get_dirname(cursor->spec->file);
  *path = g_path_is_absolute(name) ? g_strdup(name) : g_build_filename(folder, name, NULL);
  GError *problem = NULL;
  if (!*name) {
    cursor_expected(cursor, "the name of a file");
    return NULL;
  }
  GBytes *bytes = tool_read_limited(*path, limit, &problem);
  if (!bytes) {
    run_spec_fail(cursor->spec, *location, cursor->error, "%s", problem->message);
    g_error_free(problem);
  }
  return bytes;
}

/* After an `@`: the bytes of a file. */
static gboolean
read_bytes(Cursor *cursor, RunValue *value) {
  RunLocation location;
  g_autofree char *path = NULL;
  g_autoptr(GBytes) bytes =
      cursor_take_file(cursor, (gsize)RUN_MAX_ELEMENTS * value->element->size, &path, &location);
  if (!bytes)
    return FALSE;
  gsize size;
  const guint8 *data = g_bytes_get_data(bytes, &size);
  if (size % value->element->size)
    return run_spec_fail(cursor->spec, location, cursor->error,
                         "%s: %" G_GSIZE_FORMAT
                         " bytes are not a whole number of elements of type %s",
                         path, size, value->element->name);
  return run_bytes_append(value->bytes, data, size) || fail_memory(cursor, location);
}

gboolean
cursor_parse_content(Cursor *cursor, RunValue *value, gboolean *given) {
  *given = TRUE;
  if (!value->bytes)
    value->bytes = run_bytes_new();
  if (*cursor->at == '[') {
    cursor->at++;
    return parse_elements(cursor, value, ']');
  }
  if (*cursor->at == '@') {
    cursor->at++;
    return read_bytes(cursor, value);
  }
  *given = FALSE;
  return TRUE;
}
