/* Marks the last read of each register, so that the hardware may discard its content.
 *
 * Backward liveness of registers: a source is the last use if its registers are not read before
 * they are written again. For a pair, both halves must be dead, even if the operation reads only
 * one. Staging operands are never marked, nor is a source if a message in flight still reads or
 * writes one of its registers: that ends when its slot is waited for, which a forward walk tracks.
 * If several sources are the same register, the last one is marked. */
#include "ir/analysis/dominance.h"
#include "passes/machine_code.h"
#include "passes/pass.h"

/* The registers that messages in flight read or write, by slot. */
typedef struct PendingStaging {
  NornRegisterSet used[NORN_MAX_SLOTS], all;
} PendingStaging;

typedef struct LastUse {
  NornArena *arena;
  const NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  unsigned slots;
  uint8_t *slot;                         /* by message: slot + 1; 0: not a message */
  bool has_loops;                        /* if not, one walk over the blocks is enough */
  const NornRegisterSet *live_in;        /* by block */
  PendingStaging *staging;               /* by block, at its start */
  NORN_LIST(NornRegisterSet) live_after; /* by machine instruction of the block, last first */
} LastUse;

/* Finds the slots of all messages. */
static void
find_slots(LastUse *pass) {
  const NornFunction *function = pass->function;
  const NornTarget *target = pass->context->target;
  pass->slot = NORN_NEW0(pass->arena, uint8_t, function->inst_count);
  for (uint32_t i = 0; i < pass->dominance->order_count; i++)
    norn_for_each_inst (function, pass->dominance->order[i], index) {
      const NornInst *inst = norn_inst(function, index);
      if (norn_is_machine(inst) && target->message(target, function, inst, NULL))
        pass->slot[index] = (uint8_t)(1 + target->slot(target, inst));
    }
}

/* The registers are in use until the message's slot is waited for. */
static void
begin(const LastUse *pass, uint32_t message, NornRegisterSet registers, PendingStaging *staging) {
  norn_regs_add(&staging->used[pass->slot[message] - 1], registers);
  norn_regs_add(&staging->all, registers);
}

/* Registers that a message writes are in use after its issue. */
static void
begin_results(const LastUse *pass, uint32_t message, PendingStaging *staging) {
  const NornInst *inst = norn_inst(pass->function, message);
  begin(pass, message, norn_registers_written(pass->function, inst), staging);
}

/* Registers that it reads as staging registers are in use from its issue on. */
static void
begin_staging(const LastUse *pass, uint32_t message, PendingStaging *staging) {
  const NornInst *inst = norn_inst(pass->function, message);
  NornMachineShape shape;
  norn_inst_shape(pass->function->module, inst, &shape);
  const NornRef *operands = norn_operands(pass->function, inst);
  for (unsigned k = 0; k < norn_source_count(pass->function, inst); k++) {
    NornRef ref = operands[k];
    if (shape.operand_is_staging >> k & 1 && norn_ref_kind(ref) == NORN_REF_VALUE)
      begin(pass, message, norn_value_registers(pass->function, norn_ref_payload(ref)), staging);
  }
}

/* Messages that the instruction waits for are complete after it. */
static void
end_staging(const LastUse *pass, const NornInst *inst, PendingStaging *staging) {
  if (!norn_regs_any(staging->all))
    return;
  NornFlow flow = pass->context->target->flow(pass->context->target, inst);
  if (flow.kind != NORN_FLOW_END && !flow.wait)
    return;
  staging->all = NORN_NO_REGISTERS;
  for (unsigned slot = 0; slot < pass->slots; slot++) {
    if (flow.kind == NORN_FLOW_END || flow.wait >> slot & 1)
      staging->used[slot] = NORN_NO_REGISTERS;
    norn_regs_add(&staging->all, staging->used[slot]);
  }
}

/* Adds what is in flight at the end of a block to the state at the start of the next. Returns
 * whether that state has grown. */
static bool
add_staging(const LastUse *pass, PendingStaging *next, const PendingStaging *now) {
  bool is_more = false;
  for (unsigned slot = 0; slot < pass->slots; slot++) {
    NornRegisterSet both = norn_regs_union(next->used[slot], now->used[slot]);
    is_more |= !norn_regs_equal(both, next->used[slot]);
    next->used[slot] = both;
  }
  norn_regs_add(&next->all, now->all);
  return is_more;
}

/* Propagates the staging registers through all blocks until a fixed point. */
static void
find_staging(LastUse *pass) {
  const NornFunction *function = pass->function;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < pass->dominance->order_count; i++) {
      uint32_t block = pass->dominance->order[i], last = norn_block(function, block)->last;
      NornEdge first = {0};
      if (!norn_next_edge(function, last, &first))
        continue; /* the block has no successors */
      PendingStaging now = pass->staging[block];
      norn_for_each_inst (function, block, inst) {
        if (pass->slot[inst]) {
          begin_staging(pass, inst, &now);
          begin_results(pass, inst, &now);
        }
        if (norn_is_machine(norn_inst(function, inst)))
          end_staging(pass, norn_inst(function, inst), &now);
      }
      if (norn_regs_any(now.all))
        norn_for_each_edge (function, last, edge)
          changed |= add_staging(pass, &pass->staging[edge.block], &now);
    }
    changed &= pass->has_loops;
  }
}

/* The aligned pair that contains the value's register. */
static NornRegisterSet
pair_of(const LastUse *pass, uint32_t value) {
  const NornValue *self = norn_value(pass->function, value);
  const NornRegisterModel *model = &pass->context->target->registers;
  unsigned alignment = 1u << model->alignment[model->types[self->type].class][2];
  return norn_regs_range(self->reg & ~(alignment - 1), 2);
}

/* Marks the sources of one instruction; the registers in `busy` must not be marked. */
static void
mark(LastUse *pass, const NornInst *inst, NornRegisterSet live, NornRegisterSet busy) {
  NornFunction *function = pass->function;
  NornMachineShape shape;
  norn_inst_shape(function->module, inst, &shape);
  for (unsigned k = norn_source_count(function, inst); k--;) {
    NornRef *ref = &norn_operands(function, inst)[k];
    if (norn_ref_kind(*ref) != NORN_REF_VALUE)
      continue;
    *ref &= ~NORN_REF_LAST_USE;
    uint32_t value = norn_ref_payload(*ref);
    NornRegisterSet registers = norn_value_registers(function, value);
    if (shape.operand_is_low >> k & 1)
      registers = pair_of(pass, value);
    if (!(shape.operand_is_staging >> k & 1) &&
        !norn_regs_overlap(registers, norn_regs_union(live, busy)))
      *ref |= NORN_REF_LAST_USE;
    norn_regs_add(&live, registers);
  }
}

static void
mark_block(LastUse *pass, uint32_t block) {
  NornFunction *function = pass->function;
  NornRegisterSet live = norn_registers_live_out(function, pass->live_in, block);
  pass->live_after.count = 0;
  for (const NornInst *inst = norn_last_code(function, norn_block(function, block)->last); inst;
       inst = norn_last_code(function, inst->previous)) {
    NornRegisterSet written = norn_registers_written(function, inst);
    norn_list_push(pass->arena, &pass->live_after, norn_regs_without(live, written));
    norn_registers_pass_backward(function, inst, written, &live);
  }
  PendingStaging staging = pass->staging[block];
  unsigned left = pass->live_after.count;
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    if (!norn_is_machine(inst))
      continue;
    NornRegisterSet after = pass->live_after.items[--left];
    if (pass->slot[index])
      begin_staging(pass, index, &staging);
    mark(pass, inst, after, staging.all);
    if (pass->slot[index])
      begin_results(pass, index, &staging);
    end_staging(pass, inst, &staging);
  }
}

bool
norn_pass_last_use(NornPassContext *context, NornFunction *function, GError **error) {
  (void)error;
  const NornDominance *dominance = norn_pass_dominance(context, function);
  LastUse pass = {
      .arena = &context->arena,
      .context = context,
      .function = function,
      .dominance = dominance,
      .slots = context->target->slot_count,
      .live_in = norn_registers_live_in(&context->arena, function, dominance),
      .staging = NORN_NEW0(&context->arena, PendingStaging, function->block_count),
      .has_loops = norn_has_loops(dominance),
  };
  find_slots(&pass);
  find_staging(&pass);
  for (uint32_t i = 0; i < dominance->order_count; i++)
    mark_block(&pass, dominance->order[i]);
  return true;
}
