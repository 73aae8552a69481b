/* Constant propagation over registers.
 *
 * A block starts with what all its predecessors agree on; predecessors that have not been
 * reached yet count as agreeing. The set of known registers only shrinks, so the iteration over
 * the blocks terminates. If it takes too many rounds, nothing is known. */
#include "report/constants.h"
#include <string.h>

enum { MAX_ROUNDS = 64 };

bool
norn_report_is_call(const NornReportProgram *program, const NornReportInstruction *self) {
  return self->encoding && (self->encoding->flags & program->isa->branch_flag) &&
         self->target == NORN_NO_BLOCK;
}

void
norn_report_step(const NornReportProgram *program, const NornReportInstruction *self,
                 NornReportConstants *state) {
  uint32_t result[2] = {0};
  if (norn_report_is_call(program, self))
    state->known = 0;
  if (!self->writes)
    return;
  bool is_known = __builtin_popcountll(self->writes) <= 2 && program->machine->compute &&
                  program->machine->compute(program, self, state, result);
  state->known &= ~self->writes;
  if (!is_known)
    return;
  state->known |= self->writes;
  unsigned count = 0;
  for (uint64_t left = self->writes; left; left &= left - 1)
    state->value[__builtin_ctzll(left)] = result[count++];
}

int
norn_report_branches(const NornReportProgram *program, const NornReportInstruction *self,
                     const NornReportConstants *state) {
  return program->machine->branches ? program->machine->branches(program, self, state) : -1;
}

bool
norn_report_constants_meet(NornReportConstants *state, const NornReportConstants *other) {
  uint64_t old = state->known, both = old & other->known;
  state->known = both;
  for (uint64_t left = both; left; left &= left - 1) {
    unsigned reg = (unsigned)__builtin_ctzll(left);
    if (state->value[reg] != other->value[reg])
      state->known &= ~(UINT64_C(1) << reg);
  }
  return state->known != old;
}

static void
walk_block(const NornReportProgram *program, const NornReportBlock *block,
           NornReportConstants *state) {
  for (uint32_t i = block->first; i < block->end; i++)
    norn_report_step(program, &program->instructions[i], state);
}

/* One round over all blocks; returns whether anything changed. */
static bool
propagate_once(const NornReportProgram *program, NornReportConstants *before,
               NornReportConstants *behind, bool *is_reached) {
  bool changed = false;
  for (uint32_t k = 0; k < program->order_count; k++) {
    uint32_t from = program->order[k];
    behind[from] = before[from];
    walk_block(program, &program->blocks[from], &behind[from]);
    for (unsigned s = 0; s < 2; s++) {
      uint32_t to = program->blocks[from].successors[s];
      if (to == NORN_NO_BLOCK)
        continue;
      if (is_reached[to]) {
        changed |= norn_report_constants_meet(&before[to], &behind[from]);
      } else {
        before[to] = behind[from];
        changed = is_reached[to] = true;
      }
    }
  }
  return changed;
}

NornReportConstants *
norn_report_propagate(const NornReportProgram *program) {
  if (!program->machine || !program->block_count)
    return NULL;
  g_autofree NornReportConstants *before = g_try_new0(NornReportConstants, program->block_count);
  NornReportConstants *behind = g_try_new0(NornReportConstants, program->block_count);
  g_autofree bool *is_reached = g_new0(bool, program->block_count);
  is_reached[0] = true; /* with nothing known */
  unsigned rounds = 0;
  while (before && behind && rounds < MAX_ROUNDS &&
         propagate_once(program, before, behind, is_reached))
    rounds++;
  if (before && behind && rounds < MAX_ROUNDS)
    return behind;
  g_free(behind);
  return NULL;
}
