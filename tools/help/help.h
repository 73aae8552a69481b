/* What `norn help` writes of the tables of verbs and options. Each result is to be freed with
 * g_free. */
#ifndef NORN_TOOLS_HELP_H
#define NORN_TOOLS_HELP_H

#include "tool.h"

/* The manual page of a verb, or of the command for NULL. */
char *help_man(const ToolVerb *verb);

/* Completion for a shell. */
char *help_bash(void);
char *help_zsh(void);
char *help_fish(void);

/* What the value of an option, or an argument of a verb, can be. */
typedef enum {
  HELP_NO_VALUE,
  HELP_ANY_VALUE,
  HELP_FILE,
  HELP_WORDS, /* one of some words */
  HELP_VERB,
} HelpValue;

/* The kind of an option's value; its words, if that is what it is, with blanks between, in *words
 * (else NULL; to be freed). */
HelpValue help_option_value(const GOptionEntry *option, char **words);

/* The kind of a verb's arguments. */
HelpValue help_arguments(const ToolVerb *verb);

#endif
