/* Trials: a candidate is compiled and run in a child process, which may crash or hang. */
#include "common/interrupt.h"
#include "reduce/reduce.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The simulator may take this many times the steps of the interpreter. */
#define SIMULATOR_STEPS 16

/* The exit status of a child that reached a verdict: the verdict is added. The status that
 * sanitizers exit with is below. */
#define VERDICT_STATUS 100

/* The exit status of a shell if there is no such command, or it cannot be run. */
#define NOT_FOUND 127
#define NOT_RUN 126

const char trial_words[] = "differs|traps|fails|crashes|hangs|slow|script";

char *
trial_format(const char *launch, const char *module) {
  return launch ? g_strdup_printf("; run:%s%s\n%s", *launch ? " " : "", launch, module)
                : g_strdup(module);
}

/* --- Child processes --- */

static void
become_child(FILE *out, guint seconds) {
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  interrupt_release();
  dup2(fileno(out), STDERR_FILENO);
  alarm(seconds);
}

static char *
read_output(FILE *file) {
  GString *text = g_string_new(NULL);
  char piece[4096];
  gsize count;
  rewind(file);
  while ((count = fread(piece, 1, sizeof piece, file)))
    g_string_append_len(text, piece, (gssize)count);
  return g_string_free(text, FALSE);
}

/* Waits for the process, which ends with this one. FALSE with errno set if its status is
 * unknown. */
static gboolean
wait_for(pid_t child, int *status) {
  while (waitpid(child, status, 0) < 0) {
    if (errno != EINTR)
      return FALSE;
    if (interrupt_came())
      kill(child, SIGKILL);
  }
  return TRUE;
}

int
trial_fork(TrialFunction run, gpointer data, guint seconds, char **output) {
  int status = TRIAL_NO_PROCESS;
  FILE *out = tmpfile();
  pid_t child = -1;
  if (out) {
    setvbuf(out, NULL, _IONBF, 0);
    fflush(NULL);
    child = fork();
  }
  if (child == 0) {
    become_child(out, seconds);
    _exit(run(data, out));
  }
  if (child > 0 && wait_for(child, &status))
    *output = read_output(out);
  else
    *output = g_strdup_printf("cannot create a process for a trial: %s", g_strerror(errno));
  if (out)
    fclose(out);
  return status;
}

/* --- Verdicts --- */

typedef struct Candidate {
  const Trial *trial;
  const char *launch, *module;
} Candidate;

const char *
trial_plain_message(const GError *error) {
  const char *message = error->message;
  if (!g_str_has_prefix(message, RUN_COMMAND_LINE))
    return message;
  const char *text = strstr(message, ": ");
  return text ? text + 2 : message;
}

static int
say(FILE *out, TrialVerdict verdict, GError *error) {
  if (error)
    fprintf(out, "%s", trial_plain_message(error));
  g_clear_error(&error);
  return VERDICT_STATUS + (int)verdict;
}

/* The verdict for an error of the simulator. */
static TrialVerdict
judge_error(const GError *error) {
  if (g_error_matches(error, NORN_ERROR, NORN_ERROR_TRAP))
    return TRIAL_TRAPS;
  return g_error_matches(error, NORN_ERROR, NORN_ERROR_LIMIT) ? TRIAL_HANGS : TRIAL_REFUSED;
}

/* The program of a candidate, parsed and verified. */
static gboolean
load_module(const Candidate *candidate, Program *program, GError **error) {
  *program = (Program){.path = "candidate", .workgroup = RUN_USUAL_WORKGROUP};
  program->input = g_bytes_new_static(candidate->module, strlen(candidate->module));
  program->step_limit = candidate->trial->step_limit;
  program->check_races = candidate->trial->check_races;
  program->module = run_program_parse(program, NULL, error);
  if (!program->module || !norn_module_verify(program->module, error))
    return FALSE;
  norn_module_workgroup(program->module, program->workgroup);
  return TRUE;
}

/* Runs the unchanged program; the caller clears the session in any case. */
static gboolean
run_once(const Program *program, Engine engine, const RunSpec *spec, Session *session,
         GError **error) {
  return run_session_init(program, spec, session, error) &&
         run_session_run(program, engine, session, error);
}

/* Compares code in the simulator (or, if passes were run, IR in the interpreter) with the
 * interpreter's results for the original. */
static int
compare_runs(const Trial *trial, Program *program, const Program *reference, const RunSpec *spec,
             FILE *out) {
  Session expected = {0}, actual = {0};
  GError *error = NULL;
  if (!run_once(reference, ENGINE_INTERPRETER, spec, &expected, &error))
    return say(out, TRIAL_REFUSED, error);
  if (trial->compile.contract && expected.report.contractible)
    return say(out, TRIAL_REFUSED, NULL);
  program->step_limit = trial->step_limit * SIMULATOR_STEPS;
  program->seed = trial->compile.seed;
  Engine engine = trial->passes ? ENGINE_INTERPRETER : ENGINE_SIMULATOR;
  if (!run_once(program, engine, spec, &actual, &error))
    return say(out, judge_error(error), error);
  if (!run_compare_engines(spec, &actual, &expected, &error))
    return say(out, TRIAL_DIFFERS, error);
  if (trial->slower_than && actual.report.instructions > trial->slower_than)
    return say(out, TRIAL_SLOW, NULL);
  return say(out, TRIAL_AGREES, NULL);
}

/* Compiles the program's module, or runs the passes on it. */
static gboolean
compile(const Trial *trial, Program *program, GError **error) {
  if (!trial->passes)
    return run_program_compile(program, &trial->compile, error);
  return norn_run_passes(program->module, trial->passes, &trial->compile, NULL, error);
}

static int
try_module(gpointer data, FILE *out) {
  const Candidate *candidate = data;
  const Trial *trial = candidate->trial;
  Program program, reference;
  GError *error = NULL;
  if (!load_module(candidate, &program, &error) || !load_module(candidate, &reference, &error))
    return say(out, TRIAL_REFUSED, error);
  if (!compile(trial, &program, &error))
    return say(out, TRIAL_FAILS, error);
  if (!candidate->launch)
    return say(out, TRIAL_AGREES, NULL);
  RunSpec *spec = run_spec_parse(candidate->launch, &error);
  if (!spec || !run_spec_complete(&reference, spec, &error))
    return say(out, TRIAL_REFUSED, error);
  return compare_runs(trial, &program, &reference, spec, out);
}

/* Why a script that ended this way says nothing about the module, to be freed with g_free; NULL
 * if it does. */
static char *
script_problem(const Trial *trial, int status, int start_error) {
  if (start_error)
    return g_strdup_printf("%s cannot be run: %s", trial->script[0], g_strerror(start_error));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return g_strdup_printf("the script takes longer than %u s (--timeout)", trial->seconds);
  if (WIFSIGNALED(status))
    return g_strdup_printf("the script is ended by signal %d (%s)", WTERMSIG(status),
                           g_strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == NOT_FOUND || WEXITSTATUS(status) == NOT_RUN)
    return g_strdup_printf("the script exits with %d, as shells do for what they cannot run",
                           WEXITSTATUS(status));
  return NULL;
}

/* Runs the script on a file, with its output going to `out`; returns the status as of waitpid.
 * *start_error is the errno if it could not be started, or 0. */
static int
run_script(const Trial *trial, char *path, FILE *out, int *start_error) {
  guint count = g_strv_length(trial->script);
  g_autofree char **arguments = g_new0(char *, count + 2);
  int ends[2], status = -1;
  memcpy(arguments, trial->script, count * sizeof *arguments);
  arguments[count] = path;
  *start_error = 0;
  if (!g_unix_open_pipe(ends, FD_CLOEXEC, NULL)) {
    *start_error = errno;
    return status;
  }
  pid_t child = fork();
  if (child == 0) {
    alarm(trial->seconds); /* remains open across execvp */
    dup2(fileno(out), STDOUT_FILENO);
    execvp(arguments[0], arguments);
    int code = errno;
    _exit(write(ends[1], &code, sizeof code) == sizeof code ? NOT_RUN : NOT_FOUND);
  }
  if (child < 0)
    *start_error = errno;
  close(ends[1]); /* the child's descriptor is closed by execvp */
  alarm(0);
  if (child > 0 && read(ends[0], start_error, sizeof *start_error) < 0)
    *start_error = errno;
  close(ends[0]);
  if (child > 0)
    waitpid(child, &status, 0);
  return status;
}

/* A file that holds the candidate; its path is to be freed with g_free. */
static char *
write_candidate(const Candidate *candidate, GError **error) {
  g_autofree char *text = trial_format(candidate->launch, candidate->module);
  char *path;
  int file = g_file_open_tmp("norn-reduce-XXXXXX.norn", &path, error);
  if (file < 0)
    return NULL;
  gboolean written = tool_write_all(file, text, strlen(text));
  int code = errno;
  if (close(file) == 0 && written)
    return path;
  g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "%s: cannot write: %s", path,
              g_strerror(written ? errno : code));
  unlink(path);
  g_free(path);
  return NULL;
}

/* Calls the script with the name of a file that holds the candidate. */
static int
try_script(gpointer data, FILE *out) {
  const Candidate *candidate = data;
  GError *error = NULL;
  g_autofree char *path = write_candidate(candidate, &error);
  if (!path)
    return say(out, TRIAL_IMPOSSIBLE, error);
  int start_error;
  int status = run_script(candidate->trial, path, out, &start_error);
  unlink(path);
  g_autofree char *problem = script_problem(candidate->trial, status, start_error);
  if (!problem)
    return say(out, WEXITSTATUS(status) == 0 ? TRIAL_SCRIPT : TRIAL_AGREES, NULL);
  g_autofree char *printed = read_output(out); /* the problem comes first */
  rewind(out);
  fprintf(out, "%s%s%s", problem, *printed ? "\n" : "", printed);
  return say(out, start_error ? TRIAL_IMPOSSIBLE : TRIAL_REFUSED, NULL);
}

static int
measure(gpointer data, FILE *out) {
  const Candidate *candidate = data;
  Program program;
  Session session = {0};
  RunSpec *spec = run_spec_parse(candidate->launch, NULL);
  if (!spec || !load_module(candidate, &program, NULL) ||
      !run_spec_complete(&program, spec, NULL) ||
      !run_once(&program, ENGINE_INTERPRETER, spec, &session, NULL))
    return EXIT_FAILURE;
  fprintf(out, "%" G_GUINT64_FORMAT, session.report.thread_instructions);
  return EXIT_SUCCESS;
}

guint64
trial_steps(const Trial *trial, const char *launch, const char *module) {
  Candidate candidate = {trial, launch, module};
  g_autofree char *output = NULL;
  int status = launch ? trial_fork(measure, &candidate, trial->seconds, &output) : -1;
  guint64 steps = 0;
  if (status == 0)
    g_ascii_string_to_unsigned(output, 10, 0, G_MAXUINT64, &steps, NULL);
  return steps;
}

TrialVerdict
trial_run(const Trial *trial, const char *launch, const char *module, char **message) {
  Candidate candidate = {trial, launch, module};
  g_autofree char *output = NULL;
  int status =
      trial_fork(trial->script ? try_script : try_module, &candidate, trial->seconds, &output);
  TrialVerdict verdict = TRIAL_CRASHES;
  if (status == TRIAL_NO_PROCESS)
    verdict = TRIAL_IMPOSSIBLE;
  else if (WIFEXITED(status) && WEXITSTATUS(status) >= VERDICT_STATUS)
    verdict = (TrialVerdict)(WEXITSTATUS(status) - VERDICT_STATUS);
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    verdict = TRIAL_HANGS;
  else if (WIFSIGNALED(status) && (!output || !*output))
    output = g_strdup(g_strsignal(WTERMSIG(status)));
  if (message)
    *message = g_steal_pointer(&output);
  return verdict;
}

/* Only the first line and the summary of a sanitizer, if any, identify the fault. */
char *
trial_signature(const char *message) {
  const char *summary = message ? strstr(message, "SUMMARY: ") : NULL;
  const char *start = summary ? summary : message ? message : "";
  g_autofree char *line = g_strndup(start, strcspn(start, "\n"));
  g_autoptr(GRegex) names = g_regex_new(
      "\"[^\"]*\"|'[^']*'|[%@][A-Za-z0-9_.]+|block [A-Za-z0-9_]+|[A-Za-z0-9_]*\\[[0-9]+\\]|"
      "0[xX][0-9a-fA-F]+|[0-9]+",
      0, 0, NULL);
  return g_regex_replace_literal(names, line, -1, 0, "#", 0, NULL);
}
