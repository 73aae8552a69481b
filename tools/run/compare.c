/* Holding buffers of a run against what they should be. */
#include "run/run.h"

/* "y[3]", or "color0[3] (texel 0, channel 3)". */
static char *
element_name(const RunSpec *spec, const char *name, gsize index) {
  const RunValue *value = run_spec_find(spec->values, name);
  guint channels = value && value->kind == RUN_IMAGE ? value->image.format.channels : 1;
  if (channels == 1)
    return g_strdup_printf("%s[%" G_GSIZE_FORMAT "]", name, index);
  return g_strdup_printf("%s[%" G_GSIZE_FORMAT "] (texel %" G_GSIZE_FORMAT ", channel %u)", name,
                         index, index / channels, (guint)(index % channels));
}

gboolean
run_compare_buffer(const RunSpec *spec, const RunValue *value, const guint8 *expected,
                   const guint8 *actual, gsize size, const char *who, GError **error) {
  gsize step = value->element->size;
  for (gsize i = 0; i < size / step; i++)
    if (!run_element_equal(value->element, expected, actual, i)) {
      g_autofree char *got = run_list_format(value->element, actual + i * step, step);
      g_autofree char *wanted = run_list_format(value->element, expected + i * step, step);
      g_autofree char *name = element_name(spec, value->name, i);
      return run_spec_fail(spec, value->location, error, "%s is %s, but %s %s", name, got, who,
                           wanted);
    }
  return TRUE;
}

gboolean
run_compare_engines(const RunSpec *spec, const Session *simulated, const Session *interpreted,
                    GError **error) {
  for (guint i = 0; i < spec->values->len; i++) {
    const RunValue *value = spec->values->pdata[i];
    gsize buffer = norn_memory_find(simulated->memory, value->name), size;
    if (buffer == SIZE_MAX)
      continue;
    const guint8 *actual = norn_memory_bytes(simulated->memory, buffer, &size);
    const guint8 *expected = norn_memory_bytes(interpreted->memory, buffer, NULL);
    if (!run_compare_buffer(spec, value, expected, actual, size, "the interpreter says", error))
      return FALSE;
  }
  return TRUE;
}
