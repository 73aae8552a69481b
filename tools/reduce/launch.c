/* Launches made smaller: a launch is cut into its assignments, and lists into their elements; both
 * are removed, or become 0 or 1, in runs that are halved down to single ones. */
#include "reduce/reduce.h"
#include "run/run.h"

#include <string.h>

/* Lists that are longer are taken as a whole. */
#define MOST_ELEMENTS 65536

/* An assignment: "x=f32" and the elements of its list, or all of it. */
typedef struct Assignment {
  char *head;
  GPtrArray *elements; /* strings; nullable */
} Assignment;

static void
assignment_free(gpointer data) {
  Assignment *assignment = data;
  g_free(assignment->head);
  if (assignment->elements)
    g_ptr_array_unref(assignment->elements);
  g_free(assignment);
}

/* --- Reading and writing --- */

/* How many bytes there are before the first of `stops` outside of brackets and parentheses. */
static gsize
span(const char *text, const char *stops) {
  int depth = 0;
  gsize i = 0;
  for (; text[i] && (depth > 0 || !strchr(stops, text[i])); i++)
    depth += (text[i] == '[' || text[i] == '(') - (text[i] == ']' || text[i] == ')');
  return i;
}

/* The elements of a list's content, repeated ones written out. FALSE if there are too many. */
static gboolean
read_elements(const char *text, GPtrArray *elements) {
  while (*text) {
    gsize length = span(text, ",");
    g_autofree char *piece = g_strstrip(g_strndup(text, length));
    gsize repeat = span(piece, ";");
    guint64 count = piece[repeat] ? g_ascii_strtoull(piece + repeat + 1, NULL, 0) : 1;
    piece[repeat] = '\0';
    g_strchomp(piece);
    g_autoptr(GPtrArray) group = g_ptr_array_new_with_free_func(g_free);
    gsize last = strlen(piece);
    if (*piece == '(' && last > 1) {
      piece[last - 1] = '\0';
      if (!read_elements(piece + 1, group))
        return FALSE;
    } else {
      g_ptr_array_add(group, g_strdup(piece));
    }
    if (elements->len + group->len * count > MOST_ELEMENTS)
      return FALSE;
    for (guint64 i = 0; i < count; i++)
      for (guint k = 0; k < group->len; k++)
        g_ptr_array_add(elements, g_strdup(group->pdata[k]));
    text += length + (text[length] == ',');
  }
  return TRUE;
}

static Assignment *
read_assignment(const char *text) {
  Assignment *assignment = g_new0(Assignment, 1);
  gsize length = strlen(text), open = 0, depth = 0;
  for (gsize i = 0; i < length; i++) {
    if (text[i] == '[' && !depth && !open)
      open = i;
    depth += (text[i] == '[' || text[i] == '(') - (gsize)(text[i] == ']' || text[i] == ')');
  }
  GPtrArray *elements = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *content =
      open && text[length - 1] == ']' ? g_strndup(text + open + 1, length - open - 2) : NULL;
  if (content && read_elements(content, elements)) {
    assignment->head = g_strndup(text, open);
    assignment->elements = elements;
  } else {
    assignment->head = g_strdup(text);
    g_ptr_array_unref(elements);
  }
  return assignment;
}

/* Assignments up to =>; blanks around a = belong to them. */
static GPtrArray *
read_launch(const char *text) {
  GPtrArray *launch = g_ptr_array_new_with_free_func(assignment_free);
  g_autofree char *joined = NULL;
  g_autoptr(GRegex) blanks = g_regex_new("\\s*=(?!>)\\s*", 0, 0, NULL);
  joined = g_regex_replace_literal(blanks, text, -1, 0, "=", 0, NULL);
  for (const char *at = joined; *at;) {
    gsize length = span(at, " \t\r");
    if (g_str_has_prefix(at, "=>"))
      break;
    if (length) {
      g_autofree char *piece = g_strndup(at, length);
      g_ptr_array_add(launch, read_assignment(piece));
    }
    at += length + (at[length] != '\0');
  }
  return launch;
}

/* Equal elements that follow each other are written once, with their number. */
static void
format_elements(const GPtrArray *elements, GString *out) {
  for (guint i = 0, next; i < elements->len; i = next) {
    for (next = i + 1; next < elements->len; next++)
      if (strcmp(elements->pdata[i], elements->pdata[next]) != 0)
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
reduce_launch_inline(const char *launch, const char *path, GError **error) {
  g_autoptr(GPtrArray) specs = NULL;
  g_autofree char *comment = g_strdup_printf("; run: %s\n", launch);
  specs = run_spec_collect(comment, strlen(comment), path, error);
  if (!specs || !specs->len)
    return NULL;
  g_autoptr(GPtrArray) assignments = read_launch(launch);
  for (guint i = 0; i < assignments->len; i++) {
    Assignment *assignment = assignments->pdata[i];
    char *file = assignment->elements ? NULL : strchr(assignment->head, '@');
    g_autofree char *name = g_strndup(assignment->head, strcspn(assignment->head, "="));
    const RunValue *value = file ? run_spec_find(((RunSpec *)specs->pdata[0])->values,
                                                 g_str_has_prefix(name, "fau.") ? name + 4 : name)
                                 : NULL;
    if (!value || !value->bytes)
      continue;
    *file = '\0';
    g_autofree char *list = run_list_format(value->element, value->bytes->data, value->bytes->len);
    const char *content = strchr(list, '[');
    g_autofree char *whole = g_strconcat(assignment->head, content ? content : "[]", NULL);
    assignment_free(assignment);
    assignments->pdata[i] = read_assignment(whole);
  }
  return format_launch(assignments);
}

/* --- Edits: each changes the sites in a range of numbers, as those of modules do --- */

typedef struct LaunchCursor {
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
  for (guint i = 0; i < cursor->launch->len; i++) {
    Assignment *assignment = cursor->launch->pdata[i];
    for (guint k = 0; assignment->elements && k < assignment->elements->len; k++) {
      char **element = (char **)&assignment->elements->pdata[k];
      if (!strcmp(*element, "0") || !strcmp(*element, by) || !takes(cursor))
        continue;
      g_free(*element);
      *element = g_strdup(by);
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

/* Numbers behind the =, outside of names and lists. */
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
        GString *head = g_string_new(assignment->head);
        g_string_erase(head, start, end - start);
        g_string_insert(head, start, by);
        g_free(assignment->head);
        assignment->head = g_string_free(head, FALSE);
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
  char *best;
  /* Checksums of the texts that were tried: equal elements are the same text, whichever goes. The
   * texts would be large, and each trial is a fork. */
  GHashTable *seen;
  ReduceTest test;
  gpointer data;
} LaunchSearch;

/* Enters the text; false if it was there. */
static gboolean
is_new(LaunchSearch *search, const char *text) {
  return g_hash_table_add(search->seen, g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1));
}

/* Applies the edit to a run of its sites. Returns how many sites there are. */
static guint
apply(LaunchSearch *search, LaunchEdit edit, guint first, guint end, gboolean *is_good) {
  g_autoptr(GPtrArray) launch = read_launch(search->best);
  LaunchCursor cursor = {launch, first, end, 0};
  edit(&cursor);
  g_autofree char *candidate = format_launch(launch);
  *is_good = first < end && is_new(search, candidate) && search->test(candidate, search->data);
  if (*is_good) {
    g_free(search->best);
    search->best = g_steal_pointer(&candidate);
  }
  return cursor.site;
}

static void
run_edit(LaunchSearch *search, LaunchEdit edit) {
  gboolean is_good;
  guint count = apply(search, edit, 0, 0, &is_good);
  for (guint size = count; size && count; size /= 2)
    for (guint end = count; end;) {
      guint first = end > size ? end - size : 0;
      apply(search, edit, first, end, &is_good);
      if (is_good)
        count = apply(search, edit, 0, 0, &(gboolean){FALSE});
      end = MIN(first, count);
    }
}

char *
reduce_launch(const char *launch, ReduceTest test, gpointer data) {
  LaunchSearch search = {
      .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
      .test = test,
      .data = data,
  };
  search.best = g_strdup(launch);
  is_new(&search, launch);
  for (guint i = 0; i < G_N_ELEMENTS(edits); i++)
    run_edit(&search, edits[i]);
  g_hash_table_unref(search.seen);
  return search.best;
}
