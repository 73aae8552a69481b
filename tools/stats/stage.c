/* What a driver's own statistics report for a program of each stage: its properties in the terms
 * of Arm's offline compiler, and the line that Mesa's shader-db reads. */
#include "common/json.h"
#include "stats/stats.h"

#include <string.h>

/* A property that programs of some stages may have. */
typedef struct StageProperty {
  const char *name, *title;
  unsigned stages; /* bit per NornShaderStage */
  gboolean (*get)(const NornCompileInfo *info);
} StageProperty;

#define PROPERTY(name, expression)                                                                 \
  static gboolean get_##name(const NornCompileInfo *info) {                                        \
    return (expression) != 0;                                                                      \
  }
PROPERTY(stack_spilling, info->spills || info->fills)
PROPERTY(side_effects, info->shader.writes_memory)
PROPERTY(coverage, info->shader.may_discard || info->shader.writes_coverage)
PROPERTY(late_tests, !info->shader.early_tests)
PROPERTY(writes_depth, info->shader.writes_depth || info->shader.writes_stencil)
PROPERTY(reads_color, info->shader.tile_targets)
PROPERTY(helpers, info->shader.needs_helpers)
PROPERTY(by_sample, info->shader.runs_by_sample)
PROPERTY(point_size, info->shader.writes_point_size)

enum {
  COMPUTE = 1 << NORN_STAGE_COMPUTE,
  VERTEX = 1 << NORN_STAGE_VERTEX,
  FRAGMENT = 1 << NORN_STAGE_FRAGMENT
};

static const StageProperty properties[] = {
    {"has_stack_spilling", "stack spilling", COMPUTE | VERTEX | FRAGMENT, get_stack_spilling},
    {"has_side_effects", "side effects", COMPUTE | VERTEX | FRAGMENT, get_side_effects},
    {"modifies_coverage", "modifies coverage", FRAGMENT, get_coverage},
    {"uses_late_zs", "late depth and stencil tests", FRAGMENT, get_late_tests},
    {"writes_zs", "writes depth or stencil", FRAGMENT, get_writes_depth},
    {"reads_color_buffer", "reads the color buffer", FRAGMENT, get_reads_color},
    {"needs_helpers", "needs helper invocations", FRAGMENT, get_helpers},
    {"runs_by_sample", "runs for each sample", FRAGMENT, get_by_sample},
    {"writes_point_size", "writes the point size", VERTEX, get_point_size},
};

static gboolean
applies(const StageProperty *property, const NornCompileInfo *info) {
  return property->stages >> info->stage & 1;
}

void
stats_append_stage(GString *out, const NornCompileInfo *info) {
  const char *separator = "  properties: ";
  if (info->stage == NORN_STAGE_COMPUTE)
    g_string_append_printf(out, "  workgroup: %ux%ux%u, shared memory: %u bytes\n",
                           info->workgroup_size[0], info->workgroup_size[1],
                           info->workgroup_size[2], info->workgroup_local_size);
  if (info->stage == NORN_STAGE_VERTEX)
    g_string_append_printf(out, "  varyings: %u bytes per vertex\n", info->shader.varying_size);
  for (guint i = 0; i < G_N_ELEMENTS(properties); i++) {
    if (!applies(&properties[i], info) || !properties[i].get(info))
      continue;
    g_string_append_printf(out, "%s%s", separator, properties[i].title);
    separator = ", ";
  }
  if (*separator == ',')
    g_string_append(out, "\n");
}

void
stats_build_stage(JsonBuilder *json, const NornCompileInfo *info) {
  tool_json_object(json, "properties");
  for (guint i = 0; i < G_N_ELEMENTS(properties); i++) {
    if (!applies(&properties[i], info))
      continue;
    tool_json_flag(json, properties[i].name, properties[i].get(info));
  }
  json_builder_end_object(json);
}

/* --- shader-db --- */

static double
cycles_of(const NornStatistics *statistics, const char *unit) {
  for (unsigned i = 0; i < statistics->unit_count; i++)
    if (!strcmp(statistics->units[i].name, unit))
      return statistics->units[i].cycles[NORN_PATH_TOTAL];
  return 0;
}

static void
append_line(GString *out, const StatsProgram *program) {
  static const char *const units[] = {"fma", "cvt", "sfu", "v", "t", "ls"};
  static const char *const stages[] = {[NORN_STAGE_COMPUTE] = "COMPUTE",
                                       [NORN_STAGE_VERTEX] = "VERTEX",
                                       [NORN_STAGE_FRAGMENT] = "FRAGMENT"};
  enum { QUADWORD = 16 };
  const NornStatistics *s = &program->statistics;
  const char *stage = program->compiled ? stages[program->info.stage] : "COMPUTE";
  if (program->error)
    return;
  g_string_append_printf(out, "%s - MESA_SHADER_%s shader: %u inst, %f cycles", program->file,
                         stage, s->instructions, s->cycles[NORN_PATH_TOTAL]);
  for (guint i = 0; i < G_N_ELEMENTS(units); i++)
    g_string_append_printf(out, ", %f %s", cycles_of(s, units[i]), units[i]);
  g_string_append_printf(out, ", %u quadwords, %u threads, %u loops, %u:%u spills:fills\n",
                         (s->bytes + QUADWORD - 1) / QUADWORD, s->threads, s->loops,
                         program->info.spills, program->info.fills);
}

char *
stats_print_shader_db(const GPtrArray *programs) {
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < programs->len; i++)
    append_line(out, programs->pdata[i]);
  return g_string_free(out, FALSE);
}
