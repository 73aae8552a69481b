/* Comparing a run's buffers with their expected contents. */
#include "run/run.h"

#include <math.h>

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

static gboolean
is_near_float(const RunSpec *spec, const RunElement *element, const guint8 *expected,
              const guint8 *actual) {
  gdouble a = run_element_double(element, expected), b = run_element_double(element, actual);
  /* Only an infinity is close to an infinity. */
  return isfinite(a) && isfinite(b) &&
         fabs(a - b) <= spec->tolerance * MAX(1, MAX(fabs(a), fabs(b)));
}

/* Whether the bytes are a float of a size that computations produce: integers that are counters
 * or indices are not, since as floats they are tiny. */
static gboolean
looks_like_float(const RunElement *element, const guint8 *bytes) {
  gdouble size = fabs(run_element_double(element, bytes));
  return size >= (element->size == 2 ? 0x1p-14 : 0x1p-24) && size <= 0x1p24;
}

/* The same for a word of a list of integers that holds floats, as in buffers of several types:
 * one float, or two halves. */
static gboolean
is_near_word(const RunSpec *spec, const guint8 *expected, const guint8 *actual) {
  const RunElement *single = run_element_find("f32"), *half = run_element_find("f16");
  if (looks_like_float(single, expected) && looks_like_float(single, actual) &&
      is_near_float(spec, single, expected, actual))
    return TRUE;
  for (guint at = 0; at < 4; at += 2)
    if (!looks_like_float(half, expected + at) || !looks_like_float(half, actual + at) ||
        !is_near_float(spec, half, expected + at, actual + at))
      return FALSE;
  return TRUE;
}

/* Whether floats differ by no more than the description's tolerance. */
static gboolean
is_near(const RunSpec *spec, const RunElement *element, const guint8 *expected,
        const guint8 *actual) {
  if (!(spec->tolerance > 0))
    return FALSE;
  if (element->is_float)
    return is_near_float(spec, element, expected, actual);
  return element->size == 4 && is_near_word(spec, expected, actual);
}

gboolean
run_compare_buffer(const RunSpec *spec, const RunValue *value, const guint8 *expected,
                   const guint8 *actual, gsize size, const char *who, GError **error) {
  gsize step = value->element->size;
  for (gsize i = 0; i < size / step; i++)
    if (!run_element_equal(value->element, expected, actual, i) &&
        !is_near(spec, value->element, expected + i * step, actual + i * step)) {
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
    if (!run_compare_buffer(spec, value, expected, actual, size, "the interpreter computes", error))
      return FALSE;
  }
  return TRUE;
}
