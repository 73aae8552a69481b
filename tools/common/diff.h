/* The difference between two texts. */
#ifndef NORN_TOOLS_COMMON_DIFF_H
#define NORN_TOOLS_COMMON_DIFF_H

#include <glib.h>

/* How the lines `before` become the lines `after`: a letter for each line, ' ' if both have it,
 * '-' if it is deleted, '+' if it is inserted. To be freed with g_free. */
char *tool_diff(const GPtrArray *before, const GPtrArray *after);

#endif
