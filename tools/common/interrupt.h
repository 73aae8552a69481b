/* SIGINT and SIGTERM end a search, but not the command: the results so far are reported. Then
 * the signal has its usual effect. */
#ifndef NORN_TOOLS_COMMON_INTERRUPT_H
#define NORN_TOOLS_COMMON_INTERRUPT_H

#include <glib.h>

/* From now on, SIGINT and SIGTERM are only recorded. */
void interrupt_catch(void);

/* From now on, they end the process again; for child processes. */
void interrupt_release(void);

/* Whether a signal was recorded: results that a child has left since are meaningless. */
gboolean interrupt_came(void);

/* Restores the signals, and ends the process with the recorded one, if any. */
void interrupt_pass_on(void);

#endif
