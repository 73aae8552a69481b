#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

gboolean
tool_is_terminal(int descriptor) {
  return isatty(descriptor) && g_getenv("NO_COLOR") == NULL && g_strcmp0(g_getenv("TERM"), "dumb");
}

const ToolVerb *
tool_verb(const char *name) {
  for (const ToolVerb *verb = tool_verbs; verb->name; verb++)
    if (!strcmp(verb->name, name))
      return verb;
  return NULL;
}

int
tool_usage(const ToolVerb *verb, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  fprintf(stderr, "norn %s: %s\nusage: norn %s %s\n", verb->name, message, verb->name,
          verb->arguments);
  return TOOL_USAGE;
}

int
tool_choose(const ToolVerb *verb, const char *what, const char *text, const char *const *names,
            int fallback) {
  if (!text)
    return fallback;
  GString *list = g_string_new(NULL);
  int chosen = -1;
  for (int i = 0; names[i]; i++) {
    g_string_append_printf(list, "%s%s", !i ? "" : names[i + 1] ? ", " : " and ", names[i]);
    if (!strcmp(text, names[i]))
      chosen = i;
  }
  if (chosen < 0)
    tool_usage(verb, "there is no %s '%s', only %s", what, text, list->str);
  g_string_free(list, TRUE);
  return chosen;
}

int
tool_parse(const ToolVerb *verb, const GOptionEntry *entries, const GOptionEntry *more, int argc,
           char **argv, char ***remaining) {
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_autofree char *description =
      g_strdup_printf("norn %s %s\n%s", verb->name, verb->arguments, verb->summary);
  gboolean help = FALSE;
  const GOptionEntry common[] = {
      {"help", 'h', 0, G_OPTION_ARG_NONE, &help, "Show this help", NULL},
      {NULL},
  };
  g_option_context_set_help_enabled(context, FALSE);
  if (entries)
    g_option_context_add_main_entries(context, entries, NULL);
  if (more)
    g_option_context_add_main_entries(context, more, NULL);
  g_option_context_add_main_entries(context, common, NULL);
  g_auto(GStrv) copy = g_new0(char *, argc + 1);
  for (int i = 0; i < argc; i++)
    copy[i] = g_str_has_prefix(argv[i], "-O")
                  ? g_strdup_printf("--level=%s", argv[i] + 2) /* GOption wants a blank */
                  : g_strdup(argv[i]);
  GError *error = NULL;
  if (!g_option_context_parse_strv(context, &copy, &error)) {
    int status = tool_usage(verb, "%s", error->message);
    g_error_free(error);
    return status;
  }
  if (help) {
    g_autofree char *options = g_option_context_get_help(context, TRUE, NULL);
    const char *list = strstr(options, "Options:");
    const char *body = list ? strchr(list, '\n') : NULL;
    g_autofree char *shown = g_strchomp(g_strdup(body ? body : "\n"));
    printf("usage: %s\n\nOptions:%s\n%s%s", description, shown, verb->details ? "\n" : "",
           verb->details ? verb->details : "");
    return -1;
  }
  guint first = copy[0] ? 1 : 0;
  if (copy[first] && !strcmp(copy[first], "--"))
    first++;
  *remaining = g_strdupv(copy + first);
  return TOOL_SUCCESS;
}

/* The inputs read so far, GBytes by name, for messages to show lines of. */
static GHashTable *inputs;
static GMutex inputs_mutex;

static void
remember_input(const char *name, GBytes *bytes) {
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

static gboolean
fail_io(GError **error, const char *path, const char *what, int code) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "%s: cannot %s: %s", path, what, g_strerror(code));
  return FALSE;
}

const char *
tool_input_name(const char *path) {
  return strcmp(path, "-") ? path : "<stdin>";
}

GBytes *
tool_read(const char *path, GError **error) {
  return tool_read_limited(path, G_MAXINT32, error);
}

GBytes *
tool_read_limited(const char *path, gsize limit, GError **error) {
  gboolean is_stdin = !strcmp(path, "-");
  const char *name = tool_input_name(path);
  int descriptor = is_stdin ? STDIN_FILENO : open(path, O_RDONLY);
  if (descriptor < 0) {
    fail_io(error, name, "open", errno);
    return NULL;
  }
  GByteArray *bytes = g_byte_array_new();
  char chunk[65536];
  ssize_t count;
  while ((count = read(descriptor, chunk, sizeof chunk)) > 0 || (count < 0 && errno == EINTR)) {
    if (count > 0)
      g_byte_array_append(bytes, (const guint8 *)chunk, (guint)count);
    if (bytes->len > limit) {
      count = -1;
      errno = EFBIG;
      break;
    }
  }
  int code = errno;
  if (!is_stdin)
    close(descriptor);
  if (count < 0) {
    g_byte_array_unref(bytes);
    fail_io(error, name, "read", code);
    return NULL;
  }
  GBytes *read_bytes = g_byte_array_free_to_bytes(bytes);
  remember_input(name, read_bytes);
  return read_bytes;
}

static gboolean
write_all(int descriptor, const char *data, gsize size) {
  while (size) {
    ssize_t count = write(descriptor, data, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return FALSE;
    data += count;
    size -= (gsize)count;
  }
  return TRUE;
}

/* The permissions that a newly created file gets. */
static mode_t
creation_mode(void) {
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

gboolean
tool_write(const char *path, const void *data, gsize size, GError **error) {
  if (!path || !strcmp(path, "-")) {
    fflush(stdout);
    return write_all(STDOUT_FILENO, data, size) || fail_io(error, "<stdout>", "write", errno);
  }
  struct stat status;
  gboolean exists = stat(path, &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) { /* a device or a pipe cannot be replaced */
    int descriptor = open(path, O_WRONLY);
    if (descriptor < 0)
      return fail_io(error, path, "open for writing", errno);
    gboolean written = write_all(descriptor, data, size);
    int code = errno;
    close(descriptor);
    return written || fail_io(error, path, "write", code);
  }
  if (exists && access(path, W_OK) != 0)
    return fail_io(error, path, "open for writing", errno);
  g_autofree char *temporary = g_strconcat(path, ".XXXXXX", NULL);
  int descriptor = g_mkstemp_full(temporary, O_WRONLY, 0600);
  if (descriptor < 0)
    return fail_io(error, path, "create", errno);
  gboolean written = write_all(descriptor, data, size) &&
                     fchmod(descriptor, exists ? status.st_mode & 07777 : creation_mode()) == 0;
  int code = errno;
  if (close(descriptor) != 0 && written) {
    written = FALSE;
    code = errno;
  }
  if (written && rename(temporary, path) != 0) {
    written = FALSE;
    code = errno;
  }
  if (written)
    return TRUE;
  unlink(temporary);
  return fail_io(error, path, "write", code);
}

NornModule *
tool_read_module(const char *path, GError **error) {
  g_autoptr(GBytes) bytes = tool_read(path, error);
  if (!bytes)
    return NULL;
  gsize size;
  const char *text = g_bytes_get_data(bytes, &size);
  return norn_module_parse(text ? text : "", size, tool_input_name(path), error);
}
