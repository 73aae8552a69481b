/* One module through everything: printed and parsed, interpreted, after passes and lists of passes
 * interpreted again, compiled at every level for an architecture and with chaos drawn by chance,
 * simulated. All must leave the same in memory. */
#include "fuzzer/fuzzer.h"

#include "run/run.h"

#include <string.h>

/* Of the interpreter, in steps of single invocations; the code may take more. */
#define STEP_LIMIT 3000000
#define CODE_STEP_LIMIT (30 * (guint64)STEP_LIMIT)

static const char *const architectures[] = {"9", "10", "11", "12", "13", "14"};

/* Lists of passes, after each of which the module is interpreted. */
static const char *const pass_lists[] = {
    "simplify-cfg",
    "simplify",
    "gvn",
    "optimize,optimize",
    "inline,simplify-cfg,simplify,gvn,dce",
    "mark-loops,simplify-cfg,simplify-cfg",
    "inline,mark-loops,lower-switch",
    "inline,mark-loops,lower-switch,optimize,vectorize-memory",
    "inline,mark-loops,lower-switch,optimize,lower,optimize",
    "vectorize-memory,simplify,dce",
};

typedef struct Check {
  char *run;
  Program program; /* interpreted: what all is held against */
  RunSpec *spec;
  Session expected;
  bool is_interpreted;
  FuzzResult *result;
} Check;

void
fuzz_result_clear(FuzzResult *result) {
  g_clear_pointer(&result->message, g_free);
  g_clear_pointer(&result->command, g_free);
  g_clear_pointer(&result->expected, g_free);
}

/* What the interpreter left in the buffers, for a run: line. */
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

/* Notes what is wrong; takes the command, in which FILE stands for the module's file, and the
 * error.
 */
static void
fail(Check *check, char *command, const char *what, GError *error) {
  check->result->verdict = FUZZ_DIFFERS;
  check->result->message = g_strdup_printf("%s: %s", what, error ? error->message : "");
  check->result->command = command;
  if (check->is_interpreted)
    check->result->expected = expected_text(check);
  g_clear_error(&error);
}

/* --- The module itself --- */

/* Printing and parsing give the module back. */
static gboolean
check_text(Check *check) {
  GError *error = NULL;
  gsize length = 0, expected_length;
  const char *text = g_bytes_get_data(check->program.input, &expected_length);
  NornModule *module = run_program_parse(&check->program, NULL, &error);
  if (module)
    norn_module_verify(module, &error);
  g_autofree char *again = module && !error ? norn_module_print(module, &length) : NULL;
  if (!error && (length != expected_length || memcmp(again, text, length)))
    g_set_error(&error, NORN_ERROR, NORN_ERROR_INVALID, "another text");
  if (error)
    fail(check, g_strdup("norn opt -p dce FILE"), "parsed and printed", error);
  check->program.module = module;
  return check->result->verdict == FUZZ_AGREES;
}

static gboolean
interpret(Check *check) {
  GError *error = NULL;
  Program *program = &check->program;
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
    fail(check, g_strdup("norn run --engine interpreter -q FILE"), "interpreted", error);
  }
  return FALSE;
}

/* --- Passes --- */

static void
check_passes(Check *check, const char *list) {
  GError *error = NULL;
  Program program = check->program;
  Session session = {0};
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.contract = false;
  program.module = run_program_parse(&check->program, NULL, &error);
  program.step_limit = CODE_STEP_LIMIT;
  if (program.module && norn_run_passes(program.module, list, &options, NULL, &error) &&
      run_session_init(&program, check->spec, &session, &error) &&
      run_session_run(&program, ENGINE_INTERPRETER, &session, &error))
    run_compare_engines(check->spec, &session, &check->expected, &error);
  run_session_clear(&session);
  norn_module_free(program.module);
  if (!error)
    return;
  g_autofree char *what = g_strdup_printf("interpreted after %s", list);
  fail(check,
       g_strdup_printf(
           "norn opt -p %s FILE | norn run - --runs FILE --engine interpreter --races -q", list),
       what, error);
}

/* --- Code --- */

static void
check_code(Check *check, const NornCompileOptions *options) {
  GError *error = NULL;
  Program program = check->program;
  Session session = {0};
  program.engine = ENGINE_SIMULATOR;
  program.step_limit = CODE_STEP_LIMIT;
  program.code = program.varying_code = NULL;
  program.seed = options->seed;
  if (run_program_compile(&program, options, &error) &&
      run_session_init(&program, check->spec, &session, &error) &&
      run_session_run(&program, ENGINE_SIMULATOR, &session, &error))
    run_compare_engines(check->spec, &session, &check->expected, &error);
  check->result->runs++;
  run_session_clear(&session);
  run_program_clear_code(&program);
  if (!error)
    return;
  g_autofree char *what =
      g_strdup_printf("-O%u --arch=%s", options->optimization_level, options->architecture);
  NornCompileOptions shown = *options;
  shown.contract = true; /* as --engine both says anyway */
  g_autofree char *flags = tool_target_format(&shown);
  fail(check, g_strdup_printf("norn run -q --engine both --races%s FILE", flags), what, error);
}

/* How to compile at a level: for an architecture, with chaos half of the time. */
static NornCompileOptions
draw_options(guint64 *state, unsigned level) {
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.contract = false;
  options.optimization_level = level;
  options.architecture = architectures[fuzz_draw(state, G_N_ELEMENTS(architectures))];
  guint kind = (guint)fuzz_draw(state, 4);
  options.chaos = kind < 2    ? 0
                  : kind == 2 ? 1u << fuzz_draw(state, 5)
                              : 1 + (unsigned)fuzz_draw(state, 31);
  /* Without a seed messages complete at once, and warps and lanes go in their usual order. */
  options.seed = fuzz_draw(state, 2) ? 0 : 1 + fuzz_draw(state, 1000000);
  options.checks = NORN_CHECK_ALL;
  options.promote_constants = fuzz_draw(state, 8) == 0;
  options.promote_uniforms = fuzz_draw(state, 4) == 0;
  if (fuzz_draw(state, 16) == 0)
    options.pass_limit = (gint64)fuzz_draw(state, 20);
  return options;
}

/* --- All of it --- */

static void
check_everywhere(Check *check, FuzzStage stage, guint64 seed) {
  guint64 state = fuzz_state(seed, 1);
  if (stage == FUZZ_STAGE_IR) {
    for (guint i = 0; i < G_N_ELEMENTS(pass_lists) && check->result->verdict == FUZZ_AGREES; i++)
      check_passes(check, pass_lists[i]);
    return;
  }
  check_passes(check, pass_lists[fuzz_draw(&state, G_N_ELEMENTS(pass_lists))]);
  for (unsigned level = 0; level < 3 && check->result->verdict == FUZZ_AGREES; level++) {
    NornCompileOptions options = draw_options(&state, level);
    options.by_sample = check->spec->draw.by_sample;
    check_code(check, &options);
  }
}

void
fuzz_check(const FuzzForms *forms, FuzzStage stage, guint64 seed, FuzzResult *result) {
  *result = (FuzzResult){0};
  Check check = {.result = result};
  NornModule *module = fuzz_generate(forms, seed, &check.run);
  gsize length;
  char *text = norn_module_print(module, &length);
  norn_module_free(module);
  check.program.input = g_bytes_new_take(text, length);
  check.program.path = "module";
  if (check_text(&check) && interpret(&check))
    check_everywhere(&check, stage, seed);
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

/* Takes out the forms that the target refuses in modules of that float mode. What fails in another
 * way stays, to be found. */
static void
keep_compilable(GArray *forms, NornDenormals denormals, NornRound rounding) {
  NornCompileOptions options;
  guint kept = 0;
  norn_compile_options_init(&options);
  options.architecture = architectures[G_N_ELEMENTS(architectures) - 1];
  options.optimization_level = 0;
  options.verify = false;
  for (guint i = 0; i < forms->len; i++) {
    FuzzForm form = g_array_index(forms, FuzzForm, i);
    NornModule *module = fuzz_generate_form(&form, denormals, rounding, 0);
    GError *error = NULL;
    GBytes *code = norn_compile(module, &options, NULL, &error);
    norn_module_free(module);
    if (!g_error_matches(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED))
      g_array_index(forms, FuzzForm, kept++) = form;
    g_clear_pointer(&code, g_bytes_unref);
    g_clear_error(&error);
  }
  g_array_set_size(forms, kept);
}

void
fuzz_keep_compilable(FuzzForms *forms) {
  for (guint denormals = 0; denormals < NORN_DENORMALS_COUNT; denormals++)
    for (guint rounding = 0; rounding < NORN_ROUND_COUNT; rounding++)
      keep_compilable(forms->of[denormals][rounding], denormals, rounding);
}
