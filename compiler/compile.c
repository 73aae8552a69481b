/* The entry point: takes options and a module, returns code and what a driver must know about
 * it. */
#include "compiler/compile.h"
#include "compiler/options.h"
#include "compiler/search.h"
#include "compiler/version.h"

const char *
norn_version(void) {
  return NORN_LIBRARY_VERSION;
}

GBytes *
norn_compile(NornModule *module, const NornCompileOptions *options, NornCompileInfo *info,
             GError **error) {
  return norn_compile_with(NULL, module, options, info, error);
}

GBytes *
norn_compile_with(NornCompiler *compiler, NornModule *module, const NornCompileOptions *options,
                  NornCompileInfo *info, GError **error) {
  NornCompileOptions defaults;
  NornCompileInfo own_info;
  options = norn_options_or_defaults(options, &defaults);
  info = info ? info : &own_info;
  NornCandidate candidate = {0};
  unsigned candidates = 0;
  uint64_t work = 0;
  if (options->optimization_level == NORN_SEARCH_LEVEL)
    candidate = norn_search(compiler, module, options, &candidates, &work);
  GBytes *code = norn_compile_once(compiler, module, options, &candidate.tuning, work, info, error);
  info->candidates = candidates;
  info->candidate = candidate.name;
  return code;
}
