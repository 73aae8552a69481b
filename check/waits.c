/* A check of slots and waits on finished code, independent of the pass that put them in.
 *
 * For each slot the registers that messages in flight may still write; the state at the start of a
 * block is the union over its predecessors, found by iteration. The flow of an instruction takes
 * effect after it. */
#include "check/waits.h"
#include "ir/analysis/dominance.h"
#include "ir/text/printer.h"
#include "passes/finish/machine_code.h"

typedef struct State {
  NornRegisterSet writing[NORN_SLOTS];
  uint8_t busy; /* slots with a message in flight */
} State;

typedef struct Check {
  const NornPassContext *context;
  const NornFunction *function;
  State *entry;
} Check;

static bool
fail(const Check *check, const NornInst *inst, unsigned slot, GError **error) {
  return norn_inst_error(check->function, inst, NORN_ERROR_INVALID, error,
                         "an instruction comes before the wait for slot %u that it needs", slot);
}

/* Whether the instruction may run in this state. */
static bool
check_instruction(const Check *check, const State *state, const NornInst *inst, GError **error) {
  const NornPassContext *context = check->context;
  NornRegisterSet touched = norn_regs_union(norn_registers_read(check->function, inst),
                                            norn_registers_written(check->function, inst));
  NornMessage message;
  uint8_t needed = 0;
  if (context->target->message(context->target, check->function, inst, &message))
    needed = message.waits_all ? 0xFF : message.wait_before;
  for (unsigned slot = 0; slot < NORN_SLOTS; slot++)
    if (norn_regs_overlap(state->writing[slot], touched) || (needed & state->busy) >> slot & 1)
      return fail(check, inst, slot, error);
  return true;
}

static void
run_instruction(const Check *check, State *state, const NornInst *inst) {
  const NornPassContext *context = check->context;
  NornMessage message;
  if (context->target->message(context->target, check->function, inst, &message)) {
    unsigned slot = context->target->slot(context->target, inst) % NORN_SLOTS;
    norn_regs_add(&state->writing[slot], norn_registers_written(check->function, inst));
    state->busy |= (uint8_t)(1u << slot);
  }
  NornFlow flow = context->target->flow(context->target, inst);
  for (unsigned slot = 0; slot < NORN_SLOTS; slot++)
    if (flow.kind == NORN_FLOW_END || flow.wait >> slot & 1) {
      state->writing[slot] = NORN_NO_REGISTERS;
      state->busy &= (uint8_t) ~(1u << slot);
    }
}

/* Adds the state at the end of a block to its successors; whether that changed one. */
static bool
leave_block(const Check *check, uint32_t block, const State *state) {
  bool changed = false;
  norn_for_each_edge (check->function, check->function->blocks[block].last, edge) {
    State *next = &check->entry[edge.block];
    changed |= (next->busy | state->busy) != next->busy;
    next->busy |= state->busy;
    for (unsigned slot = 0; slot < NORN_SLOTS; slot++) {
      NornRegisterSet both = norn_regs_union(next->writing[slot], state->writing[slot]);
      changed |= !norn_regs_equal(both, next->writing[slot]);
      next->writing[slot] = both;
    }
  }
  return changed;
}

/* Runs a block; checks it if `error` is wanted. *changed as leave_block says. */
static bool
run_block(const Check *check, uint32_t block, bool checking, bool *changed, GError **error) {
  State state = check->entry[block];
  norn_for_each_inst (check->function, block, index) {
    const NornInst *inst = &check->function->insts[index];
    if (!norn_is_machine(inst))
      continue;
    if (checking && !check_instruction(check, &state, inst, error))
      return false;
    run_instruction(check, &state, inst);
  }
  *changed |= leave_block(check, block, &state);
  return true;
}

bool
norn_check_waits(const NornPassContext *context, const NornFunction *function, GError **error) {
  Check check = {context, function, g_new0(State, function->block_count)};
  NornDominance *dominance = norn_dominance_new(function);
  bool ok = true, changed = true;
  while (changed) {
    changed = false;
    for (uint32_t i = 0; i < dominance->order_count; i++)
      run_block(&check, dominance->order[i], false, &changed, NULL);
  }
  for (uint32_t i = 0; i < dominance->order_count && ok; i++)
    ok = run_block(&check, dominance->order[i], true, &changed, error);
  norn_dominance_free(dominance);
  g_free(check.entry);
  return ok;
}
