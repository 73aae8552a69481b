/* Inserts reconverge and end where the control flow needs them.
 *
 * Diverged lanes of a warp reconverge only at an instruction that carries reconverge: it selects
 * the lanes at the lowest address to run next. It is needed on the last instruction of a block
 * whose branch may diverge, that leads to a block with other predecessors, or that leaves a loop in
 * which lanes diverge, since they may leave it in different iterations. A program without divergent
 * branches needs none. An end is attached to the last instruction before it. An instruction carries
 * one flow; if the instruction before cannot carry it, a NOP does. Layout has already decided which
 * jumps are code.
 *
 * Helper invocations of fragment shaders end where nothing on any later path needs them: after the
 * last instruction that needs them, after a demotion, or after a branch away from the instructions
 * that need them. Ending them is not worth a NOP, so the next instruction without a flow carries
 * it. */
#include "ir/analysis/convergence.h"
#include "ir/analysis/dominance.h"
#include "passes/machine_code.h"
#include "passes/pass.h"

/* Where lanes may reconverge. */
typedef struct Joins {
  const NornFunction *function;
  const NornDominance *dominance;
  NornConvergence convergence;
  bool *is_divergent; /* by loop header */
} Joins;

/* Whether the edge leaves a loop that lanes may leave in different iterations: lanes that have left
 * wait for the others. */
static bool
leaves_loop(const Joins *joins, uint32_t from, uint32_t to) {
  const NornConvergence *convergence = &joins->convergence;
  for (uint32_t header = convergence->loop_of_node[from];
       header != NORN_KEY_NONE && !norn_is_in_loop(convergence, header, to);
       header = convergence->parent_of_loop[header])
    if (joins->is_divergent[header])
      return true;
  return false;
}

static bool
needs_reconverge(const Joins *joins, uint32_t block) {
  const NornFunction *function = joins->function;
  uint32_t terminator = norn_block(function, block)->last;
  unsigned edges = 0;
  if (norn_inst(function, terminator)->flags & NORN_INST_DIVERGENT)
    return true;
  norn_for_each_edge (function, terminator, edge) {
    edges++;
    if (norn_predecessor_count(joins->dominance, edge.block) > 1 ||
        leaves_loop(joins, block, edge.block))
      return true;
  }
  /* The jump may be placed among the blocks of a loop that comes before it. */
  return edges == 1 && norn_is_machine(norn_inst(function, terminator));
}

static bool
is_arithmetic(const NornPassContext *context, const NornFunction *function, uint32_t inst) {
  return inst != NORN_INDEX_NONE &&
         norn_target_is_arithmetic(context->target, function, norn_inst(function, inst));
}

/* Moves the wait of an arithmetic instruction to the arithmetic instruction before it, if that one
 * can carry it. A message there would be waited for one instruction too early. */
static void
wait_earlier(const NornPassContext *context, NornFunction *function, uint32_t inst) {
  const NornTarget *target = context->target;
  uint32_t previous = norn_previous_code(function, inst);
  NornFlow flow = target->flow(target, norn_inst(function, inst));
  if (flow.kind != NORN_FLOW_WAIT || !is_arithmetic(context, function, inst) ||
      !is_arithmetic(context, function, previous))
    return;
  NornFlowKind kind = target->flow(target, norn_inst(function, previous)).kind;
  if (kind != NORN_FLOW_NONE && kind != NORN_FLOW_WAIT)
    return;
  norn_attach_flow(target, function, previous, flow);
  target->set_flow(target, norn_inst(function, inst), (NornFlow){NORN_FLOW_NONE, 0});
}

/* Attaches the flow to the last code of the block: the terminator or the instruction before it. */
static void
end_block(const NornPassContext *context, NornFunction *function, uint32_t block, NornFlow flow) {
  uint32_t terminator = norn_block(function, block)->last;
  if (norn_is_machine(norn_inst(function, terminator))) {
    context->target->set_flow(context->target, norn_inst(function, terminator), flow);
    return;
  }
  uint32_t previous = norn_previous_code(function, terminator);
  if (previous == NORN_INDEX_NONE) {
    norn_insert_flow(context->target, function, block, terminator, flow);
  } else {
    wait_earlier(context, function, previous);
    norn_attach_flow(context->target, function, previous, flow);
  }
}

/* --- Helpers --- */

static NornHelperUse
helper_use(const NornPassContext *context, const NornInst *inst) {
  return norn_is_machine(inst) ? context->target->helper_use(context->target, inst)
                               : NORN_HELPERS_IGNORED;
}

/* The last instruction of the block that needs helpers, or NORN_INDEX_NONE. */
static uint32_t
last_need(const NornPassContext *context, const NornFunction *function, uint32_t block) {
  uint32_t inst = norn_block(function, block)->last;
  while (inst != NORN_INDEX_NONE &&
         !norn_target_looks_at_others(context->target, norn_inst(function, inst)))
    inst = norn_inst(function, inst)->previous;
  return inst;
}

/* Whether helpers can end at the instruction. They cannot at a message that waits before it is
 * sent: it is unknown whether they would end before or after that. */
static bool
can_carry(const NornPassContext *context, const NornFunction *function, const NornInst *inst) {
  NornMessage message;
  const NornTarget *target = context->target;
  return !norn_is_terminator(function, inst) &&
         target->flow(context->target, inst).kind == NORN_FLOW_NONE &&
         !(target->message(context->target, function, inst, &message) && message.wait_before);
}

/* Ends helpers in a block after which nothing needs them. `are_there`: some may enter it. */
static void
end_helpers_in(const NornPassContext *context, NornFunction *function, uint32_t block,
               bool are_there) {
  uint32_t last = last_need(context, function, block);
  bool is_over = last == NORN_INDEX_NONE;
  norn_for_each_inst (function, block, index) {
    NornInst *inst = norn_inst(function, index);
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
end_helpers(NornPassContext *context, NornFunction *function, const NornDominance *dominance) {
  bool *after =
      NORN_NEW0(&context->arena, bool, function->block_count); /* needed after the block */
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
}

static bool
insert_reconverge(NornPassContext *context, NornFunction *function, GError **error) {
  Joins joins = {.function = function, .dominance = norn_pass_dominance(context, function)};
  if (!norn_convergence_of_function(&context->arena, &joins.convergence, function, error))
    return false;
  joins.is_divergent = norn_divergent_loops(&context->arena, &joins.convergence, function);
  norn_for_each_block (function, block)
    if (needs_reconverge(&joins, block))
      end_block(context, function, block, (NornFlow){NORN_FLOW_RECONVERGE, 0});
  return true;
}

bool
norn_pass_insert_reconvergence(NornPassContext *context, NornFunction *function, GError **error) {
  if (norn_has_divergence(function) && !insert_reconverge(context, function, error))
    return false;
  norn_for_each_block (function, block) {
    uint16_t op = norn_inst(function, norn_block(function, block)->last)->op;
    if (op == NORN_OP_END || op == NORN_OP_UNREACHABLE)
      end_block(context, function, block, (NornFlow){NORN_FLOW_END, 0});
  }
  if (context->module->stage == NORN_STAGE_FRAGMENT && context->target->helper_use)
    end_helpers(context, function, norn_pass_dominance(context, function));
  return true;
}
