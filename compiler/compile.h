/* The internal entry point: compiles with the memory of a compiler. */
#ifndef NORN_COMPILER_COMPILE_H
#define NORN_COMPILER_COMPILE_H

#include "ir/arena.h"
#include "passes/pass.h"
#include <norn/compile.h>

struct NornCompiler {
  NornArena arena, analyses; /* of the pass context; empty between compilations */
};

/* Like norn_compile, with the memory of a compiler, or with its own if `compiler` is NULL. */
GBytes *norn_compile_with(NornCompiler *compiler, NornModule *module,
                          const NornCompileOptions *options, NornCompileInfo *info, GError **error);

/* The same with a single tuning, regardless of the level; `work` is the work done before, which
 * also counts against the limits. */
GBytes *norn_compile_once(NornCompiler *compiler, NornModule *module,
                          const NornCompileOptions *options, const NornTuning *tuning,
                          uint64_t work, NornCompileInfo *info, GError **error);

#endif
