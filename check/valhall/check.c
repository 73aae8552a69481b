/* Runs the requested checkers of Valhall code. */
#include "check/valhall/valhall.h"

static const struct {
  unsigned check;
  const char *name;
  bool (*run)(const NornCode *code, GError **error);
} checkers[] = {
#define CHECKER(id, name, ...) {NORN_CHECK_##id, name, norn_run_##id},
#define norn_run_WAITS norn_check_waits_of_code
#define norn_run_LAST_USES norn_check_last_uses
#define norn_run_HELPERS norn_check_helpers
#define norn_run_RECONVERGENCE norn_check_reconvergence
#define norn_run_REPORTED norn_check_reported
#define norn_run_TRANSLATION norn_check_translation
#include "check/checkers.def"
#undef CHECKER
};

bool
norn_valhall_check(const NornCheckInput *input, GError **error) {
  NornCode code;
  bool ok = norn_code_init(&code, input, error);
  if (!ok)
    g_prefix_error(error, "code: ");
  for (unsigned i = 0; i < G_N_ELEMENTS(checkers) && ok; i++)
    if (input->checks & checkers[i].check) {
      ok = checkers[i].run(&code, error);
      if (!ok)
        g_prefix_error(error, "%s: ", checkers[i].name);
    }
  norn_code_clear(&code);
  return ok;
}
