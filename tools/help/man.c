/* Manual pages, in the macros that both groff and mandoc support. */
#include "help/help.h"

#include <string.h>

/* Text of a page: escaped such that nothing in it is a request or an escape; hyphens are those
 * of the keyboard, so that they can be copied and searched for. */
static void
append_text(GString *out, const char *text) {
  gboolean starts = TRUE;
  for (; *text; text++) {
    if (starts && (*text == '.' || *text == '\''))
      g_string_append(out, "\\&");
    starts = *text == '\n';
    if (*text == '\\')
      g_string_append(out, "\\e");
    else if (*text == '-')
      g_string_append(out, "\\-");
    else
      g_string_append_c(out, *text);
  }
}

static void
append_option(GString *out, const GOptionEntry *option) {
  g_string_append(out, ".TP\n\\fB");
  if (option->short_name)
    g_string_append_printf(out, "\\-%c\\fR, \\fB", option->short_name);
  g_autofree char *name = g_strconcat("--", option->long_name, NULL);
  append_text(out, name);
  g_string_append(out, "\\fR");
  if (option->arg_description) {
    g_string_append(out, option->flags & G_OPTION_FLAG_OPTIONAL_ARG ? "[=" : "=");
    g_string_append(out, "\\fI");
    append_text(out, option->arg_description);
    g_string_append(out, "\\fR");
    g_string_append(out, option->flags & G_OPTION_FLAG_OPTIONAL_ARG ? "]" : "");
  }
  g_string_append_c(out, '\n');
  append_text(out, option->description);
  g_string_append(out, ".\n");
}

static void
append_verb(GString *out, const ToolVerb *verb) {
  g_autoptr(GArray) options = tool_describe(verb);
  g_string_append_printf(out, "norn\\-%s \\- ", verb->name);
  append_text(out, verb->summary);
  g_string_append_printf(out, "\n.SH SYNOPSIS\n\\fBnorn %s\\fR ", verb->name);
  append_text(out, verb->arguments);
  g_string_append(out, "\n.SH OPTIONS\n");
  for (guint i = 0; i < options->len; i++)
    append_option(out, &g_array_index(options, GOptionEntry, i));
  if (!verb->details)
    return;
  g_string_append(out, ".SH DETAILS\n.nf\n");
  append_text(out, verb->details);
  g_string_append(out, ".fi\n");
}

static void
append_command(GString *out) {
  g_string_append(out, "norn \\- compile, assemble, simulate and test GPU shaders\n"
                       ".SH SYNOPSIS\n\\fBnorn\\fR VERB [ARGUMENT ...]\n"
                       ".SH VERBS\n");
  for (const ToolVerb *verb = tool_verbs; verb->name; verb++) {
    g_string_append_printf(out, ".TP\n\\fB%s\\fR\n", verb->name);
    append_text(out, verb->summary);
    g_string_append_printf(out, " (\\fBnorn\\-%s\\fR(1)).\n", verb->name);
  }
}

char *
help_man(const ToolVerb *verb) {
  GString *out = g_string_new(NULL);
  g_autofree char *title = verb ? g_strdup_printf("norn-%s", verb->name) : g_strdup("norn");
  g_autofree char *upper = g_ascii_strup(title, -1);
  g_string_append_printf(out, ".TH \"%s\" 1 \"\" \"Norn %s\" \"Norn\"\n.SH NAME\n", upper,
                         NORN_VERSION);
  if (verb)
    append_verb(out, verb);
  else
    append_command(out);
  g_string_append(
      out, ".PP\nInput is a file, or \\- for standard input.\n"
           ".SH EXIT STATUS\n0 on success; 1 if the input is at fault; 2 if the usage is wrong.\n"
           ".SH SEE ALSO\n");
  g_string_append(out, verb ? "\\fBnorn\\fR(1)\n" : "\\fBnorn help\\fR \\fIVERB\\fR\n");
  return g_string_free(out, FALSE);
}
