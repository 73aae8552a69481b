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
  NornPassContext *context;
  NornFunction *function;
  const NornDominance *dominance;
  unsigned slots;
  uint8_t *slot;            /* by message: slot + 1; 0: not a message */
  bool has_messages;        /* if not, no registers are ever in flight */
  bool has_loops;           /* if not, one walk over the blocks is enough */
  NornRegisterSet *live_in; /* by block */
  PendingStaging *staging;  /* by block, at its start */
} LastUse;

/* Finds the slots of all messages. */
static void
find_slots(LastUse *pass) {
  const NornFunction *function = pass->function;
  const NornTarget *target = pass->context->target;
  pass->slot = NORN_NEW0(&pass->context->arena, uint8_t, function->inst_count);
  for (uint32_t i = 0; i < pass->dominance->order_count; i++)
    norn_for_each_inst (function, pass->dominance->order[i], index) {
      const NornInst *inst = norn_inst(function, index);
      if (norn_is_machine(inst) && target->message(target, function, inst, NULL)) {
        pass->slot[index] = (uint8_t)(1 + target->slot(target, inst));
        pass->has_messages = true;
      }
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

/* The registers of a source. An operation that reads only one register of a pair counts as a reader
 * of the aligned pair. */
static NornRegisterSet
source_registers(const LastUse *pass, const NornMachineShape *shape, unsigned k, NornRef ref) {
  const NornValue *value = norn_value(pass->function, norn_ref_payload(ref));
  if (!(shape->operand_is_low >> k & 1))
    return norn_regs_range(value->reg, norn_type_words(value->type));
  const NornRegisterModel *model = &pass->context->target->registers;
  unsigned alignment = 1u << model->alignment[model->types[value->type].class][2];
  return norn_regs_range(value->reg & ~(alignment - 1), 2);
}

/* Marks the sources of one instruction if their registers are not in `live`, which is what is live
 * after it and not written by it. */
static void
mark(const LastUse *pass, const NornInst *inst, NornRegisterSet live) {
  NornFunction *function = pass->function;
  NornMachineShape shape;
  norn_inst_shape(function->module, inst, &shape);
  for (unsigned k = norn_source_count(function, inst); k--;) {
    NornRef *ref = &norn_operands(function, inst)[k];
    if (norn_ref_kind(*ref) != NORN_REF_VALUE)
      continue;
    NornRegisterSet registers = source_registers(pass, &shape, k, *ref);
    *ref &= ~NORN_REF_LAST_USE;
    if (!(shape.operand_is_staging >> k & 1) && !norn_regs_overlap(registers, live))
      *ref |= NORN_REF_LAST_USE;
    norn_regs_add(&live, registers);
  }
}

/* Marks the sources in a block by what is live after them. If there are no loops, this also finds
 * what is live into the block. */
static void
mark_block(LastUse *pass, uint32_t block) {
  NornFunction *function = pass->function;
  NornRegisterSet live = norn_registers_live_out(function, pass->live_in, block);
  for (const NornInst *inst = norn_last_code(function, norn_block(function, block)->last); inst;
       inst = norn_last_code(function, inst->previous)) {
    NornRegisterSet written = norn_registers_written(function, inst);
    mark(pass, inst, norn_regs_without(live, written));
    norn_registers_pass_backward(function, inst, written, &live);
  }
  pass->live_in[block] = live;
}

/* Takes the marks from sources whose registers are in `busy`. */
static void
unmark(const LastUse *pass, const NornInst *inst, NornRegisterSet busy) {
  NornFunction *function = pass->function;
  NornMachineShape shape;
  norn_inst_shape(function->module, inst, &shape);
  for (unsigned k = norn_source_count(function, inst); k--;) {
    NornRef *ref = &norn_operands(function, inst)[k];
    if (norn_ref_kind(*ref) == NORN_REF_VALUE &&
        norn_regs_overlap(source_registers(pass, &shape, k, *ref), busy))
      *ref &= ~NORN_REF_LAST_USE;
  }
}

/* Takes the marks from the sources of a block that messages in flight still use. */
static void
unmark_block(const LastUse *pass, uint32_t block) {
  NornFunction *function = pass->function;
  PendingStaging staging = pass->staging[block];
  norn_for_each_inst (function, block, index) {
    const NornInst *inst = norn_inst(function, index);
    if (!norn_is_machine(inst))
      continue;
    if (pass->slot[index])
      begin_staging(pass, index, &staging);
    if (norn_regs_any(staging.all))
      unmark(pass, inst, staging.all);
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
      .context = context,
      .function = function,
      .dominance = dominance,
      .slots = context->target->slot_count,
      .has_loops = norn_has_loops(dominance),
  };
  pass.live_in = pass.has_loops
                     ? norn_registers_live_in(&context->arena, function, dominance)
                     : NORN_NEW0(&context->arena, NornRegisterSet, function->block_count);
  for (uint32_t i = dominance->order_count; i--;)
    mark_block(&pass, dominance->order[i]);
  find_slots(&pass);
  if (!pass.has_messages)
    return true;
  pass.staging = NORN_NEW0(&context->arena, PendingStaging, function->block_count);
  find_staging(&pass);
  for (uint32_t i = 0; i < dominance->order_count; i++)
    unmark_block(&pass, dominance->order[i]);
  return true;
}
