/* norn fuzz: generates random modules and compares the results of everything that can run them.
 * Each difference is written to its own file with the command that reproduces it. */
#include "common/interrupt.h"
#include "common/json.h"
#include "fuzzer/fuzzer.h"
#include <glib/gstdio.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char tool_fuzz_details[] =
    "Each module is interpreted, and compiled and simulated at each level; the final contents of\n"
    "memory must be the same. A module that differs, crashes or hangs is written to a file of its\n"
    "own, with the commands that reproduce and reduce it; the exit status is then 1.\n"
    "\n"
    "With --corpus, modules that reach new code are kept there. The modules in the folders CORPUS\n"
    "are tried before random ones.\n"
    "\n"
    "  norn fuzz --count 1000000 --time 3600 -o findings --corpus corpus\n";

/* The number of findings that are reported in full; after that, only the files are. */
#define SHOWN 20

typedef struct Fuzzer {
  FuzzPlan plan;
  const char *directory, *corpus; /* corpus: nullable */
  GHashTable *features;           /* features reached so far */
  guint64 kept;
  gboolean is_json, shows_progress;
  guint64 modules, verdicts[FUZZ_VERDICT_COUNT], runs;
  gint64 start;
  JsonBuilder *findings;
  GError *error; /* the first file that could not be written */
} Fuzzer;

static const char formats[] = "text|json";
static const char engines[] = "both|interpreter";
static const char *const verdict_names[] = {"agrees", "skipped", "differs", "crashed"};

/* The command with the name of the file filled in; NULL for NULL. */
static char *
command_for(const char *command, const char *path) {
  g_auto(GStrv) parts = command ? g_strsplit(command, "FILE", -1) : NULL;
  g_autofree char *word = tool_shell_word(path);
  return parts ? g_strjoinv(word, parts) : NULL;
}

/* Writes the module of a finding; returns its path. */
static char *
write_finding(Fuzzer *fuzzer, guint64 seed, const FuzzResult *result) {
  g_autofree char *name =
      g_strdup_printf("%s-%" G_GUINT64_FORMAT ".norn", verdict_names[result->verdict], seed);
  char *path = g_build_filename(fuzzer->directory, name, NULL);
  g_autofree char *text = fuzz_text(fuzzer->plan.forms, seed, result->expected);
  g_autofree char *command = command_for(result->command, name);
  g_autofree char *reduce = command_for(result->reduce, name);
  g_auto(GStrv) lines = g_strsplit(result->message, "\n", -1);
  g_autofree char *message = g_strjoinv("\n; ", lines);
  GString *whole = g_string_new(NULL);
  g_string_append_printf(whole, "; seed %" G_GUINT64_FORMAT ": %s\n", seed, message);
  if (command)
    g_string_append_printf(whole, "; %s\n", command);
  if (reduce)
    g_string_append_printf(whole, "; %s\n", reduce);
  g_string_append(whole, text);
  tool_write(path, whole->str, whole->len, fuzzer->error ? NULL : &fuzzer->error);
  g_string_free(whole, TRUE);
  return path;
}

/* Adds a module that reaches something new to the corpus, unless it comes from there. */
static void
keep(Fuzzer *fuzzer, guint64 seed, const FuzzFile *file) {
  g_autofree char *name = g_strdup_printf("%" G_GUINT64_FORMAT FUZZ_SUFFIX, seed);
  g_autofree char *path = g_build_filename(fuzzer->corpus, name, NULL);
  if (file && !strcmp(file->path, path))
    return;
  g_autofree char *text = file ? g_strdup(file->text) : fuzz_text(fuzzer->plan.forms, seed, NULL);
  tool_replace(path, text, strlen(text), fuzzer->error ? NULL : &fuzzer->error);
  fuzzer->kept++;
}

static void
clear_progress(const Fuzzer *fuzzer) {
  if (fuzzer->shows_progress)
    fputs("\r\033[K", stderr);
}

static void
tell_finding(Fuzzer *fuzzer, guint64 seed, const FuzzResult *result, const char *path) {
  g_autofree char *command = command_for(result->command, path);
  g_autofree char *reduce = command_for(result->reduce, path);
  if (fuzzer->is_json) {
    g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, seed);
    json_builder_begin_object(fuzzer->findings);
    tool_json_string(fuzzer->findings, "seed", number);
    tool_json_string(fuzzer->findings, "verdict", verdict_names[result->verdict]);
    tool_json_string(fuzzer->findings, "message", result->message);
    tool_json_string(fuzzer->findings, "file", path);
    tool_json_string(fuzzer->findings, "command", command ? command : "");
    tool_json_string(fuzzer->findings, "reduce", reduce ? reduce : "");
    json_builder_end_object(fuzzer->findings);
    return;
  }
  if (fuzzer->verdicts[FUZZ_DIFFERS] + fuzzer->verdicts[FUZZ_CRASHED] > SHOWN)
    return;
  clear_progress(fuzzer);
  printf("%s: seed %" G_GUINT64_FORMAT " %s\n", path, seed, result->message);
  if (command)
    printf("  %s\n", command);
  if (reduce)
    printf("  %s\n", reduce);
  fflush(stdout);
}

static void
show_progress(const Fuzzer *fuzzer) {
  gdouble seconds = (gdouble)(g_get_monotonic_time() - fuzzer->start) / 1e6;
  fprintf(stderr,
          "\r%" G_GUINT64_FORMAT " modules, %.0f per second, %" G_GUINT64_FORMAT " findings",
          fuzzer->modules, (gdouble)fuzzer->modules / MAX(seconds, 0.001),
          fuzzer->verdicts[FUZZ_DIFFERS] + fuzzer->verdicts[FUZZ_CRASHED]);
}

static void
report(guint64 seed, const FuzzFile *file, const FuzzResult *result, gpointer data) {
  Fuzzer *fuzzer = data;
  fuzzer->modules++;
  fuzzer->verdicts[result->verdict]++;
  fuzzer->runs += result->runs;
  if (result->verdict >= FUZZ_DIFFERS) {
    g_autofree char *path = file ? g_strdup(file->path) : write_finding(fuzzer, seed, result);
    tell_finding(fuzzer, seed, result, path);
  } else if (fuzzer->corpus && fuzz_take_features(fuzzer->features, result)) {
    keep(fuzzer, seed, file);
  }
  if (fuzzer->shows_progress && fuzzer->modules % 64 == 0)
    show_progress(fuzzer);
}

static void
print_summary(Fuzzer *fuzzer) {
  guint64 findings = fuzzer->verdicts[FUZZ_DIFFERS] + fuzzer->verdicts[FUZZ_CRASHED];
  if (fuzzer->is_json) {
    json_builder_end_array(fuzzer->findings);
    tool_json_number(fuzzer->findings, "modules", (gint64)fuzzer->modules);
    tool_json_number(fuzzer->findings, "skipped", (gint64)fuzzer->verdicts[FUZZ_SKIPPED]);
    tool_json_number(fuzzer->findings, "runs", (gint64)fuzzer->runs);
    tool_json_number(fuzzer->findings, "kept", (gint64)fuzzer->kept);
    json_builder_end_object(fuzzer->findings);
    g_autofree char *text = tool_json_text(fuzzer->findings, TRUE);
    fputs(text, stdout);
    return;
  }
  clear_progress(fuzzer);
  printf("%" G_GUINT64_FORMAT " modules from seed %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
         " runs of code: %" G_GUINT64_FORMAT " findings, %" G_GUINT64_FORMAT " skipped",
         fuzzer->modules, fuzzer->plan.first, fuzzer->runs, findings,
         fuzzer->verdicts[FUZZ_SKIPPED]);
  if (fuzzer->corpus)
    printf(", %" G_GUINT64_FORMAT " kept", fuzzer->kept);
  printf("\n");
}

static gboolean
parse_shard(const char *text, FuzzPlan *plan) {
  unsigned shard, shards;
  int length = 0;
  if (!text)
    return TRUE;
  if (sscanf(text, "%u/%u%n", &shard, &shards, &length) != 2 || text[length] || !shard ||
      shard > shards)
    return FALSE;
  plan->shard = shard - 1;
  plan->shards = shards;
  return TRUE;
}

/* Creates a folder for output files if it does not exist: a run of hours must not fail because
 * of that. */
static gboolean
make_folder(const char *path, GError **error) {
  if (g_mkdir_with_parents(path, 0777) == 0 && access(path, W_OK | X_OK) == 0)
    return TRUE;
  g_set_error(error, NORN_ERROR, NORN_ERROR_IO, "%s: cannot make this folder or write into it: %s",
              path, g_strerror(errno));
  return FALSE;
}

/* The modules to begin with: those of the corpus, then the others, ordered by their seeds. */
static gboolean
read_corpora(Fuzzer *fuzzer, GPtrArray *files, char **others, GError **error) {
  if (fuzzer->corpus &&
      (!make_folder(fuzzer->corpus, error) || !fuzz_files_read(files, fuzzer->corpus, error)))
    return FALSE;
  fuzz_files_sort(files);
  g_autoptr(GPtrArray) more = fuzz_files_new();
  for (; *others; others++)
    if (!fuzz_files_read(more, *others, error))
      return FALSE;
  fuzz_files_sort(more);
  g_ptr_array_extend_and_steal(files, g_steal_pointer(&more));
  return TRUE;
}

static int
run(Fuzzer *fuzzer, char **others) {
  GError *error = NULL;
  g_autoptr(GPtrArray) files = fuzz_files_new();
  g_autoptr(GHashTable) features = g_hash_table_new(NULL, NULL);
  if (!make_folder(fuzzer->directory, &error) || !read_corpora(fuzzer, files, others, &error))
    return tool_fail(error);
  fuzzer->plan.files = files;
  fuzzer->plan.wants_features = fuzzer->corpus != NULL;
  fuzzer->features = features;
  fuzzer->start = g_get_monotonic_time();
  if (fuzzer->is_json) {
    fuzzer->findings = json_builder_new();
    json_builder_begin_object(fuzzer->findings);
    tool_json_array(fuzzer->findings, "findings");
  }
  interrupt_catch();
  gboolean done = fuzz_run(&fuzzer->plan, &error);
  if (done)
    print_summary(fuzzer);
  g_clear_object(&fuzzer->findings);
  if (!done || fuzzer->error)
    return tool_fail(error ? error : fuzzer->error);
  return fuzzer->verdicts[FUZZ_DIFFERS] + fuzzer->verdicts[FUZZ_CRASHED] ? TOOL_FAILURE
                                                                         : TOOL_SUCCESS;
}

/* The command line. */
typedef struct FuzzOptions {
  gint64 seed, count, print;
  int jobs, seconds;
  char *directory, *corpus, *format, *shard, *engine, *only;
} FuzzOptions;

/* The name of a given option that says how to try modules, or NULL. */
static const char *
option_of_trials(const FuzzOptions *given) {
  return given->format      ? "format"
         : given->directory ? "output"
         : given->corpus    ? "corpus"
         : given->shard     ? "shard"
         : given->seconds   ? "time"
         : given->jobs      ? "jobs"
                            : NULL;
}

/* Fills the fuzzer, except for the forms; the status is TOOL_USAGE after a message if something
 * is wrong. */
static int
take_options(const ToolVerb *verb, const FuzzOptions *given, char **others, Fuzzer *fuzzer) {
  const ToolNumber numbers[] = {{"--seed", given->seed, 0, G_MAXINT64},
                                {"--count", given->count, 0, G_MAXINT64},
                                {"--jobs", given->jobs, 0, TOOL_MAX_JOBS},
                                {"--time", given->seconds, 0, G_MAXINT64},
                                {"--print", given->print, 0, G_MAXINT64}};
  GError *error = NULL;
  int format = tool_choose(verb, "format", given->format, formats, 0);
  int engine = format < 0 ? -1 : tool_choose(verb, "engine", given->engine, engines, 0);
  if (engine < 0)
    return TOOL_USAGE;
  if (given->print != TOOL_NOT_GIVEN && option_of_trials(given))
    return tool_usage(verb, "--%s cannot be used with --print", option_of_trials(given));
  if (*others && !given->corpus)
    return tool_usage(verb, "unexpected argument '%s' without --corpus", *others);
  if (!tool_check_numbers(numbers, G_N_ELEMENTS(numbers), &error))
    return tool_refuse(verb, error);
  if (!parse_shard(given->shard, &fuzzer->plan))
    return tool_usage(verb, "expected a shard such as 1/4 to 4/4, found '%s'", given->shard);
  if (given->corpus && engine)
    return tool_usage(verb, "--corpus cannot be used with --engine=interpreter, since a corpus is "
                            "selected by the machine code");
  fuzzer->directory = given->directory ? given->directory : ".";
  fuzzer->corpus = given->corpus;
  fuzzer->is_json = format == 1;
  fuzzer->plan.compiles = !engine;
  fuzzer->plan.first = (guint64)given->seed;
  fuzzer->plan.count = (guint64)given->count;
  fuzzer->plan.jobs = tool_jobs(given->jobs);
  if (given->seconds)
    fuzzer->plan.deadline = g_get_monotonic_time() + (gint64)given->seconds * G_USEC_PER_SEC;
  return TOOL_SUCCESS;
}

/* Fuzzes with the requested operations, or prints a module. */
static int
run_or_print(const ToolVerb *verb, const FuzzOptions *given, char **others, Fuzzer *fuzzer) {
  FuzzForms forms;
  int status = TOOL_SUCCESS;
  fuzz_forms_init(&forms);
  fuzzer->plan.forms = &forms;
  if (given->only && !fuzz_forms_only(&forms, given->only)) {
    fuzz_forms_clear(&forms);
    return tool_usage(verb, "no operation has a name that begins with '%s' (`norn ops` lists them)",
                      given->only);
  }
  if (fuzzer->plan.compiles)
    fuzz_keep_compilable(&forms);
  if (given->print != TOOL_NOT_GIVEN) {
    g_autofree char *text = fuzz_text(&forms, (guint64)given->print, NULL);
    fputs(text, stdout);
  } else {
    status = run(fuzzer, others);
  }
  fuzz_forms_clear(&forms);
  return status;
}

int
tool_fuzz(int argc, char **argv) {
  const ToolVerb *verb = tool_verb("fuzz");
  FuzzOptions given = {.seed = 1, .count = 1000, .print = TOOL_NOT_GIVEN};
  const GOptionEntry entries[] = {
      {"seed", 0, 0, G_OPTION_ARG_INT64, &given.seed, "Seed of the first module (default: 1)", "N"},
      {"count", 0, 0, G_OPTION_ARG_INT64, &given.count, "Number of modules (default: 1000)", "N"},
      {"time", 0, 0, G_OPTION_ARG_INT, &given.seconds,
       "Start no more modules after this time (default: no limit)", "SECONDS"},
      TOOL_JOBS_ENTRY(given.jobs),
      {"shard", 0, 0, G_OPTION_ARG_STRING, &given.shard,
       "Only every N-th module, starting with the I-th", "I/N"},
      {"only", 0, 0, G_OPTION_ARG_STRING, &given.only,
       "Use only operations whose names begin with NAME", "NAME"},
      {"engine", 0, 0, G_OPTION_ARG_STRING, &given.engine,
       "Where to run modules (default: both); interpreter: compile nothing", engines},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &given.directory,
       "Where to write findings (default: the current directory)", "DIRECTORY"},
      {"corpus", 0, 0, G_OPTION_ARG_FILENAME, &given.corpus,
       "Check the modules there first, and keep modules that reach new code", "DIRECTORY"},
      {"print", 0, 0, G_OPTION_ARG_INT64, &given.print, "Print the module with this seed instead",
       "SEED"},
      {"format", 0, 0, G_OPTION_ARG_STRING, &given.format, "How to print (default: text)", formats},
      {NULL},
  };
  g_auto(GStrv) others = NULL;
  int status = tool_parse(verb, entries, NULL, argc, argv, &others);
  Fuzzer fuzzer = {.plan = {.shards = 1, .report = report, .data = &fuzzer},
                   .shows_progress = tool_is_terminal(STDERR_FILENO)};
  if (status)
    status = MAX(status, 0);
  else if (!(status = take_options(verb, &given, others, &fuzzer)))
    status = run_or_print(verb, &given, others, &fuzzer);
  g_free(given.directory);
  g_free(given.corpus);
  g_free(given.format);
  g_free(given.shard);
  g_free(given.engine);
  g_free(given.only);
  interrupt_pass_on();
  return status;
}
