/* The contents of a report as one JSON object; doc/report.md describes its members. */
#include "common/json.h"
#include "report/report.h"

#include <string.h>

static void
build_numbers(JsonBuilder *json, const char *name, const GArray *numbers) {
  tool_json_array(json, name);
  for (guint i = 0; i < numbers->len; i++)
    json_builder_add_int_value(json, g_array_index(numbers, guint, i));
  json_builder_end_array(json);
}

static void
build_text(JsonBuilder *json, const char *name, const ReportText *text) {
  tool_json_object(json, name);
  tool_json_array(json, "lines");
  for (guint i = 0; i < text->lines->len; i++)
    json_builder_add_string_value(json, text->lines->pdata[i]);
  json_builder_end_array(json);
  build_numbers(json, "from", text->from);
  tool_json_array(json, "values");
  for (guint i = 0; i < text->values->len; i++) {
    const GArray *values = text->values->pdata[i];
    json_builder_begin_array(json);
    for (guint k = 0; values && k < values->len; k++)
      json_builder_add_int_value(json, g_array_index(values, guint, k));
    json_builder_end_array(json);
  }
  json_builder_end_array(json);
  build_numbers(json, "code", text->code);
  tool_json_number(json, "total", text->total);
  if (text->pass)
    tool_json_string(json, "pass", text->pass);
  json_builder_end_object(json);
}

/* --- Code --- */

/* Stall cycles: for results, messages and units. */
static void
build_stalls(JsonBuilder *json, const NornInstructionTiming *timing) {
  double sum = 0;
  for (unsigned k = 0; k < NORN_STALLS; k++)
    sum += timing->stall[k];
  if (!sum)
    return;
  tool_json_array(json, "stall");
  for (unsigned k = 0; k < NORN_STALLS; k++)
    json_builder_add_double_value(json, timing->stall[k]);
  json_builder_end_array(json);
}

/* The cost of the instruction in a run of the program. */
static void
build_executed(JsonBuilder *json, const NornInstructionTiming *timing) {
  tool_json_object(json, "executed");
  tool_json_number(json, "issues", (gint64)timing->issues);
  build_stalls(json, timing);
  json_builder_end_object(json);
}

static void
build_row(JsonBuilder *json, guint index, const char *text, const NornInstructionReport *row,
          const NornCodeInst *inst) {
  tool_json_string(json, "text", text);
  if (inst && inst->line)
    tool_json_number(json, "line", inst->line);
  if (inst && inst->origin != NORN_ORIGIN_PROGRAM)
    tool_json_string(json, "origin", norn_origin_name(inst->origin));
  if (row->unit)
    tool_json_string(json, "unit", row->unit);
  if (row->loop_depth)
    tool_json_number(json, "depth", row->loop_depth);
  if (row->slot >= 0)
    tool_json_number(json, "slot", row->slot);
  if (row->timing.waited_for != index)
    tool_json_number(json, "waited_for", row->timing.waited_for);
  tool_json_number(json, "live", row->live);
  tool_json_double(json, "at", row->timing.issued_at);
  build_stalls(json, &row->timing);
}

/* The instructions: each line of the assembly that is not a label. `names` are their names,
 * nullable. */
static void
build_instructions(JsonBuilder *json, const ReportProgram *program, char **lines,
                   const NornInstructionReport *rows, const char *const *names, guint count) {
  const char *label = NULL;
  guint index = 0;
  tool_json_array(json, "code");
  for (char **at = lines; *at && index < count; at++) {
    if (g_str_has_suffix(*at, ":"))
      label = *at;
    if (!**at || g_str_has_suffix(*at, ":"))
      continue;
    json_builder_begin_object(json);
    if (label)
      tool_json_string(json, "label", label);
    build_row(json, index, g_strchug(*at), &rows[index], norn_code_map_at(program->map, index));
    if (names[index])
      tool_json_string(json, "name", names[index]);
    if (program->executed)
      build_executed(json, &program->executed[index]);
    json_builder_end_object(json);
    label = NULL;
    index++;
  }
  json_builder_end_array(json);
}

static void
build_block(JsonBuilder *json, const NornBlockReport *block, const char *name) {
  json_builder_begin_object(json);
  tool_json_number(json, "first", block->first);
  tool_json_number(json, "end", block->end);
  if (block->next >= 0)
    tool_json_number(json, "next", block->next);
  if (block->target >= 0)
    tool_json_number(json, "target", block->target);
  if (block->ends)
    tool_json_number(json, "ends", 1);
  if (!block->is_reached)
    tool_json_number(json, "unreached", 1);
  if (name) {
    g_autofree char *shown = report_cut(name, -1);
    tool_json_string(json, "name", shown);
  }
  json_builder_end_object(json);
}

static void
build_blocks(JsonBuilder *json, const ReportProgram *program, const NornBlockReport *blocks,
             guint count, guint most_lines) {
  tool_json_array(json, "blocks");
  for (guint i = 0; i < count && blocks[i].first < most_lines; i++) {
    const NornCodeInst *inst = norn_code_map_at(program->map, blocks[i].first);
    build_block(json, &blocks[i], inst ? inst->block : NULL);
  }
  json_builder_end_array(json);
  tool_json_number(json, "block_count", count);
}

static gboolean
build_code(JsonBuilder *json, const ReportProgram *program, guint most_lines, GError **error) {
  const NornCompileInfo *info = &program->stats->info;
  NornMachineCode code = {0};
  unsigned count, block_count;
  code.words = g_bytes_get_data(program->code, &code.size);
  if (!tool_find_isa(info->target, info->architecture, &code.isa, &code.architecture, error))
    return FALSE;
  const NornIsa *isa = code.isa;
  unsigned number = code.architecture;
  const guint8 *data = code.words;
  g_autofree NornInstructionReport *rows = norn_code_annotate(&code, &count, error);
  g_autofree NornBlockReport *blocks = rows ? norn_code_blocks(&code, &block_count, error) : NULL;
  g_autofree char *text = blocks ? tool_disassemble(info->target, info->architecture, data,
                                                    code.size, 0, 0, NULL, error)
                                 : NULL;
  if (!text)
    return FALSE;
  count = MIN(count, program->stats->statistics.instructions);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  guint shown = MIN(count, most_lines);
  g_autofree const char **names = g_new(const char *, shown + 1);
  for (guint i = 0; i < shown; i++)
    names[i] = report_instruction_name(isa, number, data + i * norn_isa_word_bytes(isa));
  build_instructions(json, program, lines, rows, names, shown);
  report_build_titles(json, isa, number, data, shown);
  tool_json_number(json, "code_count", count);
  build_blocks(json, program, blocks, block_count, shown);
  return TRUE;
}

/* --- Programs --- */

static void
build_machine(JsonBuilder *json, const StatsProgram *stats) {
  const NornStatistics *s = &stats->statistics;
  tool_json_string(json, "target", stats->info.target);
  tool_json_string(json, "architecture", stats->info.architecture);
  tool_json_number(json, "half_file", s->half_file);
  tool_json_array(json, "unit_titles");
  for (unsigned i = 0; i < s->unit_count; i++) {
    json_builder_begin_array(json);
    json_builder_add_string_value(json, s->units[i].name);
    json_builder_add_string_value(json, s->units[i].title);
    json_builder_end_array(json);
  }
  json_builder_end_array(json);
}

/* What `norn stats` prints to standard output. */
static void
build_summary(JsonBuilder *json, StatsProgram *stats) {
  const GPtrArray programs = {(gpointer *)&stats, 1};
  g_autofree char *text = stats_print_text(&programs);
  tool_json_string(json, "summary", text);
}

static gboolean
build_program(JsonBuilder *json, const ReportProgram *program, const ReportOptions *options,
              GError **error) {
  static const char *const names[REPORT_STAGES] = {"optimized", "selected", "allocated"};
  json_builder_begin_object(json);
  tool_json_string(json, "part", program->stats->part);
  build_machine(json, program->stats);
  build_summary(json, program->stats);
  tool_json_object(json, "figures");
  stats_build_figures(json, program->stats, options->most_lines);
  json_builder_end_object(json);
  tool_json_number(json, "spilled_count", program->stats->spills->len);
  tool_json_array(json, "names");
  for (guint i = 0; i < program->values.names->len; i++) {
    const char *name = program->values.names->pdata[i];
    if (name)
      json_builder_add_string_value(json, name);
    else
      json_builder_add_null_value(json);
  }
  json_builder_end_array(json);
  for (guint i = 0; i < REPORT_STAGES; i++)
    if (program->stages[i].lines)
      build_text(json, names[i], &program->stages[i]);
  gboolean done = build_code(json, program, options->most_lines, error);
  json_builder_end_object(json);
  return done;
}

static gboolean
build_compilation(JsonBuilder *json, const ReportCompilation *compilation,
                  const ReportOptions *options, GError **error) {
  gboolean done = TRUE;
  g_autofree char *label = report_cut(compilation->label, -1);
  json_builder_begin_object(json);
  tool_json_string(json, "options", label);
  tool_json_array(json, "programs");
  for (guint i = 0; done && i < compilation->programs->len; i++)
    done = build_program(json, compilation->programs->pdata[i], options, error);
  json_builder_end_array(json);
  json_builder_end_object(json);
  return done;
}

/* Which figures are better: 1 if more is better, -1 if less is better. */
static void
build_directions(JsonBuilder *json) {
  tool_json_object(json, "better");
  for (const StatsColumn *column = stats_columns; column->name; column++)
    if (column->use == STATS_JUDGED)
      tool_json_number(json, column->name, column->is_more_better ? 1 : -1);
  json_builder_end_object(json);
}

char *
report_data(const ReportShader *shader, const ReportOptions *options, GError **error) {
  g_autoptr(JsonBuilder) json = json_builder_new();
  g_autofree char *file = report_cut(tool_input_name(shader->file), -1);
  gboolean done = TRUE;
  json_builder_begin_object(json);
  tool_json_string(json, "norn", norn_version());
  tool_json_string(json, "file", file);
  tool_json_number(json, "most_lines", options->most_lines);
  tool_json_string(json, "language", shader->is_spirv ? "SPIR-V" : "IR");
  build_directions(json);
  report_build_operations(json, shader);
  if (shader->source.lines)
    build_text(json, "source", &shader->source);
  build_text(json, "ir", &shader->text);
  tool_json_array(json, "compilations");
  for (guint i = 0; done && i < shader->compilations->len; i++)
    done = build_compilation(json, shader->compilations->pdata[i], options, error);
  json_builder_end_array(json);
  json_builder_end_object(json);
  if (!done)
    return NULL;
  g_autoptr(JsonNode) root = json_builder_get_root(json);
  return json_to_string(root, FALSE);
}
