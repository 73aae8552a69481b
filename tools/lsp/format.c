/* Formatting: the printer's form, with comments and empty lines preserved.
 *
 * The printer writes a line for each line of the text that is not just a comment, in the same
 * order, except that it writes all uniforms in one line. So lines are paired, and each pair that
 * differs becomes an edit. Lines that cannot be paired are not changed. */
#include "lsp.h"

#include <string.h>

/* A line of the document: its code, then a comment with the blanks before it. */
typedef struct Line {
  gsize start, code, comment, end; /* start of the code, start of the blanks before the comment */
} Line;

static gboolean
is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static Line
read_line(const char *bytes, gsize start) {
  Line line = {.start = start, .end = start + strcspn(bytes + start, "\n")};
  line.comment = start + strcspn(bytes + start, ";\n");
  while (line.comment > start && is_blank(bytes[line.comment - 1]))
    line.comment--;
  line.code = start;
  while (line.code < line.comment && is_blank(bytes[line.code]))
    line.code++;
  while (line.end > line.comment && is_blank(bytes[line.end - 1]))
    line.end--;
  return line;
}

static gboolean
is_uniforms(const char *code) {
  return g_str_has_prefix(code, "fau ") || g_str_has_prefix(code, "fau\t");
}

/* Constant data, which is printed as words, keeps its original form. */
static gboolean
is_data(const char *code) {
  return g_str_has_prefix(code, "data ") || g_str_has_prefix(code, "data\t");
}

/* The printed lines that contain anything but constant data, with a separate line for each
 * declaration of a uniform. */
static GPtrArray *
split_printed(const char *printed) {
  GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) lines = g_strsplit(printed, "\n", -1);
  for (char **line = lines; *line; line++) {
    const char *code = *line + strspn(*line, " ");
    if (!is_uniforms(code)) {
      if (*code && !is_data(code))
        g_ptr_array_add(out, g_strdup(*line));
      continue;
    }
    g_auto(GStrv) declarations = g_strsplit(code + strlen("fau "), ", ", -1);
    for (char **declaration = declarations; *declaration; declaration++)
      g_ptr_array_add(out, g_strdup(*declaration));
  }
  return out;
}

/* The printed form of a line's code, from entry *next on; NULL if there is none. */
static char *
take_printed(const GPtrArray *printed, guint *next, const char *code, gsize length) {
  if (!is_uniforms(code))
    return *next < printed->len ? g_strdup(printed->pdata[(*next)++]) : NULL;
  guint count = 1;
  for (gsize i = 0; i < length; i++)
    count += code[i] == ',';
  if (printed->len - *next < count)
    return NULL;
  GString *out = g_string_new("  fau ");
  for (guint i = 0; i < count; i++)
    g_string_append_printf(out, "%s%s", i ? ", " : "", (char *)printed->pdata[(*next)++]);
  return g_string_free(out, FALSE);
}

typedef struct LineEdit {
  gsize start, end;
  char *text;
} LineEdit;

static void
clear_edit(gpointer data) {
  g_free(((LineEdit *)data)->text);
}

/* The edits that replace the document's lines with the printed ones; NULL if they cannot be
 * paired. */
static GArray *
pair_lines(const LspText *text, const GPtrArray *printed) {
  GArray *edits = g_array_new(FALSE, FALSE, sizeof(LineEdit));
  g_array_set_clear_func(edits, clear_edit);
  guint next = 0;
  gboolean is_paired = TRUE;
  for (gsize at = 0; at < text->length && is_paired;) {
    Line line = read_line(text->bytes, at);
    at += strcspn(text->bytes + at, "\n") + 1;
    if (line.code == line.comment || is_data(text->bytes + line.code))
      continue;
    char *form = take_printed(printed, &next, text->bytes + line.code, line.comment - line.code);
    is_paired = form != NULL;
    LineEdit edit = {line.start, line.comment, form};
    gboolean is_same = form && strlen(form) == line.comment - line.start &&
                       !memcmp(form, text->bytes + line.start, strlen(form));
    if (is_paired && !is_same)
      g_array_append_val(edits, edit);
    else
      g_free(form);
  }
  if (is_paired && next == printed->len)
    return edits;
  g_array_unref(edits);
  return NULL;
}

static char *
apply(const LspText *text, const GArray *edits) {
  GString *out = g_string_new(NULL);
  gsize at = 0;
  for (guint i = 0; i < edits->len; i++) {
    const LineEdit *edit = &g_array_index(edits, LineEdit, i);
    g_string_append_len(out, text->bytes + at, (gssize)(edit->start - at));
    g_string_append(out, edit->text);
    at = edit->end;
  }
  g_string_append(out, text->bytes + at);
  return g_string_free(out, FALSE);
}

/* The printed form of a text, or NULL if it is invalid. */
static char *
print(const char *text) {
  g_autoptr(NornModule) module = norn_module_parse(text, strlen(text), NULL, NULL);
  return module ? norn_module_print(module, NULL) : NULL;
}

void
lsp_format(JsonBuilder *json, const LspServer *server, const LspDocument *document) {
  g_autofree char *printed = document->is_assembly ? NULL : print(document->text.bytes);
  g_autoptr(GPtrArray) lines = printed ? split_printed(printed) : NULL;
  GArray *edits = lines ? pair_lines(&document->text, lines) : NULL;
  /* The edited text must have the same meaning. */
  g_autofree char *edited = edits ? apply(&document->text, edits) : NULL;
  g_autofree char *again = edited ? print(edited) : NULL;
  json_builder_begin_array(json);
  for (guint i = 0; again && !strcmp(again, printed) && i < edits->len; i++) {
    const LineEdit *edit = &g_array_index(edits, LineEdit, i);
    lsp_add_edit(json, server, document, edit->start, edit->end, edit->text);
  }
  json_builder_end_array(json);
  if (edits)
    g_array_unref(edits);
}
