/* norn stats: the cost of programs. */
#include "stats/stats.h"
#include "common/timer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char formats[] = "text|table|json|shader-db";

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
compare(const StatsFigures *old_figures, const StatsFigures *new_figures, double limit,
        const char *output) {
  GError *error = NULL;
  gboolean worse = FALSE;
  g_autofree char *text = stats_compare(old_figures, new_figures, limit, &worse, &error);
  if (!text || !tool_write(output, text, strlen(text), &error))
    return tool_fail(error);
  return worse ? TOOL_FAILURE : TOOL_SUCCESS;
}

static int
compare_files(char **inputs, double limit, const char *output) {
  GError *error = NULL;
  g_autofree char *before = tool_read_string(inputs[0], &error);
  g_autofree char *after = before ? tool_read_string(inputs[1], &error) : NULL;
  if (!after)
    return tool_fail(error);
  return compare(&(StatsFigures){inputs[0], before}, &(StatsFigures){inputs[1], after}, limit,
                 output);
}

/* Prints the errors to standard error, too, each one once. */
static int
print(const GPtrArray *programs, int format, const char *output) {
  static char *(*const printers[])(const GPtrArray *) = {stats_print_text, stats_print_table,
                                                         stats_print_json, stats_print_shader_db};
  GError *error = NULL;
  g_autofree char *text = printers[format](programs);
  if (!tool_write(output, text, strlen(text), &error))
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
collect(char **inputs, const ToolTarget *target, const StatsOptions *options, GError **error) {
  g_autoptr(GPtrArray) files = list_files(inputs, error);
  return files ? stats_collect((char **)files->pdata, target, options, error) : NULL;
}

static int
count(char **inputs, const ToolTarget *target, int format, const StatsOptions *options,
      const char *output) {
  GError *error = NULL;
  g_autoptr(GPtrArray) programs = collect(inputs, target, options, &error);
  if (!programs)
    return tool_fail(error);
  return print(programs, format < 0 ? programs->len > 2 && !options->annotate : format, output);
}

/* Compares with the figures of another build of the command for the same arguments. */
static int
count_against(const char *command, int argc, char **argv, char **inputs, const ToolTarget *target,
              const StatsOptions *options, double limit, const char *output) {
  GError *error = NULL;
  g_autofree char *before = stats_count_with(command, argc, argv, &error);
  g_autoptr(GPtrArray) programs = before ? collect(inputs, target, options, &error) : NULL;
  if (!programs)
    return tool_fail(error);
  g_autofree char *after = stats_print_json(programs);
  return compare(&(StatsFigures){command, before}, &(StatsFigures){"norn", after}, limit, output);
}

static int
print_parameters(const ToolTarget *target, const char *output) {
  GError *error = NULL;
  const NornIsa *isa;
  unsigned number;
  if (!tool_find_isa(target->options.target, target->options.architecture, &isa, &number, &error))
    return tool_fail(error);
  g_autofree char *text = stats_print_parameters(isa);
  return tool_write(output, text, strlen(text), &error) ? TOOL_SUCCESS : tool_fail(error);
}

/* The command line, except for the target. */
typedef struct StatsCall {
  char *output, *format, *against, *trace;
  gboolean diff, parameters, times_passes;
  int trips, jobs;
  double limit; /* NAN: not given */
  StatsOptions options;
} StatsCall;

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

/* Checks the call and stores it in `target` and the call's options; *format becomes -2 if none
 * is given. */
static int
check_call(const ToolVerb *verb, StatsCall *call, char **inputs, ToolTarget *target, int *format) {
  const ToolNumber numbers[] = {{"--trips", call->trips, 1, G_MAXINT64},
                                {"--jobs", call->jobs, 0, TOOL_MAX_JOBS}};
  GError *error = NULL;
  *format = tool_choose(verb, "format", call->format, formats, -2);
  if (*format == -1)
    return TOOL_USAGE;
  if (!tool_target_finish(target, &error) ||
      !tool_check_numbers(numbers, G_N_ELEMENTS(numbers), &error))
    return tool_refuse(verb, error);
  if (isnan(call->limit))
    call->limit = 0;
  else if (!call->diff && !call->against)
    return tool_usage(verb, "--limit is only for --diff and --against");
  else if (call->limit < 0)
    return tool_usage(verb, "--limit: expected a percentage of at least 0, found %g", call->limit);
  if (call->parameters && !tool_takes(verb, inputs, 0, 0))
    return TOOL_USAGE;
  if (call->options.annotate && (*format > 0 || call->diff || call->against))
    return tool_usage(verb, "--annotate is only for --format text, and not for comparisons");
  if (!call->parameters && (call->diff ? g_strv_length(inputs) != 2 : !inputs[0]))
    return tool_usage(verb, call->diff ? "expected two files to compare" : "expected input files");
  call->options.trips = (unsigned)call->trips;
  call->options.jobs = tool_jobs(call->jobs);
  return TOOL_SUCCESS;
}

/* Compares or counts, with a timer of passes. */
static int
run_call(StatsCall *call, int argc, char **argv, char **inputs, ToolTarget *target, int format) {
  GError *error = NULL;
  if (!tool_target_load(target, &error))
    return tool_fail(error);
  ToolTimer *timer = tool_timer_new(call->times_passes, call->trace, NULL);
  call->options.timer = timer;
  int status = call->diff      ? compare_files(inputs, call->limit, call->output)
               : call->against ? count_against(call->against, argc, argv, inputs, target,
                                               &call->options, call->limit, call->output)
                               : count(inputs, target, format, &call->options, call->output);
  return tool_timer_finish(timer, NULL, &error) ? status : tool_fail(error);
}

int
tool_stats(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("stats");
  ToolTarget target;
  tool_target_init(&target);
  target.is_mixed = TRUE;
  StatsCall call = {.trips = 1, .limit = NAN};
  g_autofree GOptionEntry *target_entries = tool_target_entries(&target);
  g_autofree GOptionEntry *entries = call_entries(&call);
  g_auto(GStrv) inputs = NULL;
  int format, status = tool_parse(verb, entries, target_entries, argc, argv, &inputs);
  if (status)
    status = MAX(status, 0);
  else if (!(status = check_call(verb, &call, inputs, &target, &format)))
    status = call.parameters ? print_parameters(&target, call.output)
                             : run_call(&call, argc, argv, inputs, &target, format);
  g_free(call.output);
  g_free(call.format);
  g_free(call.against);
  g_free(call.trace);
  tool_target_clear(&target);
  return status;
}
