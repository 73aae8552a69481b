/* norn reduce: shrinks a module that shows a fault, as long as it still shows it.
 *
 * First the options are reduced, then launch and module in turn until neither gets smaller.
 * Every candidate is tried in its own process (reduce/trial.c), so crashes and endless loops can
 * be reduced like everything else. If the code gives wrong values, the module must also remain
 * correct without optimization, if it was: a program with a race or one that reads undefined
 * values does not show a fault of the compiler. */
#include "reduce/reduce.h"
#include "common/interrupt.h"
#include "run/spec.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SECONDS 10
#define FIRST_STEP_LIMIT 100000000
/* Candidates may take more steps than the input, but not many more, since loops may lose their
 * exits. */
#define MORE_STEPS 2
#define FEW_STEPS 10000
/* The number of pieces that a launch is cut into before the module is small. */
#define FEW_PIECES 32
#define PROGRESS_MICROSECONDS 100000

const char tool_reduce_details[] =
    "The module is compiled and run as described by its first run: comment that shows the bug\n"
    "(see `norn run --help`). The result shows the same bug, with the same message except for\n"
    "names and numbers:\n"
    "\n"
    "  differs   the simulator and the interpreter produce different values\n"
    "  traps     the simulator traps\n"
    "  hangs     the program takes many times the expected steps, or a trial takes too much time\n"
    "  fails     the compiler rejects the module or its own output\n"
    "  crashes   the compiler or the simulator crashes\n"
    "  slow      with --slower-than=N: more than N warp instructions are executed\n"
    "  script    with --script=COMMAND: COMMAND FILE exits with 0. COMMAND is split into words as\n"
    "            by a shell but not run by one: use sh -c for variables, pipes and &&\n"
    "\n"
    "With --passes, the passes are run on the module and the result is interpreted; their list is\n"
    "also reduced. The output begins with comments: the command that shows the bug, its message,\n"
    "and the pass to blame. SIGINT and SIGTERM end the search; the smallest module so far is\n"
    "written.\n"
    "\n"
    "  norn reduce wrong.norn --arch=11 -O2 -o small.norn\n"
    "  norn reduce wrong.norn --script='sh -c \"norn compile $0 | grep -q IADD\"'\n";

typedef struct Reduction {
  Trial trial, reference;
  gboolean has_reference; /* the reference agrees with the original */
  TrialVerdict wanted;
  char *signature; /* of the message; nullable: any message matches */
  GRegex *match;   /* nullable */
  char *launch;    /* nullable */
  char *module;
  char *problem;   /* why a candidate could not be tried; NULL: all could be */
  gint64 deadline; /* 0: none */
  guint64 tries, try_limit;
  const char *doing;
  guint instructions;
  gint64 shown; /* when progress was last shown */
} Reduction;

/* --- Matching the fault --- */

static gboolean
is_over(const Reduction *reduction) {
  return interrupt_came() || reduction->problem ||
         (reduction->deadline && g_get_monotonic_time() > reduction->deadline) ||
         (reduction->try_limit && reduction->tries >= reduction->try_limit);
}

static void
show_progress(Reduction *reduction) {
  gint64 now = g_get_monotonic_time();
  if (!isatty(STDERR_FILENO) || now - reduction->shown < PROGRESS_MICROSECONDS)
    return;
  reduction->shown = now;
  fprintf(stderr, "\r%" G_GUINT64_FORMAT " tried, %u instructions, %s\033[K", reduction->tries,
          reduction->instructions, reduction->doing);
  fflush(stderr);
}

static void
end_progress(void) {
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r\033[K");
}

static gboolean
message_fits(const Reduction *reduction, const char *message) {
  if (reduction->match)
    return g_regex_match(reduction->match, message ? message : "", 0, NULL);
  g_autofree char *signature = reduction->signature ? trial_signature(message) : NULL;
  return !signature || !strcmp(signature, reduction->signature);
}

/* The same as trial_run; records why a trial is impossible. */
static TrialVerdict
attempt(Reduction *reduction, const Trial *trial, const char *launch, const char *module,
        char **message) {
  g_autofree char *text = NULL;
  TrialVerdict verdict = trial_run(trial, launch, module, &text);
  if (verdict == TRIAL_IMPOSSIBLE && !reduction->problem)
    reduction->problem = g_strdup(text);
  if (message)
    *message = g_steal_pointer(&text);
  return verdict;
}

/* Whether the module shows the fault on that launch when compiled this way. */
static NornReduceAnswer
try_one(Reduction *reduction, const Trial *trial, const char *launch, const char *module) {
  if (is_over(reduction))
    return NORN_REDUCE_STOP;
  g_autofree char *message = NULL;
  reduction->tries++;
  show_progress(reduction);
  if (attempt(reduction, trial, launch, module, &message) != reduction->wanted ||
      interrupt_came() || !message_fits(reduction, message))
    return NORN_REDUCE_REJECT;
  gboolean is_right = !reduction->has_reference || attempt(reduction, &reduction->reference, launch,
                                                           module, NULL) == TRIAL_AGREES;
  return is_right ? NORN_REDUCE_ACCEPT : NORN_REDUCE_REJECT;
}

static NornReduceAnswer
test_options(gconstpointer candidate, gpointer data) {
  Reduction *reduction = data;
  Trial trial = reduction->trial;
  trial.compile = *(const NornCompileOptions *)candidate;
  return try_one(reduction, &trial, reduction->launch, reduction->module);
}

static NornReduceAnswer
test_passes(gconstpointer candidate, gpointer data) {
  Reduction *reduction = data;
  Trial trial = reduction->trial;
  trial.passes = candidate;
  return try_one(reduction, &trial, reduction->launch, reduction->module);
}

static NornReduceAnswer
test_launch(gconstpointer candidate, gpointer data) {
  Reduction *reduction = data;
  return try_one(reduction, &reduction->trial, candidate, reduction->module);
}

static NornReduceAnswer
test_module(const char *text, gpointer data) {
  Reduction *reduction = data;
  return try_one(reduction, &reduction->trial, reduction->launch, text);
}

static void
note_progress(const NornReduceReport *report, gpointer data) {
  Reduction *reduction = data;
  reduction->doing = report->edit;
  reduction->instructions = report->instructions;
}

/* --- The steps --- */

static gboolean
reduce_module(Reduction *reduction, GError **error) {
  const NornReduceOptions options = {.test = test_module,
                                     .test_data = reduction,
                                     .progress = note_progress,
                                     .progress_data = reduction};
  NornModule *module =
      norn_module_parse(reduction->module, strlen(reduction->module), "module", error);
  NornModule *smaller = module ? norn_reduce(module, &options, NULL, error) : NULL;
  norn_module_free(module);
  if (!smaller)
    return FALSE;
  g_free(reduction->module);
  reduction->module = norn_module_print(smaller, NULL);
  norn_module_free(smaller);
  return TRUE;
}

/* Whether the launch became smaller; removes at least one of `pieces` pieces at a time. */
static gboolean
reduce_run(Reduction *reduction, guint pieces) {
  if (!reduction->launch)
    return FALSE;
  reduction->doing = "reduce the launch";
  char *smaller = reduce_launch(reduction->launch, pieces, test_launch, reduction);
  gboolean changed = strcmp(smaller, reduction->launch) != 0;
  g_free(reduction->launch);
  reduction->launch = smaller;
  return changed;
}

static void
reduce_options(Reduction *reduction) {
  reduction->doing = "remove options";
  if (reduction->trial.passes) {
    g_autofree char *passes = reduce_passes(reduction->trial.passes, test_passes, reduction);
    reduction->trial.passes = g_intern_string(passes);
  } else if (!reduction->trial.script) {
    reduce_settings(&reduction->trial.compile, test_options, reduction);
  }
}

/* Reduces module and launch in turn until neither gets smaller. A large launch is only cut
 * roughly before the module is small, since most of it can then be removed at once. */
static gboolean
reduce_all(Reduction *reduction, GError **error) {
  reduce_options(reduction);
  reduce_run(reduction, FEW_PIECES);
  for (gboolean again = TRUE; again && !is_over(reduction);) {
    if (!reduce_module(reduction, error) && !is_over(reduction))
      return FALSE;
    again = reduce_run(reduction, 0);
  }
  g_clear_error(error);      /* from a search that was stopped */
  reduce_options(reduction); /* a small module may need fewer options */
  return TRUE;
}

/* --- The start: the fault that the input shows --- */

/* The first launch on which the module shows a fault; returns the verdict. Without launches, the
 * module is only compiled. */
static TrialVerdict
find_fault(Reduction *reduction, const GPtrArray *launches, char **message) {
  TrialVerdict verdict = TRIAL_AGREES;
  for (guint i = 0; i < MAX(launches->len, 1); i++) {
    const char *launch = launches->len ? launches->pdata[i] : NULL;
    g_free(*message);
    verdict = attempt(reduction, &reduction->trial, launch, reduction->module, message);
    if (verdict == TRIAL_IMPOSSIBLE)
      return verdict;
    gboolean wanted = reduction->wanted == TRIAL_AGREES || verdict == reduction->wanted;
    if (verdict == TRIAL_AGREES || verdict == TRIAL_REFUSED || !wanted ||
        (reduction->match && !message_fits(reduction, *message)))
      continue;
    reduction->launch = g_strdup(launch);
    return verdict;
  }
  return verdict == TRIAL_REFUSED ? TRIAL_REFUSED : TRIAL_AGREES;
}

/* The module as the library prints it, and the launches in its comments. */
static GPtrArray *
read_input(Reduction *reduction, const char *path, const ToolTarget *target, GError **error) {
  NornModule *module = tool_read_module(path, NULL, target, error);
  if (!module)
    return NULL;
  reduction->module = norn_module_print(module, NULL);
  norn_module_free(module);
  g_autoptr(GBytes) bytes = strcmp(path, "-") ? tool_read(path, error) : NULL;
  if (!bytes)
    return *error ? NULL : g_ptr_array_new();
  gsize size;
  const char *text = tool_text(bytes, &size);
  g_autoptr(GPtrArray) specs = run_spec_collect(text, size, path, error);
  if (!specs)
    return NULL;
  GPtrArray *texts = run_spec_texts(text, size);
  for (guint i = 0; i < texts->len; i++) {
    char *whole = reduce_launch_inline(texts->pdata[i], specs->pdata[i]);
    g_free(texts->pdata[i]);
    texts->pdata[i] = whole;
  }
  return texts;
}

/* The command that reproduces the fault. */
static char *
format_command(const Reduction *reduction, const char *output) {
  const Trial *trial = &reduction->trial;
  g_autofree char *file = tool_shell_word(output && strcmp(output, "-") ? output : "FILE");
  g_autofree char *options = trial->passes ? tool_target_format(&trial->compile)
                                           : tool_target_format_compared(&trial->compile);
  if (trial->script) {
    GString *command = g_string_new(NULL);
    for (char **part = trial->script; *part; part++) {
      g_autofree char *word = tool_shell_word(*part);
      g_string_append_printf(command, "%s ", word);
    }
    return g_string_free(g_string_append(command, file), FALSE);
  }
  if (trial->passes)
    return g_strdup_printf("norn opt -p %s%s %s", trial->passes, options, file);
  const char *verb = !reduction->launch                ? "compile"
                     : reduction->wanted == TRIAL_SLOW ? "run --stats"
                                                       : "run --engine both";
  const char *races = reduction->launch && trial->check_races ? " --races" : "";
  return g_strdup_printf("norn %s%s%s %s", verb, races, options, file);
}

static gboolean
fail_start(const Reduction *reduction, const char *path, TrialVerdict verdict, const char *message,
           GError **error) {
  const char *name = tool_input_name(path);
  g_autofree char *command = format_command(reduction, path);
  if (interrupt_came())
    g_set_error(error, NORN_ERROR, NORN_ERROR_LIMIT, "%s: interrupted before the bug was seen",
                name);
  else if (verdict == TRIAL_REFUSED)
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: cannot be reduced: %s", name,
                message && *message ? message : "it cannot be run");
  else
    g_set_error(error, NORN_ERROR, NORN_ERROR_INVALID, "%s: `%s` does not show the bug to reduce",
                name, command);
  return FALSE;
}

/* Determines what to look for, and whether the reference can also judge candidates. FALSE with
 * an error or a problem. */
static gboolean
start(Reduction *reduction, const char *path, const ToolTarget *target, const char *output,
      GError **error) {
  g_autoptr(GPtrArray) launches = read_input(reduction, path, target, error);
  g_autofree char *message = NULL;
  if (!launches || !tool_check_output(output, error))
    return FALSE;
  gboolean is_given = reduction->wanted != TRIAL_AGREES || reduction->match;
  TrialVerdict verdict = find_fault(reduction, launches, &message);
  if (!reduction->launch && launches->len)
    reduction->launch = g_strdup(launches->pdata[0]);
  if (verdict == TRIAL_IMPOSSIBLE)
    return FALSE;
  if (verdict == TRIAL_AGREES || verdict == TRIAL_REFUSED || interrupt_came())
    return fail_start(reduction, path, verdict, message, error);
  reduction->wanted = verdict;
  guint64 steps = trial_steps(&reduction->trial, reduction->launch, reduction->module);
  if (steps)
    reduction->trial.step_limit = steps * MORE_STEPS + FEW_STEPS;
  if (!is_given && verdict != TRIAL_DIFFERS && verdict != TRIAL_CRASHES)
    reduction->signature = trial_signature(message);
  reduction->reference = reduction->trial;
  reduction->reference.passes = NULL;
  reduction->reference.compile.optimization_level = 0;
  reduction->reference.compile.chaos = 0;
  gboolean by_values = verdict == TRIAL_DIFFERS || verdict == TRIAL_TRAPS || verdict == TRIAL_HANGS;
  reduction->has_reference = by_values && !reduction->trial.script &&
                             attempt(reduction, &reduction->reference, reduction->launch,
                                     reduction->module, NULL) == TRIAL_AGREES;
  return !reduction->problem;
}

/* --- The result --- */

static void
append_comment(GString *out, const char *text) {
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line; line++)
    if (**line)
      g_string_append_printf(out, "; %s\n", *line);
}

static char *
format_result(Reduction *reduction, const char *output) {
  GString *out = g_string_new(NULL);
  g_autofree char *command = format_command(reduction, output), *message = NULL;
  g_autofree char *blame = NULL;
  reduction->doing = "find the pass";
  if (!interrupt_came() && !reduction->problem) {
    attempt(reduction, &reduction->trial, reduction->launch, reduction->module, &message);
    blame = blame_pass(&reduction->trial, reduction->wanted, reduction->launch, reduction->module);
  }
  append_comment(out, command);
  g_autofree char *shown = tool_word(trial_words, reduction->wanted - TRIAL_DIFFERS);
  g_string_append_printf(out, "; %s%s", shown, message && *message ? ": " : "\n");
  if (message && *message)
    g_string_append_printf(out, "%.*s\n", (int)strcspn(message, "\n"), message);
  if (blame)
    append_comment(out, blame);
  g_autofree char *text = trial_format(reduction->launch, reduction->module);
  g_string_append(out, text);
  return g_string_free(out, FALSE);
}

static gboolean
reduce_file(Reduction *reduction, const char *path, ToolTarget *target, const char *output,
            GError **error) {
  interrupt_catch();
  gboolean done = tool_target_load(target, error) &&
                  start(reduction, path, target, output, error) && reduce_all(reduction, error);
  if (done) {
    g_autofree char *text = format_result(reduction, output);
    end_progress();
    done = tool_write(output, text, strlen(text), error);
  } else {
    end_progress();
  }
  if (!reduction->problem || (error && *error))
    return done;
  g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "%s: %s: %s", tool_input_name(path),
              done ? "stopped; the smallest module so far was written" : "cannot be reduced",
              reduction->problem);
  return FALSE;
}

typedef struct ReduceOptions {
  char *output, *condition, *match, *script, *passes;
  gint64 tries, slower_than;
  int time, timeout;
  gboolean races;
} ReduceOptions;

/* Fills the reduction from the command line; reports what is wrong with it. */
static gboolean
take_options(Reduction *reduction, const ReduceOptions *given, const ToolTarget *target,
             GError **error) {
  reduction->trial = (Trial){.compile = target->options,
                             .passes = given->passes,
                             .step_limit = FIRST_STEP_LIMIT,
                             .slower_than = (guint64)given->slower_than,
                             .seconds = (guint)given->timeout,
                             .check_races = given->races};
  reduction->trial.compile.contract = target->contract;
  if (given->passes ? !tool_find_passes(target->options.target, given->passes, error)
                    : !given->script && !tool_check_compiled(target->options.target, error))
    return FALSE;
  if (given->script && !g_shell_parse_argv(given->script, NULL, &reduction->trial.script, error)) {
    g_prefix_error(error, "--script: ");
    return FALSE;
  }
  if (given->match && !(reduction->match = g_regex_new(given->match, 0, 0, error))) {
    g_prefix_error(error, "--match: ");
    return FALSE;
  }
  const ToolNumber numbers[] = {{"--tries", given->tries, 0, G_MAXINT64},
                                {"--slower-than", given->slower_than, 0, G_MAXINT64},
                                {"--time", given->time, 0, G_MAXINT64},
                                {"--timeout", given->timeout, 1, G_MAXINT64}};
  if (!tool_check_numbers(numbers, G_N_ELEMENTS(numbers), error))
    return FALSE;
  reduction->try_limit = (guint64)given->tries;
  if (given->time)
    reduction->deadline = g_get_monotonic_time() + (gint64)given->time * G_USEC_PER_SEC;
  return TRUE;
}

/* The options that fill it; free them with g_free. */
static GOptionEntry *
reduce_entries(ReduceOptions *given) {
  const GOptionEntry entries[] = {
      TOOL_OUTPUT_ENTRY(given->output),
      {"condition", 0, 0, G_OPTION_ARG_STRING, &given->condition,
       "What the result must still show (default: what the input shows)", trial_words},
      {"match", 0, 0, G_OPTION_ARG_STRING, &given->match,
       "Pattern for the message (default: the message of the input)", "REGEX"},
      {"script", 0, 0, G_OPTION_ARG_STRING, &given->script,
       "Keep modules for which this command, called with a file, exits with 0", "COMMAND"},
      {"passes", 'p', 0, G_OPTION_ARG_STRING, &given->passes,
       "Run these passes instead of the compiler, and also reduce their list", "PASS,..."},
      {"slower-than", 0, 0, G_OPTION_ARG_INT64, &given->slower_than,
       "Keep modules that execute more warp instructions than N", "N"},
      {"races", 0, 0, G_OPTION_ARG_NONE, &given->races,
       "Also count it as a trap if invocations touch the same bytes and no barrier orders them",
       NULL},
      {"tries", 0, 0, G_OPTION_ARG_INT64, &given->tries, "Stop after N trials (default: no limit)",
       "N"},
      {"time", 0, 0, G_OPTION_ARG_INT, &given->time, "Stop after this time (default: no limit)",
       "SECONDS"},
      {"timeout", 0, 0, G_OPTION_ARG_INT, &given->timeout, "Time limit of a trial (default: 10)",
       "SECONDS"},
      {NULL},
  };
  return g_memdup2(entries, sizeof entries);
}

static void
clear(Reduction *reduction, ReduceOptions *given) {
  g_free(given->output);
  g_free(given->condition);
  g_free(given->match);
  g_free(given->script);
  g_free(given->passes);
  g_free(reduction->launch);
  g_free(reduction->module);
  g_free(reduction->signature);
  g_free(reduction->problem);
  g_clear_pointer(&reduction->match, g_regex_unref);
  g_strfreev(reduction->trial.script);
}

/* Whether the condition needs an option that is not given; if so, says it. */
static gboolean
needs_option(const ToolVerb *verb, int wanted, const ReduceOptions *given) {
  TrialVerdict verdict = given->condition ? (TrialVerdict)(TRIAL_DIFFERS + wanted) : TRIAL_AGREES;
  const char *option = verdict == TRIAL_SLOW && !given->slower_than ? "--slower-than"
                       : verdict == TRIAL_SCRIPT && !given->script  ? "--script"
                                                                    : NULL;
  if (option)
    tool_usage(verb, "--condition %s needs %s", given->condition, option);
  return option != NULL;
}

int
tool_reduce(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("reduce");
  ToolTarget target;
  tool_target_init(&target);
  ReduceOptions given = {.timeout = DEFAULT_SECONDS};
  g_autofree GOptionEntry *target_entries = tool_target_entries(&target);
  g_autofree GOptionEntry *entries = reduce_entries(&given);
  g_auto(GStrv) inputs = NULL;
  int status = tool_parse(verb, entries, target_entries, argc, argv, &inputs);
  Reduction reduction = {.doing = "start"};
  GError *error = NULL;
  int wanted = 0;
  if (status) {
    status = MAX(status, 0);
  } else if ((wanted = tool_choose(verb, "condition", given.condition, trial_words, -2)) == -1) {
    status = TOOL_USAGE;
  } else if (needs_option(verb, wanted, &given)) {
    status = TOOL_USAGE;
  } else if (!tool_target_finish(&target, &error) ||
             !take_options(&reduction, &given, &target, &error)) {
    status = tool_refuse(verb, error);
  } else {
    reduction.wanted = given.condition ? (TrialVerdict)(TRIAL_DIFFERS + wanted) : TRIAL_AGREES;
    status = reduce_file(&reduction, inputs[0], &target, given.output, &error) ? TOOL_SUCCESS
                                                                               : tool_fail(error);
  }
  clear(&reduction, &given);
  tool_target_clear(&target);
  interrupt_pass_on();
  return status;
}
