/* The run: lines of a file: finding them, and joining continued lines. */
#include "run/cursor.h"

#include <string.h>

/* The text of a file, line by line. */
typedef struct {
  const char *text;
  gsize length, at;
  guint line;
} Lines;

/* The next line, as [*start, *stop). */
static gboolean
next_line(Lines *lines, gsize *start, gsize *stop) {
  if (lines->at >= lines->length)
    return FALSE;
  const char *end = memchr(lines->text + lines->at, '\n', lines->length - lines->at);
  *start = lines->at;
  *stop = end ? (gsize)(end - lines->text) : lines->length;
  lines->at = *stop + 1;
  lines->line++;
  if (*stop > *start && lines->text[*stop - 1] == '\r')
    --*stop;
  return TRUE;
}

/* The start of the text of a comment line, or `stop`. */
static gsize
skip_mark(const Lines *lines, gsize at, gsize stop) {
  if (at >= stop || lines->text[at] != ';')
    return stop;
  while (at < stop && (lines->text[at] == ';' || lines->text[at] == ' '))
    at++;
  return at;
}

/* Joins the description that begins at `from`; a line that ends in a backslash is continued in
 * the next one. */
static void
join_lines(Lines *lines, gsize from, gsize stop, GString *joined, GArray *pieces) {
  gsize line_start = from, next_start;
  while (line_start > 0 && lines->text[line_start - 1] != '\n')
    line_start--;
  for (;;) {
    TextSpan piece = {joined->len, {lines->line, (guint)(from - line_start) + 1}};
    g_array_append_val(pieces, piece);
    gboolean goes_on = stop > from && lines->text[stop - 1] == '\\';
    g_string_append_len(joined, lines->text + from, (gssize)(stop - from - goes_on));
    if (!goes_on || !next_line(lines, &next_start, &stop))
      return;
    g_string_append_c(joined, ' ');
    line_start = next_start;
    from = skip_mark(lines, next_start, stop);
  }
}

/* The next description of the file, without zero bytes; NULL after the last one. */
static GString *
next_description(Lines *lines, GArray *pieces) {
  gsize start, stop;
  while (next_line(lines, &start, &stop)) {
    gsize from = skip_mark(lines, start, stop);
    if (stop - from < 4 || strncmp(lines->text + from, "run:", 4) != 0)
      continue;
    GString *joined = g_string_new(NULL);
    join_lines(lines, from + 4, stop, joined, pieces);
    for (char *zero = joined->str; (zero = memchr(zero, 0, joined->str + joined->len - zero));)
      *zero = '\x7f'; /* no syntax accepts these, so the end is where it appears to be */
    return joined;
  }
  return NULL;
}

GPtrArray *
run_spec_collect(const char *text, gsize length, const char *file, GError **error) {
  GPtrArray *specs = g_ptr_array_new_with_free_func((GDestroyNotify)run_spec_free);
  Lines lines = {text, length, 0, 0};
  for (;;) {
    g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(TextSpan));
    g_autoptr(GString) joined = next_description(&lines, pieces);
    if (!joined)
      return specs;
    RunSpec *spec = run_spec_parse_pieces(joined->str, pieces, file, error);
    if (!spec) {
      g_ptr_array_unref(specs);
      return NULL;
    }
    g_ptr_array_add(specs, spec);
  }
}

GPtrArray *
run_spec_texts(const char *text, gsize length) {
  GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
  Lines lines = {text, length, 0, 0};
  for (;;) {
    g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(TextSpan));
    GString *joined = next_description(&lines, pieces);
    if (!joined)
      return texts;
    g_ptr_array_add(texts, g_string_free(joined, FALSE));
  }
}
