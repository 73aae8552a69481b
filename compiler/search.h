/* Level 3: compiling a module in several ways to find the fastest. */
#ifndef NORN_COMPILER_SEARCH_H
#define NORN_COMPILER_SEARCH_H

#include "compiler/compile.h"
#include "passes/pass.h"
#include "report/estimate.h"

/* The optimization level that searches. */
#define NORN_SEARCH_LEVEL 3

/* A way to compile. */
typedef struct NornCandidate {
  const char *name; /* a constant string: what changed last */
  NornTuning tuning;
} NornCandidate;

/* Whether code that is estimated so is to be kept in the place of what was kept so far; `first` is
 * that of level 2, of which nothing gets worse. */
bool norn_search_prefers(const NornReportEstimate *self, const NornReportEstimate *kept,
                         const NornReportEstimate *first);

/* Compiles copies of the module in several ways. Returns the one to compile it in, the first one,
 * which is that of level 2, if that fails, or one that a pass breaks if the options ask for checks:
 * whoever compiles the module then finds the error.
 * Adds the number of candidates and the work that was done. */
NornCandidate norn_search(NornCompiler *compiler, const NornModule *module,
                          const NornCompileOptions *options, unsigned *count, uint64_t *work);

#endif
