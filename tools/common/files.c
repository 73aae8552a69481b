/* The files that the verbs have used so far, and those below a folder. */
#include "common/files.h"
#include "tool.h"

#include <string.h>

/* --- Files used so far --- */

typedef struct {
  dev_t device;
  ino_t inode;
  gboolean is_output;
} UsedFile;

static GArray *used_files;
static GMutex used_files_mutex;

void
files_remember(const struct stat *status, gboolean is_output) {
  if (!S_ISREG(status->st_mode))
    return;
  const UsedFile file = {status->st_dev, status->st_ino, is_output};
  g_mutex_lock(&used_files_mutex);
  if (!used_files)
    used_files = g_array_new(FALSE, FALSE, sizeof(UsedFile));
  g_array_append_val(used_files, file);
  g_mutex_unlock(&used_files_mutex);
}

gboolean
files_find_use(const struct stat *status, gboolean *is_output) {
  for (guint i = 0; used_files && i < used_files->len; i++) {
    const UsedFile *file = &g_array_index(used_files, UsedFile, i);
    if (file->device == status->st_dev && file->inode == status->st_ino) {
      *is_output = file->is_output;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
files_fail(GError **error, const char *path, const char *what, int code) {
  g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "%s: cannot %s: %s", tool_input_name(path), what,
              g_strerror(code));
  return FALSE;
}

/* --- Files below a folder --- */

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
