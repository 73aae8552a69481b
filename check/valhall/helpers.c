/* Helper invocations: the flow discard ends them, so nothing after it may need them.
 *
 * The state is one bit: helpers may have been ended on some path. */
#include "check/valhall/valhall.h"

/* Visits a block; returns whether helpers may have been ended after it. */
static bool
run_block(const NornCode *code, uint32_t block, bool ended, uint32_t *bad) {
  for (uint32_t i = code->blocks[block].first; i < code->blocks[block].end; i++) {
    const NornWordInst *inst = &code->insts[i];
    if (ended && norn_code_reads_neighbors(inst->encoding, inst->word))
      *bad = MIN(*bad, i);
    ended |= code->insts[i].discards;
  }
  return ended;
}

bool
norn_check_helpers(const NornCode *code, GError **error) {
  bool *ended = g_new0(bool, code->block_count);
  uint32_t bad = NORN_CODE_NONE;
  for (bool changed = code->input->stage == NORN_STAGE_FRAGMENT; changed;) {
    changed = false;
    for (uint32_t b = 0; b < code->block_count; b++) {
      bool after = run_block(code, b, ended[b], &bad);
      for (unsigned k = 0; k < code->blocks[b].successor_count; k++) {
        bool *next = &ended[code->blocks[b].successors[k]];
        changed |= after && !*next;
        *next |= after;
      }
    }
  }
  g_free(ended);
  return bad == NORN_CODE_NONE ||
         norn_code_error(code, bad, error, "needs helper invocations, which may have ended before");
}
