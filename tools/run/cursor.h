/* The parser of run descriptions; its parts share a cursor over one line, which may have been
 * joined from several lines of a file. If a function that returns gboolean returns FALSE, it has
 * set the cursor's error. */
#ifndef NORN_TOOLS_RUN_CURSOR_H
#define NORN_TOOLS_RUN_CURSOR_H

#include "run/spec.h"

#include <stddef.h>

/* The greatest number of values in a description, and of entries in its tables. */
#define RUN_MAX_VALUES 4096u

/* A piece of the text that is in one line of the file. */
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

/* The position of `at` in the file. */
RunLocation cursor_location(const Cursor *cursor, const char *at);

/* Sets an error that says what was expected at the cursor. Returns FALSE. */
gboolean cursor_expected(Cursor *cursor, const char *what);

void cursor_skip_blanks(Cursor *cursor);

/* The characters up to one of `stops`, without blanks at the end; free it with g_free. */
char *cursor_take_word(Cursor *cursor, const char *stops);

/* Whether the next character after blanks is `mark`; if so, consumes it. */
gboolean cursor_take_mark(Cursor *cursor, char mark);

/* The bytes, at most `limit`, of the file named at the cursor, and its path, which is to be
 * freed with g_free even if NULL is returned. */
GBytes *cursor_take_file(Cursor *cursor, gsize limit, char **path, RunLocation *location);

/* Reads [elements] or @FILE into the value's bytes; *given says whether one of them is present. */
gboolean cursor_parse_content(Cursor *cursor, RunValue *value, gboolean *given);

typedef enum { INTO_COUNT, INTO_NUMBER, INTO_CHOICE, INTO_FLAG, INTO_FORMAT, INTO_SIZE } Into;

/* How an argument is stored: `slots` words of 32 bits from `offset` on, either all from one text
 * or each from its own. A flag is a bool, a size three words, a format a NornPixelFormat. */
typedef struct ArgumentRow {
  const char *name;
  Into into;
  gsize offset;
  guint slots;
  guint64 minimum, maximum;   /* for counts */
  const char *const *choices; /* the index of the choice is stored; ends with NULL */
  gboolean is_positional;     /* unnamed arguments are assigned to these rows, in order */
} ArgumentRow;

/* The names of NornCompare. */
extern const char *const run_compares[];

/* Reads the arguments in parentheses at the cursor into `target`. `rows` ends with a row without
 * a name; all positional rows must be present. */
gboolean cursor_parse_rows(Cursor *cursor, const ArgumentRow *rows, gpointer target);

/* Reads what follows the word `image` or `sampler`. */
gboolean cursor_parse_image(Cursor *cursor, RunValue *value);
gboolean cursor_parse_sampler(Cursor *cursor, RunValue *value);

/* Whether `name` is the name of a directive. The cursor must be at its value, which
 * cursor_parse_directive then reads. */
gboolean cursor_is_directive(const char *name);
gboolean cursor_parse_directive(Cursor *cursor, const char *name, RunLocation location);

/* Parses a description joined from `pieces` of `file`. */
RunSpec *run_spec_parse_pieces(const char *text, const GArray *pieces, const char *file,
                               GError **error);

#endif
