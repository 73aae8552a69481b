/* Compiles files on several threads and counts what comes out. */
#include "stats/stats.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct StatsJob {
  const char *file;
  GPtrArray *programs; /* of the file */
} StatsJob;

typedef struct StatsWork {
  const ToolTarget *target;
  unsigned trips;
  guint done, count; /* guarded by the lock */
  gboolean shows_progress;
  GMutex lock;
} StatsWork;

static void
free_program(gpointer data) {
  StatsProgram *program = data;
  g_free(program->file);
  g_clear_error(&program->error);
  g_free(program);
}

static StatsProgram *
add_program(StatsJob *job) {
  StatsProgram *program = g_new0(StatsProgram, 1);
  program->file = g_strdup(job->file);
  g_ptr_array_add(job->programs, program);
  return program;
}

static void
count_code(StatsProgram *program, const char *target, const char *architecture, GBytes *code,
           unsigned trips) {
  const NornIsa *isa;
  unsigned number;
  gsize size;
  const void *data = g_bytes_get_data(code, &size);
  if (tool_find_isa(target, architecture, &isa, &number, &program->error))
    norn_code_statistics(isa, number, data, size, trips, &program->statistics, &program->error);
}

static void
count_shader(const StatsWork *work, StatsJob *job, NornModule *module, const char *part,
             NornVertexPart vertex_part) {
  StatsProgram *program = add_program(job);
  NornCompileOptions options = work->target->options;
  options.vertex_part = vertex_part;
  program->part = part;
  program->compiled = TRUE;
  g_autoptr(GBytes) code = norn_compile(module, &options, &program->info, &program->error);
  if (!code)
    return;
  if (!part)
    program->part = norn_stage_name(program->info.stage);
  count_code(program, program->info.target, program->info.architecture, code, work->trips);
}

static void
count_module(const StatsWork *work, StatsJob *job) {
  GError *error = NULL;
  NornModule *module = tool_read_module(job->file, NULL, &error);
  if (!module) {
    add_program(job)->error = error;
    return;
  }
  if (work->target->options.vertex_part == NORN_VERTEX_WHOLE &&
      norn_compile_splits_vertices(module, &work->target->options)) {
    gsize length;
    g_autofree char *text = norn_module_print(module, &length);
    count_shader(work, job, module, "position", NORN_VERTEX_POSITION);
    norn_module_free(module);
    module = norn_module_parse(text, length, tool_input_name(job->file), NULL);
    count_shader(work, job, module, "varyings", NORN_VERTEX_VARYINGS);
  } else {
    count_shader(work, job, module, NULL, work->target->options.vertex_part);
  }
  norn_module_free(module);
}

/* Machine code and assembly, by the name. */
static gboolean
count_as_code(const StatsWork *work, StatsJob *job) {
  const NornCompileOptions *options = &work->target->options;
  gboolean is_text = g_str_has_suffix(job->file, ".s");
  if (!is_text && !g_str_has_suffix(job->file, ".bin"))
    return FALSE;
  StatsProgram *program = add_program(job);
  g_autoptr(GBytes) code = is_text ? tool_assemble(options->target, options->architecture,
                                                   job->file, TRUE, &program->error)
                                   : tool_read(job->file, &program->error);
  if (code)
    count_code(program, options->target, options->architecture, code, work->trips);
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

GPtrArray *
stats_collect(char **files, const ToolTarget *target, unsigned trips, unsigned jobs) {
  guint count = g_strv_length(files);
  StatsWork work = {.target = target, .trips = trips, .count = count};
  work.shows_progress = count > 1 && isatty(STDERR_FILENO);
  g_mutex_init(&work.lock);
  g_autofree StatsJob *list = g_new0(StatsJob, count + 1);
  GThreadPool *pool = g_thread_pool_new(run_job, &work, (int)jobs, TRUE, NULL);
  for (guint i = 0; i < count; i++) {
    list[i] = (StatsJob){files[i], g_ptr_array_new()};
    g_thread_pool_push(pool, &list[i], NULL);
  }
  g_thread_pool_free(pool, FALSE, TRUE);
  if (work.shows_progress)
    fputs("\r\033[K", stderr);
  g_mutex_clear(&work.lock);
  GPtrArray *programs = g_ptr_array_new_with_free_func(free_program);
  for (guint i = 0; i < count; i++)
    g_ptr_array_extend_and_steal(programs, list[i].programs);
  return programs;
}
