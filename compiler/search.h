/* Level 3: compiles a module in several ways to find the fastest. */
#ifndef NORN_COMPILER_SEARCH_H
#define NORN_COMPILER_SEARCH_H

#include "compiler/compile.h"
#include "passes/pass.h"
#include "report/estimate.h"

/* The optimization level that searches. */
#define NORN_SEARCH_LEVEL 3

/* A way to compile. */
typedef struct NornCandidate {
  const char *name; /* a constant string that describes the last change */
  NornTuning tuning;
} NornCandidate;

/* Candidate `index`: a change to the best tuning so far. */
NornCandidate norn_search_candidate(unsigned index, const NornTuning *kept);

/* Whether code with this estimate is better than the code kept so far; `first` is the estimate of
 * level 2, which must not be exceeded. */
bool norn_search_prefers(const NornReportEstimate *self, const NornReportEstimate *kept,
                         const NornReportEstimate *first);

/* Compiles copies of the module in several ways. Returns the best candidate; the first one, level
 * 2, if that fails; or, if the options ask for checks, one whose module a pass breaks, so that
 * compiling it reports the error. Sets the number of candidates and adds the work that was done. */
NornCandidate norn_search(NornCompiler *compiler, const NornModule *module,
                          const NornCompileOptions *options, unsigned *count, uint64_t *work);

#endif
