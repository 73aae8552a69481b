/* See needed_halves.h. */
#include "passes/regalloc/needed_halves.h"
#include "ir/ops.h"
#include "passes/machine_code.h"

enum {
  MAX_SWEEPS = 16,
  BOTH_HALVES = NORN_LOWER_HALF | NORN_UPPER_HALF,
};

typedef struct HalfDemand {
  NornPassContext *context;
  const NornFunction *function;
  uint8_t *needed; /* by value */
} HalfDemand;

/* Records that those halves of an operand matter. Returns whether that is new. */
static bool
demand(HalfDemand *self, NornRef ref, unsigned halves) {
  if (norn_ref_kind(ref) != NORN_REF_VALUE)
    return false;
  uint8_t *needed = &self->needed[norn_ref_payload(ref)];
  unsigned before = *needed;
  *needed |= (uint8_t)halves;
  return *needed != before;
}

/* The halves that the instruction needs of operand k, given those that matter of its result. */
static unsigned
halves_of_operand(const HalfDemand *self, const NornInst *inst, unsigned k, unsigned results) {
  const NornTarget *target = self->context->target;
  if (norn_is_machine(inst))
    return target->halves_read(target, inst, k, results);
  return inst->op == NORN_OP_COPY ? results : BOTH_HALVES;
}

/* Propagates what matters from the results of an instruction to its operands. */
static bool
pass_backward(HalfDemand *self, const NornInst *inst) {
  const NornFunction *function = self->function;
  const NornTarget *target = self->context->target;
  const NornRef *operands = norn_operands(function, inst);
  bool is_pure = norn_is_machine(inst) ? norn_target_is_arithmetic(target, function, inst)
                                       : inst->op == NORN_OP_COPY;
  unsigned results = is_pure && inst->result_count == 1 ? self->needed[inst->result] : BOTH_HALVES;
  bool changed = false;
  for (unsigned k = norn_source_count(function, inst); results && k--;)
    changed |= demand(self, operands[k], halves_of_operand(self, inst, k, results));
  return changed;
}

/* Propagates what matters of a block's parameters to the arguments. */
static bool
pass_to_arguments(HalfDemand *self, uint32_t block) {
  const NornFunction *function = self->function;
  uint32_t last = norn_block(function, block)->last;
  bool changed = false;
  norn_for_each_edge (function, last, edge)
    for (unsigned k = 0; k < edge.argument_count; k++)
      changed |= demand(self, norn_operand(function, last, edge.operand + 1 + k),
                        self->needed[norn_block_parameter(function, edge.block, k)]);
  return changed;
}

/* Assumes that all of each parameter matters. */
static void
demand_parameters(HalfDemand *self) {
  norn_for_each_block (self->function, block)
    for (unsigned k = 0; k < norn_block(self->function, block)->parameter_count; k++)
      self->needed[norn_block_parameter(self->function, block, k)] = BOTH_HALVES;
}

/* What matters of a parameter may only be known when that of another one is, so there may be as
 * many sweeps as parameters of loops; if there are too many, nothing is known of parameters. */
static void
find_needed(HalfDemand *self, const NornDominance *dominance) {
  const NornFunction *function = self->function;
  unsigned sweeps = 0;
  bool has_loops = norn_has_loops(dominance);
  for (bool changed = true; changed && norn_pass_continues(self->context, function->inst_count);
       changed &= has_loops) {
    changed = false;
    if (++sweeps == MAX_SWEEPS)
      demand_parameters(self);
    for (uint32_t i = dominance->order_count; i--;) {
      uint32_t block = dominance->order[i];
      changed |= pass_to_arguments(self, block);
      for (uint32_t inst = norn_block(function, block)->last; inst != NORN_INDEX_NONE;
           inst = norn_inst(function, inst)->previous)
        changed |= pass_backward(self, norn_inst(function, inst));
    }
  }
}

const uint8_t *
norn_needed_halves(NornPassContext *context, NornFunction *function) {
  uint8_t *needed = NORN_NEW0(&context->arena, uint8_t, function->value_count);
  HalfDemand self = {context, function, needed};
  find_needed(&self, norn_pass_dominance(context, function));
  return needed;
}
