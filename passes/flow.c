/* Puts reconverge and end where the control flow wants them.
 *
 * Lanes of a warp that took different ways meet again only where an instruction carries reconverge:
 * the last one of a block whose branch may diverge, and of one whose successor other blocks lead to
 * as well. A program without divergent branches needs none. An end goes on the last instruction
 * before it. One instruction carries one flow; a NOP carries the second. Layout has decided which
 * jumps are code. */
#include "ir/dominance.h"
#include "passes/machine_code.h"

static bool
has_divergence(const NornFunction *function) {
  norn_for_each_block (function, block)
    if (function->insts[function->blocks[block].last].flags & NORN_INST_DIVERGENT)
      return true;
  return false;
}

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
    context->target->set_flow(context->architecture, &function->insts[terminator], flow);
    return;
  }
  uint32_t previous = norn_previous_code(function, terminator);
  if (previous == NORN_INDEX_NONE)
    norn_insert_flow(context, function, block, terminator, flow);
  else
    norn_attach_flow(context, function, previous, flow);
}

bool
norn_pass_flow(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  bool divergent = has_divergence(function);
  norn_for_each_block (function, block) {
    uint32_t terminator = function->blocks[block].last;
    uint16_t op = function->insts[terminator].op;
    if (op == NORN_OP_END || op == NORN_OP_UNREACHABLE)
      end_block(context, function, block, (NornFlow){NORN_FLOW_END, 0});
    else if (divergent && needs_reconverge(function, dominance, terminator))
      end_block(context, function, block, (NornFlow){NORN_FLOW_RECONVERGE, 0});
  }
  return true;
}
