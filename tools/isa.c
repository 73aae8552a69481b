/* norn isa: the known facts on an instruction, and the manual. */
#include "tool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Suggestions for a word: the name of an instruction with its type or, if the word has no type,
 * without. */
static char *
suggest(const NornIsa *isa, const char *word) {
  NornNearest nearest;
  norn_nearest_init(&nearest, word, strlen(word));
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  for (unsigned i = 0; i < norn_isa_instruction_count(isa); i++) {
    const char *name = norn_isa_instruction_name(isa, i);
    char *tried = g_strndup(name, strcspn(name, strchr(word, '.') ? "" : "."));
    g_ptr_array_add(names, tried);
    norn_nearest_try(&nearest, tried);
  }
  return norn_nearest_hint(&nearest);
}

/* Reports that `describe` has nothing on the word for this architecture, or for any (-1). */
static int
fail_word(const NornIsa *isa, int architecture, const char *word, const char *what,
          char *(*describe)(const NornIsa *, int, const char *)) {
  g_autoptr(GString) others = g_string_new(NULL);
  for (unsigned a = 0; architecture >= 0 && a < norn_isa_architecture_count(isa); a++) {
    g_autofree char *text = describe(isa, (int)a, word);
    if (text)
      g_string_append_printf(others, "%s%s", others->len ? ", " : "",
                             norn_isa_architecture_name(isa, a));
  }
  if (others->len)
    return tool_fail(g_error_new(NORN_ERROR, NORN_ERROR_INVALID,
                                 "%s has '%s' only on architecture %s, not on %s",
                                 norn_isa_name(isa), word, others->str,
                                 norn_isa_architecture_name(isa, (unsigned)architecture)));
  g_autofree char *hint = suggest(isa, word);
  return tool_fail(g_error_new(NORN_ERROR, NORN_ERROR_INVALID, "%s has nothing named '%s'%s%s",
                               norn_isa_name(isa), word, what, hint));
}

/* The names of all instructions, or the pages and search results for the words. */
static int
show(const NornIsa *isa, int architecture, char **words, const char *output) {
  g_autoptr(GString) out = g_string_new(NULL);
  int status = TOOL_SUCCESS;
  for (unsigned i = 0; !*words && i < norn_isa_instruction_count(isa); i++)
    if (architecture < 0 || norn_isa_has(isa, (unsigned)architecture, i))
      g_string_append_printf(out, "%s\n", norn_isa_instruction_name(isa, i));
  for (; *words; words++) {
    g_autofree char *text = norn_isa_describe(isa, architecture, *words);
    if (text) {
      g_string_append_printf(out, "%s%s", out->len ? "\n" : "", text);
      continue;
    }
    status = fail_word(isa, architecture, *words, " or that mentions it", norn_isa_describe);
  }
  GError *error = NULL;
  return tool_write(output, out->str, out->len, &error) ? status : tool_fail(error);
}

int
tool_isa(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("isa");
  g_autofree char *target = NULL, *architecture = NULL, *output = NULL, *format = NULL;
  static const char formats[] = "text|json|html";
  const GOptionEntry entries[] = {
      TOOL_OUTPUT_ENTRY(output),
      TOOL_ISA_ENTRY(target),
      {"arch", 0, 0, G_OPTION_ARG_STRING, &architecture, "Only this architecture (default: all)",
       "N"},
      {"format", 0, 0, G_OPTION_ARG_STRING, &format,
       "Text, JSON with all facts about one instruction or all, or the whole manual as a page "
       "(default: text)",
       formats},
      {NULL},
  };
  g_auto(GStrv) words = NULL;
  int status = tool_parse(verb, entries, NULL, argc, argv, &words);
  if (status)
    return MAX(status, 0);
  enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_HTML };
  int chosen = tool_choose(verb, "format", format, formats, FORMAT_TEXT);
  if (chosen < 0)
    return TOOL_USAGE;
  if (chosen != FORMAT_TEXT && !tool_takes(verb, words, 0, chosen == FORMAT_JSON))
    return TOOL_USAGE;
  if (chosen == FORMAT_HTML && architecture)
    return tool_usage(verb, "--arch is not for html, which shows all architectures");
  const NornIsa *isa;
  unsigned number;
  GError *error = NULL;
  if ((status = tool_check_isa(verb, target, architecture)))
    return status;
  tool_find_isa(target, architecture, &isa, &number, NULL);
  int only = architecture ? (int)number : -1;
  if (chosen == FORMAT_TEXT)
    return show(isa, only, words, output);
  g_autofree char *page =
      chosen == FORMAT_HTML ? norn_isa_manual(isa) : norn_isa_json(isa, only, *words);
  if (!page)
    return fail_word(isa, only, *words, "", norn_isa_json);
  return tool_write(output, page, strlen(page), &error) ? TOOL_SUCCESS : tool_fail(error);
}
