/* Reducing options and pass lists: everything is removed that the fault does not need. */
#include "reduce/reduce.h"

#include <string.h>

/* Keeps the change if the fault still shows; returns whether it does. */
static gboolean
try_options(NornCompileOptions *options, NornCompileOptions changed, ReduceTest test,
            gpointer data) {
  if (test(&changed, data) != NORN_REDUCE_ACCEPT)
    return FALSE;
  *options = changed;
  return TRUE;
}

static void
lower_level(NornCompileOptions *options, ReduceTest test, gpointer data) {
  for (unsigned level = 0; level < options->optimization_level; level++) {
    NornCompileOptions changed = *options;
    changed.optimization_level = level;
    if (try_options(options, changed, test, data))
      return;
  }
}

/* Whether the pass is a step of the pipeline; otherwise it only runs in a group. */
static gboolean
is_step(const NornCompileOptions *options, const char *name) {
  const char *step;
  for (unsigned i = 0; (step = norn_pipeline_step(options->target, options->optimization_level, i));
       i++)
    if (!strcmp(step, name))
      return TRUE;
  return FALSE;
}

/* Skips each optional pass that the fault does not need: first groups and passes outside of
 * groups, and members of groups only if their group remains. Returns whether something could not
 * be skipped. */
static gboolean
skip_passes(NornCompileOptions *options, gboolean groups, gboolean members, ReduceTest test,
            gpointer data) {
  NornPassInfo info;
  gboolean any_left = FALSE;
  for (unsigned i = 0; norn_pass_info(options->target, i, &info); i++) {
    if (!info.is_optional || info.is_group != groups || (!members && !is_step(options, info.name)))
      continue;
    const char *skipped = options->skip_passes;
    g_autofree char *list =
        skipped ? g_strconcat(skipped, ",", info.name, NULL) : g_strdup(info.name);
    NornCompileOptions changed = *options;
    changed.skip_passes = list;
    if (try_options(options, changed, test, data))
      options->skip_passes = g_intern_string(list);
    else
      any_left = TRUE;
  }
  return any_left;
}

void
reduce_settings(NornCompileOptions *options, ReduceTest test, gpointer data) {
  lower_level(options, test, data);
  NornCompileOptions usual, changed = *options;
  norn_compile_options_init(&usual);
  changed.promote_constants = usual.promote_constants;
  if (options->promote_constants != usual.promote_constants)
    try_options(options, changed, test, data);
  changed = *options;
  changed.promote_uniforms = usual.promote_uniforms;
  if (options->promote_uniforms != usual.promote_uniforms)
    try_options(options, changed, test, data);
  changed = *options;
  changed.constant_data = usual.constant_data;
  if (options->constant_data != usual.constant_data)
    try_options(options, changed, test, data);
  for (unsigned bit = 1; bit <= options->chaos; bit <<= 1) {
    changed = *options;
    changed.chaos &= ~bit;
    if (options->chaos & bit)
      try_options(options, changed, test, data);
  }
  changed = *options;
  changed.seed = 0;
  if (options->seed)
    try_options(options, changed, test, data);
  if (options->optimization_level)
    skip_passes(options, FALSE, skip_passes(options, TRUE, FALSE, test, data), test, data);
}

char *
reduce_passes(const char *passes, ReduceTest test, gpointer data) {
  char *best = g_strdup(passes);
  g_auto(GStrv) first = g_strsplit(passes, ",", -1);
  for (guint i = g_strv_length(first); i-- > 0;) {
    g_auto(GStrv) names = g_strsplit(best, ",", -1);
    guint count = g_strv_length(names);
    if (count < 2)
      break;
    g_free(names[i]);
    memmove(names + i, names + i + 1, (count - i) * sizeof *names);
    g_autofree char *candidate = g_strjoinv(",", names);
    if (test(candidate, data) != NORN_REDUCE_ACCEPT)
      continue;
    g_free(best);
    best = g_steal_pointer(&candidate);
  }
  return best;
}
