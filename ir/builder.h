/* The builder as the library's own passes use it: the functions of norn/build.h, one per operation,
 * with insertion points wherever a pass needs them.
 *
 * A builder is an insertion point plus the attributes of new instructions: source location and
 * flags. It is a small value on the stack, made by one of the functions below, and stays valid
 * until the instruction at the insertion point is moved or erased. Instructions appear in the order
 * in which they are built. Operand lists may be those of another instruction. */
#ifndef NORN_IR_BUILDER_H
#define NORN_IR_BUILDER_H

#include "ir/ir.h"
#include <norn/build.h>

struct NornBuilder {
  NornFunction *function;
  uint32_t block;  /* NORN_INDEX_NONE: none yet */
  uint32_t before; /* an instruction of the block; NORN_INDEX_NONE: at its end */
  uint32_t line;
  uint16_t column;
  uint16_t flags;
  uint8_t origin; /* NornOrigin */
};

/* Right before an instruction, with its location. */
NornBuilder norn_builder_before(NornFunction *function, uint32_t inst);
/* The same for code that replaces the instruction: also with its arithmetic flags. */
NornBuilder norn_builder_in_place_of(NornFunction *function, uint32_t inst);
/* Right after an instruction, with its location. */
NornBuilder norn_builder_after(NornFunction *function, uint32_t inst);
/* At the start of a block, after its parameters and its loop_entry, with the location of the first
 * instruction there. */
NornBuilder norn_builder_at_start(NornFunction *function, uint32_t block);
/* At the end of a block, after its last instruction and with that one's location. */
NornBuilder norn_builder_at_end(NornFunction *function, uint32_t block);
/* At the end of a block, with the location of any instruction, which may be erased. */
NornBuilder norn_builder_at_end_for(NornFunction *function, uint32_t block, uint32_t inst);
/* At the first place where a value is available. */
NornBuilder norn_builder_after_def(NornFunction *function, uint32_t value);

/* The instruction right before the insertion point: the one built last. */
static inline uint32_t
norn_builder_last(const NornBuilder *builder) {
  const NornFunction *function = builder->function;
  return builder->before == NORN_INDEX_NONE ? norn_block(function, builder->block)->last
                                            : norn_inst(function, builder->before)->previous;
}

/* Builds any operation except terminators and calls, with the operands that its row requires. */
NornRef norn_build_op(NornBuilder *builder, NornOp op, unsigned modifier, NornType type,
                      NornType source_type, const NornRef *operands, unsigned count);

/* The value of type `from` as one of another type of the same size: the bits do not change. */
static inline NornRef
norn_build_cast(NornBuilder *builder, NornType to, NornType from, NornRef ref) {
  return to == from ? ref : norn_build_bitcast(builder, to, from, ref);
}

/* Builds an instruction of the module's machine with these bits of its word. Returns its result, of
 * that type, or 0 if the type is NORN_TYPE_VOID. */
NornRef norn_build_machine(NornBuilder *builder, unsigned instruction, uint64_t payload,
                           NornType result, const NornRef *operands, unsigned count);

/* Builds a copy of an instruction of this or another function, with its location, the same
 * operands, and new results of the same types. Returns the instruction. */
uint32_t norn_build_clone(NornBuilder *builder, const NornFunction *from, uint32_t inst);

/* Moves an instruction, which may be in another block or in none, to the insertion point. */
void norn_builder_insert(const NornBuilder *builder, uint32_t inst);

/* An edge of a terminator as a branch, for building another edge like it; valid as long as the
 * terminator keeps its operands. */
NornBranch norn_edge_branch(const NornFunction *function, uint32_t inst, const NornEdge *edge);

#endif
