/* Queries about machine code, most of them about allocated code. Pseudo operations and jumps to the
 * next block are not code: their registers agree. */
#ifndef NORN_PASSES_MACHINE_CODE_H
#define NORN_PASSES_MACHINE_CODE_H

#include "ir/analysis/dominance.h"
#include "ir/ops.h"
#include "passes/target.h"

/* The number of operands that are not blocks or their arguments. */
unsigned norn_source_count(const NornFunction *function, const NornInst *inst);
/* The registers that hold a value; empty if it has none. */
static inline NornRegisterSet
norn_value_registers(const NornFunction *function, uint32_t value) {
  const NornValue *self = norn_value(function, value);
  return norn_regs_range(self->reg, norn_type_words(self->type));
}
/* The registers that a machine instruction reads and writes. */
NornRegisterSet norn_registers_read(const NornFunction *function, const NornInst *inst);
NornRegisterSet norn_registers_written(const NornFunction *function, const NornInst *inst);
/* The registers that an instruction writes, and those that it clobbers. */
NornRegisterSet norn_registers_changed(const NornTarget *target, const NornFunction *function,
                                       const NornInst *inst);

/* The last machine instruction of a block at or before instruction `index`, or NULL. */
const NornInst *norn_last_code(const NornFunction *function, uint32_t index);

/* Updates *live from the registers live after a machine instruction that writes `written` to those
 * live before it. */
void norn_registers_pass_backward(const NornFunction *function, const NornInst *inst,
                                  NornRegisterSet written, NornRegisterSet *live);
/* The registers that are live into each block, and from those the registers live out of a block. */
NornRegisterSet *norn_registers_live_in(NornArena *arena, const NornFunction *function,
                                        const NornDominance *dominance);
NornRegisterSet norn_registers_live_out(const NornFunction *function,
                                        const NornRegisterSet *live_in, uint32_t block);

/* Whether two instructions have equal operations, words, types and operands, so that only their
 * results differ. */
bool norn_computes_same(const NornFunction *function, const NornInst *a, const NornInst *b);

/* Whether lanes may diverge anywhere in the function. */
bool norn_has_divergence(const NornFunction *function);

/* The machine instruction before `inst` in its block, or NORN_INDEX_NONE. */
uint32_t norn_previous_code(const NornFunction *function, uint32_t inst);

/* Attaches the flow to machine instruction `inst` if that can encode both its own and the new one,
 * else to a NOP after it (or before it if it is a terminator; then the flow must be a wait).
 * Returns the instruction that has the flow. */
uint32_t norn_attach_flow(const NornTarget *target, NornFunction *function, uint32_t inst,
                          NornFlow flow);
/* Inserts a NOP with the flow before `before`, or at the end of the block if that is
 * NORN_INDEX_NONE. */
uint32_t norn_insert_flow(const NornTarget *target, NornFunction *function, uint32_t block,
                          uint32_t before, NornFlow flow);

#endif
