/* Writes files and standard output.
 *
 * Output is atomic where possible: it is written to a temporary file next to the target of the
 * path (after following links), which is then renamed to the target. A target that cannot be
 * replaced (devices, pipes, open descriptors under /proc, files in a folder without write
 * permission) is written in place. Files that were read are never written: a slip such as `norn
 * compile x.norn -o x.norn` would destroy the source. */
#include "common/files.h"
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LINKS 40

gboolean
tool_write_all(int descriptor, const void *data, gsize size) {
  const char *at = data;
  while (size) {
    ssize_t count = write(descriptor, at, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return FALSE;
    at += count;
    size -= (gsize)count;
  }
  return TRUE;
}

/* The permissions of newly created files. */
static mode_t
creation_mode(void) {
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/* Whether the path names an open descriptor, as /dev/fd/3 does: replacing the file would not
 * affect the process that opened it. *descriptor is its number, -1 if it belongs to another
 * process. */
static gboolean
names_descriptor(const char *path, int *descriptor) {
  g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
  g_autofree char *own = g_strdup_printf("/proc/%ld/fd", (long)getpid());
  char *real = realpath(folder, NULL);
  gboolean is_descriptor = real && g_str_has_prefix(real, "/proc/");
  guint64 number;
  gboolean is_own = is_descriptor && !strcmp(real, own) &&
                    g_ascii_string_to_unsigned(name, 10, 0, G_MAXINT, &number, NULL);
  *descriptor = is_own ? (int)number : -1;
  free(real);
  return is_descriptor;
}

/* The path that the links at `path` lead to, whether or not it exists; NULL if it leads to an
 * open descriptor, as in names_descriptor. */
static char *
follow_links(const char *path, int *descriptor) {
  char *at = g_strdup(path);
  for (int i = 0; i < MAX_LINKS; i++) {
    g_autofree char *link = g_file_read_link(at, NULL);
    if (!link)
      return at;
    if (names_descriptor(at, descriptor)) {
      g_free(at);
      return NULL;
    }
    g_autofree char *folder = g_path_get_dirname(at);
    g_free(at);
    at = g_path_is_absolute(link) ? g_steal_pointer(&link) : g_build_filename(folder, link, NULL);
  }
  return at;
}

static gboolean
write_in_place(const char *path, const void *data, gsize size, GError **error) {
  int descriptor = open(path, O_WRONLY | O_TRUNC | O_NOCTTY);
  if (descriptor < 0)
    return files_fail(error, path, "open for writing", errno);
  gboolean written = tool_write_all(descriptor, data, size);
  int code = errno;
  if (close(descriptor) != 0 && written) {
    written = FALSE;
    code = errno;
  }
  return written || files_fail(error, path, "write", code);
}

/* Replaces or creates the file at `path`, which is not a link. `old` describes the existing
 * file, or is NULL. */
static gboolean
replace(const char *path, const struct stat *old, const void *data, gsize size, GError **error) {
  static const char suffix[] = ".XXXXXX";
  g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
  int kept = NAME_MAX - (int)strlen(suffix); /* bytes of the name, as long as it may be itself */
  g_autofree char *temporary = g_strdup_printf("%s/%.*s%s", folder, kept, name, suffix);
  int descriptor = g_mkstemp_full(temporary, O_WRONLY, 0600);
  if (descriptor < 0 && old && (errno == EACCES || errno == EPERM || errno == EROFS))
    return write_in_place(path, data, size, error);
  if (descriptor < 0)
    return files_fail(error, path, "create", errno);
  gboolean written = tool_write_all(descriptor, data, size);
  if (written && old && fchown(descriptor, old->st_uid, old->st_gid) != 0)
    errno = 0; /* without permission to change the owner, the new one stays */
  written = written && fchmod(descriptor, old ? old->st_mode & 07777 : creation_mode()) == 0;
  int code = errno;
  if (close(descriptor) != 0 && written) {
    written = FALSE;
    code = errno;
  }
  if (written && rename(temporary, path) != 0) {
    written = FALSE;
    code = errno;
  }
  if (written)
    return TRUE;
  unlink(temporary);
  return files_fail(error, path, "write", code);
}

gboolean
tool_replace(const char *path, const void *data, gsize size, GError **error) {
  struct stat status;
  gboolean exists = stat(path, &status) == 0;
  if (!exists && errno != ENOENT)
    return files_fail(error, path, "open for writing", errno);
  if (exists && !S_ISREG(status.st_mode))
    return write_in_place(path, data, size, error);
  if (exists && access(path, W_OK) != 0)
    return files_fail(error, path, "open for writing", errno);
  int descriptor;
  g_autofree char *target = follow_links(path, &descriptor);
  if (target)
    return replace(target, exists ? &status : NULL, data, size, error);
  if (descriptor < 0)
    return write_in_place(path, data, size, error);
  return tool_write_all(descriptor, data, size) || files_fail(error, path, "write", errno);
}

/* Whether the path leads to the file that is open as `descriptor`, as /dev/stdout does. */
static gboolean
is_open_as(const struct stat *status, int descriptor) {
  struct stat open_status;
  return fstat(descriptor, &open_status) == 0 && open_status.st_dev == status->st_dev &&
         open_status.st_ino == status->st_ino;
}

/* What was printed before and is lost is said once. */
static gboolean
write_stdout(const void *data, gsize size, GError **error) {
  gboolean written =
      fflush(stdout) == 0 && !ferror(stdout) && tool_write_all(STDOUT_FILENO, data, size);
  int code = errno;
  clearerr(stdout);
  return written || files_fail(error, "<stdout>", "write", code);
}

/* Whether the path may be used for output, that is, it is not a file that is in use. */
static gboolean
check_unused(const char *path, gboolean *is_stdout, GError **error) {
  struct stat status;
  *is_stdout = !path || !strcmp(path, "-");
  if (*is_stdout)
    return TRUE;
  if (!*path) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "the name of an output file is empty");
    return FALSE;
  }
  gboolean exists = stat(path, &status) == 0;
  *is_stdout = exists && is_open_as(&status, STDOUT_FILENO);
  gboolean is_output;
  if (!exists || *is_stdout || !files_find_use(&status, &is_output))
    return TRUE;
  g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "%s: the file is also %s and would be overwritten",
              tool_input_name(path), is_output ? "another output" : "an input");
  return FALSE;
}

gboolean
tool_check_output(const char *path, GError **error) {
  gboolean is_stdout;
  struct stat status;
  int descriptor;
  if (!check_unused(path, &is_stdout, error) || is_stdout)
    return is_stdout;
  if (stat(path, &status) == 0) {
    errno = EISDIR;
    return (!S_ISDIR(status.st_mode) && access(path, W_OK) == 0) ||
           files_fail(error, path, "open for writing", errno);
  }
  if (errno != ENOENT)
    return files_fail(error, path, "open for writing", errno);
  g_autofree char *target = follow_links(path, &descriptor);
  g_autofree char *folder = target ? g_path_get_dirname(target) : NULL;
  return !folder || access(folder, W_OK | X_OK) == 0 || files_fail(error, path, "create", errno);
}

gboolean
tool_write(const char *path, const void *data, gsize size, GError **error) {
  gboolean is_stdout;
  struct stat status;
  if (!check_unused(path, &is_stdout, error))
    return FALSE;
  if (is_stdout)
    return write_stdout(data, size, error);
  if (!tool_replace(path, data, size, error))
    return FALSE;
  if (stat(path, &status) == 0)
    files_remember(&status, TRUE);
  return TRUE;
}

int
tool_finish_output(int status) {
  GError *error = NULL;
  gboolean written = write_stdout(NULL, 0, &error);
  if (!written)
    tool_fail(error);
  if (fflush(stderr) != 0 || ferror(stderr))
    written = FALSE;
  return written || status != TOOL_SUCCESS ? status : TOOL_FAILURE;
}
