/* What passes ask of machine code: most of it of allocated code. Pseudo operations and jumps to the
 * next block are no code: their registers agree. */
#ifndef NORN_PASSES_MACHINE_CODE_H
#define NORN_PASSES_MACHINE_CODE_H

#include "ir/analysis/dominance.h"
#include "ir/ops.h"
#include "passes/target.h"

/* Operands of an instruction that are not blocks or their arguments. */
unsigned norn_source_count(const NornFunction *function, const NornInst *inst);
/* The registers a value is in; none if it has none. */
static inline NornRegisterSet
norn_value_registers(const NornFunction *function, uint32_t value) {
  const NornValue *self = norn_value(function, value);
  return norn_regs_range(self->reg, norn_type_words(self->type));
}
/* The registers that a machine instruction reads and writes. */
NornRegisterSet norn_registers_read(const NornFunction *function, const NornInst *inst);
NornRegisterSet norn_registers_written(const NornFunction *function, const NornInst *inst);
/* Those that any instruction writes, and that it changes without naming them. */
NornRegisterSet norn_registers_changed(const NornTarget *target, const NornFunction *function,
                                       const NornInst *inst);

/* The last machine instruction of a block from instruction `index` back, or NULL. */
const NornInst *norn_last_code(const NornFunction *function, uint32_t index);

/* *live, what is live after a machine instruction that writes `written`, becomes what is live
 * before it. */
void norn_registers_pass_backward(const NornFunction *function, const NornInst *inst,
                                  NornRegisterSet written, NornRegisterSet *live);
/* The registers that are live into each block, and by them those out of one. */
NornRegisterSet *norn_registers_live_in(NornArena *arena, const NornFunction *function,
                                        const NornDominance *dominance);
NornRegisterSet norn_registers_live_out(const NornFunction *function,
                                        const NornRegisterSet *live_in, uint32_t block);

/* Whether two instructions are the same but for their results: instruction, word, types and
 * operands are. */
bool norn_computes_same(const NornFunction *function, const NornInst *a, const NornInst *b);

/* Whether lanes may diverge anywhere in the function. */
bool norn_has_divergence(const NornFunction *function);

/* The machine instruction before `inst` in its block, or NORN_INDEX_NONE. */
uint32_t norn_previous_code(const NornFunction *function, uint32_t inst);

/* Makes the flow happen after machine instruction `inst`: on it if it can carry both what it has
 * and the new one, else on a NOP that follows (before `inst` if that is a terminator; then the flow
 * must be a wait). Returns the instruction that carries it. */
uint32_t norn_attach_flow(const NornTarget *target, NornFunction *function, uint32_t inst,
                          NornFlow flow);
/* A NOP with the flow before `before`, or at the end of the block if that is NORN_INDEX_NONE. */
uint32_t norn_insert_flow(const NornTarget *target, NornFunction *function, uint32_t block,
                          uint32_t before, NornFlow flow);

#endif
