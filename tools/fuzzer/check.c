/* Runs one module through everything: it is printed and parsed, interpreted, interpreted again
 * after passes and lists of passes, compiled at every level for an architecture with random
 * chaos, and simulated. All must leave the same contents in memory. */
#include "fuzzer/fuzzer.h"

#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* For the interpreter, in steps of single invocations; the code may take more. */
#define STEP_LIMIT 3000000
/* The number of candidates at level 3: all rows of its table (compiler/search.c). */
#define MAX_EFFORT 12
/* One in this many modules is compiled at level 3. */
#define SEARCHED 8
#define CODE_STEP_LIMIT (30 * (guint64)STEP_LIMIT)

/* Lists of passes, after each of which the module is interpreted. */
static const char *const pass_lists[] = {
    "simplify-cfg",
    "simplify",
    "gvn",
    "dse",
    "optimize,optimize",
    "inline,simplify-cfg,simplify,gvn,dce",
    "mark-loops,simplify-cfg,simplify-cfg",
    "inline,mark-loops,lower-switch",
    "inline,mark-loops,lower-switch,optimize,vectorize-memory",
    "inline,mark-loops,lower-switch,optimize,lower,optimize",
    "vectorize-memory,simplify,extend-loads,dce",
    "inline,mark-loops,mem2reg,optimize,unroll-loops,optimize",
    ("inline,mark-loops,lower-switch,optimize,scalarize-arrays,mem2reg,optimize,rotate-loops,"
     "optimize"),
    "inline,mark-loops,lower-switch,optimize,forward-shared,mem2reg,optimize",
    "inline,mark-loops,lower-switch,unroll-partially,optimize",
    "inline,mark-loops,lower-switch,optimize,rotate-loops,optimize,delete-loops,optimize",
    "inline,mark-loops,lower-switch,optimize,rotate-loops,optimize,peel-loops,optimize",
    "inline,mark-loops,lower-switch,optimize,rotate-loops,optimize,unroll-partially,optimize",
    "inline,mark-loops,lower-switch,demote-terminated,optimize,pair-parameters,pair-halves,dce",
};

typedef struct Check {
  char *run;
  Program program; /* interpreted: the reference for everything else */
  RunSpec *spec;
  Session expected;
  bool is_interpreted;
  GHashTable *features; /* features reached; nullable */
  FuzzAttempt *attempt;
  FuzzResult *result;
} Check;

void
fuzz_result_clear(FuzzResult *result) {
  g_clear_pointer(&result->message, g_free);
  g_clear_pointer(&result->command, g_free);
  g_clear_pointer(&result->reduce, g_free);
  g_clear_pointer(&result->expected, g_free);
  g_clear_pointer(&result->features, g_free);
}

void
fuzz_result_take(FuzzResult *result, const FuzzAttempt *attempt) {
  result->command = *attempt->command ? g_strdup(attempt->command) : NULL;
  result->reduce = *attempt->reduce ? g_strdup(attempt->reduce) : NULL;
}

/* The buffers' contents after the interpreter's run, for a run: line. */
static char *
expected_text(const Check *check) {
  GString *text = g_string_new(" =>");
  for (guint i = 0; i < check->spec->values->len; i++) {
    const RunValue *value = check->spec->values->pdata[i];
    gsize buffer = norn_memory_find(check->expected.memory, value->name), size;
    if (buffer == SIZE_MAX || value->kind == RUN_GRADIENTS)
      continue;
    const guint8 *bytes = norn_memory_bytes(check->expected.memory, buffer, &size);
    g_autofree char *list = run_list_format(value->element, bytes, size);
    g_string_append_printf(text, " %s=%s", value->name, list);
  }
  return g_string_free(text, FALSE);
}

/* Notes what is tried next: its name, followed by `how`, and the commands for it. */
static void
begin(Check *check, const char *what, const char *how, const char *command, const char *reduce) {
  FuzzAttempt *attempt = check->attempt;
  g_snprintf(attempt->what, sizeof attempt->what, "%s%s", what, how);
  g_strlcpy(attempt->command, command, sizeof attempt->command);
  g_strlcpy(attempt->reduce, reduce, sizeof attempt->reduce);
}

/* Records what is wrong with the current attempt; consumes the error. */
static void
fail(Check *check, GError *error) {
  check->result->verdict = FUZZ_DIFFERS;
  check->result->message =
      g_strdup_printf("%s: %s", check->attempt->what, error ? error->message : "");
  fuzz_result_take(check->result, check->attempt);
  if (check->is_interpreted)
    check->result->expected = expected_text(check);
  g_clear_error(&error);
}

/* --- The module itself --- */

/* Printing and parsing must reproduce the module. */
static gboolean
check_text(Check *check) {
  GError *error = NULL;
  gsize length = 0, expected_length;
  begin(check, "parsed and printed", "", "norn opt -p dce FILE", "");
  const char *text = g_bytes_get_data(check->program.input, &expected_length);
  NornModule *module = run_program_parse(&check->program, NULL, &error);
  if (module)
    norn_module_verify(module, &error);
  g_autofree char *again = module && !error ? norn_module_print(module, &length) : NULL;
  if (!error && (length != expected_length || memcmp(again, text, length)))
    g_set_error(&error, NORN_ERROR, NORN_ERROR_INVALID, "another text");
  if (error)
    fail(check, error);
  check->program.module = module;
  return check->result->verdict == FUZZ_AGREES;
}

static gboolean
interpret(Check *check) {
  GError *error = NULL;
  Program *program = &check->program;
  begin(check, "interpreted", "", "norn run --engine interpreter -q FILE", "norn reduce FILE");
  norn_module_workgroup(program->module, program->workgroup);
  program->engine = ENGINE_INTERPRETER;
  program->step_limit = STEP_LIMIT;
  program->check_races = TRUE;
  check->spec = run_spec_parse(check->run, &error);
  if (check->spec && run_spec_complete(program, check->spec, &error) &&
      run_session_init(program, check->spec, &check->expected, &error) &&
      run_session_run(program, ENGINE_INTERPRETER, &check->expected, &error)) {
    check->is_interpreted = true;
    return TRUE;
  }
  if (g_error_matches(error, NORN_ERROR, NORN_ERROR_LIMIT)) {
    check->result->verdict = FUZZ_SKIPPED;
    g_error_free(error);
  } else {
    fail(check, error);
  }
  return FALSE;
}

/* Whether contraction cannot change the result, that is, the compiler may contract. */
static bool
may_contract(const Check *check) {
  return !check->expected.report.contractible;
}

/* --- Passes --- */

/* A module with loop marks may have unmarked loops, so mark-loops has to come first. */
static char *
list_for(const Check *check, const char *list) {
  gsize length;
  const char *text = g_bytes_get_data(check->program.input, &length);
  bool is_marked = g_strstr_len(text, (gssize)length, "\n  loop_entry ") != NULL;
  return g_strdup_printf("%s%s", is_marked ? "mark-loops," : "", list);
}

static void
check_passes(Check *check, const char *some) {
  GError *error = NULL;
  g_autofree char *list = list_for(check, some);
  Program program = check->program;
  Session session = {0};
  NornCompileOptions options;
  bool contracts = may_contract(check);
  g_autofree char *command = g_strdup_printf(
      "norn opt%s -p %s FILE | norn run - --runs FILE --engine interpreter --races -q",
      contracts ? "" : " --no-contract", list);
  g_autofree char *reduce =
      g_strdup_printf("norn reduce --races%s -p %s FILE", contracts ? " --contract" : "", list);
  begin(check, "interpreted after ", list, command, reduce);
  norn_compile_options_init(&options);
  options.contract = contracts;
  program.module = run_program_parse(&check->program, NULL, &error);
  program.step_limit = CODE_STEP_LIMIT;
  if (program.module && norn_run_passes(program.module, list, &options, NULL, &error) &&
      run_session_init(&program, check->spec, &session, &error) &&
      run_session_run(&program, ENGINE_INTERPRETER, &session, &error))
    run_compare_engines(check->spec, &session, &check->expected, &error);
  run_session_clear(&session);
  norn_module_free(program.module);
  if (error)
    fail(check, error);
}

/* --- Code --- */

static void
begin_code(Check *check, const NornCompileOptions *options) {
  g_autofree char *flags = tool_target_format_compared(options);
  g_autofree char *how =
      g_strdup_printf("-O%u --arch=%s", options->optimization_level, options->architecture);
  g_autofree char *command = g_strdup_printf("norn run -q --engine both --races%s FILE", flags);
  g_autofree char *reduce = g_strdup_printf("norn reduce --races%s FILE", flags);
  begin(check, how, "", command, reduce);
}

/* Compiles; records the features that this reaches if requested. */
static gboolean
compile(Check *check, Program *program, const NornCompileOptions *options, GError **error) {
  if (!check->features)
    return run_program_compile(program, options, error);
  FuzzDecisions decisions = {.features = check->features};
  NornCompileOptions noted = *options;
  noted.dump = fuzz_note_pass;
  noted.dump_data = &decisions;
  gboolean done = run_program_compile(program, &noted, error);
  g_clear_pointer(&decisions.counts, g_hash_table_unref);
  if (program->code)
    fuzz_add_features(check->features, options->architecture, program->code);
  if (program->varying_code)
    fuzz_add_features(check->features, options->architecture, program->varying_code);
  return done;
}

static void
check_code(Check *check, const NornCompileOptions *options) {
  GError *error = NULL;
  begin_code(check, options);
  Program program = check->program;
  Session session = {0};
  program.engine = ENGINE_SIMULATOR;
  program.step_limit = CODE_STEP_LIMIT;
  program.code = program.varying_code = NULL;
  program.seed = options->seed;
  if (compile(check, &program, options, &error) &&
      run_session_init(&program, check->spec, &session, &error) &&
      run_session_run(&program, ENGINE_SIMULATOR, &session, &error))
    run_compare_engines(check->spec, &session, &check->expected, &error);
  check->result->runs++;
  run_session_clear(&session);
  run_program_clear_code(&program);
  if (error)
    fail(check, error);
}

/* Compile options for a level: an architecture, with chaos half of the time. */
static NornCompileOptions
draw_options(const Check *check, guint64 *state, unsigned level) {
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.contract = may_contract(check);
  options.optimization_level = level;
  const NornIsa *isa = norn_isa_find(NORN_DEFAULT_TARGET);
  unsigned architecture = (unsigned)fuzz_draw(state, norn_isa_architecture_count(isa));
  options.architecture = norn_isa_architecture_name(isa, architecture);
  guint kind = (guint)fuzz_draw(state, 4);
  options.chaos = kind < 2    ? 0
                  : kind == 2 ? 1u << fuzz_draw(state, 5)
                              : 1 + (unsigned)fuzz_draw(state, 31);
  /* Without a seed, messages complete at once, and warps and lanes run in their usual order. */
  options.seed = fuzz_draw(state, 2) ? 0 : 1 + fuzz_draw(state, 1000000);
  options.checks = NORN_CHECK_ALL;
  options.promote_constants = fuzz_draw(state, 8) != 0;
  options.promote_uniforms = fuzz_draw(state, 4) == 0;
  if (fuzz_draw(state, 16) == 0)
    options.pass_limit = (gint64)fuzz_draw(state, 20);
  options.constant_data = fuzz_draw(state, 4) == 0;
  return options;
}

/* --- The whole check --- */

static void
check_everywhere(Check *check, bool compiles, guint64 seed) {
  guint64 state = fuzz_state(seed, 1);
  if (!compiles) {
    for (guint i = 0; i < G_N_ELEMENTS(pass_lists) && check->result->verdict == FUZZ_AGREES; i++)
      check_passes(check, pass_lists[i]);
    return;
  }
  check_passes(check, pass_lists[fuzz_draw(&state, G_N_ELEMENTS(pass_lists))]);
  for (unsigned level = 0; level <= 3 && check->result->verdict == FUZZ_AGREES; level++) {
    NornCompileOptions options = draw_options(check, &state, level);
    options.by_sample = check->spec->draw.by_sample;
    options.effort = (unsigned)fuzz_draw(&state, MAX_EFFORT + 1);
    /* Level 3 compiles several times, so it is used only for some of the modules. */
    if (level < 3 || (options.effort > 1 && fuzz_draw(&state, SEARCHED) == 0))
      check_code(check, &options);
  }
}

/* The module's text; its run is stored in the check. NULL with an error. */
static char *
module_text(Check *check, const FuzzInput *input, gsize *length, GError **error) {
  const FuzzFile *file = input->file;
  NornModule *module = file ? norn_module_parse(file->text, strlen(file->text), file->path, error)
                            : fuzz_generate(input->forms, input->seed, &check->run);
  if (!module)
    return NULL;
  g_autoptr(GPtrArray) runs = file ? run_spec_texts(file->text, strlen(file->text)) : NULL;
  if (runs)
    check->run = g_strdup(runs->len ? runs->pdata[0] : "");
  char *text = norn_module_print(module, length);
  norn_module_free(module);
  return text;
}

static int
compare_features(gconstpointer a, gconstpointer b) {
  const guint32 *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Moves the features to the result, in order. */
static void
take_features(Check *check) {
  FuzzResult *result = check->result;
  GHashTableIter iterator;
  gpointer key;
  result->features = g_new(guint32, g_hash_table_size(check->features) + 1);
  g_hash_table_iter_init(&iterator, check->features);
  while (g_hash_table_iter_next(&iterator, &key, NULL))
    result->features[result->feature_count++] = GPOINTER_TO_UINT(key);
  qsort(result->features, result->feature_count, sizeof *result->features, compare_features);
  g_hash_table_unref(check->features);
}

void
fuzz_check(const FuzzInput *input, FuzzAttempt *attempt, FuzzResult *result) {
  *result = (FuzzResult){0};
  Check check = {.attempt = attempt, .result = result};
  GError *error = NULL;
  gsize length;
  begin(&check, input->file ? "read" : "generated", "", "", "");
  char *text = module_text(&check, input, &length, &error);
  if (!text) {
    fail(&check, error);
    return;
  }
  if (input->wants_features)
    check.features = g_hash_table_new(NULL, NULL);
  check.program.input = g_bytes_new_take(text, length);
  check.program.path = "module";
  if (check_text(&check) && interpret(&check))
    check_everywhere(&check, input->compiles, input->seed);
  if (check.features)
    take_features(&check);
  run_session_clear(&check.expected);
  run_program_clear(&check.program);
  if (check.spec)
    run_spec_free(check.spec);
  g_free(check.run);
}

char *
fuzz_text(const FuzzForms *forms, guint64 seed, const char *expected) {
  char *run;
  NornModule *module = fuzz_generate(forms, seed, &run);
  g_autofree char *text = norn_module_print(module, NULL);
  char *whole = g_strdup_printf("; run: %s%s\n%s", run, expected ? expected : "", text);
  norn_module_free(module);
  g_free(run);
  return whole;
}
