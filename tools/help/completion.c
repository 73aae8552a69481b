/* Shell completion: a verb, then its options and files. The kind of an option's value is derived
 * from its name in the table. */
#include "help/help.h"

#include <string.h>

/* What the value of an option, or an argument of a verb, can be. */
typedef enum {
  NO_VALUE,
  ANY_VALUE,
  A_FILE,
  WORDS, /* one of several words */
  A_VERB,
} CompletionKind;

/* Whether the text is a list of words in lowercase letters and digits, such as text|json, and
 * not a name in capital letters; the words of a comma-separated list can be combined. */
static gboolean
lists_words(const char *text) {
  for (const char *at = text; *at; at++)
    if (!g_ascii_islower(*at) && !g_ascii_isdigit(*at) && !strchr("|,-_", *at))
      return FALSE;
  return strpbrk(text, "|,") != NULL;
}

/* The kind of an option's value. If it is one of several words, *words gets them, separated by
 * blanks; otherwise NULL. To be freed. */
static CompletionKind
option_value(const GOptionEntry *option, char **words) {
  *words = NULL;
  if (option->arg == G_OPTION_ARG_NONE)
    return NO_VALUE;
  const char *name = option->arg_description ? option->arg_description : "";
  if (option->arg == G_OPTION_ARG_FILENAME)
    return A_FILE;
  if (!lists_words(name))
    return ANY_VALUE;
  *words = g_strdelimit(g_strdup(name), "|,", ' ');
  return WORDS;
}

/* The kind of a verb's arguments. */
static CompletionKind
verb_arguments(const ToolVerb *verb) {
  return strstr(verb->arguments, "[VERB]")                                      ? A_VERB
         : strstr(verb->arguments, "IN") || strstr(verb->arguments, "FILE|DIR") ? A_FILE
                                                                                : ANY_VALUE;
}

static void
append_verbs(GString *out, const char *separator) {
  for (const ToolVerb *verb = tool_verbs; verb->name; verb++)
    g_string_append_printf(out, "%s%s", verb == tool_verbs ? "" : separator, verb->name);
}

/* Bash */

static void
append_bash_value(GString *out, const GOptionEntry *option) {
  g_autofree char *words = NULL;
  CompletionKind kind = option_value(option, &words);
  if (kind == NO_VALUE || option->flags & G_OPTION_FLAG_OPTIONAL_ARG)
    return;
  g_string_append_printf(out, "        --%s", option->long_name);
  if (option->short_name)
    g_string_append_printf(out, "|-%c", option->short_name);
  if (kind == WORDS)
    g_string_append_printf(out, ") COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n",
                           words);
  else
    g_string_append(out, kind == A_FILE ? ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
                                        : ") return ;;\n");
}

static void
append_bash_verb(GString *out, const ToolVerb *verb) {
  g_autoptr(GArray) options = tool_describe(verb);
  g_string_append_printf(out, "    %s)\n      case $before in\n", verb->name);
  for (guint i = 0; i < options->len; i++)
    append_bash_value(out, &g_array_index(options, GOptionEntry, i));
  g_string_append(out, "      esac\n      options='");
  for (guint i = 0; i < options->len; i++) {
    const GOptionEntry *option = &g_array_index(options, GOptionEntry, i);
    g_string_append_printf(out, "%s--%s", i ? " " : "", option->long_name);
  }
  g_string_append(out, "' words='");
  if (verb_arguments(verb) == A_VERB)
    append_verbs(out, " ");
  g_string_append(out, "' ;;\n");
}

char *
help_bash(void) {
  GString *out = g_string_new("# Completion of norn for bash, written by `norn help`.\n"
                              "_norn() {\n"
                              "  local word=${COMP_WORDS[COMP_CWORD]} before options words\n"
                              "  before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                              "  # --option=value is three words here\n"
                              "  if [ \"$word\" = = ]; then word=\n"
                              "  elif [ \"$before\" = = ]; then "
                              "before=${COMP_WORDS[COMP_CWORD - 2]}\n  fi\n"
                              "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                              "    COMPREPLY=($(compgen -W '");
  append_verbs(out, " ");
  g_string_append(out, " --help --version' -- \"$word\"))\n    return\n  fi\n"
                       "  case ${COMP_WORDS[1]} in\n");
  for (const ToolVerb *verb = tool_verbs; verb->name; verb++)
    append_bash_verb(out, verb);
  g_string_append(out, "  esac\n"
                       "  case $word in\n"
                       "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
                       "    *) if [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- "
                       "\"$word\"))\n"
                       "      else COMPREPLY=($(compgen -f -- \"$word\")); fi ;;\n"
                       "  esac\n"
                       "}\n"
                       "complete -o filenames -F _norn norn\n");
  return g_string_free(out, FALSE);
}

/* Zsh */

/* Appends text in single quotes, escaping [], : and \, which are special to _arguments. */
static void
append_zsh_text(GString *out, const char *text) {
  for (; *text; text++) {
    if (strchr("[]:\\", *text))
      g_string_append_c(out, '\\');
    g_string_append(out, *text == '\'' ? "'\\''" : (char[]){*text, 0});
  }
}

static void
append_zsh_option(GString *out, const GOptionEntry *option) {
  g_autofree char *words = NULL;
  CompletionKind kind = option_value(option, &words);
  const char *mark = kind == NO_VALUE                             ? ""
                     : option->flags & G_OPTION_FLAG_OPTIONAL_ARG ? "=-"
                                                                  : "=";
  if (option->short_name)
    g_string_append_printf(out, "        {-%c%s,--%s%s}'[", option->short_name, *mark ? "+" : "",
                           option->long_name, mark);
  else
    g_string_append_printf(out, "        '*--%s%s[", option->long_name, mark);
  append_zsh_text(out, option->description);
  g_string_append_c(out, ']');
  if (kind != NO_VALUE) {
    g_string_append(out, option->flags & G_OPTION_FLAG_OPTIONAL_ARG ? "::" : ":");
    append_zsh_text(out, option->arg_description ? option->arg_description : "value");
    g_string_append_c(out, ':');
    if (kind == WORDS)
      g_string_append_printf(out, "(%s)", words);
    else if (kind == A_FILE)
      g_string_append(out, "_files");
    else
      g_string_append_c(out, ' ');
  }
  g_string_append(out, "' \\\n");
}

char *
help_zsh(void) {
  GString *out =
      g_string_new("#compdef norn\n# Completion of norn for zsh, written by `norn "
                   "help`.\n_norn() {\n  if (( CURRENT == 2 )); then\n    local -a verbs\n"
                   "    verbs=(\n");
  for (const ToolVerb *verb = tool_verbs; verb->name; verb++) {
    g_string_append_printf(out, "      '%s:", verb->name);
    append_zsh_text(out, verb->summary);
    g_string_append(out, "'\n");
  }
  g_string_append(out, "    )\n    _describe verb verbs\n    return\n  fi\n"
                       "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
                       "  case $verb in\n");
  for (const ToolVerb *verb = tool_verbs; verb->name; verb++) {
    g_autoptr(GArray) options = tool_describe(verb);
    g_string_append_printf(out, "    %s)\n      _arguments -s \\\n", verb->name);
    for (guint i = 0; i < options->len; i++)
      append_zsh_option(out, &g_array_index(options, GOptionEntry, i));
    g_string_append(out, "        '*:argument:");
    if (verb_arguments(verb) == A_VERB) {
      g_string_append_c(out, '(');
      append_verbs(out, " ");
      g_string_append_c(out, ')');
    } else {
      g_string_append(out, "_files");
    }
    g_string_append(out, "' ;;\n");
  }
  g_string_append(out, "  esac\n}\n_norn \"$@\"\n");
  return g_string_free(out, FALSE);
}

/* Fish */

/* Appends text in single quotes. */
static void
append_fish_text(GString *out, const char *text) {
  g_string_append_c(out, '\'');
  for (; *text; text++) {
    if (strchr("'\\", *text))
      g_string_append_c(out, '\\');
    g_string_append_c(out, *text);
  }
  g_string_append_c(out, '\'');
}

static void
append_fish_option(GString *out, const ToolVerb *verb, const GOptionEntry *option) {
  g_autofree char *words = NULL;
  CompletionKind kind = option_value(option, &words);
  g_string_append_printf(out, "complete -c norn -n '__fish_seen_subcommand_from %s' -l %s",
                         verb->name, option->long_name);
  if (option->short_name)
    g_string_append_printf(out, " -s %c", option->short_name);
  if (kind == A_FILE)
    g_string_append(out, " -r -F");
  else if (kind != NO_VALUE && !(option->flags & G_OPTION_FLAG_OPTIONAL_ARG))
    g_string_append(out, " -x");
  if (kind == WORDS)
    g_string_append_printf(out, " -a '%s'", words);
  g_string_append(out, " -d ");
  append_fish_text(out, option->description);
  g_string_append_c(out, '\n');
}

char *
help_fish(void) {
  GString *out = g_string_new("# Completion of norn for fish, written by `norn help`.\n");
  for (const ToolVerb *verb = tool_verbs; verb->name; verb++) {
    g_string_append_printf(out, "complete -c norn -f -n __fish_use_subcommand -a %s -d ",
                           verb->name);
    append_fish_text(out, verb->summary);
    g_string_append_c(out, '\n');
  }
  for (const ToolVerb *verb = tool_verbs; verb->name; verb++) {
    g_autoptr(GArray) options = tool_describe(verb);
    for (guint i = 0; i < options->len; i++)
      append_fish_option(out, verb, &g_array_index(options, GOptionEntry, i));
    if (verb_arguments(verb) == A_VERB) {
      g_string_append_printf(out, "complete -c norn -n '__fish_seen_subcommand_from %s' -f -a '",
                             verb->name);
      append_verbs(out, " ");
      g_string_append(out, "'\n");
    }
  }
  return g_string_free(out, FALSE);
}
