/* Errors, shown with the lines of the inputs that they refer to, and the names in them. */
#include "common/json.h"
#include "tool.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

gboolean
tool_is_terminal(int descriptor) {
  return isatty(descriptor) && g_getenv("NO_COLOR") == NULL && g_strcmp0(g_getenv("TERM"), "dumb");
}

/* The inputs read so far, GBytes by name, from which messages show lines. */
static GHashTable *inputs;
static GMutex inputs_mutex;

void
tool_remember_input(const char *name, GBytes *bytes) {
  g_mutex_lock(&inputs_mutex);
  if (!inputs)
    inputs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  g_hash_table_insert(inputs, g_strdup(name), g_bytes_ref(bytes));
  g_mutex_unlock(&inputs_mutex);
}

/* The input whose name precedes the first ":LINE:COLUMN: " of a line, as in the table; NULL if
 * there is none. */
static const char *
input_of_line(const char *line) {
  for (const char *colon = strchr(line, ':'); inputs && colon; colon = strchr(colon + 1, ':')) {
    gsize digits = strspn(colon + 1, "0123456789");
    const char *second = colon + 1 + digits;
    gsize more = *second == ':' ? strspn(second + 1, "0123456789") : 0;
    if (!digits || !more || strncmp(second + 1 + more, ": ", 2) != 0)
      continue;
    g_autofree char *name = g_strndup(line, (gsize)(colon - line));
    gpointer key = NULL;
    g_hash_table_lookup_extended(inputs, name, &key, NULL);
    return key;
  }
  return NULL;
}

/* The message with the lines of the inputs that it refers to, each with a caret. Consecutive
 * messages on one input are looked up together, which takes linear time. */
static char *
with_sources(const char *message) {
  GString *out = g_string_new(NULL), *run = g_string_new(NULL);
  g_auto(GStrv) lines = g_strsplit(message, "\n", -1);
  const char *input = NULL;
  for (char **line = lines;; line++) {
    const char *of_line = *line ? input_of_line(*line) : NULL;
    if (run->len && (!*line || of_line != input)) {
      GBytes *bytes = input ? g_hash_table_lookup(inputs, input) : NULL;
      const char *text = bytes && g_bytes_get_size(bytes) ? g_bytes_get_data(bytes, NULL) : "";
      g_autofree char *shown =
          norn_error_with_source(run->str, text, bytes ? g_bytes_get_size(bytes) : 0);
      g_string_append(out, input ? shown : run->str);
      g_string_append_c(out, '\n');
      g_string_truncate(run, 0);
    }
    if (!*line)
      break;
    g_string_append_printf(run, "%s%s", run->len ? "\n" : "", *line);
    input = of_line;
  }
  g_string_free(run, TRUE);
  return g_string_free(out, FALSE);
}

/* How errors are printed. */
typedef enum { MESSAGES_TEXT, MESSAGES_GCC, MESSAGES_JSON } MessageForm;
const char tool_message_forms[] = "text|gcc|json";
static MessageForm form;

#define SEVERITY_ERROR "error"
/* The longest place at the start of a message, in bytes: the longest path and two numbers. */
#define LONGEST_PLACE (PATH_MAX + 24)

gboolean
tool_choose_messages(const ToolVerb *verb, const char *name) {
  int chosen = tool_choose(verb, "message format", name, tool_message_forms, MESSAGES_TEXT);
  form = (MessageForm)MAX(chosen, 0);
  return chosen >= 0;
}

void
tool_foresee_messages(char **arguments) {
  static const char option[] = "--messages";
  const gsize length = strlen(option);
  for (; *arguments && strcmp(*arguments, "--"); arguments++) {
    if (strncmp(*arguments, option, length) != 0)
      continue;
    const char *name = (*arguments)[length] == '=' ? *arguments + length + 1 : arguments[1];
    int found = name ? tool_find_word("message format", name, tool_message_forms, NULL) : -1;
    if (found >= 0)
      form = (MessageForm)found;
  }
}

gboolean
tool_messages_are_text(void) {
  return form == MESSAGES_TEXT;
}

ToolPlace
tool_read_place(const char *message) {
  for (const char *colon = strchr(message, ':'); colon; colon = strchr(colon + 1, ':')) {
    char *end;
    ToolPlace place = {.text = message};
    if (!g_ascii_isdigit(colon[1]))
      continue;
    place.line = g_ascii_strtoull(colon + 1, &end, 10);
    if (*end == ':' && g_ascii_isdigit(end[1]))
      place.column = g_ascii_strtoull(end + 1, &end, 10);
    if (*end != ':' || end[1] != ' ')
      continue;
    place.file = g_strndup(message, (gsize)(colon - message));
    place.text = end + 2;
    return place;
  }
  return (ToolPlace){.text = message};
}

void
tool_find_place(const char *text, const char *place, guint *line, guint *column) {
  *line = *column = 1;
  for (const char *at = text; at < place; at++, ++*column)
    if (*at == '\n') {
      ++*line;
      *column = 0;
    }
}

char *
tool_make_printable(char *line) {
  for (char *c = line; *c; c++)
    if (g_ascii_iscntrl(*c) && *c != '\t')
      *c = '?';
  return line;
}

const char *
tool_input_name(const char *path) {
  g_autofree char *shown = tool_make_printable(g_strdup(path));
  if (strcmp(shown, path) != 0)
    return g_intern_string(shown);
  return !*path ? "''" : strcmp(path, "-") ? path : "<stdin>";
}

char *
tool_shell_word(const char *text) {
  bool is_plain =
      *text && !text[strspn(text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-./,:=+@%")];
  return is_plain ? g_strdup(text) : g_shell_quote(text);
}

/* The format of GCC, which editors and CI parse: a line "FILE:LINE:COLUMN: error: TEXT" for each
 * fault. Without a place, the command's name replaces the file's. */
static void
print_gcc(const char *severity, const char *message) {
  g_auto(GStrv) lines = g_strsplit(message, "\n", -1);
  for (char **line = lines; *line; line++) {
    if (!**line)
      continue;
    tool_make_printable(*line);
    if (g_ascii_isspace(**line)) {
      fprintf(stderr, "%s\n", *line);
      continue;
    }
    ToolPlace place = tool_read_place(*line);
    fprintf(stderr, "%s", place.file ? place.file : "norn");
    if (place.file)
      fprintf(stderr, ":%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, place.line,
              MAX(place.column, 1));
    fprintf(stderr, ": %s: %s\n", severity, place.text);
    g_free(place.file);
  }
}

/* An object for each fault on its own line; continuation lines are part of its text. */
static void
print_json(const char *severity, const char *message) {
  g_auto(GStrv) lines = g_strsplit(message, "\n", -1);
  for (char **line = lines; *line;) {
    ToolPlace place = tool_read_place(*line++);
    GString *text = g_string_new(place.text);
    for (; *line && g_ascii_isspace(**line); line++)
      g_string_append_printf(text, "\n%s", *line);
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    tool_json_string(json, "severity", severity);
    if (place.file) {
      tool_json_string(json, "file", place.file);
      tool_json_number(json, "line", (gint64)place.line);
      if (place.column)
        tool_json_number(json, "column", (gint64)place.column);
    }
    tool_json_string(json, "message", text->str);
    json_builder_end_object(json);
    g_autofree char *shown = tool_json_text(json, FALSE);
    fputs(shown, stderr);
    g_string_free(text, TRUE);
    g_free(place.file);
  }
}

static void
print_text(const char *severity, const char *message) {
  const char *color = !tool_is_terminal(STDERR_FILENO)   ? NULL
                      : strcmp(severity, SEVERITY_ERROR) ? "\033[1;36m"
                                                         : "\033[1;31m";
  g_autofree char *prefix =
      color ? g_strdup_printf("%s%s:\033[0m ", color, severity) : g_strdup_printf("%s: ", severity);
  g_autofree char *longer = with_sources(message);
  g_auto(GStrv) lines = g_strsplit(longer, "\n", -1);
  for (char **line = lines; *line; line++)
    if (**line)
      fprintf(stderr, "%s%s\n", g_ascii_isspace(**line) ? "" : prefix, tool_make_printable(*line));
}

/* Shortens lines that are too long to be read. The place at the start of a line is kept: it is
 * used for look-up, and a file's name has its own limit. */
static char *
shorten_lines(const char *message) {
  GString *out = g_string_new(NULL);
  g_auto(GStrv) lines = g_strsplit(message, "\n", -1);
  for (char **line = lines; *line; line++) {
    ToolPlace place = tool_read_place(*line);
    const char *text = place.text - *line <= LONGEST_PLACE ? place.text : *line;
    g_autofree char *shown = norn_shorten_message(text);
    g_string_append_len(out, *line, text - *line);
    g_string_append(out, shown);
    if (line[1])
      g_string_append_c(out, '\n');
    g_free(place.file);
  }
  return g_string_free(out, FALSE);
}

static void
print_message(const char *severity, const char *message) {
  static void (*const printers[])(const char *, const char *) = {
      [MESSAGES_TEXT] = print_text, [MESSAGES_GCC] = print_gcc, [MESSAGES_JSON] = print_json};
  g_autofree char *shown = shorten_lines(message);
  printers[form](severity, shown);
}

int
tool_fail(GError *error) {
  print_message(SEVERITY_ERROR, error->message);
  g_error_free(error);
  return TOOL_FAILURE;
}

void
tool_note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  print_message("note", message);
}

int
tool_refuse_call(const char *command, const char *message, const char *more) {
  g_autofree char *shown = norn_shorten_message(message);
  g_autofree char *whole = g_strdup_printf("%s\n  %s", shown, more);
  if (form == MESSAGES_TEXT)
    fprintf(stderr, "%s: %s\n%s\n", command, shown, more);
  else
    print_message(SEVERITY_ERROR, whole);
  return TOOL_USAGE;
}
