/* Errors, shown with the lines of the inputs that they speak of. */
#include "tool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

gboolean
tool_is_terminal(int descriptor) {
  return isatty(descriptor) && g_getenv("NO_COLOR") == NULL && g_strcmp0(g_getenv("TERM"), "dumb");
}

/* The inputs read so far, GBytes by name, for messages to show lines of. */
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

/* The input whose name stands before the first ":LINE:COLUMN: " of a line, as it is in the table;
 * NULL if there is none. */
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

/* The message with the lines of the inputs that it speaks of, each with a caret. Messages of one
 * input that follow each other are looked up together, which is linear. */
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

int
tool_fail(GError *error) {
  gboolean color = tool_is_terminal(STDERR_FILENO);
  g_autofree char *message = with_sources(error->message);
  g_auto(GStrv) lines = g_strsplit(message, "\n", -1);
  for (char **line = lines; *line; line++) {
    if (!**line)
      continue;
    const char *prefix = g_ascii_isspace(**line) ? ""
                         : color                 ? "\033[1;31merror:\033[0m "
                                                 : "error: ";
    fprintf(stderr, "%s%s\n", prefix, *line);
  }
  g_error_free(error);
  return TOOL_FAILURE;
}
