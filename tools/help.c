/* norn help: documentation of the verbs for people, for `man` and for shell completion. All of
 * it is generated from the table of verbs and the option tables that they parse with. */
#include "help/help.h"

#include <stdio.h>
#include <string.h>

typedef char *(*HelpWriter)(void);

static const char formats[] = "text|man|bash|zsh|fish";
enum { FORMAT_TEXT, FORMAT_MAN };
static const HelpWriter completions[] = {[FORMAT_MAN + 1] = help_bash, help_zsh, help_fish};

/* Writes the pages of the command and of each verb to a folder that is created for them. */
static gboolean
write_pages(const char *folder, GError **error) {
  if (g_mkdir_with_parents(folder, 0777) != 0) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "%s: cannot make this folder", folder);
    return FALSE;
  }
  g_autofree char *main_page = help_man(NULL);
  g_autofree char *main_path = g_build_filename(folder, "norn.1", NULL);
  if (!tool_replace(main_path, main_page, strlen(main_page), error))
    return FALSE;
  for (const ToolVerb *verb = tool_verbs; verb->name; verb++) {
    g_autofree char *page = help_man(verb);
    g_autofree char *name = g_strdup_printf("norn-%s.1", verb->name);
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (!tool_replace(path, page, strlen(page), error))
      return FALSE;
  }
  return TRUE;
}

static int
print(const ToolVerb *about, int format, const char *output) {
  if (format == FORMAT_TEXT && about) {
    char *arguments[] = {(char *)about->name, (char *)"--help", NULL};
    return about->run(2, arguments);
  }
  if (format == FORMAT_TEXT) {
    tool_print_verbs(stdout);
    return TOOL_SUCCESS;
  }
  g_autofree char *text = format == FORMAT_MAN ? help_man(about) : completions[format]();
  GError *error = NULL;
  return tool_write(output, text, strlen(text), &error) ? TOOL_SUCCESS : tool_fail(error);
}

int
tool_help(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("help");
  g_autofree char *format = NULL, *output = NULL, *pages = NULL;
  const GOptionEntry entries[] = {
      {"format", 0, 0, G_OPTION_ARG_STRING, &format,
       "Text, a manual page or a shell completion (default: text)", formats},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
       "Where to write other formats than text (default: standard output)", "OUT"},
      {"man-pages", 0, 0, G_OPTION_ARG_FILENAME, &pages,
       "Write the manual pages of the command and of each verb to a folder", "DIRECTORY"},
      {NULL},
  };
  g_auto(GStrv) words = NULL;
  int status = tool_parse(verb, entries, NULL, argc, argv, &words);
  if (status)
    return MAX(status, 0);
  int chosen = tool_choose(verb, "format", format, formats, FORMAT_TEXT);
  if (chosen < 0)
    return TOOL_USAGE;
  if ((pages || chosen > FORMAT_MAN) && !tool_takes(verb, words, 0, 0))
    return TOOL_USAGE;
  if (output && chosen == FORMAT_TEXT)
    return tool_usage(verb, "--output is only for the other formats");
  const ToolVerb *about = *words ? tool_verb(*words) : NULL;
  if (*words && !about)
    return tool_refuse_verb(*words);
  GError *error = NULL;
  if (pages)
    return write_pages(pages, &error) ? TOOL_SUCCESS : tool_fail(error);
  return print(about, chosen, output);
}
