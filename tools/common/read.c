/* Reads files and standard input. */
#include "common/files.h"
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BUFFER 65536
/* More than any program: what is longer is not one, such as a device without an end. */
#define INPUT_LIMIT (256u << 20)

GBytes *
tool_read(const char *path, GError **error) {
  return tool_read_limited(path, INPUT_LIMIT, error);
}

/* The rest of the file, at most one byte more than `limit`. Returns NULL with errno set on
 * failure. */
static char *
read_all(int descriptor, gsize expected, gsize limit, gsize *size) {
  if (expected > limit) {
    errno = EFBIG;
    return NULL;
  }
  gsize capacity = expected + FIRST_BUFFER;
  char *bytes = g_try_malloc(capacity);
  *size = 0;
  while (bytes && *size <= limit) {
    if (*size == capacity) {
      capacity = MIN(2 * capacity, limit + 1);
      char *longer = g_try_realloc(bytes, capacity);
      if (!longer)
        g_free(bytes);
      bytes = longer;
      continue;
    }
    ssize_t count = read(descriptor, bytes + *size, capacity - *size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count == 0)
      return bytes;
    if (count < 0) {
      int code = errno;
      g_free(bytes);
      errno = code;
      return NULL;
    }
    *size += (gsize)count;
  }
  errno = bytes ? EFBIG : ENOMEM;
  g_free(bytes);
  return NULL;
}

GBytes *
tool_read_limited(const char *path, gsize limit, GError **error) {
  gboolean is_stdin = !strcmp(path, "-");
  const char *name = tool_input_name(path);
  int descriptor = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_NOCTTY);
  if (descriptor < 0) {
    files_fail(error, name, "open", errno);
    return NULL;
  }
  struct stat status = {0};
  gsize size, expected = 0;
  if (fstat(descriptor, &status) == 0) {
    files_remember(&status, FALSE);
    off_t start = S_ISREG(status.st_mode) ? lseek(descriptor, 0, SEEK_CUR) : 0;
    expected =
        S_ISREG(status.st_mode) && status.st_size > start ? (gsize)(status.st_size - start) : 0;
  }
  char *data = read_all(descriptor, expected, limit, &size);
  int code = errno;
  if (!is_stdin)
    close(descriptor);
  if (!data && code == EFBIG)
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT,
                "%s: expected at most %" G_GSIZE_FORMAT " bytes", name, limit);
  else if (!data)
    files_fail(error, name, "read", code);
  if (!data)
    return NULL;
  GBytes *bytes = g_bytes_new_take(data, size);
  tool_remember_input(name, bytes);
  return bytes;
}

const char *
tool_text(GBytes *bytes, gsize *size) {
  static const char mark[] = "\xEF\xBB\xBF";
  const char *data = g_bytes_get_data(bytes, size); /* NULL if there are none */
  gsize skipped = *size >= strlen(mark) && !memcmp(data, mark, strlen(mark)) ? strlen(mark) : 0;
  *size -= skipped;
  return data ? data + skipped : "";
}

char *
tool_read_string(const char *path, GError **error) {
  g_autoptr(GBytes) bytes = tool_read(path, error);
  if (!bytes)
    return NULL;
  gsize size;
  const char *text = tool_text(bytes, &size);
  const char *zero = memchr(text, 0, size);
  if (!zero)
    return g_strndup(text, size);
  guint line = 1;
  for (const char *at = text; (at = memchr(at, '\n', (gsize)(zero - at))); at++)
    line++;
  g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX, "%s:%u: the text contains a zero byte",
              tool_input_name(path), line);
  return NULL;
}
