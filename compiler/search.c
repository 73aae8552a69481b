/* Searching for the fastest code.
 *
 * Each candidate is a way to compile, a row of the table below; it is compiled in full, from a copy
 * of the module, and what comes out is estimated by the timing model (report/estimate.h), from its
 * words alone. Kept is the candidate whose warp takes the fewest cycles, among those that neither
 * run fewer threads nor keep a unit busy longer than the first one, which is level 2's: so no
 * figure that counts is worse than there. Of equal ones the shorter is kept, then the earlier one.
 *
 * When the table is at its end, candidates are the one kept so far with other seeds. The order of
 * candidates is fixed and the effort is their number, so that the same module and options always
 * give the same code. */
#include "compiler/search.h"
#include "report/estimate.h"
#include <norn/module.h>

static const NornCandidate candidates[] = {
    {"level 2", {.level = 2}},
    {"level 3", {.level = 3}},
    {"short latencies", {.level = 3, .short_latency = 2}},
    {"more registers", {.level = 3, .short_latency = 5, .margin = 16}},
    {"all registers", {.level = 3, .short_latency = 2, .margin = 64}},
};

/* Seeds are no candidates of their own in what is told of them. */
static NornCandidate
candidate_at(unsigned index, const NornCandidate *kept) {
  if (index < G_N_ELEMENTS(candidates))
    return candidates[index];
  NornCandidate candidate = *kept;
  candidate.tuning.seed = index;
  return candidate;
}

/* Whether code that is estimated so is to be kept in the place of what was kept so far. */
static bool
is_better(const NornReportEstimate *self, const NornReportEstimate *kept,
          const NornReportEstimate *first) {
  if (self->threads < first->threads || self->busy > first->busy)
    return false;
  if (self->cycles != kept->cycles)
    return self->cycles < kept->cycles;
  return self->instructions < kept->instructions;
}

/* Compiles a copy and estimates the code; `work` is what was done before. */
static bool
try_candidate(NornCompiler *compiler, const NornModule *module, const NornCompileOptions *options,
              const NornCandidate *candidate, uint64_t *work, NornReportEstimate *estimate) {
  NornModule *copy = norn_module_copy(module);
  NornCompileInfo info;
  g_autoptr(GBytes) code =
      norn_compile_once(compiler, copy, options, &candidate->tuning, *work, &info, NULL);
  const NornMachine *machine = copy->machine;
  *work = info.work;
  norn_module_free(copy);
  gsize size;
  const void *data = code ? g_bytes_get_data(code, &size) : NULL;
  return code &&
         norn_report_estimate_code(machine->isa, machine->architecture, data, size, estimate, NULL);
}

static bool
may_continue(const NornLimits *limits, uint64_t work) {
  return !norn_is_cancelled(limits->cancel) && (!limits->work || work <= limits->work);
}

NornCandidate
norn_search(NornCompiler *compiler, const NornModule *module, const NornCompileOptions *options,
            unsigned *count, uint64_t *work) {
  NornCompileOptions quiet = *options;
  quiet.dump = NULL;
  quiet.spill_hook = NULL;
  quiet.pass_limit = -1;
  quiet.checks = 0;
  unsigned effort = options->effort ? options->effort : NORN_DEFAULT_EFFORT;
  NornCandidate kept = candidates[0];
  NornReportEstimate first = {0}, best = {0};
  *count = 1;
  for (unsigned i = 0; i < effort && effort > 1 && may_continue(&options->limits, *work); i++) {
    NornCandidate candidate = candidate_at(i, &kept);
    NornReportEstimate estimate;
    bool is_done = try_candidate(compiler, module, &quiet, &candidate, work, &estimate);
    if (!i && (!is_done || !estimate.cycles))
      break;
    *count = i + 1;
    if (!i)
      first = best = estimate;
    if (!is_done || !is_better(&estimate, &best, &first))
      continue;
    best = estimate;
    kept = candidate;
  }
  return kept;
}
