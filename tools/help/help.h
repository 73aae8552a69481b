/* The output of `norn help`, generated from the tables of verbs and options. Each result is to
 * be freed with g_free. */
#ifndef NORN_TOOLS_HELP_H
#define NORN_TOOLS_HELP_H

#include "tool.h"

/* The manual page of a verb, or of the command for NULL. */
char *help_man(const ToolVerb *verb);

/* Completion for a shell. */
char *help_bash(void);
char *help_zsh(void);
char *help_fish(void);

#endif
