/* Figures as text for people, as a table, and as JSON. */
#include "common/json.h"
#include "stats/stats.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char *const path_titles[NORN_PATHS] = {"total", "shortest path", "longest path"};
static const char *const path_names[NORN_PATHS] = {"total", "shortest", "longest"};

/* Whether a path of that length exists. */
static gboolean
has_path(const NornStatistics *statistics, unsigned path) {
  return path == NORN_PATH_TOTAL ||
         (path == NORN_PATH_SHORTEST ? statistics->has_shortest : statistics->has_longest);
}

static void
append_cycles(GString *out, const NornStatistics *statistics) {
  g_string_append_printf(out, "  %-14s", "cycles");
  for (unsigned unit = 0; unit < statistics->unit_count; unit++)
    g_string_append_printf(out, " %8s", statistics->units[unit].name);
  g_string_append(out, "    bound\n");
  for (unsigned path = 0; path < NORN_PATHS; path++) {
    g_string_append_printf(out, "  %-14s", path_titles[path]);
    for (unsigned unit = 0; unit < statistics->unit_count; unit++)
      if (has_path(statistics, path))
        g_string_append_printf(out, " %8.2f", statistics->units[unit].cycles[path]);
      else
        g_string_append(out, "      n/a");
    int bound = statistics->bound[path];
    g_string_append_printf(out, " %8s\n",
                           has_path(statistics, path) && bound >= 0 ? statistics->units[bound].name
                                                                    : "-");
  }
}

static void
append_bounds(GString *out, const NornStatistics *s) {
  double bound = MAX(s->critical_path, s->unit_path);
  if (!bound)
    return;
  g_string_append_printf(out,
                         "  one warp alone: %g cycles, %.2f times the lower bound (critical path "
                         "%g, busiest unit %g)\n",
                         s->alone_cycles, s->alone_cycles / bound, s->critical_path, s->unit_path);
  g_string_append_printf(out, "  live registers: at most %u; messages: at least %u\n", s->most_live,
                         s->least_messages);
}

static void
append_estimate(GString *out, const StatsProgram *program) {
  const NornStatistics *s = &program->statistics;
  if (!s->warp_cycles)
    return;
  g_string_append_printf(out, "  one warp with all loop iterations: %g cycles\n", s->warp_cycles);
  if (program->compiled && program->info.candidate)
    g_string_append_printf(out, "  candidate: %s (best of %u)\n", program->info.candidate,
                           program->info.candidates);
}

static void
append_executed(GString *out, const StatsProgram *program) {
  const NornTiming *timing = &program->timing;
  g_string_append_printf(out,
                         "  executed: %" G_GUINT64_FORMAT
                         " instructions by %u warps, %u resident, in %g cycles\n",
                         timing->issued, timing->warps, timing->resident, timing->cycles);
  g_string_append(out, "  unit utilization:");
  for (unsigned unit = 0; unit < timing->unit_count; unit++)
    g_string_append_printf(out, " %s %.0f%%", program->statistics.units[unit].name,
                           timing->cycles ? 100 * timing->busy[unit] / timing->cycles : 0);
  g_string_append_printf(out,
                         "\n  warp stalls: %g cycles for results, %g for messages, %g for units\n",
                         timing->stall[NORN_STALL_RESULT], timing->stall[NORN_STALL_MESSAGE],
                         timing->stall[NORN_STALL_UNIT]);
}

/* Uniform words, memory and what the stage uses. */
static void
append_resources(GString *out, const StatsProgram *program) {
  g_string_append_printf(out, "  uniform registers: %u of %u", program->statistics.uniform_words,
                         NORN_FAU_WORDS);
  if (program->compiled && program->info.promoted_count)
    g_string_append_printf(out, " (%u promoted constants)", program->info.promoted_count);
  if (program->compiled && program->info.load_count)
    g_string_append_printf(out, " (%u loaded from buffers)", program->info.load_count);
  g_string_append(out, "\n");
  if (program->compiled)
    g_string_append_printf(out, "  stack: %u bytes (spills: %u, fills: %u)\n",
                           program->info.thread_local_size, program->info.spills,
                           program->info.fills);
  stats_append_spills(out, program->spills);
  if (program->compiled)
    stats_append_stage(out, &program->info);
}

/* Instructions and messages, by kind. */
static void
append_counts(GString *out, const StatsProgram *program) {
  const NornStatistics *s = &program->statistics;
  g_string_append_printf(out, "  16-bit arithmetic: %u%%\n",
                         s->arithmetic ? (200 * s->narrow + s->arithmetic) / (2 * s->arithmetic)
                                       : 0);
  g_string_append_printf(
      out, "  instructions: %u (moves: %u, constant moves: %u, NOPs: %u, branches: %u)\n",
      s->instructions, s->moves, s->constant_moves, s->nops, s->branches);
  stats_append_moves(out, &program->details);
  g_string_append_printf(out, "  messages: %u, instructions that wait: %u", s->messages, s->waits);
  stats_append_waits(out, &program->details);
  g_string_append_c(out, '\n');
}

/* What units need. */
static void
append_costs(GString *out, const StatsProgram *program) {
  const NornStatistics *s = &program->statistics;
  g_string_append_c(out, '\n');
  append_cycles(out, s);
  stats_append_loops(out, program);
  append_bounds(out, s);
  append_estimate(out, program);
  if (program->executed)
    append_executed(out, program);
}

static void
append_program(GString *out, const StatsProgram *program) {
  const NornStatistics *s = &program->statistics;
  gboolean has_model = s->unit_count; /* otherwise, little is known of the machine */
  g_string_append(out, program->file);
  if (program->part)
    g_string_append_printf(out, ", %s", program->part);
  if (program->error) {
    g_string_append(out, ": failed\n\n");
    return;
  }
  g_string_append(out, "\n");
  stats_append_registers(out, s);
  if (has_model) {
    append_resources(out, program);
    append_counts(out, program);
  } else {
    g_string_append_printf(out, "  instructions: %u (branches: %u)\n", s->instructions,
                           s->branches);
  }
  g_string_append_printf(out, "  code: %u bytes, blocks: %u, loops: %u\n", s->bytes, s->blocks,
                         s->loops);
  if (program->info.data_size)
    g_string_append_printf(out, "  constant data: %u bytes\n", program->info.data_size);
  if (has_model)
    append_costs(out, program);
  if (program->listing)
    g_string_append_printf(out, "\n%s", program->listing);
  g_string_append(out, "\n");
}

char *
stats_print_text(const GPtrArray *programs) {
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < programs->len; i++)
    append_program(out, programs->pdata[i]);
  if (out->len)
    g_string_truncate(out, out->len - 1);
  return g_string_free(out, FALSE);
}

/* --- Table --- */

static char *
program_name(const StatsProgram *program) {
  return program->part ? g_strdup_printf("%s %s", program->file, program->part)
                       : g_strdup(program->file);
}

static gboolean
is_whole(double value) {
  return value == (double)(gint64)value;
}

static char *
cell(const StatsColumn *column, const StatsProgram *program) {
  double value = column->get(program);
  return g_strdup_printf("%.*f", is_whole(value) ? 0 : 2, value);
}

static void
append_row(GString *out, const StatsProgram *program, int width, const int *widths) {
  g_autofree char *name = program_name(program);
  g_string_append_printf(out, "%-*s", width, name);
  if (program->error) {
    g_string_append(out, "  failed\n");
    return;
  }
  for (guint k = 0; stats_columns[k].title; k++) {
    g_autofree char *text = cell(&stats_columns[k], program);
    g_string_append_printf(out, "  %*s", widths[k], text);
  }
  g_string_append(out, "\n");
}

char *
stats_print_table(const GPtrArray *programs) {
  int width = (int)strlen("program"), widths[32] = {0};
  for (guint k = 0; stats_columns[k].title; k++)
    widths[k] = (int)strlen(stats_columns[k].title);
  for (guint i = 0; i < programs->len; i++) {
    g_autofree char *name = program_name(programs->pdata[i]);
    width = MAX(width, (int)strlen(name));
    for (guint k = 0; stats_columns[k].title; k++) {
      g_autofree char *text = cell(&stats_columns[k], programs->pdata[i]);
      widths[k] = MAX(widths[k], (int)strlen(text));
    }
  }
  GString *out = g_string_new(NULL);
  g_string_append_printf(out, "%-*s", width, "program");
  for (guint k = 0; stats_columns[k].title; k++)
    g_string_append_printf(out, "  %*s", widths[k], stats_columns[k].title);
  g_string_append(out, "\n");
  for (guint i = 0; i < programs->len; i++)
    append_row(out, programs->pdata[i], width, widths);
  return g_string_free(out, FALSE);
}

/* --- JSON --- */

static void
build_units(JsonBuilder *json, const NornStatistics *statistics) {
  tool_json_object(json, "units");
  for (unsigned unit = 0; unit < statistics->unit_count; unit++) {
    const NornUnitStatistics *self = &statistics->units[unit];
    tool_json_object(json, self->name);
    tool_json_number(json, "instructions", self->instructions);
    for (unsigned path = 0; path < NORN_PATHS; path++) {
      if (!has_path(statistics, path))
        continue;
      tool_json_double(json, path_names[path], self->cycles[path]);
    }
    json_builder_end_object(json);
  }
  json_builder_end_object(json);
}

void
stats_build_figures(JsonBuilder *json, const StatsProgram *program, unsigned max_count) {
  for (const StatsColumn *column = stats_columns; column->name; column++) {
    double value = column->get(program);
    if (isnan(value))
      continue;
    if (is_whole(value))
      tool_json_number(json, column->name, (gint64)value);
    else
      tool_json_double(json, column->name, value);
  }
  int bound = program->statistics.bound[NORN_PATH_TOTAL];
  if (bound >= 0)
    tool_json_string(json, "bound", program->statistics.units[bound].name);
  build_units(json, &program->statistics);
  stats_build_details(json, &program->details, max_count);
  stats_build_origins(json, program, max_count);
  if (!program->compiled)
    return;
  stats_build_stage(json, &program->info);
  if (!program->info.candidate)
    return;
  tool_json_string(json, "candidate", program->info.candidate);
  tool_json_number(json, "candidates", program->info.candidates);
}

static void
build_program(JsonBuilder *json, const StatsProgram *program) {
  json_builder_begin_object(json);
  tool_json_string(json, "file", program->file);
  if (program->part)
    tool_json_string(json, "part", program->part);
  if (program->error) {
    tool_json_string(json, "error", program->error->message);
    json_builder_end_object(json);
    return;
  }
  stats_build_figures(json, program, G_MAXUINT);
  json_builder_end_object(json);
}

char *
stats_print_json(const GPtrArray *programs) {
  g_autoptr(JsonBuilder) json = json_builder_new();
  json_builder_begin_object(json);
  tool_json_array(json, "programs");
  for (guint i = 0; i < programs->len; i++)
    build_program(json, programs->pdata[i]);
  json_builder_end_array(json);
  json_builder_end_object(json);
  return tool_json_text(json, TRUE);
}
