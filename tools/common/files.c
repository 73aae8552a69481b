/* Files that the verbs read and write.
 *
 * Output is atomic where possible: it is written to a temporary file next to the target of the
 * path (after following links), which is then renamed to the target. A target that cannot be
 * replaced (devices, pipes, open descriptors under /proc, files in a folder without write
 * permission) is written in place. Files that were read are never written: a slip such as `norn
 * compile x.norn -o x.norn` would destroy the source. */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINKS 40
#define FIRST_BUFFER 65536
/* More than any program: what is longer is not one, such as a device without an end. */
#define INPUT_LIMIT (256u << 20)

/* --- Files used so far --- */

typedef struct {
  dev_t device;
  ino_t inode;
  gboolean is_output;
} UsedFile;

static GArray *used_files;
static GMutex used_files_mutex;

static void
remember_file(const struct stat *status, gboolean is_output) {
  if (!S_ISREG(status->st_mode))
    return;
  const UsedFile file = {status->st_dev, status->st_ino, is_output};
  g_mutex_lock(&used_files_mutex);
  if (!used_files)
    used_files = g_array_new(FALSE, FALSE, sizeof(UsedFile));
  g_array_append_val(used_files, file);
  g_mutex_unlock(&used_files_mutex);
}

/* How the file was used, or NULL. */
static const UsedFile *
find_used(const struct stat *status) {
  for (guint i = 0; used_files && i < used_files->len; i++) {
    const UsedFile *file = &g_array_index(used_files, UsedFile, i);
    if (file->device == status->st_dev && file->inode == status->st_ino)
      return file;
  }
  return NULL;
}

/* --- Names in messages --- */

const char *
tool_input_name(const char *path) {
  g_autofree char *shown = tool_make_printable(g_strdup(path));
  if (strcmp(shown, path) != 0)
    return g_intern_string(shown);
  return !*path ? "''" : strcmp(path, "-") ? path : "<stdin>";
}

void
tool_find_place(const char *text, const char *place, guint *line, guint *column) {
  *line = *column = 1;
  for (const char *at = text; at < place; at++, ++*column)
    if (*at == '\n') {
      ++*line;
      *column = 0;
    }
}

static gboolean
fail_io(GError **error, const char *path, const char *what, int code) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "%s: cannot %s: %s", tool_input_name(path), what,
              g_strerror(code));
  return FALSE;
}

/* --- Input --- */

char *
tool_shell_word(const char *text) {
  bool is_plain =
      *text && !text[strspn(text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-./,:=+@%")];
  return is_plain ? g_strdup(text) : g_shell_quote(text);
}

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
    fail_io(error, name, "open", errno);
    return NULL;
  }
  struct stat status = {0};
  gsize size, expected = 0;
  if (fstat(descriptor, &status) == 0) {
    remember_file(&status, FALSE);
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
    fail_io(error, name, "read", code);
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

/* What GLSL source begins with. */
static const char glsl[] = "#version ";

static NornModule *
parse_spirv(GBytes *bytes, const char *name, const NornLimits *limits, const ToolTarget *target,
            NornSpirvInterface **interface, GError **error) {
  gsize size;
  const void *data = g_bytes_get_data(bytes, &size);
  NornSpirvOptions options;
  norn_spirv_options_init(&options);
  if (target)
    options = target->spirv;
  if (limits)
    options.limits = *limits;
  if (!target)
    return norn_module_from_spirv(data, size, name, &options, interface, error);
  g_assert(target->places != NULL);
  g_autoptr(GArray) constants = tool_specialize(target, bytes, name, error);
  if (!constants)
    return NULL;
  options.constants = (const NornSpirvConstant *)(void *)constants->data;
  options.constant_count = constants->len;
  return norn_module_from_spirv(data, size, name, &options, interface, error);
}

NornModule *
tool_parse_module(GBytes *bytes, const char *name, const NornLimits *limits,
                  const ToolTarget *target, NornSpirvInterface **interface, GError **error) {
  gsize size;
  const char *text = g_bytes_get_data(bytes, &size);
  gboolean is_spirv = text && norn_spirv_is_module(text, size);
  if (interface)
    *interface = NULL;
  if (text && size > strlen(glsl) && !memcmp(text, glsl, strlen(glsl))) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_SYNTAX,
                "%s:1: this is GLSL; compile it to SPIR-V first: glslangValidator -V %s -o OUT.spv",
                name, name);
    return NULL;
  }
  if (is_spirv)
    return parse_spirv(bytes, name, limits, target, interface, error);
  if (target && !tool_refuse_unused(target, name, "IR text", error))
    return NULL;
  return norn_module_parse_limited(text ? text : "", size, name, limits, error);
}

NornModule *
tool_read_module(const char *path, const NornLimits *limits, const ToolTarget *target,
                 GError **error) {
  g_autoptr(GBytes) bytes = tool_read(path, error);
  return bytes ? tool_parse_module(bytes, tool_input_name(path), limits, target, NULL, error)
               : NULL;
}

static int
compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

gboolean
tool_find_files(const char *path, gboolean (*is_wanted)(const char *path), GPtrArray *paths,
                GError **error) {
  if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
    g_ptr_array_add(paths, g_strdup(path));
    return TRUE;
  }
  g_autoptr(GDir) folder = g_dir_open(path, 0, error);
  if (!folder)
    return FALSE;
  g_autoptr(GPtrArray) children = g_ptr_array_new_with_free_func(g_free);
  const char *name;
  while ((name = g_dir_read_name(folder)))
    g_ptr_array_add(children, g_build_filename(path, name, NULL));
  g_ptr_array_sort(children, compare_names);
  for (guint i = 0; i < children->len; i++) {
    const char *child = children->pdata[i];
    gboolean is_folder = g_file_test(child, G_FILE_TEST_IS_DIR);
    if (is_folder ? !g_file_test(child, G_FILE_TEST_IS_SYMLINK) : is_wanted(child))
      if (!tool_find_files(child, is_wanted, paths, error))
        return FALSE;
  }
  return TRUE;
}

/* --- Output --- */

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
    return fail_io(error, path, "open for writing", errno);
  gboolean written = tool_write_all(descriptor, data, size);
  int code = errno;
  if (close(descriptor) != 0 && written) {
    written = FALSE;
    code = errno;
  }
  return written || fail_io(error, path, "write", code);
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
    return fail_io(error, path, "create", errno);
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
  return fail_io(error, path, "write", code);
}

gboolean
tool_replace(const char *path, const void *data, gsize size, GError **error) {
  struct stat status;
  gboolean exists = stat(path, &status) == 0;
  if (!exists && errno != ENOENT)
    return fail_io(error, path, "open for writing", errno);
  if (exists && !S_ISREG(status.st_mode))
    return write_in_place(path, data, size, error);
  if (exists && access(path, W_OK) != 0)
    return fail_io(error, path, "open for writing", errno);
  int descriptor;
  g_autofree char *target = follow_links(path, &descriptor);
  if (target)
    return replace(target, exists ? &status : NULL, data, size, error);
  if (descriptor < 0)
    return write_in_place(path, data, size, error);
  return tool_write_all(descriptor, data, size) || fail_io(error, path, "write", errno);
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
  return written || fail_io(error, "<stdout>", "write", code);
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
  const UsedFile *used = exists && !*is_stdout ? find_used(&status) : NULL;
  if (!used)
    return TRUE;
  g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "%s: the file is also %s and would be overwritten",
              tool_input_name(path), used->is_output ? "another output" : "an input");
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
           fail_io(error, path, "open for writing", errno);
  }
  if (errno != ENOENT)
    return fail_io(error, path, "open for writing", errno);
  g_autofree char *target = follow_links(path, &descriptor);
  g_autofree char *folder = target ? g_path_get_dirname(target) : NULL;
  return !folder || access(folder, W_OK | X_OK) == 0 || fail_io(error, path, "create", errno);
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
    remember_file(&status, TRUE);
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
