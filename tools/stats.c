/* norn stats: the cost of programs. */
#include "stats/stats.h"
#include "common/timer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --limit was not given. */
#define NO_LIMIT (-HUGE_VAL)

static const char formats[] = "text|table|json|shader-db";

/* The command line. */
typedef struct StatsCall {
  int argc;
  char **argv, **inputs;
  ToolTarget target;
  char *output, *format, *against, *trace;
  gboolean diff, parameters, times_passes;
  int trips, jobs;
  double limit; /* NAN: not given */
  int printer;  /* number in `formats`; -2: not given */
  StatsOptions options;
} StatsCall;

static gboolean
is_shader(const char *path) {
  return g_str_has_suffix(path, ".norn") || g_str_has_suffix(path, ".spv");
}

/* The files named by the arguments, ending with NULL. */
static GPtrArray *
list_files(char **arguments, GError **error) {
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
  for (char **path = arguments; *path; path++)
    if (!tool_find_files(*path, is_shader, files, error))
      return NULL;
  if (!files->len) {
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID,
                "%s: no shaders (.norn, .spv) in this folder", *arguments);
    return NULL;
  }
  g_ptr_array_add(files, NULL);
  return g_steal_pointer(&files);
}

static int
compare(const StatsCall *call, const StatsFigures *old_figures, const StatsFigures *new_figures) {
  GError *error = NULL;
  gboolean worse = FALSE;
  g_autofree char *text = stats_compare(old_figures, new_figures, call->limit, &worse, &error);
  if (!text || !tool_write(call->output, text, strlen(text), &error))
    return tool_fail(error);
  return worse ? TOOL_FAILURE : TOOL_SUCCESS;
}

static int
compare_files(const StatsCall *call) {
  char **inputs = call->inputs;
  GError *error = NULL;
  g_autofree char *before = tool_read_string(inputs[0], &error);
  g_autofree char *after = before ? tool_read_string(inputs[1], &error) : NULL;
  if (!after)
    return tool_fail(error);
  return compare(call, &(StatsFigures){inputs[0], before}, &(StatsFigures){inputs[1], after});
}

/* Prints the errors to standard error, too, each one once. */
static int
print(const StatsCall *call, const GPtrArray *programs) {
  static char *(*const printers[])(const GPtrArray *) = {stats_print_text, stats_print_table,
                                                         stats_print_json, stats_print_shader_db};
  GError *error = NULL;
  gboolean is_table = programs->len > 2 && !call->options.annotate;
  g_autofree char *text = printers[call->printer < 0 ? is_table : call->printer](programs);
  if (!tool_write(call->output, text, strlen(text), &error))
    return tool_fail(error);
  int status = TOOL_SUCCESS;
  for (guint i = 0; i < programs->len; i++) {
    const StatsProgram *program = programs->pdata[i];
    if (program->error)
      status = tool_fail(g_error_copy(program->error));
  }
  return status;
}

/* The programs of the inputs; NULL with an error if one cannot be listed. */
static GPtrArray *
collect(const StatsCall *call, GError **error) {
  g_autoptr(GPtrArray) files = list_files(call->inputs, error);
  return files ? stats_collect((char **)files->pdata, &call->target, &call->options, error) : NULL;
}

static int
count(const StatsCall *call) {
  GError *error = NULL;
  g_autoptr(GPtrArray) programs = collect(call, &error);
  return programs ? print(call, programs) : tool_fail(error);
}

/* Compares with the figures of another build of the command for the same arguments. */
static int
count_against(const StatsCall *call) {
  GError *error = NULL;
  g_autofree char *before = stats_count_with(call->against, call->argc, call->argv, &error);
  g_autoptr(GPtrArray) programs = before ? collect(call, &error) : NULL;
  if (!programs)
    return tool_fail(error);
  g_autofree char *after = stats_print_json(programs);
  return compare(call, &(StatsFigures){call->against, before}, &(StatsFigures){"norn", after});
}

static int
print_parameters(const StatsCall *call) {
  const NornCompileOptions *options = &call->target.options;
  GError *error = NULL;
  const NornIsa *isa;
  unsigned number;
  if (!tool_find_isa(options->target, options->architecture, &isa, &number, &error))
    return tool_fail(error);
  g_autofree char *text = stats_print_parameters(isa);
  return tool_write(call->output, text, strlen(text), &error) ? TOOL_SUCCESS : tool_fail(error);
}

/* The options that fill it; free them with g_free. */
static GOptionEntry *
call_entries(StatsCall *call) {
  const GOptionEntry entries[] = {
      TOOL_OUTPUT_ENTRY(call->output),
      {"format", 0, 0, G_OPTION_ARG_STRING, &call->format,
       "How to print (default: text, a table for more than two programs)", formats},
      {"trips", 0, 0, G_OPTION_ARG_INT, &call->trips,
       "Iterations of each loop when it is entered, for the longest path (default: 1)", "N"},
      TOOL_JOBS_ENTRY(call->jobs),
      {"annotate", 0, 0, G_OPTION_ARG_NONE, &call->options.annotate,
       "Print the code, with what each instruction costs and waits for", NULL},
      {"run", 0, 0, G_OPTION_ARG_NONE, &call->options.run,
       "Execute the files' run: lines, and estimate their time", NULL},
      {"parameters", 0, 0, G_OPTION_ARG_NONE, &call->parameters,
       "Print what the timing model assumes about the machine, and why", NULL},
      TOOL_TIMER_ENTRIES(call->times_passes, call->trace),
      {"diff", 0, 0, G_OPTION_ARG_NONE, &call->diff,
       "Compare two outputs of --format json; exit status 1 if the new one is worse", NULL},
      {"against", 0, 0, G_OPTION_ARG_FILENAME, &call->against,
       "Compare with the output of another build of norn for the same files and options",
       "COMMAND"},
      {"limit", 0, 0, G_OPTION_ARG_DOUBLE, &call->limit,
       "With --diff and --against: how much worse a geometric mean may be, in percent (default: 0)",
       "PERCENT"},
      {NULL},
  };
  return g_memdup2(entries, sizeof entries);
}

/* Checks the call and completes its target and options. */
static int
check_call(const ToolVerb *verb, StatsCall *call) {
  const ToolNumber numbers[] = {{"--trips", call->trips, 1, G_MAXINT64},
                                {"--jobs", call->jobs, 0, TOOL_MAX_JOBS}};
  GError *error = NULL;
  call->printer = tool_choose(verb, "format", call->format, formats, -2);
  if (call->printer == -1)
    return TOOL_USAGE;
  if (!tool_target_finish(&call->target, &error) ||
      !tool_check_numbers(numbers, G_N_ELEMENTS(numbers), &error))
    return tool_refuse(verb, error);
  if (call->limit == NO_LIMIT)
    call->limit = 0;
  else if (!call->diff && !call->against)
    return tool_usage(verb, "--limit is only for --diff and --against");
  else if (!(call->limit >= 0))
    return tool_usage(verb, "--limit: expected a percentage of at least 0, found %g", call->limit);
  if (call->parameters && !tool_takes(verb, call->inputs, 0, 0))
    return TOOL_USAGE;
  if (call->format && (call->diff || call->against || call->parameters))
    return tool_usage(verb, "--format is not for comparisons and --parameters, which print text");
  if (call->options.annotate && (call->printer > 0 || call->diff || call->against))
    return tool_usage(verb, "--annotate is only for --format text, and not for comparisons");
  if (!call->parameters && (call->diff ? g_strv_length(call->inputs) != 2 : !call->inputs[0]))
    return tool_usage(verb, call->diff ? "expected two files to compare" : "expected input files");
  call->options.trips = (unsigned)call->trips;
  call->options.jobs = tool_jobs(call->jobs);
  return TOOL_SUCCESS;
}

/* Compares or counts, with a timer of passes. */
static int
run_call(StatsCall *call) {
  GError *error = NULL;
  if (!tool_target_load(&call->target, &error))
    return tool_fail(error);
  ToolTimer *timer = tool_timer_new(call->times_passes, call->trace, NULL);
  call->options.timer = timer;
  int status = call->diff ? compare_files(call) : call->against ? count_against(call) : count(call);
  return tool_timer_finish(timer, NULL, &error) ? status : tool_fail(error);
}

int
tool_stats(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("stats");
  StatsCall call = {.argc = argc, .argv = argv, .trips = 1, .limit = NO_LIMIT};
  tool_target_init(&call.target);
  call.target.is_mixed = TRUE;
  g_autofree GOptionEntry *target_entries = tool_target_entries(&call.target);
  g_autofree GOptionEntry *entries = call_entries(&call);
  int status = tool_parse(verb, entries, target_entries, argc, argv, &call.inputs);
  if (status)
    status = MAX(status, 0);
  else if (!(status = check_call(verb, &call)))
    status = call.parameters ? print_parameters(&call) : run_call(&call);
  g_strfreev(call.inputs);
  g_free(call.output);
  g_free(call.format);
  g_free(call.against);
  g_free(call.trace);
  tool_target_clear(&call.target);
  return status;
}
