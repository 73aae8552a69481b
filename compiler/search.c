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

/* What a row changes in the way that was best so far. */
typedef enum {
  CHANGE_LEVEL,
  CHANGE_LATENCIES,
  CHANGE_MARGIN,
  CHANGE_SLOTS,
  CHANGE_KNOB4,
  CHANGE_HOIST,
} Change;

static const struct {
  const char *name;
  Change change;
  unsigned value;
} rows[] = {
    {"level 2", CHANGE_LEVEL, 2},
    {"level 3", CHANGE_LEVEL, 3},
    {"without hoist", CHANGE_HOIST, 0},
    {"slots 2", CHANGE_SLOTS, 2},
    {"slots 0", CHANGE_SLOTS, 0},
    {"margin", CHANGE_MARGIN, 16},
    {"rotate", CHANGE_KNOB4, 3},
    {"latency 16", CHANGE_LATENCIES, 16},
    {"latency 5", CHANGE_LATENCIES, 5},
    {"margin3", CHANGE_MARGIN, 3},
};

static NornCandidate
candidate_at(unsigned index, const NornCandidate *kept) {
  NornCandidate candidate = *kept;
  NornTuning *tuning = &candidate.tuning;
  if (index >= G_N_ELEMENTS(rows)) {
    tuning->seed = index;
    candidate.name = "other seeds";
    return candidate;
  }
  candidate.name = rows[index].name;
  unsigned value = rows[index].value;
  switch (rows[index].change) {
  case CHANGE_LEVEL:
    tuning->level = value;
    if (value == 3) {
    tuning->short_latency = 2;
    tuning->slots = 1;
    tuning->knob4 = 2;}
    break;
  case CHANGE_LATENCIES:
    tuning->short_latency = value;
    break;
  case CHANGE_MARGIN:
    tuning->margin = value;
    break;
  case CHANGE_SLOTS:
    tuning->slots = value;
    break;
  case CHANGE_KNOB4:
    tuning->knob4 = value;
    break;
  case CHANGE_HOIST:
    tuning->skip_passes = "hoist";
    break;
  }
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
  NornCandidate kept = candidate_at(0, &(NornCandidate){0});
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
