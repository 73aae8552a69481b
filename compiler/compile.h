/* The entry point from inside: a compilation that takes memory from a compiler. */
#ifndef NORN_COMPILER_COMPILE_H
#define NORN_COMPILER_COMPILE_H

#include "ir/arena.h"
#include "passes/pass.h"
#include <norn/compile.h>

struct NornCompiler {
  NornArena arena, analyses; /* of the pass context; empty between compilations */
};

/* As norn_compile, with the memory of a compiler, or its own for NULL. */
GBytes *norn_compile_with(NornCompiler *compiler, NornModule *module,
                          const NornCompileOptions *options, NornCompileInfo *info, GError **error);

/* The same in one way, whatever the level; `work` is what was done before and counts against the
 * limits, too. */
GBytes *norn_compile_once(NornCompiler *compiler, NornModule *module,
                          const NornCompileOptions *options, const NornTuning *tuning,
                          uint64_t work, NornCompileInfo *info, GError **error);

#endif
