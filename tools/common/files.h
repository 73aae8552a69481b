/* What reading and writing files have in common. */
#ifndef NORN_TOOLS_COMMON_FILES_H
#define NORN_TOOLS_COMMON_FILES_H

#include <glib.h>
#include <sys/stat.h>

/* Remembers that the file is read or written, so that it is not overwritten. */
void files_remember(const struct stat *status, gboolean is_output);

/* Whether the file was read or written before. *is_output: it was written. */
gboolean files_find_use(const struct stat *status, gboolean *is_output);

/* Says that `what` cannot be done to the file, and why (`code`, an errno). Returns FALSE. */
gboolean files_fail(GError **error, const char *path, const char *what, int code);

#endif
