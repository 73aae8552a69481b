/* Compiles files on several threads and collects the figures. */
#include "common/timer.h"
#include "stats/stats.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct StatsJob {
  const char *file;
  GPtrArray *programs; /* of the file */
  GBytes *spirv;       /* nullable: the file's module */
} StatsJob;

typedef struct StatsWork {
  const ToolTarget *target;
  const StatsOptions *options;
  guint done, count; /* guarded by the lock */
  gboolean shows_progress;
  GMutex lock;
} StatsWork;

void
stats_program_free(StatsProgram *program) {
  g_free(program->file);
  g_free(program->listing);
  stats_details_clear(&program->details);
  g_clear_pointer(&program->spills, g_array_unref);
  g_clear_error(&program->error);
  g_free(program);
}

static void
free_program(gpointer data) {
  stats_program_free(data);
}

static StatsProgram *
add_program(StatsJob *job) {
  StatsProgram *program = g_new0(StatsProgram, 1);
  program->file = g_strdup(job->file);
  g_ptr_array_add(job->programs, program);
  return program;
}

static void
count_code(const StatsWork *work, StatsProgram *program, const StatsCode *code, char **source,
           const NornInstructionTiming *executed) {
  if (!stats_count(program, code, work->options->trips, &program->error)) {
    g_prefix_error(&program->error, "%s: ", tool_input_name(program->file));
    return;
  }
  if (work->options->annotate)
    program->listing = stats_annotate(code, &program->details, source, executed, &program->error);
}

static void
compile(const StatsWork *work, StatsProgram *program, NornModule *module, NornVertexPart part,
        StatsCode *code) {
  NornCompileOptions options = work->target->options;
  options.vertex_part = part;
  program->compiled = TRUE;
  if (!program->part)
    program->part = norn_stage_name(norn_module_stage(module));
  program->spills = stats_spills_new();
  options.spill_hook = stats_note_spill;
  options.spill_data = program->spills;
  ToolTimer *timer = tool_timer_fork(work->options->timer, &options);
  code->words = norn_compile(module, &options, &program->info, &program->error);
  tool_timer_join(work->options->timer, timer, program->file);
  if (!code->words || !tool_find_isa(program->info.target, program->info.architecture, &code->isa,
                                     &code->architecture, &program->error))
    return;
  code->words = tool_code_alone(code->words, &program->info);
  stats_sort_spills(program->spills);
  code->map = norn_code_map_new(module);
}

static void
count_parts(const StatsWork *work, StatsJob *job, StatsCode *codes, GBytes *input) {
  StatsProgram **programs = (StatsProgram **)job->programs->pdata;
  NornInstructionTiming *rows[2] = {NULL, NULL};
  g_auto(GStrv) source = work->options->annotate ? stats_source_lines(input) : NULL;
  guint count = job->programs->len;
  gboolean is_whole = codes[0].words && (count == 1 || codes[1].words);
  for (guint i = 0; i < count && is_whole && work->options->run; i++)
    is_whole = !programs[i]->error;
  GError *error = NULL;
  if (is_whole && work->options->run &&
      !stats_run(job->file, work->target, programs, count, rows, &error))
    programs[0]->error = error;
  for (guint i = 0; i < count; i++) {
    if (codes[i].words && !programs[i]->error)
      count_code(work, programs[i], &codes[i], source, rows[i]);
    g_free(rows[i]);
  }
}

static NornModule *
parse(const StatsWork *work, const StatsJob *job, GBytes *input, GError **error) {
  return tool_parse_module(input, tool_input_name(job->file), NULL, work->target, NULL, error);
}

/* The input as the text that a listing shows beside the code. If SPIR-V contains no source, this
 * is its IR, whose module then replaces that of SPIR-V. */
static void
use_text(const StatsWork *work, const StatsJob *job, GBytes **input, NornModule **module,
         GError **error) {
  g_auto(GStrv) lines = stats_source_lines(*input);
  if (lines)
    return;
  GBytes *text = stats_as_text(*module);
  g_bytes_unref(*input);
  *input = text;
  norn_module_free(*module);
  *module = parse(work, job, text, error);
}

/* A shader that is run as two programs is parsed twice, since compiling changes a module. If it
 * has no varyings, there is no program for them. */
static void
count_module(const StatsWork *work, StatsJob *job) {
  GError *error = NULL;
  g_autoptr(GBytes) input = NULL;
  if (tool_check_compilable(work->target->options.target, job->file, &error))
    input = tool_read(job->file, &error);
  NornModule *module = input ? parse(work, job, input, &error) : NULL;
  StatsProgram *program = add_program(job);
  gsize size;
  const void *bytes = module ? g_bytes_get_data(input, &size) : NULL;
  if (bytes && norn_spirv_is_module(bytes, size))
    job->spirv = g_bytes_ref(input);
  if (module && work->options->annotate)
    use_text(work, job, &input, &module, &error);
  program->error = error;
  if (!module)
    return;
  StatsCode codes[2] = {{0}};
  const NornCompileOptions *options = &work->target->options;
  gboolean splits =
      options->vertex_part == NORN_VERTEX_WHOLE && norn_compile_splits_vertices(module, options);
  if (options->vertex_part == NORN_VERTEX_WHOLE && norn_compile_has_vertex_parts(module, options))
    program->part = "position";
  compile(work, program, module, splits ? NORN_VERTEX_POSITION : options->vertex_part, &codes[0]);
  norn_module_free(module);
  if (splits) {
    program = add_program(job);
    program->part = "varyings";
    module = parse(work, job, input, &program->error);
    if (module)
      compile(work, program, module, NORN_VERTEX_VARYINGS, &codes[1]);
    norn_module_free(module);
  }
  count_parts(work, job, codes, input);
  for (guint i = 0; i < G_N_ELEMENTS(codes); i++) {
    g_clear_pointer(&codes[i].words, g_bytes_unref);
    norn_code_map_free(codes[i].map);
  }
}

/* Handles machine code and assembly, depending on the name. */
static gboolean
count_as_code(const StatsWork *work, StatsJob *job) {
  const NornCompileOptions *options = &work->target->options;
  if (!tool_is_code(job->file))
    return FALSE;
  StatsProgram *program = add_program(job);
  g_autoptr(GBytes) words =
      tool_load_code(options->target, options->architecture, job->file, TRUE, &program->error);
  StatsCode code = {.words = words};
  if (words && tool_find_isa(options->target, options->architecture, &code.isa, &code.architecture,
                             &program->error))
    count_code(work, program, &code, NULL, NULL);
  return TRUE;
}

static void
run_job(gpointer data, gpointer user_data) {
  StatsJob *job = data;
  StatsWork *work = user_data;
  if (!count_as_code(work, job))
    count_module(work, job);
  g_mutex_lock(&work->lock);
  work->done++;
  if (work->shows_progress)
    fprintf(stderr, "\r%u of %u", work->done, work->count);
  g_mutex_unlock(&work->lock);
}

/* Whether each constant that is given a value exists in some module; if all inputs are text or
 * invalid, constants are not checked. */
static gboolean
check_constants(const ToolTarget *target, const StatsJob *jobs, guint count, GError **error) {
  g_autoptr(GPtrArray) modules = g_ptr_array_new();
  const char *name = NULL;
  for (guint i = 0; i < count; i++)
    if (jobs[i].spirv) {
      name = modules->len ? "the modules" : tool_input_name(jobs[i].file);
      g_ptr_array_add(modules, jobs[i].spirv);
    }
  return !modules->len || tool_check_constants(target, modules, name, error);
}

GPtrArray *
stats_collect(char **files, const ToolTarget *target, const StatsOptions *options, GError **error) {
  guint count = g_strv_length(files);
  StatsWork work = {.target = target, .options = options, .count = count};
  work.shows_progress = count > 1 && isatty(STDERR_FILENO);
  g_mutex_init(&work.lock);
  g_autofree StatsJob *list = g_new0(StatsJob, count + 1);
  GThreadPool *pool = g_thread_pool_new(run_job, &work, (int)options->jobs, TRUE, NULL);
  for (guint i = 0; i < count; i++) {
    list[i] = (StatsJob){files[i], g_ptr_array_new(), NULL};
    g_thread_pool_push(pool, &list[i], NULL);
  }
  g_thread_pool_free(pool, FALSE, TRUE);
  if (work.shows_progress)
    fputs("\r\033[K", stderr);
  g_mutex_clear(&work.lock);
  g_autoptr(GPtrArray) programs = g_ptr_array_new_with_free_func(free_program);
  gboolean done = check_constants(target, list, count, error);
  for (guint i = 0; i < count; i++) {
    g_ptr_array_extend_and_steal(programs, list[i].programs);
    g_clear_pointer(&list[i].spirv, g_bytes_unref);
  }
  return done ? g_steal_pointer(&programs) : NULL;
}
