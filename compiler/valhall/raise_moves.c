/* Raise moves: hoists moves that allocation put between ATEST and BLEND above ATEST.
 *
 * ATEST writes the coverage that BLEND reads, and BLEND requires that nothing is in flight. A move
 * between them has to carry the wait for BLEND, and then ATEST needs another wait for other
 * messages; without the move, one wait is enough. */
#include "compiler/valhall/code.h"
#include "compiler/valhall/valhall.h"
#include "ir/builder.h"
#include "passes/machine_code.h"
#include "passes/pass.h"

/* Whether two instructions may be swapped. */
static bool
may_pass(const NornFunction *function, const NornInst *first, const NornInst *second) {
  NornRegisterSet written = norn_registers_written(function, first);
  NornRegisterSet read = norn_registers_read(function, first);
  NornRegisterSet changed = norn_registers_written(function, second);
  return !norn_regs_overlap(changed, norn_regs_union(written, read)) &&
         !norn_regs_overlap(norn_registers_read(function, second), written);
}

static bool
raise_behind(const NornTarget *target, NornFunction *function, uint32_t test) {
  bool changed = false;
  for (uint32_t index = norn_inst(function, test)->next, next; index != NORN_INDEX_NONE;
       index = next) {
    const NornInst *inst = norn_inst(function, index);
    NornRef source;
    uint32_t constant;
    next = inst->next;
    if (!norn_is_machine(inst) ||
        !norn_valhall_is_move(target, function, inst, &source, &constant) ||
        !may_pass(function, norn_inst(function, test), inst))
      break;
    NornBuilder builder = norn_builder_before(function, test);
    norn_builder_insert(&builder, index);
    changed = true;
  }
  return changed;
}

bool
norn_valhall_raise_moves(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  bool changed = false;
  bool is_fragment = function->module->stage == NORN_STAGE_FRAGMENT;
  for (uint32_t i = 0; is_fragment && i < function->block_order_count; i++)
    norn_for_each_inst (function, function->block_order[i], index)
      if (norn_inst(function, index)->op == NORN_OP_MACHINE + NORN_VALHALL_ATEST)
        changed |= raise_behind(context->target, function, index);
  norn_pass_report(context, changed);
  return true;
}
