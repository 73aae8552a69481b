/* Trip counts of loops.
 *
 * The counter of a loop is executed. Starting with the constants that registers hold where the
 * loop is entered, the blocks that every iteration passes (those that dominate all jumps back
 * and are in no inner loop) are executed, iteration by iteration, until a branch that leaves the
 * loop is taken. What other blocks of the loop write is never known. A branch with an unknown
 * condition may leave earlier, so the count is an upper bound on the iterations. Only
 * instructions that determine branches out of the loop are executed. No count is found if it
 * takes too long. */
#include "report/trips.h"
#include "report/constants.h"
#include <string.h>

enum {
  MAX_STEPS = 2000000, /* of a program */
  MAX_LOOP_STEPS = 500000,
  MAX_OPEN_ITERATIONS = 4096 /* of a loop, while it is unknown for every branch whether it leaves */
};

typedef struct Counter {
  const NornReportLoops *loops;
  const NornReportProgram *program;
  const NornReportConstants *behind; /* constants at the end of each block */

  bool *is_passed;    /* by block: it is in the chain */
  GArray *chain;      /* uint32_t: the blocks that every iteration passes, last one first */
  bool is_exact;      /* the loop cannot be left in any other way */
  uint64_t clobbered; /* registers that other blocks write */
  uint64_t deciding;  /* registers that determine when the chain leaves the loop */
  uint32_t late;      /* where an iteration that the count does not end continues */
  uint32_t last;      /* the block whose branch ends the count */
  bool *is_open;      /* by block: its branch may leave earlier */
  uint64_t decisions; /* branches out of the loop whose direction was known */
  uint64_t steps;
} Counter;

static bool
is_inside(const Counter *counter, uint32_t loop, uint32_t block) {
  return block != NORN_NO_BLOCK && norn_report_loop_has(counter->loops, loop, block);
}

static bool
stays(const Counter *counter, uint32_t loop, uint32_t block) {
  return block == NORN_NO_BLOCK || is_inside(counter, loop, block);
}

/* Whether the block's branch may leave the loop. */
static bool
is_exit(const Counter *counter, uint32_t loop, uint32_t block) {
  const uint32_t *to = counter->program->blocks[block].successors;
  return !stays(counter, loop, to[0]) || !stays(counter, loop, to[1]);
}

/* The last block that all jumps back must pass. */
static uint32_t
last_of_iteration(const Counter *counter, uint32_t loop) {
  const NornReportLoops *loops = counter->loops;
  uint32_t last = NORN_NO_BLOCK, header = loops->headers[loop];
  for (uint32_t i = loops->first[loop]; i < loops->first[loop + 1]; i++) {
    uint32_t block = loops->blocks[i];
    const uint32_t *to = counter->program->blocks[block].successors;
    if (to[0] == header || to[1] == header)
      last = last == NORN_NO_BLOCK ? block
                                   : norn_report_common_dominator(counter->program, last, block);
  }
  return last;
}

static void
find_chain(Counter *counter, uint32_t loop) {
  const NornReportLoops *loops = counter->loops;
  uint32_t header = loops->headers[loop], block = last_of_iteration(counter, loop);
  g_array_set_size(counter->chain, 0);
  for (;; block = counter->program->blocks[block].dominator) {
    if (loops->innermost[block] == loop + 1) {
      g_array_append_val(counter->chain, block);
      counter->is_passed[block] = true;
    }
    if (block == header)
      break;
  }
  counter->clobbered = 0;
  counter->is_exact = true;
  for (uint32_t i = loops->first[loop]; i < loops->first[loop + 1]; i++) {
    const NornReportBlock *self = &counter->program->blocks[loops->blocks[i]];
    counter->steps += self->end - self->first;
    counter->is_exact &= !self->ends;
    if (counter->is_passed[loops->blocks[i]])
      continue;
    counter->is_exact &= !is_exit(counter, loop, loops->blocks[i]);
    for (uint32_t k = self->first; k < self->end; k++)
      counter->clobbered |= counter->program->instructions[k].writes;
  }
  for (guint i = 0; i < counter->chain->len; i++)
    counter->is_passed[g_array_index(counter->chain, uint32_t, i)] = false;
}

/* Finds the registers that branches out of the loop read, and those from which these are
 * computed. */
static void
find_deciding(Counter *counter, uint32_t loop) {
  const NornReportProgram *program = counter->program;
  uint64_t old;
  counter->deciding = 0;
  do {
    old = counter->deciding;
    for (guint i = 0; i < counter->chain->len; i++) {
      uint32_t block = g_array_index(counter->chain, uint32_t, i);
      const NornReportBlock *self = &program->blocks[block];
      if (is_exit(counter, loop, block))
        counter->deciding |= program->instructions[self->end - 1].reads;
      for (uint32_t k = self->end; k-- > self->first;)
        if (program->instructions[k].writes & counter->deciding)
          counter->deciding |= program->instructions[k].reads;
      counter->steps += self->end - self->first;
    }
  } while (counter->deciding != old);
}

/* The constants that are known where the loop is entered; none where the program begins. */
static bool
find_start(const Counter *counter, uint32_t loop, NornReportConstants *state) {
  uint32_t header = counter->loops->headers[loop];
  bool found = false;
  if (header == 0)
    return false;
  *state = (NornReportConstants){.known = 0};
  const NornReportLoops *loops = counter->loops;
  for (uint32_t k = loops->first_before[header]; k < loops->first_before[header + 1]; k++) {
    uint32_t from = loops->before[k];
    if (is_inside(counter, loop, from))
      continue;
    if (found)
      norn_report_constants_meet(state, &counter->behind[from]);
    else
      *state = counter->behind[from];
    found = true;
  }
  state->known &= counter->deciding & ~counter->clobbered;
  return true;
}

/* Whether the block is known to leave the loop. */
static bool
leaves(Counter *counter, uint32_t loop, uint32_t block, const NornReportConstants *state) {
  const NornReportBlock *self = &counter->program->blocks[block];
  const NornReportInstruction *last = &counter->program->instructions[self->end - 1];
  if (!is_exit(counter, loop, block))
    return false;
  int taken = last->target == NORN_NO_BLOCK ? 0
              : last->falls_through         ? norn_report_branches(counter->program, last, state)
                                            : 1;
  counter->is_exact &= taken >= 0;
  counter->is_open[block] |= taken < 0;
  counter->decisions += taken >= 0;
  if (taken < 0 || is_inside(counter, loop, self->successors[taken]))
    return false;
  uint32_t other = self->successors[!taken];
  if (is_inside(counter, loop, other) &&
      counter->loops->first_before[other + 1] - counter->loops->first_before[other] == 1)
    counter->late = other;
  counter->last = block;
  return true;
}

/* Executes one iteration; true if it leaves the loop. */
static bool
run_iteration(Counter *counter, uint32_t loop, NornReportConstants *state) {
  for (guint i = counter->chain->len; i-- > 0;) {
    uint32_t block = g_array_index(counter->chain, uint32_t, i);
    const NornReportBlock *self = &counter->program->blocks[block];
    for (uint32_t k = self->first; k < self->end; k++) {
      const NornReportInstruction *instruction = &counter->program->instructions[k];
      if ((instruction->writes & counter->deciding) ||
          norn_report_is_call(counter->program, instruction))
        norn_report_step(counter->program, instruction, state);
    }
    counter->steps += self->end - self->first;
    if (leaves(counter, loop, block, state))
      return true;
    state->known &= ~counter->clobbered; /* other blocks may run before the next one */
  }
  return false;
}

static uint64_t
count_jumps(Counter *counter, uint32_t loop) {
  NornReportConstants state;
  find_chain(counter, loop);
  find_deciding(counter, loop);
  if (!find_start(counter, loop, &state))
    return NORN_REPORT_UNKNOWN;
  uint64_t max_steps = MIN(counter->steps + MAX_LOOP_STEPS, MAX_STEPS);
  counter->decisions = 0;
  for (uint64_t jumps = 0; counter->steps < max_steps; jumps++) {
    NornReportConstants old = state;
    if (jumps == MAX_OPEN_ITERATIONS && !counter->decisions)
      break;
    if (run_iteration(counter, loop, &state))
      return jumps;
    /* An iteration that changes nothing would repeat forever. */
    if (old.known == state.known && !memcmp(old.value, state.value, sizeof old.value))
      break;
  }
  return NORN_REPORT_UNKNOWN;
}

uint64_t *
norn_report_count_jumps(const NornReportLoops *loops, NornReportIterations *iterations,
                        bool *is_exact) {
  const NornReportProgram *program = loops->program;
  uint64_t *jumps = g_new(uint64_t, loops->header_count + 1);
  memset(jumps, 0xFF, (loops->header_count + 1) * sizeof *jumps);
  memset(iterations->late, 0xFF, loops->header_count * sizeof *iterations->late);
  memset(iterations->last, 0xFF, loops->header_count * sizeof *iterations->last);
  memset(iterations->before, 0, loops->header_count * sizeof *iterations->before);
  if (!loops->header_count)
    return jumps;
  g_autofree NornReportConstants *behind = norn_report_propagate(program);
  if (!behind)
    return jumps;
  g_autofree bool *is_open = g_new0(bool, program->block_count);
  g_autofree bool *is_passed = g_new0(bool, program->block_count);
  g_autoptr(GArray) chain = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  Counter counter = {.loops = loops,
                     .program = program,
                     .behind = behind,
                     .is_passed = is_passed,
                     .is_open = is_open,
                     .chain = chain};
  for (uint32_t i = 0; i < loops->header_count; i++) {
    counter.late = counter.last = NORN_NO_BLOCK;
    jumps[i] = count_jumps(&counter, i);
    iterations->late[i] = counter.late;
    iterations->last[i] = counter.last;
    if (counter.last != NORN_NO_BLOCK && !counter.is_exact && !is_open[counter.last])
      iterations->before[i] = jumps[i];
    is_exact[i] = counter.is_exact && jumps[i] != NORN_REPORT_UNKNOWN;
  }
  return jumps;
}
