/* Puts reconverge and end where the control flow wants them.
 *
 * Lanes of a warp that took different ways meet again only where an instruction carries reconverge:
 * the last one of a block whose branch may diverge, and of one whose successor other blocks lead to
 * as well. A program without divergent branches needs none. An end goes on the last instruction
 * before it. One instruction carries one flow; a NOP carries the second. Layout has decided which
 * jumps are code.
 *
 * Helper invocations of fragments end where nothing on any way from there needs them: after the
 * last instruction that does, after a demotion, where a way parts from one that needs them. That is
 * worth no NOP, so the next instruction without a flow takes it. */
#include "ir/analysis/dominance.h"
#include "passes/finish/machine_code.h"

static bool
needs_reconverge(const NornFunction *function, const NornDominance *dominance,
                 uint32_t terminator) {
  if (function->insts[terminator].flags & NORN_INST_DIVERGENT)
    return true;
  norn_for_each_edge (function, terminator, edge)
    if (norn_predecessor_count(dominance, edge.block) > 1)
      return true;
  return false;
}

/* The flow at the end of the block, on its last code, be it the terminator or what is before it. */
static void
end_block(const NornPassContext *context, NornFunction *function, uint32_t block, NornFlow flow) {
  uint32_t terminator = function->blocks[block].last;
  if (norn_is_machine(&function->insts[terminator])) {
    context->target->set_flow(context->target, &function->insts[terminator], flow);
    return;
  }
  uint32_t previous = norn_previous_code(function, terminator);
  if (previous == NORN_INDEX_NONE)
    norn_insert_flow(context, function, block, terminator, flow);
  else
    norn_attach_flow(context, function, previous, flow);
}

/* --- helpers -------------------------------------------------------------------------------------
 */

static NornHelperUse
helper_use(const NornPassContext *context, const NornInst *inst) {
  return norn_is_machine(inst) ? context->target->helper_use(context->target, inst)
                               : NORN_HELPERS_IGNORED;
}

/* The last instruction of the block that needs helpers, or NORN_INDEX_NONE. */
static uint32_t
last_need(const NornPassContext *context, const NornFunction *function, uint32_t block) {
  uint32_t inst = function->blocks[block].last;
  while (inst != NORN_INDEX_NONE &&
         helper_use(context, &function->insts[inst]) != NORN_HELPERS_NEEDED)
    inst = function->insts[inst].previous;
  return inst;
}

static bool
can_carry(const NornPassContext *context, const NornFunction *function, const NornInst *inst) {
  NornMessage message;
  const NornTarget *target = context->target;
  return !norn_is_terminator(function, inst) &&
         target->flow(context->target, inst).kind == NORN_FLOW_NONE &&
         !(target->message(context->target, function, inst, &message) && message.wait_before);
}

/* Ends helpers in a block after which nothing needs them. `are_there`: some may come in. */
static void
end_helpers_in(const NornPassContext *context, NornFunction *function, uint32_t block,
               bool are_there) {
  uint32_t last = last_need(context, function, block);
  bool is_over = last == NORN_INDEX_NONE;
  norn_for_each_inst (function, block, index) {
    NornInst *inst = &function->insts[index];
    if (!norn_is_machine(inst))
      continue;
    bool is_last = index == last;
    is_over |= is_last;
    are_there |= is_last || helper_use(context, inst) == NORN_HELPERS_MADE;
    if (!is_over || !are_there || !can_carry(context, function, inst))
      continue;
    context->target->set_flow(context->target, inst, (NornFlow){NORN_FLOW_DISCARD, 0});
    are_there = false;
  }
}

static void
end_helpers(const NornPassContext *context, NornFunction *function,
            const NornDominance *dominance) {
  bool *after = g_new0(bool, function->block_count); /* something after the block needs them */
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = dominance->order_count; i-- > 0;) {
      uint32_t block = dominance->order[i];
      for (unsigned k = 0; k < norn_successor_count(dominance, block) && !after[block]; k++) {
        uint32_t next = norn_successor(dominance, block, k);
        after[block] = after[next] || last_need(context, function, next) != NORN_INDEX_NONE;
        changed |= after[block];
      }
    }
  }
  norn_for_each_block (function, block) {
    bool are_there = false;
    for (unsigned k = 0; k < norn_predecessor_count(dominance, block); k++)
      are_there |= after[norn_predecessor(dominance, block, k)];
    if (!after[block])
      end_helpers_in(context, function, block, are_there);
  }
  g_free(after);
}

bool
norn_pass_insert_reconvergence(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  bool divergent = norn_has_divergence(function);
  norn_for_each_block (function, block) {
    uint32_t terminator = function->blocks[block].last;
    uint16_t op = function->insts[terminator].op;
    if (op == NORN_OP_END || op == NORN_OP_UNREACHABLE)
      end_block(context, function, block, (NornFlow){NORN_FLOW_END, 0});
    else if (divergent && needs_reconverge(function, dominance, terminator))
      end_block(context, function, block, (NornFlow){NORN_FLOW_RECONVERGE, 0});
  }
  if (context->module->stage == NORN_STAGE_FRAGMENT && context->target->helper_use)
    end_helpers(context, function, dominance);
  return true;
}
