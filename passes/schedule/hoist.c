/* Hoists arithmetic to the immediate dominator of its block, so that the scheduler can use it to
 * fill that block's waits: an address after a branch or guard is then computed at the same time as
 * the condition.
 *
 * An instruction is hoisted if its result depends only on its operands (norn_target_is_arithmetic),
 * it reads a value, and all operands are available at the end of the immediate dominator. It is
 * computed in vain if the other path is taken. Instructions move only between blocks of the same
 * loop, so none is executed in more iterations or kept in a register throughout a loop. At most
 * MAX_MOVED instructions leave a block. Blocks are walked from the last to the first, so that an
 * instruction that has moved may move on. */
#include "ir/analysis/dominance.h"
#include "ir/builder.h"
#include "passes/pass.h"

enum { MAX_MOVED = 16 };

typedef struct Hoist {
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  bool changed;
} Hoist;

/* Whether the instruction reads at least one value, and none from its own block. */
static bool
has_operands_before(const NornFunction *function, const NornInst *inst) {
  bool any = false;
  norn_for_each_use (function, inst, use) {
    if (norn_defining_block(function, use.value) == inst->block)
      return false;
    any = true;
  }
  return any;
}

static void
hoist_from(Hoist *hoist, uint32_t block, uint32_t dominator) {
  NornFunction *function = hoist->function;
  NornBuilder builder = norn_builder_before(function, norn_block(function, dominator)->last);
  unsigned moved = 0;
  for (uint32_t index = norn_block(function, block)->first, next;
       index != NORN_INDEX_NONE && moved < MAX_MOVED && norn_pass_continues(hoist->context, 1);
       index = next) {
    const NornInst *inst = norn_inst(function, index);
    next = inst->next;
    if (!norn_is_machine(inst) || !inst->result_count || !has_operands_before(function, inst) ||
        !norn_target_is_arithmetic(hoist->context->target, function, inst))
      continue;
    norn_builder_insert(&builder, index);
    hoist->changed = true;
    moved++;
  }
}

bool
norn_pass_hoist(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  Hoist hoist = {.context = context, .function = function, .dominance = dominance};
  for (uint32_t i = dominance->order_count; i-- > 1;) {
    uint32_t block = dominance->order[i], dominator = dominance->idom[block];
    if (dominance->loop_header[block] == dominance->loop_header[dominator] &&
        dominance->loop_header[block] != block)
      hoist_from(&hoist, block, dominator);
  }
  norn_pass_report(context, hoist.changed);
  return true;
}
