/* One figure for the execution time of a program, computed only from its words.
 *
 * A warp that has the core to itself executes the text from top to bottom, including both paths
 * of each branch, as diverging lanes do. A loop is walked twice: the second walk represents all
 * iterations except the first, so it includes waits of one iteration for the previous one. If
 * the header leaves the loop, it is walked once more. The number of iterations is determined by
 * the loop's counter if possible; otherwise it is what the compiler
 * expects (NornExpectedLoop) or NORN_ASSUMED_ITERATIONS. A loop is assumed to be the text from its
 * header to its last block. Loops that are nested too deep for two walks
 * each are walked once. */
#include "report/estimate.h"
#include "report/loop_counts.h"
#include "report/timing.h"

enum { MAX_STEPS = 1 << 16 }; /* of a walk, in addition to those of the text */

typedef struct ProgramWalk {
  const NornReportProgram *program;
  const NornReportCounts *counts;
  uint32_t *loop_at;  /* by block: the loop of which it is the header, + 1 */
  uint32_t *end;      /* by loop: the block after its last one */
  double *iterations; /* by loop */
  GArray *steps;      /* NornReportStep */
} ProgramWalk;

/* What the compiler says of a loop that is not counted, or NULL. */
static const NornExpectedLoop *
expected_loop(const NornReportCounts *counts, uint32_t loop) {
  const NornReportProgram *program = counts->loops.program;
  uint32_t first = program->blocks[counts->loops.headers[loop]].first;
  for (unsigned k = 0; program->info && k < program->info->expected_count; k++)
    if (program->info->expected[k].first == first && !counts->is_counted[loop])
      return &program->info->expected[k];
  return NULL;
}

static double
iterations_of(const NornReportCounts *counts, uint32_t loop) {
  const NornExpectedLoop *expected = expected_loop(counts, loop);
  if (expected)
    return expected->iterations;
  return (double)counts->iterations.jumps[loop] +
         !norn_report_leaves_at_header(&counts->loops, loop);
}

static void
walk_block(ProgramWalk *walk, uint32_t block, double weight) {
  const NornReportBlock *self = &walk->program->blocks[block];
  for (uint32_t i = self->first; i < self->end; i++) {
    NornReportStep step = {i, weight};
    if (walk->program->instructions[i].encoding)
      g_array_append_val(walk->steps, step);
  }
}

/* Walks the blocks, which are all in the loop `around` - 1 unless `around` is 0. */
static void
walk_blocks(ProgramWalk *walk, uint32_t first, uint32_t end, double weight, uint32_t around) {
  for (uint32_t block = first; block < end; block++) {
    uint32_t loop = walk->loop_at[block];
    if (!loop || loop == around || walk->end[loop - 1] > end) {
      walk_block(walk, block, weight);
      continue;
    }
    uint32_t behind = walk->end[loop - 1];
    double iterations = walk->iterations[loop - 1];
    bool is_short = walk->steps->len < MAX_STEPS;
    if (iterations)
      walk_blocks(walk, block, behind, is_short ? weight : weight * iterations, loop);
    if (is_short && iterations > 1)
      walk_blocks(walk, block, behind, weight * (iterations - 1), loop);
    if (norn_report_leaves_at_header(&walk->counts->loops, loop - 1))
      walk_block(walk, block, weight);
    block = behind - 1;
  }
}

/* The steps of a warp, to be unreferenced. */
static GArray *
walk_program(const NornReportProgram *program) {
  NornReportCounts counts;
  norn_report_counts_init(&counts, program, NORN_ASSUMED_ITERATIONS);
  const NornReportLoops *loops = &counts.loops;
  g_autofree uint32_t *loop_at = g_new0(uint32_t, program->block_count + 1);
  g_autofree uint32_t *end = g_new0(uint32_t, loops->header_count + 1);
  g_autofree double *iterations = g_new0(double, loops->header_count + 1);
  for (uint32_t i = 0; i < loops->header_count; i++) {
    loop_at[loops->headers[i]] = i + 1;
    iterations[i] = iterations_of(&counts, i);
    for (uint32_t k = loops->first[i]; k < loops->first[i + 1]; k++)
      end[i] = MAX(end[i], loops->blocks[k] + 1);
  }
  ProgramWalk walk = {.program = program,
                      .counts = &counts,
                      .loop_at = loop_at,
                      .end = end,
                      .iterations = iterations,
                      .steps = g_array_new(FALSE, FALSE, sizeof(NornReportStep))};
  walk_blocks(&walk, 0, program->block_count, 1, 0);
  norn_report_counts_clear(&counts);
  return walk.steps;
}

NornReportEstimate
norn_report_estimate(const NornReportProgram *program) {
  NornReportEstimate estimate = {.threads = 1};
  uint64_t registers = 0;
  for (uint32_t i = 0; i < program->instruction_count; i++) {
    const NornReportInstruction *self = &program->instructions[i];
    estimate.instructions += self->encoding != NULL;
    registers |= self->reads | self->writes;
  }
  if (!program->machine)
    return estimate;
  estimate.threads = registers & ~program->machine->half_file ? 1 : 2;
  g_autoptr(GArray) steps = walk_program(program);
  estimate.cycles = norn_report_time_steps(program, (const NornReportStep *)(void *)steps->data,
                                           steps->len, &estimate.busy);
  return estimate;
}

bool
norn_report_estimate_code(const NornMachineCode *code, NornReportEstimate *estimate,
                          GError **error) {
  NornReportProgram program;
  if (!norn_report_program_init(&program, code, error))
    return false;
  *estimate = norn_report_estimate(&program);
  norn_report_program_clear(&program);
  return true;
}
