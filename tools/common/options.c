/* The verbs' options, and messages on wrong calls. */
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

void
tool_print_verbs(FILE *out) {
  fputs("norn: compile, assemble, simulate and test GPU shaders\n\nusage: norn VERB [ARGUMENT "
        "...]\n\n",
        out);
  for (const ToolVerb *verb = tool_verbs; verb->name; verb++)
    fprintf(out, "  %-8s %s\n", verb->name, verb->summary);
  fputs("\n`norn help VERB` describes one verb. Input is a file, or - for standard input.\n"
        "Exit status: 0 (success), 1 (the input is at fault), 2 (wrong usage).\n",
        out);
}

int
tool_refuse_verb(const char *name) {
  NornNearest nearest;
  norn_nearest_init(&nearest, name, strlen(name));
  for (const ToolVerb *verb = tool_verbs; verb->name; verb++)
    norn_nearest_try(&nearest, verb->name);
  g_autofree char *hint = norn_nearest_hint(&nearest);
  g_autofree char *shown = norn_shorten_message(name);
  fprintf(stderr, "norn: unknown verb '%s'%s `norn help` lists the verbs\n", shown,
          *hint ? hint : ";");
  return TOOL_USAGE;
}

int
tool_usage(const ToolVerb *verb, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *command = g_strdup_printf("norn %s", verb->name);
  g_autofree char *usage = g_strdup_printf("usage: %s %s", command, verb->arguments);
  return tool_refuse_call(command, message, usage);
}

gboolean
tool_takes(const ToolVerb *verb, char **arguments, int min_count, int max_count) {
  int count = (int)g_strv_length(arguments);
  if (count > max_count)
    tool_usage(verb, "unexpected argument '%s'", arguments[max_count]);
  else if (count < min_count)
    tool_usage(verb, "expected %s input file", max_count == 1 ? "one" : "an");
  return count >= min_count && count <= max_count;
}

/* The verb's options are collected here instead of being parsed when it is being described. */
static GArray *described;

static void
describe_entries(const GOptionEntry *entries) {
  for (; entries && entries->long_name; entries++)
    g_array_append_vals(described, entries, 1);
}

GArray *
tool_describe(const ToolVerb *verb) {
  char *arguments[] = {(char *)verb->name, NULL};
  GArray *entries = described = g_array_new(TRUE, FALSE, sizeof(GOptionEntry));
  verb->run(1, arguments);
  described = NULL;
  return entries;
}

/* A suggestion for the option that GOption's message ends with: "; did you mean --NAME?". */
static char *
suggest_option(const GError *error, const GOptionEntry *const *tables, guint count) {
  const char *word = strrchr(error->message, ' ');
  if (!g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) || !word)
    return g_strdup("");
  word += 1 + strspn(word + 1, "-");
  NornNearest nearest;
  norn_nearest_init(&nearest, word, strcspn(word, "="));
  for (guint i = 0; i < count; i++)
    for (const GOptionEntry *entry = tables[i]; entry && entry->long_name; entry++)
      norn_nearest_try(&nearest, entry->long_name);
  return nearest.name ? g_strdup_printf("; did you mean --%s?", nearest.name) : g_strdup("");
}

gboolean
tool_check_numbers(const ToolNumber *numbers, guint count, GError **error) {
  for (const ToolNumber *row = numbers; row < numbers + count; row++) {
    if (row->number == TOOL_NOT_GIVEN ||
        (row->number >= row->minimum && row->number <= row->maximum))
      continue;
    g_autofree char *end = row->maximum == G_MAXINT64
                               ? g_strdup("on")
                               : g_strdup_printf("to %" G_GINT64_FORMAT, row->maximum);
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "%s: expected a number from %" G_GINT64_FORMAT " %s, found %" G_GINT64_FORMAT,
                row->option, row->minimum, end, row->number);
    return FALSE;
  }
  return TRUE;
}

guint
tool_jobs(int jobs) {
  return jobs ? (guint)jobs : g_get_num_processors();
}

int
tool_refuse(const ToolVerb *verb, GError *error) {
  int status = tool_usage(verb, "%s", error->message);
  g_error_free(error);
  return status;
}

static char **
split_words(const char *words) {
  return g_strsplit_set(words, "|,", -1);
}

char *
tool_word(const char *words, guint index) {
  g_auto(GStrv) names = split_words(words);
  return index < g_strv_length(names) ? g_strdup(names[index]) : NULL;
}

int
tool_find_word(const char *what, const char *text, const char *words, GError **error) {
  g_auto(GStrv) names = split_words(words);
  GString *list = g_string_new(NULL);
  NornNearest nearest;
  norn_nearest_init(&nearest, text, strlen(text));
  int chosen = -1;
  for (int i = 0; names[i]; i++) {
    g_string_append_printf(list, "%s%s", !i ? "" : names[i + 1] ? ", " : " or ", names[i]);
    if (!strcmp(text, names[i]))
      chosen = i;
    norn_nearest_try(&nearest, names[i]);
  }
  g_autofree char *hint = norn_nearest_hint(&nearest);
  if (chosen < 0)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "unknown %s '%s', expected %s%s", what, text,
                list->str, hint);
  g_string_free(list, TRUE);
  return chosen;
}

int
tool_choose(const ToolVerb *verb, const char *what, const char *text, const char *words,
            int fallback) {
  GError *error = NULL;
  int chosen = text ? tool_find_word(what, text, words, &error) : fallback;
  if (error)
    tool_refuse(verb, error);
  return chosen;
}

/* A copy of the arguments that GOption may change, with -O2 as --level=2 (and -O as --level) and
 * -j2 as --jobs=2, since GOption requires a blank before the 2; and with --trace, whose value is
 * optional, as --trace=all. */
static char **
copy_arguments(int argc, char **argv) {
  char **copy = g_new0(char *, argc + 1);
  gboolean has_options = TRUE; /* until "--" */
  for (int i = 0; i < argc; i++) {
    has_options = has_options && strcmp(argv[i], "--");
    if (has_options && g_str_has_prefix(argv[i], "-O"))
      copy[i] = g_strconcat("--level", argv[i][2] ? "=" : "", argv[i] + 2, NULL);
    else if (has_options && g_str_has_prefix(argv[i], "-j") && g_ascii_isdigit(argv[i][2]))
      copy[i] = g_strdup_printf("--jobs=%s", argv[i] + 2);
    else
      copy[i] = g_strdup(has_options && !strcmp(argv[i], "--trace") ? "--trace=all" : argv[i]);
  }
  return copy;
}

/* Whether no option that takes no value is given one (--quiet=yes), which GOption would ignore. */
static gboolean
check_values(char *const *arguments, const GOptionEntry *const *tables, guint count,
             GError **error) {
  for (; *arguments && strcmp(*arguments, "--"); arguments++) {
    const char *name = *arguments + 2, *value = strchr(*arguments, '=');
    if (!g_str_has_prefix(*arguments, "--") || !value)
      continue;
    for (guint i = 0; i < count; i++)
      for (const GOptionEntry *entry = tables[i]; entry && entry->long_name; entry++)
        if (entry->arg == G_OPTION_ARG_NONE && strlen(entry->long_name) == (gsize)(value - name) &&
            g_str_has_prefix(name, entry->long_name)) {
          g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "--%s takes no value, found '%s'",
                      entry->long_name, value + 1);
          return FALSE;
        }
  }
  return TRUE;
}

int
tool_parse(const ToolVerb *verb, const GOptionEntry *entries, const GOptionEntry *more, int argc,
           char **argv, char ***remaining) {
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_autofree char *description =
      g_strdup_printf("norn %s %s\n%s", verb->name, verb->arguments, verb->summary);
  gboolean help = FALSE;
  g_autofree char *messages = NULL;
  const GOptionEntry common[] = {
      {"messages", 0, 0, G_OPTION_ARG_STRING, &messages,
       "How to print errors: for people, like GCC, or as one JSON object per line (default: text)",
       tool_message_forms},
      {"help", 'h', 0, G_OPTION_ARG_NONE, &help, "Show this help", NULL},
      {NULL},
  };
  const GOptionEntry *const tables[] = {entries, more, common};
  if (described) {
    for (guint i = 0; i < G_N_ELEMENTS(tables); i++)
      describe_entries(tables[i]);
    return -1;
  }
  g_option_context_set_help_enabled(context, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS(tables); i++)
    if (tables[i])
      g_option_context_add_main_entries(context, tables[i], NULL);
  g_auto(GStrv) copy = copy_arguments(argc, argv);
  GError *error = NULL;
  tool_foresee_messages(copy);
  if (!check_values(copy, tables, G_N_ELEMENTS(tables), &error))
    return tool_refuse(verb, error);
  if (!g_option_context_parse_strv(context, &copy, &error)) {
    g_autofree char *hint = suggest_option(error, tables, G_N_ELEMENTS(tables));
    int status = tool_usage(verb, "%s%s", error->message, hint);
    g_error_free(error);
    return status;
  }
  if (!tool_choose_messages(verb, messages))
    return TOOL_USAGE;
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
  return tool_takes(verb, *remaining, verb->min_count, verb->max_count) ? TOOL_SUCCESS : TOOL_USAGE;
}
