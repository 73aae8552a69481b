/* Helper invocations: the flow discard ends them, so nothing after it may need them.
 *
 * The results that depend on neighbors are those of exchanges between lanes and of textures
 * whose level of detail is computed from neighboring coordinates. The state is one bit: helpers
 * may have been ended on some path. */
#include "check/valhall/valhall.h"
#include <norn/valhall.h>

static bool
needs_helpers(const NornWordInst *inst) {
  uint32_t flags = inst->encoding->flags;
  if (flags & NORN_VALHALL_FLAG_BARRIER)
    return false;
  if (flags & NORN_VALHALL_FLAG_CROSSLANE)
    return true;
  return norn_code_samples_neighbors(inst->encoding, inst->instruction, inst->word);
}

/* Visits a block; returns whether helpers may have been ended after it. */
static bool
run_block(const NornCode *code, uint32_t block, bool ended, uint32_t *bad) {
  for (uint32_t i = code->blocks[block].first; i < code->blocks[block].end; i++) {
    if (ended && needs_helpers(&code->insts[i]))
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
