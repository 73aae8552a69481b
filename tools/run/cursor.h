/* The parser of run descriptions, in parts that share a cursor over one line, which may have been
 * put together from several lines of a file. A function that returns gboolean sets the cursor's
 * error when it returns FALSE. */
#ifndef NORN_TOOLS_RUN_CURSOR_H
#define NORN_TOOLS_RUN_CURSOR_H

#include "run/spec.h"

#include <stddef.h>

/* The most values of a description, and entries of its tables. */
#define RUN_MAXIMUM_VALUES 4096u

/* A piece of the text that stands in one line of the file. */
typedef struct TextSpan {
  gsize start; /* in the text */
  RunLocation location;
} TextSpan;

typedef struct Cursor {
  const char *text, *at;
  const GArray *pieces; /* TextSpan, by start */
  RunSpec *spec;
  GError **error;
} Cursor;

/* Where in the file `at` stands. */
RunLocation cursor_location(const Cursor *cursor, const char *at);

/* Says what was expected where the cursor is. Returns FALSE. */
gboolean cursor_expected(Cursor *cursor, const char *what);

void cursor_skip_blanks(Cursor *cursor);

/* The characters up to one of `stops`, without blanks at the end; free it with g_free. */
char *cursor_take_word(Cursor *cursor, const char *stops);

/* Whether the next character but blanks is `mark`, which is then taken. */
gboolean cursor_take_mark(Cursor *cursor, char mark);

/* The bytes, at most `limit`, of the file whose name the cursor is at, and its path, to be freed
 * with g_free also if NULL is returned. */
GBytes *cursor_take_file(Cursor *cursor, gsize limit, char **path, RunLocation *location);

/* [elements] or @FILE, into the value's bytes; *given tells whether there is one of them. */
gboolean cursor_parse_content(Cursor *cursor, RunValue *value, gboolean *given);

typedef enum { INTO_COUNT, INTO_NUMBER, INTO_CHOICE, INTO_FLAG, INTO_FORMAT, INTO_SIZE } Into;

/* Where an argument goes: `slots` words of 32 bits from `offset` on, one text for all or each its
 * own; a flag is a bool, a size three words, a format a NornPixelFormat. */
typedef struct ArgumentRow {
  const char *name;
  Into into;
  gsize offset;
  guint slots;
  guint64 minimum, maximum;   /* of counts */
  const char *const *choices; /* their numbers are what is stored; ends with NULL */
  gboolean is_positional;     /* what has no name goes to these rows, in order */
} ArgumentRow;

/* The names of NornCompare. */
extern const char *const run_compares[];

/* Reads the parentheses at the cursor into `target`. `rows` ends with a row without name; all
 * positional rows must be there. */
gboolean cursor_parse_rows(Cursor *cursor, const ArgumentRow *rows, gpointer target);

/* What follows the word `image` or `sampler`. */
gboolean cursor_parse_image(Cursor *cursor, RunValue *value);
gboolean cursor_parse_sampler(Cursor *cursor, RunValue *value);

/* Whether `name` is that of a directive. The cursor must be at its value, which
 * cursor_parse_directive then reads. */
gboolean cursor_is_directive(const char *name);
gboolean cursor_parse_directive(Cursor *cursor, const char *name, RunLocation location);

/* Parses a description put together from `pieces` of `file`. */
RunSpec *run_spec_parse_pieces(const char *text, const GArray *pieces, const char *file,
                               GError **error);

#endif
