/* norn stats --against: the figures of another build of the command for the same files. */
#include "stats/stats.h"

#include <string.h>

/* Options that are not passed to the other build: those for comparison and output. The second
 * member of a pair says whether a value follows. */
static const struct {
  const char *name;
  gboolean has_value;
} own_options[] = {{"--against", TRUE},     {"--limit", TRUE}, {"--format", TRUE},
                   {"--output", TRUE},      {"-o", TRUE},      {"--time-passes", FALSE},
                   {"--trace-passes", TRUE}};

/* Whether the argument is such an option; *skips: the next one is its value. */
static gboolean
is_own(const char *argument, gboolean *skips) {
  *skips = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(own_options); i++) {
    const char *name = own_options[i].name;
    gsize length = strlen(name);
    gboolean is_short = name[1] != '-';
    if (strncmp(argument, name, length) != 0 ||
        (argument[length] && argument[length] != '=' && !is_short))
      continue;
    *skips = own_options[i].has_value && !argument[length];
    return TRUE;
  }
  return FALSE;
}

char *
stats_count_with(const char *command, int argc, char **argv, GError **error) {
  g_autoptr(GPtrArray) arguments = g_ptr_array_new();
  g_ptr_array_add(arguments, (gpointer)command);
  g_ptr_array_add(arguments, (gpointer) "stats");
  g_ptr_array_add(arguments, (gpointer) "--format=json");
  gboolean are_files = FALSE;
  for (int i = 1; i < argc; i++) {
    gboolean skips = FALSE;
    are_files |= !strcmp(argv[i], "--");
    if (are_files || !is_own(argv[i], &skips))
      g_ptr_array_add(arguments, argv[i]);
    i += skips;
  }
  g_ptr_array_add(arguments, NULL);
  g_autofree char *text = NULL;
  GError *cause = NULL;
  if (!g_spawn_sync(NULL, (char **)arguments->pdata, NULL,
                    G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, &text, NULL,
                    NULL, &cause)) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "--against: %s", cause->message);
    g_error_free(cause);
    return NULL;
  }
  if (!*text) {
    g_set_error(
        error, NORN_ERROR, NORN_ERROR_INVALID,
        "--against: %s printed nothing; expected a command that supports `stats --format json`",
        command);
    return NULL;
  }
  return g_steal_pointer(&text);
}
