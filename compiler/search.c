/* Searches for the fastest code.
 *
 * The first candidate is level 2. Each later candidate is a row of the table below: changes to the
 * best tuning so far. Changes that pay off thus add up, without trying all combinations. After the
 * end of the table, the best tuning is tried with other seeds. A candidate is compiled in full from
 * a copy of the module, and the timing model (report/estimate.h) estimates the resulting words. It
 * is kept if its warp takes fewer cycles, or as many with fewer instructions, and if the number of
 * threads is not lower than with level 2 and no unit is busy for longer: none of these figures ever
 * gets worse than with level 2.
 *
 * A candidate that fails to compile is skipped. But if the code is to be checked, a candidate whose
 * module a pass breaks is returned, so that compiling it reports the fault.
 *
 * The order of the candidates is fixed and the effort is their number, so the same module and
 * options always give the same code. */
#include "compiler/search.h"
#include "report/estimate.h"
#include <norn/module.h>

/* The changes of each candidate to the best tuning so far: all fields that are not 0. What level 2
 * has no passes for is off until a candidate tries it. */
static const NornCandidate candidates[] = {
    {"level 2", {.level = 2, .unroll_factor = 1, .peeled_cost = 1}},
    {"level 3", {.level = 3, .short_latency = 2, .counts_units = true, .slots_apart = true}},
    {"registers in rotation", {.registers_in_turn = true}},
    {"long latencies first", {.short_latency = 16}},
    {"more unrolling", {.unrolled_cost = 1024}},
    {"partial unrolling by 4", {.level = 3, .unroll_factor = 4}},
    {"partial unrolling by 2", {.level = 3, .unroll_factor = 2}},
    {"peeling", {.level = 3, .peeled_cost = 256}},
    {"more if-conversion", {.if_convert_cost = 64}},
    {"few free registers", {.register_margin = 32}},
    {"no hoisting", {.skip_passes = "hoist"}},
    {"medium latencies first", {.short_latency = 5}},
    {"many free registers", {.register_margin = 3}},
};

static NornTuning
change(NornTuning tuning, const NornTuning *by) {
  tuning.level = norn_tuned(by->level, tuning.level);
  tuning.short_latency = norn_tuned(by->short_latency, tuning.short_latency);
  tuning.register_margin = norn_tuned(by->register_margin, tuning.register_margin);
  tuning.if_convert_cost = norn_tuned(by->if_convert_cost, tuning.if_convert_cost);
  tuning.unrolled_cost = norn_tuned(by->unrolled_cost, tuning.unrolled_cost);
  tuning.unroll_factor = norn_tuned(by->unroll_factor, tuning.unroll_factor);
  tuning.peeled_cost = norn_tuned(by->peeled_cost, tuning.peeled_cost);
  tuning.counts_units |= by->counts_units;
  tuning.slots_apart |= by->slots_apart;
  tuning.registers_in_turn |= by->registers_in_turn;
  tuning.seed = by->seed ? by->seed : tuning.seed;
  tuning.skip_passes = by->skip_passes ? by->skip_passes : tuning.skip_passes;
  return tuning;
}

NornCandidate
norn_search_candidate(unsigned index, const NornTuning *kept) {
  NornCandidate candidate = {"another seed", {.seed = index}};
  if (index < G_N_ELEMENTS(candidates))
    candidate = candidates[index];
  candidate.tuning = change(*kept, &candidate.tuning);
  return candidate;
}

bool
norn_search_prefers(const NornReportEstimate *self, const NornReportEstimate *kept,
                    const NornReportEstimate *first) {
  if (self->threads < first->threads || self->busy > first->busy)
    return false;
  if (self->cycles != kept->cycles)
    return self->cycles < kept->cycles;
  return self->instructions < kept->instructions;
}

/* Compiles a copy and estimates the code; `work` is the work done before and is updated. */
static bool
try_candidate(NornCompiler *compiler, const NornModule *module, const NornCompileOptions *options,
              const NornCandidate *candidate, uint64_t *work, NornReportEstimate *estimate,
              GError **error) {
  NornModule *copy = norn_module_copy(module);
  NornCompileInfo info;
  g_autoptr(GBytes) code =
      norn_compile_once(compiler, copy, options, &candidate->tuning, *work, &info, error);
  const NornMachine *machine = copy->machine;
  *work = info.work;
  norn_module_free(copy);
  gsize size;
  const void *data = code ? g_bytes_get_data(code, &size) : NULL;
  if (code && info.data_size) /* data follows the code */
    size = (gsize)info.instructions * sizeof(uint64_t);
  return code && norn_report_estimate_code(
                     &(NornMachineCode){machine->isa, machine->architecture, data, size, &info},
                     estimate, error);
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
    NornCandidate candidate = norn_search_candidate(i, &kept.tuning);
    NornReportEstimate estimate;
    g_autoptr(GError) error = NULL;
    bool is_done = try_candidate(compiler, module, &quiet, &candidate, work, &estimate, &error);
    if (options->checks && g_error_matches(error, NORN_ERROR, NORN_ERROR_INVALID)) {
      *count = i + 1;
      return candidate;
    }
    if (!i && (!is_done || !estimate.cycles))
      break;
    *count = i + 1;
    if (!i)
      first = best = estimate;
    if (!is_done || !norn_search_prefers(&estimate, &best, &first))
      continue;
    best = estimate;
    kept = candidate;
  }
  return kept;
}
