/* SIGINT and SIGTERM end a search, not the command: what was found so far is told. Then the signal
 * has its usual effect. */
#ifndef NORN_TOOLS_COMMON_INTERRUPT_H
#define NORN_TOOLS_COMMON_INTERRUPT_H

#include <glib.h>

/* From now on SIGINT and SIGTERM are only noted. */
void interrupt_catch(void);

/* From now on they end the process again: for children. */
void interrupt_release(void);

/* Whether one was noted: what a child has left since means nothing. */
gboolean interrupt_came(void);

/* Releases them, and ends the process by the one that was noted, if any. */
void interrupt_pass_on(void);

#endif
