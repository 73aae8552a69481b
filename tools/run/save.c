/* Results of a run in files. */
#include "run/declared.h"
#include "run/pictures.h"

#include <string.h>

static gboolean
save(const char *name, const char *path, const RunSpec *spec, const Session *session,
     GError **error) {
  const RunValue *value = run_spec_find(spec->values, name);
  gsize size, buffer = norn_memory_find(session->memory, name);
  if (!value || buffer == SIZE_MAX) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "--save: unknown buffer or image '%s'",
                name);
    return FALSE;
  }
  const guint8 *bytes = norn_memory_bytes(session->memory, buffer, &size);
  if (!run_is_picture(path))
    return tool_write(path, bytes, size, error);
  if (value->kind != RUN_IMAGE) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "--save: '%s' is not an image, so %s cannot be a picture of it", name, path);
    return FALSE;
  }
  g_autoptr(GBytes) file = run_picture_of_image(value, bytes, error);
  return file && tool_write(path, g_bytes_get_data(file, NULL), g_bytes_get_size(file), error);
}

/* The name before the `=`, or the name of the target that it means. */
static char *
saved_name(const Program *program, const char *text) {
  g_autofree char *name = g_strndup(text, strchr(text, '=') - text);
  char *target = run_target_name(program, name);
  return target ? target : g_steal_pointer(&name);
}

gboolean
run_is_saved(const Program *program, const char *name) {
  for (guint i = 0; program->saves && program->saves[i]; i++) {
    g_autofree char *saved = saved_name(program, program->saves[i]);
    if (!strcmp(saved, name))
      return TRUE;
  }
  return FALSE;
}

gboolean
run_save(const Program *program, const RunSpec *spec, const Session *session, GError **error) {
  for (guint i = 0; program->saves && program->saves[i]; i++) {
    g_autofree char *name = saved_name(program, program->saves[i]);
    if (!save(name, strchr(program->saves[i], '=') + 1, spec, session, error))
      return FALSE;
  }
  return TRUE;
}
