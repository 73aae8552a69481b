/* Positions, errors and words of a run description. */
#include "run/cursor.h"

#include <string.h>

gboolean
run_spec_fail(const RunSpec *spec, RunLocation location, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  if (!location.line)
    location = spec->location;
  g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX, "%s:%u:%u: %s", spec->file, location.line,
              location.column, message);
  return FALSE;
}

RunLocation
cursor_location(const Cursor *cursor, const char *at) {
  gsize offset = (gsize)(at - cursor->text);
  guint low = 0, high = cursor->pieces->len; /* the piece is in [low, high) */
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;
    if (g_array_index(cursor->pieces, TextSpan, middle).start <= offset)
      low = middle;
    else
      high = middle;
  }
  const TextSpan *piece = &g_array_index(cursor->pieces, TextSpan, low);
  return (RunLocation){piece->location.line,
                       piece->location.column + (guint)(offset - piece->start)};
}

gboolean
cursor_expected(Cursor *cursor, const char *what) {
  if (*cursor->at)
    return run_spec_fail(cursor->spec, cursor_location(cursor, cursor->at), cursor->error,
                         "expected %s, found '%.20s'", what, cursor->at);
  return run_spec_fail(cursor->spec, cursor_location(cursor, cursor->at), cursor->error,
                       "expected %s, found the end of the description", what);
}

void
cursor_skip_blanks(Cursor *cursor) {
  while (*cursor->at == ' ' || *cursor->at == '\t' || *cursor->at == '\r')
    cursor->at++;
}

char *
cursor_take_word(Cursor *cursor, const char *stops) {
  cursor_skip_blanks(cursor);
  gsize length = strcspn(cursor->at, stops);
  char *word = g_strchomp(g_strndup(cursor->at, length));
  cursor->at += length;
  return word;
}

gboolean
cursor_take_mark(Cursor *cursor, char mark) {
  cursor_skip_blanks(cursor);
  if (*cursor->at != mark)
    return FALSE;
  cursor->at++;
  return TRUE;
}
