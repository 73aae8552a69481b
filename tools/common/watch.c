/* --watch: runs a verb again whenever its input changes.
 *
 * Each time, the command runs itself as another process, so no state is kept from one run to the
 * next. The file is checked for changes five times a second, by its time, size and inode number,
 * which also detects editors that replace the file. */
#include "tool.h"

#include <string.h>
#include <sys/stat.h>

#define INTERVAL_US 200000

static struct stat
look(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0)
    memset(&status, 0, sizeof status);
  return status;
}

static gboolean
differs(const struct stat *a, const struct stat *b) {
  return a->st_mtim.tv_sec != b->st_mtim.tv_sec || a->st_mtim.tv_nsec != b->st_mtim.tv_nsec ||
         a->st_size != b->st_size || a->st_ino != b->st_ino;
}

/* The command and its arguments, without --watch. */
static GPtrArray *
command(char **argv) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(list, g_file_read_link("/proc/self/exe", NULL));
  gboolean has_options = TRUE; /* until "--" */
  for (; *argv; argv++) {
    has_options = has_options && strcmp(*argv, "--");
    if (!has_options || strcmp(*argv, "--watch"))
      g_ptr_array_add(list, g_strdup(*argv));
  }
  g_ptr_array_add(list, NULL);
  return list;
}

int
tool_watch(const ToolVerb *verb, char **argv, const char *path) {
  if (!strcmp(path, "-"))
    return tool_usage(verb, "standard input cannot be watched");
  g_autoptr(GPtrArray) list = command(argv);
  if (!list->pdata[0])
    return tool_usage(verb, "cannot find the program itself");
  for (;;) {
    struct stat before = look(path), now;
    int status;
    GError *error = NULL;
    if (!g_spawn_sync(NULL, (char **)list->pdata, NULL,
                      G_SPAWN_CHILD_INHERITS_STDIN | G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL,
                      &status, &error))
      return tool_fail(error);
    g_autoptr(GDateTime) time = g_date_time_new_now_local();
    g_autofree char *clock = g_date_time_format(time, "%T");
    fprintf(stderr, "== %s %s; waiting for %s to change\n", clock,
            g_spawn_check_wait_status(status, NULL) ? "done" : "failed", path);
    while (now = look(path), !now.st_ino || !differs(&before, &now))
      g_usleep(INTERVAL_US);
  }
}
