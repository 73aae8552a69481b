/* The verbs' options, and what is said of a wrong call. */
#include "tool.h"

#include <stdio.h>
#include <string.h>

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

/* A copy that GOption may change, with -O2 as --level=2 and -j2 as --jobs=2: it wants a blank
 * before the 2; and --trace, whose value may be left out, as --trace=all. */
static char **
copy_arguments(int argc, char **argv) {
  char **copy = g_new0(char *, argc + 1);
  gboolean has_options = TRUE; /* until "--" */
  for (int i = 0; i < argc; i++) {
    has_options = has_options && strcmp(argv[i], "--");
    if (has_options && g_str_has_prefix(argv[i], "-O"))
      copy[i] = g_strdup_printf("--level=%s", argv[i] + 2);
    else if (has_options && g_str_has_prefix(argv[i], "-j") && g_ascii_isdigit(argv[i][2]))
      copy[i] = g_strdup_printf("--jobs=%s", argv[i] + 2);
    else
      copy[i] = g_strdup(has_options && !strcmp(argv[i], "--trace") ? "--trace=all" : argv[i]);
  }
  return copy;
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
  g_auto(GStrv) copy = copy_arguments(argc, argv);
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
