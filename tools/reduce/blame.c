/* Finds the pass that causes a fault.
 *
 * If the code gives wrong values or traps, the interpreter runs the module after each pass; the
 * first pass after which the result differs from the original's is to blame. If the compiler
 * itself fails, crashes or hangs, it is the pass after the last one that finished. */
#include "reduce/reduce.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Blame {
  const Trial *trial;
  const char *launch, *module;
  gboolean runs; /* the module is run after each pass */
  RunSpec *spec;
  Session expected;
  FILE *out;
  gboolean is_found;
} Blame;

static gboolean
interpret(const Blame *blame, NornModule *module, Session *session, GError **error) {
  Program program = {.path = "candidate", .module = module, .workgroup = RUN_USUAL_WORKGROUP};
  program.step_limit = blame->trial->step_limit * 4;
  program.check_races = blame->trial->check_races;
  norn_module_workgroup(module, program.workgroup);
  return run_session_init(&program, blame->spec, session, error) &&
         run_session_run(&program, ENGINE_INTERPRETER, session, error);
}

/* Called after each pass: prints a line for it (+), and one for what is wrong (!). */
static void
note_pass(const NornModule *module, const char *pass, gpointer user_data) {
  Blame *blame = user_data;
  fprintf(blame->out, "+%s\n", pass);
  if (!blame->runs || blame->is_found)
    return;
  g_autofree char *text = norn_module_print(module, NULL);
  NornModule *copy = norn_module_parse(text, strlen(text), "candidate", NULL);
  Session session = {0};
  GError *error = NULL;
  blame->is_found = !copy || !interpret(blame, copy, &session, &error) ||
                    !run_compare_engines(blame->spec, &session, &blame->expected, &error);
  if (blame->is_found)
    fprintf(blame->out, "!%s\n",
            error ? trial_plain_message(error) : "the reduced module cannot be read");
  run_session_clear(&session);
  norn_module_free(copy);
  g_clear_error(&error);
}

static gboolean
compile_noting(Blame *blame, NornModule *module) {
  NornCompileOptions options = blame->trial->compile;
  options.dump = note_pass;
  options.dump_data = blame;
  if (blame->trial->passes)
    return norn_run_passes(module, blame->trial->passes, &options, NULL, NULL);
  if (norn_compile_splits_vertices(module, &options))
    options.vertex_part = NORN_VERTEX_POSITION;
  g_autoptr(GBytes) code = norn_compile(module, &options, NULL, NULL);
  return code != NULL;
}

static int
watch(gpointer data, FILE *out) {
  Blame *blame = data;
  gsize length = strlen(blame->module);
  NornModule *module = norn_module_parse(blame->module, length, "candidate", NULL);
  NornModule *original = norn_module_parse(blame->module, length, "candidate", NULL);
  blame->out = out;
  blame->runs =
      blame->runs && blame->launch && !norn_compile_splits_vertices(module, &blame->trial->compile);
  if (blame->runs) {
    Program program = {.module = original};
    blame->spec = run_spec_parse(blame->launch, NULL);
    if (!blame->spec || !run_spec_complete(&program, blame->spec, NULL) ||
        !interpret(blame, original, &blame->expected, NULL))
      return EXIT_FAILURE;
  }
  return compile_noting(blame, module) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The lines that note_pass writes, among other output of the process. */
static char **
noted_lines(const char *output) {
  g_auto(GStrv) lines = g_strsplit(output ? output : "", "\n", -1);
  GPtrArray *noted = g_ptr_array_new();
  for (char **line = lines; *line; line++)
    if (**line == '+' || **line == '!')
      g_ptr_array_add(noted, g_strdup(*line));
  g_ptr_array_add(noted, NULL);
  return (char **)g_ptr_array_free(noted, FALSE);
}

/* How many of the lines up to and including line `index` are equal to that one. */
static guint
count_same(char **lines, guint index) {
  guint count = 0;
  for (guint i = 0; i <= index; i++)
    count += !strcmp(lines[i], lines[index]);
  return count;
}

static char *
format_wrong(char **lines, guint wrong) {
  guint runs = count_same(lines, wrong);
  g_autofree char *again = runs > 1 ? g_strdup_printf(", run %u of it", runs) : g_strdup("");
  return g_strdup_printf("wrong after %s (pass %u%s): %s", lines[wrong] + 1, wrong + 1, again,
                         lines[wrong + 1] + 1);
}

char *
blame_pass(const Trial *trial, TrialVerdict verdict, const char *launch, const char *module) {
  if (trial->script || verdict == TRIAL_SLOW)
    return NULL;
  Blame blame = {.trial = trial, .launch = launch, .module = module};
  blame.runs = verdict == TRIAL_DIFFERS || verdict == TRIAL_TRAPS || verdict == TRIAL_HANGS;
  g_autofree char *output = NULL;
  if (trial_fork(watch, &blame, trial->seconds, &output) == TRIAL_NO_PROCESS)
    return NULL;
  g_auto(GStrv) lines = noted_lines(output);
  guint last = 0;
  for (guint i = 0; lines[i]; i++) {
    if (lines[i + 1] && *lines[i + 1] == '!')
      return format_wrong(lines, i);
    last = i + 1;
  }
  if (blame.runs)
    return last ? g_strdup_printf("correct in the interpreter after each of %u passes: look at the "
                                  "words, waits and slots",
                                  last)
                : NULL;
  return last ? g_strdup_printf("in the pass after %s (pass %u)", lines[last - 1] + 1, last)
              : g_strdup("before the first pass is done");
}
