/* Reads a shader and compiles it, recording the stages that the page shows.
 *
 * SPIR-V is converted to IR text, which is read again. So every value has a name, which it keeps
 * through all passes, and every instruction has a line. The mapping from IR lines to source
 * lines is known from printing the text. */
#include "report/report.h"

#include <string.h>

/* --- Reading --- */

/* Replaces a module that was read from SPIR-V with the module of its text. */
static gboolean
read_as_text(ReportShader *self, const ToolTarget *target, const ReportOptions *options,
             GError **error) {
  g_auto(NornTextMap) map = {0};
  gsize length;
  char *text = norn_module_print_with_map(self->module, &length, &map);
  report_text_set(&self->text, text, length, &map, NULL, options->most_lines);
  g_autoptr(GBytes) bytes = g_bytes_new_take(text, length);
  norn_module_free(self->module);
  self->module = tool_parse_module(bytes, tool_input_name(self->file), &target->options.limits,
                                   NULL, NULL, error);
  return self->module != NULL;
}

/* The source that SPIR-V contains, if any. */
static void
read_source(ReportShader *self, const ReportOptions *options) {
  g_auto(GStrv) lines = stats_source_lines(self->input);
  if (!lines)
    return;
  g_autofree char *source = g_strjoinv("\n", lines);
  report_text_set(&self->source, source, strlen(source), NULL, NULL, options->most_lines);
}

gboolean
report_shader_init(ReportShader *self, const char *file, const ToolTarget *target,
                   const ReportOptions *options, GError **error) {
  gsize size;
  self->file = g_strdup(file);
  self->compilations = g_ptr_array_new();
  self->input = tool_read(file, error);
  if (!self->input)
    return FALSE;
  self->module = tool_parse_module(self->input, tool_input_name(file), &target->options.limits,
                                   target, NULL, error);
  if (!self->module)
    return FALSE;
  const void *bytes = g_bytes_get_data(self->input, &size);
  self->is_spirv = bytes && norn_spirv_is_module(bytes, size);
  if (self->is_spirv) {
    read_source(self, options);
    return read_as_text(self, target, options, error);
  }
  const char *text = tool_text(self->input, &size);
  report_text_set(&self->text, text, size, NULL, NULL, options->most_lines);
  return TRUE;
}

/* --- Compiling --- */

/* Records the texts while a module is compiled. */
typedef struct PassWatch {
  ReportProgram *program;
  const char *target;
  guint most_lines;
  int stage;             /* the stage that the module is in */
  NornDumpFunction dump; /* nullable: the one in the command's options */
  gpointer dump_data;
} PassWatch;

/* The stage that a pass leaves a module in, from its row; -1 if that stage is not kept. */
static int
stage_behind(const PassWatch *watch, const char *pass) {
  NornPassInfo info;
  for (unsigned i = 0; norn_pass_info(watch->target, i, &info); i++) {
    if (strcmp(info.name, pass) != 0)
      continue;
    return !strcmp(info.leaves, "generic")    ? REPORT_OPTIMIZED
           : !strcmp(info.leaves, "selected") ? REPORT_SELECTED
           : !strcmp(info.leaves, "any")      ? watch->stage
                                              : -1;
  }
  return watch->stage;
}

static void
keep_text(ReportProgram *program, ReportStage stage, const NornModule *module, const char *pass,
          guint most_lines) {
  g_auto(NornTextMap) map = {0};
  gsize length;
  g_autofree char *text = norn_module_print_with_map(module, &length, &map);
  report_text_set(&program->stages[stage], text, length, &map, &program->values, most_lines);
  program->stages[stage].pass = g_strdup(pass);
}

static void
watch_pass(const NornModule *module, const char *pass, gpointer user_data) {
  PassWatch *watch = user_data;
  watch->stage = stage_behind(watch, pass);
  if (watch->stage >= 0)
    keep_text(watch->program, (ReportStage)watch->stage, module, pass, watch->most_lines);
  if (watch->dump)
    watch->dump(module, pass, watch->dump_data);
}

static void
program_free(ReportProgram *self) {
  for (guint i = 0; i < REPORT_STAGES; i++)
    report_text_clear(&self->stages[i]);
  g_hash_table_unref(self->values.by_name);
  g_hash_table_unref(self->values.by_number);
  g_ptr_array_unref(self->values.names);
  g_clear_pointer(&self->code, g_bytes_unref);
  norn_code_map_free(self->map);
  g_free(self->executed);
  stats_program_free(self->stats);
  g_free(self);
}

static ReportProgram *
program_new(const ReportShader *shader, const char *part) {
  ReportProgram *self = g_new0(ReportProgram, 1);
  self->values.by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  self->values.by_number = g_hash_table_new(NULL, NULL);
  self->values.names = g_ptr_array_new_with_free_func(g_free);
  self->stats = g_new0(StatsProgram, 1);
  self->stats->file = g_strdup(shader->file);
  self->stats->part = part;
  self->stats->compiled = TRUE;
  self->stats->spills = stats_spills_new();
  return self;
}

static gboolean
count(ReportProgram *self, const ReportOptions *options, GError **error) {
  StatsProgram *stats = self->stats;
  StatsCode code = {.words = self->code, .map = self->map};
  stats_sort_spills(stats->spills);
  return tool_find_isa(stats->info.target, stats->info.architecture, &code.isa, &code.architecture,
                       error) &&
         stats_count(stats, &code, options->trips, error);
}

static gboolean
compile_part(ReportProgram *self, const ReportShader *shader, const ToolTarget *target,
             NornVertexPart part, const ReportOptions *options, GError **error) {
  NornCompileOptions compile = target->options;
  PassWatch watch = {self, compile.target, options->most_lines,
                     -1,   compile.dump,   compile.dump_data};
  compile.vertex_part = part;
  compile.spill_hook = stats_note_spill;
  compile.spill_data = self->stats->spills;
  compile.dump = watch_pass;
  compile.dump_data = &watch;
  g_autoptr(NornModule) module = norn_module_copy(shader->module);
  self->code = norn_compile(module, &compile, &self->stats->info, error);
  if (!self->code)
    return FALSE;
  self->code = tool_code_alone(self->code, &self->stats->info);
  self->map = norn_code_map_new(module);
  keep_text(self, REPORT_ALLOCATED, module, NULL, options->most_lines);
  return count(self, options, error);
}

/* Runs what the file's `run:` lines describe. */
static gboolean
run(const ReportShader *shader, ReportCompilation *compilation, const ToolTarget *target,
    GError **error) {
  StatsProgram *programs[2] = {NULL, NULL};
  NornInstructionTiming *rows[2] = {NULL, NULL};
  guint length = compilation->programs->len;
  for (guint i = 0; i < length; i++)
    programs[i] = ((ReportProgram *)compilation->programs->pdata[i])->stats;
  gboolean done = stats_run(shader->file, target, programs, length, rows, error);
  for (guint i = 0; i < length; i++)
    ((ReportProgram *)compilation->programs->pdata[i])->executed = rows[i];
  return done;
}

gboolean
report_shader_compile(ReportShader *self, const ToolTarget *target, const ReportOptions *options,
                      GError **error) {
  static const char *const names[] = {"position", "varyings"};
  static const NornVertexPart parts[] = {NORN_VERTEX_POSITION, NORN_VERTEX_VARYINGS};
  const NornCompileOptions *compile = &target->options;
  gboolean splits = compile->vertex_part == NORN_VERTEX_WHOLE &&
                    norn_compile_splits_vertices(self->module, compile);
  ReportCompilation *compilation = g_new0(ReportCompilation, 1);
  g_ptr_array_add(self->compilations, compilation);
  compilation->programs = g_ptr_array_new();
  compilation->label = g_strstrip(tool_target_format(compile));
  gboolean done = TRUE;
  for (guint i = 0; done && i < (splits ? 2 : 1); i++) {
    ReportProgram *program =
        program_new(self, splits ? names[i] : norn_stage_name(norn_module_stage(self->module)));
    g_ptr_array_add(compilation->programs, program);
    done = compile_part(program, self, target, splits ? parts[i] : compile->vertex_part, options,
                        error);
  }
  return done && (!options->run || run(self, compilation, target, error));
}

void
report_shader_clear(ReportShader *self) {
  for (guint i = 0; self->compilations && i < self->compilations->len; i++) {
    ReportCompilation *compilation = self->compilations->pdata[i];
    for (guint k = 0; k < compilation->programs->len; k++)
      program_free(compilation->programs->pdata[k]);
    g_ptr_array_unref(compilation->programs);
    g_free(compilation->label);
    g_free(compilation);
  }
  g_clear_pointer(&self->compilations, g_ptr_array_unref);
  report_text_clear(&self->source);
  report_text_clear(&self->text);
  g_clear_pointer(&self->module, norn_module_free);
  g_clear_pointer(&self->input, g_bytes_unref);
  g_free(self->file);
}
