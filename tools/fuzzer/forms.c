/* Finds the forms of operations that the target compiles: those that it refuses are removed.
 * Forms that fail in another way are kept, to be found later; so are those that end the process,
 * since a child process tries them. */
#include "fuzzer/fuzzer.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The result of trying a form. */
enum { UNTRIED, KEPT, REFUSED };

/* All forms, ordered by float mode, with a result for each. */
typedef struct Trials {
  const FuzzForms *forms;
  guint8 *answers; /* shared with the children */
  gsize count;
} Trials;

static bool
is_refused(const FuzzForm *form, NornDenormals denormals, NornRound rounding) {
  NornCompileOptions options;
  norn_compile_options_init(&options);
  const NornIsa *isa = norn_isa_find(NORN_DEFAULT_TARGET);
  options.architecture = norn_isa_architecture_name(isa, norn_isa_architecture_count(isa) - 1);
  options.optimization_level = 0;
  options.verify = false;
  NornModule *module = fuzz_generate_form(form, denormals, rounding, 0);
  GError *error = NULL;
  GBytes *code = norn_compile(module, &options, NULL, &error);
  norn_module_free(module);
  bool refused = g_error_matches(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED);
  g_clear_pointer(&code, g_bytes_unref);
  g_clear_error(&error);
  return refused;
}

/* Tries all forms without a result, in order. */
static void
try_forms(const Trials *trials) {
  guint8 *answer = trials->answers;
  for (guint denormals = 0; denormals < NORN_DENORMALS_COUNT; denormals++)
    for (guint rounding = 0; rounding < NORN_ROUND_COUNT; rounding++) {
      const GArray *list = trials->forms->of[denormals][rounding];
      for (guint i = 0; i < list->len; i++, answer++)
        if (*answer == UNTRIED)
          *answer =
              is_refused(&g_array_index(list, FuzzForm, i), denormals, rounding) ? REFUSED : KEPT;
    }
}

/* Tries them in a child process; a form that ends it is kept, and another child continues after
 * it. */
static void
try_in_children(const Trials *trials) {
  for (gsize next = 0; next < trials->count;) {
    pid_t child = fork();
    if (child < 0)
      return;
    if (child == 0) {
      try_forms(trials);
      _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
      continue;
    while (next < trials->count && trials->answers[next] != UNTRIED)
      next++;
    if (next < trials->count)
      trials->answers[next] = KEPT;
  }
}

void
fuzz_keep_compilable(FuzzForms *forms) {
  Trials trials = {.forms = forms};
  for (guint mode = 0; mode < NORN_DENORMALS_COUNT * NORN_ROUND_COUNT; mode++)
    trials.count += forms->of[mode / NORN_ROUND_COUNT][mode % NORN_ROUND_COUNT]->len;
  if (!trials.count)
    return;
  trials.answers =
      mmap(NULL, trials.count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (trials.answers == MAP_FAILED)
    return;
  try_in_children(&trials);
  const guint8 *answer = trials.answers;
  for (guint mode = 0; mode < NORN_DENORMALS_COUNT * NORN_ROUND_COUNT; mode++) {
    GArray *list = forms->of[mode / NORN_ROUND_COUNT][mode % NORN_ROUND_COUNT];
    guint kept = 0;
    for (guint i = 0; i < list->len; i++)
      if (*answer++ != REFUSED)
        g_array_index(list, FuzzForm, kept++) = g_array_index(list, FuzzForm, i);
    g_array_set_size(list, kept);
  }
  munmap(trials.answers, trials.count);
}
