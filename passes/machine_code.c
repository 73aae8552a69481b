/* See machine_code.h. */
#include "passes/machine_code.h"
#include "ir/ops.h"

unsigned
norn_source_count(const NornFunction *function, const NornInst *inst) {
  unsigned count = 0;
  while (count < inst->operand_count &&
         norn_ref_kind(norn_operands(function, inst)[count]) != NORN_REF_BLOCK)
    count++;
  return count;
}

static void
add_value(NornRegisterSet *registers, const NornFunction *function, uint32_t value) {
  const NornValue *self = norn_value(function, value);
  norn_regs_add_range(registers, self->reg, norn_type_words(self->type));
}

NornRegisterSet
norn_registers_read(const NornFunction *function, const NornInst *inst) {
  NornRegisterSet registers = NORN_NO_REGISTERS;
  const NornRef *operands = norn_operands(function, inst);
  for (unsigned k = 0; k < inst->operand_count; k++) {
    NornRef ref = operands[k];
    if (norn_ref_kind(ref) == NORN_REF_BLOCK)
      break;
    if (norn_ref_kind(ref) == NORN_REF_VALUE)
      add_value(&registers, function, norn_ref_payload(ref));
  }
  return registers;
}

NornRegisterSet
norn_registers_written(const NornFunction *function, const NornInst *inst) {
  NornRegisterSet registers = NORN_NO_REGISTERS;
  for (unsigned k = 0; k < inst->result_count; k++)
    add_value(&registers, function, inst->result + k);
  return registers;
}

NornRegisterSet
norn_registers_changed(const NornTarget *target, const NornFunction *function,
                       const NornInst *inst) {
  return norn_regs_union(norn_registers_written(function, inst),
                         norn_target_clobbered(target, function, inst));
}

const NornInst *
norn_last_code(const NornFunction *function, uint32_t index) {
  for (; index != NORN_INDEX_NONE; index = norn_inst(function, index)->previous)
    if (norn_is_machine(norn_inst(function, index)))
      return norn_inst(function, index);
  return NULL;
}

void
norn_registers_pass_backward(const NornFunction *function, const NornInst *inst,
                             NornRegisterSet written, NornRegisterSet *live) {
  *live = norn_regs_union(norn_regs_without(*live, written), norn_registers_read(function, inst));
}

NornRegisterSet
norn_registers_live_out(const NornFunction *function, const NornRegisterSet *live_in,
                        uint32_t block) {
  NornRegisterSet live = NORN_NO_REGISTERS;
  norn_for_each_edge (function, norn_block(function, block)->last, edge)
    norn_regs_add(&live, live_in[edge.block]);
  return live;
}

/* First finds the registers that each block reads before it writes them, and those that it writes;
 * then iterates the live-in sets to a fixed point. */
NornRegisterSet *
norn_registers_live_in(NornArena *arena, const NornFunction *function,
                       const NornDominance *dominance) {
  NornRegisterSet *live_in = NORN_NEW0(arena, NornRegisterSet, function->block_count);
  NornRegisterSet *exposed = NORN_NEW0(arena, NornRegisterSet, function->block_count);
  NornRegisterSet *changed_by = NORN_NEW0(arena, NornRegisterSet, function->block_count);
  bool has_loops = norn_has_loops(dominance);
  for (uint32_t i = 0; i < dominance->order_count; i++) {
    uint32_t block = dominance->order[i];
    for (const NornInst *inst = norn_last_code(function, norn_block(function, block)->last); inst;
         inst = norn_last_code(function, inst->previous)) {
      NornRegisterSet written = norn_registers_written(function, inst);
      norn_regs_add(&changed_by[block], written);
      norn_registers_pass_backward(function, inst, written, &exposed[block]);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = dominance->order_count; i--;) {
      uint32_t block = dominance->order[i];
      NornRegisterSet live = norn_regs_union(
          exposed[block],
          norn_regs_without(norn_registers_live_out(function, live_in, block), changed_by[block]));
      changed |= !norn_regs_equal(live, live_in[block]);
      live_in[block] = live;
    }
    changed &= has_loops;
  }
  return live_in;
}

bool
norn_computes_same(const NornFunction *function, const NornInst *a, const NornInst *b) {
  if (a->op != b->op || a->type != b->type || a->source_type != b->source_type ||
      a->payload != b->payload || a->operand_count != b->operand_count)
    return false;
  const NornRef *left = norn_operands(function, a), *right = norn_operands(function, b);
  for (unsigned k = 0; k < a->operand_count; k++)
    if (left[k] != right[k])
      return false;
  return true;
}

bool
norn_has_divergence(const NornFunction *function) {
  norn_for_each_block (function, block)
    if (norn_inst(function, norn_block(function, block)->last)->flags & NORN_INST_DIVERGENT)
      return true;
  return false;
}

uint32_t
norn_previous_code(const NornFunction *function, uint32_t inst) {
  do
    inst = norn_inst(function, inst)->previous;
  while (inst != NORN_INDEX_NONE && !norn_is_machine(norn_inst(function, inst)));
  return inst;
}

uint32_t
norn_insert_flow(const NornTarget *target, NornFunction *function, uint32_t block, uint32_t before,
                 NornFlow flow) {
  NornBuilder builder = before == NORN_INDEX_NONE ? norn_builder_at_end(function, block)
                                                  : norn_builder_before(function, before);
  target->build_nop(target, &builder);
  uint32_t nop = norn_builder_last(&builder);
  target->set_flow(target, norn_inst(function, nop), flow);
  return nop;
}

uint32_t
norn_attach_flow(const NornTarget *target, NornFunction *function, uint32_t inst, NornFlow flow) {
  NornInst *self = norn_inst(function, inst);
  NornFlow old = target->flow(target, self);
  if (old.kind == NORN_FLOW_NONE) {
    target->set_flow(target, self, flow);
    return inst;
  }
  if (old.kind == NORN_FLOW_WAIT && flow.kind == NORN_FLOW_WAIT) {
    flow.wait |= old.wait;
    target->set_flow(target, self, flow);
    return inst;
  }
  if (old.kind == NORN_FLOW_WAIT && flow.kind == NORN_FLOW_END &&
      !(old.wait & ~target->end_waits)) {
    target->set_flow(target, self, flow);
    return inst;
  }
  if (norn_is_terminator(function, self))
    return norn_insert_flow(target, function, self->block, inst, flow);
  return norn_insert_flow(target, function, self->block, self->next, flow);
}
