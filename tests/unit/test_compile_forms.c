/* Everything that the verifier accepts can be compiled: every form of every operation by itself,
 * for all architectures and levels. Otherwise the compiler refuses an operation by name, with
 * its location, before any pass has run. The result is verified after each pass and must always
 * be valid. Values are tested by test_compile_rows and by `norn fuzz`. */
#include "fuzz/fuzz.h"
#include "ir/ops.h"
#include "unit.h"
#include <norn/norn.h>
#include <stdio.h>
#include <string.h>

/* One in this many forms is compiled at level 3, in as many ways. */
enum { SEARCHED = 8, EFFORT = 3 };

static const NornIsa *
isa(void) {
  return norn_isa_find(NORN_DEFAULT_TARGET);
}

typedef struct Sweep {
  GString *failures;
  unsigned failed, compiled, refused;
} Sweep;

/* Whether the error names the operation and its location: "form:LINE:COLUMN: valhall does not
 * support 'NAME'", or says why it cannot be in one of a vertex shader's programs. */
static bool
is_refusal(const GError *error) {
  unsigned line, column;
  int length = 0;
  if (error->code != NORN_ERROR_UNSUPPORTED ||
      sscanf(error->message, "form:%u:%u: %n", &line, &column, &length) != 2 || !length)
    return false;
  const char *rest = error->message + length;
  return g_str_has_prefix(rest, "valhall does not support '") ||
         strstr(rest, "' cannot be left out of the program for varyings");
}

static void
note_failure(Sweep *sweep, const NornCompileOptions *options, const char *text,
             const char *message) {
  if (sweep->failed++ < 2000)
    g_string_append_printf(sweep->failures, "-O%u --arch=%s: %s\n%s", options->optimization_level,
                           options->architecture, message,
                           g_getenv("NORN_TEST_VERBOSE") ? text : "");
}

static void
compile(Sweep *sweep, const char *text, const NornCompileOptions *options) {
  GError *error = NULL;
  NornCompileInfo info;
  NornModule *module = norn_module_parse(text, strlen(text), "form", &error);
  ck_assert_msg(module != NULL, "%s\n%s", error ? error->message : "", text);
  GBytes *code = norn_compile(module, options, &info, &error);
  sweep->compiled += code != NULL;
  if (code) {
    g_bytes_unref(code);
  } else {
    sweep->refused++;
    if (!is_refusal(error) || info.passes_run)
      note_failure(sweep, options, text, error->message);
    g_error_free(error);
  }
  norn_module_free(module);
}

/* Compiles for the architecture and level; both programs if a vertex needs two. */
static void
compile_parts(Sweep *sweep, const char *text, unsigned architecture, unsigned level) {
  NornCompileOptions options;
  norn_compile_options_init(&options);
  options.architecture = norn_isa_architecture_name(isa(), architecture);
  options.optimization_level = level;
  options.effort = EFFORT;
  NornModule *module = norn_module_parse(text, strlen(text), "form", NULL);
  bool splits = module && norn_compile_splits_vertices(module, &options);
  norn_module_free(module);
  options.vertex_part = splits ? NORN_VERTEX_POSITION : NORN_VERTEX_WHOLE;
  compile(sweep, text, &options);
  options.vertex_part = NORN_VERTEX_VARYINGS;
  if (splits)
    compile(sweep, text, &options);
}

static void
sweep_start(Sweep *sweep) {
  *sweep = (Sweep){.failures = g_string_new(NULL)};
}

static void
sweep_finish(Sweep *sweep) {
  if (sweep->failed)
    fprintf(stderr, "%s%u failures\n", sweep->failures->str, sweep->failed);
  if (g_getenv("NORN_TEST_VERBOSE"))
    fprintf(stderr, "%u programs, %u refused\n", sweep->compiled, sweep->refused);
  g_string_free(sweep->failures, TRUE);
  ck_assert_uint_eq(sweep->failed, 0);
}

/* Tries one in this many forms, different ones for each architecture. */
static unsigned
stride(void) {
  return g_getenv("NORN_TEST_QUICK") ? 211 : NORN_TEST_STRIDE;
}

/* Every form on every architecture, on one level for each. */
START_TEST(single) {
  GArray *forms = fuzz_forms();
  const char *text_of = g_getenv("NORN_TEST_ROW");
  unsigned architectures = norn_isa_architecture_count(isa());
  Sweep sweep;
  sweep_start(&sweep);
  for (unsigned i = (unsigned)_i % stride(); i < forms->len; i += stride()) {
    const FuzzForm *form = &g_array_index(forms, FuzzForm, i);
    if (text_of && strcmp(norn_ops[form->op].name, text_of))
      continue;
    NornModule *module = fuzz_generate_form(form, i % NORN_DENORMALS_COUNT,
                                            i % 2 ? NORN_ROUND_RTE : i / 2 % NORN_ROUND_COUNT,
                                            architectures * i + (unsigned)_i);
    char *text = norn_module_print(module, NULL);
    unsigned last = (i + (unsigned)_i) % SEARCHED ? 2 : 3;
    for (unsigned level = 0; level <= last; level++)
      compile_parts(&sweep, text, (unsigned)_i, level);
    g_free(text);
    norn_module_free(module);
  }
  g_array_unref(forms);
  sweep_finish(&sweep);
}
END_TEST

Suite *
norn_test_suite(void) {
  Suite *suite = suite_create("compile_forms");
  TCase *tcase = tcase_create("forms");
  tcase_set_timeout(tcase, 600);
  tcase_add_loop_test(tcase, single, 0, (int)norn_isa_architecture_count(isa()));
  suite_add_tcase(suite, tcase);
  return suite;
}
