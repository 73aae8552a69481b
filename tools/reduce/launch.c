/* Reducing launches: a launch is split into its assignments, and lists into their elements. Both
 * are removed, or replaced with 0 or 1, in runs that are halved down to single ones. */
#include "reduce/reduce.h"
#include "run/run.h"

#include <string.h>

/* Longer lists are treated as a whole. */
#define MAX_ELEMENTS 65536

/* An assignment: either "x=f32" and the elements of its list, or all of it. The strings are in a
 * string chunk, where equal ones are shared. */
typedef struct Assignment {
  const char *head;
  GPtrArray *elements; /* nullable */
} Assignment;

static Assignment *
assignment_new(const char *head, GPtrArray *elements) {
  Assignment *assignment = g_new(Assignment, 1);
  *assignment = (Assignment){head, elements};
  return assignment;
}

static void
assignment_free(gpointer data) {
  Assignment *assignment = data;
  if (assignment->elements)
    g_ptr_array_unref(assignment->elements);
  g_free(assignment);
}

static gpointer
assignment_copy(gconstpointer data, gpointer unused) {
  (void)unused;
  const Assignment *assignment = data;
  GPtrArray *elements = assignment->elements;
  return assignment_new(assignment->head, elements ? g_ptr_array_copy(elements, NULL, NULL) : NULL);
}

static GPtrArray *
launch_new(void) {
  return g_ptr_array_new_with_free_func(assignment_free);
}

/* --- Parsing and printing --- */

/* The number of bytes before the first of `stops` outside of brackets and parentheses. */
static gsize
span(const char *text, const char *stops) {
  int depth = 0;
  gsize i = 0;
  for (; text[i] && (depth > 0 || !strchr(stops, text[i])); i++)
    depth += (text[i] == '[' || text[i] == '(') - (text[i] == ']' || text[i] == ')');
  return i;
}

/* The elements of a list's contents, with repetitions expanded. FALSE if there are too many. */
static gboolean
read_elements(GStringChunk *strings, const char *text, GPtrArray *elements) {
  while (*text) {
    gsize length = span(text, ",");
    g_autofree char *piece = g_strstrip(g_strndup(text, length));
    gsize repeat = span(piece, ";");
    guint64 count = 1;
    if (piece[repeat])
      run_integer(g_strchug(piece + repeat + 1), sizeof count, &count);
    piece[repeat] = '\0';
    g_strchomp(piece);
    g_autoptr(GPtrArray) group = g_ptr_array_new();
    gsize last = strlen(piece);
    if (*piece == '(' && last > 1) {
      piece[last - 1] = '\0';
      if (!read_elements(strings, piece + 1, group))
        return FALSE;
    } else {
      g_ptr_array_add(group, g_string_chunk_insert_const(strings, piece));
    }
    if (elements->len + group->len * count > MAX_ELEMENTS)
      return FALSE;
    for (guint64 i = 0; i < count; i++)
      g_ptr_array_extend(elements, group, NULL, NULL);
    text += length + (text[length] == ',');
  }
  return TRUE;
}

static Assignment *
read_assignment(GStringChunk *strings, const char *text) {
  gsize length = strlen(text), open = 0, depth = 0;
  for (gsize i = 0; i < length; i++) {
    if (text[i] == '[' && !depth && !open)
      open = i;
    depth += (text[i] == '[' || text[i] == '(') - (gsize)(text[i] == ']' || text[i] == ')');
  }
  g_autoptr(GPtrArray) elements = g_ptr_array_new();
  g_autofree char *content =
      open && text[length - 1] == ']' ? g_strndup(text + open + 1, length - open - 2) : NULL;
  if (!content || !read_elements(strings, content, elements))
    return assignment_new(g_string_chunk_insert_const(strings, text), NULL);
  g_autofree char *head = g_strndup(text, open);
  return assignment_new(g_string_chunk_insert_const(strings, head), g_steal_pointer(&elements));
}

/* Parses assignments up to =>; blanks around a = belong to them. */
static GPtrArray *
read_launch(GStringChunk *strings, const char *text) {
  GPtrArray *launch = launch_new();
  g_autofree char *joined = NULL;
  g_autoptr(GRegex) blanks = g_regex_new("\\s*=(?!>)\\s*", 0, 0, NULL);
  joined = g_regex_replace_literal(blanks, text, -1, 0, "=", 0, NULL);
  for (const char *at = joined; *at;) {
    gsize length = span(at, " \t\r");
    if (g_str_has_prefix(at, "=>"))
      break;
    if (length) {
      g_autofree char *piece = g_strndup(at, length);
      g_ptr_array_add(launch, read_assignment(strings, piece));
    }
    at += length + (at[length] != '\0');
  }
  return launch;
}

/* Consecutive equal elements are written once, with their count. */
static void
format_elements(const GPtrArray *elements, GString *out) {
  for (guint i = 0, next; i < elements->len; i = next) {
    for (next = i + 1; next < elements->len; next++)
      if (elements->pdata[i] != elements->pdata[next])
        break;
    g_string_append_printf(out, "%s%s", i ? ", " : "", (char *)elements->pdata[i]);
    if (next - i > 1)
      g_string_append_printf(out, "; %u", next - i);
  }
}

static char *
format_launch(const GPtrArray *launch) {
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < launch->len; i++) {
    const Assignment *assignment = launch->pdata[i];
    g_string_append_printf(out, "%s%s", i ? " " : "", assignment->head);
    if (!assignment->elements)
      continue;
    g_string_append_c(out, '[');
    format_elements(assignment->elements, out);
    g_string_append_c(out, ']');
  }
  return g_string_free(out, FALSE);
}

char *
reduce_launch_inline(const char *launch, const RunSpec *spec) {
  GStringChunk *strings = g_string_chunk_new(1024);
  g_autoptr(GPtrArray) assignments = read_launch(strings, launch);
  for (guint i = 0; i < assignments->len; i++) {
    Assignment *assignment = assignments->pdata[i];
    const char *file = assignment->elements ? NULL : strchr(assignment->head, '@');
    g_autofree char *name = g_strndup(assignment->head, strcspn(assignment->head, "="));
    const RunValue *value =
        file ? run_spec_find(spec->values, g_str_has_prefix(name, "fau.") ? name + 4 : name) : NULL;
    if (!value || !value->bytes)
      continue;
    g_autofree char *list = run_list_format(value->element, value->bytes->data, value->bytes->len);
    const char *content = strchr(list, '[');
    g_autofree char *whole = g_strdup_printf("%.*s%s", (int)(file - assignment->head),
                                             assignment->head, content ? content : "[]");
    assignment_free(assignment);
    assignments->pdata[i] = read_assignment(strings, whole);
  }
  char *text = format_launch(assignments);
  g_string_chunk_free(strings);
  return text;
}

/* --- Edits: each changes the sites in a range of numbers, as in modules --- */

typedef struct LaunchCursor {
  GStringChunk *strings;
  GPtrArray *launch;
  guint first, end, site;
} LaunchCursor;

static gboolean
takes(LaunchCursor *cursor) {
  guint site = cursor->site++;
  return site >= cursor->first && site < cursor->end;
}

static void
edit_assignments(LaunchCursor *cursor) {
  for (guint i = cursor->launch->len; i-- > 0;)
    if (takes(cursor))
      g_ptr_array_remove_index(cursor->launch, i);
}

static void
edit_elements(LaunchCursor *cursor) {
  for (guint i = 0; i < cursor->launch->len; i++) {
    Assignment *assignment = cursor->launch->pdata[i];
    for (guint k = assignment->elements ? assignment->elements->len : 0; k-- > 0;)
      if (takes(cursor))
        g_ptr_array_remove_index(assignment->elements, k);
  }
}

static void
replace_elements(LaunchCursor *cursor, const char *by) {
  char *zero = g_string_chunk_insert_const(cursor->strings, "0");
  char *wanted = g_string_chunk_insert_const(cursor->strings, by);
  for (guint i = 0; i < cursor->launch->len; i++) {
    Assignment *assignment = cursor->launch->pdata[i];
    for (guint k = 0; assignment->elements && k < assignment->elements->len; k++) {
      gpointer *element = &assignment->elements->pdata[k];
      if (*element != zero && *element != wanted && takes(cursor))
        *element = wanted;
    }
  }
}

static void
edit_elements_0(LaunchCursor *cursor) {
  replace_elements(cursor, "0");
}

static void
edit_elements_1(LaunchCursor *cursor) {
  replace_elements(cursor, "1");
}

/* Numbers after the =, outside of names and lists. */
static void
replace_numbers(LaunchCursor *cursor, const char *by) {
  g_autoptr(GRegex) numbers = g_regex_new("(?<![A-Za-z0-9_.])-?[0-9][A-Za-z0-9.]*", 0, 0, NULL);
  for (guint i = 0; i < cursor->launch->len; i++) {
    Assignment *assignment = cursor->launch->pdata[i];
    const char *value = strchr(assignment->head, '=');
    gssize at = value ? value - assignment->head : 0;
    GMatchInfo *match;
    int start, end;
    while (value && g_regex_match_full(numbers, assignment->head, -1, (int)at, 0, &match, NULL) &&
           g_match_info_fetch_pos(match, 0, &start, &end)) {
      gboolean is_simple =
          end - start == 1 && (assignment->head[start] == '0' || assignment->head[start] == *by);
      at = end;
      if (!is_simple && takes(cursor)) {
        g_autoptr(GString) head = g_string_new(assignment->head);
        g_string_erase(head, start, end - start);
        g_string_insert(head, start, by);
        assignment->head = g_string_chunk_insert_const(cursor->strings, head->str);
        at = start + (gssize)strlen(by);
      }
      g_match_info_free(match);
      match = NULL;
    }
    g_clear_pointer(&match, g_match_info_free);
  }
}

static void
edit_numbers_0(LaunchCursor *cursor) {
  replace_numbers(cursor, "0");
}

static void
edit_numbers_1(LaunchCursor *cursor) {
  replace_numbers(cursor, "1");
}

typedef void (*LaunchEdit)(LaunchCursor *cursor);
static const LaunchEdit edits[] = {edit_assignments, edit_numbers_0,  edit_numbers_1,
                                   edit_elements,    edit_elements_0, edit_elements_1};

typedef struct LaunchSearch {
  GStringChunk *strings;
  GPtrArray *best;
  /* Checksums of the texts that were tried: removing any of several equal elements gives the
   * same text. The texts themselves would be large, and each trial is a fork. */
  GHashTable *seen;
  ReduceTest test;
  gpointer data;
  NornReduceAnswer answer; /* to the last candidate */
} LaunchSearch;

/* Enters the text; false if it was already there. */
static gboolean
is_new(LaunchSearch *search, const char *text) {
  return g_hash_table_add(search->seen, g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1));
}

/* The launch with the edit applied to a run of its sites. */
static LaunchCursor
edit_copy(const LaunchSearch *search, LaunchEdit edit, guint first, guint end) {
  LaunchCursor cursor = {.strings = search->strings, .first = first, .end = end};
  cursor.launch = launch_new();
  g_ptr_array_extend(cursor.launch, search->best, assignment_copy, NULL);
  edit(&cursor);
  return cursor;
}

static guint
count_sites(const LaunchSearch *search, LaunchEdit edit) {
  LaunchCursor cursor = edit_copy(search, edit, 0, 0);
  g_ptr_array_unref(cursor.launch);
  return cursor.site;
}

/* Whether the edit of a run of its sites was accepted. */
static gboolean
apply(LaunchSearch *search, LaunchEdit edit, guint first, guint end) {
  LaunchCursor cursor = edit_copy(search, edit, first, end);
  g_autofree char *candidate = format_launch(cursor.launch);
  search->answer =
      is_new(search, candidate) ? search->test(candidate, search->data) : NORN_REDUCE_REJECT;
  gboolean is_good = search->answer == NORN_REDUCE_ACCEPT;
  g_ptr_array_unref(is_good ? search->best : cursor.launch);
  if (is_good)
    search->best = cursor.launch;
  return is_good;
}

static void
run_edit(LaunchSearch *search, LaunchEdit edit, guint pieces) {
  guint count = count_sites(search, edit);
  guint min = pieces ? count / pieces : 0;
  for (guint size = count; size > min && count; size /= 2)
    for (guint end = count; end;) {
      guint first = end > size ? end - size : 0;
      if (apply(search, edit, first, end))
        count = count_sites(search, edit);
      if (search->answer == NORN_REDUCE_STOP)
        return;
      end = MIN(first, count);
    }
}

char *
reduce_launch(const char *launch, guint pieces, ReduceTest test, gpointer data) {
  LaunchSearch search = {
      .strings = g_string_chunk_new(1024),
      .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
      .test = test,
      .data = data,
  };
  search.best = read_launch(search.strings, launch);
  is_new(&search, launch);
  for (guint i = 0; i < G_N_ELEMENTS(edits) && search.answer != NORN_REDUCE_STOP; i++)
    run_edit(&search, edits[i], pieces);
  char *best = format_launch(search.best);
  g_ptr_array_unref(search.best);
  g_hash_table_unref(search.seen);
  g_string_chunk_free(search.strings);
  return best;
}
